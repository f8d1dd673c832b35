//go:build cuda && cgo && linux

package cuda

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
)

// Depths are the CPU's, and parents lie one level nearer.
func TestBFS(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		if s.N() == 0 {
			continue
		}
		for i := range 4 {
			q := &pattern.Traversal{Direction: csr.Direction(r.IntN(3)), MaxDepth: r.IntN(8) - 2, Within: someVertices(r, s),
				Variant: pattern.Variant(r.IntN(5))}
			for range 1 + r.IntN(3) {
				q.Sources = append(q.Sources, csr.VertexID(r.Uint64N(s.N())))
			}
			if r.IntN(4) == 0 {
				q.Blocked = func(v csr.VertexID) bool { return v%5 == 3 }
			}
			if i == 0 { // all of the graph, level by level
				q.Sources, q.Direction, q.MaxDepth, q.Within, q.Variant = []csr.VertexID{0}, csr.Both, -1, nil, pattern.Push
			}
			want, err := bfs.Search(background, s, q, env())
			if err != nil {
				t.Fatal(err)
			}
			e := without(r, bfsTechniques...)
			d.bfs = bfsLimits{[]uint64{3, 20, 40}[r.IntN(3)], []int{1, 48}[r.IntN(2)], 64, 0}
			if i == 0 { // rows of any length in one block
				e = env()
				e.Without = e.Without.With(pattern.GPUHubs).With(pattern.GPUBlocks)
			}
			got, err := d.BFS(background, s, q, e)
			if err != nil {
				t.Fatalf("%s: %+v: %v", name, q, err)
			}
			if !slices.Equal(got.Depth, want.Depth) {
				t.Fatalf("%s: %+v (off: %v):\n got %v\nwant %v", name, q, e.Without, got.Depth, want.Depth)
			}
			checkParents(t, s, q, got)
			checkParts(t, d, s, *q, want)
			taken.TakeOver(e.Tally)
		}
	}
	driven(t, taken, append(bfsTechniques, pattern.BFSEdges)...)
}

var bfsTechniques = []pattern.Technique{pattern.BFSSwitch, pattern.BFSEarly, pattern.BFSPrivate, pattern.GPUNarrow, pattern.GPUHubs,
	pattern.GPUBlocks, pattern.GPULevels, pattern.GPUTogether}

// Long ways: more levels than a byte can say and than there are slots on the device, in one block and level by level; a
// maze, around whose walls the search has to go; and more ways than one block has room for.
func TestLongWays(t *testing.T) {
	d, r := device(t), seeds(t)
	const side, length = 15, 270
	path := testgraph.Graph(length, pairs(length-1, func(i uint32) (uint32, uint32) { return i, i + 1 }), true)
	grid := testgraph.Graph(side*side, pairs(2*side*(side-1), func(i uint32) (uint32, uint32) {
		a, b := i/2/(side-1), i/2%(side-1)
		if i%2 == 0 {
			return a*side + b, a*side + b + 1
		}
		return b*side + a, b*side + a + side
	}), true)
	broom := testgraph.Graph(2061, pairs(2060, func(i uint32) (uint32, uint32) { // 1,030 ways of two steps
		if i < 1030 {
			return 0, 1 + i
		}
		return i - 1029, 1 + i
	}), true)
	wall := make([]bool, side*side)
	for i := range wall {
		x, y := i%side, i/side
		wall[i] = x%4 == 2 && y != (x%8/4)*(side-1) // one gap in each, above and below by turns
	}
	d.hubDegree, d.bfs.row = 2000, 2000
	for _, q := range []struct {
		s      *csr.Snapshot
		narrow bool
		t      pattern.Traversal
	}{
		{path, true, pattern.Traversal{MaxDepth: -1}},
		{path, false, pattern.Traversal{MaxDepth: -1}},
		{path, r.IntN(2) > 0, pattern.Traversal{MaxDepth: 40}},
		{broom, true, pattern.Traversal{MaxDepth: -1, Variant: pattern.Push}}, // a pull does not miss what a queue lacks
		{grid, false, pattern.Traversal{MaxDepth: -1, Blocked: func(v csr.VertexID) bool { return wall[grid.NodeID(v)] }}},
	} {
		q.t.Direction, q.t.Sources = csr.Both, []csr.VertexID{0}
		if q.t.Variant == pattern.Auto && r.IntN(2) == 0 {
			q.t.Variant = pattern.Push
		}
		want, err := bfs.Search(background, q.s, &q.t, env())
		if err != nil {
			t.Fatal(err)
		}
		e := env()
		if !q.narrow {
			e.Without = e.Without.With(pattern.GPUNarrow)
		}
		if q.narrow || r.IntN(2) == 0 {
			e.Without = e.Without.With(pattern.GPUTogether)
		}
		got, err := d.BFS(background, q.s, &q.t, e)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Depth, want.Depth) {
			t.Fatalf("to depth %d, in one block: %v:\n got %v\nwant %v", q.t.MaxDepth, q.narrow, got.Depth, want.Depth)
		}
		checkParents(t, q.s, &q.t, got)
		checkParts(t, d, q.s, q.t, want)
	}
}

// checkParts compares the answers of which parts are read alone.
func checkParts(t *testing.T, d *Device, s *csr.Snapshot, q pattern.Traversal, want *pattern.Levels) {
	t.Helper()
	q.Read = pattern.ReadDepths
	got, err := d.BFS(background, s, &q, env())
	if err != nil || got.Parent != nil || !slices.Equal(got.Depth, want.Depth) {
		t.Fatalf("%+v, depths alone: %v, %v, want %v", q, got, err, want.Depth)
	}
	q.Read = pattern.ReadSizes
	if got, err = d.BFS(background, s, &q, env()); err != nil {
		t.Fatal(err)
	}
	sizes := got.SizesOf()
	for len(sizes) > 0 && sizes[len(sizes)-1] == 0 {
		sizes = sizes[:len(sizes)-1]
	}
	if deep := len(want.SizesOf()) >= bfsSizes; (got.Depth != nil) != deep || !slices.Equal(sizes, want.SizesOf()) {
		t.Fatalf("%+v, sizes alone: %v, want %v", q, sizes, want.SizesOf())
	}
}

func checkParents(t *testing.T, s *csr.Snapshot, q *pattern.Traversal, l *pattern.Levels) {
	t.Helper()
	for v, depth := range l.Depth {
		p := l.Parent[v]
		if depth <= 0 {
			if p != csr.NoVertex {
				t.Fatalf("vertex %d at depth %d has the parent %d", v, depth, p)
			}
			continue
		}
		if uint64(p) >= s.N() || l.Depth[p] != depth-1 || len(s.Relationships(nil, p, csr.VertexID(v), q.Types, q.Direction)) == 0 {
			t.Fatalf("vertex %d at depth %d has the parent %d", v, depth, p)
		}
	}
}
