package csr

import (
	"context"
	"iter"
	"slices"
)

// AllEdges yields the ids of all relationships, rising. They need not be consecutive.
func (s *Snapshot) AllEdges() iter.Seq[EdgeID] {
	return func(yield func(EdgeID) bool) {
		for e := EdgeID(0); uint64(e) < s.edgeBound(); e++ {
			if s.HasEdge(e) && !yield(e) {
				return
			}
		}
	}
}

// incident calls fn for every relationship of v in a direction, a loop once.
func (s *Snapshot) incident(v VertexID, dir Direction, types TypeSet, fn func(e EdgeID)) {
	for t := range s.Data.Rels {
		if !types.Has(TypeID(t)) || s.Data.Rels[t].Len() == 0 {
			continue
		}
		r := s.Rels(TypeID(t))
		if dir != In {
			lo, hi := r.Row(v)
			for p := lo; p < hi; p++ {
				fn(r.ID(p))
			}
		}
		if dir == Out {
			continue
		}
		var space [8]EdgeID
		for _, w := range s.Adjacency(TypeSet{TypeID(t)}, In).Neighbours(v) {
			if w == v && dir == Both {
				continue // among the outgoing ones
			}
			for _, e := range r.from(space[:0], w, v) {
				fn(e)
			}
		}
	}
}

// Compact returns the same graph as a flat snapshot, numbered anew; s itself if it is flat.
func (s *Snapshot) Compact(ctx context.Context) (*Snapshot, error) {
	if s.Flat() {
		return s, ctx.Err()
	}
	flat, _, err := s.Draft().rebuild(ctx)
	return flat, err
}

// rebuild makes the snapshot anew from the base and the changes.
func (d *Draft) rebuild(ctx context.Context) (*Snapshot, *Remap, error) {
	b := NewBuilder()
	for _, name := range d.labels.Names() {
		b.Label(name)
	}
	for _, name := range d.types.Names() {
		b.Type(name)
	}
	for _, name := range d.keys.Names() {
		b.Key(name)
	}
	vertices := d.addVertices(ctx, b) // the former id of each index
	index := make([]uint32, d.base.N()+uint64(len(d.newNodes)))
	for i, v := range vertices {
		index[v] = uint32(i)
	}
	edges := d.addEdges(ctx, b, index)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	j := &assembly{Builder: b, ctx: ctx, workers: defaultWorkers(), n: uint64(len(vertices)), ordered: true}
	if err := j.assemble(); err != nil {
		return nil, nil, err
	}
	m := &Remap{vertices: make([]VertexID, len(index)), edges: make([]EdgeID, d.base.edgeBound()+uint64(len(d.newRels)))}
	for i := range m.vertices {
		m.vertices[i] = NoVertex
	}
	for i := range m.edges {
		m.edges[i] = NoEdge
	}
	x := &j.data
	x.RelIDs = make([]RelID, x.Edges)
	for i, at := range slices.Concat(j.order...) {
		x.RelIDs[i] = d.RelID(edges[at])
		m.edges[edges[at]] = EdgeID(i)
	}
	for i, at := range x.NodeIDs {
		x.NodeIDs[i] = d.NodeID(vertices[at])
		m.vertices[vertices[at]] = VertexID(i)
	}
	x.NextNode, x.NextRel, x.Schema = d.nextNode, d.nextRel, d.schema
	s, err := NewContext(j.ctx, *x)
	return s, m, err
}

func (d *Draft) addVertices(ctx context.Context, b *Builder) (vertices []VertexID) {
	for v := range VertexID(d.base.N() + uint64(len(d.newNodes))) {
		if v%4096 == 0 && ctx.Err() != nil {
			return nil // the build ends by it
		}
		if !d.HasNode(v) {
			continue
		}
		i := b.AddVertex(d.labelIDs(v)...)
		vertices = append(vertices, v)
		for _, p := range d.NodeProps(v) {
			b.SetVertex(i, b.Key(p.Key), p.Value)
		}
		for _, x := range d.base.External {
			if c, ok := x.IDs.Get(uint64(v)); ok && uint64(v) < d.base.N() {
				b.External(x.Name, i, c)
			}
		}
	}
	return vertices
}

func (d *Draft) addEdges(ctx context.Context, b *Builder, index []uint32) (edges []EdgeID) {
	for e := range EdgeID(d.base.edgeBound() + uint64(len(d.newRels))) {
		if e%4096 == 0 && ctx.Err() != nil {
			return nil
		}
		if !d.HasRel(e) {
			continue
		}
		src, dst := d.Endpoints(e)
		i := b.AddEdge(index[src], index[dst], b.Type(d.RelType(e)))
		edges = append(edges, e)
		for _, p := range d.RelProps(e) {
			b.SetEdge(i, b.Key(p.Key), p.Value)
		}
	}
	return edges
}
