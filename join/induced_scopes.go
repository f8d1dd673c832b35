package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// inducedRule says how many relationships of an INDUCED scope's types join a step's vertex with an earlier one, in either direction: as
// many as the scope has edges between the two.
type inducedRule struct {
	from  int
	view  *csr.Adjacency // of the scope's types, both directions
	edges int
}

// inducedRules lists what INDUCED asks of step k's vertex and each earlier one. An AtLeastOne edge between the two allows any number. If
// a pair has at most one relationship, an edge of the scope has found it, and no rule is needed.
func (c *compiler) inducedRules(k int) {
	st := &c.steps[k]
	for i := range c.p.Scopes {
		sc := &c.p.Scopes[i]
		if !sc.Induced || !slices.Contains(sc.Vertices, st.u) {
			continue
		}
		view := c.views.Of(sc.InducedTypes, csr.Both)
		for _, w := range sc.Vertices {
			if c.pos[w] >= k || w == st.u {
				continue
			}
			edges, any := c.joining(sc, st.u, w)
			if any || edges == 1 && view.Counts == nil {
				continue
			}
			st.inducedRules = append(st.inducedRules, inducedRule{from: w, view: view, edges: edges})
		}
	}
}

// joining counts the edges of a scope between u and w that bind a relationship of the scope's induced types. any says that an AtLeastOne
// edge is among them.
func (c *compiler) joining(sc *pattern.Scope, u, w int) (edges int, any bool) {
	for _, i := range sc.Edges {
		e := &c.p.Edges[i]
		switch {
		case e.From != u || e.To != w:
			if e.From != w || e.To != u {
				continue
			}
		}
		if e.AtLeastOne {
			return 0, true
		}
		edges++
	}
	return edges, false
}

// keeps reports whether v satisfies the step's induced rules.
func (st *step) keeps(v csr.VertexID, match []csr.VertexID) bool {
	for i := range st.inducedRules {
		r := &st.inducedRules[i]
		if r.edges == 0 {
			if sets.Contains(r.view.Neighbours(match[r.from]), v) {
				return false
			}
		} else if r.view.Count(match[r.from], v) != r.edges {
			return false
		}
	}
	return true
}
