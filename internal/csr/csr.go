// Package csr holds the immutable graph in memory that filter, join and kernels read: a Snapshot.
//
// A Builder or the store gives it vertices, relationships and properties; a Snapshot comes out. A Draft collects changes on
// top of a Snapshot and makes the next one, which shares what has not changed. A Snapshot never changes, so any number of
// goroutines may read it.
//
// Vertices have dense numbers. The vertices of one label set are contiguous (a Class) and, inside it, ordered by falling
// degree: a label test is a range test, and a sorted neighbour list is partitioned by label for free. Relationships are
// numbered by (type, source, target). So the id of a relationship is its position in the base CSR of its type and needs no
// storage.
package csr

// VertexID is the dense number of a vertex in one snapshot. It changes from epoch to epoch; NodeID does not.
type VertexID uint32

// EdgeID is the dense number of a relationship in one snapshot, in order of (type, source, target) until
// commits change the graph.
type EdgeID uint64

// NodeID and RelID are the stable ids that id() shows: assigned once, never reused, kept across epochs.
type (
	NodeID uint64
	RelID  uint64
)

// LabelID, TypeID and KeyID number labels, relationship types and property keys in the snapshot's dictionaries.
type (
	LabelID uint32
	TypeID  uint32
	KeyID   uint32
)

// NoVertex is no vertex. A snapshot holds at most MaxVertices vertices.
const (
	NoVertex    = ^VertexID(0)
	MaxVertices = uint64(NoVertex) - 1
	NoEdge      = ^EdgeID(0)
)

// Direction says which relationships of a vertex are meant, seen from it.
type Direction uint8

const (
	Out Direction = iota
	In
	Both
)

func (d Direction) String() string { return [...]string{"out", "in", "both"}[d] }

// Reverse is the direction seen from the other end.
func (d Direction) Reverse() Direction {
	switch d {
	case Out:
		return In
	case In:
		return Out
	}
	return Both
}

// Range is the half-open range [Lo, Hi) of vertices.
type Range struct{ Lo, Hi VertexID }

// Len is the number of vertices in r.
func (r Range) Len() int { return int(r.Hi - r.Lo) }

// Class is a maximal run of vertices that carry the same label set. Labels is sorted.
type Class struct {
	Labels []LabelID
	Range
}

// Rels holds the relationships of one type, by source. Sources below Lo or past the end have none. Targets are sorted inside
// a source; parallel relationships repeat their target.
//
// In a flat snapshot the row of the i-th source from Lo on is Offsets[i] to Offsets[i+1]. The relationship at position p of
// Targets has the id First + p. In an overlay the rows of some sources are elsewhere; Row and ID find them. Code that walks
// Offsets takes Snapshot.FlatRels.
type Rels struct {
	First   EdgeID
	Lo      VertexID
	Offsets []uint64 // one more than sources covered
	Targets []VertexID

	pages pageList[rowPage] // where rows are that Offsets do not tell
	ids   []EdgeID          // of the relationships from position base on
	base  uint64
	live  uint64    // relationships, where there are ids
	own   *claim    // of Targets and ids
	late  *lateRels // where Offsets and Targets are decoded late; Ready has them
}

// Row is the half-open range of positions of the relationships that leave v.
func (r *Rels) Row(v VertexID) (lo, hi uint64) {
	if page := r.pages.at(uint64(v >> pageBits)); page != nil {
		return page.lo[v%pageLen], page.hi[v%pageLen]
	}
	i := uint64(v) - uint64(r.Lo)
	if v < r.Lo || i+1 >= uint64(len(r.Offsets)) {
		return 0, 0
	}
	return r.Offsets[i], r.Offsets[i+1]
}

// ID is the relationship at a position of Targets.
func (r *Rels) ID(p uint64) EdgeID {
	if r.ids != nil && p >= r.base {
		return r.ids[p-r.base]
	}
	return r.First + EdgeID(p)
}

// Len is the number of relationships.
func (r *Rels) Len() uint64 {
	switch {
	case r.late != nil:
		return r.late.edges
	case r.ids == nil:
		return uint64(len(r.Targets))
	}
	return r.live
}
