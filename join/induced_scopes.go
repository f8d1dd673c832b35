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
	from   int
	view   *csr.Adjacency // of the scope's types, both directions
	edges  int
	reason uint64 // the step of from, as a bit
}

// inducedRules lists what INDUCED asks of step k's vertex and each earlier one. An AtLeastOne edge between the two allows any number. If
// a pair has at most one relationship, an edge of the scope has found it, and no rule is needed. The rules of the earliest steps come
// first: a search that fails by one of them goes back furthest.
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
			st.inducedRules = append(st.inducedRules, inducedRule{from: w, view: view, edges: edges, reason: 1 << (c.pos[w] & 63)})
		}
	}
	slices.SortStableFunc(st.inducedRules, func(a, b inducedRule) int { return c.pos[a.from] - c.pos[b.from] })
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

// breaks returns the first of the step's induced rules that v breaks, or nil.
func (st *step) breaks(v csr.VertexID, match []csr.VertexID) *inducedRule {
	for i := range st.inducedRules {
		r := &st.inducedRules[i]
		if r.edges == 0 {
			if sets.Contains(r.view.Neighbours(match[r.from]), v) {
				return r
			}
		} else if r.view.Count(match[r.from], v) != r.edges {
			return r
		}
	}
	return nil
}
