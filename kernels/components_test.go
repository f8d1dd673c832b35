package kernels_test

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
	"github.com/motifql/motif/kernels"
)

// far is the distances between all pairs by Floyd and Warshall, from the relationships themselves; -1 where there is no way.
func far(s *csr.Snapshot, types csr.TypeSet, dir csr.Direction, open func(csr.VertexID) bool) [][]int {
	n := int(s.N())
	d := make([][]int, n)
	for v := range n {
		d[v] = slices.Repeat([]int{-1}, n)
		for w := range n {
			switch {
			case !open(csr.VertexID(v)) || !open(csr.VertexID(w)):
			case v == w:
				d[v][w] = 0
			case len(s.Relationships(nil, csr.VertexID(v), csr.VertexID(w), types, dir)) > 0:
				d[v][w] = 1
			}
		}
	}
	for m := range n {
		for v := range n {
			for w := range n {
				if d[v][m] >= 0 && d[m][w] >= 0 && (d[v][w] < 0 || d[v][m]+d[m][w] < d[v][w]) {
					d[v][w] = d[v][m] + d[m][w]
				}
			}
		}
	}
	return d
}

// randomSparse draws graphs of few relationships, so that there are components and long ways.
func randomSparse(t *testing.T, rng *rand.Rand) *csr.Snapshot {
	if rng.IntN(5) == 0 {
		return testgraph.Random(rng.Uint64(), testgraph.Options{})
	}
	n := 1 + rng.IntN(40)
	return randomMulti(t, rng, n, rng.IntN(3*n))
}

// randomMulti draws m relationships of two types, loops and parallel ones among them.
func randomMulti(t *testing.T, rng *rand.Rand, n, m int) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(n)
	types := []csr.TypeID{b.Type("A"), b.Type("B")}
	for range m {
		b.AddEdge(uint32(rng.IntN(n)), uint32(rng.IntN(n)), types[rng.IntN(2)])
	}
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestComponentsRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range 400 {
		s := randomSparse(t, rng)
		r := pattern.ComponentRequest{Types: []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)], Within: someVertices(rng, s), Strong: i%2 == 0}
		want := componentsBy(s, &r)
		brute, err := testgraph.Brute{}.Components(t.Context(), s, &r, &pattern.Env{})
		if err != nil || !slices.Equal(brute.Of, want.Of) || !slices.Equal(brute.Size, want.Size) {
			t.Fatalf("seed %d, graph %d: brute force finds %v, %v; want %v", seed, i, brute, err, want)
		}
		for workers := range 4 {
			got, err := kernels.Components(t.Context(), s, &r, &pattern.Env{Workers: workers})
			if err != nil || !slices.Equal(got.Of, want.Of) || !slices.Equal(got.Size, want.Size) {
				t.Fatalf("seed %d, graph %d, %d workers, %+v: %v, %v; want %v", seed, i, workers, r, got, err, want)
			}
		}
	}
}

// componentsBy groups vertices with ways to each other.
func componentsBy(s *csr.Snapshot, r *pattern.ComponentRequest) *pattern.Components {
	dir := csr.Both
	if r.Strong {
		dir = csr.Out
	}
	d := far(s, r.Types, dir, func(v csr.VertexID) bool { return inSet(r.Within, v) })
	c := &pattern.Components{Of: slices.Repeat([]uint32{pattern.NoComponent}, len(d))}
	for v := range d {
		if d[v][v] < 0 || c.Of[v] != pattern.NoComponent {
			continue
		}
		c.Size = append(c.Size, 0)
		for w := range d {
			if d[v][w] >= 0 && d[w][v] >= 0 {
				c.Of[w] = uint32(len(c.Size)) - 1
				c.Size[c.Of[w]]++
			}
		}
	}
	return c
}

// TestComponentsLarger has shapes that are deep for a recursion, or wide enough for several workers.
func TestComponentsLarger(t *testing.T) {
	const n = 200_000
	ring := func(yield func(uint32, uint32) bool) {
		for v := range uint32(n) {
			if !yield(v, (v+1)%n) {
				return
			}
		}
	}
	line := func(yield func(uint32, uint32) bool) {
		for v := range uint32(n - 1) {
			if !yield(v, v+1) {
				return
			}
		}
	}
	for _, c := range []struct {
		name              string
		s                 *csr.Snapshot
		strong            bool
		count, largestOne uint32
	}{
		{"ring", testgraph.Graph(n, ring, false), true, 1, n},
		{"line", testgraph.Graph(n, line, false), true, n, 1},
		{"line", testgraph.Graph(n, line, false), false, 1, n},
		{"cliques", testgraph.Graph(500*41+10, testgraph.Cliques(500, 41), true), false, 510, 41},
	} {
		for _, workers := range []int{1, 3} {
			tally := new(pattern.Tally)
			got, err := kernels.Components(t.Context(), c.s, &pattern.ComponentRequest{Strong: c.strong}, &pattern.Env{Workers: workers, Tally: tally})
			if err != nil || len(got.Size) != int(c.count) || got.Largest() != c.largestOne {
				t.Errorf("%s, %d workers: %d components up to %d, %v; want %d up to %d", c.name, workers, len(got.Size), got.Largest(), err, c.count, c.largestOne)
			}
			if done, all := tally.UnitsDone.Load(), tally.Units.Load(); done != all || all == 0 {
				t.Errorf("%s: %d of %d units done", c.name, done, all)
			}
		}
	}
}

func TestPathsAndDiametersRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 8))
	for i := range 400 {
		s := randomSparse(t, rng)
		r := pattern.PathRequest{Types: []csr.TypeSet{nil, nil, {0}, {}}[rng.IntN(4)], Direction: csr.Direction(rng.IntN(3)), Within: someVertices(rng, s), MaxDepth: -1}
		if rng.IntN(3) == 0 {
			r.MaxDepth = rng.IntN(6)
		}
		name := fmt.Sprintf("seed %d, graph %d, %v", seed, i, r.Direction)
		d := far(s, r.Types, r.Direction, func(v csr.VertexID) bool { return inSet(r.Within, v) })
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
		d = far(s, r.Types, r.Direction, func(v csr.VertexID) bool { return inSet(r.Within, v) && open(v) })
		for range 20 {
			r.From, r.To = csr.VertexID(rng.Uint64N(s.N())), csr.VertexID(rng.Uint64N(s.N()))
			want := d[r.From][r.To]
			if r.MaxDepth >= 0 && want > r.MaxDepth {
				want = -1
			}
			for _, find := range []func(context.Context, *csr.Snapshot, *pattern.PathRequest, *pattern.Env) ([]csr.VertexID, error){
				kernels.ShortestPath, testgraph.Brute{}.ShortestPath,
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
		if !inSet(r.Within, v) || r.Blocked != nil && r.Blocked(v) {
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
		kernels.Diameter, testgraph.Brute{}.Diameter,
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
			_, err := kernels.Components(ctx, s, &pattern.ComponentRequest{}, env)
			return err
		},
		"strong": func(ctx context.Context, env *pattern.Env) error {
			_, err := kernels.Components(ctx, s, &pattern.ComponentRequest{Strong: true}, env)
			return err
		},
		"path": func(ctx context.Context, env *pattern.Env) error {
			_, err := kernels.ShortestPath(ctx, s, &pattern.PathRequest{From: 0, To: 1000, Direction: csr.Both, MaxDepth: -1}, env)
			return err
		},
		"diameter": func(ctx context.Context, env *pattern.Env) error {
			_, err := kernels.Diameter(ctx, s, &pattern.DiameterRequest{Direction: csr.Both}, env)
			return err
		},
		"directed diameter": func(ctx context.Context, env *pattern.Env) error {
			_, err := kernels.Diameter(ctx, s, &pattern.DiameterRequest{}, env)
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
		if _, err := kernels.ShortestPath(t.Context(), s, &r, &pattern.Env{}); err == nil {
			t.Errorf("a path by a vertex past the last was looked for: %v", r)
		}
	}
}
