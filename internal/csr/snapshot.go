package csr

import (
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"
)

// NoLabel stands for "no label at all" where statistics name labels.
const NoLabel = ^LabelID(0)

// Data holds the parts of a Snapshot. A Builder or the store fills it; New checks and freezes it.
type Data struct {
	Vertices    uint64
	Edges       uint64
	Labels      *Dict    // label names
	Types       *Dict    // relationship type names
	Keys        *Dict    // property keys, of vertices and relationships alike
	Classes     []Class  // sorted by Lo, covering [0, Vertices)
	Rels        []Rels   // by TypeID
	NodeIDs     []NodeID // by VertexID; nil: the dense number is the stable id
	RelIDs      []RelID  // by EdgeID; nil likewise
	NextNode    NodeID   // the first stable ids never given out
	NextRel     RelID
	VertexProps []*Column // by KeyID; nil where no vertex has the key
	EdgeProps   []*Column // by KeyID; nil likewise
	External    []ExternalSpace
	Stats       *Stats // nil: New computes them
	Schema      Schema

	lateNodeIDs *lateIDs[NodeID] // nil: NodeIDs has them
	lateRelIDs  *lateIDs[RelID]
}

// ExternalSpace holds the ids that one source of data gave its vertices, such as the ID space of a CSV file.
type ExternalSpace struct {
	Name string
	IDs  *Column // by VertexID, sparse
}

// Snapshot is one immutable graph. It is safe for concurrent use; what it derives on demand it keeps. One that a Draft
// has made may be a base and an overlay: then NodeIDs and RelIDs are the base's, and the methods are to be asked.
type Snapshot struct {
	Data
	mu      sync.Mutex
	views   map[viewKey]*view
	byNode  func() *inverse
	byRel   func() *inverse
	derived sync.Map // key -> *derivation, see Derived
	log     derivations
	ends    atomic.Uint64 // queries that have ended, see Trim
	grown   atomic.Bool   // something was derived since the last Trim
	over    *overlay      // nil: the snapshot is flat
	indexes map[indexKey]*index
	serial  atomic.Uint64              // see the function Serial; 0: nobody has asked yet
	shape   atomic.Pointer[Shape]      // once it was asked for
	kin     uint64                     // see the function Kin; 0: the serial
	numbers atomic.Pointer[[]VertexID] // see the function Numbers
}

// New checks d and makes it a snapshot, which owns d's slices from then on. Whatever d holds, New returns an
// error rather than panic: it stands between a store's bytes and the engine.
func New(d Data) (*Snapshot, error) { return NewContext(context.Background(), d) }

// NewContext is New that ends with the error of ctx soon after ctx ends.
func NewContext(ctx context.Context, d Data) (*Snapshot, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	s := newSnapshot(d)
	if s.Stats == nil {
		var err error
		if s.Stats, err = computeStats(ctx, &s.Data, defaultWorkers(), nil); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newSnapshot makes d, which has been checked, a snapshot.
func newSnapshot(d Data) *Snapshot {
	s := &Snapshot{Data: d, views: make(map[viewKey]*view)}
	s.byNode = sync.OnceValue(func() *inverse {
		defer s.Deriving("nodes by id")()
		return invert(d.StoredNodeIDs(), uint64(d.NextNode))
	})
	s.byRel = sync.OnceValue(func() *inverse {
		defer s.Deriving("relationships by id")()
		return invert(d.StoredRelIDs(), uint64(d.NextRel))
	})
	return s
}

// N is the number of vertices.
func (s *Snapshot) N() uint64 { return s.Vertices }

// M is the number of relationships.
func (s *Snapshot) M() uint64 { return s.Edges }

// ClassOf returns the class of v.
func (s *Snapshot) ClassOf(v VertexID) *Class {
	if len(s.Classes) == 1 {
		return &s.Classes[0]
	}
	i := sort.Search(len(s.Classes), func(i int) bool { return s.Classes[i].Hi > v })
	return &s.Classes[i]
}

// LabelsOf returns the sorted labels of v; callers must not change it.
func (s *Snapshot) LabelsOf(v VertexID) []LabelID { return s.ClassOf(v).Labels }

// HasLabel reports whether v carries l.
func (s *Snapshot) HasLabel(v VertexID, l LabelID) bool {
	_, ok := slices.BinarySearch(s.ClassOf(v).Labels, l)
	return ok
}

// VertexProp returns a property of v.
func (s *Snapshot) VertexProp(v VertexID, key KeyID) (Cell, bool) {
	if int(key) >= len(s.VertexProps) {
		return Cell{}, false
	}
	return s.VertexProps[key].Get(uint64(v))
}

// EdgeProp returns a property of e.
func (s *Snapshot) EdgeProp(e EdgeID, key KeyID) (Cell, bool) {
	if int(key) >= len(s.EdgeProps) {
		return Cell{}, false
	}
	return s.EdgeProps[key].Get(uint64(e))
}

// Bytes estimates the memory of the snapshot and its adjacency views. It leaves out what other packages keep through
// Derived.
func (s *Snapshot) Bytes() uint64 {
	size := uint64(unsafe.Sizeof(*s)) + 8*uint64(len(s.NodeIDs)+len(s.RelIDs)) + s.lateNodeIDs.bytes() + s.lateRelIDs.bytes()
	for i := range s.Data.Rels {
		r := s.Data.Rels[i].known()
		if r == nil {
			size += s.Data.Rels[i].late.size
			continue
		}
		size += 8*uint64(len(r.Offsets)+len(r.ids)) + 4*uint64(len(r.Targets)) + r.pages.bytes()
	}
	if x := s.over; x != nil {
		size += 8*uint64(len(x.relIDs)) + x.ends.pages.bytes() + x.nodeIDs.pages.bytes()
		for _, m := range x.nodes {
			size += 16 * uint64(len(m))
		}
	}
	for _, columns := range [][]*Column{s.VertexProps, s.EdgeProps} {
		for _, c := range columns {
			size += c.bytes()
		}
	}
	for _, x := range s.External {
		size += x.IDs.bytes()
	}
	if list := s.numbers.Load(); list != nil {
		size += 4 * uint64(len(*list))
	}
	return size + viewsBytes(s)
}

// inverse finds the position of a stable id: by a table where the ids are dense, else by binary search in the
// positions sorted by id.
type inverse struct {
	table  []uint64 // position + 1; 0: none
	sorted []uint64
}

func invert[T ~uint64](ids []T, next uint64) *inverse {
	n := uint64(len(ids))
	if next <= 2*n+ChunkLen {
		table := make([]uint64, next)
		for i, id := range ids {
			table[id] = uint64(i) + 1
		}
		return &inverse{table: table}
	}
	sorted := make([]uint64, n)
	for i := range sorted {
		sorted[i] = uint64(i)
	}
	slices.SortFunc(sorted, func(a, b uint64) int { return compare(ids[a], ids[b]) })
	return &inverse{sorted: sorted}
}

func find[T ~uint64](x *inverse, ids []T, id T) (uint64, bool) {
	if x.table != nil {
		if uint64(id) >= uint64(len(x.table)) || x.table[id] == 0 {
			return 0, false
		}
		return x.table[id] - 1, true
	}
	i, ok := slices.BinarySearchFunc(x.sorted, id, func(at uint64, id T) int { return compare(ids[at], id) })
	if !ok {
		return 0, false
	}
	return x.sorted[i], true
}

func compare[T ~uint64 | ~uint32](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
