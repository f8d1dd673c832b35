package csr

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/motifql/motif/internal/hugepages"
)

// Adjacency is the neighbours of every vertex over some types in one direction.
//
// The neighbours of v are sorted and distinct. Vertices below Lo or past the end have none. Callers must not
// change it.
//
// In an overlay the rows of some vertices are elsewhere in Targets than Offsets say, and Targets holds old rows, too: Row knows,
// and Len. Those who walk Offsets take Flat.
type Adjacency struct {
	Lo      VertexID
	Offsets []uint64
	Targets []VertexID
	Counts  []uint32 // relationships behind each target; nil: exactly one each
	Loops   uint64   // relationships from a vertex to itself

	pages pageList[rowPage] // where rows are that Offsets do not tell
	live  uint64            // Len, where there are pages
	n     VertexID          // vertices of the graph, likewise
	own   *claim            // of Targets and Counts
	flat  atomic.Pointer[Adjacency]
	mean  atomic.Uint64              // bits of MeanNeighbourDegree, once somebody has asked for it
	ranks atomic.Pointer[[2]float64] // RankedWork, likewise

	parallel atomic.Pointer[Adjacency]  // Parallel, likewise; the view itself: nil
	looped   atomic.Pointer[[]VertexID] // Looped, likewise
}

// Row is the half-open range of positions in Targets of the neighbours of v.
func (a *Adjacency) Row(v VertexID) (lo, hi uint64) {
	if page := a.pages.at(uint64(v >> pageBits)); page != nil {
		return page.lo[v%pageLen], page.hi[v%pageLen]
	}
	i := uint64(v) - uint64(a.Lo)
	if v < a.Lo || i+1 >= uint64(len(a.Offsets)) {
		return 0, 0
	}
	return a.Offsets[i], a.Offsets[i+1]
}

// Neighbours returns the sorted distinct neighbours of v, v itself among them if it has a loop.
func (a *Adjacency) Neighbours(v VertexID) []VertexID {
	lo, hi := a.Row(v)
	return a.Targets[lo:hi:hi]
}

// Degree is the number of distinct neighbours of v.
func (a *Adjacency) Degree(v VertexID) int {
	lo, hi := a.Row(v)
	return int(hi - lo)
}

// Has reports whether w is a neighbour of v.
func (a *Adjacency) Has(v, w VertexID) bool {
	_, ok := slices.BinarySearch(a.Neighbours(v), w)
	return ok
}

// Count is the number of relationships between v and w in the view's types and direction.
func (a *Adjacency) Count(v, w VertexID) int {
	lo, hi := a.Row(v)
	i, ok := slices.BinarySearch(a.Targets[lo:hi], w)
	switch {
	case !ok:
		return 0
	case a.Counts == nil:
		return 1
	}
	return int(a.Counts[lo+uint64(i)])
}

// Span is a range that holds all vertices with neighbours.
func (a *Adjacency) Span() Range {
	switch {
	case a.pages != nil:
		return Range{0, a.n}
	case len(a.Offsets) == 0:
		return Range{}
	}
	return Range{a.Lo, a.Lo + VertexID(len(a.Offsets)-1)}
}

// Len is the number of pairs of a vertex and a neighbour.
func (a *Adjacency) Len() uint64 {
	if a.pages == nil {
		return uint64(len(a.Targets))
	}
	return a.live
}

// MeanNeighbourDegree is the mean degree of a neighbour: the vertex at the end of an edge taken at random. Vertices of high degree
// stand at the end of many edges, so it exceeds the mean degree. The first call walks over all vertices and keeps the result.
func (a *Adjacency) MeanNeighbourDegree() float64 {
	if bits := a.mean.Load(); bits != 0 {
		return math.Float64frombits(bits)
	}
	squares := 0.0
	for span, v := a.Span(), a.Span().Lo; v < span.Hi; v++ {
		lo, hi := a.Row(v)
		squares += float64(hi-lo) * float64(hi-lo)
	}
	mean := squares / max(1, float64(a.Len()))
	a.mean.Store(math.Float64bits(mean))
	return mean
}

// RankedWork ranks the vertices by degree, ties by number, and returns what algorithms read that go down in rank. wedges is the number of
// paths u, v, w with v below u and w not above u. looks is the sum, over all edges, of the lower end's degree. The first call walks over
// all edges and keeps the result.
func (a *Adjacency) RankedWork() (wedges, looks float64) {
	if x := a.ranks.Load(); x != nil {
		return x[0], x[1]
	}
	for span, v := a.Span(), a.Span().Lo; v < span.Hi; v++ {
		list := a.Neighbours(v)
		above := 0.0
		for _, w := range list {
			if d := a.Degree(w); d > len(list) || d == len(list) && w < v {
				above++
			}
		}
		looks += above * float64(len(list))
		wedges += above*float64(len(list)) - above*(above-1)/2
	}
	a.ranks.Store(&[2]float64{wedges, looks})
	return wedges, looks
}

// Simple reports whether every neighbour stands for exactly one relationship and none is the vertex itself.
func (a *Adjacency) Simple() bool { return a.Counts == nil && a.Loops == 0 }

type viewKey struct {
	types string // the types with relationships, 4 bytes each
	dir   Direction
}

type view struct {
	use
	turn chan struct{} // has room for whoever builds
	adj  atomic.Pointer[Adjacency]
}

// Adjacency returns the view over types in a direction. It is built once, on demand, and kept; where a view
// equals the base arrays it shares them. In Both, a loop counts once and a reciprocal pair twice.
func (s *Snapshot) Adjacency(types TypeSet, dir Direction) *Adjacency {
	a, _ := s.View(context.Background(), types, dir) // fails by its context only
	return a
}

// View is Adjacency for callers that may have to stop. Soon after ctx ends, it stops building a view or waiting for one, and
// returns ctx's error. Only the allocation of arrays cannot be stopped.
func (s *Snapshot) View(ctx context.Context, types TypeSet, dir Direction) (*Adjacency, error) {
	var usedRoom [8]TypeID // which hold what most queries ask for, so that finding a view allocates nothing
	var nameRoom [4 * len(usedRoom)]byte
	used := appendUsed(usedRoom[:0], s, types)
	name := appendName(nameRoom[:0], used)
	s.mu.Lock()
	v := s.views[viewKey{string(name), dir}]
	if v == nil {
		v = &view{turn: make(chan struct{}, 1)}
		s.views[viewKey{string(name), dir}] = v
	}
	s.mu.Unlock()
	v.note(s)
	if a := v.adj.Load(); a != nil {
		return a, nil
	}
	return v.fill(ctx, s, slices.Clone(used), dir)
}

// fill builds v unless somebody else does.
func (v *view) fill(ctx context.Context, s *Snapshot, used []TypeID, dir Direction) (*Adjacency, error) {
	select {
	case v.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-v.turn }()
	if a := v.adj.Load(); a != nil {
		return a, nil
	}
	defer s.Deriving(viewName(s.Types, used, dir))()
	a, err := s.buildView(ctx, used, dir, defaultWorkers())
	if err != nil {
		return nil, err
	}
	v.adj.Store(a)
	return a, nil
}

// viewName names a view for people.
func viewName(names *Dict, types []TypeID, dir Direction) string {
	name := fmt.Sprintf("adjacency of %d types", len(types))
	if len(types) == 1 {
		name = "adjacency of " + names.Name(uint32(types[0]))
	}
	return name + directionNames[dir]
}

// Used lists the types of the set that have relationships.
func (s *Snapshot) Used(types TypeSet) []TypeID { return appendUsed(nil, s, types) }

// appendUsed appends the types of the set that have relationships.
func appendUsed(used []TypeID, s *Snapshot, types TypeSet) []TypeID {
	if types == nil {
		for t := range s.Data.Rels {
			if s.Data.Rels[t].Len() > 0 {
				used = append(used, TypeID(t))
			}
		}
		return used
	}
	for _, t := range types {
		if int(t) < len(s.Data.Rels) && s.Data.Rels[t].Len() > 0 {
			used = append(used, t)
		}
	}
	return used
}

func viewsBytes(s *Snapshot) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := uint64(0)
	for _, v := range s.views {
		size += viewBytes(s, v.adj.Load())
	}
	return size
}

// viewBytes is the memory of a view, nil or not, beside the relationships.
func viewBytes(s *Snapshot, a *Adjacency) uint64 {
	if a == nil || len(a.Targets) == 0 {
		return 0
	}
	size := 4*uint64(len(a.Counts)) + a.pages.bytes()
	if list := a.looped.Load(); list != nil {
		size += 4 * uint64(len(*list))
	}
	if p := a.parallel.Load(); p != nil && p != a {
		size += 8*uint64(len(p.Offsets)) + 4*uint64(len(p.Targets)+len(p.Counts))
	}
	if flat := a.flat.Load(); flat != nil && flat != a {
		size += viewBytes(s, flat)
	}
	if !shares(s, a) {
		size += 8*uint64(len(a.Offsets)) + 4*uint64(len(a.Targets))
	}
	return size
}

// shares reports whether a is a base CSR itself.
func shares(s *Snapshot, a *Adjacency) bool {
	for i := range s.Data.Rels {
		if r := s.Data.Rels[i].known(); r != nil && unsafe.SliceData(r.Targets) == unsafe.SliceData(a.Targets) {
			return true
		}
	}
	return false
}

func (s *Snapshot) buildView(ctx context.Context, types []TypeID, dir Direction, workers int) (*Adjacency, error) {
	if len(types) == 0 {
		return &Adjacency{}, ctx.Err()
	}
	if len(types) == 1 {
		if a, err := s.packedView(ctx, types[0], dir, workers); a != nil || err != nil {
			return a, err
		}
	}
	rels := s.FlatRels(types)
	all := &rels[types[0]]
	if len(types) > 1 {
		all = union(ctx, rels, types, workers)
	}
	loops := countLoops(ctx, all, workers)
	var err error
	switch dir {
	case In:
		all, _, err = transpose(ctx, all, targetRange(all), nil, workers)
	case Both:
		all, err = bothWays(ctx, all, workers)
	}
	if err != nil {
		return nil, err
	}
	a := distinct(ctx, all, workers)
	a.Loops = loops
	return a, ctx.Err()
}

// parts cuts rows for work in parallel, into parts so small that looking at the context between them is often enough.
func parts(offsets []uint64, workers int) []int {
	const most = 1 << 20
	return rows(offsets, max(4*workers, int(offsets[len(offsets)-1]/most)))
}

// eachPart runs fn on every run of rows that cuts has, unless ctx ends first.
func eachPart(ctx context.Context, workers int, cuts []int, fn func(i, a, b int)) {
	dynamic(workers, len(cuts)-1, func(i int) {
		if ctx.Err() == nil {
			fn(i, cuts[i], cuts[i+1])
		}
	})
}

// union merges the base CSRs of several types, repeats and all.
func union(ctx context.Context, rels []Rels, types []TypeID, workers int) *Rels {
	span := Range{NoVertex, 0}
	for _, t := range types {
		r := &rels[t]
		span.Lo, span.Hi = min(span.Lo, r.Lo), max(span.Hi, r.Lo+VertexID(len(r.Offsets)-1))
	}
	u := &Rels{Lo: span.Lo, Offsets: hugepages.Make[uint64](span.Len() + 1)}
	for _, t := range types {
		r := &rels[t]
		addDegrees(u.Offsets[r.Lo-u.Lo:], r.Offsets)
	}
	for i := 1; i < len(u.Offsets); i++ {
		u.Offsets[i] += u.Offsets[i-1]
	}
	u.Targets = hugepages.Make[VertexID](u.Offsets[len(u.Offsets)-1])
	eachPart(ctx, workers, parts(u.Offsets, workers), func(_, a, b int) { mergeRows(u, rels, types, a, b) })
	return u
}

// mergeRows fills rows [a, b) of u with those of the types.
func mergeRows(u *Rels, rels []Rels, types []TypeID, a, b int) {
	next := slices.Clone(u.Offsets[a:b])
	for _, t := range types {
		r := &rels[t]
		shift := int(r.Lo - u.Lo)
		for i := max(a, shift); i < min(b, shift+len(r.Offsets)-1); i++ {
			row := r.Targets[r.Offsets[i-shift]:r.Offsets[i-shift+1]]
			next[i-a] += uint64(copy(u.Targets[next[i-a]:], row))
		}
	}
	for i := a; i < b; i++ {
		if row := u.Targets[u.Offsets[i]:u.Offsets[i+1]]; !slices.IsSorted(row) {
			slices.Sort(row)
		}
	}
}

func countLoops(ctx context.Context, r *Rels, workers int) uint64 {
	var loops atomic.Uint64
	eachPart(ctx, workers, parts(r.Offsets, workers), func(_, a, b int) {
		n := 0
		for j := a; j < b; j++ {
			n += count(r.Targets[r.Offsets[j]:r.Offsets[j+1]], r.Lo+VertexID(j))
		}
		loops.Add(uint64(n))
	})
	return loops.Load()
}

// bothWays merges r with its reverse; a loop occurs once for each relationship. The reverse half of every row
// is written behind room for the forward half, which is then merged in place.
func bothWays(ctx context.Context, r *Rels, workers int) (*Rels, error) {
	span := targetRange(r)
	span.Lo, span.Hi = min(span.Lo, r.Lo), max(span.Hi, r.Lo+VertexID(len(r.Offsets)-1))
	t := newTransposition(ctx, r, span, true, workers)
	degree := func(k int) uint64 {
		lo, hi := r.Row(span.Lo + VertexID(k))
		return hi - lo
	}
	out := &Rels{Lo: span.Lo, Offsets: places(t.counts, span.Len(), degree)}
	if err := ctx.Err(); err != nil { // the counts may be short of some
		return nil, err
	}
	out.Targets = hugepages.Make[VertexID](out.Offsets[span.Len()])
	if err := t.fill(out.Targets, nil, nil); err != nil {
		return nil, err
	}
	eachPart(ctx, workers, parts(out.Offsets, workers), func(_, a, b int) {
		for j := a; j < b; j++ {
			lo, hi := r.Row(span.Lo + VertexID(j))
			mergeInto(out.Targets[out.Offsets[j]:out.Offsets[j+1]], r.Targets[lo:hi])
		}
	})
	return out, ctx.Err()
}

// mergeInto merges sorted a into row, whose last len(row)-len(a) items are sorted and whose head is free.
func mergeInto(row, a []VertexID) {
	b := row[len(a):]
	for k := 0; len(a) > 0; k++ {
		if len(b) > 0 && b[0] < a[0] {
			row[k], b = b[0], b[1:]
		} else {
			row[k], a = a[0], a[1:]
		}
	}
}

// distinct makes r a view: its own arrays if no target repeats.
func distinct(ctx context.Context, r *Rels, workers int) *Adjacency {
	n := len(r.Offsets) - 1
	cuts := parts(r.Offsets, workers)
	lens := make([]uint64, len(cuts)-1) // distinct targets by part
	eachPart(ctx, workers, cuts, func(i, a, b int) {
		for j := a; j < b; j++ {
			lens[i] += uint64(distinctLen(r.Targets[r.Offsets[j]:r.Offsets[j+1]]))
		}
	})
	total := uint64(0)
	for i, l := range lens {
		lens[i], total = total, total+l
	}
	if total == uint64(len(r.Targets)) {
		return &Adjacency{Lo: r.Lo, Offsets: r.Offsets, Targets: r.Targets}
	}
	v := &Adjacency{Lo: r.Lo, Offsets: hugepages.Make[uint64](n + 1), Targets: hugepages.Make[VertexID](total), Counts: hugepages.Make[uint32](total)}
	if ctx.Err() != nil { // the lengths may be short of some
		return v
	}
	eachPart(ctx, workers, cuts, func(i, a, b int) {
		at := lens[i]
		for j := a; j < b; j++ {
			at = v.squeeze(at, r.Targets[r.Offsets[j]:r.Offsets[j+1]])
			v.Offsets[j+1] = at
		}
	})
	return v
}

func distinctLen(row []VertexID) int {
	n := 0
	for i, w := range row {
		if i == 0 || w != row[i-1] {
			n++
		}
	}
	return n
}

// squeeze writes the distinct targets of row and their counts from position at on and returns the next free one.
func (a *Adjacency) squeeze(at uint64, row []VertexID) uint64 {
	for i, w := range row {
		if i == 0 || w != row[i-1] {
			a.Targets[at] = w
			at++
		}
		a.Counts[at-1]++ // more than 2^32 relationships of one pair would not fit into memory here
	}
	return at
}

// Relationships appends the ids of all relationships between v and w to dst, rising. dir is seen from v:
// Out means v -> w; Both means either way, a loop once.
func (s *Snapshot) Relationships(dst []EdgeID, v, w VertexID, types TypeSet, dir Direction) []EdgeID {
	had := len(dst)
	if types == nil {
		for t := range s.Data.Rels {
			dst = s.Rels(TypeID(t)).between(dst, v, w, dir)
		}
	}
	for _, t := range types {
		if int(t) < len(s.Data.Rels) {
			dst = s.Rels(t).between(dst, v, w, dir)
		}
	}
	if s.over != nil {
		slices.Sort(dst[had:])
	}
	return dst
}

func (r *Rels) between(dst []EdgeID, v, w VertexID, dir Direction) []EdgeID {
	switch {
	case dir == In:
		return r.from(dst, w, v)
	case dir == Out || v == w:
		return r.from(dst, v, w)
	}
	return r.from(r.from(dst, min(v, w), max(v, w)), max(v, w), min(v, w))
}

// from appends the relationships v -> w.
func (r *Rels) from(dst []EdgeID, v, w VertexID) []EdgeID {
	lo, hi := r.Row(v)
	i, ok := slices.BinarySearch(r.Targets[lo:hi], w)
	for p := lo + uint64(i); ok && p < hi && r.Targets[p] == w; p++ {
		dst = append(dst, r.ID(p))
	}
	return dst
}
