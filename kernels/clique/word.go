package clique

import (
	"math/bits"
	"sync/atomic"
)

// wordGraph is an induced subgraph of at most 64 vertices, one word a row. It fits into registers and the innermost cache, which
// makes it fast. Rows of upper hold later neighbours only, rows of row all neighbours. mirror makes row from upper on demand.
//
// Numbers of cliques of 64 vertices fit 62 bits (64 over 32 is below 2^61), so nothing here can overflow; see fitsWord.
type wordGraph struct {
	n       int
	upper   [64]uint64
	row     [64]uint64
	hasRows bool // row is filled

	table [65][65]uint64 // leaves by held vertices and pivots, see tree
	stop  *atomic.Bool   // ends searches of more than pollFrom vertices
}

// pollFrom is the number of vertices from which searches poll stop. Smaller searches end within milliseconds.
const pollFrom = 20

// pascalTriangle holds min(noFit, n over k) up to maxPivots and 64.
var pascalTriangle = func() *[maxPivots + 1][65]uint64 {
	t := new([maxPivots + 1][65]uint64)
	for n := range t {
		t[n][0] = 1
		for k := 1; k <= min(n, 64); k++ {
			t[n][k] = min(noFit, t[n-1][k-1]+t[n-1][k])
		}
	}
	return t
}()

const (
	maxPivots = 255     // pivots and other vertices of a word, together
	noFit     = 1 << 62 // two of them still fit a word
)

// fitsWord reports whether every number of cliques of need vertices among n fits a word.
func fitsWord(n, need int) bool {
	return n <= 64 || n <= maxPivots && need <= 64 && pascalTriangle[n][need] < noFit
}

// all returns the set of the first n vertices.
func all(n int) uint64 { return ^uint64(0) >> (64 - n) }

// mirror makes row from upper.
func (g *wordGraph) mirror() {
	if g.hasRows {
		return
	}
	g.hasRows = true
	clear(g.row[:g.n])
	for i, up := range g.upper[:g.n] {
		g.row[i] |= up
		for ; up != 0; up &= up - 1 {
			g.row[bits.TrailingZeros64(up)] |= 1 << i
		}
	}
}

func (g *wordGraph) edges(p uint64) (n int) {
	for rest := p; rest != 0; rest &= rest - 1 {
		n += bits.OnesCount64(p & g.upper[bits.TrailingZeros64(rest)&63])
	}
	return n
}

// enumerate counts the cliques of need vertices in p, need > 1: the last two levels are one loop.
func (g *wordGraph) enumerate(p uint64, need int) (n uint64) {
	switch need {
	case 2:
		return uint64(g.edges(p))
	case 3:
		for rest := p; rest != 0; rest &= rest - 1 {
			if c := p & g.upper[bits.TrailingZeros64(rest)&63]; c&(c-1) != 0 {
				n += uint64(g.edges(c))
			}
		}
		return n
	}
	if bits.OnesCount64(p) > pollFrom && g.stop.Load() {
		return 0
	}
	for rest := p; rest != 0; rest &= rest - 1 {
		if c := p & g.upper[bits.TrailingZeros64(rest)&63]; bits.OnesCount64(c) >= need-1 {
			n += g.enumerate(c, need-1)
		}
	}
	return n
}

// pivot counts the cliques of need vertices among p and q pivots joined to all of p: see pivot.go. It counts needs of up
// to 3 directly. fitsWord must hold for q and p together.
func (g *wordGraph) pivot(p uint64, q, need int) uint64 {
	n := bits.OnesCount64(p)
	c := pascalTriangle
	if q+n < need || n > pollFrom && g.stop.Load() {
		return 0
	}
	switch need {
	case 0:
		return 1
	case 1:
		return uint64(q + n)
	case 2:
		return c[q][2] + uint64(q*n+g.edges(p))
	case 3:
		return g.upToThree(p, q, n)
	}
	best, most, ends := 0, -1, 0
	whole := uint64(0) // joined to all the others
	for rest := p; rest != 0; rest &= rest - 1 {
		v := bits.TrailingZeros64(rest) & 63
		d := bits.OnesCount64(p & g.row[v])
		ends += d
		if d == n-1 {
			whole |= 1 << v
		} else if d > most {
			best, most = v, d
		}
	}
	if whole != 0 {
		p &^= whole
		u := bits.OnesCount64(whole)
		q, n, ends = q+u, n-u, ends-2*u*n+u*(u+1)
		most -= u
	}
	switch {
	case n == 0:
		return c[q][need]
	case q+n < need:
		return 0
	case most == n-2 && ends == n*(n-2): // each misses one other
		return matching(n/2, q, need)
	}
	total := g.pivot(p&g.row[best], q+1, need)
	p &^= 1 << best
	for rest := p &^ g.row[best]; rest != 0; rest &= rest - 1 {
		v := bits.TrailingZeros64(rest) & 63
		p &^= 1 << v
		total += g.pivot(p&g.row[v], q, need-1)
	}
	return total
}

// upToThree counts the triples of n vertices p and q pivots.
func (g *wordGraph) upToThree(p uint64, q, n int) uint64 {
	c := pascalTriangle
	total := c[q][3] + c[q][2]*uint64(n)
	for rest := p; rest != 0; rest &= rest - 1 {
		if x := p & g.upper[bits.TrailingZeros64(rest)&63]; x != 0 {
			total += uint64(q*bits.OnesCount64(x) + g.edges(x))
		}
	}
	return total
}

// matching counts the cliques of need vertices in a graph that misses only a matching of the given number of pairs, with q vertices joined
// to all others. A clique has any of the q, and at most one end of each pair.
func matching(pairs, q, need int) (n uint64) {
	for i := max(0, need-q); i <= min(pairs, need); i++ {
		n += pascalTriangle[pairs][i] << i * pascalTriangle[q][need-i]
	}
	return n
}

// tree adds the leaves of the pivot tree of p with at most upTo held vertices to table. It needs no walk where at most three
// more vertices can be held, or where each vertex of p misses one other.
func (g *wordGraph) tree(p uint64, held, q, upTo int) {
	n := bits.OnesCount64(p)
	if n == 0 || held == upTo {
		g.table[held][q]++
		return
	}
	if upTo-held <= 3 {
		g.lastLeaves(p, held, q, upTo-held)
		return
	}
	if n > pollFrom && g.stop.Load() {
		return
	}
	best, most, ends := 0, -1, 0
	whole := uint64(0)
	for rest := p; rest != 0; rest &= rest - 1 {
		v := bits.TrailingZeros64(rest) & 63
		d := bits.OnesCount64(p & g.row[v])
		ends += d
		if d == n-1 {
			whole |= 1 << v
		} else if d > most {
			best, most = v, d
		}
	}
	if whole != 0 {
		p &^= whole
		u := bits.OnesCount64(whole)
		q, n, ends, most = q+u, n-u, ends-2*u*n+u*(u+1), most-u
		if p == 0 {
			g.table[held][q]++
			return
		}
	}
	if most == n-2 && ends == n*(n-2) {
		for i := 0; i <= min(n/2, upTo-held); i++ {
			g.table[held+i][q] += pascalTriangle[n/2][i] << i
		}
		return
	}
	g.tree(p&g.row[best], held, q+1, upTo)
	p &^= 1 << best
	for rest := p &^ g.row[best]; rest != 0; rest &= rest - 1 {
		v := bits.TrailingZeros64(rest) & 63
		p &^= 1 << v
		g.tree(p&g.row[v], held+1, q, upTo)
	}
}

// lastLeaves adds the leaves with up to left more held vertices, 1 to 3: each clique of that size in p is a leaf.
func (g *wordGraph) lastLeaves(p uint64, held, q, left int) {
	g.table[held][q]++
	g.table[held+1][q] += uint64(bits.OnesCount64(p))
	if left > 1 {
		g.table[held+2][q] += uint64(g.edges(p))
	}
	if left > 2 {
		g.table[held+3][q] += g.enumerate(p, 3)
	}
}
