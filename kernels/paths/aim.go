package paths

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// All walks between two given vertices.
//
// Input: a query with both ends. What makes it fast: a search that gets long stops once for a breadth-first search from the end, against the
// pattern. From then on it enters only vertices from which the end is near enough. It keeps that tree for the next query with this end.

// aimFrom is how many relationships a search reads before it asks how far the end is. Tests set it to less.
var aimFrom = 1 << 16

// all sends all walks.
func (p *pathFinder) all(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	w, end := p.ahead, p.endOf(q)
	if end != csr.NoVertex && len(w.hops) == 1 && len(w.hops[0].steps) == 1 && w.most > 2 && w.listOf0(q) == nil {
		w.aim, w.aimAt = func() error { return p.takeAim(ctx, end) }, w.reads+aimFrom
		if p.aim != nil && p.aim.start == end {
			w.aimAt = w.reads
		}
		defer func() { w.aim, w.far = nil, nil }()
	}
	return w.run(ctx, q, start, emit)
}

// takeAim lets the search keep to vertices from which a walk reaches the end in time.
func (p *pathFinder) takeAim(ctx context.Context, end csr.VertexID) error {
	if p.aim == nil {
		back, err := newProgram(ctx, p.job.Snapshot, p.job.Path, true)
		if err != nil {
			return err
		}
		t := newTree(newWalker(p.job.Snapshot, p.job, back, p.env))
		p.aim = &t
	}
	if err := p.aim.grow(ctx, end); err != nil {
		return err
	}
	p.ahead.far = func(v csr.VertexID, _ int) int32 { return p.aim.depth(v) }
	return nil
}

// tooFar reports whether the walk cannot end within length. It sets cutoff if a longer walk could.
func (w *walker) tooFar(v csr.VertexID, hop int) bool {
	if w.far == nil {
		return false
	}
	least := w.far(v, hop)
	if least < 0 {
		return true
	}
	if w.length >= 0 && len(w.nodes)-1+int(least) > w.length {
		w.cutoff = true
		return true
	}
	return int(least) > w.most-(len(w.nodes)-1)
}
