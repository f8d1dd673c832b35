package testgraph

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

func TestBruteBFS(t *testing.T) {
	for _, c := range []struct {
		graph   string
		dir     csr.Direction
		types   csr.TypeSet
		limit   int
		sources []csr.NodeID
		blocked []csr.NodeID
		want    []int32 // by stable id
	}{
		{"0>1 1>2 2>3 3>0 3>3", csr.Out, nil, -1, []csr.NodeID{0}, nil, []int32{0, 1, 2, 3, -1}},
		{"0>1 1>2 2>3 3>0", csr.In, nil, -1, []csr.NodeID{0}, nil, []int32{0, 3, 2, 1, -1}},
		{"0>1 1>2 2>3 3>0", csr.Both, nil, -1, []csr.NodeID{0}, nil, []int32{0, 1, 2, 1, -1}},
		{"0>1 1>2 2>3 3>0", csr.Out, nil, 2, []csr.NodeID{0, 0}, nil, []int32{0, 1, 2, -1, -1}},
		{"0>1 1>2 2>3 3>0", csr.Both, nil, 0, []csr.NodeID{0, 2}, nil, []int32{0, -1, 0, -1, -1}},
		{"0>1 1>2 2>3 3>0", csr.Both, nil, -1, []csr.NodeID{0}, []csr.NodeID{3}, []int32{0, 1, 2, -1, -1}},
		{"0>1 1>2 2>3 3>0", csr.Both, nil, -1, []csr.NodeID{0}, []csr.NodeID{0}, []int32{-1, -1, -1, -1, -1}},
		{"0>1 1>2:S 0>2 2>4:S", csr.Out, csr.TypeSet{1}, -1, []csr.NodeID{1}, nil, []int32{-1, 0, 1, -1, 2}},
	} {
		s := graphOf(t, 5, c.graph)
		q := &pattern.Traversal{Types: c.types, Direction: c.dir, MaxDepth: c.limit,
			Blocked: func(v csr.VertexID) bool { return slices.Contains(c.blocked, s.NodeID(v)) }}
		for _, id := range c.sources {
			v, _ := s.VertexByNodeID(id)
			q.Sources = append(q.Sources, v)
		}
		l, err := Brute{}.BFS(t.Context(), s, q, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int32, 5)
		for v, d := range l.Depth {
			got[s.NodeID(csr.VertexID(v))] = d
			if p := l.Parent[v]; d > 0 && l.Depth[p] != d-1 || d <= 0 && p != csr.NoVertex {
				t.Errorf("%s: parent %d of %d", c.graph, p, v)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.graph, c.dir, got, c.want)
		}
	}
}
