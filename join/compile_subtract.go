package join

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// Subtraction. A step that is only counted must leave out the vertices that are taken, as far as they are in its list. Some are in it for
// certain. In a path a-b-c, the list of c is the neighbours of b, and a is one of them. In a cycle a-b-c-d, b is a neighbour
// of both a and c, and so in the list of d. The count subtracts such vertices unseen, and the step does not depend on
// them. Then the number of what follows b, or a and c, can be kept.

// subtractCertain finds the vertices that the counted step st must avoid and that are certainly in its list. It subtracts their number
// and need not avoid them.
func (c *compiler) subtractCertain(st *step) {
	var avoid, always []int // query vertices that st may have to avoid, and those that it must avoid in any case
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
		st.subtract++
		st.differ = slices.DeleteFunc(st.differ, func(y int) bool { return y == x })
		st.clashes = slices.DeleteFunc(st.clashes, func(y clash) bool { return y.x == x })
	}
}

// never reports whether u and w are certainly matched to different vertices.
func (c *compiler) never(u, w int) bool {
	return c.apart[u][w] || c.unequal[u][w] || c.mustDiffer(u, w)
}

// inList reports whether the vertex of x, matched before st, is certainly in the list of st: it is a candidate, and an edge of the
// pattern that asks for the same joins it to each source.
func (c *compiler) inList(st *step, x int) bool {
	for i := range st.sources {
		src := &st.sources[i]
		if src.edge < 0 {
			return false
		}
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

// matchesEach returns how many matches a subgraph has of which the Less and Greater constraints leave one. A count without the
// constraints divides by that number.
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
