package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// A step that is only counted has to leave out the vertices its own must not be: those that are in its list, to be exact.
// Of some that is known. In a path a-b-c that may not turn back, c's list is the neighbours of b, and a is one of them;
// in a cycle a-b-c-d, b is a neighbour of both a and c, and so in d's list. Such vertices are taken off
// the number unseen, and the step does not depend on them: then what follows b, or a and c, can be remembered.

// takeCertain takes the vertices that are certainly in the list of the counted step st out of those it must avoid.
func (c *compiler) takeCertain(st *step) {
	var avoid, always []int // all query vertices that st may have to avoid, and those that it has to in any case
	for _, x := range st.differ {
		avoid, always = append(avoid, x), append(always, x)
	}
	for i := range st.clashes {
		if x := &st.clashes[i]; x.x < 0 {
			return
		} else if avoid = append(avoid, x.x); len(x.when) == 0 {
			always = append(always, x.x)
		}
	}
	slices.Sort(always)
	for _, x := range slices.Compact(always) {
		alone := !slices.ContainsFunc(avoid, func(y int) bool { return y != x && !c.never(x, y) })
		if !alone || !c.inList(st, x) {
			continue
		}
		st.certain++
		st.differ = slices.DeleteFunc(st.differ, func(y int) bool { return y == x })
		st.clashes = slices.DeleteFunc(st.clashes, func(y clash) bool { return y.x == x })
	}
}

// never reports whether it is known before the search that u and w, once both are matched, are not equal.
func (c *compiler) never(u, w int) bool { return c.apart[u][w] || c.told[u][w] || c.mustDiffer(u, w) }

// inList reports whether the vertex of x, matched before st, is certainly in st's list: a candidate, and joined to
// each source by an edge of the pattern that asks for the same.
func (c *compiler) inList(st *step, x int) bool {
	for i := range st.sources {
		src := &st.sources[i]
		like := func(e pattern.Edge) bool {
			f := &c.p.Edges[src.edge]
			joins := !e.Bound && e.From != e.To && (e.From == x && e.To == src.from || e.To == x && e.From == src.from)
			return joins && sameTypes(e, *f) && seenFrom(&e, src.from) == seenFrom(f, src.from)
		}
		if src.from < 0 || !slices.ContainsFunc(c.p.Edges, like) {
			return false
		}
	}
	return c.within(&c.steps[c.pos[x]], st)
}

func sameTypes(e, f pattern.Edge) bool {
	return (e.Types == nil) == (f.Types == nil) && slices.Equal(e.Types, f.Types)
}

// within reports whether every candidate of a is one of b.
func (c *compiler) within(a, b *step) bool {
	switch {
	case b.bound:
		return a.bound && a.lo == b.lo
	case a.bound:
		return b.has(a.lo)
	case a.set == b.set || b.set.Len() == int(c.s.N()):
		return true
	case c.root > 0: // see disjoint
		return false
	}
	x, y := a.set.Bits(), b.set.Bits()
	for i := range x {
		if x[i]&^y[i] != 0 {
			return false
		}
	}
	return true
}

// matchesEach is how many matches each subgraph has that the Less and Greater constraints leave one of: what to divide
// by where they are left out.
func (c *program) matchesEach() (n uint64, ok bool) {
	n = 1
	bounded := map[int]bool{}
	for k := range c.steps {
		if c.steps[k].bounded() {
			bounded[c.steps[k].u] = true
		}
	}
	for i := range c.p.Scopes {
		if !c.symmetric(i) {
			continue
		}
		for _, u := range c.p.Scopes[i].Vertices {
			delete(bounded, u)
		}
		for _, images := range c.job.Order.Chains[i] {
			hi, lo := bits.Mul64(n, uint64(max(1, len(images))))
			if hi != 0 {
				return 0, false
			}
			n = lo
		}
	}
	return n, len(bounded) == 0
}
