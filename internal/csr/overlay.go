package csr

import (
	"slices"
	"sort"
	"unsafe"
)

// overlay holds what a snapshot adds to its base, the last flat snapshot before it. Relationships keep their numbers of the
// base. New ones are numbered behind those. The numbers of deleted ones stay unused until the graph is made flat again.
type overlay struct {
	rels    []Rels // the base's, which tell the ends of its relationships
	base    uint64 // vertices of the base
	bound   uint64 // first number of a relationship behind those of the base
	ends    pageArray[ends]
	nodeIDs pageArray[NodeID] // 1 more than the id; 0: as in the base
	nodes   layers[NodeID, VertexID]
	relIDs  []RelID // of the relationships from bound on, rising
	own     *claim  // of relIDs
	changed uint64  // places changed since the base: how much there is to the overlay
	flat    lazyRels
}

// ends holds the ends of a relationship in the overlay. The zero value says that the base has them.
type ends struct {
	src, dst VertexID // src is NoVertex: deleted
	typ      TypeID
	set      bool
}

// Flat reports whether s is as a Builder makes it. Then vertices are ordered by degree inside a class, and every
// relationship is at the position in Rels that its number says.
func (s *Snapshot) Flat() bool { return s.over == nil }

// HasEdge reports whether e is the number of a relationship.
func (s *Snapshot) HasEdge(e EdgeID) bool {
	if s.over == nil {
		return uint64(e) < s.Edges
	}
	x := s.over.ends.get(uint64(e))
	return x.set && x.src != NoVertex || !x.set && uint64(e) < s.over.bound
}

// edgeBound is the first number behind those of the relationships.
func (s *Snapshot) edgeBound() uint64 {
	if s.over == nil {
		return s.Edges
	}
	return s.over.bound + uint64(len(s.over.relIDs))
}

// TypeOf returns the type of e.
func (s *Snapshot) TypeOf(e EdgeID) TypeID {
	rels := s.Data.Rels
	if s.over != nil {
		if x := s.over.ends.get(uint64(e)); x.set {
			return x.typ
		}
		rels = s.over.rels
	}
	return typeOf(rels, e)
}

func typeOf(rels []Rels, e EdgeID) TypeID {
	// The last type that starts at or before e: types without relationships share their First with the next.
	return TypeID(sort.Search(len(rels), func(i int) bool { return rels[i].First > e }) - 1)
}

// Endpoints returns the source and the target of e.
func (s *Snapshot) Endpoints(e EdgeID) (src, dst VertexID) {
	rels := s.Data.Rels
	if s.over != nil {
		if x := s.over.ends.get(uint64(e)); x.set {
			return x.src, x.dst
		}
		rels = s.over.rels
	}
	t := typeOf(rels, e)
	p := uint64(e - rels[t].First)
	if ends, ok := fewEnds(s, t, p); ok {
		return ends[0], ends[1]
	}
	return rels[t].Ready().ends(p)
}

// ends returns the ends of the relationship at position p.
func (r *Rels) ends(p uint64) (src, dst VertexID) {
	i := sort.Search(len(r.Offsets), func(i int) bool { return r.Offsets[i] > p }) - 1
	return r.Lo + VertexID(i), r.Targets[p]
}

// NodeID returns the stable id of v.
func (s *Snapshot) NodeID(v VertexID) NodeID {
	if s.over != nil {
		if id := s.over.nodeIDs.get(uint64(v)); id != 0 {
			return id - 1
		}
	}
	if s.NodeIDs != nil {
		return s.NodeIDs[v]
	}
	if s.lateNodeIDs != nil {
		return s.lateNodeIDs.at(uint64(v))
	}
	return NodeID(v)
}

// AppendNodeIDs appends the stable ids of vertices of s.
func AppendNodeIDs(ids []uint64, s *Snapshot, vertices []VertexID) []uint64 {
	at := len(ids)
	ids = slices.Grow(ids, len(vertices))[:at+len(vertices)]
	to := ids[at:]
	if l := s.lateNodeIDs; l != nil && l.few(len(to)) {
		for i, v := range vertices {
			to[i] = uint64(s.NodeID(v))
		}
		return ids
	}
	first, run := runFrom(s, vertices)
	stored := s.StoredNodeIDs()
	switch {
	case s.over != nil:
		for i, v := range vertices {
			to[i] = uint64(s.NodeID(v))
		}
	case stored == nil:
		for i, v := range vertices {
			to[i] = uint64(v)
		}
	case run:
		list := stored[first:][:len(to)]
		copy(to, unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(list))), len(list))) // a third of the time of a loop
	default:
		for i, v := range vertices {
			to[i] = uint64(stored[v])
		}
	}
	return ids
}

// shareNodeIDs gives d, which has the vertices of s, their stable ids.
func (s *Snapshot) shareNodeIDs(d *Data) {
	d.NextNode = s.NextNode
	if s.over == nil {
		d.NodeIDs, d.lateNodeIDs = s.NodeIDs, s.lateNodeIDs
		return
	}
	d.NodeIDs = make([]NodeID, s.Vertices)
	for v := range d.NodeIDs {
		d.NodeIDs[v] = s.NodeID(VertexID(v))
	}
}

// RelID returns the stable id of e.
func (s *Snapshot) RelID(e EdgeID) RelID {
	switch {
	case s.over != nil && uint64(e) >= s.over.bound:
		return s.over.relIDs[uint64(e)-s.over.bound]
	case s.RelIDs != nil:
		return s.RelIDs[e]
	}
	if s.lateRelIDs != nil {
		return s.lateRelIDs.at(uint64(e))
	}
	return RelID(e)
}

// VertexByNodeID returns the vertex with a stable id. The first call builds an index.
func (s *Snapshot) VertexByNodeID(id NodeID) (VertexID, bool) {
	base := s.Vertices
	if s.over != nil {
		if v, ok := s.over.nodes.get(id); ok {
			return v, v != NoVertex
		}
		base = s.over.base
	}
	if l := s.lateNodeIDs; l != nil {
		if i, ok, done := l.seek(id); done {
			return VertexID(i), ok
		}
	}
	stored := s.StoredNodeIDs()
	if stored == nil {
		return VertexID(id), uint64(id) < base
	}
	v, ok := find(s.byNode(), stored, id)
	return VertexID(v), ok
}

// EdgeByRelID returns the relationship with a stable id. The first call builds an index.
func (s *Snapshot) EdgeByRelID(id RelID) (EdgeID, bool) {
	base := s.Edges
	if s.over != nil {
		ids := s.over.relIDs
		base = s.over.bound
		if i := sort.Search(len(ids), func(i int) bool { return ids[i] >= id }); i < len(ids) && ids[i] == id {
			e := EdgeID(base + uint64(i))
			return e, s.HasEdge(e)
		}
	}
	if l := s.lateRelIDs; l != nil {
		if i, ok, done := l.seek(id); done {
			return EdgeID(i), ok && s.HasEdge(EdgeID(i))
		}
	}
	stored := s.StoredRelIDs()
	if stored == nil {
		return EdgeID(id), uint64(id) < base && s.HasEdge(EdgeID(id))
	}
	e, ok := find(s.byRel(), stored, id)
	return EdgeID(e), ok && s.HasEdge(EdgeID(e))
}
