package diameter_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/diameter"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

func TestPathsAndDiametersRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 8))
	for i := range 400 {
		s := kerneltest.RandomSparse(t, rng)
		r := pattern.PathRequest{Types: []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)], Direction: csr.Direction(rng.IntN(3)), Within: kerneltest.SomeVertices(rng, s), MaxDepth: -1}
		if rng.IntN(3) == 0 {
			r.MaxDepth = rng.IntN(6)
		}
		name := fmt.Sprintf("seed %d, graph %d, %v", seed, i, r.Direction)
		d := kerneltest.Distances(s, r.Types, r.Direction, func(v csr.VertexID) bool { return kerneltest.InSet(r.Within, v) })
		checkDiameter(t, name, s, &pattern.DiameterRequest{Types: r.Types, Direction: r.Direction, Within: r.Within}, d)
		open := func(csr.VertexID) bool { return true }
		if rng.IntN(2) == 0 {
			shut := make([]bool, s.N())
			for v := range shut {
				shut[v] = rng.IntN(6) == 0
			}
			r.Blocked = func(v csr.VertexID) bool { return shut[v] }
			open = func(v csr.VertexID) bool { return !shut[v] }
		}
		d = kerneltest.Distances(s, r.Types, r.Direction, func(v csr.VertexID) bool { return kerneltest.InSet(r.Within, v) && open(v) })
		for range 20 {
			r.From, r.To = csr.VertexID(rng.Uint64N(s.N())), csr.VertexID(rng.Uint64N(s.N()))
			want := d[r.From][r.To]
			if r.MaxDepth >= 0 && want > r.MaxDepth {
				want = -1
			}
			for _, find := range []func(context.Context, *csr.Snapshot, *pattern.PathRequest, *pattern.Env) ([]csr.VertexID, error){
				bfs.ShortestPath, testgraph.Brute{}.ShortestPath,
			} {
				path, err := find(t.Context(), s, &r, &pattern.Env{})
				if err == nil {
					err = checkPath(s, &r, path, want)
				}
				if err != nil {
					t.Fatalf("%s: from %d to %d in %d: %v", name, r.From, r.To, r.MaxDepth, err)
				}
			}
		}
	}
}

func checkPath(s *csr.Snapshot, r *pattern.PathRequest, path []csr.VertexID, length int) error {
	if len(path) != length+1 {
		return fmt.Errorf("path %v, want length %d", path, length)
	}
	for i, v := range path {
		if !kerneltest.InSet(r.Within, v) || r.Blocked != nil && r.Blocked(v) {
			return fmt.Errorf("path %v by way of %d", path, v)
		}
		if i > 0 && len(s.Relationships(nil, path[i-1], v, r.Types, r.Direction)) == 0 {
			return fmt.Errorf("path %v jumps to %d", path, v)
		}
	}
	if length >= 0 && (path[0] != r.From || path[length] != r.To) {
		return fmt.Errorf("path %v", path)
	}
	return nil
}

func checkDiameter(t *testing.T, name string, s *csr.Snapshot, r *pattern.DiameterRequest, d [][]int) {
	t.Helper()
	most, any := 0, false
	for v := range d {
		any = any || d[v][v] == 0
		most = max(most, slices.Max(d[v]))
	}
	for _, find := range []func(context.Context, *csr.Snapshot, *pattern.DiameterRequest, *pattern.Env) (*pattern.Diameter, error){
		diameter.Exact, testgraph.Brute{}.Diameter,
	} {
		got, err := find(t.Context(), s, r, &pattern.Env{Workers: 2})
		if err != nil || got.Length != int32(most) {
			t.Fatalf("%s: diameter %v, %v, want %d", name, got, err, most)
		}
		if !any {
			if got.From != csr.NoVertex || got.To != csr.NoVertex {
				t.Fatalf("%s: %v without vertices", name, got)
			}
			continue
		}
		if d[got.From][got.To] != most {
			t.Fatalf("%s: from %d to %d it is %d, not %d", name, got.From, got.To, d[got.From][got.To], most)
		}
	}
}

// TestWaysLimits tests cancellation, memory and bad input of the searches in this file.
func TestWaysLimits(t *testing.T) {
	s := testgraph.Graph(1<<11, testgraph.RMAT(11, 16, 1), false)
	for name, run := range map[string]func(context.Context, *pattern.Env) error{
		"weak": func(ctx context.Context, env *pattern.Env) error {
			_, err := components.Find(ctx, s, &pattern.ComponentRequest{}, env)
			return err
		},
		"strong": func(ctx context.Context, env *pattern.Env) error {
			_, err := components.Find(ctx, s, &pattern.ComponentRequest{Strong: true}, env)
			return err
		},
		"path": func(ctx context.Context, env *pattern.Env) error {
			_, err := bfs.ShortestPath(ctx, s, &pattern.PathRequest{From: 0, To: 1000, Direction: csr.Both, MaxDepth: -1}, env)
			return err
		},
		"diameter": func(ctx context.Context, env *pattern.Env) error {
			_, err := diameter.Exact(ctx, s, &pattern.DiameterRequest{Direction: csr.Both}, env)
			return err
		},
		"directed diameter": func(ctx context.Context, env *pattern.Env) error {
			_, err := diameter.Exact(ctx, s, &pattern.DiameterRequest{}, env)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		small, enough := &pattern.Memory{Limit: 1000}, new(pattern.Memory)
		if err := run(ctx, &pattern.Env{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
		if err := run(t.Context(), &pattern.Env{Memory: small}); !errors.Is(err, pattern.ErrMemory) {
			t.Errorf("%s, 1000 bytes: %v", name, err)
		}
		if err := run(t.Context(), &pattern.Env{Memory: enough}); err != nil || enough.Peak() == 0 {
			t.Errorf("%s: %v, peak %d", name, err, enough.Peak())
		}
		if small.Used() != 0 || enough.Used() != 0 {
			t.Errorf("%s: %d and %d bytes not given back", name, small.Used(), enough.Used())
		}
	}
	for _, r := range []pattern.PathRequest{{From: csr.VertexID(s.N())}, {To: csr.VertexID(s.N())}} {
		if _, err := bfs.ShortestPath(t.Context(), s, &r, &pattern.Env{}); err == nil {
			t.Errorf("a path by a vertex past the last was looked for: %v", r)
		}
	}
}
