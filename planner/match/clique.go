package match

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// CliqueRoute says how a pattern maps onto the clique kernel.
type CliqueRoute struct {
	Groups [][]int // query vertices with the same candidates, in order of first appearance
	// Factor is how many matches each clique stands for: the product of the groups' factorials, or 1 in a
	// Distinct scope.
	Factor uint64
	// Ordered says that every permutation inside the groups is a match of its own. In a Distinct scope only the one
	// with the smallest stable ids in the scope's order is.
	Ordered bool
}

// RouteClique decides whether the clique kernel may answer p, a complete pattern such as IS_CLIQUE makes. It says why or why not;
// a nil route is a no, without a reason where the pattern is not complete. internal/exec/match_clique.go calls the kernel.
// needEdges says that the query reads relationships. k may rule the kernel out, or want it wherever it gives the same matches.
//
// The kernel sees one undirected adjacency over a set of types, without loops and multiplicities. It may stand in for
// a pattern whose every two vertices are joined by exactly one undirected edge of those types if each clique of
// the graph is as many matches as the kernel is told:
//
//   - AtLeastOne edges ask for adjacency between different nodes and no more, so that matches are cliques whatever
//     the mode;
//   - edges that bind a relationship do too where at most one relationship of the types joins any two nodes and
//     there are no loops: adjacent nodes differ, so that even REPEATABLE ELEMENTS finds different nodes, which
//     makes the relationships differ; and nothing of these types is left over for INDUCED to forbid.
//
// Vertices that ask for the same share a group. A clique is one match for every way to hand its vertices out inside
// the groups, if the groups' candidates are disjoint, and one in all under DISTINCT.
func RouteClique(p *pattern.Pattern, needEdges bool, s *csr.Snapshot, k pattern.KernelChoice) (*CliqueRoute, string) {
	if k == pattern.KernelJoin {
		return nil, "the join was asked for"
	}
	types, why := complete(p)
	if why == notComplete {
		return nil, ""
	}
	if why == "" {
		why = multiple(p, s, types)
	}
	if why == "" {
		why = beyondKernel(p, needEdges, types)
	}
	var groups [][]int
	if why == "" {
		groups, why = cliqueGroups(p, s)
	}
	if why == "" && k == pattern.KernelAuto && !worthKernel(groups) {
		why = "your pattern is complete, but its nodes all ask for different things: the join has less to look at"
	}
	if why != "" {
		return nil, why
	}
	r := &CliqueRoute{Groups: groups, Factor: 1, Ordered: !p.Scopes[0].Distinct}
	if r.Ordered {
		var ok bool
		if r.Factor, ok = arrangements(groups); !ok {
			return nil, "your pattern is complete, but each clique has more matches than can be counted"
		}
	}
	return r, fmt.Sprintf("your pattern is complete over %d nodes%s", len(p.Vertices), simpleText(p))
}

// worthKernel reports whether some nodes are interchangeable. The kernel tries one arrangement where the join tries
// all; without any to save, the join's candidate sets win (labelled 4-cliques of soc-Slashdot0902: 2 times faster).
func worthKernel(groups [][]int) bool {
	return slices.ContainsFunc(groups, func(g []int) bool { return len(g) > 1 })
}

func simpleText(p *pattern.Pattern) string {
	if p.Edges[0].AtLeastOne {
		return ""
	}
	return ", and no two nodes have more than one such relationship"
}

// notComplete says that some two of the nodes are not related, or that there are fewer than three of them.
const notComplete = "pattern is not complete"

// complete returns the types of a complete pattern's edges, or why p is not one.
func complete(p *pattern.Pattern) (csr.TypeSet, string) {
	k := len(p.Vertices)
	if k < 3 || len(p.Edges) == 0 {
		return nil, notComplete
	}
	if len(p.Edges) != k*(k-1)/2 {
		return nil, notComplete
	}
	joined := make(map[[2]int]bool, len(p.Edges))
	for i := range p.Edges {
		e := &p.Edges[i]
		if e.From == e.To {
			return nil, notComplete
		}
		joined[[2]int{min(e.From, e.To), max(e.From, e.To)}] = true
	}
	if len(joined) != len(p.Edges) {
		return nil, notComplete
	}
	for i := range p.Edges {
		switch e := &p.Edges[i]; {
		case !e.Undirected:
			return nil, "your pattern is complete, but has directed relationships"
		case !e.Types.Equal(p.Edges[0].Types):
			return nil, "your pattern is complete, but its relationships name different types"
		}
	}
	return p.Edges[0].Types, ""
}

// multiple says why matches of a complete pattern over types may be more than its cliques; "" if they are not.
func multiple(p *pattern.Pattern, s *csr.Snapshot, types csr.TypeSet) string {
	binds := slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return !e.AtLeastOne })
	if !binds || s.Stats.SimpleUnion(types) {
		return ""
	}
	const but = "your pattern is complete, but "
	for t := range s.Stats.Types {
		if !types.Has(csr.TypeID(t)) {
			continue
		}
		name := s.Types.Name(uint32(t))
		switch st := &s.Stats.Types[t]; {
		case st.Loops > 0:
			return but + name + " has loops"
		case st.Parallel:
			return but + name + " has parallel relationships"
		case st.Reciprocal:
			return but + "some nodes are joined by " + name + " both ways"
		}
	}
	for _, pair := range s.Stats.Shared {
		if types.Has(pair[0]) && types.Has(pair[1]) {
			return fmt.Sprintf("%s%s and %s can be parallel", but, s.Types.Name(uint32(pair[0])), s.Types.Name(uint32(pair[1])))
		}
	}
	return but + "relationships can be parallel"
}

// beyondKernel says what else the query wants that the kernel cannot give; "" if nothing.
func beyondKernel(p *pattern.Pattern, needEdges bool, types csr.TypeSet) string {
	const but = "your pattern is complete, but "
	choosy := slices.ContainsFunc(p.Scopes, func(s pattern.Scope) bool { return s.Distinct || s.Induced })
	binds := slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return !e.AtLeastOne })
	switch {
	case slices.ContainsFunc(p.Vertices, func(v pattern.Vertex) bool { return v.Bound }):
		return but + "some of it comes from an earlier clause"
	case needEdges:
		return but + "its relationships are asked for"
	case choosy && len(p.Scopes) > 1:
		return but + "spread over several clauses"
	case p.Scopes[0].Induced && (!binds || !p.Scopes[0].InducedTypes.Equal(types)):
		return but + "INDUCED forbids relationships it needs"
	}
	for i := range p.Predicates {
		if _, ok := p.Predicates[i].Single(); !ok {
			return but + "there is a condition on more than one node: " + p.Predicates[i].Text
		}
	}
	return ""
}

// cliqueGroups groups the vertices by labels and conditions, in order of first appearance, or says why two groups
// may have candidates in common.
func cliqueGroups(p *pattern.Pattern, s *csr.Snapshot) ([][]int, string) {
	var groups [][]int
	var asks []string
	for _, u := range appearance(p) {
		ask, ok := demands(p, u)
		if !ok {
			return nil, "your pattern is complete, but the conditions on its nodes cannot be compared"
		}
		i := slices.Index(asks, ask)
		if i < 0 {
			i, asks, groups = len(asks), append(asks, ask), append(groups, nil)
		}
		groups[i] = append(groups[i], u)
	}
	for i := range groups {
		for j := range i {
			a, b := groups[i][0], groups[j][0]
			if overlap(admitted(s, p.Vertices[a].Labels), admitted(s, p.Vertices[b].Labels)) {
				return nil, fmt.Sprintf("your pattern is complete, but %s and %s ask for different things that one node may satisfy", p.VertexName(b), p.VertexName(a))
			}
		}
	}
	return groups, ""
}

// appearance lists the vertices of p in order of first appearance.
func appearance(p *pattern.Pattern) []int {
	var us []int
	for _, s := range p.Scopes {
		for _, x := range s.Order {
			if x >= 0 && !slices.Contains(us, x) {
				us = append(us, x)
			}
		}
	}
	return us
}

// demands is what u's labels and conditions ask for: vertices with equal demands have the same candidates. It fails
// where a condition has no comparable form. All conditions read one vertex.
func demands(p *pattern.Pattern, u int) (string, bool) {
	var shapes []string
	for i := range p.Predicates {
		if q := &p.Predicates[i]; q.Vertices[0] == u {
			if q.Shape == "" {
				return "", false
			}
			shapes = append(shapes, q.Shape)
		}
	}
	slices.Sort(shapes)
	return p.Vertices[u].Labels.String() + "\x00" + strings.Join(slices.Compact(shapes), "\x00"), true
}

// arrangements is the product of the groups' factorials, if that fits.
func arrangements(groups [][]int) (uint64, bool) {
	n := uint64(1)
	for _, g := range groups {
		for i := range g {
			hi, lo := bits.Mul64(n, uint64(i+1))
			if hi != 0 {
				return 0, false
			}
			n = lo
		}
	}
	return n, true
}
