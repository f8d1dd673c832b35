package match_test

import (
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/planner/match"
)

// undirected is a pattern of undirected edges in one scope.
func undirected(sc pattern.Scope, edges ...[2]int) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{sc}}
	for i, e := range edges {
		for len(p.Vertices) <= max(e[0], e[1]) {
			p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, len(p.Vertices))
			p.Vertices = append(p.Vertices, pattern.Vertex{})
		}
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, i)
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
	}
	return p
}

// Formulas that can be found by hand. The join's tests compare counts with brute force.
func TestCountFormula(t *testing.T) {
	simple := testgraph.Random(1, testgraph.Options{Vertices: 6, Edges: 9, Types: 1, Labels: 1, Simple: true})
	multi := testgraph.Random(2, testgraph.Options{Vertices: 4, Edges: 30, Types: 1, Labels: 1})
	if !multi.Stats.Types[0].Parallel || multi.Stats.Types[0].Loops == 0 {
		t.Fatal("the multigraph is none")
	}
	cycle := [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}
	for _, c := range []struct {
		s    *csr.Snapshot
		p    *pattern.Pattern
		want string
	}{
		{simple, undirected(pattern.Scope{Mode: pattern.RepeatableElements}, cycle...), "+1 hom(0 0 0 0; 0-1 1-2 2-3 0-3)"},
		{simple, undirected(pattern.Scope{}, cycle[:2]...), "+1 hom(0 0 0; 0-1 1-2)\n-1 hom(0 0; 0-1)"},
		// A path of three different relationships may close to a triangle.
		{simple, undirected(pattern.Scope{}, cycle[:3]...), "+1 hom(0 0 0 0; 0-1 1-2 2-3)\n-2 hom(0 0 0; 0-1 0-2)\n+1 hom(0 0; 0-1)"},
		{simple, undirected(pattern.Scope{Mode: pattern.DifferentNodes}, cycle[:3]...),
			"+1 hom(0 0 0 0; 0-1 1-2 2-3)\n-2 hom(0 0 0; 0-1 0-2)\n-1 hom(0 0 0; 0-1 1-2 0-2)\n+1 hom(0 0; 0-1)"},
		{simple, undirected(pattern.Scope{Mode: pattern.DifferentNodes}, cycle...), "+1 hom(0 0 0 0; 0-1 1-2 2-3 0-3)\n-2 hom(0 0 0; 0-1 0-2)\n+1 hom(0 0; 0-1)"},
		{simple, undirected(pattern.Scope{Induced: true}, cycle[:2]...), "+1 hom(0 0 0; 0-1 1-2)\n-1 hom(0 0; 0-1)\n-1 hom(0 0 0; 0-1 1-2 0-2)"},
		{multi, undirected(pattern.Scope{Mode: pattern.DifferentNodes}, cycle[:2]...), "+1 hom(0 0 0; 0-1·m 1-2·m)\n-1 hom(0 0; 0-1·m·m)"},
		{multi, undirected(pattern.Scope{}, cycle[0], cycle[0]), "+1 hom(0; 0o0·m_2)\n+1 hom(0 0; 0-1·m_2)"},
	} {
		f, why := match.CountFormula(c.p, c.s, nil, 1e9)
		if f == nil {
			t.Errorf("no formula: %s\n%v", why, c.p)
			continue
		}
		got, want := strings.Split(strings.TrimSpace(f.String()), "\n"), strings.Split(c.want, "\n")
		if !sameLines(got, want) {
			t.Errorf("%v\ngot  %v\nwant %v", c.p, got, want)
		}
	}
	distinct := undirected(pattern.Scope{Distinct: true}, cycle...)
	if f, why := match.CountFormula(distinct, simple, nil, 1e9); f != nil || why == "" {
		t.Errorf("a formula for matches that are compared one by one: %v", f)
	}
	long := undirected(pattern.Scope{}, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 4}, [2]int{4, 5}, [2]int{5, 6})
	if f, why := match.CountFormula(long, simple, nil, 1e5); f != nil || !strings.Contains(why, "worth") {
		t.Errorf("a formula of many terms for a short count: %v %s", f, why)
	}
	if f, why := match.CountFormula(&pattern.Pattern{}, simple, nil, 1e5); f != nil || why == "" {
		t.Errorf("a formula for nothing: %v", f)
	}
}

func sameLines(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	seen := map[string]int{}
	for i := range a {
		seen[a[i]]++
		seen[b[i]]--
	}
	for _, n := range seen {
		if n != 0 {
			return false
		}
	}
	return true
}
