// Package filter finds the candidate set C(u) of every query vertex u before anything is joined.
//
// It runs tiers of tests, cheap ones first, each on what the one before has left: labels (as ranges of classes),
// predicates that hardly any vertex passes, degrees, composite signatures (GpSI, "Research on subgraph matching
// optimization based on GPU", 2023, section 3), coreness and trussness, counts of neighbours by label, the other
// predicates on single vertices, and arc consistency along the pattern's edges for as long as it pays. What a tier
// may demand depends on the match mode of the scope an edge stands in; scopes are tested one by one, never summed. The
// rules are in neighbours.go, signature.go and structure.go, with the reasons why they are sound.
package filter

import (
	"context"
	"slices"

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
	tiers := []struct {
		name  string
		run   func() error
		depth pattern.FilterDepth
	}{
		{"label", f.labels, pattern.FilterLabel}, {"lookup", f.lookup, pattern.FilterRefine},
		{"degree", f.degrees, pattern.FilterDegree}, {"signature", f.signatures, pattern.FilterSignature},
		{"core", f.cores, pattern.FilterSignature}, {"truss", f.trusses, pattern.FilterSignature},
		{"neighbours", f.neighbours, pattern.FilterRefine}, {"predicate", f.predicates, pattern.FilterLabel},
		{"refine", f.refine, pattern.FilterRefine},
	}
	for i, t := range tiers {
		if !env.Filter.Reaches(t.depth) {
			continue
		}
		f.ran = i == 0
		if err := t.run(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.ran {
			f.out.Tiers = append(f.out.Tiers, pattern.Tier{Name: t.name, Sizes: f.sizes()})
		}
	}
	return &f.out, nil
}

func newFilter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) *filter {
	return &filter{ctx: ctx, s: s, p: p, env: env, workers: max(1, env.Workers), memory: env.Memory, around: newVicinity(s, p), views: ViewsOf(s)}
}

// filter is one run.
type filter struct {
	ctx     context.Context
	s       *csr.Snapshot
	p       *pattern.Pattern
	env     *pattern.Env
	workers int
	memory  *pattern.Memory
	charged int64
	around  *vicinity
	views   *Views
	deep    [][]Depth // of the pattern, once found

	out      pattern.Candidates
	anchored []bool // vertices that a bound element leads to: the join will reach few of their candidates
	tested   []bool // by predicate
	ran      bool   // the tier had something to test
	owned    []bool // vertices whose set is this run's own
	waiting  []int  // on a device: sizes of sets that are not made yet, for the device may make smaller ones
	marked   []uint64
}

// open reports whether tiers beyond labels are worth their while for u.
func (f *filter) open(u int) bool { return !f.anchored[u] && f.size(u) > 0 }

// size is |C(u)|.
func (f *filter) size(u int) int {
	if f.out.Sets[u] == nil {
		return f.waiting[u]
	}
	return f.out.Sets[u].Len()
}

func (f *filter) sizes() []int {
	sizes := make([]int, len(f.out.Sets))
	for u := range f.out.Sets {
		sizes[u] = f.size(u)
	}
	return sizes
}

// replace makes list the candidates of u, of which it is a part.
func (f *filter) replace(u int, list []csr.VertexID) error {
	f.ran = true
	if len(list) == f.out.Sets[u].Len() {
		return nil
	}
	if f.owned[u] {
		f.out.Sets[u].Retain(list)
		return nil
	}
	f.out.Sets[u], f.owned[u] = pattern.NewCandidateSet(f.s.N(), list), true
	return f.charge(4*len(list) + int(f.s.N()/8))
}

// charge takes n bytes from the memory budget.
func (f *filter) charge(n int) error {
	f.charged += int64(n)
	return f.memory.Grow(int64(n))
}

// release gives back what the run took from the memory budget. The sets live on, but are small beside what they
// were made from.
func (f *filter) release() { _ = f.memory.Grow(-f.charged) }

// chunk is how many vertices are tested between two looks at the context.
const chunk = 8192

// keep returns the members of list that pass, in order. The function that newTest returns is used by one goroutine
// only.
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

// retain is the members of list that pass: list itself if all do.
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
	f.out.Sets, f.owned = make([]*pattern.CandidateSet, len(f.p.Vertices)), make([]bool, len(f.p.Vertices))
	for u := range f.p.Vertices {
		f.out.Sets[u] = admitted(f.s, f.labelOf(u))
	}
	f.prepare()
	return nil
}

// prepare finds the anchored vertices and leaves the predicates on them to the join.
func (f *filter) prepare() {
	f.anchor()
	f.tested = make([]bool, len(f.p.Predicates))
	for i := range f.p.Predicates {
		if u, ok := f.p.Predicates[i].Single(); ok && f.anchored[u] && !f.p.Vertices[u].Bound {
			f.out.Deferred = append(f.out.Deferred, i)
		}
	}
}

// labelKey is the key of a label's vertices, or of all vertices, among a snapshot's derived data.
type labelKey struct {
	any bool
	id  csr.LabelID
}

// String names it for PROFILE.
func (labelKey) String() string { return "nodes by label" }

// admitted is the set of vertices that l admits. Those of a single label, and that of all vertices, are kept.
func admitted(s *csr.Snapshot, l *pattern.Label) *pattern.CandidateSet {
	build := func() any {
		var list []csr.VertexID
		for i := range s.Classes {
			if c := &s.Classes[i]; l.Admits(c.Labels) {
				for v := c.Lo; v < c.Hi; v++ {
					list = append(list, v)
				}
			}
		}
		return pattern.NewCandidateSet(s.N(), list)
	}
	switch {
	case l == nil:
		return s.Derived(labelKey{any: true}, build).(*pattern.CandidateSet)
	case l.Op == pattern.LabelName && !l.Unknown:
		return s.Derived(labelKey{id: l.ID}, build).(*pattern.CandidateSet)
	}
	return build().(*pattern.CandidateSet)
}

// anchor marks the vertices that are connected to a bound element.
func (f *filter) anchor() {
	f.anchored = make([]bool, len(f.p.Vertices))
	for u := range f.p.Vertices {
		f.anchored[u] = f.p.Vertices[u].Bound
	}
	for changed := true; changed; {
		changed = false
		for i := range f.p.Edges {
			e := &f.p.Edges[i]
			if a := &f.anchored; e.Bound || (*a)[e.From] != (*a)[e.To] {
				changed = changed || !(*a)[e.From] || !(*a)[e.To]
				(*a)[e.From], (*a)[e.To] = true, true
			}
		}
	}
}
