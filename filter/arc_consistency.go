package filter

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// Arc consistency: v stays in C(u) only if, for each edge between u and w in the pattern, it has a neighbour in C(w) of the right types and
// direction. That is sound in every match mode, for every match has such a neighbour. Where the two ends must differ, v
// itself does not count.

// arc is an edge of the pattern as seen from u: C(u) is revised by C(w).
type arc struct {
	edge     int
	u, w     int
	differ   bool // the ends must differ
	lastSize int  // |C(w)| at the last revision; -1: there was none yet
}

// arcs lists both directions of every edge whose ends may both be revised.
func (f *filter) arcs() []arc {
	var out []arc
	for i := range f.p.Edges {
		e := &f.p.Edges[i]
		if e.From == e.To || f.nearBound[e.From] || f.nearBound[e.To] {
			continue
		}
		differ := e.AtLeastOne || differentNodes(&f.p.Scopes[e.Scope])
		out = append(out, arc{i, e.From, e.To, differ, -1}, arc{i, e.To, e.From, differ, -1})
	}
	return out
}

// minShrink is the part by which C(w) must have shrunk since the last time for another revision to pay.
const minShrink = 0.1

// refine revises the sets along all arcs, those from small sets first, until no set has shrunk by enough to revise its neighbours' sets
// again.
func (f *filter) refine() error {
	arcs := f.arcs()
	for {
		next := nextArc(arcs, func(u int) int { return f.out.Sets[u].Len() })
		if next < 0 || f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if err := f.revise(&arcs[next]); err != nil {
			return err
		}
	}
}

// nextArc returns the arc to revise next; -1 if none is worth it.
func nextArc(arcs []arc, size func(u int) int) int {
	next := -1
	for i := range arcs {
		a := &arcs[i]
		now := size(a.w)
		if a.lastSize >= 0 && float64(now) >= float64(a.lastSize)*(1-minShrink) {
			continue
		}
		if next < 0 || now < size(arcs[next].w) {
			next = i
		}
	}
	return next
}

// propagate revises the sets of u's neighbours, after C(u) has become small, and goes on from those that come out much smaller.
func (f *filter) propagate(u int) error {
	for _, a := range f.arcs() {
		before := f.out.Sets[a.u].Len()
		if before == 0 || a.w != u || f.out.Sets[u].Len() > before/propagateRatio {
			continue // an empty set cannot shrink: going on from it would never end
		}
		if err := f.revise(&a); err != nil {
			return err
		}
		if f.out.Sets[a.u].Len() <= before/propagateRatio {
			if err := f.propagate(a.u); err != nil {
				return err
			}
		}
	}
	return nil
}

// propagateRatio is how many times smaller a set must be than its neighbour's to revise that at once.
const propagateRatio = 8

// revise removes the vertices from C(u) that have no neighbour in C(w). It looks for one for every v in C(u), or marks all neighbours of
// C(w), whichever goes through fewer list elements.
func (f *filter) revise(a *arc) error {
	from, by := f.out.Sets[a.u], f.out.Sets[a.w]
	a.lastSize = by.Len()
	if from.Len() == 0 || by.Len() == 0 {
		return f.replace(a.u, nil)
	}
	e := &f.p.Edges[a.edge]
	dir, back := a.directions(e)
	if f.complete(a, e, back) {
		f.active = true
		return nil
	}
	if scanPays(f.s, from.Len(), by.Len()) {
		return f.scan(a, e.Types, dir)
	}
	if list, few := f.gather(a, e.Types, back); few {
		return f.replace(a.u, list)
	}
	return f.mark(a, f.rowsFor(by.Len(), e.Types, back))
}

// complete reports whether C(w) has all vertices with a relationship of the arc's edge. Then no vertex of C(u) lacks a neighbour, since the test of
// degrees has left each one relationship. It reads statistics alone, so that a pattern of one edge needs no view.
func (f *filter) complete(a *arc, e *pattern.Edge, back csr.Direction) bool {
	if !f.degreesTested || !f.s.Flat() || back == csr.Both || !f.around.demanded(a.edge, a.u) || !f.around.demanded(a.edge, a.w) {
		return false
	}
	types := f.s.Used(e.Types)
	if len(types) != 1 || a.differ && f.s.Stats.Types[types[0]].Loops > 0 {
		return false
	}
	ends := f.s.Stats.Types[types[0]].Sources
	if back == csr.In {
		ends = f.s.Stats.Types[types[0]].Targets
	}
	return uint64(f.out.Sets[a.w].Len()) == ends
}

// gather returns the vertices of C(u) that are neighbours of C(w). It looks at nothing else, and gives up if these may be many. back
// is the direction seen from w.
func (f *filter) gather(a *arc, types csr.TypeSet, back csr.Direction) (list []csr.VertexID, few bool) {
	from, by := f.out.Sets[a.u], f.out.Sets[a.w].List()
	most := from.Len() / gatherRatio
	if len(by) > most {
		return nil, false
	}
	rows := f.rowsFor(len(by), types, back)
	n := 0
	for _, w := range by {
		if n += len(rows.of(w)); n > most {
			return nil, false
		}
	}
	list = make([]csr.VertexID, 0, n)
	for _, w := range by {
		for _, v := range rows.of(w) {
			if from.Has(v) && (v != w || !a.differ) {
				list = append(list, v)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), true
}

// gatherRatio is how many times larger than all lists of neighbours together a set must be for these to be gathered and sorted.
var gatherRatio = 32

// directions returns the directions of the arc's edge as seen from u and from w.
func (a *arc) directions(e *pattern.Edge) (dir, back csr.Direction) {
	switch {
	case e.Undirected:
		return csr.Both, csr.Both
	case e.From == a.u:
		return csr.Out, csr.In
	}
	return csr.In, csr.Out
}

// scanPays reports whether a search of from lists for one of by candidates takes fewer list elements than to mark all neighbours of the
// candidates.
func scanPays(s *csr.Snapshot, from, by int) bool {
	n, m := float64(s.N()), float64(s.M())
	scan := float64(from) * min(n/float64(by), m/n+1) // a hit comes after n/|C(w)| elements
	return scan <= float64(by)*(m/n+1)
}

// scan looks for a neighbour in C(w) for every v in C(u).
func (f *filter) scan(a *arc, types csr.TypeSet, dir csr.Direction) error {
	by, list := f.out.Sets[a.w], f.out.Sets[a.u].List()
	rows := f.rowsFor(len(list), types, dir)
	x := scan{rows: rows, first: by.List()[0], last: by.List()[by.Len()-1], own: a.differ && rows.loops > 0}
	if by.Sparse() && uint64(len(list)*by.Len()) < f.s.N()/sparseRatio {
		x.few = by.List()
	} else {
		x.bits = by.Bits()
	}
	if len(list) > chunk {
		return f.scanMany(a, x, list)
	}
	return f.replace(a.u, retain(list, func(v csr.VertexID) bool { return x.finds(v) }))
}

// scanMany is scan for a long list. Its function moves x to the heap, which few candidates should not pay for.
func (f *filter) scanMany(a *arc, x scan, list []csr.VertexID) error {
	list, err := f.keepBy(list, x.finds)
	if err != nil {
		return err
	}
	return f.replace(a.u, list)
}

// scan looks for neighbours among the vertices of a set.
type scan struct {
	rows        rows
	first, last csr.VertexID // of the set
	bits        []uint64
	few         []csr.VertexID // the set itself, where bits is nil
	own         bool           // the view has loops, which do not count
}

// sparseRatio is how many times more vertices a graph must have than there are pairs of candidates for these to be tried one by one.
var sparseRatio = uint64(64)

// finds reports whether v has a neighbour in the set.
func (x *scan) finds(v csr.VertexID) bool {
	row := sets.Cut(x.rows.of(v), x.first, x.last+1)
	if x.bits == nil {
		return slices.ContainsFunc(x.few, func(w csr.VertexID) bool {
			k := sets.LowerBound(row, w)
			return k < len(row) && row[k] == w && (w != v || !x.own)
		})
	}
	if !x.own {
		return sets.AnyMarked(row, x.bits, 0)
	}
	for _, w := range row {
		if w != v && sets.Marked(x.bits, 0, w) {
			return true
		}
	}
	return false
}

// mark marks the neighbours of C(w) and keeps the marked vertices of C(u). rows are seen from w.
func (f *filter) mark(a *arc, rows rows) error {
	list := f.out.Sets[a.u].List()
	words := int(f.s.N()+63) / 64
	if err := f.charge(8*words + 4*len(list)); err != nil {
		return err
	}
	defer f.uncharge(8*words + 4*len(list))
	f.marks = slices.Grow(f.marks[:0], words)[:words]
	f.list = slices.Grow(f.list[:0], len(list))
	marked := f.marks
	clear(marked)
	for i, w := range f.out.Sets[a.w].List() {
		if i%chunk == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		row := rows.of(w)
		if a.differ && rows.loops > 0 {
			k := sets.LowerBound(row, w)
			sets.Mark(marked, 0, row[:k])
			if k < len(row) && row[k] == w {
				k++
			}
			row = row[k:]
		}
		sets.Mark(marked, 0, row)
	}
	f.list = sets.FilterMarked(f.list, list, marked, 0)
	if len(f.list) == len(list) {
		return f.replace(a.u, list)
	}
	return f.replace(a.u, slices.Clone(f.list))
}
