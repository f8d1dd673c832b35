package exec

import (
	"errors"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// Conditions on single relationships, tested before the search. The search then runs on a graph that has the relationships that meet a
// condition as a type of its own. So bitmaps, intersections and formulas see these relationships only. A condition that fails for some
// relationship is left to the search, which may never come to that relationship.

// testsPerMatch is how many relationships may be tested for each partial match that a search is expected to visit.
var testsPerMatch = 0.25

// relationshipViews puts the edges that have conditions on types of their own.
func (m *matchStage) relationshipViews(p *pattern.Pattern, gone []bool) error {
	filters := slices.Clone(m.plan.EdgeFilters)
	if len(filters) == 0 || len(m.edges) > 0 || !m.env.Uses(pattern.RelationshipViews) ||
		slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return sc.Induced }) || slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return e.Bound }) {
		return nil
	}
	v := &viewPlan{m: m, p: p, shapes: make([]string, len(p.Edges)), tests: make([][]pattern.Test, len(p.Edges)), at: map[typeShape]csr.TypeID{}}
	slices.SortFunc(filters, func(a, b planner.EdgeFilter) int { return strings.Compare(a.Shape, b.Shape) })
	for _, f := range filters {
		v.shapes[f.Edge] += f.Shape + "\x00"
		v.tests[f.Edge] = append(v.tests[f.Edge], p.Predicates[f.Predicate].Test)
	}
	if !v.separate() || v.work() > testsPerMatch*m.plan.Order.Cost {
		return nil
	}
	edges := v.edges()
	account := m.x.newAccount("relationships that meet a condition", m.outlet)
	s, err := csr.WithSubsets(m.x.ctx, m.x.s, v.subsets, max(1, m.env.Workers), func(bytes int64) error {
		return account.Charge(4 * bytes) // with the views for the other directions
	})
	if err != nil {
		account.Release()
		if ctxErr := m.x.ctx.Err(); ctxErr != nil || errors.Is(err, pattern.ErrMemory) {
			return ctxErr
		}
		return nil
	}
	m.env.Took(pattern.RelationshipViews, uint64(len(v.subsets)))
	p.Edges, m.job.Snapshot = edges, s
	for _, f := range filters {
		gone[f.Predicate] = true
	}
	return nil
}

// viewPlan gathers which relationships each edge of a pattern may take.
type viewPlan struct {
	m       *matchStage
	p       *pattern.Pattern
	shapes  []string         // by edge: the texts of its conditions
	tests   [][]pattern.Test // by edge
	at      map[typeShape]csr.TypeID
	subsets []csr.Subset
}

type typeShape struct {
	of    csr.TypeID
	shape string
}

// typesOf lists the types of e.
func (v *viewPlan) typesOf(e *pattern.Edge) csr.TypeSet {
	if e.Types != nil {
		return e.Types
	}
	all := csr.TypeSet{}
	for t := range v.m.x.s.Types.Len() {
		all = append(all, csr.TypeID(t))
	}
	return all
}

// work is how many relationships have to be tested.
func (v *viewPlan) work() float64 {
	seen, n := map[typeShape]bool{}, 0.0
	for i := range v.p.Edges {
		for _, t := range v.typesOf(&v.p.Edges[i]) {
			if key := (typeShape{t, v.shapes[i]}); v.shapes[i] != "" && !seen[key] {
				seen[key] = true
				n += float64(v.m.x.s.Stats.Types[t].Edges)
			}
		}
	}
	return n
}

// edges returns the edges with their new types, and plans the subsets.
func (v *viewPlan) edges() []pattern.Edge {
	edges := slices.Clone(v.p.Edges)
	for i := range edges {
		types := v.typesOf(&edges[i])
		if v.shapes[i] == "" {
			edges[i].Types = types
			continue
		}
		edges[i].Types = csr.TypeSet{}
		for _, t := range types {
			key := typeShape{t, v.shapes[i]}
			at, ok := v.at[key]
			if !ok {
				at = csr.TypeID(v.m.x.s.Types.Len() + len(v.subsets))
				v.at[key] = at
				v.subsets = append(v.subsets, csr.Subset{Type: t, Test: edgeTest(v.tests[i], i)})
			}
			edges[i].Types = append(edges[i].Types, at)
		}
		slices.Sort(edges[i].Types)
	}
	return edges
}

// edgeTest makes functions that test the predicates of edge i.
func edgeTest(tests []pattern.Test, i int) func() func(e csr.EdgeID) (bool, error) {
	return func() func(e csr.EdgeID) (bool, error) {
		edges := make([]csr.EdgeID, i+1)
		return func(e csr.EdgeID) (bool, error) {
			edges[i] = e
			for _, test := range tests {
				if ok, err := test(nil, edges); err != nil || !ok {
					return false, err
				}
			}
			return true, nil
		}
	}
}

// separate reports whether no two edges that must have different relationships could take the same one by way of different conditions: on
// different types, the search would not see that it is the same.
func (v *viewPlan) separate() bool {
	for j := range v.p.Edges {
		for i := range j {
			e, f := &v.p.Edges[i], &v.p.Edges[j]
			if e.Scope != f.Scope || v.p.Scopes[e.Scope].Mode == pattern.RepeatableElements || e.AtLeastOne || f.AtLeastOne || v.shapes[i] == v.shapes[j] ||
				!e.Types.Overlaps(f.Types) {
				continue
			}
			if v.mayMeet([2][2]int{{e.From, f.From}, {e.To, f.To}}) || (e.Undirected || f.Undirected) && v.mayMeet([2][2]int{{e.From, f.To}, {e.To, f.From}}) {
				return false
			}
		}
	}
	return true
}

// mayMeet reports whether some match may give the two vertices of each pair the same vertex of the graph.
func (v *viewPlan) mayMeet(pairs [2][2]int) bool {
	part := make([]int, len(v.p.Vertices))
	for u := range part {
		part[u] = u
	}
	for _, x := range pairs {
		from, to := part[x[0]], part[x[1]]
		for u := range part {
			if part[u] == from {
				part[u] = to
			}
		}
	}
	for _, d := range v.p.Different {
		if part[d[0]] == part[d[1]] {
			return false
		}
	}
	for i := range v.p.Edges {
		if e := &v.p.Edges[i]; e.From != e.To && part[e.From] == part[e.To] && (e.AtLeastOne || v.m.x.s.Stats.Loops(e.Types) == 0) {
			return false
		}
	}
	for i := range v.p.Scopes {
		sc := &v.p.Scopes[i]
		if sc.Mode != pattern.DifferentNodes {
			continue
		}
		for k, u := range sc.Vertices {
			if slices.ContainsFunc(sc.Vertices[:k], func(w int) bool { return part[u] == part[w] }) {
				return false
			}
		}
	}
	return true
}
