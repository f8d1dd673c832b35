package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Distinctness: which vertices may be equal, and which edges may take the same relationship.
//
// Two edges of a scope that keeps relationships apart can only take the same one if their types overlap and their ends are
// matched to the same pair of vertices. Of most pairs of edges the compiler knows that this cannot be: their ends are
// adjacent without loops, must differ, or have candidate sets without a common vertex. Each other pair becomes a
// clash of the step that closes the second edge.

// findApart fills c.apart: pairs of query vertices that need no comparison, since their lists never hold the same vertex. A search must
// check the reason no later than it matches the second of the two. That is true of edges and candidates.
func (c *compiler) findApart() {
	n := len(c.p.Vertices)
	c.apart, c.unequal = make([][]bool, n), make([][]bool, n)
	for u := range c.apart {
		c.apart[u], c.unequal[u] = make([]bool, n), make([]bool, n)
	}
	for i := range c.p.Edges {
		e := &c.p.Edges[i]
		if !e.Bound && e.From != e.To && c.ends[i].view.Loops == 0 {
			c.apart[e.From][e.To], c.apart[e.To][e.From] = true, true
		}
	}
	for u := range n {
		for w := range u {
			if !c.apart[u][w] && c.disjoint(&c.steps[c.pos[u]], &c.steps[c.pos[w]]) {
				c.apart[u][w], c.apart[w][u] = true, true
			}
		}
	}
}

// disjoint reports whether two steps have no candidate in common. Jobs with bound vertices run for many rows in turn, so there it does
// not compare long bitmaps.
func (c *compiler) disjoint(a, b *step) bool {
	if a.hi <= b.lo || b.hi <= a.lo {
		return true
	}
	switch {
	case a.bound && b.bound:
		return a.lo != b.lo
	case a.bound:
		return !b.has(a.lo)
	case b.bound:
		return !a.has(b.lo)
	case a.set == b.set || c.root > 0:
		return false
	case a.set == nil || b.set == nil:
		return true
	}
	x, y := a.set.Bits(), b.set.Bits()
	for i := range x {
		if x[i]&y[i] != 0 {
			return false
		}
	}
	return true
}

// differences lists the earlier vertices that step k's vertex could equal and must not.
func (c *compiler) differences(k int) {
	st := &c.steps[k]
	for w, at := range c.pos {
		if at < k && !c.apart[st.u][w] && c.mustDiffer(st.u, w) {
			st.differ = append(st.differ, w)
		}
	}
}

// mustDiffer reports whether a scope's mode, a Different pair or an edge of the AtLeastOne kind keeps u and w apart.
func (c *compiler) mustDiffer(u, w int) bool {
	for i := range c.p.Scopes {
		sc := &c.p.Scopes[i]
		if mode(sc) == pattern.DifferentNodes && slices.Contains(sc.Vertices, u) && slices.Contains(sc.Vertices, w) {
			return true
		}
	}
	for _, d := range c.p.Different {
		if d == [2]int{u, w} || d == [2]int{w, u} {
			return true
		}
	}
	for i := range c.p.Edges {
		if e := &c.p.Edges[i]; e.AtLeastOne && (e.From == u && e.To == w || e.From == w && e.To == u) {
			return true
		}
	}
	return false
}

// clashes lists the ways in which an edge closed at step k may have only the relationship of another edge to choose.
func (c *compiler) clashes(k int) {
	st := &c.steps[k]
	first := 0
	if k > 0 {
		first = c.steps[k-1].last
	}
	for i := first; i < st.last; i++ {
		for _, f := range c.closeOrder[:i] {
			c.clash(st, c.closeOrder[i], f)
		}
	}
	// Kills come first, so that what they rule out is not weighed.
	slices.SortStableFunc(st.clashes, func(a, b clash) int { return rank(b.kill) - rank(a.kill) })
	st.weighs = slices.ContainsFunc(st.clashes, func(x clash) bool { return !x.kill }) && !c.enumerate
	for _, x := range st.clashes {
		if x.kill && x.x >= 0 && len(x.when) == 0 {
			c.unequal[st.u][x.x], c.unequal[x.x][st.u] = true, true
		}
	}
	if c.enumerate { // uniqueness is checked where relationships are chosen
		st.clashes = slices.DeleteFunc(st.clashes, func(x clash) bool { return !x.kill })
	}
}

// rank returns 1 for true, 0 for false.
func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clash adds the ways in which edges i and j, both closed after st, may have one relationship between them.
func (c *compiler) clash(st *step, i, j int) {
	e, f := &c.p.Edges[i], &c.p.Edges[j]
	if e.Scope != f.Scope || mode(&c.p.Scopes[e.Scope]) == pattern.RepeatableElements {
		return
	}
	if e.Bound && f.Bound {
		c.none = c.none || c.job.Edges[i] == c.job.Edges[j]
		return
	}
	if mode(&c.p.Scopes[e.Scope]) == pattern.DifferentNodes && !sameEnds(e, f) {
		return // some end of one is matched to a vertex that no end of the other is
	}
	et, ft := c.typesOf(i), c.typesOf(j)
	if !et.Overlaps(ft) {
		return
	}
	directed := !e.Undirected && !f.Undirected
	kill := oneEach(c.s.Stats, et.Union(ft), directed)
	c.addClash(st, [][2]int{{e.From, f.From}, {e.To, f.To}}, kill)
	if !directed {
		c.addClash(st, [][2]int{{e.From, f.To}, {e.To, f.From}}, kill)
	}
}

// sameEnds reports whether two edges join the same two query vertices, in either direction.
func sameEnds(e, f *pattern.Edge) bool {
	return e.From == f.From && e.To == f.To || e.From == f.To && e.To == f.From
}

// addClash adds the clash that the given pairs of vertices make when all of them are equal, unless they cannot be.
func (c *compiler) addClash(st *step, equal [][2]int, kill bool) {
	x := clash{x: -1, kill: kill}
	for _, q := range equal {
		if q[1] == st.u {
			q[0], q[1] = q[1], q[0]
		}
		if q[0] == st.u && q[1] != st.u && x.x < 0 {
			x.x = q[1]
		} else if q[0] == st.u && q[1] != st.u {
			x.when = append(x.when, [2]int{x.x, q[1]})
		} else {
			x.when = append(x.when, q)
		}
	}
	x.when = slices.DeleteFunc(x.when, func(q [2]int) bool { return q[0] == q[1] })
	if x.x >= 0 && c.never(st.u, x.x) || slices.ContainsFunc(x.when, func(q [2]int) bool { return c.never(q[0], q[1]) }) {
		return
	}
	if x.x < 0 && len(x.when) == 0 && kill {
		c.none = true
		return
	}
	st.clashes = append(st.clashes, x)
}

// typesOf returns the types that edge i can take. If the edge is bound, that is the type of its relationship.
func (c *compiler) typesOf(i int) csr.TypeSet {
	if c.p.Edges[i].Bound {
		return csr.TypeSet{c.s.TypeOf(c.job.Edges[i])}
	}
	return c.p.Edges[i].Types
}

// oneEach reports whether no two relationships of the types have the same ends: the same ordered pair if directed, else the same
// unordered one.
func oneEach(st *csr.Stats, types csr.TypeSet, directed bool) bool {
	loops := 0
	for t := range st.Types {
		if x := &st.Types[t]; types.Has(csr.TypeID(t)) {
			if x.Parallel || x.Reciprocal && !directed {
				return false
			}
			if x.Loops > 0 {
				loops++
			}
		}
	}
	for _, pair := range st.Shared {
		if types.Has(pair[0]) && types.Has(pair[1]) {
			return false
		}
	}
	return loops <= 1
}
