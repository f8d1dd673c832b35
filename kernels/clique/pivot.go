package clique

import (
	"math/bits"

	"github.com/motifql/motif/kernels/sets"
)

// Pivoting (Jain and Seshadhri 2020, Pivoter). A node of the search has held vertices, pivots, and a set P of vertices joined to all
// of both. The search picks a pivot p from P. A clique of P either lies in p and its neighbours, so p becomes one more pivot
// over its neighbours in P. Or it has a first vertex that is not p's neighbour, which the next node holds. At a leaf P is
// empty: h held vertices and q pivots stand for the cliques of all held vertices and any pivots, (q over k-h) of size k.
//
// Input: an induced subgraph as a bitmap. What makes it fast: a leaf stands for many cliques, the more the denser the graph.

// pivotTree searches the pivot tree of an induced subgraph, down to upTo held vertices.
type pivotTree struct {
	*inducedSubgraph
	upTo   int
	least  int // sizes below it are not asked for
	stop   func() bool
	leaf   func(held, pivots int)
	level  [][]uint64
	path   []int // the held vertices
	pivots []int
}

func (t *pivotTree) at(depth int) []uint64 {
	for len(t.level) <= depth {
		t.level = append(t.level, nil)
	}
	if cap(t.level[depth]) < t.words {
		t.level[depth] = make([]uint64, t.words, 2*t.words)
	}
	t.level[depth] = t.level[depth][:t.words]
	return t.level[depth]
}

// search visits the leaves below a node whose P is in t.at(depth).
func (t *pivotTree) search(depth, held, pivots int) {
	p := t.at(depth)
	left := count(p)
	switch {
	case held+pivots+left < t.least || t.stop():
		return
	case left == 0 || held == t.upTo: // at upTo held vertices P adds to no clique
		t.leaf(held, pivots)
		return
	}
	pivot := t.choose(p)
	next := t.at(depth + 1)
	row := t.row(pivot)
	for i := range p {
		next[i] = p[i] & row[i]
	}
	t.pivots = append(t.pivots, pivot)
	t.search(depth+1, held, pivots+1)
	t.pivots = t.pivots[:len(t.pivots)-1]
	p = t.level[depth]
	p[pivot>>6] &^= 1 << (pivot & 63)
	for i := range p {
		for word := p[i] &^ row[i]; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			p[i] &^= 1 << (v & 63)
			next := t.at(depth + 1)
			for j, x := range t.row(v) {
				next[j] = p[j] & x
			}
			t.path = append(t.path, v)
			t.search(depth+1, held+1, pivots)
			t.path = t.path[:len(t.path)-1]
			p = t.level[depth]
		}
	}
}

// choose returns the vertex of p with the most neighbours in p.
func (t *pivotTree) choose(p []uint64) (best int) {
	most := -1
	for i, word := range p {
		for ; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			if n := sets.AndCount(t.row(v), p); n > most {
				best, most = v, n
			}
		}
	}
	return best
}
