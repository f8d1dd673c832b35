package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// Neighbour lists over candidates only. The lists of the snapshot's views hold every neighbour; each time one is
// read, it has to be cut to the range of the candidates and its members tested. A long search does better
// with lists made for its candidates. To make them costs about one pass over the lists of all candidates, so it
// is done once the search has proved to be worth a part of that; short searches never pay for it.

// restrictCost estimates the list elements to be gone through to make all restricted lists.
func (c *compiler) restrictCost() float64 {
	cost := 0.0
	for k := range c.steps {
		for i := range c.steps[k].sources {
			if src := &c.steps[k].sources[i]; src.from >= 0 && c.restrictable(c.pos[src.from], k) {
				of := float64(c.steps[c.pos[src.from]].set.Len())
				cost += of + of*float64(src.view.Len())/float64(c.s.N())
			}
		}
	}
	return cost
}

// restrictable reports whether lists that lead from the candidates of a step into those of another may hold
// others too.
func (c *program) restrictable(from, to int) bool {
	st := &c.steps[to]
	return !c.steps[from].bound && !st.bound && (st.narrow || st.bits != nil)
}

// rootDone is called after each vertex of the segment's first free step. There no deeper list is in use.
func (w *worker) rootDone() {
	w.roots++
	if !w.narrowed {
		w.narrow()
	}
}

// narrow turns to the restricted lists, if it is time.
func (w *worker) narrow() {
	made := w.restricted.Load()
	if made == nil {
		if w.work < w.restrictAt {
			return
		}
		w.restrictOnce.Do(func() { w.restrict() })
		made = w.restricted.Load()
	}
	w.sources, w.narrowed = *made, true
}

// restrict makes the restricted lists, as far as memory allows.
func (w *worker) restrict() {
	r := restriction{worker: w, made: map[restrictKey]*csr.Adjacency{}}
	sources := make([][]source, len(w.steps))
	for k := range w.steps {
		sources[k] = slices.Clone(w.steps[k].sources)
		for i := range sources[k] {
			src := &sources[k][i]
			if src.from < 0 {
				continue
			}
			from := w.pos[src.from]
			src.view, src.filtered = r.view(src.view, from, k)
			if src.back != nil {
				src.back, _ = r.view(src.back, k, from)
			}
		}
	}
	w.restricted.Store(&sources)
}

// restriction keeps what was made, for steps whose lists are the same.
type restriction struct {
	*worker
	made map[restrictKey]*csr.Adjacency
}

type restrictKey struct {
	view     *csr.Adjacency
	from, to *pattern.CandidateSet
}

// view returns the part of a view that leads from candidates of one step to those of another, or the view itself if
// there is nothing to gain or memory is short.
func (r *restriction) view(view *csr.Adjacency, from, to int) (*csr.Adjacency, bool) {
	if !r.restrictable(from, to) {
		return view, false
	}
	key := restrictKey{view, r.steps[from].set, r.steps[to].set}
	if r.made[key] == nil {
		r.made[key] = r.restrictView(view, &r.steps[from], &r.steps[to])
	}
	if made := r.made[key]; made != nil {
		return made, true
	}
	return view, false
}

func (w *worker) restrictView(view *csr.Adjacency, from, to *step) *csr.Adjacency {
	of := from.set.List()
	lo, hi := of[0], of[len(of)-1]+1
	out := &csr.Adjacency{Lo: lo, Offsets: make([]uint64, hi-lo+1)}
	next := lo
	for i, v := range of {
		if i%1024 == 0 && w.halted() {
			break
		}
		for ; next <= v; next++ {
			out.Offsets[next-lo] = uint64(len(out.Targets))
		}
		if view.Counts != nil {
			restrictRow(out, view, v, to)
			continue
		}
		list := view.Neighbours(v)
		if to.narrow {
			list = kernels.Cut(list, to.lo, to.hi)
		}
		if to.bits == nil {
			out.Targets = append(out.Targets, list...)
		} else {
			out.Targets = w.filter(out.Targets, list, to.bits, 0)
		}
	}
	for ; next <= hi; next++ {
		out.Offsets[next-lo] = uint64(len(out.Targets))
	}
	if !w.afford(8*len(out.Offsets) + 4*cap(out.Targets) + 4*cap(out.Counts)) {
		return nil
	}
	return out
}

// restrictRow appends the candidates among v's neighbours, and how many relationships each stands for.
func restrictRow(out, view *csr.Adjacency, v csr.VertexID, to *step) {
	lo, hi := view.Row(v)
	for i := lo; i < hi; i++ {
		if to.has(view.Targets[i]) {
			out.Targets = append(out.Targets, view.Targets[i])
			out.Counts = append(out.Counts, view.Counts[i])
		}
	}
}
