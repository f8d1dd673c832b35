package csr

import (
	"context"
	"iter"
	"slices"
)

// Remap says what a vertex or a relationship is numbered after Draft.Snapshot that had a number before it. The zero
// Remap leaves everything as it is.
type Remap struct {
	vertices []VertexID // by former id; NoVertex: deleted
	edges    []EdgeID
}

// Vertex is the new id of a vertex; false if it was deleted.
func (m *Remap) Vertex(v VertexID) (VertexID, bool) {
	if m.vertices == nil {
		return v, true
	}
	if uint64(v) >= uint64(len(m.vertices)) {
		return NoVertex, false
	}
	return m.vertices[v], m.vertices[v] != NoVertex
}

// Edge is the new id of a relationship; false if it was deleted.
func (m *Remap) Edge(e EdgeID) (EdgeID, bool) {
	if m.edges == nil {
		return e, true
	}
	if uint64(e) >= uint64(len(m.edges)) {
		return NoEdge, false
	}
	return m.edges[e], m.edges[e] != NoEdge
}

// Same reports whether every id still means what it did, and nothing was deleted.
func (m *Remap) Same() bool { return m.vertices == nil && m.edges == nil }

// hasEdge reports whether e is the id of a relationship.
func (s *Snapshot) hasEdge(e EdgeID) bool { return uint64(e) < s.Edges }

// edgeBound is the first id behind those of the relationships.
func (s *Snapshot) edgeBound() uint64 { return s.Edges }

// AllEdges yields the ids of all relationships, rising. They need not be consecutive.
func (s *Snapshot) AllEdges() iter.Seq[EdgeID] {
	return func(yield func(EdgeID) bool) {
		for e := EdgeID(0); uint64(e) < s.edgeBound(); e++ {
			if s.hasEdge(e) && !yield(e) {
				return
			}
		}
	}
}

// incident calls fn for every relationship of v in a direction, a loop once.
func (s *Snapshot) incident(v VertexID, dir Direction, types TypeSet, fn func(e EdgeID)) {
	for t := range s.Rels {
		r := &s.Rels[t]
		if !types.Has(TypeID(t)) || len(r.Targets) == 0 {
			continue
		}
		if dir != In {
			lo, hi := r.Row(v)
			for p := lo; p < hi; p++ {
				fn(r.First + EdgeID(p))
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

// Snapshot returns the graph with all changes so far, and goes on from there: the draft's ids are that snapshot's from
// then on, and Remap tells the new ones of those that callers hold. It ends early with ctx's error, and the draft is then
// as it was.
func (d *Draft) Snapshot(ctx context.Context) (*Snapshot, error) {
	if !d.dirty {
		d.remap = Remap{}
		return d.base, ctx.Err()
	}
	s, remap, err := d.rebuild(ctx)
	if err != nil {
		return nil, err
	}
	d.stand(s)
	d.remap = *remap
	return s, nil
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
	vertices := d.addVertices(b) // the former id of each index
	index := make([]uint32, d.base.N()+uint64(len(d.newNodes)))
	for i, v := range vertices {
		index[v] = uint32(i)
	}
	edges := d.addEdges(b, index)
	j := &build{Builder: b, ctx: ctx, workers: defaultWorkers(), n: uint64(len(vertices)), ordered: true}
	if err := j.assemble(); err != nil {
		return nil, nil, err
	}
	m := &Remap{make([]VertexID, len(index)), make([]EdgeID, d.base.edgeBound()+uint64(len(d.newRels)))}
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
	s, err := New(*x)
	return s, m, err
}

func (d *Draft) addVertices(b *Builder) (vertices []VertexID) {
	for v := range VertexID(d.base.N() + uint64(len(d.newNodes))) {
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

func (d *Draft) addEdges(b *Builder, index []uint32) (edges []EdgeID) {
	for e := range EdgeID(d.base.edgeBound() + uint64(len(d.newRels))) {
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

// flatRels is the base CSR of every type without changes beside it.
func (s *Snapshot) flatRels() []Rels { return s.Rels }
