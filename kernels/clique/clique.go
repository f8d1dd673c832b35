package clique

import (
	"context"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Count returns the number of vertex sets of s that form the clique c. It fails with pattern.ErrOverflow beyond 128 bits, with
// pattern.ErrMemory, or with the context's error.
func Count(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (pattern.Count128, error) {
	if len(c.Sets) == 1 {
		return countSimple(ctx, s, c, env)
	}
	var mu sync.Mutex
	var total pattern.Count128
	err := forEachRoot(ctx, s, c, env, func(l *groupWorker) error {
		n, err := l.count(0, l.k-1, l.quota)
		l.total, err = addTo(l.total, n, err)
		return err
	}, func(l *groupWorker) (err error) {
		mu.Lock()
		defer mu.Unlock()
		total, err = total.Add(l.total)
		return err
	})
	return total, err
}

// List calls emit once for every clique: its vertices grouped as in c.Sets, rising inside a group. The slice is only
// valid during the call. Calls do not overlap. emit returns false to stop; List returns its error.
func List(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env,
	emit func(clique []csr.VertexID) (more bool, err error)) error {
	var mu sync.Mutex
	stopped := false
	err := forEachRoot(ctx, s, c, env, func(l *groupWorker) error {
		return l.list(0, l.k-1, func(clique []csr.VertexID) error {
			mu.Lock()
			defer mu.Unlock()
			if stopped {
				return parallel.ErrStop
			}
			more, err := emit(clique)
			if err == nil && !more {
				stopped, err = true, parallel.ErrStop
			}
			if err == nil {
				l.total, err = l.total.Add(pattern.Count(1))
			}
			return err
		})
	}, func(*groupWorker) error { return nil })
	if err == parallel.ErrStop {
		return nil
	}
	return err
}
