package csr

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
)

// Snapshot returns the graph with all changes so far, and goes on from there. From then on the draft has the ids of that
// snapshot, and Remap gives callers the new ids for the ones they hold. It ends early with ctx's error, and the draft is
// then as it was.
//
// The cost is about the size of the changes, their neighbours and their property chunks. When much has changed since the
// last flat snapshot, Snapshot makes a flat one and numbers everything anew.
func (d *Draft) Snapshot(ctx context.Context) (*Snapshot, error) {
	if !d.dirty {
		d.remap = Remap{}
		return d.base, ctx.Err()
	}
	next := d.overlaid
	if d.heavy() {
		next = d.rebuild
	}
	s, remap, err := next(ctx)
	if err != nil {
		return nil, err
	}
	d.indexes(s, remap)
	d.stand(s)
	d.remap = *remap
	return s, nil
}

// heavy reports whether the overlay would be so large that a flat snapshot is worth its while.
func (d *Draft) heavy() bool {
	const least = 1 << 16
	n := uint64(len(d.nodes) + len(d.newNodes) + len(d.rels) + len(d.newRels))
	if x := d.base.over; x != nil {
		n += x.changed
	}
	return n > max(least, (d.base.N()+d.base.M())/2)
}

// overlaid makes the snapshot from the base and the overlay of the changes.
func (d *Draft) overlaid(ctx context.Context) (*Snapshot, *Remap, error) {
	p := d.place()
	all, err := d.relChanges(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	b := d.base
	s := &Snapshot{Data: b.Data, views: make(map[viewKey]*view), byNode: b.byNode, byRel: b.byRel}
	s.grown.Store(true) // with the views of the base
	s.Vertices, s.Classes = p.n, p.classes
	s.Labels, s.Types, s.Keys = d.labels.Dict, d.types.Dict, d.keys.Dict
	s.NextNode, s.NextRel, s.Schema = d.nextNode, d.nextRel, d.schema
	s.Data.Rels, s.Edges = make([]Rels, len(all)), 0
	for t := range all {
		var r Rels
		if t < len(b.Data.Rels) {
			r = *b.Rels(TypeID(t))
		}
		if s.Data.Rels[t], err = r.patch(all[t], p.n); err != nil {
			return nil, nil, err
		}
		s.Edges += s.Data.Rels[t].Len()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	s.over = d.overlay(p, all)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err := d.columns(ctx, s, p); err != nil {
		return nil, nil, err
	}
	if err := d.views(ctx, s, all); err != nil {
		return nil, nil, err
	}
	if s.Stats, err = d.stats(ctx, s, all); err != nil {
		return nil, nil, err
	}
	if similar(d, s, p) {
		s.kin = Kin(b)
	}
	m := &Remap{moved: p.moved, gone: map[EdgeID]bool{}}
	for e, r := range d.rels {
		if r.dead {
			m.gone[e] = true
		}
	}
	for i, r := range d.newRels {
		if r.dead {
			m.gone[EdgeID(b.edgeBound()+uint64(i))] = true
		}
	}
	return s, m, nil
}

// overlay makes what tells ids and ends.
func (d *Draft) overlay(p *placement, all [][]relChange) *overlay {
	b := d.base
	old := b.over
	if old == nil {
		old = &overlay{rels: b.Data.Rels, base: b.Vertices, bound: b.Edges}
	}
	x := &overlay{rels: old.rels, base: old.base, bound: old.bound, changed: old.changed + uint64(len(p.slots))}
	e := edit(old.ends)
	for t, list := range all {
		x.changed += uint64(len(list))
		for _, r := range list {
			if !r.add {
				e.set(uint64(r.id), ends{NoVertex, NoVertex, TypeID(t), true})
			}
		}
		for _, r := range list {
			if r.add {
				e.set(uint64(r.id), ends{r.src, r.dst, TypeID(t), true})
			}
		}
	}
	ids := make([]RelID, 0, len(d.newRels))
	for i, r := range d.newRels {
		ids = append(ids, r.id)
		if r.dead {
			e.set(b.edgeBound()+uint64(i), ends{NoVertex, NoVertex, r.typ, true})
		}
	}
	x.ends = e.done()
	mine, own := old.own.take(uint64(len(old.relIDs)), uint64(len(ids)))
	x.relIDs, x.own = extend(old.relIDs, ids, mine), own
	nodeIDs, nodes := edit(old.nodeIDs), make(map[NodeID]VertexID, len(p.moved))
	for v, at := range p.moved {
		if at == NoVertex {
			nodes[d.NodeID(v)] = NoVertex
		}
	}
	for _, s := range p.slots {
		id := d.NodeID(s.of)
		nodeIDs.set(uint64(s.at), id+1)
		nodes[id] = s.at
	}
	x.nodeIDs, x.nodes = nodeIDs.done(), old.nodes.with(nodes)
	return x
}

// views makes the successors of the views that the base has built.
func (d *Draft) views(ctx context.Context, s *Snapshot, all [][]relChange) error {
	b := d.base
	b.mu.Lock()
	views := maps.Clone(b.views)
	b.mu.Unlock()
	every, now := b.Used(nil), s.Used(nil)
	for key, v := range views {
		a := v.adj.Load()
		if a == nil || len(key.types) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		had := typesOf(key)
		types, changed := now, TypeSet(nil) // the view of all types takes in new ones
		if len(had) < len(every) {
			types, changed = s.Used(had), had
		}
		if len(types) == 0 {
			continue
		}
		list, loops := pairs(all, changed, key.dir)
		if uint64(len(list)) > 1<<12+a.Len()/2 {
			continue // as well made anew
		}
		next, err := a.patch(list, loops, s.Vertices)
		if err != nil {
			return err
		}
		x := &view{turn: make(chan struct{}, 1)}
		x.adj.Store(next)
		s.views[viewKey{nameOf(types), key.dir}] = x
	}
	return nil
}

func nameOf(types []TypeID) string { return string(appendName(make([]byte, 0, 32), types)) }

// appendName appends the types, 4 bytes each.
func appendName(name []byte, types []TypeID) []byte {
	for _, t := range types {
		name = binary.LittleEndian.AppendUint32(name, uint32(t))
	}
	return name
}

func typesOf(key viewKey) TypeSet {
	set := TypeSet{}
	for i := 0; i < len(key.types); i += 4 {
		set = append(set, TypeID(binary.LittleEndian.Uint32([]byte(key.types[i:i+4]))))
	}
	return set
}

// columns makes the successors of the property columns and external ids.
func (d *Draft) columns(ctx context.Context, s *Snapshot, p *placement) error {
	b := d.base
	n := b.N()
	var err error
	if s.VertexProps, err = d.vertexColumns(ctx, s, p); err != nil {
		return err
	}
	if s.EdgeProps, err = d.edgeColumns(s); err != nil {
		return err
	}
	s.External = slices.Clone(b.External)
	for i := range s.External {
		c := columnEdit{old: b.External[i].IDs}
		for _, x := range p.slots {
			var cell Cell
			if uint64(x.of) < n {
				cell, _ = b.External[i].IDs.Get(uint64(x.of))
			}
			c.set(uint64(x.at), cell)
		}
		for at := p.n; at < n; at++ {
			c.set(at, Cell{})
		}
		if s.External[i].IDs, err = c.done(); err != nil {
			return err
		}
	}
	return nil
}

// vertexColumns makes the successors of the columns of nodes. What it does for a node depends on the columns of the base and on
// the properties set on the node, not on how many keys there are.
func (d *Draft) vertexColumns(ctx context.Context, s *Snapshot, p *placement) ([]*Column, error) {
	b, n := d.base, d.base.N()
	edits := make([]columnEdit, s.Keys.Len())
	var had []KeyID // keys of columns of the base
	for k := range edits {
		if edits[k].old = column(b.VertexProps, k); edits[k].old != nil {
			had = append(had, KeyID(k))
		}
	}
	for i, x := range p.slots {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, k := range had {
			edits[k].set(uint64(x.at), d.cell(x.of, k))
		}
		if y := d.peek(x.of); y != nil {
			for _, q := range y.props.list {
				if edits[q.key].old == nil {
					edits[q.key].set(uint64(x.at), q.cell)
				}
			}
		}
	}
	for v, x := range d.nodes {
		if x.dead || p.now(v) != v {
			continue
		}
		for _, q := range x.props.list {
			edits[q.key].set(uint64(v), q.cell)
		}
	}
	for _, k := range had {
		for at := p.n; at < n; at++ {
			edits[k].set(at, Cell{})
		}
	}
	out := make([]*Column, len(edits))
	for k := range edits {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var err error
		if out[k], err = edits[k].done(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cell is a property of a vertex of the draft; without kind if there is none.
func (d *Draft) cell(v VertexID, key KeyID) Cell {
	if n := d.peek(v); n != nil {
		if c, set := n.props.get(key); set {
			return c
		}
	}
	if uint64(v) >= d.base.N() {
		return Cell{}
	}
	c, _ := d.base.VertexProp(v, key)
	return c
}

func (d *Draft) edgeColumns(s *Snapshot) ([]*Column, error) {
	edits := make([]columnEdit, s.Keys.Len())
	for k := range edits {
		edits[k].old = column(d.base.EdgeProps, k)
	}
	bound := d.base.edgeBound()
	for e, r := range d.rels {
		for _, p := range r.props.list {
			edits[p.key].set(uint64(e), p.cell)
		}
	}
	for i, r := range d.newRels {
		for _, p := range r.props.list {
			edits[p.key].set(bound+uint64(i), p.cell)
		}
	}
	out := make([]*Column, len(edits))
	for k := range edits {
		var err error
		if out[k], err = edits[k].done(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func column(list []*Column, k int) *Column {
	if k < len(list) {
		return list[k]
	}
	return nil
}

// columnEdit makes the successor of a column.
type columnEdit struct {
	old   *Column
	cells []cellAt
}

type cellAt struct {
	at   uint64
	cell Cell
}

// set notes a cell; one without kind is none.
func (e *columnEdit) set(at uint64, cell Cell) {
	if cell.Kind == 0 {
		if _, had := e.old.Get(at); !had {
			return
		}
	}
	e.cells = append(e.cells, cellAt{at, cell})
}

func (e *columnEdit) done() (*Column, error) {
	if len(e.cells) == 0 {
		return e.old, nil
	}
	slices.SortFunc(e.cells, func(a, b cellAt) int { return compare(a.at, b.at) })
	out := e.old.clone(int(e.cells[len(e.cells)-1].at/ChunkLen) + 1)
	for i := 0; i < len(e.cells); {
		k, first := e.cells[i].at/ChunkLen, i
		for i < len(e.cells) && e.cells[i].at/ChunkLen == k {
			i++
		}
		if out.overwrite(int(k), e.cells[first:i]) {
			continue
		}
		chunk, err := e.chunk(k, e.cells[first:i])
		if err != nil {
			return nil, err
		}
		out.replace(int(k), chunk)
	}
	if out.empty() {
		return nil, nil
	}
	return out, nil
}

// chunk makes the successor of chunk k, of which cells change.
func (e *columnEdit) chunk(k uint64, cells []cellAt) (*Chunk, error) {
	var old *Chunk
	if k < uint64(e.old.NumChunks()) {
		old = e.old.Chunk(int(k))
	}
	if next := old.patched(cells); next != nil {
		return next, nil
	}
	var x chunkDraft
	if old != nil || len(cells) > fewCells {
		x.full = new(draft)
		for slot := range ChunkLen {
			if cell, ok := e.old.Get(k*ChunkLen + uint64(slot)); ok {
				x.full.set(slot, cell)
			}
		}
	}
	for i := range cells {
		if slot := cells[i].at % ChunkLen; x.full != nil {
			x.full.set(int(slot), cells[i].cell)
		} else {
			x.add(slotCell{uint16(slot), cells[i].cell})
		}
	}
	return x.seal()
}
