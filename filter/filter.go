// Package filter finds the candidate set C(u) of every query vertex u before anything is joined.
//
// A snapshot and a pattern go in; out comes a set of vertices for each query vertex, which holds every vertex that takes part in a
// match, and probably quite a few more. The filter never drops a vertex of a match, in any match mode, and never promises that
// what is left has one.
//
// It runs tiers of tests, cheap ones first, each on what the one before has left: labels (as ranges of classes), predicates that
// hardly any vertex passes, degrees, composite signatures (GpSI, "Research on subgraph matching optimization based on GPU", 2023,
// section 3), coreness and trussness, counts of neighbours by label, the other predicates on single vertices, and arc
// consistency along the pattern's edges for as long as it pays.
//
// What makes it fast: a label is a range test, a signature is a few words compared by AND, and what a snapshot needs for signatures and
// depths is derived once, when queries have done as much work as that takes. So a quick query never waits for it.
//
// What a tier may demand depends on the match mode of the scope in which an edge stands. Tiers test scopes one by one and never add
// them up. The rules stand in vicinity.go, signature.go and depths.go, with the reasons why they are sound.
package filter

import (
	"context"
	"slices"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Run returns candidate sets that hold every vertex that takes part in a match, and probably quite a few more: it is
// sound in every match mode, never complete. On each candidate of a free vertex the vertex's label expression holds, and
// so does every predicate that reads it alone, except those listed in Candidates.Deferred. Bound vertices
// get all vertices. env.Filter says which tiers run; the tiers of labels and predicates always do.
func Run(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error) {
	f := newFilter(ctx, s, p, env)
	defer f.release()
	for i := range tiers {
		t := &tiers[i]
		if !env.Filter.Reaches(t.depth) || env.Repeatable && !t.repeatable {
			continue
		}
		f.active = i == 0
		if err := t.run(f); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.active {
			f.noteTier(t.name)
		}
	}
	return &f.out, nil
}

// tiers are the tests in the order in which they run. What a repeatable one leaves depends on nothing but its sets, the pattern and the graph's
// labels, properties and relationships. Signatures and depths depend on earlier queries, too, look-ups on indexes, and neighbours on what the snapshot knows
// of parallel relationships. So do degrees, unless they are to be repeatable.
var tiers = [...]struct {
	name       string
	run        func(*filter) error
	depth      pattern.FilterDepth
	repeatable bool
}{
	{"label", (*filter).labels, pattern.FilterLabel, true}, {"lookup", (*filter).lookup, pattern.FilterRefine, false},
	{"degree", (*filter).degrees, pattern.FilterDegree, true}, {"signature", (*filter).signatures, pattern.FilterSignature, false},
	{"core", (*filter).cores, pattern.FilterSignature, false}, {"truss", (*filter).trusses, pattern.FilterSignature, false},
	{"neighbours", (*filter).neighbours, pattern.FilterRefine, false}, {"predicate", (*filter).predicates, pattern.FilterLabel, true},
	{"refine", (*filter).refine, pattern.FilterRefine, true},
}

func newFilter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) *filter {
	f := &filter{ctx: ctx, s: s, p: p, env: env, workers: max(1, env.Workers), around: newVicinity(s, p, env.Repeatable), scratch: scratches.Get().(*scratch)}
	f.views, f.memory, f.vertices = &f.around.views, env.Memory, s.N()
	f.out.Spent = f.around.spent
	return f
}

// filter is one run.
type filter struct {
	ctx       context.Context
	s         *csr.Snapshot
	p         *pattern.Pattern
	env       *pattern.Env
	workers   int
	around    *vicinity
	views     *Views
	nearBound []bool // vertices connected to a bound element: the join will reach few of their candidates
	skip      []bool // by predicate: the sets obey it already
	*scratch
	degreesTested bool

	candidates
}

// scratch is room that one run after another uses.
type scratch struct {
	marks []uint64       // of vertices
	list  []csr.VertexID // of marked candidates
	kept  []csr.VertexID // of a list, before they are copied
}

// roomFor returns room for n vertices until the next call.
func (s *scratch) roomFor(n int) []csr.VertexID {
	if cap(s.kept) < n {
		s.kept = make([]csr.VertexID, max(n, chunk))
	}
	return s.kept[:n]
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// candidates are the sets of a run and the memory that they take.
type candidates struct {
	out        pattern.Candidates
	own        []bool // vertices whose set belongs to this run alone
	labelSizes []int  // on a device: how many vertices the labels admit, where the set is not made yet
	tierRoom   []int  // for the next Tier.Sizes
	active     bool   // the tier had something to test
	vertices   uint64 // of the snapshot
	memory     *pattern.Memory
	charges    int64 // bytes taken from memory
}

// init makes room for the sets of n query vertices.
func (c *candidates) init(n int) {
	c.out.Sets, c.own, c.labelSizes = make([]*pattern.CandidateSet, n), make([]bool, n), make([]int, n)
}

// size returns |C(u)|.
func (c *candidates) size(u int) int {
	if c.out.Sets[u] == nil {
		return c.labelSizes[u]
	}
	return c.out.Sets[u].Len()
}

// sizes returns |C(u)| of every query vertex u.
func (c *candidates) sizes() []int {
	n := len(c.out.Sets)
	if len(c.tierRoom) < n {
		c.tierRoom = make([]int, 4*n) // for four tiers, as many as most runs note
	}
	sizes := c.tierRoom[:n:n]
	c.tierRoom = c.tierRoom[n:]
	for u := range sizes {
		sizes[u] = c.size(u)
	}
	return sizes
}

// noteTier notes what a tier has left.
func (c *candidates) noteTier(name string) {
	if c.out.Tiers == nil {
		c.out.Tiers = make([]pattern.Tier, 0, 4)
	}
	c.out.Tiers = append(c.out.Tiers, pattern.Tier{Name: name, Sizes: c.sizes()})
}

// replace makes list the candidates of u, which holds only former ones.
func (c *candidates) replace(u int, list []csr.VertexID) error {
	c.active = true
	if len(list) == c.out.Sets[u].Len() {
		return nil
	}
	if c.own[u] {
		c.out.Sets[u].Retain(list)
		return nil
	}
	return c.put(u, pattern.NewCandidateSet(c.vertices, list))
}

// put makes set, which belongs to this run alone, the candidates of u.
func (c *candidates) put(u int, set *pattern.CandidateSet) error {
	c.out.Sets[u], c.own[u] = set, true
	return c.charge(4*set.Len() + int(c.vertices/8))
}

// charge takes n bytes from the memory budget.
func (c *candidates) charge(n int) error {
	c.charges += int64(n)
	return c.memory.Charge(int64(n))
}

// uncharge gives n bytes back.
func (c *candidates) uncharge(n int) {
	c.charges -= int64(n)
	c.memory.Release(int64(n))
}

// release gives back what the run took from the memory budget, and its scratch. The sets live on, but are small beside what they
// were made from.
func (f *filter) release() {
	f.memory.Release(f.charges)
	scratches.Put(f.scratch)
	f.scratch = nil
}

// open reports whether tiers beyond labels are worth their while for u.
func (f *filter) open(u int) bool { return !f.nearBound[u] && f.size(u) > 0 }

// chunk is how many vertices are tested between two looks at the context.
const chunk = 8192

// keep returns the members of list that pass, in order. Each goroutine calls newTest once and has the function it returns to
// itself.
func (f *filter) keep(list []csr.VertexID, newTest func() func(v csr.VertexID) bool) ([]csr.VertexID, error) {
	if len(list) <= chunk {
		return retain(list, newTest()), f.ctx.Err()
	}
	parts := slices.Collect(slices.Chunk(list, chunk))
	kept := make([][]csr.VertexID, len(parts))
	err := parallel(f.ctx, f.workers, len(parts), func() func(i int) {
		test := newTest()
		return func(i int) {
			kept[i] = retain(parts[i], test)
		}
	})
	return slices.Concat(kept...), err
}

// keepOf is keep for a set, which may stay without a list.
func (f *filter) keepOf(set *pattern.CandidateSet, newTest func() func(v csr.VertexID) bool) ([]csr.VertexID, error) {
	ranges := set.Unlisted()
	if ranges == nil || set.Len() <= chunk {
		return f.keep(set.List(), newTest)
	}
	var parts []csr.Range
	for _, r := range ranges {
		for ; r.Hi-r.Lo > chunk; r.Lo += chunk {
			parts = append(parts, csr.Range{Lo: r.Lo, Hi: r.Lo + chunk})
		}
		parts = append(parts, r)
	}
	kept := make([][]csr.VertexID, len(parts))
	err := parallel(f.ctx, f.workers, len(parts), func() func(i int) {
		test := newTest()
		return func(i int) {
			for v := parts[i].Lo; v < parts[i].Hi; v++ {
				if test(v) {
					kept[i] = append(kept[i], v)
				}
			}
		}
	})
	return slices.Concat(kept...), err
}

// keepBy is keep with a test that goroutines may share.
func (f *filter) keepBy(list []csr.VertexID, test func(v csr.VertexID) bool) ([]csr.VertexID, error) {
	if len(list) <= chunk {
		return retain(list, test), f.ctx.Err()
	}
	return f.keep(list, func() func(csr.VertexID) bool { return test })
}

// retain returns the members of list that pass: list itself if all do.
func retain(list []csr.VertexID, test func(v csr.VertexID) bool) []csr.VertexID {
	n := 0
	for n < len(list) && test(list[n]) {
		n++
	}
	if n == len(list) {
		return list
	}
	out := append(make([]csr.VertexID, 0, len(list)), list[:n]...)
	for _, v := range list[n+1:] {
		if test(v) {
			out = append(out, v)
		}
	}
	return out
}

// labels fills the sets by label expressions and finds the anchored vertices.
func (f *filter) labels() error {
	f.init(len(f.p.Vertices))
	for u := range f.p.Vertices {
		f.out.Sets[u] = pattern.Admitted(f.s, f.labelOf(u))
	}
	f.prepare()
	return nil
}

// labelOf returns the label expression of u; nil where u is bound.
func (f *filter) labelOf(u int) *pattern.Label {
	if v := &f.p.Vertices[u]; !v.Bound {
		return v.Labels
	}
	return nil
}

// prepare finds the anchored vertices and leaves the predicates on them to the join.
func (f *filter) prepare() {
	f.nearBound = anchored(f.p)
	f.skip = make([]bool, len(f.p.Predicates))
	for i := range f.p.Predicates {
		if u, ok := f.p.Predicates[i].Single(); ok && f.nearBound[u] && !f.p.Vertices[u].Bound {
			f.out.Deferred = append(f.out.Deferred, i)
		}
	}
}

// anchored returns which vertices are connected to a bound element.
func anchored(p *pattern.Pattern) []bool {
	a := make([]bool, len(p.Vertices))
	for u := range p.Vertices {
		a[u] = p.Vertices[u].Bound
	}
	for changed := true; changed; {
		changed = false
		for i := range p.Edges {
			if e := &p.Edges[i]; e.Bound || a[e.From] != a[e.To] {
				changed = changed || !a[e.From] || !a[e.To]
				a[e.From], a[e.To] = true, true
			}
		}
	}
	return a
}
