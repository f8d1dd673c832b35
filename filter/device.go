package filter

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// BulkTester tests all vertices of a snapshot for all query vertices at once. This package decides what it tests and in which order it
// revises arcs, so that the candidates are the same as on the CPU. Predicates read properties, so this package tests
// them itself.
type BulkTester interface {
	// Filter returns the candidates that pass the tests of r.
	Filter(ctx context.Context, r *TestRequest) (*Survivors, error)
	// Trusses returns the trussness of all edges of the types, or nil where the device cannot compute it.
	Trusses(ctx context.Context, s *csr.Snapshot, types csr.TypeSet) *pattern.Trusses
}

// Stage is a step of the tests that a device makes, in order.
type Stage int

// The stages: those of a signature are its parts.
const (
	StageLabel Stage = iota
	StageDegree
	StageQuantity
	StagePath
	StageTriangle
	StageCore
	StageTruss
	StageNeighbours
	Stages
)

// TestRequest says what a device tests.
type TestRequest struct {
	Snapshot *csr.Snapshot
	Env      *pattern.Env
	Vertices []Tests // by query vertex
	Parts    [3]Part // of the signature: quantity, path, triangle
	Arcs     *Arcs   // to revise after the tests; nil: none
}

// Tests are the tests of one query vertex.
type Tests struct {
	Skip       bool                  // no test at all: its candidates stay
	Set        *pattern.CandidateSet // its candidates so far; nil: those that Labels admits
	Labels     *pattern.Label
	Degrees    []Demand
	Loops      []csr.TypeSet // loops that the vertex must have
	Signatures [3][][]uint64 // by part: query signatures of as many words as the part has, all to be covered
	Depths     [2][]DepthTest
	Neighbours []Demand
}

// Demand asks for so many neighbours in a view, or relationships, that lead into one of the ranges (anywhere, if there are no ranges).
type Demand struct {
	Types     csr.TypeSet
	Direction csr.Direction
	Distinct  bool // distinct neighbours count, not relationships
	Ranges    []csr.Range
	Count     int
}

// DepthTest asks for coreness, or trussness, in the graph of some types.
type DepthTest struct {
	Types  csr.TypeSet
	Values []uint32 // by vertex
	Least  uint32
}

// Survivors are the candidates that pass the tests of a TestRequest.
type Survivors struct {
	Left [][Stages]int           // by query vertex: how many candidates each stage leaves
	Sets []*pattern.CandidateSet // by query vertex: the new set; nil: the old one, for all pass or none was tested
}

// Part is one part of the signatures of a snapshot.
type Part struct {
	g    *signatures
	kind partKind
}

// PartsOf returns the parts of the signatures of s, which has a label.
func PartsOf(s *csr.Snapshot) (parts [3]Part) {
	for kind := range parts {
		parts[kind] = Part{signaturesOf(s), partKind(kind)}
	}
	return parts
}

// Technique is the part's switch.
func (p Part) Technique() pattern.Technique { return techniques[p.kind] }

// Built returns the part's words of all vertices, or nil if the snapshot does not have them yet.
func (p Part) Built() []uint64 {
	if sig := p.g.parts[p.kind].sig.Load(); sig != nil {
		return *sig
	}
	return nil
}

// Build returns the part's words of all vertices and builds them if need be.
func (p Part) Build() []uint64 { return p.g.words(nil, p.kind, true) }

// Words is how many 64-bit words a vertex has, Width how many bits a bucket has, Buckets how many there are.
func (p Part) Words() int   { return p.g.parts[p.kind].words }
func (p Part) Width() int   { return p.g.parts[p.kind].width }
func (p Part) Buckets() int { return int(p.g.parts[p.kind].buckets) }

// Position is the number of the first bit of bucket b among a vertex's bits.
func (p Part) Position(b int) uint32 {
	x := &p.g.parts[p.kind]
	perWord := 64 / x.width
	return uint32(b/perWord*64 + b%perWord*x.width)
}

// Table returns the bucket in which a label is counted, or a pair (a, b), at a*labels+b.
func (p Part) Table() []uint32 {
	x, l := &p.g.parts[p.kind], p.g.labels
	if p.kind == quantity {
		out := make([]uint32, l)
		for a := range l {
			out[a] = uint32(x.bucket(a))
		}
		return out
	}
	out := make([]uint32, l*l)
	for a := range l {
		for b := range l {
			key := a*l + b
			if p.kind == triangle {
				key = triangleKey(csr.LabelID(a), csr.LabelID(b))
			}
			out[a*l+b] = uint32(x.bucket(key))
		}
	}
	return out
}

// deviceGain is how many times sooner a device builds a part than the CPU: it goes through so many more list elements in the same time.
const deviceGain = 16

// wanted reports whether a device should test a part.
func (p Part) wanted(atOnce bool) bool {
	x := &p.g.parts[p.kind]
	spent, cost := x.work.Load(), x.cost.Load()
	return atOnce || x.sig.Load() != nil || spent >= cost/deviceGain && (spent > 0 || cost == 0)
}

// Arc is an edge of the pattern as seen from U, whose candidates must have a neighbour among those of W.
type Arc struct {
	U, W      int
	Types     csr.TypeSet
	Dir, Back csr.Direction // as seen from U, and from W
	Differ    bool          // the neighbour is another vertex
}

// Arcs are all arcs of a pattern, with the sizes of the sets by which they were revised last.
type Arcs struct {
	p    *pattern.Pattern
	arcs []arc
}

// Next returns the arc to revise next if the sets have these sizes; false if no arc is worth it.
func (a *Arcs) Next(sizes []int) (Arc, bool) {
	i := nextArc(a.arcs, func(u int) int { return sizes[u] })
	if i < 0 {
		return Arc{}, false
	}
	x := &a.arcs[i]
	x.lastSize = sizes[x.w]
	e := &a.p.Edges[x.edge]
	dir, back := x.directions(e)
	return Arc{x.u, x.w, e.Types, dir, back, x.differ}, true
}

// RunOn is Run with a device for the tests that go over all vertices. Candidates are the same, but a device builds signatures sooner,
// since that costs it less.
func RunOn(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env, dev BulkTester) (*pattern.Candidates, error) {
	f := &deviceRun{newFilter(ctx, s, p, env), dev}
	defer f.release()
	f.countLabels()
	f.noteTier("label")
	if single := f.pending(); single && env.Filter.Reaches(pattern.FilterRefine) {
		f.makeSets()
		f.active = false
		if err := f.lookup(); err != nil {
			return nil, err
		}
		if f.active {
			f.noteTier("lookup")
		}
	}
	r := &TestRequest{Snapshot: s, Env: env, Vertices: make([]Tests, len(p.Vertices))}
	f.addTests(r)
	later := f.pending()
	if !later {
		r.Arcs = f.arcsToRevise()
	}
	if err := f.runOn(r, true); err != nil || !later {
		f.makeSets()
		return &f.out, err
	}
	f.makeSets()
	f.active = false
	if err := f.predicates(); err != nil {
		return nil, err
	}
	if f.active {
		f.noteTier("predicate")
	}
	if r = (&TestRequest{Snapshot: s, Env: env, Vertices: make([]Tests, len(p.Vertices)), Arcs: f.arcsToRevise()}); r.Arcs == nil {
		return &f.out, nil
	}
	for u := range r.Vertices {
		r.Vertices[u] = Tests{Skip: f.nearBound[u], Set: f.out.Sets[u]}
	}
	return &f.out, f.runOn(r, false)
}

// deviceRun is a run with a device.
type deviceRun struct {
	*filter
	dev BulkTester
}

// countLabels is labels, but does not make sets by expressions of several labels yet: the device may make smaller ones.
func (f *deviceRun) countLabels() {
	f.init(len(f.p.Vertices))
	f.prepare()
	for u := range f.p.Vertices {
		l := f.labelOf(u)
		if f.nearBound[u] || l == nil || l.Op == pattern.LabelName && !l.Unknown {
			f.out.Sets[u] = pattern.Admitted(f.s, l)
		} else {
			f.labelSizes[u] = pattern.CountAdmitted(f.s, l)
		}
	}
}

// makeSets makes the sets that countLabels has left.
func (f *deviceRun) makeSets() {
	for u, set := range f.out.Sets {
		if set == nil {
			f.out.Sets[u] = pattern.Admitted(f.s, f.labelOf(u))
		}
	}
}

// LabelCandidates returns how many vertices the labels admit, of all query vertices that the filter tests further.
func LabelCandidates(s *csr.Snapshot, p *pattern.Pattern) (n float64) {
	for u, skip := range anchored(p) {
		if !skip {
			n += float64(pattern.CountAdmitted(s, p.Vertices[u].Labels))
		}
	}
	return n
}

// HasTests reports whether a pattern may give a device anything to test beyond labels and predicates: it has an edge, which may demand
// something.
func HasTests(p *pattern.Pattern, env *pattern.Env) bool {
	skip := anchored(p)
	return env.Filter.Reaches(pattern.FilterDegree) && slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return !skip[e.From] })
}

// pending reports whether there are predicates to test on open vertices.
func (f *deviceRun) pending() bool {
	for i := range f.p.Predicates {
		if u, ok := f.p.Predicates[i].Single(); ok && !f.skip[i] && !f.nearBound[u] {
			return true
		}
	}
	return false
}

// addTests adds the tests of all tiers to r.
func (f *deviceRun) addTests(r *TestRequest) {
	depth := f.env.Filter
	var g *signatures
	if f.s.Labels.Len() > 0 && depth.Reaches(pattern.FilterSignature) {
		g = signaturesOf(f.s)
	}
	for u := range r.Vertices {
		t := &r.Vertices[u]
		if t.Skip = !f.open(u); t.Skip {
			continue
		}
		t.Set, t.Labels = f.out.Sets[u], f.p.Vertices[u].Labels
		if !f.own[u] {
			t.Set = nil // it is what the labels admit
		}
		if depth.Reaches(pattern.FilterDegree) {
			t.Degrees, t.Loops = demandsOf(f.around.demands(u, false, false), nil), f.around.loopTypes(u)
		}
		if g != nil {
			f.addSignatures(r, g, u)
		}
		if depth.Reaches(pattern.FilterRefine) {
			t.Neighbours = demandsOf(f.around.labelDemands(u, false))
		}
	}
	if depth.Reaches(pattern.FilterSignature) {
		f.addDepths(r, coreness)
		f.addDepths(r, trussness)
	}
}

// demandsOf returns demands in the form of a TestRequest.
func demandsOf(demands []demand, ranges [][]csr.Range) []Demand {
	out := make([]Demand, len(demands))
	for i, d := range demands {
		out[i] = Demand{Types: d.types, Direction: d.dir, Distinct: d.distinct || d.view.Counts == nil, Count: d.count}
		if ranges != nil {
			out[i].Ranges = ranges[i]
		}
	}
	return out
}

// addSignatures adds the tests of u's signatures to r.
func (f *deviceRun) addSignatures(r *TestRequest, g *signatures, u int) {
	for kind, m := range techniques {
		part := Part{g, partKind(kind)}
		if !f.env.Uses(m) || !part.wanted(f.env.Filter != pattern.FilterAuto) {
			continue
		}
		r.Parts[kind] = part
		r.Vertices[u].Signatures[kind] = g.queries(f.around, u, partKind(kind))
	}
}

// addDepths adds the tests of one kind of depth to r.
func (f *deviceRun) addDepths(r *TestRequest, kind depthKind) {
	if !f.env.Uses(kind.technique()) {
		return
	}
	for scope, least := range f.around.depths() {
		if !kind.asks(least) {
			continue
		}
		types := scopeTypes(f.p, &f.p.Scopes[scope])
		values := f.depthValues(types, kind)
		for u := range least {
			if k := least[u].of(kind); values != nil && k >= leastDepth[kind] && !r.Vertices[u].Skip {
				r.Vertices[u].Depths[kind] = append(r.Vertices[u].Depths[kind], DepthTest{types, values, k})
			}
		}
	}
}

// depthValues returns the numbers by vertex, or nil if it is too early to compute them. The device computes trussness, if it can: that of
// an RMAT graph of 2^18 vertices takes 2.3 s on 16 cores and 0.05 s on an H200.
func (f *deviceRun) depthValues(types csr.TypeSet, kind depthKind) []uint32 {
	d := depthsOf(f.s, types, kind)
	if kind == trussness && d.due() {
		if t := f.trussesThere(types); t != nil {
			d.keep(deepest(t, f.s.N()))
		}
	}
	if f.ctx.Err() != nil {
		return nil
	}
	return d.values()
}

// trussesThere has the device compute trussness.
func (f *deviceRun) trussesThere(types csr.TypeSet) *pattern.Trusses {
	defer f.s.Deriving(trussness.stage())()
	return f.dev.Trusses(f.ctx, f.s, types)
}

// arcsToRevise returns the arcs, or nil if none needs a revision.
func (f *deviceRun) arcsToRevise() *Arcs {
	if !f.env.Filter.Reaches(pattern.FilterRefine) {
		return nil
	}
	if arcs := f.arcs(); len(arcs) > 0 {
		return &Arcs{f.p, arcs}
	}
	return nil
}

// runOn has the device make the tests of r and takes its sets over. If r has the tests of tiers, it notes what each has left.
func (f *deviceRun) runOn(r *TestRequest, tiers bool) error {
	if !r.anything() {
		return f.ctx.Err()
	}
	got, err := f.dev.Filter(f.ctx, r)
	if err != nil {
		return err
	}
	if tiers {
		f.noteTiers(r, got.Left)
	}
	for u, set := range got.Sets {
		if set != nil {
			if err := f.put(u, set); err != nil {
				return err
			}
		}
	}
	if r.Arcs != nil {
		f.noteTier("refine")
	}
	return f.ctx.Err()
}

// noteTiers notes what each tier that had something to test has left, and what signatures and depths have dropped.
func (f *deviceRun) noteTiers(r *TestRequest, left [][Stages]int) {
	for _, t := range []struct {
		name        string
		first, last Stage
	}{{"degree", StageDegree, StageDegree}, {"signature", StageQuantity, StageTriangle}, {"core", StageCore, StageCore},
		{"truss", StageTruss, StageTruss}, {"neighbours", StageNeighbours, StageNeighbours}} {
		ran, sizes := false, f.sizes()
		for u := range r.Vertices {
			if x := &r.Vertices[u]; !x.Skip {
				sizes[u] = left[u][t.last]
				for s := t.first; s <= t.last; s++ {
					ran = ran || x.tests(s) && left[u][s-1] > 0
				}
			}
		}
		if ran {
			f.out.Tiers = append(f.out.Tiers, pattern.Tier{Name: t.name, Sizes: sizes})
		}
	}
	counters := [Stages]pattern.Technique{StageQuantity: pattern.SignatureQuantity, StagePath: pattern.SignaturePath,
		StageTriangle: pattern.SignatureTriangle, StageCore: pattern.CoreTier, StageTruss: pattern.TrussTier}
	for s, m := range counters {
		for u := range r.Vertices {
			if m != 0 && !r.Vertices[u].Skip {
				f.env.Took(m, uint64(left[u][s-1]-left[u][s]))
			}
		}
	}
}

// tests reports whether stage s has anything to test.
func (t *Tests) tests(s Stage) bool {
	switch s {
	case StageDegree:
		return len(t.Degrees)+len(t.Loops) > 0
	case StageQuantity, StagePath, StageTriangle:
		return len(t.Signatures[s-StageQuantity]) > 0
	case StageCore, StageTruss:
		return len(t.Depths[s-StageCore]) > 0
	}
	return len(t.Neighbours) > 0
}

// anything reports whether r asks for anything.
func (r *TestRequest) anything() bool {
	return r.Arcs != nil || slices.ContainsFunc(r.Vertices, func(t Tests) bool {
		return !t.Skip && (t.tests(StageDegree) || t.tests(StageQuantity) || t.tests(StagePath) || t.tests(StageTriangle) ||
			t.tests(StageCore) || t.tests(StageTruss) || t.tests(StageNeighbours))
	})
}
