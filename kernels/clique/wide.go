package clique

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// wideGraph counts cliques of an induced subgraph with several words a row, by AND and popcount.
type wideGraph struct {
	inducedSubgraph
	level [][]uint64
	sum   pattern.Count128 // of what enumerate finds
	first []int            // scratch of gather and degrees
	all   []int
	*counter
}

func (g *wideGraph) at(depth int) []uint64 {
	for len(g.level) <= depth {
		g.level = append(g.level, nil)
	}
	if cap(g.level[depth]) < g.words {
		g.level[depth] = make([]uint64, g.words, 2*g.words)
	}
	g.level[depth] = g.level[depth][:g.words]
	return g.level[depth]
}

// enumerate adds the number of cliques of need vertices, at least 2, among the vertices at a level to sum.
func (g *wideGraph) enumerate(depth, need int) {
	p := g.at(depth)
	if need == 2 {
		g.add(uint64(g.edges(p)))
		return
	}
	next := g.at(depth + 1)
	for i := range p {
		for word := p[i]; word != 0; word &= word - 1 {
			if g.stop.Load() {
				return
			}
			row := g.row(i<<6 + bits.TrailingZeros64(word))
			clear(next[:i])
			next[i] = row[i] & (word & (word - 1))
			left := bits.OnesCount64(next[i])
			for j := i + 1; j < len(p); j++ {
				next[j] = p[j] & row[j]
				left += bits.OnesCount64(next[j])
			}
			if left >= need-1 {
				g.enumerate(depth+1, need-1)
			}
		}
	}
}

func (g *wideGraph) add(n uint64) { g.sum = satAdd(g.sum, pattern.Count(n)) }

// edges counts the edges inside p.
func (g *wideGraph) edges(p []uint64) (n int) {
	for i := range p {
		for word := p[i]; word != 0; word &= word - 1 {
			row := g.row(i<<6 + bits.TrailingZeros64(word))
			n += bits.OnesCount64(row[i] & (word & (word - 1)))
			n += sets.AndCount(p[i+1:], row[i+1:])
		}
	}
	return n
}

// pivot counts the cliques of need vertices among the n vertices at a level and q pivots joined to all of them: see
// pivot.go.
func (g *wideGraph) pivot(depth, n, q, need int) pattern.Count128 {
	switch {
	case q+n < need || g.stop.Load():
		return pattern.Count128{}
	case n == 0:
		return g.binomial.choose(q, need)
	case need == 0:
		return one
	case need == 1:
		return pattern.Count(uint64(q + n))
	}
	p := g.at(depth)
	if n <= 64 {
		return g.pivotWord(p, q, need)
	}
	best, whole, ends := g.degrees(p, n)
	q, n = q+whole, n-whole
	if n == 0 {
		g.uses[pattern.CompleteHood]++
		return g.binomial.choose(q, need)
	}
	if g.complements && n*(n-1)-ends <= 2*n {
		if total, ok := g.viaComplement(&g.inducedSubgraph, p, q, need); ok {
			return total
		}
	}
	next, row := g.at(depth+1), g.row(best)
	p = g.at(depth)
	total := g.pivot(depth+1, sets.AndInto(next, p, row), q+1, need)
	p[best>>6] &^= 1 << (best & 63)
	for i := range p {
		for word := p[i] &^ row[i]; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			p[i] &^= 1 << (v & 63)
			total = satAdd(total, g.pivot(depth+1, sets.AndInto(next, p, g.row(v)), q, need-1))
		}
	}
	return total
}

// pivotWord counts the same for at most 64 vertices p, in one word.
func (g *wideGraph) pivotWord(p []uint64, q, need int) pattern.Count128 {
	w := &g.word
	g.gather(p, w)
	w.mirror()
	g.uses[pattern.CliqueWord]++
	if fitsWord(q+w.n, need) {
		return pattern.Count(w.pivot(all(w.n), q, need))
	}
	w.tree(all(w.n), 0, 0, need)
	var total pattern.Count128
	for held := range w.n + 1 {
		for pivots, leaves := range w.table[held][:w.n-held+1] {
			if leaves > 0 && held <= need {
				total = satAdd(total, satMul(g.binomial.choose(q+pivots, need-held), pattern.Count(leaves)))
			}
			w.table[held][pivots] = 0
		}
	}
	return total
}

// gather makes w the subgraph induced by p, at most 64 vertices.
func (g *wideGraph) gather(p []uint64, w *wordGraph) {
	var below [64]int // by vertex of w: its word in p
	var bit [64]uint64
	g.first = slices.Grow(g.first[:0], len(p))
	first := g.first[:len(p)] // by word of p: the number of its first vertex
	n := 0
	for i, word := range p {
		first[i] = n
		for ; word != 0; word &= word - 1 {
			below[n], bit[n] = i, word&-word
			n++
		}
	}
	w.n, w.hasRows = n, false
	for a := range n {
		row := g.row(below[a]<<6 + bits.TrailingZeros64(bit[a]))
		up := uint64(0)
		for i := below[a]; i < len(p); i++ {
			both := row[i] & p[i]
			if i == below[a] {
				both &^= bit[a] | (bit[a] - 1)
			}
			for ; both != 0; both &= both - 1 {
				up |= 1 << (first[i] + bits.OnesCount64(p[i]&(both&-both-1)))
			}
		}
		w.upper[a] = up
	}
}

// degrees removes the vertices joined to all others from p, of n vertices, and finds the vertex with the most neighbours.
// whole is how many it removes, ends twice the number of the remaining edges.
func (g *wideGraph) degrees(p []uint64, n int) (best, whole, ends int) {
	most := -1
	g.all = g.all[:0]
	for i := range p {
		for word := p[i]; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			d := sets.AndCount(g.row(v), p)
			ends += d
			if d == n-1 {
				g.all = append(g.all, v)
			} else if d > most {
				best, most = v, d
			}
		}
	}
	whole = len(g.all)
	for _, v := range g.all {
		p[v>>6] &^= 1 << (v & 63)
	}
	return best, whole, ends - 2*whole*n + whole*(whole+1)
}

// viaComplement counts, by the missing edges of p, the cliques of need vertices among p and q pivots joined to all of p. It
// returns false if that takes too many branches.
func (c *counter) viaComplement(g *inducedSubgraph, p []uint64, q, need int) (pattern.Count128, bool) {
	sets, ok := c.complementOf(g, p, need)
	if !ok {
		return pattern.Count128{}, false
	}
	var total pattern.Count128
	for k, n := range sets {
		total = satAdd(total, satMul(n, c.binomial.choose(q, need-k)))
	}
	c.uses[pattern.CliqueComplement]++
	return total, true
}

func (c *counter) complementOf(g *inducedSubgraph, p []uint64, top int) (poly, bool) {
	m := &complement{top: top, budget: complementBudget, stop: c.stop.Load}
	return m.polynomial(m.load(g, p))
}
