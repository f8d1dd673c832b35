package csr

import (
	"context"
	"runtime/debug"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// RowsView is the view of a type for a reader of few rows. It decodes degrees, which cost a byte a vertex, and the blocks of packed relationships that
// hold these rows. When many blocks were decoded, it becomes the whole view.
type RowsView struct {
	s       *Snapshot
	t       TypeID
	dir     Direction
	packed  *Packed
	degrees *Adjacency                // without Targets
	whole   atomic.Pointer[Adjacency] // nil: items are used
	mu      sync.Mutex
	items   map[int][]VertexID // by block
}

// fewestLateBlocks is how many blocks relationships have at least for a RowsView to decode single ones. It decodes one in so many.
var fewestLateBlocks = 16

// rowsKey is the key of a RowsView in Snapshot.Derived.
type rowsKey struct {
	of   TypeID
	dir  Direction
	name string
}

func (k rowsKey) String() string {
	return "rows of " + k.name + directionNames[k.dir]
}

// RowsOf returns the rows of types in a direction, or nil where View is as fast: where the view is there, where it has no packed relationships of
// one type without repeats, where these have few blocks, and if ctx ends.
func RowsOf(ctx context.Context, s *Snapshot, types TypeSet, dir Direction) *RowsView {
	var room [2]TypeID
	used := appendUsed(room[:0], s, types)
	if len(used) != 1 || dir == Both || !rowsApart(s, used[0], dir) {
		return nil
	}
	key := rowsKey{used[0], dir, s.Types.Name(uint32(used[0]))}
	x, _ := s.Derived(key, func() any {
		if x := newRowsView(ctx, s, key); x != nil {
			return x
		}
		return nil
	}).(*RowsView)
	return x
}

// rowsApart reports whether single rows of a type can be decoded, and all of them were not yet.
func rowsApart(s *Snapshot, t TypeID, dir Direction) bool {
	l := s.Data.Rels[t].late
	if s.over != nil || l == nil || l.packed.Out == nil || l.stat == nil || l.stat.Parallel || dir == Out && l.rels.Load() != nil {
		return false
	}
	var room [4]byte
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[viewKey{string(appendName(room[:0], []TypeID{t})), dir}]
	return v == nil || v.adj.Load() == nil
}

// newRowsView reads the degrees. It returns nil if the relationships have few blocks, and if ctx ends.
func newRowsView(ctx context.Context, s *Snapshot, key rowsKey) *RowsView {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the rows may be memory of a mapped file
	l := s.Data.Rels[key.of].late
	read := l.packed.Out
	if key.dir == In {
		read = l.packed.In
	}
	p, err := read()
	if err == nil && len(p.blocks)-1 < fewestLateBlocks {
		return nil
	}
	var offsets []uint64
	if err == nil {
		offsets, err = p.offsets(ctx, defaultWorkers())
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		panic(&Fault{l.fault(err)})
	}
	return &RowsView{s: s, t: key.of, dir: key.dir, packed: p, items: make(map[int][]VertexID),
		degrees: &Adjacency{Lo: p.lo, Offsets: offsets, Loops: l.stat.Loops}}
}

// Degrees is the view without Targets: it knows Row, Degree and Loops.
func (x *RowsView) Degrees() *Adjacency { return x.degrees }

// Neighbours returns the sorted distinct neighbours of v.
func (x *RowsView) Neighbours(v VertexID) []VertexID {
	if a := x.whole.Load(); a != nil {
		return a.Neighbours(v)
	}
	lo, hi := x.degrees.Row(v)
	if lo == hi {
		return nil
	}
	p := x.packed
	i := sort.Search(len(p.blocks)-1, func(i int) bool { return p.blocks[i+1].edge > lo })
	items := x.block(i)
	if items == nil {
		return x.whole.Load().Neighbours(v)
	}
	first := p.blocks[i].edge
	return items[lo-first : hi-first : hi-first]
}

// Has reports whether w is a neighbour of v.
func (x *RowsView) Has(v, w VertexID) bool {
	_, ok := slices.BinarySearch(x.Neighbours(v), w)
	return ok
}

// Outgoing returns the relationships that leave v. The view must be one of Out.
func (x *RowsView) Outgoing(v VertexID) IncidentRow {
	lo, _ := x.degrees.Row(v)
	return IncidentRow{Ends: x.Neighbours(v), first: x.s.Data.Rels[x.t].First + EdgeID(lo)}
}

// block returns the items of a block, or nil once the view is whole.
func (x *RowsView) block(i int) []VertexID {
	x.mu.Lock()
	defer x.mu.Unlock()
	if items := x.items[i]; items != nil || x.whole.Load() != nil {
		return items
	}
	if len(x.items) >= (len(x.packed.blocks)-1)/fewestLateBlocks {
		x.whole.Store(x.s.Adjacency(TypeSet{x.t}, x.dir))
		x.items = nil
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	at, next := x.packed.blocks[i], x.packed.blocks[i+1]
	items := make([]VertexID, next.edge-at.edge)
	row := at.row
	if _, err := x.packed.items(i, x.degrees.Offsets[row+1:next.row+1], items); err != nil {
		panic(&Fault{x.s.Data.Rels[x.t].late.fault(err)})
	}
	x.items[i] = items
	return items
}

// Bytes is the memory of the degrees and of what was decoded.
func (x *RowsView) Bytes() uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	bytes := 8 * uint64(len(x.degrees.Offsets))
	for _, items := range x.items {
		bytes += 4 * uint64(len(items))
	}
	return bytes
}

var directionNames = map[Direction]string{Out: ", out", In: ", in", Both: ", both ways"}
