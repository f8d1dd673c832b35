package match

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Pairs returns how to count the matches of p by the vertices of read, or why no formula helps. Conditions on these two are tested for each
// pair, so the formula does without them. cost, the partial matches of a search, bounds the effort.
func Pairs(p *pattern.Pattern, s *csr.Snapshot, read [2]int, cost float64) (*pattern.Pairs, string) {
	if len(p.Vertices) < 3 {
		return nil, "no node is left out"
	}
	x, open := &pattern.Pairs{Read: read}, *p
	open.Predicates, open.Different = nil, nil
	for i := range p.Predicates {
		if q := &p.Predicates[i]; len(q.Edges) == 0 && !q.Given && len(q.Vertices) == 2 && slices.Contains(read[:], q.Vertices[0]) && slices.Contains(read[:], q.Vertices[1]) {
			x.Conditions = append(x.Conditions, i)
		} else {
			open.Predicates = append(open.Predicates, *q)
		}
	}
	for _, d := range p.Different {
		if slices.Contains(read[:], d[0]) && slices.Contains(read[:], d[1]) {
			x.Apart = true
		} else {
			open.Different = append(open.Different, d)
		}
	}
	var why string
	x.Formula, why = GroupFormula(&open, s, read[:], cost)
	if x.Formula == nil {
		return nil, why
	}
	return x, ""
}

// SingleWay reports whether no two matches of p have the same vertices: there is one way at most to choose relationships for them.
func SingleWay(p *pattern.Pattern, s *csr.Snapshot) bool {
	return !slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool {
		return !e.AtLeastOne && (s.Stats.Loops(e.Types) > 0 || !lone(s, e.Types, !e.Undirected))
	})
}
