package clique

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/parallel"
	"github.com/motifql/motif/kernels/sets"
)

// Maximal cliques by Bron and Kerbosch with a pivot (Tomita et al. 2006) below every vertex of a degeneracy order
// (Eppstein, Löffler and Strash 2010).
//
// Input: any snapshot; adjacency over the types in both directions, without loops and multiplicities. What makes it fast: a
// root's candidates are its later neighbours, at most degeneracy many, so all sets below it are short bitmaps. Earlier
// neighbours, which can be many, can only forbid. Each is a row over the candidates, and the list of those joined to the
// whole clique shrinks on the way down. A forbidding vertex joined to all candidates ends the branch at once. The search skips
// vertices of coreness < minSize-1. Memory: see scratchBytes.

// Maximal calls emit once for every clique of at least minSize vertices that lies in no larger clique, with rising vertices. The
// slice is only valid during the call. Calls do not overlap. emit returns false to stop; Maximal returns its error.
func Maximal(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, minSize int, env *pattern.Env,
	emit func(clique []csr.VertexID) (more bool, err error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g := core.Orientation(s, sub.Types, env.Workers)
	q := &maximalSearch{g: g, adj: s.Adjacency(sub.Types, csr.Both), in: member(g, sub.Within), least: minSize, emit: emit}
	need := scratchBytes(g) * int64(max(1, env.Workers))
	defer env.Memory.Release(need)
	if err := env.Memory.Charge(need); err != nil {
		return err
	}
	err := deal(ctx, &rootRange{g: g, in: q.in, last: len(g.Vertex), least: minSize, most: len(g.Vertex)}, 16, env, &q.stop, func() (func(uint32) error, func() error, error) {
		w := &maximalWorker{maximalSearch: q, mark: make(marks, len(g.Vertex))}
		return w.root, func() error { return nil }, nil
	})
	if err == parallel.ErrStop {
		return nil
	}
	return err
}

// maximalSearch is the state that all workers share.
type maximalSearch struct {
	g     *core.Oriented
	adj   *csr.Adjacency
	in    func(rank uint32) bool
	least int
	stop  stopFlag

	mu     sync.Mutex // held while emit runs
	noMore bool       // emit wants no more
	emit   func([]csr.VertexID) (bool, error)
}

// maximalWorker searches below one root at a time.
type maximalWorker struct {
	*maximalSearch
	mark   marks
	hood   []uint32        // candidates of the root
	local  inducedSubgraph // on hood
	forbid []uint64        // by earlier neighbour: a row over hood
	level  []maximalLevel
	path   []uint32 // ranks of the clique so far
	out    []csr.VertexID
}

// maximalLevel is the scratch of one level of the search.
type maximalLevel struct {
	cand       []uint64 // vertices of hood that extend the clique (P of Bron and Kerbosch)
	exclusions []uint64 // vertices of hood that extend it too but had their turn (X)
	earlier    []int32  // earlier neighbours joined to all that is chosen
}

func (w *maximalWorker) root(r uint32) error {
	g, least := w.g, max(1, w.least)
	if int(g.Core[r])+1 < least || !w.in(r) {
		return nil
	}
	w.hood = w.hood[:0]
	for _, x := range g.Out(r) {
		if int(g.Core[x])+1 >= least && w.in(x) {
			w.hood = append(w.hood, x)
		}
	}
	if 1+len(w.hood) < least {
		return nil
	}
	w.path = append(w.path[:0], r)
	if len(w.hood) == 0 {
		if slices.ContainsFunc(w.adj.Neighbours(g.Vertex[r]), func(v csr.VertexID) bool { return g.Rank[v] < r && w.in(g.Rank[v]) }) {
			return nil
		}
		return w.send()
	}
	w.local.build(g, w.hood, w.mark)
	w.earlier(r, least)
	l := w.at(0)
	fill(l.cand, len(w.hood))
	clear(l.exclusions)
	return w.search(0)
}

// earlier makes the rows of the earlier neighbours of r that could forbid a clique of at least least vertices.
func (w *maximalWorker) earlier(r uint32, least int) {
	words := w.local.words
	w.forbid = w.forbid[:0]
	l := w.at(0)
	l.earlier = l.earlier[:0]
	w.mark.set(w.hood)
	for _, v := range w.adj.Neighbours(w.g.Vertex[r]) {
		x := w.g.Rank[v]
		if x >= r || int(w.g.Core[x])+1 < least || !w.in(x) {
			continue
		}
		at := len(w.forbid)
		w.forbid = append(w.forbid, make([]uint64, words)...)
		row, any := w.forbid[at:], uint32(0)
		for _, y := range w.g.Out(x) {
			if j := w.mark[y]; j != 0 {
				row[(j-1)>>6] |= 1 << ((j - 1) & 63)
				any |= j
			}
		}
		if any == 0 {
			w.forbid = w.forbid[:at]
			continue
		}
		l.earlier = append(l.earlier, int32(at))
	}
	w.mark.clear(w.hood)
}

// at returns the scratch of a level, as long as the root's bitmaps.
func (w *maximalWorker) at(depth int) *maximalLevel {
	for len(w.level) <= depth {
		w.level = append(w.level, maximalLevel{})
	}
	l, n := &w.level[depth], w.local.words
	if cap(l.cand) < n {
		l.cand, l.exclusions = make([]uint64, n, 2*n), make([]uint64, n, 2*n)
	}
	l.cand, l.exclusions = l.cand[:n], l.exclusions[:n]
	return l
}

// search completes the clique in path by the candidates of a level, in all ways.
func (w *maximalWorker) search(depth int) error {
	l := w.at(depth)
	left := count(l.cand)
	if left == 0 {
		if len(l.earlier) > 0 || count(l.exclusions) > 0 {
			return nil
		}
		return w.send()
	}
	if len(w.path)+left < w.least || w.stop.Load() {
		return nil
	}
	pivot, covers := w.pivot(l, left)
	if covers {
		return nil
	}
	w.at(depth + 1) // may move the levels
	l = &w.level[depth]
	for i := range l.cand {
		for word := l.cand[i] &^ pivot[i]; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			w.descend(depth, v)
			err := w.search(depth + 1)
			w.path = w.path[:len(w.path)-1]
			if err != nil {
				return err
			}
			l = &w.level[depth]
			l.cand[i] &^= 1 << (v & 63)
			l.exclusions[i] |= 1 << (v & 63)
		}
	}
	return nil
}

// pivot returns the row of the candidate or forbidding vertex with the most candidates. If a forbidding vertex has all candidates,
// covers is true: no clique below is maximal.
func (w *maximalWorker) pivot(l *maximalLevel, left int) (best []uint64, covers bool) {
	most := -1
	for _, x := range l.earlier {
		row := w.forbid[x : int(x)+w.local.words]
		n := sets.AndCount(row, l.cand)
		if n == left {
			return nil, true
		}
		if n > most {
			best, most = row, n
		}
	}
	for i := range l.cand {
		for word := l.exclusions[i] | l.cand[i]; word != 0; word &= word - 1 {
			row := w.local.row(i<<6 + bits.TrailingZeros64(word))
			n := sets.AndCount(row, l.cand)
			if n == left { // a candidate is not joined to itself
				return nil, true
			}
			if n > most {
				best, most = row, n
			}
		}
	}
	return best, false
}

// descend adds vertex v of hood to the clique.
func (w *maximalWorker) descend(depth, v int) {
	l, next, row := &w.level[depth], &w.level[depth+1], w.local.row(v)
	for i, x := range row {
		next.cand[i], next.exclusions[i] = l.cand[i]&x, l.exclusions[i]&x
	}
	next.earlier = next.earlier[:0]
	for _, x := range l.earlier {
		if w.forbid[int(x)+v>>6]>>(v&63)&1 != 0 {
			next.earlier = append(next.earlier, x)
		}
	}
	w.path = append(w.path, w.hood[v])
}

func (w *maximalWorker) send() error {
	if len(w.path) < w.least {
		return nil
	}
	w.out = verticesOf(w.g, w.out[:0], w.path)
	slices.Sort(w.out)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.noMore {
		return parallel.ErrStop
	}
	more, err := w.emit(w.out)
	if err != nil || !more {
		w.noMore = true
	}
	if err == nil && !more {
		err = parallel.ErrStop
	}
	return err
}
