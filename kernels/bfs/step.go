package bfs

import (
	"math/bits"
	"sort"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
)

// How a search goes from one level to the next: push reads the frontier's rows, pull reads the rows of unreached vertices, and
// scanEdges reads all edges. What makes them fast: private buffers, rows shared above bigRow, and bitmap words with one writer.

const (
	frontChunk = 64      // frontier vertices that a worker takes at once
	bigRow     = 1 << 14 // neighbours that make a row one for all workers
	rowSlice   = 1 << 12 // what they take of it at once
	wordChunk  = 16      // words of the bitmap that a worker pulls at once
	edgeSlice  = 1 << 14 // relationships that a worker takes at once
	ownCap     = 1024    // found vertices in a private buffer
)

func (b *traversal) isSeen(v csr.VertexID) bool {
	return atomic.LoadUint64(&b.visits[v>>6])>>(v&63)&1 != 0
}

// claim marks v. The worker that marks it first makes from its parent.
func (b *traversal) claim(w *worker, v, from csr.VertexID) {
	word, bit := &b.visits[v>>6], uint64(1)<<(v&63)
	if b.alone {
		*word |= bit
	} else if atomic.OrUint64(word, bit)&bit != 0 {
		return
	}
	if b.refuses(v) {
		return
	}
	b.found(w, v, from)
	if w.own == nil {
		w.own = make([]csr.VertexID, 0, min(b.room, b.n))
	}
	if w.own = append(w.own, v); len(w.own) == cap(w.own) {
		w.overflows++
		b.flush(w)
	}
}

// refuses reports whether v is blocked. After a stop it asks no more, because each answer may take long.
func (b *traversal) refuses(v csr.VertexID) bool {
	return b.Blocked != nil && (b.stop.Load() || b.Blocked(v))
}

// found records v as reached.
func (b *traversal) found(w *worker, v, from csr.VertexID) {
	b.out.Depth[v], b.out.Parent[v] = b.level, from
	w.count++
	if b.forward != nil {
		w.edges += uint64(b.forward.Degree(v))
	}
}

// flush appends a worker's buffer to the queue, which has room for every vertex once.
func (b *traversal) flush(w *worker) {
	k := len(w.own)
	if k == 0 {
		return
	}
	copy(b.queue[int(b.tail.Add(int64(k)))-k:], w.own)
	w.own = w.own[:0]
}

// push marks the neighbours of every vertex in the queue. Large rows come last: all workers share them.
func (b *traversal) push() {
	front := b.queue[b.lo:b.hi]
	b.deal(b.frontEdges, len(front), frontChunk, func(w *worker, lo, hi int) {
		for _, v := range front[lo:hi] {
			if b.stop.Load() {
				return
			}
			if row := b.forward.Neighbours(v); len(row) <= b.big {
				b.pushRow(w, v, row)
			} else {
				w.rows++
				w.big = append(w.big, v)
			}
		}
	})
	for i := range b.crew {
		for _, v := range b.crew[i].big {
			row := b.forward.Neighbours(v)
			b.deal(uint64(len(row)), len(row), rowSlice, func(w *worker, lo, hi int) { b.pushRow(w, v, row[lo:hi]) })
		}
		b.crew[i].big = b.crew[i].big[:0]
	}
}

func (b *traversal) pushRow(w *worker, v csr.VertexID, row []csr.VertexID) {
	for _, x := range row {
		if !b.isSeen(x) {
			b.claim(w, x, v)
		}
	}
}

// pull looks for a parent in the frontier for every unreached vertex. Each word of a bitmap has one writer.
func (b *traversal) pull() {
	clear(b.next)
	back := b.backward()
	if back == nil {
		return
	}
	first, last := wordsOf(back)
	b.deal(uint64(last-first)<<6, last-first, wordChunk, func(w *worker, lo, hi int) {
		for i := first + lo; i < first+hi && !b.stop.Load(); i++ {
			b.pullWord(w, back, i)
		}
	})
}

// wordsOf returns the range of bitmap words whose vertices have neighbours. Vertices without mostly come last.
func wordsOf(a *csr.Adjacency) (first, last int) {
	span := a.Span()
	return int(span.Lo >> 6), int(span.Hi+63) >> 6
}

func (b *traversal) pullWord(w *worker, back *csr.Adjacency, i int) {
	var marked, found uint64
	for todo := ^b.visits[i]; todo != 0; todo &= todo - 1 { // bits past the last vertex have no neighbours
		v := csr.VertexID(i<<6 + bits.TrailingZeros64(todo))
		for _, u := range back.Neighbours(v) {
			if b.front[u>>6]>>(u&63)&1 == 0 {
				continue
			}
			bit := uint64(1) << (v & 63)
			marked |= bit
			if !b.refuses(v) {
				found |= bit
				b.found(w, v, u)
			}
			if !b.early {
				b.readOn(back.Neighbours(v))
			}
			break
		}
	}
	w.earlyStops += uint64(bits.OnesCount64(marked))
	b.visits[i] |= marked
	b.next[i] = found
}

// readOn reads a whole row and counts parents: the cost of a pull without the early stop (see pattern.BFSEarly).
func (b *traversal) readOn(row []csr.VertexID) (parents int) {
	for _, u := range row {
		parents += int(b.front[u>>6] >> (u & 63) & 1)
	}
	return parents
}

// toQueue writes the frontier to the queue unless it is there.
func (b *traversal) toQueue() {
	if b.inQueue {
		return
	}
	at := b.hi
	for i, word := range b.front {
		for ; word != 0; word &= word - 1 {
			b.queue[at] = csr.VertexID(i<<6 + bits.TrailingZeros64(word))
			at++
		}
	}
	b.lo, b.hi, b.inQueue = b.hi, at, true
	b.tail.Store(int64(at))
}

// scanEdges tries every edge of the graph. It splits the work evenly for any degrees and needs no view, but reads the whole graph
// at every level.
func (b *traversal) scanEdges() {
	rels := b.s.FlatRels(b.Types)
	for t := range rels {
		r := &rels[t]
		if !b.Types.Has(csr.TypeID(t)) {
			continue
		}
		m := len(r.Targets)
		b.edgeTests += uint64(m)
		b.deal(uint64(m), m, edgeSlice, func(w *worker, lo, hi int) { b.scanSlice(w, r, uint64(lo), uint64(hi)) })
	}
}

// scanSlice tries the edges at positions [lo, hi) of r.
func (b *traversal) scanSlice(w *worker, r *csr.Rels, lo, hi uint64) {
	i := sort.Search(len(r.Offsets), func(i int) bool { return r.Offsets[i] > lo }) - 1
	for p := lo; p < hi; i++ {
		v := r.Lo + csr.VertexID(i)
		for end := min(hi, r.Offsets[i+1]); p < end; p++ {
			x := r.Targets[p]
			if b.Direction != csr.In && b.inFront(v) && !b.isSeen(x) {
				b.claim(w, x, v)
			}
			if b.Direction != csr.Out && b.inFront(x) && !b.isSeen(v) {
				b.claim(w, v, x)
			}
		}
	}
}

func (b *traversal) inFront(v csr.VertexID) bool { return b.front[v>>6]>>(v&63)&1 != 0 }
