package csr

// Remap gives the number after Draft.Snapshot of a vertex or a relationship that had a number before it. The zero Remap
// leaves everything as it is.
type Remap struct {
	vertices []VertexID // by former id, where everything is numbered anew; NoVertex: deleted
	edges    []EdgeID
	moved    map[VertexID]VertexID // else: what is not numbered as before; NoVertex: deleted
	gone     map[EdgeID]bool
}

// Vertex is the new id of a vertex; false if it was deleted.
func (m *Remap) Vertex(v VertexID) (VertexID, bool) {
	if m.vertices != nil {
		if uint64(v) >= uint64(len(m.vertices)) {
			return NoVertex, false
		}
		v = m.vertices[v]
	} else if at, ok := m.moved[v]; ok {
		v = at
	}
	return v, v != NoVertex
}

// Edge is the new id of a relationship; false if it was deleted.
func (m *Remap) Edge(e EdgeID) (EdgeID, bool) {
	switch {
	case m.gone[e]:
		return NoEdge, false
	case m.edges == nil:
		return e, true
	case uint64(e) >= uint64(len(m.edges)):
		return NoEdge, false
	}
	return m.edges[e], m.edges[e] != NoEdge
}

// Same reports whether every id still means what it did, and nothing was deleted.
func (m *Remap) Same() bool {
	return m.vertices == nil && m.edges == nil && len(m.moved) == 0 && len(m.gone) == 0
}
