package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
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
			src := &c.steps[k].sources[i]
			if src.view == nil || c.readOnce(c.pos[src.from], k) {
				continue
			}
			if key, ok := c.viewKey(src.view, c.pos[src.from], k); ok && c.keptView(key) == nil {
				of := float64(key.from.Len())
				cost += of + of*float64(src.view.Len())/float64(c.s.N())
			}
		}
	}
	return cost
}

// whenViews returns after how much work a worker makes candidate views. What earlier shares have done counts, too. A share may be the only one of its
// process, so it has to do as much work as the views cost.
func whenViews(c *compiler) uint64 {
	cost, after := max(leastViews, c.viewsCost()), viewsAfter
	if c.job.Share != nil {
		after *= 4
	}
	at := uint64(min(1e18, cost*after))
	if kept := keptBy(c.job.Share); kept != nil {
		at -= min(at, kept.work)
	}
	return at
}

// readOnce reports whether the search reads a list that leads from a candidate of one step to those of another only once, for each vertex of its first
// step: then lists over candidates gain nothing.
func (c *program) readOnce(from, to int) bool { return from == c.root && to == from+1 }

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
			if !x.readOnce(from, k) {
				src.view, src.candidatesOnly = b.view(src.view, from, k)
			}
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

// viewKey is a view, and the candidates at its two ends. A share of the search has them all, also those that its box leaves out, so that later shares
// can use its views.
type viewKey struct {
	view     *csr.Adjacency
	from, to *pattern.CandidateSet
}

// viewKey returns the key of a view from the candidates of one step to those of another. ok is false if there are no others at its end.
func (c *program) viewKey(view *csr.Adjacency, from, to int) (key viewKey, ok bool) {
	a, b := &c.steps[from], &c.steps[to]
	if a.bound || b.bound {
		return key, false
	}
	key = viewKey{view, c.whole(a), c.whole(b)}
	return key, uint64(key.to.Len()) < c.s.N()
}

// whole returns the candidates of a step, also those outside of the box of a share.
func (c *program) whole(st *step) *pattern.CandidateSet {
	if s := c.job.Share; s != nil && s.All != nil {
		return s.All[st.u]
	}
	return st.set
}

// keptView returns a view that an earlier share has made, or nil.
func (c *program) keptView(key viewKey) *csr.Adjacency {
	if kept := keptBy(c.job.Share); kept != nil {
		return kept.views[key]
	}
	return nil
}

// view returns the part of a view that leads from candidates of one step to those of another, and whether it leads to no others. It returns the view
// itself if there is nothing to gain or memory is short.
func (b *viewBuilder) view(view *csr.Adjacency, from, to int) (*csr.Adjacency, bool) {
	x := b.x
	key, ok := x.viewKey(view, from, to)
	if !ok {
		return view, false
	}
	made, ok := b.views[key]
	if !ok {
		made = x.takeView(key)
		b.views[key] = made
	}
	if made == nil {
		return view, false
	}
	return made, x.steps[to].set == key.to
}

// takeView returns a view that an earlier share has made, or makes it. It returns nil if memory is short: each share pays for what it uses.
func (x *extender) takeView(key viewKey) *csr.Adjacency {
	made := x.keptView(key)
	if made == nil {
		if made = x.restrictView(key.view, key.from.List(), reachOf(key.to, x.s.N())); x.job.Share != nil && !x.halted() {
			keptFor(x.job.Share).views[key] = made
		}
	}
	if !x.charge(8*len(made.Offsets) + 4*cap(made.Targets) + 4*cap(made.Counts)) {
		return nil
	}
	return made
}

// restrictView returns the part of a view that leads from some vertices to those in a reach. It counts first: arrays that grow would take three times the
// memory, and new memory takes longer than reading lists.
func (x *extender) restrictView(view *csr.Adjacency, of []csr.VertexID, to reach) *csr.Adjacency {
	lo, hi := of[0], of[len(of)-1]+1
	out := &csr.Adjacency{Lo: lo, Offsets: make([]uint64, hi-lo+1)}
	total, longest := 0, 0
	for i, v := range of {
		if i%1024 == 0 && x.halted() {
			return out
		}
		list := to.cut(view.Neighbours(v))
		n := len(list)
		if to.bits != nil {
			n = x.countMarked(list, to.bits, 0)
		}
		total, longest = total+n, max(longest, len(list))
	}
	out.Targets = make([]csr.VertexID, 0, total+longest) // filter wants room for a whole list
	if view.Counts != nil {
		out.Counts = make([]uint32, 0, total)
	}
	next := lo
	for i, v := range of {
		if i%1024 == 0 && x.halted() {
			break
		}
		for ; next <= v; next++ {
			out.Offsets[next-lo] = uint64(len(out.Targets))
		}
		switch list := to.cut(view.Neighbours(v)); {
		case view.Counts != nil:
			restrictRow(out, view, v, &to)
		case to.bits == nil:
			out.Targets = append(out.Targets, list...)
		default:
			out.Targets = x.filter(out.Targets, list, to.bits, 0)
		}
	}
	for ; next <= hi; next++ {
		out.Offsets[next-lo] = uint64(len(out.Targets))
	}
	return out
}

// restrictRow appends the candidates among v's neighbours, and how many relationships each stands for.
func restrictRow(out, view *csr.Adjacency, v csr.VertexID, to *reach) {
	lo, hi := view.Row(v)
	for i := lo; i < hi; i++ {
		if to.has(view.Targets[i]) {
			out.Targets = append(out.Targets, view.Targets[i])
			out.Counts = append(out.Counts, view.Counts[i])
		}
	}
}
