package csr

import (
	"context"
	"errors"
	"slices"
)

// How rows change. A row that changes is written anew behind the end of Targets, and a page says where it is. Rels.Row in csr.go
// and Adjacency.Row in adjacency.go read it there.

// relChange is a relationship that goes or comes. Its ends are numbered as in the snapshot where it is.
type relChange struct {
	src, dst VertexID
	typ      TypeID
	id       EdgeID
	add      bool
}

func (a *relChange) compare(b *relChange) int {
	switch {
	case a.src != b.src:
		return compare(a.src, b.src)
	case a.dst != b.dst:
		return compare(a.dst, b.dst)
	case a.id != b.id:
		return compare(a.id, b.id)
	case a.add == b.add:
		return 0
	case a.add:
		return 1
	}
	return -1
}

// relChanges lists the relationships that come and go, by type, sorted.
func (d *Draft) relChanges(ctx context.Context, p *placement) ([][]relChange, error) {
	all := make([][]relChange, d.types.Len())
	moved := make(map[EdgeID]bool)
	for _, v := range p.renewed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.base.incident(v, Both, nil, func(e EdgeID) {
			if r := d.rels[e]; r == nil || !r.dead {
				moved[e] = true
			}
		})
	}
	add := func(x relChange) { all[x.typ] = append(all[x.typ], x) }
	for e := range moved {
		src, dst := d.base.Endpoints(e)
		t := d.base.TypeOf(e)
		add(relChange{src, dst, t, e, false})
		add(relChange{p.now(src), p.now(dst), t, e, true})
	}
	for e, r := range d.rels {
		if r.dead {
			add(relChange{r.src, r.dst, r.typ, e, false})
		}
	}
	for i, r := range d.newRels {
		if !r.dead {
			add(relChange{p.now(r.src), p.now(r.dst), r.typ, EdgeID(d.base.edgeBound() + uint64(i)), true})
		}
	}
	for _, list := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b relChange) int { return a.compare(&b) })
	}
	return all, nil
}

var errOverlay = errors.New("the graph's overlay does not fit its base") // a mistake of ours

// patch makes the successor of r, for a graph of n vertices.
func (r *Rels) patch(list []relChange, n uint64) (Rels, error) {
	if len(list) == 0 {
		return *r, nil
	}
	rows := editRows(r.pages, r.Lo, r.Offsets)
	var targets []VertexID
	var ids []EdgeID
	start := uint64(len(r.Targets))
	live := r.Len()
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && list[j].src == list[i].src {
			j++
		}
		v := list[i].src
		at := uint64(len(targets))
		lo, hi := r.Row(v)
		var ok bool
		if targets, ids, ok = r.mergeRow(targets, ids, lo, hi, list[i:j]); !ok {
			return Rels{}, errOverlay
		}
		rows.set(v, start+at, start+uint64(len(targets)))
		live = live - (hi - lo) + uint64(len(targets)) - at
		i = j
	}
	base := r.base
	if r.ids == nil {
		base = start
	}
	mine, own := r.own.take(start, uint64(len(targets)))
	out := Rels{First: r.First, Lo: r.Lo, Offsets: r.Offsets, pages: rows.to, base: base, live: live, own: own}
	out.Targets, out.ids = extend(r.Targets, targets, mine), extend(r.ids, ids, mine)
	if uint64(len(out.Targets)) > 2*live+1<<12 {
		out = out.repack(n)
	}
	return out, nil
}

// mergeRow appends the row at [lo, hi) without what goes and with what comes. It reports whether all that goes was there.
func (r *Rels) mergeRow(targets []VertexID, ids []EdgeID, lo, hi uint64, list []relChange) ([]VertexID, []EdgeID, bool) {
	for p := lo; ; p++ {
		for len(list) > 0 && list[0].add && (p == hi || list[0].dst < r.Targets[p] || list[0].dst == r.Targets[p] && list[0].id < r.ID(p)) {
			targets, ids, list = append(targets, list[0].dst), append(ids, list[0].id), list[1:]
		}
		if p == hi {
			return targets, ids, len(list) == 0
		}
		if len(list) > 0 && !list[0].add {
			if w := r.Targets[p]; list[0].dst == w && list[0].id == r.ID(p) {
				list = list[1:]
				continue
			} else if list[0].dst < w {
				return targets, ids, false
			}
		}
		targets, ids = append(targets, r.Targets[p]), append(ids, r.ID(p))
	}
}

// repack writes all rows anew, without the old ones between them.
func (r *Rels) repack(n uint64) Rels {
	out := Rels{First: r.First, live: r.live, ids: make([]EdgeID, 0, r.live), pages: pageList[rowPage]{}}
	out.Offsets, out.Targets = flatten(VertexID(n), r.live, r.Row, r.Targets)
	for v := range VertexID(n) {
		lo, hi := r.Row(v)
		for p := lo; p < hi; p++ {
			out.ids = append(out.ids, r.ID(p))
		}
	}
	return out
}

// pairChange changes the number of relationships behind a neighbour.
type pairChange struct {
	v, w VertexID
	n    int
}

// pairs translates the changes of some types (nil: all) for a view, sorted and added up. loops is the number of loops that
// come.
func pairs(all [][]relChange, types TypeSet, dir Direction) (list []pairChange, loops int) {
	for t := range all {
		for _, x := range all[t] {
			if !types.Has(TypeID(t)) {
				break
			}
			n := -1
			if x.add {
				n = 1
			}
			if x.src == x.dst {
				loops += n
			}
			if dir != In {
				list = append(list, pairChange{x.src, x.dst, n})
			}
			if dir == In || dir == Both && x.src != x.dst {
				list = append(list, pairChange{x.dst, x.src, n})
			}
		}
	}
	slices.SortFunc(list, func(a, b pairChange) int {
		if a.v != b.v {
			return compare(a.v, b.v)
		}
		return compare(a.w, b.w)
	})
	k := 0
	for _, x := range list {
		if k > 0 && list[k-1].v == x.v && list[k-1].w == x.w {
			list[k-1].n += x.n
			continue
		}
		list[k] = x
		k++
	}
	return slices.DeleteFunc(list[:k], func(x pairChange) bool { return x.n == 0 }), loops
}

// patch makes the successor of a view, for a graph of n vertices.
func (a *Adjacency) patch(list []pairChange, loops int, n uint64) (*Adjacency, error) {
	if len(list) == 0 {
		return a.cut(VertexID(n)), nil
	}
	rows := editRows(a.pages, a.Lo, a.Offsets)
	var targets []VertexID
	var counts []uint32
	start, live, many := uint64(len(a.Targets)), a.Len(), false
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && list[j].v == list[i].v {
			j++
		}
		v := list[i].v
		at := len(targets)
		lo, hi := a.Row(v)
		var ok bool
		if targets, counts, ok = a.mergeRow(targets, counts, lo, hi, list[i:j]); !ok {
			return nil, errOverlay
		}
		for _, c := range counts[at:] {
			many = many || c > 1
		}
		rows.set(v, start+uint64(at), start+uint64(len(targets)))
		live = live - (hi - lo) + uint64(len(targets)-at)
		i = j
	}
	mine, own := a.own.take(start, uint64(len(targets)))
	out := &Adjacency{Lo: a.Lo, Offsets: a.Offsets, Loops: a.Loops + uint64(loops), pages: rows.to, live: live, own: own, n: VertexID(n)}
	switch {
	case a.Counts != nil:
		out.Counts = extend(a.Counts, counts, mine)
	case many:
		ones := make([]uint32, start, start+uint64(len(counts)))
		for i := range ones {
			ones[i] = 1
		}
		out.Counts = append(ones, counts...)
	}
	out.Targets = extend(a.Targets, targets, mine)
	if uint64(len(out.Targets)) > 2*live+1<<12 {
		return out.Flat(), nil
	}
	return out, nil
}

// cut returns the same view for a graph of n vertices. The vertices that are gone had no neighbours.
func (a *Adjacency) cut(n VertexID) *Adjacency {
	switch {
	case a.Span().Hi <= n:
		return a
	case a.pages != nil:
		return &Adjacency{Lo: a.Lo, Offsets: a.Offsets, Targets: a.Targets, Counts: a.Counts, Loops: a.Loops, pages: a.pages, live: a.live, own: a.own, n: n}
	}
	return &Adjacency{Lo: a.Lo, Offsets: cutOffsets(a.Lo, a.Offsets, n), Targets: a.Targets, Counts: a.Counts, Loops: a.Loops}
}

func cutOffsets(lo VertexID, offsets []uint64, n VertexID) []uint64 {
	if lo >= n {
		return nil
	}
	return offsets[:min(len(offsets), int(n-lo)+1)]
}

// mergeRow appends the row at [lo, hi) with its changes. It reports whether they fit.
func (a *Adjacency) mergeRow(targets []VertexID, counts []uint32, lo, hi uint64, list []pairChange) ([]VertexID, []uint32, bool) {
	for p := lo; ; p++ {
		for len(list) > 0 && (p == hi || list[0].w < a.Targets[p]) {
			if list[0].n < 0 {
				return targets, counts, false
			}
			targets, counts, list = append(targets, list[0].w), append(counts, uint32(list[0].n)), list[1:]
		}
		if p == hi {
			return targets, counts, true
		}
		n := 1
		if a.Counts != nil {
			n = int(a.Counts[p])
		}
		if len(list) > 0 && list[0].w == a.Targets[p] {
			n += list[0].n
			list = list[1:]
		}
		switch {
		case n < 0:
			return targets, counts, false
		case n > 0:
			targets, counts = append(targets, a.Targets[p]), append(counts, uint32(n))
		}
	}
}
