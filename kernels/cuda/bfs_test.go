//go:build cuda && cgo && linux

package cuda

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
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
			want, err := kernels.BFS(background, s, q, env())
			if err != nil {
				t.Fatal(err)
			}
			e := without(r, pattern.BFSSwitch, pattern.GPUNarrow, pattern.GPUHubs)
			got, err := d.BFS(background, s, q, e)
			if err != nil {
				t.Fatalf("%s: %+v: %v", name, q, err)
			}
			if !slices.Equal(got.Depth, want.Depth) {
				t.Fatalf("%s: %+v (off: %v):\n got %v\nwant %v", name, q, e.Without, got.Depth, want.Depth)
			}
			checkParents(t, s, q, got)
			taken.TakeOver(e.Tally)
		}
	}
	driven(t, taken, pattern.BFSSwitch, pattern.GPUNarrow, pattern.GPUHubs, pattern.BFSEdges)
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
