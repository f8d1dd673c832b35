package csr

import (
	"context"
	"runtime/debug"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/workgroup"
)

// RowsView is the view of a type for a reader of few rows. It decodes the blocks of packed relationships that hold these rows, and all degrees if
// these are asked for, which costs a byte a vertex. When many blocks were decoded, it becomes the whole view.
type RowsView struct {
	s       *Snapshot
	t       TypeID
	dir     Direction
	packed  *Packed
	late    *lateRels
	repeats bool // several relationships may lead from one vertex to another, and the rows have an item for each
	once    workgroup.Once
	degrees atomic.Pointer[Adjacency] // without Targets; nil: nobody has asked
	whole   atomic.Pointer[Adjacency] // nil: blocks are used
	mu      sync.Mutex
	blocks  map[int]*rowsBlock
}

// rowsBlock is a decoded block.
type rowsBlock struct {
	first uint64   // position of its first item
	ends  []uint64 // positions where its rows end
	items []VertexID
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

// RowsOf returns the rows of a single type in a direction, or nil where View is as fast: where the view is there, where relationships are not packed or
// repeat, where these have few blocks, and if ctx ends.
func RowsOf(ctx context.Context, s *Snapshot, types TypeSet, dir Direction) *RowsView {
	var room [2]TypeID
	used := appendUsed(room[:0], s, types)
	if len(used) != 1 || dir == Both {
		return nil
	}
	x := lateRowsOf(ctx, s, used[0], dir)
	if x != nil && x.repeats {
		return nil
	}
	return x
}

// lateRowsOf is RowsOf for a type that may repeat.
func lateRowsOf(ctx context.Context, s *Snapshot, t TypeID, dir Direction) *RowsView {
	if !rowsApart(s, t, dir) {
		return nil
	}
	key := rowsKey{t, dir, s.Types.Name(uint32(t))}
	x, _ := s.Derived(key, func() any {
		if x := newRowsView(ctx, s, key); x != nil {
			return x
		}
		return nil
	}).(*RowsView)
	return x
}

// mostRowTypes is how many types RowsByType serves: each of them costs a look-up where a view of all costs one.
const mostRowTypes = 8

// RowsByType returns the rows of each of types: in a direction, or, for Both, by source and by target in turn. It returns nil where View must be asked:
// relationships that are not packed, or belong to many types, or none at all.
func RowsByType(ctx context.Context, s *Snapshot, types TypeSet, dir Direction) []*RowsView {
	var room [mostRowTypes]TypeID
	used := appendUsed(room[:0], s, types)
	if s.over != nil || len(used) == 0 || len(used) > mostRowTypes {
		return nil
	}
	dirs := []Direction{dir}
	if dir == Both {
		dirs = []Direction{Out, In}
	}
	views := make([]*RowsView, 0, len(dirs)*len(used))
	for _, t := range used {
		l := s.Data.Rels[t].late
		if l == nil || l.packed.Out == nil || l.stat == nil {
			return nil
		}
		for _, dir := range dirs {
			x := lateRowsOf(ctx, s, t, dir)
			if x == nil { // the view is there, or soon made
				whole, err := s.View(ctx, TypeSet{t}, dir)
				if err != nil {
					return nil
				}
				x = &RowsView{s: s, t: t, dir: dir, late: l, repeats: l.stat.Parallel}
				x.whole.Store(whole)
			}
			views = append(views, x)
		}
	}
	return views
}

// Neighbours returns the sorted distinct neighbours of v in views that RowsByType has returned: a row of the graph, or room.
func Neighbours(room []VertexID, views []*RowsView, v VertexID) []VertexID {
	if len(views) == 1 {
		return views[0].Neighbours(v)
	}
	for _, x := range views {
		room = append(room, x.Neighbours(v)...)
	}
	slices.Sort(room)
	return slices.Compact(room)
}

// Ends returns the other ends of the relationships of v in views that RowsByType has returned for a direction: sorted, one for each relationship, v once
// for a loop.
func Ends(views []*RowsView, dir Direction, v VertexID) (ends []VertexID) {
	for i, x := range views {
		had := len(ends)
		ends = x.appendEnds(ends, v)
		if row := ends[had:]; dir == Both && i%2 == 1 { // the row by source has its loops
			ends = ends[:had+len(slices.DeleteFunc(row, func(w VertexID) bool { return w == v }))]
		}
	}
	slices.Sort(ends)
	return ends
}

// appendEnds appends the neighbours of v, each as often as it has relationships.
func (x *RowsView) appendEnds(ends []VertexID, v VertexID) []VertexID {
	_, items, whole := x.row(v)
	if whole == nil {
		return append(ends, items...)
	}
	for _, w := range whole.Neighbours(v) {
		for range whole.Count(v, w) {
			ends = append(ends, w)
		}
	}
	return ends
}

// fewEnds returns the ends of the relationship at position p of type t, if few were asked for one by one so far: else all are to be decoded.
func fewEnds(s *Snapshot, t TypeID, p uint64) (ends [2]VertexID, ok bool) {
	if s.over != nil { // t may be a type that the base does not have
		return ends, false
	}
	l := s.Data.Rels[t].late
	if l == nil || l.packed.Out == nil || l.rels.Load() != nil {
		return ends, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if ends, ok = l.single[p]; ok || len(l.single) == mostSingleIDs {
		return ends, ok
	}
	x := lateRowsOf(context.Background(), s, t, Out)
	if x == nil {
		return ends, false
	}
	if l.single == nil {
		l.single = make(map[uint64][2]VertexID)
	}
	ends[0], ends[1] = x.ends(p)
	l.single[p] = ends
	return ends, true
}

// rowsApart reports whether single rows of a type can be decoded, and all of them were not yet.
func rowsApart(s *Snapshot, t TypeID, dir Direction) bool {
	l := s.Data.Rels[t].late
	if s.over != nil || l == nil || l.packed.Out == nil || l.stat == nil || dir == Out && l.rels.Load() != nil {
		return false
	}
	var room [4]byte
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[viewKey{string(appendName(room[:0], []TypeID{t})), dir}]
	return v == nil || v.adj.Load() == nil
}

// newRowsView returns nil if the relationships have few blocks, and if ctx ends.
func newRowsView(ctx context.Context, s *Snapshot, key rowsKey) *RowsView {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // the rows may be memory of a mapped file
	l := s.Data.Rels[key.of].late
	read := l.packed.Out
	if key.dir == In {
		read = l.packed.In
	}
	p, err := read()
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		panic(&Fault{l.fault(err)})
	case len(p.blocks)-1 < fewestLateBlocks:
		return nil
	}
	return &RowsView{s: s, t: key.of, dir: key.dir, packed: p, late: l, repeats: l.stat.Parallel, blocks: make(map[int]*rowsBlock)}
}

// Degrees is the view without Targets, of a type that does not repeat: it knows Row, Degree and Loops.
func (x *RowsView) Degrees() *Adjacency {
	x.once.Do(func() {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		offsets, err := x.packed.offsets(context.Background(), defaultWorkers())
		if err != nil {
			panic(&Fault{x.late.fault(err)})
		}
		x.degrees.Store(&Adjacency{Lo: x.packed.lo, Offsets: offsets, Loops: x.Loops()})
	})
	return x.degrees.Load()
}

// Loops is how many relationships lead from a vertex to itself.
func (x *RowsView) Loops() uint64 { return x.late.stat.Loops }

// Decoded is how many blocks were decoded one by one.
func (x *RowsView) Decoded() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.blocks)
}

// Repeats reports whether several relationships may lead from one vertex to another.
func (x *RowsView) Repeats() bool { return x.repeats }

// Neighbours returns the sorted distinct neighbours of v.
func (x *RowsView) Neighbours(v VertexID) []VertexID {
	_, items, whole := x.row(v)
	switch {
	case whole != nil:
		return whole.Neighbours(v)
	case x.repeats && distinctLen(items) < len(items):
		return slices.Compact(slices.Clone(items))
	}
	return items
}

// row returns an item for each relationship of v, and the position of the first of them; or the whole view, which has them.
func (x *RowsView) row(v VertexID) (at uint64, items []VertexID, whole *Adjacency) {
	if a := x.whole.Load(); a != nil {
		return 0, nil, a
	}
	p := x.packed
	r := uint64(v) - uint64(p.lo)
	if v < p.lo || r >= p.rows {
		return 0, nil, nil
	}
	if d := x.degrees.Load(); d != nil {
		if lo, hi := d.Row(v); lo == hi {
			return lo, nil, nil
		}
	}
	i := sort.Search(len(p.blocks)-1, func(i int) bool { return p.blocks[i+1].row > r })
	b := x.block(i)
	if b == nil {
		return 0, nil, x.whole.Load()
	}
	at, items = b.row(r - p.blocks[i].row)
	return at, items, nil
}

// row returns the k-th row of the block and its first position.
func (b *rowsBlock) row(k uint64) (at uint64, items []VertexID) {
	lo, hi := b.first, b.ends[k]
	if k > 0 {
		lo = b.ends[k-1]
	}
	return lo, b.items[lo-b.first : hi-b.first : hi-b.first]
}

// Has reports whether w is a neighbour of v.
func (x *RowsView) Has(v, w VertexID) bool { return x.Count(v, w) > 0 }

// Count returns how many relationships lead from v to w, or, of a view of In, from w to v.
func (x *RowsView) Count(v, w VertexID) int {
	_, items, whole := x.row(v)
	if whole != nil {
		return whole.Count(v, w)
	}
	_, n := placesOf(items, w)
	return n
}

// placesOf returns where w is in a sorted list, and how often.
func placesOf(items []VertexID, w VertexID) (first, n int) {
	first, found := slices.BinarySearch(items, w)
	for found && first+n < len(items) && items[first+n] == w {
		n++
	}
	return first, n
}

// Outgoing returns the relationships that leave v. The view must be one of Out.
func (x *RowsView) Outgoing(v VertexID) IncidentRow {
	at, items, whole := x.row(v)
	switch {
	case whole != nil && x.repeats:
		return x.s.Data.Rels[x.t].Ready().Outgoing(v)
	case whole != nil:
		lo, hi := whole.Row(v)
		at, items = lo, whole.Targets[lo:hi:hi]
	}
	return IncidentRow{Ends: items, first: x.s.Data.Rels[x.t].First + EdgeID(at)}
}

// AppendBetween appends the relationships from v to w. The view must be one of Out.
func (x *RowsView) AppendBetween(dst []EdgeID, v, w VertexID) []EdgeID {
	row := x.Outgoing(v)
	first, n := placesOf(row.Ends, w)
	return row.AppendIDs(dst, first, first+n)
}

// ends returns the ends of the relationship at position p of the type. The view must be one of Out.
func (x *RowsView) ends(p uint64) (src, dst VertexID) {
	if x.whole.Load() == nil {
		blocks := x.packed.blocks
		i := sort.Search(len(blocks)-1, func(i int) bool { return blocks[i+1].edge > p })
		if b := x.block(i); b != nil {
			k := sort.Search(len(b.ends), func(k int) bool { return b.ends[k] > p })
			return x.packed.lo + VertexID(blocks[i].row) + VertexID(k), b.items[p-b.first]
		}
	}
	return x.s.Data.Rels[x.t].Ready().ends(p)
}

// block returns a block, or nil once the view is whole.
func (x *RowsView) block(i int) *rowsBlock {
	x.mu.Lock()
	defer x.mu.Unlock()
	if b := x.blocks[i]; b != nil || x.whole.Load() != nil {
		return b
	}
	if len(x.blocks) >= (len(x.packed.blocks)-1)/fewestLateBlocks {
		x.whole.Store(x.s.Adjacency(TypeSet{x.t}, x.dir))
		x.blocks = nil
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	at, next := x.packed.blocks[i], x.packed.blocks[i+1]
	b := &rowsBlock{first: at.edge, ends: make([]uint64, next.row-at.row), items: make([]VertexID, next.edge-at.edge)}
	err := x.packed.degrees(i, b.ends)
	if err == nil {
		_, err = x.packed.items(i, b.ends, b.items)
	}
	if err != nil {
		panic(&Fault{x.late.fault(err)})
	}
	x.blocks[i] = b
	return b
}

// Bytes is the memory of the degrees and of what was decoded.
func (x *RowsView) Bytes() (bytes uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if d := x.degrees.Load(); d != nil {
		bytes = 8 * uint64(len(d.Offsets))
	}
	for _, b := range x.blocks {
		bytes += 8*uint64(len(b.ends)) + 4*uint64(len(b.items))
	}
	return bytes
}

var directionNames = map[Direction]string{Out: ", out", In: ", in", Both: ", both ways"}
