package motif

import (
	"context"

	"github.com/motifql/motif/internal/graphdiff"
)

// DiffOptions say how Diff compares, DiffResult what it found.
type (
	DiffOptions = graphdiff.Options
	DiffResult  = graphdiff.Result
)

// DiffWays lists the values that DiffOptions.By may have beside "".
var DiffWays = graphdiff.Ways

// ErrUndecided says that Diff ended without an answer: see DiffOptions.By.
var ErrUndecided = graphdiff.ErrUndecided

// Diff compares the graphs of two stores as they are now: nodes with labels, properties and external ids, relationships
// with types and properties. Nodes are told by id, or else by external id, or else up to ids, unless opt says how.
func Diff(ctx context.Context, a, b *DB, opt DiffOptions) (*DiffResult, error) {
	endA, err := a.begin()
	if err != nil {
		return nil, err
	}
	defer endA()
	endB, err := b.begin()
	if err != nil {
		return nil, err
	}
	defer endB()
	first, err := a.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	second, err := b.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return graphdiff.Compare(ctx, first, second, opt)
}
