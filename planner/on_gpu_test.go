package planner

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// TestOnGPU checks which complete patterns go to the clique kernel. If a GPU was asked for, those whose nodes ask for different things do not. Those
// of four nodes or fewer do not if several of their nodes are aggregated.
func TestOnGPU(t *testing.T) {
	b := csr.NewBuilder()
	first := b.AddVertices(2, b.Label("A"))
	second := b.AddVertices(2, b.Label("B"))
	b.AddEdge(first, second, b.Type("R"))
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	mixed := "MATCH DIFFERENT NODES (a:A)--(b:A)--(c:B)--(a) RETURN count(*)"
	same := "MATCH DIFFERENT NODES (a:A)--(b:A)--(c:A)--(a) RETURN count(*)"
	four := "MATCH (a)--(b)--(c)--(a), (a)--(d)--(b), (c)--(d) "
	five := "MATCH (a)--(b)--(c)--(a), (a)--(d)--(b), (c)--(d), (a)--(e)--(b), (c)--(e)--(d) "
	for _, x := range []struct {
		query  string
		opt    Options
		clique bool
	}{
		{mixed, Options{}, true},
		{mixed, Options{OnGPU: true}, false},
		{mixed, Options{OnGPU: true, Kernel: pattern.KernelClique}, true},
		{same, Options{OnGPU: true}, true},
		{four + "RETURN count(a)", Options{}, true},
		{four + "RETURN a, b, c, d", Options{}, true},
		{four + "RETURN a, count(*)", Options{}, true},
		{four + "RETURN a, count(*)", Options{OnGPU: true}, false},
		{four + "RETURN a, b, count(*)", Options{}, false},
		{four + "RETURN count(DISTINCT a)", Options{}, false},
		{four + "RETURN a, count(*)", Options{Kernel: pattern.KernelClique}, true},
		{five + "RETURN a, count(*)", Options{}, true},
	} {
		plan, err := planQuery(x.query, s, x.opt)
		if err != nil {
			t.Fatal(err)
		}
		var m *Match
		for list := []Node{plan.Root}; m == nil && len(list) > 0; list = list[0].Inputs() {
			m, _ = list[0].(*Match)
		}
		if m == nil || (m.Clique != nil) != x.clique {
			t.Errorf("%s with %+v: the clique kernel is not %v", x.query, x.opt, x.clique)
		}
	}
}
