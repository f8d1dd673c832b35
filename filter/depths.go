package filter

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/truss"
)

// Coreness and trussness as tests: the vertex that a match puts on u lies as deep in the graph as u lies in the pattern.
//
// Adjacency is over the types of a scope in both directions, with each neighbour once and without loops. Why it is sound: the
// tests run in scopes in which different neighbours of a query vertex are matched to different vertices (the scopes of
// signatures, see there). Let u be in H, the k-core of the scope's simple graph. Every vertex of H's image has k neighbours or
// more there, for the neighbours of its query vertex have different images. So the image lies in the graph's k-core. Two
// different triangles on an edge of H have different third vertices, both neighbours of the edge's ends, hence different
// images. So the image of a k-truss lies in the graph's k-truss, and u's vertex has an edge of that trussness. In other scopes
// a pattern may fold up: a 4-cycle of the 2-core fits on one edge under REPEATABLE ELEMENTS.
//
// A snapshot computes these numbers once per set of types, when queries that could use them have done as much work as that
// takes.

type depthKind int

const (
	coreness depthKind = iota
	trussness
	depthKinds
)

// String returns the name of a kind's tier.
func (k depthKind) String() string { return [...]string{"core", "truss"}[k] }

func (k depthKind) technique() pattern.Technique {
	return [...]pattern.Technique{pattern.CoreTier, pattern.TrussTier}[k]
}

// depths is what a snapshot keeps for a set of types and a kind: the coreness of each vertex, or the greatest trussness of an edge at
// it.
type depths struct {
	least uint64        // below that, cost is not asked
	cost  func() uint64 // list elements that it takes to compute them
	work  atomic.Uint64 // list elements that queries without them have gone through
	build func() []uint32
	of    atomic.Pointer[[]uint32]
}

// depthKey is the key of depths among a snapshot's derived data.
type depthKey struct {
	kind  depthKind
	any   bool
	types string
}

func (k depthKey) String() string { return "when to compute " + k.kind.stage() }

// stage names the decomposition among what a snapshot derives.
func (k depthKind) stage() string { return [...]string{"coreness", "trussness"}[k] }

// depthsOf returns what s keeps for a set of types and a kind, which need not be computed yet.
func depthsOf(s *csr.Snapshot, types csr.TypeSet, kind depthKind) *depths {
	key := depthKey{kind: kind, any: types == nil}
	if !key.any {
		for _, t := range types {
			key.types += strconv.Itoa(int(t)) + " "
		}
	}
	if d, ok := csr.FindDerived(s, key).(*depths); ok {
		return d
	}
	return s.Derived(key, func() any {
		d := &depths{}
		switch kind {
		case coreness:
			d.cost = sync.OnceValue(func() uint64 { return coreCost * relationships(s, types) })
			d.build = sync.OnceValue(func() []uint32 { defer s.Deriving(kind.stage())(); return cores(s, types) })
		case trussness:
			d.least = trussDelay * trussCost * relationships(s, types) // before that, nobody need walk the graph to know the cost
			d.cost = sync.OnceValue(func() uint64 { defer s.Deriving(fmt.Sprint(key))(); return trussesCost(s, types) })
			d.build = sync.OnceValue(func() []uint32 { defer s.Deriving(kind.stage())(); return trusses(s, types) })
		}
		return d
	}).(*depths)
}

// coreCost is what coreness costs a relationship, in elements of lists that a join goes through: 6 ms for the 0.5 M of soc-Slashdot0902.
const coreCost = 8

// trussCost is what trussness costs for each look at the list of a relationship's end with fewer neighbours. RMAT graphs of 2^12 to 2^18 vertices
// and random graphs with a mean degree of 8 to 950 took 4 to 26 ns a look on two cores.
const trussCost = 16

func trussesCost(s *csr.Snapshot, types csr.TypeSet) uint64 {
	_, looks := s.Adjacency(types, csr.Both).RankedWork()
	return uint64(min(math.MaxInt64, trussDelay*trussCost*looks))
}

// trussDelay is how many times the cost of trusses queries must spend before they pay: trusses hardly ever drop what signatures leave
// (labelled cliques of five on RMAT graphs of 2^16 vertices: 2,546 candidates of 2,553).
const trussDelay = 10

// relationships returns how many relationships of the types s has.
func relationships(s *csr.Snapshot, types csr.TypeSet) (m uint64) {
	for t := range s.Stats.Types {
		if types.Has(csr.TypeID(t)) {
			m += s.Stats.Types[t].Edges
		}
	}
	return m
}

// cores returns the coreness of each vertex.
func cores(s *csr.Snapshot, types csr.TypeSet) []uint32 {
	core, _, _, _ := core.ByBins(context.Background(), s.Adjacency(types, csr.Both), s.N())
	return core
}

// trusses returns the greatest trussness of an edge at each vertex.
func trusses(s *csr.Snapshot, types csr.TypeSet) []uint32 {
	t, err := truss.Decompose(context.Background(), s, &pattern.TrussRequest{Types: types}, &pattern.Env{Workers: runtime.GOMAXPROCS(0)})
	if err != nil { // fails by its context or budget only
		return nil
	}
	return deepest(t, s.N())
}

// deepest returns the greatest trussness of an edge at each of n vertices.
func deepest(t *pattern.Trusses, n uint64) []uint32 {
	of := make([]uint32, n)
	for i, k := range t.Truss {
		of[t.Source[i]] = max(of[t.Source[i]], k)
		of[t.Target[i]] = max(of[t.Target[i]], k)
	}
	return of
}

// Bytes is the memory of the numbers; see csr.Sized.
func (d *depths) Bytes() uint64 {
	if v := d.of.Load(); v != nil {
		return 4 * uint64(len(*v))
	}
	return 0
}

// due reports whether it is time to compute the numbers.
func (d *depths) due() bool { return d.of.Load() == nil && d.paid() }

// paid reports whether queries have spent what the numbers cost.
func (d *depths) paid() bool {
	work := d.work.Load()
	return work >= d.least && work >= d.cost()
}

// keep takes numbers that were computed elsewhere.
func (d *depths) keep(values []uint32) { d.of.Store(&values) }

// values returns the numbers by vertex, or nil if it is too early to compute them.
func (d *depths) values() []uint32 {
	if v := d.of.Load(); v != nil {
		return *v
	}
	if !d.paid() {
		return nil
	}
	v := d.build()
	d.of.Store(&v)
	return v
}

// Depth says how deep a query vertex lies in the simple graph of one scope: its coreness there, and the greatest trussness of an edge at
// it (2 in no triangle, 0 without edges).
type Depth struct{ Core, Truss uint32 }

// Depths returns the depth of every query vertex in each scope whose matches must lie as deep, and nil for the other scopes.
func Depths(s *csr.Snapshot, p *pattern.Pattern) [][]Depth { return newVicinity(s, p, false).depths() }

// depths returns the Depths of the pattern, which it computes once.
func (x *vicinity) depths() [][]Depth {
	if x.deep == nil {
		x.deep = make([][]Depth, len(x.near))
		for scope, near := range x.near {
			if near != nil {
				x.deep[scope] = depthsIn(near)
			}
		}
	}
	return x.deep
}

// depthsIn decomposes the small graph of adjacency lists near. Up to 64 vertices, its rows are words.
func depthsIn(near [][]int) []Depth {
	if len(near) <= maxDepthRows {
		return depthsOfRows(near)
	}
	return depthsByDefinition(near)
}

// maxDepthRows is how many vertices a pattern may have for its rows to be words: 64, or less in tests.
var maxDepthRows = 64

// depthsOfRows is depthsIn by bits. The k-core is left when all vertices with fewer than k neighbours among the rest are gone, the k-truss
// when all edges with fewer than k-2 common neighbours are.
func depthsOfRows(near [][]int) []Depth {
	out, whole := make([]Depth, len(near)), [64]uint64{}
	for u := range near {
		for _, w := range near[u] {
			whole[u] |= 1 << w
		}
	}
	rows := whole
	for k := 1; ; k++ {
		for again := true; again; {
			again = false
			for u := range near {
				if rows[u] != 0 && bits.OnesCount64(rows[u]) < k {
					for rest := rows[u]; rest != 0; rest &= rest - 1 {
						rows[bits.TrailingZeros64(rest)] &^= 1 << u
					}
					rows[u], again = 0, true
				}
			}
		}
		if !raise(out, &rows, func(d *Depth) { d.Core = uint32(k) }) {
			break
		}
	}
	rows = whole
	for k := 2; ; k++ {
		for again := true; again; {
			again = false
			for u := range near {
				for rest := rows[u]; rest != 0; rest &= rest - 1 {
					if w := bits.TrailingZeros64(rest); bits.OnesCount64(rows[u]&rows[w]) < k-2 {
						rows[u], rows[w] = rows[u]&^(1<<w), rows[w]&^(1<<u)
						again = true
					}
				}
			}
		}
		if !raise(out, &rows, func(d *Depth) { d.Truss = uint32(k) }) {
			return out
		}
	}
}

// raise calls set for every vertex that has an edge left and reports whether any has.
func raise(out []Depth, rows *[64]uint64, set func(d *Depth)) (some bool) {
	for u := range out {
		if rows[u] != 0 {
			set(&out[u])
			some = true
		}
	}
	return some
}

// depthsByDefinition is depthsIn for patterns of any size.
func depthsByDefinition(near [][]int) []Depth {
	out := make([]Depth, len(near))
	for k, left := uint32(1), near; ; k++ {
		left = shrink(left, func(left [][]int, u, _ int) bool { return len(left[u]) >= int(k) })
		if isEmpty(left) {
			break
		}
		for u := range left {
			if len(left[u]) > 0 {
				out[u].Core = k
			}
		}
	}
	for k, left := uint32(2), near; ; k++ {
		left = shrink(left, func(left [][]int, u, w int) bool { return common(left[u], left[w]) >= int(k)-2 })
		if isEmpty(left) {
			return out
		}
		for u := range left {
			if len(left[u]) > 0 {
				out[u].Truss = k
			}
		}
	}
}

// shrink removes the edges that fail in either direction until none does.
func shrink(near [][]int, keep func(near [][]int, u, w int) bool) [][]int {
	for {
		removed := false
		next := make([][]int, len(near))
		for u := range near {
			for _, w := range near[u] {
				if keep(near, u, w) && keep(near, w, u) {
					next[u] = append(next[u], w)
				} else {
					removed = true
				}
			}
		}
		if !removed {
			return near
		}
		near = next
	}
}

// isEmpty reports whether no vertex has a neighbour.
func isEmpty(near [][]int) bool {
	return !slices.ContainsFunc(near, func(at []int) bool { return len(at) > 0 })
}

// common returns how many elements a and b have in common.
func common(a, b []int) (n int) {
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// leastDepth is the least depth worth a test: every vertex that a pattern's degrees leave has a neighbour and an edge.
var leastDepth = [depthKinds]uint32{2, 3}

func (d Depth) of(kind depthKind) uint32 { return [...]uint32{d.Core, d.Truss}[kind] }

// asks reports whether a scope asks for a depth worth a test.
func (kind depthKind) asks(at []Depth) bool {
	return slices.ContainsFunc(at, func(d Depth) bool { return d.of(kind) >= leastDepth[kind] })
}

// scopeTypes returns the types of a scope's edges.
func scopeTypes(p *pattern.Pattern, sc *pattern.Scope) csr.TypeSet {
	if len(sc.Edges) == 0 {
		return csr.TypeSet{}
	}
	types := p.Edges[sc.Edges[0]].Types
	for _, i := range sc.Edges[1:] {
		if other := p.Edges[i].Types; !types.Equal(other) {
			types = types.Union(other)
		}
	}
	return types
}

// spentOnDepths notes that a query went through n list elements without the coreness or trussness that it could use.
func (x *vicinity) spentOnDepths(n uint64) {
	for scope, deep := range x.depths() {
		for kind := range depthKinds {
			if !kind.asks(deep) {
				continue
			}
			if d := depthsOf(x.s, scopeTypes(x.p, &x.p.Scopes[scope]), kind); d.of.Load() == nil && !d.paid() {
				d.work.Add(n)
			}
		}
	}
}

// cores tests the coreness of candidates, if the snapshot has it.
func (f *filter) cores() error { return f.testDepths(coreness) }

// trusses tests the trussness of candidates, if the snapshot has it.
func (f *filter) trusses() error { return f.testDepths(trussness) }

// testDepths tests one kind of depth on the candidates.
func (f *filter) testDepths(kind depthKind) error {
	if !f.env.Uses(kind.technique()) {
		return nil
	}
	for scope, least := range f.around.depths() {
		if !kind.asks(least) {
			continue
		}
		values := depthsOf(f.s, scopeTypes(f.p, &f.p.Scopes[scope]), kind).values()
		for u := range least {
			k := least[u].of(kind)
			if values == nil || k < leastDepth[kind] || !f.open(u) {
				continue
			}
			before := f.out.Sets[u].Len()
			list, err := f.keepBy(f.out.Sets[u].List(), func(v csr.VertexID) bool { return values[v] >= k })
			if err == nil {
				f.env.Took(kind.technique(), uint64(before-len(list)))
				err = f.replace(u, list)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
