package storage

import (
	"context"
	"errors"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spool"
	"github.com/motifql/motif/kernels/core"
)

// PublishSpooled is Publish for a graph whose relationships are in a spool. It keeps no snapshot: the next call of Snapshot reads the graph.
func PublishSpooled(ctx context.Context, s *Store, g *csr.Spooled, progress func(stage string, done, total uint64)) (Info, error) {
	if progress == nil {
		progress = noProgress
	}
	return rewriteGraph(ctx, s, func() (func() error, error) {
		progress(StageCores, 0, 0)
		const bytes = 16 // of an edge while its core is in memory
		var err error
		g.Stats.Degeneracy, err = core.SpooledDegeneracy(ctx, g.Spool, g.Simple, g.Vertices, g.Room/bytes)
		if err != nil {
			return nil, SpoolError(s, err)
		}
		g.Simple.Drop()
		return func() error {
			next := headOf(s, &g.Data)
			write := func() error { return SpoolError(s, writeData(ctx, s, next, &g.Data, g, progress)) }
			return replaceGraph(ctx, s, next, nil, write, progress)
		}, nil
	})
}

// SpoolFolder returns where temporary files of a load into a store go: its own folder. It is "" for a store in memory.
func SpoolFolder(s *Store) string {
	if s.inMemory() {
		return ""
	}
	return s.dir
}

// SpoolError gives the error of a temporary file its reason. It returns other errors as they are.
func SpoolError(s *Store, err error) error {
	if e, ok := errors.AsType[*spool.Error](err); ok {
		return wrap(s.dir, "writing temporary files", e)
	}
	return err
}

// runTasksOf are the tasks that encode the relationships of g.
func (w *writer) runTasksOf(g *csr.Spooled) []task {
	var all []task
	for _, run := range g.Runs {
		position := uint64(run.First - g.Rels[run.Type].First)
		all = append(all, task{run.Edges, func(emit emitFunc) error {
			r, err := g.Rows(run)
			if err != nil {
				return err
			}
			return encodeRows(r, position, 0, run.Sources.Len(), func(first uint32, payload []byte) error {
				return emit(adjacencyKey(w.epoch, uint32(run.Type), first), payload)
			})
		}})
	}
	return all
}

// reshape sets the shapes of the types.
func (m *meta) reshape(shapes []csr.RowShape) {
	for i, s := range shapes {
		m.types[i] = typeMeta{s.Lo, s.Offsets, s.Edges}
	}
}
