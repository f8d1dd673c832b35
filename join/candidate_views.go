package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// Candidate views: neighbour lists that hold candidates only. The lists of the snapshot's views hold every neighbour, and each reader
// must cut them to the range of the candidates and test their members. A long search does better with lists made for its
// candidates. To make them costs about one pass over the lists of all candidates. So a search makes them once it has done a
// part of that work, and a short one never pays for them.

// viewsCost estimates how many list elements it takes to make all candidate views.
func (c *compiler) viewsCost() float64 {
	cost := 0.0
	for k := range c.steps {
		for i := range c.steps[k].sources {
			if src := &c.steps[k].sources[i]; src.view != nil && c.restrictable(c.pos[src.from], k) && c.keptView(c.viewKey(src.view, c.pos[src.from], k)) == nil {
				of := float64(c.steps[c.pos[src.from]].set.Len())
				cost += of + of*float64(src.view.Len())/float64(c.s.N())
			}
		}
	}
	return cost
}

// restrictable reports whether lists that lead from the candidates of one step to those of another may hold other vertices,
// too.
func (c *program) restrictable(from, to int) bool {
	st := &c.steps[to]
	return !c.steps[from].bound && !st.bound && (st.narrow || st.bits != nil)
}

// useCandidateViews turns to the lists over candidates only, once the worker has done enough work for that.
func (x *extender) useCandidateViews(work uint64) {
	views := x.candidateViews.Load()
	if views == nil {
		if work < x.viewsAt || !x.viewsTaken.CompareAndSwap(false, true) { // another worker makes them: go on meanwhile
			return
		}
		x.makeCandidateViews()
		views = x.candidateViews.Load()
	}
	x.sources, x.overCandidates = *views, true
}

// makeCandidateViews makes the lists over candidates only, as far as memory allows.
func (x *extender) makeCandidateViews() {
	b := viewBuilder{x: x, views: map[viewKey]*csr.Adjacency{}}
	sources := make([][]source, len(x.steps))
	for k := range x.steps {
		sources[k] = slices.Clone(x.steps[k].sources)
		for i := range sources[k] {
			src := &sources[k][i]
			if src.view == nil {
				continue
			}
			from := x.pos[src.from]
			src.view, src.candidatesOnly = b.view(src.view, from, k)
			if src.back != nil {
				src.back, _ = b.view(src.back, k, from)
			}
		}
	}
	x.candidateViews.Store(&sources)
}

// viewBuilder keeps the views it has made, for steps whose lists are the same.
type viewBuilder struct {
	x     *extender
	views map[viewKey]*csr.Adjacency
}

// viewKey is a view and the candidates at its two ends.
type viewKey struct {
	view     *csr.Adjacency
	from, to *pattern.CandidateSet
}

func (c *program) viewKey(view *csr.Adjacency, from, to int) viewKey {
	return viewKey{view, c.steps[from].set, c.steps[to].set}
}

// keptView returns a view that an earlier share has made, or nil.
func (c *program) keptView(key viewKey) *csr.Adjacency {
	if s := c.job.Share; s != nil {
		if kept, ok := s.Kept.(*keptSearch); ok {
			return kept.views[key]
		}
	}
	return nil
}

// keepView keeps a whole view for later shares.
func (c *program) keepView(key viewKey, made *csr.Adjacency) {
	s := c.job.Share
	if s == nil || !slices.Contains(s.All, key.from) || !slices.Contains(s.All, key.to) {
		return
	}
	keptFor(s).views[key] = made
}

// view returns the part of a view that leads from candidates of one step to those of another. It returns the view itself if there is
// nothing to gain or memory is short.
func (b *viewBuilder) view(view *csr.Adjacency, from, to int) (*csr.Adjacency, bool) {
	x := b.x
	if !x.restrictable(from, to) {
		return view, false
	}
	key := x.viewKey(view, from, to)
	if b.views[key] == nil {
		b.views[key] = x.takeView(key, &x.steps[from], &x.steps[to])
	}
	if made := b.views[key]; made != nil {
		return made, true
	}
	return view, false
}

// takeView returns a view that an earlier share has made, or makes it. It returns nil if memory is short: each share pays for what it uses.
func (x *extender) takeView(key viewKey, from, to *step) *csr.Adjacency {
	made := x.keptView(key)
	if made == nil {
		if made = x.restrictView(key.view, from, to); !x.halted() {
			x.keepView(key, made)
		}
	}
	if !x.charge(8*len(made.Offsets) + 4*cap(made.Targets) + 4*cap(made.Counts)) {
		return nil
	}
	return made
}

// restrictView returns the part of a view that leads from candidates of one step to those of another.
func (x *extender) restrictView(view *csr.Adjacency, from, to *step) *csr.Adjacency {
	of := from.set.List()
	lo, hi := of[0], of[len(of)-1]+1
	out := &csr.Adjacency{Lo: lo, Offsets: make([]uint64, hi-lo+1)}
	next := lo
	for i, v := range of {
		if i%1024 == 0 && x.halted() {
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
			list = sets.Cut(list, to.lo, to.hi)
		}
		if to.bits == nil {
			out.Targets = append(out.Targets, list...)
		} else {
			out.Targets = x.filter(out.Targets, list, to.bits, 0)
		}
	}
	for ; next <= hi; next++ {
		out.Offsets[next-lo] = uint64(len(out.Targets))
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
