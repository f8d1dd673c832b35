package join

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Rounds. Below most first vertices a search finds a match soon, or soon sees that there is none. Below a few it finds none for
// minutes, and each order meets such a vertex sooner or later: one whose surroundings are too small for the pattern, but only just.
// So the runs of a portfolio go through their first vertices in rounds. A vertex gets some list elements; if they do not do, the search
// goes on with the next vertex and comes back in the next round, with several times as many. Vertices of many neighbours
// come first, since matches abound around them.
//
// A search below a vertex that comes back begins anew. It has handed over nothing before: the first match ends the rounds, and from
// then on every vertex is searched to its end.

var (
	rootSlice  = uint64(1 << 12) // list elements of a first vertex in the first round
	rootGrowth = uint64(4)       // how many times as many it gets in the next one
)

// sortedRoots is how many first vertices are sorted by their neighbours at most.
const sortedRoots = 1 << 12

// rounds is what a run knows about its first vertices. It has one worker until it finds a match.
type rounds struct {
	roots []csr.VertexID // in the order in which to try them
	slice uint64
	end   uint64 // work at which the vertex now searched has had its slice
}

// newRounds returns rounds for r, or nil if r cannot leave a search half way: a number may then be kept, or rows of bits be gone
// through. Nor are there rounds where all first vertices are taken together.
func (r *run) newRounds() *rounds {
	if first := &r.steps[0]; first.countable && first.noDependents {
		return nil
	}
	if !r.env.Uses(pattern.RootRounds) || r.denseAt >= 0 || slices.ContainsFunc(r.steps, func(st step) bool { return st.memo.kind != memoNone }) {
		return nil
	}
	return &rounds{roots: r.rootsByDegree(), slice: rootSlice}
}

// rootsByDegree returns the first vertices, those of many neighbours first. Of very many vertices, it moves only some to the front.
func (r *run) rootsByDegree() []csr.VertexID {
	list := r.steps[0].set.List()
	sources := r.steps[1].sources
	if len(sources) == 0 || sources[0].view == nil {
		return list
	}
	step := (len(list) + sortedRoots - 1) / sortedRoots
	var front, rest []csr.VertexID
	for i, v := range list {
		if i%step == 0 {
			front = append(front, v)
		} else {
			rest = append(rest, v)
		}
	}
	view := sources[0].view
	slices.SortStableFunc(front, func(a, b csr.VertexID) int { return cmp.Compare(view.Degree(b), view.Degree(a)) })
	return append(front, rest...)
}

// searchRounds is expand at the first step, in rounds.
func (w *worker) searchRounds(k int, weight uint64) (total pattern.Count128) {
	s := w.rounds
	for left := s.roots; len(left) > 0; s.slice *= rootGrowth {
		var again []csr.VertexID
		for i := range left {
			if w.halted() {
				return total
			}
			if w.phase.Load() == runEmitted {
				again = append(again, left[i:]...)
				break
			}
			s.end = w.work + s.slice
			w.nextTick = min(w.nextTick, s.end)
			total = w.add(total, w.loop(k, left[i:i+1], false, weight))
			if w.abandons() {
				w.pool.signal.And(^uint32(skipBit))
				w.env.Took(pattern.RootRounds, 1)
				again = append(again, left[i])
			}
		}
		if w.phase.Load() == runEmitted {
			return w.add(total, w.loop(k, again, false, weight))
		}
		left = again
	}
	return total
}

// limitRoot gives a first vertex up if it has had its slice. A worker calls it at each tick.
func (w *worker) limitRoot() {
	if w.rounds == nil || w.phase.Load() != runQuiet {
		return
	}
	if w.work >= w.rounds.end {
		w.pool.signal.Or(skipBit)
		return
	}
	w.nextTick = min(w.nextTick, w.rounds.end)
}

// abandons reports whether the run is to go on with its next first vertex.
func (r *run) abandons() bool { return r.pool.signal.Load()&skipBit != 0 }
