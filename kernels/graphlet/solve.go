package graphlet

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/motifql/motif/internal/pattern"
)

// From homomorphisms to induced subgraphs. A homomorphism of a graphlet maps its root to a vertex v and the rest to some graphlet at v.
// So the number at v is a sum, over the orbits of graphlets with at most as many vertices: the number of induced subgraphs that have v
// there, times the homomorphisms onto all their vertices. The sum has few terms and solves from small and dense graphlets to large
// and sparse ones. What makes it fast: the passes count homomorphisms, which need no corrections for vertices that coincide.

// shape is a graph on at most five vertices as a set of pairs, with a root.
type shape struct {
	size, root int
	pairs      uint16
}

// pair returns the bit of a pair.
func pair(u, v int) uint16 {
	if u > v {
		u, v = v, u
	}
	return 1 << (v*(v-1)/2 + u)
}

// system is the equations: by orbit, what multiplies the number of each orbit.
type system struct {
	shapes   []shape    // by orbit: a graphlet with its root
	hom, sub [][]uint64 // homomorphisms onto all vertices; spanning subgraphs with the root's orbit
	order    []int      // orbits, in the order in which they are found
	terms    [][]term   // by orbit: the others that its row counts
	own      []uint64   // by orbit: its factor in its own row
}

// term is an orbit in a sum, and its factor.
type term struct {
	orbit int
	times uint64
}

var equations = sync.OnceValue(newSystem)

func newSystem() *system {
	n := pattern.Orbits(5)
	x := &system{shapes: make([]shape, n)}
	orbits := map[shape]int{}
	for i := range pattern.Graphlets {
		g := &pattern.Graphlets[i]
		pairs := uint16(0)
		for _, e := range g.Edges {
			pairs |= pair(e[0], e[1])
		}
		for root, o := range g.Orbit {
			s := shape{g.Size(), root, pairs}
			s.renumbered(func(t shape) { orbits[t] = o })
			x.shapes[o] = s
		}
	}
	for o := range n {
		x.hom, x.sub, x.order = append(x.hom, make([]uint64, n)), append(x.sub, make([]uint64, n)), append(x.order, o)
	}
	bijective := make([][]uint64, n) // homomorphisms one to one
	for o, s := range x.shapes {
		for pairs := s.pairs; pairs > 0; pairs = (pairs - 1) & s.pairs {
			if part, ok := orbits[shape{s.size, s.root, pairs}]; ok {
				x.sub[part][o]++
			}
		}
		bijective[o] = make([]uint64, n)
	}
	for o, s := range x.shapes {
		same := uint64(0)
		s.renumbered(func(t shape) {
			if t == s {
				same++
			}
		})
		for p := range n {
			bijective[o][p] = same * x.sub[o][p]
		}
	}
	for o, s := range x.shapes {
		s.quotients(func(t shape) {
			for p, k := range bijective[orbits[t]] {
				x.hom[o][p] += k
			}
		})
	}
	slices.SortStableFunc(x.order, func(a, b int) int {
		s, t := x.shapes[a], x.shapes[b]
		if s.size != t.size {
			return s.size - t.size
		}
		return bits.OnesCount16(t.pairs) - bits.OnesCount16(s.pairs)
	})
	x.findTerms()
	return x
}

// findTerms keeps what the row of each orbit counts.
func (x *system) findTerms() {
	for o := range x.shapes {
		var terms []term
		for p, k := range x.factors(o) {
			if p != o && k > 0 {
				terms = append(terms, term{p, k})
			}
		}
		x.terms, x.own = append(x.terms, terms), append(x.own, x.factors(o)[o])
	}
}

// factors returns what the row of an orbit multiplies the number of each orbit by.
func (x *system) factors(o int) []uint64 {
	if slices.Contains(countedDirectly, o) {
		return x.sub[o]
	}
	return x.hom[o]
}

// renumbered calls fn with the shape under every permutation of its vertices.
func (s shape) renumbered(fn func(shape)) {
	to := make([]int, 0, s.size)
	var place func()
	place = func() {
		if len(to) < s.size {
			for v := range s.size {
				if !slices.Contains(to, v) {
					to = append(to, v)
					place()
					to = to[:len(to)-1]
				}
			}
			return
		}
		fn(s.image(to, s.size))
	}
	place()
}

// image is the shape after to, which maps vertices to size vertices.
func (s shape) image(to []int, size int) shape {
	t := shape{size, to[s.root], 0}
	for v := range s.size {
		for u := range v {
			if s.pairs&pair(u, v) != 0 {
				t.pairs |= pair(to[u], to[v])
			}
		}
	}
	return t
}

// quotients calls fn with the shape for every way to merge vertices that are not joined.
func (s shape) quotients(fn func(shape)) {
	to := make([]int, 0, s.size)
	var place func(parts int)
	place = func(parts int) {
		v := len(to)
		if v == s.size {
			if parts > 1 {
				fn(s.image(to, parts))
			}
			return
		}
		for p := range parts + 1 {
			joined := false
			for u, q := range to {
				joined = joined || q == p && s.pairs&pair(u, v) != 0
			}
			if !joined {
				to = append(to, p)
				place(max(parts, p+1))
				to = to[:v]
			}
		}
	}
	place(0)
}

// countedDirectly are the orbits whose rows hold numbers of subgraphs, induced or not. The other rows hold homomorphisms.
var countedDirectly = []int{14, 68, 69, 70, 71, 72}

// solve turns the numbers of one vertex into those of induced subgraphs, for the orbits of graphlets of at most size vertices.
func (x *system) solve(row []uint64) {
	for _, o := range x.order {
		if o >= len(row) {
			continue
		}
		n := row[o]
		for _, t := range x.terms[o] {
			if t.orbit >= len(row) {
				break
			}
			n -= t.times * row[t.orbit]
		}
		row[o] = n / x.own[o]
	}
}
