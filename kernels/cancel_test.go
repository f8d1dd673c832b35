package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/diameter"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
)

// TestCancelled cancels every kernel of cores, trusses, triangles and searches a few milliseconds after its start on a graph of half a
// million edges, where most take from a tenth of a second to many: it returns the error soon, or has been done before.
// Kernels poll every few hundred microseconds; the bound of one second is for machines where this
// test gets a small part of a processor. Memory is given back either way.
func TestCancelled(t *testing.T) {
	s := kerneltest.Kron(15)
	runs := map[string]func(ctx context.Context, env *pattern.Env) error{
		"bfs many": func(ctx context.Context, env *pattern.Env) error {
			q := &pattern.Traversal{Direction: csr.Both, MaxDepth: -1}
			for v := range csr.VertexID(500) {
				q.Sources = append(q.Sources, v)
			}
			d, err := bfs.Depths(ctx, s, q, env)
			if err == nil {
				env.Memory.Release(4 * int64(s.N()) * int64(len(d)))
			}
			return err
		},
		"weak": func(ctx context.Context, env *pattern.Env) error {
			_, err := components.Find(ctx, s, &pattern.ComponentRequest{}, env)
			return err
		},
		"strong": func(ctx context.Context, env *pattern.Env) error {
			_, err := components.Find(ctx, s, &pattern.ComponentRequest{Strong: true}, env)
			return err
		},
		"triangles": func(ctx context.Context, env *pattern.Env) error {
			_, _, err := triangle.Count(ctx, s, nil, true, env)
			return err
		},
		"path": func(ctx context.Context, env *pattern.Env) error {
			_, err := bfs.ShortestPath(ctx, s, &pattern.PathRequest{From: 0, To: csr.VertexID(s.N()) - 1, Direction: csr.Both, MaxDepth: -1}, env)
			return err
		},
	}
	for _, v := range kerneltest.CoreVariants {
		runs["cores "+v.String()] = func(ctx context.Context, env *pattern.Env) error {
			_, err := core.Decompose(ctx, s, &pattern.CoreRequest{Direction: csr.Both, Variant: v, Order: true}, env)
			return err
		}
	}
	for _, k := range []uint32{0, 20, pattern.KMax} {
		runs[fmt.Sprintf("truss %d", int32(k))] = func(ctx context.Context, env *pattern.Env) error {
			_, err := truss.Decompose(ctx, s, &pattern.TrussRequest{K: k}, env)
			return err
		}
	}
	for _, v := range []pattern.Variant{pattern.Push, pattern.Pull, pattern.Switching, pattern.EdgeCentric} {
		runs["bfs "+v.String()] = func(ctx context.Context, env *pattern.Env) error {
			q := &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1, Variant: v}
			_, err := bfs.Search(ctx, s, q, env)
			return err
		}
	}
	for _, dir := range []csr.Direction{csr.Out, csr.Both} {
		runs["diameter "+dir.String()] = func(ctx context.Context, env *pattern.Env) error {
			_, err := diameter.Exact(ctx, s, &pattern.DiameterRequest{Direction: dir}, env)
			return err
		}
	}
	ended := 0
	for name, run := range runs {
		for _, workers := range []int{1, 2} {
			for _, wait := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond} {
				ctx, cancel := context.WithCancel(t.Context())
				env := &pattern.Env{Workers: workers, Memory: new(pattern.Memory), Tally: new(pattern.Tally)}
				var at time.Time
				timer := time.AfterFunc(wait, func() { at = time.Now(); cancel() })
				err := run(ctx, env)
				late := time.Now()
				timer.Stop()
				switch {
				case errors.Is(err, context.Canceled):
					ended++
					if took := late.Sub(at); took > 5*time.Second { // the aim is 0.1 s; under the race detector a busy machine takes ten times that
						t.Errorf("%s with %d workers: returned %v after it was cancelled", name, workers, took)
					}
				case err != nil:
					t.Errorf("%s: %v", name, err)
				}
				if env.Memory.Used() != 0 {
					t.Errorf("%s: %d bytes not given back", name, env.Memory.Used())
				}
				if done, all := env.Tally.UnitsDone.Load(), env.Tally.Units.Load(); done > all {
					t.Errorf("%s: %d of %d units done", name, done, all)
				}
				cancel()
			}
		}
	}
	if ended < len(runs) {
		t.Errorf("only %d runs were cancelled before they were done", ended)
	}
}
