package clique

import (
	"context"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// Cliques of every size at once. A worker walks pivot trees (pivot.go) and keeps only the number of leaves, by held vertices and
// pivots. Where few edges are missing it counts by polynomials (complement.go).
//
// Input: any snapshot; adjacency over the types in both directions, without loops and multiplicities. What makes it fast: one
// tree for all sizes, in one machine word as soon as a node has at most 64 vertices. Vertices joined to all others become pivots
// in one step. No 128-bit arithmetic before the end. Counts are exact in 128 bits or fail with pattern.ErrOverflow. Memory: see
// scratchBytes.

// CountBySize returns the number of cliques of each size: counts[k] for k = 1, 2, ... up to the largest clique, or up to upTo if
// upTo is not 0. It fails with pattern.ErrOverflow, pattern.ErrMemory or the context's error.
func CountBySize(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, upTo int, env *pattern.Env) ([]pattern.Count128, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := int(s.N()); upTo == 0 || upTo > n {
		upTo = n
	}
	q := newCliqueSearch(s, sub.Clique(upTo), env)
	need := scratchBytes(q.g) * int64(max(1, env.Workers))
	defer env.Memory.Release(need)
	if err := env.Memory.Charge(need); err != nil {
		return nil, err
	}
	last, counts := q.tailSizes()
	err := deal(ctx, &rootRange{g: q.g, in: q.in, last: last, least: 1, most: upTo}, 16, env, &q.stop, func() (func(uint32) error, func() error, error) {
		w := newCounter(q)
		t := &sizes{counter: w}
		return t.root, func() error {
			t.flush(1, 0)
			w.report()
			q.mu.Lock()
			defer q.mu.Unlock()
			counts = t.leaves.sum(counts.sum(t.counts, 0, upTo), upTo)
			return nil
		}, nil
	})
	if err != nil {
		return nil, err
	}
	if slices.Contains(counts, tooLarge) {
		return nil, pattern.ErrOverflow
	}
	return counts, nil
}

// leafCounts counts leaves by held vertices and pivots.
type leafCounts [][]uint64

func (l *leafCounts) add(held, pivots int, n uint64) {
	for len(*l) <= held {
		*l = append(*l, nil)
	}
	row := &(*l)[held]
	for len(*row) <= pivots {
		*row = append(*row, 0)
	}
	(*row)[pivots] += n
}

// sum returns counts plus the cliques of the leaves, by size up to upTo.
func (l leafCounts) sum(counts poly, upTo int) poly {
	var b binomials
	for held, row := range l {
		for pivots, n := range row {
			if n > 0 {
				counts = counts.sum(poly{pattern.Count(n)}.product(b.row(pivots), upTo), held, upTo)
			}
		}
	}
	return counts
}

// sizes is a worker that counts cliques of every size up to k.
type sizes struct {
	*counter
	leaves leafCounts
	counts poly // besides what the leaves stand for
}

// root counts the cliques whose first vertex is r.
func (t *sizes) root(r uint32) error {
	w := t.counter
	if !w.in(r) {
		return nil
	}
	w.hood = w.hood[:0]
	for _, x := range w.g.Out(r) {
		if w.in(x) {
			w.hood = append(w.hood, x)
		}
	}
	switch n := len(w.hood); {
	case n == 0 || w.k == 1:
		t.leaves.add(1, 0, 1)
	case n <= 64 && w.words:
		w.rootWord()
		w.uses[pattern.CliqueWord]++
		w.word.mirror()
		w.word.tree(all(n), 0, 0, w.k-1) // leaves stay in its table
	default:
		g := &w.wide
		g.build(w.g, w.hood, w.mark)
		fill(g.at(0), n)
		t.flush(1, 0)
		t.tree(0, n, 1, 0)
	}
	return nil
}

// flush moves the leaves from the table of word to leaves. The trees of word began with the given numbers of held vertices and pivots.
func (t *sizes) flush(held, pivots int) {
	table := &t.word.table
	for h := range table {
		for p, n := range table[h][:len(table)-h] {
			if n > 0 {
				t.leaves.add(held+h, pivots+p, n)
				table[h][p] = 0
			}
		}
	}
}

// tree walks the pivot tree of the n vertices at a level of wide.
func (t *sizes) tree(depth, n, held, pivots int) {
	w, g := t.counter, &t.wide
	p := g.at(depth)
	switch {
	case w.stop.Load():
		return
	case n == 0 || held == w.k:
		t.leaves.add(held, pivots, 1)
		return
	case w.k-held <= 2:
		t.leaves.add(held, pivots, 1)
		t.leaves.add(held+1, pivots, uint64(n))
		if w.k-held == 2 {
			t.leaves.add(held+2, pivots, uint64(g.edges(p)))
		}
		return
	case n <= 64 && w.words:
		g.gather(p, &w.word)
		w.uses[pattern.CliqueWord]++
		w.word.mirror()
		w.word.tree(all(n), 0, 0, w.k-held)
		t.flush(held, pivots)
		return
	}
	best, whole, ends := g.degrees(p, n)
	pivots, n = pivots+whole, n-whole
	if n == 0 {
		t.leaves.add(held, pivots, 1)
		return
	}
	if w.complements && n*(n-1)-ends <= 2*n {
		if sets, ok := w.complementOf(&g.inducedSubgraph, p, min(n, w.k-held)); ok {
			w.uses[pattern.CliqueComplement]++
			t.counts = t.counts.sum(sets.product(w.binomial.row(pivots), w.k-held), held, w.k)
			return
		}
	}
	next, row := g.at(depth+1), g.row(best)
	p = g.at(depth)
	t.tree(depth+1, sets.AndInto(next, p, row), held, pivots+1)
	p[best>>6] &^= 1 << (best & 63)
	for i := range p {
		for word := p[i] &^ row[i]; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			p[i] &^= 1 << (v & 63)
			t.tree(depth+1, sets.AndInto(next, p, g.row(v)), held+1, pivots)
		}
	}
}

// tailSizes counts the cliques inside a nearly complete end of the order, by size: see countTail.
func (q *cliqueSearch) tailSizes() (start int, counts poly) {
	start = len(q.g.Vertex)
	w, g, at := q.tailGraph()
	if w == nil {
		return start, nil
	}
	p := make([]uint64, g.words)
	fill(p, g.n)
	counts, ok := w.complementOf(g, p, min(g.n, q.k))
	if !ok {
		return start, nil
	}
	w.uses[pattern.CliqueTail]++
	w.report()
	counts[0] = pattern.Count128{}
	return at, counts
}
