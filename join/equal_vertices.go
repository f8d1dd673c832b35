package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Equal vertices. Two vertices of the pattern are equal if nothing tells them apart: they have the same candidates, must differ, and
// have the same edges to the same other vertices. The leaves of a star are an example. If a match has x and y in their places, there
// is another match with y and x. So a search for rows puts the vertices of a class of equal ones in rising order, as for a symmetric
// DISTINCT scope, and hands every match over in all arrangements of its classes. A search that finds nothing tries each set of vertices
// once, not in all its orders.

// maxArrangements bounds the arrangements of a match.
const maxArrangements = 5040

// equalVertices are the classes of equal vertices of a program.
type equalVertices struct {
	swaps [][2]int // query vertices; exchanging each pair in turn leads through all arrangements of what the sink reads
	times uint64   // how many arrangements there are of each of these
	steps uint64   // of the vertices in swaps, as bits
}

// equalFinder finds the equal vertices of a pattern.
type equalFinder struct{ *compiler }

// plan finds the classes and ties their steps. The search must have no other bounds, and the sink must read vertices alone.
func (c equalFinder) plan() {
	if !c.emit || c.enumerate || c.tail >= 0 || c.denseAt >= 0 || c.job.DistinctPrefix > 0 || c.root > 0 || len(c.steps) > 64 || len(c.segments) != 1 {
		return
	}
	if slices.ContainsFunc(c.p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return
	}
	var classes [][]int // query vertices, in the order of their steps
	near := c.neighbours()
	arrangements, in := 1, make([]bool, len(c.steps))
	for k := range c.steps {
		if in[k] || !c.exchangeable(k) {
			continue
		}
		class := []int{c.steps[k].u}
		for i := k + 1; i < len(c.steps) && arrangements*(len(class)+1) <= maxArrangements; i++ {
			if !in[i] && near.alike(c.steps[k].u, c.steps[i].u) && c.exchangeable(i) && c.equal(c.steps[k].u, c.steps[i].u) {
				in[i] = true
				class = append(class, c.steps[i].u)
				arrangements *= len(class)
			}
		}
		if len(class) > 1 {
			classes = append(classes, class)
		}
	}
	if len(classes) == 0 {
		return
	}
	e := &equalVertices{times: 1}
	var read [][]int
	for _, class := range classes {
		if slices.ContainsFunc(class, func(u int) bool { return !c.spares(u) }) {
			read = append(read, class)
			for _, u := range class {
				c.steps[c.pos[u]].countable = false // another one of the class may be read in its place
			}
		} else {
			for n := range class {
				e.times *= uint64(n + 1)
			}
		}
		for i, u := range class[1:] {
			st := &c.steps[c.pos[u]]
			st.less, st.prepares, st.rivalsOnly = []int{class[i]}, true, false
			st.needs |= 1 << c.pos[class[i]]
		}
	}
	e.exchange(read)
	for _, x := range e.swaps {
		e.steps |= 1<<(c.pos[x[0]]&63) | 1<<(c.pos[x[1]]&63)
	}
	c.equals = e
}

// neighbourBits are the neighbours of each query vertex as bits, by their numbers modulo 64.
type neighbourBits []uint64

// neighbours returns the neighbours of each query vertex. Loops are left out.
func (c equalFinder) neighbours() neighbourBits {
	near := make(neighbourBits, len(c.p.Vertices))
	for i := range c.p.Edges {
		if e := &c.p.Edges[i]; e.From != e.To {
			near[e.From] |= 1 << (e.To % 64)
			near[e.To] |= 1 << (e.From % 64)
		}
	}
	return near
}

// alike reports whether a and b can have the same neighbours beside each other. Few pairs do, and only these are looked at closely.
func (near neighbourBits) alike(a, b int) bool {
	others := ^uint64(1<<(a%64) | 1<<(b%64))
	return near[a]&others == near[b]&others
}

// exchangeable reports whether step k is without conditions that only it has.
func (c equalFinder) exchangeable(k int) bool {
	st := &c.steps[k]
	return st.rivalsOnly && len(st.less)+len(st.greater)+len(st.loops)+len(st.edgeTests) == 0 && !st.weighs && st.subtract == 0
}

// equal reports whether nothing tells the query vertices a and b apart.
func (c equalFinder) equal(a, b int) bool {
	x, y := c.steps[c.pos[a]].set, c.steps[c.pos[b]].set
	if x.Len() != y.Len() || !c.mustDiffer(a, b) || !c.sameEdges(a, b) || !slices.Equal(x.List(), y.List()) {
		return false
	}
	for i := range c.p.Predicates {
		if q := &c.p.Predicates[i]; !c.settled(i) && (slices.Contains(q.Vertices, a) || slices.Contains(q.Vertices, b)) {
			return false
		}
	}
	for i := range c.p.Scopes {
		if vs := c.p.Scopes[i].Vertices; slices.Contains(vs, a) != slices.Contains(vs, b) {
			return false
		}
	}
	for _, d := range c.p.Different {
		if slices.Contains(d[:], a) || slices.Contains(d[:], b) {
			return false
		}
	}
	return true
}

// sameEdges reports whether the edges of the pattern stay the same if a and b change places.
func (c equalFinder) sameEdges(a, b int) bool {
	swap := func(u int) int {
		switch u {
		case a:
			return b
		case b:
			return a
		}
		return u
	}
	count := func(e *pattern.Edge, from, to int) (n int) {
		for i := range c.p.Edges {
			f := &c.p.Edges[i]
			same := f.From == from && f.To == to || e.Undirected && f.From == to && f.To == from
			if same && f.Undirected == e.Undirected && f.AtLeastOne == e.AtLeastOne && f.Scope == e.Scope && !f.Bound && slices.Equal(f.Types, e.Types) && (f.Types == nil) == (e.Types == nil) {
				n++
			}
		}
		return n
	}
	for i := range c.p.Edges {
		e := &c.p.Edges[i]
		if swap(e.From) == e.From && swap(e.To) == e.To {
			continue
		}
		if e.Bound || count(e, e.From, e.To) != count(e, swap(e.From), swap(e.To)) {
			return false
		}
	}
	return true
}

// exchange appends exchanges that lead through all arrangements of the classes (Heap, "Permutations by interchanges", 1963).
func (e *equalVertices) exchange(classes [][]int) {
	if len(classes) > 0 {
		e.permute(slices.Clone(classes[0]), len(classes[0]), classes[1:])
	}
}

func (e *equalVertices) permute(class []int, n int, others [][]int) {
	if n == 1 {
		e.exchange(others)
		return
	}
	for i := range n {
		e.permute(class, n-1, others)
		if i < n-1 {
			j := 0
			if n%2 == 0 {
				j = i
			}
			e.swaps = append(e.swaps, [2]int{class[j], class[n-1]})
		}
	}
}

// arrangements returns how many rows stand for a match.
func (c *program) arrangements() uint64 {
	if c.equals == nil {
		return 1
	}
	return uint64(len(c.equals.swaps)+1) * c.equals.times
}

// giveArrangements gives the match to the sink in all arrangements of its equal vertices.
func (o *output) giveArrangements(w *worker, weight uint64) {
	w.exchanges += uint64(len(w.equals.swaps)) + w.equals.times - 1
	vs := append(o.arranged[:0], w.match...)
	o.arranged = vs
	o.give(w.run, vs, nil, weight)
	for _, x := range w.equals.swaps {
		if w.halted() {
			return
		}
		vs[x[0]], vs[x[1]] = vs[x[1]], vs[x[0]]
		o.give(w.run, vs, nil, weight)
	}
}

// giveRunArrangements gives the matches to the sink that the vertices of run at query vertex u complete, in all arrangements.
func (o *output) giveRunArrangements(w *worker, u int, run []csr.VertexID, weight uint64) {
	w.exchanges += uint64(len(run)) * (uint64(len(w.equals.swaps)) + w.equals.times - 1)
	vs := append(o.arranged[:0], w.match...)
	o.arranged = vs
	w.changed |= w.equals.steps // the row before has another arrangement
	o.addRun(w, vs, u, run, weight)
	for _, x := range w.equals.swaps {
		if w.halted() {
			return
		}
		vs[x[0]], vs[x[1]] = vs[x[1]], vs[x[0]]
		switch u { // the run moves with its vertex
		case x[0]:
			u = x[1]
		case x[1]:
			u = x[0]
		}
		w.changed |= 1<<(w.pos[x[0]]&63) | 1<<(w.pos[x[1]]&63)
		o.addRun(w, vs, u, run, weight)
	}
	w.changed |= w.equals.steps
}
