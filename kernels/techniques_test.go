package kernels_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/components"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/diameter"
	"github.com/motifql/motif/kernels/internal/kerneltest"
	"github.com/motifql/motif/kernels/truss"
)

// coresBy decomposes in one way, and walks the order.
func coresBy(v pattern.CoreVariant) func(*testing.T, *csr.Snapshot, *pattern.Env) any {
	return func(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
		r := &pattern.CoreRequest{Direction: csr.Both, Variant: v, Order: true}
		c, err := core.Decompose(t.Context(), s, r, env)
		if err == nil {
			err = kerneltest.CheckOrder(s, r, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c.Core
	}
}

func trussesBy(k uint32) func(*testing.T, *csr.Snapshot, *pattern.Env) any {
	return func(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
		r, err := truss.Decompose(t.Context(), s, &pattern.TrussRequest{K: k}, env)
		if err != nil {
			t.Fatal(err)
		}
		return kerneltest.TrussByEdge(t, r)
	}
}

func searchBy(v pattern.Variant) func(*testing.T, *csr.Snapshot, *pattern.Env) any {
	return func(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
		q := &pattern.Traversal{Sources: []csr.VertexID{csr.VertexID(s.N() / 2)}, Direction: csr.Both, MaxDepth: -1, Variant: v}
		l, err := bfs.Search(t.Context(), s, q, env)
		if err != nil {
			t.Fatal(err)
		}
		return l.Depth
	}
}

// TestTechniques drives the counter of every technique of cores, trusses and searches above zero, and finds the same
// answer without it, when the counter stays at zero.
func TestTechniques(t *testing.T) {
	rmat := testgraph.Graph(1<<12, testgraph.Undirected(testgraph.RMAT(12, 16, 1)), true)
	star := testgraph.Graph(40_001, func(yield func(uint32, uint32) bool) {
		for v := uint32(1); v <= 40_000 && yield(0, v); v++ {
		}
	}, false)
	grid := testgraph.Graph(60*50, testgraph.Grid(60, 50), true)
	cliques := testgraph.Graph(3000+10*31, testgraph.Cliques(10, 31), true)
	for _, c := range []struct {
		m       pattern.Technique
		s       *csr.Snapshot
		run     func(*testing.T, *csr.Snapshot, *pattern.Env) any
		without []pattern.Technique // what would be in the way
	}{
		{m: pattern.CoreSkip, s: cliques, run: coresBy(pattern.CorePark)},
		{m: pattern.CoreSkip, s: cliques, run: coresBy(pattern.CoreRL)},
		{m: pattern.CoreShrink, s: rmat, run: coresBy(pattern.CorePark)},
		{m: pattern.CoreAlone, s: rmat, run: coresBy(pattern.CorePark)},
		{m: pattern.CoreBuffers, s: rmat, run: coresBy(pattern.CorePark), without: []pattern.Technique{pattern.CoreAlone}},
		{m: pattern.CoreFlags, s: rmat, run: coresBy(pattern.CoreRL)},
		{m: pattern.CoreActivate, s: rmat, run: coresBy(pattern.CoreES)},

		{m: pattern.TrussCore, s: rmat, run: trussesBy(8)},
		{m: pattern.TrussBound, s: rmat, run: trussesBy(pattern.KMax)},
		{m: pattern.TrussRecount, s: rmat, run: trussesBy(12)},
		{m: pattern.TrussLevels, s: cliques, run: trussesBy(0)},
		{m: pattern.TrussZero, s: rmat, run: trussesBy(0)},
		{m: pattern.TrussLast, s: cliques, run: trussesBy(0)},
		{m: pattern.TrussEarly, s: rmat, run: trussesBy(0)},
		{m: pattern.TrussMarks, s: rmat, run: trussesBy(0)},
		{m: pattern.TrussGallop, s: rmat, run: trussesBy(0)},
		{m: pattern.TrussRestore, s: rmat, run: trussesBy(0)},
		{m: pattern.TrussBuffers, s: rmat, run: trussesBy(0)},
		{m: pattern.TrussCompact, s: rmat, run: trussesBy(0)},

		{m: pattern.BFSSwitch, s: rmat, run: searchBy(pattern.Switching)},
		{m: pattern.BFSEarly, s: rmat, run: searchBy(pattern.Pull)},
		{m: pattern.BFSPrivate, s: rmat, run: searchBy(pattern.Push)},
		{m: pattern.BFSAlone, s: grid, run: searchBy(pattern.Push)},
		{m: pattern.BFSRows, s: star, run: searchBy(pattern.Push)},
		{m: pattern.BFSEdges, s: rmat, run: searchBy(pattern.EdgeCentric)},
		{m: pattern.BFSMask, s: grid, run: depthsFromMany},
		{m: pattern.BFSMask, s: grid, run: diameterBy(csr.Both)},
		{m: pattern.PathEnds, s: rmat, run: pathLengths},
		{m: pattern.ComponentFirst, s: rmat, run: componentsOf},
		{m: pattern.DiameterBound, s: rmat, run: diameterBy(csr.Both)},
	} {
		for _, workers := range []int{1, 3} {
			name := fmt.Sprintf("%v with %d workers", c.m, workers)
			on := &pattern.Env{Workers: workers, Tally: new(pattern.Tally)}
			for _, m := range c.without {
				on.Without = on.Without.With(m)
			}
			off := &pattern.Env{Workers: workers, Tally: new(pattern.Tally), Without: on.Without.With(c.m)}
			want, got := c.run(t, c.s, on), c.run(t, c.s, off)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: other answers without it", name)
			}
			for m := range pattern.AllTechniques() {
				if n := off.Tally.Taken[m].Load(); n > 0 && !off.Uses(m) {
					t.Errorf("%s: %v counted %d when off", name, m, n)
				}
			}
			alone := slices.Contains([]pattern.Technique{pattern.CoreAlone, pattern.CoreBuffers, pattern.BFSAlone, pattern.ComponentFirst}, c.m)
			if on.Tally.Taken[c.m].Load() == 0 && (workers > 1 || !alone) {
				t.Errorf("%s: counted nothing", name)
			}
		}
	}
}

func depthsFromMany(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
	q := &pattern.Traversal{Direction: csr.Both, MaxDepth: -1}
	for v := csr.VertexID(0); v < 100; v++ {
		q.Sources = append(q.Sources, 7*v)
	}
	d, err := bfs.Depths(t.Context(), s, q, env)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func diameterBy(dir csr.Direction) func(*testing.T, *csr.Snapshot, *pattern.Env) any {
	return func(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
		d, err := diameter.Exact(t.Context(), s, &pattern.DiameterRequest{Direction: dir}, env)
		if err != nil {
			t.Fatal(err)
		}
		return d.Length
	}
}

func pathLengths(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
	var lengths []int
	for v := csr.VertexID(0); v < 50; v++ {
		p, err := bfs.ShortestPath(t.Context(), s, &pattern.PathRequest{From: v, To: csr.VertexID(s.N()/2) + v, Direction: csr.Both, MaxDepth: -1}, env)
		if err != nil {
			t.Fatal(err)
		}
		lengths = append(lengths, len(p))
	}
	return lengths
}

func componentsOf(t *testing.T, s *csr.Snapshot, env *pattern.Env) any {
	c, err := components.Find(t.Context(), s, &pattern.ComponentRequest{}, env)
	if err != nil {
		t.Fatal(err)
	}
	return *c
}
