package testgraph

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

func collect(edges func(func(uint32, uint32) bool)) (all [][2]uint32) {
	for u, v := range edges {
		all = append(all, [2]uint32{u, v})
	}
	return all
}

func TestRMAT(t *testing.T) {
	a, b, c := collect(RMAT(12, 8, 1)), collect(RMAT(12, 8, 1)), collect(RMAT(12, 8, 2))
	if len(a) != 8<<12 || !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Fatal("not deterministic by seed")
	}
	// A vertex whose number has k one bits in its scale is a source with probability 0.76^(scale-k) 0.24^k.
	low, zero := 0, 0
	for _, e := range a {
		if e[0] >= 1<<12 || e[1] >= 1<<12 {
			t.Fatalf("vertex out of range: %v", e)
		}
		if e[0] < 1<<11 {
			low++
		}
		if e[0] < 1<<11 && e[1] < 1<<11 {
			zero++
		}
	}
	if f := float64(low) / float64(len(a)); f < 0.75 || f > 0.77 {
		t.Errorf("lower half of the sources has %.3f, want 0.76", f)
	}
	if f := float64(zero) / float64(len(a)); f < 0.56 || f > 0.58 {
		t.Errorf("first quadrant has %.3f, want 0.57", f)
	}
	for range RMAT(12, 8, 1) {
		break
	}
}

func TestER(t *testing.T) {
	for _, c := range []struct {
		n       uint32
		m, want uint64
	}{{0, 5, 0}, {1, 5, 0}, {10, 7, 7}, {10, 45, 45}, {10, 100, 45}, {5000, 10_000, 10_000}} {
		all := collect(ER(c.n, c.m, 3))
		seen := map[[2]uint32]bool{}
		for _, e := range all {
			if e[0] >= e[1] || e[1] >= c.n || seen[e] {
				t.Fatalf("ER(%d, %d): bad pair %v", c.n, c.m, e)
			}
			seen[e] = true
		}
		if uint64(len(all)) != c.want {
			t.Errorf("ER(%d, %d): %d pairs, want %d", c.n, c.m, len(all), c.want)
		}
	}
	for k, want := range [][2]uint32{{0, 1}, {0, 2}, {1, 2}, {0, 3}} {
		if u, v := pair(uint64(k)); u != want[0] || v != want[1] {
			t.Errorf("pair(%d) = %d, %d", k, u, v)
		}
	}
	last := uint64(1<<32-1) * (1<<32 - 2) / 2
	if u, v := pair(last - 1); u != 1<<32-3 || v != 1<<32-2 {
		t.Errorf("last pair is %d, %d", u, v)
	}
}

func TestGridAndCliques(t *testing.T) {
	if got := len(collect(Grid(4, 3))); got != 3*3+4*2 {
		t.Errorf("4 x 3 grid has %d edges", got)
	}
	s := Graph(12, Grid(4, 3), true)
	if corners := degrees(s)[2]; corners != 4 {
		t.Errorf("%d vertices of degree 2", corners)
	}
	s = Graph(11, Cliques(3, 3, 5), true)
	if got := degrees(s); got[2] != 6 || got[4] != 5 {
		t.Errorf("degrees %v", got)
	}
	for range Cliques(1, 5) {
		break
	}
	for range Grid(3, 3) {
		break
	}
}

func degrees(s *csr.Snapshot) map[int]int {
	a, count := s.Adjacency(nil, csr.Both), map[int]int{}
	for v := range csr.VertexID(s.N()) {
		count[a.Degree(v)]++
	}
	return count
}

func TestRandomGraphs(t *testing.T) {
	var loops, parallel, reciprocal, several, sparse bool
	for seed := range uint64(100) {
		s := Random(seed, Options{})
		again := Random(seed, Options{})
		if s.N() != again.N() || s.M() != again.M() || !slices.Equal(s.NodeIDs, again.NodeIDs) {
			t.Fatalf("seed %d is not deterministic", seed)
		}
		for _, st := range s.Stats.Types {
			loops, parallel, reciprocal = loops || st.Loops > 0, parallel || st.Parallel, reciprocal || st.Reciprocal
		}
		for _, c := range s.Classes {
			several = several || len(c.Labels) > 1
		}
		sparse = sparse || !slices.IsSorted(s.NodeIDs) && !slices.IsSorted(s.RelIDs)
		if simple := Random(seed, Options{Simple: true, Vertices: 9, Edges: 20}); !simple.Stats.SimpleUnion(nil) {
			t.Fatalf("seed %d is not simple", seed)
		}
	}
	if !loops || !parallel || !reciprocal || !several || !sparse {
		t.Errorf("loops %t, parallel %t, reciprocal %t, several labels %t, sparse ids %t", loops, parallel, reciprocal, several, sparse)
	}
}

// TestChangedIsTheSame compares what changes have left with what was there before, by counts over labels, types and
// properties.
func TestChangedIsTheSame(t *testing.T) {
	overlays := 0
	for seed := range uint64(200) {
		s := Random(seed, Options{Flat: true, Simple: seed%2 == 0})
		c := Changed(seed, s, seed%2 == 0)
		if got, want := shapeOf(c), shapeOf(s); !maps.Equal(got, want) || c.Stats.SimpleUnion(nil) != s.Stats.SimpleUnion(nil) && seed%2 == 0 {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		if !c.Flat() {
			overlays++
		}
	}
	if overlays < 150 {
		t.Errorf("%d overlays", overlays)
	}
}

func shapeOf(s *csr.Snapshot) map[string]int {
	shape := map[string]int{}
	at := func(v csr.VertexID) string {
		name := fmt.Sprint(s.LabelsOf(v), s.Adjacency(nil, csr.Both).Degree(v))
		for k := range s.Keys.Names() {
			name += fmt.Sprint(s.VertexProp(v, csr.KeyID(k)))
		}
		return name
	}
	for v := range csr.VertexID(s.N()) {
		shape[at(v)]++
	}
	for e := range s.AllEdges() {
		src, dst := s.Endpoints(e)
		name := fmt.Sprint(at(src), s.TypeOf(e), at(dst), src == dst)
		for k := range s.Keys.Names() {
			name += fmt.Sprint(s.EdgeProp(e, csr.KeyID(k)))
		}
		shape[name]++
	}
	return shape
}
