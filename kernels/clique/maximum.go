package clique

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/sets"
)

// A maximum clique by branch and bound with a greedy colouring on bitmaps (Tomita and Kameda 2007; San Segundo et al.
// 2011, BBMC).
//
// Input: any snapshot; adjacency over the types in both directions, without loops and multiplicities. What makes it fast: the
// search takes roots from the dense end of a degeneracy order, so it knows a large clique early. It skips a root whose
// coreness or number of candidates cannot beat that clique, and candidates of too small a coreness or degree. Below a root a
// colouring bounds the clique among the candidates, and the search branches only on colours beyond the bound. All
// workers share the best size. Memory: see scratchBytes.

// Maximum returns a clique with the most vertices, rising; nil for a graph without vertices. With several workers and several
// such cliques, runs may differ. It fails with pattern.ErrMemory or the context's error.
func Maximum(ctx context.Context, s *csr.Snapshot, sub *pattern.Subgraph, env *pattern.Env) ([]csr.VertexID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := core.Orientation(s, sub.Types, env.Workers)
	q := &maximumSearch{g: g, in: member(g, sub.Within)}
	need := scratchBytes(g) * int64(max(1, env.Workers))
	defer env.Memory.Release(need)
	if err := env.Memory.Charge(need); err != nil {
		return nil, err
	}
	err := deal(ctx, &rootRange{g: g, in: q.in, last: len(g.Vertex), least: 1, most: 2}, 1, env, &q.stop, func() (func(uint32) error, func() error, error) {
		w := &maximumWorker{maximumSearch: q, mark: make(marks, len(g.Vertex))}
		return w.root, func() error { return nil }, nil
	})
	if err != nil {
		return nil, err
	}
	clique := verticesOf(g, nil, q.best)
	slices.Sort(clique)
	return clique, nil
}

// maximumSearch is the state that all workers share.
type maximumSearch struct {
	g    *core.Oriented
	in   func(rank uint32) bool
	stop stopFlag
	size atomic.Int64 // of best
	mu   sync.Mutex
	best []uint32 // ranks
}

// maximumWorker searches below one root at a time.
type maximumWorker struct {
	*maximumSearch
	mark  marks
	hood  []uint32
	local inducedSubgraph
	level []maximumLevel
	path  []uint32 // ranks of the clique so far
}

// maximumLevel is the scratch of one level.
type maximumLevel struct {
	cand, rest, class []uint64
	order, colour     []int32 // vertices to branch on, by rising colour
}

func (w *maximumWorker) root(r uint32) error {
	g, best := w.g, int(w.size.Load())
	if int(g.Core[r]) < best || !w.in(r) {
		return nil
	}
	w.hood = w.hood[:0]
	for _, x := range slices.Backward(g.Out(r)) { // the densest first: they take the first colours
		if int(g.Core[x]) >= best && w.in(x) {
			w.hood = append(w.hood, x)
		}
	}
	w.path = append(w.path[:0], r)
	if len(w.hood) < best {
		return nil
	}
	if len(w.hood) == 0 {
		w.found()
		return nil
	}
	w.local.build(g, w.hood, w.mark)
	l := w.at(0)
	fill(l.cand, len(w.hood))
	if w.thin(l.cand, best-1) {
		w.search(0)
	}
	return nil
}

// thin removes candidates with fewer than least candidate neighbours until there are none. It reports whether more than
// least candidates stay.
func (w *maximumWorker) thin(cand []uint64, least int) bool {
	for again := true; again; {
		again = false
		for i, word := range cand {
			for ; word != 0; word &= word - 1 {
				if v := i<<6 + bits.TrailingZeros64(word); sets.AndCount(w.local.row(v), cand) < least {
					cand[i] &^= 1 << (v & 63)
					again = true
				}
			}
		}
	}
	return count(cand) > least
}

func (w *maximumWorker) at(depth int) *maximumLevel {
	for len(w.level) <= depth {
		w.level = append(w.level, maximumLevel{})
	}
	l, n := &w.level[depth], w.local.words
	if cap(l.cand) < n {
		l.cand, l.rest, l.class = make([]uint64, n, 2*n), make([]uint64, n, 2*n), make([]uint64, n, 2*n)
	}
	l.cand, l.rest, l.class = l.cand[:n], l.rest[:n], l.class[:n]
	return l
}

// search looks for a larger clique that contains path and candidates of a level.
func (w *maximumWorker) search(depth int) {
	l := w.at(depth)
	l.paint(&w.local, int(w.size.Load())-len(w.path))
	for i := len(l.order) - 1; i >= 0; i-- {
		if len(w.path)+int(l.colour[i]) <= int(w.size.Load()) || w.stop.Load() {
			return
		}
		v := int(l.order[i])
		next := w.at(depth + 1)
		l = &w.level[depth]
		any := uint64(0)
		for j, x := range w.local.row(v) {
			next.cand[j] = l.cand[j] & x
			any |= next.cand[j]
		}
		w.path = append(w.path, w.hood[v])
		if any == 0 {
			w.found()
		} else {
			w.search(depth + 1)
		}
		w.path = w.path[:len(w.path)-1]
		l = &w.level[depth]
		l.cand[v>>6] &^= 1 << (v & 63)
	}
}

// paint colours the candidates greedily, neighbours differently, and lists the vertices of colours beyond bound. Vertices of the first
// bound colours cannot make a clique of more than bound vertices.
func (l *maximumLevel) paint(g *inducedSubgraph, bound int) {
	l.order, l.colour = l.order[:0], l.colour[:0]
	copy(l.rest, l.cand)
	for colour := 1; ; colour++ {
		copy(l.class, l.rest)
		some := false
		for i := range l.class {
			for l.class[i] != 0 {
				some = true
				bit := bits.TrailingZeros64(l.class[i])
				v := i<<6 + bit
				l.class[i] &= l.class[i] - 1
				l.rest[i] &^= 1 << bit
				row := g.row(v)
				for j := i; j < len(row); j++ {
					l.class[j] &^= row[j]
				}
				if colour > bound {
					l.order, l.colour = append(l.order, int32(v)), append(l.colour, int32(colour))
				}
			}
		}
		if !some {
			return
		}
	}
}

// found keeps the clique in path if it is the largest.
func (w *maximumWorker) found() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.path) > len(w.best) {
		w.best = append(w.best[:0], w.path...)
		w.size.Store(int64(len(w.best)))
	}
}
