package filter

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Device tests all vertices of a snapshot for all query vertices at once. What it is to test, and in what order arcs are revised,
// is said here, so that the candidates are the same ones; predicates, which read properties, are tested here as well.
type Device interface {
	// Sift leaves the candidates that pass.
	Sift(ctx context.Context, r *Request) (*Sifted, error)
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

// Request is what a device is to test.
type Request struct {
	Snapshot *csr.Snapshot
	Env      *pattern.Env
	Vertices []Tests // by query vertex
	Parts    [3]Part // of the signature: quantity, path, triangle
	Arcs     *Arcs   // to be revised after the tests; nil: none
}

// Tests are those of one query vertex.
type Tests struct {
	Skip       bool                  // none at all, it is not to be sifted
	Set        *pattern.CandidateSet // its candidates so far; nil: those that Labels admits
	Labels     *pattern.Label
	Degrees    []Demand
	Loops      []csr.TypeSet // loops that the vertex must have
	Signatures [3][][]uint64 // by part: query signatures of as many words as the part has, all to be covered
	Depths     [2][]DepthTest
	Neighbours []Demand
}

// Demand asks for so many neighbours in a view, or relationships, that lead into one of the ranges (anywhere, if there is none).
type Demand struct {
	Types     csr.TypeSet
	Direction csr.Direction
	Distinct  bool // neighbours count, not relationships
	Ranges    []csr.Range
	Count     int
}

// DepthTest asks for coreness, or trussness, in the graph of some types.
type DepthTest struct {
	Types  csr.TypeSet
	Values []uint32 // by vertex
	Least  uint32
}

// Sifted is what a device has left.
type Sifted struct {
	Left [][Stages]int           // by query vertex: how many there were after each stage
	Sets []*pattern.CandidateSet // by query vertex, new ones; nil: all that it began with, or skipped
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

// Built returns the part's words of all vertices, if they have been built here.
func (p Part) Built() []uint64 {
	if sig := p.g.parts[p.kind].sig.Load(); sig != nil {
		return *sig
	}
	return nil
}

// Build returns them in any case.
func (p Part) Build() []uint64 { return p.g.words(p.kind, true) }

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

// deviceGain is how many times sooner than here a device builds a part: it goes through so many more list elements in the same time.
const deviceGain = 16

// wanted reports whether a part is to be tested on a device.
func (p Part) wanted(atOnce bool) bool {
	x := &p.g.parts[p.kind]
	spent, cost := x.spent.Load(), x.cost.Load()
	return atOnce || x.sig.Load() != nil || spent >= cost/deviceGain && (spent > 0 || cost == 0)
}

// Arc is an edge of the pattern as seen from U, whose candidates must have a neighbour among those of W.
type Arc struct {
	U, W      int
	Types     csr.TypeSet
	Dir, Back csr.Direction // as seen from U, and from W
	Differ    bool          // the neighbour is another vertex
}

// Arcs are all arcs of a pattern and what is known of the sets by which they were revised last.
type Arcs struct {
	p    *pattern.Pattern
	arcs []arc
}

// Next returns the arc to revise next where the sets have these sizes; false: none is worth it.
func (a *Arcs) Next(sizes []int) (Arc, bool) {
	i := nextArc(a.arcs, func(u int) int { return sizes[u] })
	if i < 0 {
		return Arc{}, false
	}
	x := &a.arcs[i]
	x.seen = sizes[x.w]
	e := &a.p.Edges[x.edge]
	dir, back := x.directions(e)
	return Arc{x.u, x.w, e.Types, dir, back, x.differ}, true
}

// RunOn is Run with a device that does what goes over all vertices. Candidates are the same but where signatures wait until they
// are worth building, for which a device takes less.
func RunOn(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env, dev Device) (*pattern.Candidates, error) {
	f := newFilter(ctx, s, p, env)
	defer f.release()
	f.count()
	f.tier("label")
	if single := f.pending(); single && env.Filter.Reaches(pattern.FilterRefine) {
		f.admit()
		f.ran = false
		if err := f.lookup(); err != nil {
			return nil, err
		}
		if f.ran {
			f.tier("lookup")
		}
	}
	r := &Request{Snapshot: s, Env: env, Vertices: make([]Tests, len(p.Vertices))}
	f.ask(r)
	later := f.pending()
	if !later {
		r.Arcs = f.askArcs()
	}
	if err := f.sift(dev, r, true); err != nil || !later {
		f.admit()
		return &f.out, err
	}
	f.admit()
	f.ran = false
	if err := f.predicates(); err != nil {
		return nil, err
	}
	if f.ran {
		f.tier("predicate")
	}
	if r = (&Request{Snapshot: s, Env: env, Vertices: make([]Tests, len(p.Vertices)), Arcs: f.askArcs()}); r.Arcs == nil {
		return &f.out, nil
	}
	for u := range r.Vertices {
		r.Vertices[u] = Tests{Skip: f.anchored[u], Set: f.out.Sets[u]}
	}
	return &f.out, f.sift(dev, r, false)
}

// count is labels, but that sets by expressions of several labels wait.
func (f *filter) count() {
	n := len(f.p.Vertices)
	f.out.Sets, f.owned, f.waiting = make([]*pattern.CandidateSet, n), make([]bool, n), make([]int, n)
	f.prepare()
	for u := range f.p.Vertices {
		l := f.labelOf(u)
		if f.anchored[u] || l == nil || l.Op == pattern.LabelName && !l.Unknown {
			f.out.Sets[u] = admitted(f.s, l)
		} else {
			f.waiting[u] = countAdmitted(f.s, l)
		}
	}
}

// admit makes the sets that wait.
func (f *filter) admit() {
	for u, set := range f.out.Sets {
		if set == nil {
			f.out.Sets[u] = admitted(f.s, f.labelOf(u))
		}
	}
}

// labelOf is the expression of u; nil where it is bound.
func (f *filter) labelOf(u int) *pattern.Label {
	if v := &f.p.Vertices[u]; !v.Bound {
		return v.Labels
	}
	return nil
}

func countAdmitted(s *csr.Snapshot, l *pattern.Label) (n int) {
	for i := range s.Classes {
		if c := &s.Classes[i]; l.Admits(c.Labels) {
			n += int(c.Hi - c.Lo)
		}
	}
	return n
}

// Load is how many vertices the labels admit, of all query vertices that the filter tests further.
func Load(s *csr.Snapshot, p *pattern.Pattern) (n float64) {
	f := &filter{s: s, p: p}
	f.anchor()
	for u := range p.Vertices {
		if !f.anchored[u] {
			n += float64(countAdmitted(s, p.Vertices[u].Labels))
		}
	}
	return n
}

// HasTests reports whether a pattern gives a device anything to test at all: more than labels and predicates. That there is an edge
// does not say yet that it demands something.
func HasTests(p *pattern.Pattern, env *pattern.Env) bool {
	f := &filter{p: p}
	f.anchor()
	return env.Filter.Reaches(pattern.FilterDegree) && slices.ContainsFunc(p.Edges, func(e pattern.Edge) bool { return !f.anchored[e.From] })
}

// tier notes what a tier has left.
func (f *filter) tier(name string) {
	f.out.Tiers = append(f.out.Tiers, pattern.Tier{Name: name, Sizes: f.sizes()})
}

// pending reports whether there are predicates to test on open vertices.
func (f *filter) pending() bool {
	for i := range f.p.Predicates {
		if u, ok := f.p.Predicates[i].Single(); ok && !f.tested[i] && !f.anchored[u] {
			return true
		}
	}
	return false
}

// ask lists the tests that the tiers make.
func (f *filter) ask(r *Request) {
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
		if !f.owned[u] {
			t.Set = nil // it is what the labels admit
		}
		if depth.Reaches(pattern.FilterDegree) {
			t.Degrees, t.Loops = asked(f.demands(u, false), nil), f.loopTypes(u)
		}
		if g != nil {
			f.askSignature(r, g, u)
		}
		if depth.Reaches(pattern.FilterRefine) {
			t.Neighbours = asked(f.labelDemands(u))
		}
	}
	if depth.Reaches(pattern.FilterSignature) {
		f.askDepths(r, coreness)
		f.askDepths(r, trussness)
	}
}

func asked(demands []demand, ranges [][]csr.Range) []Demand {
	out := make([]Demand, len(demands))
	for i, d := range demands {
		out[i] = Demand{Types: d.types, Direction: d.dir, Distinct: d.distinct || d.view.Counts == nil, Count: d.count}
		if ranges != nil {
			out[i].Ranges = ranges[i]
		}
	}
	return out
}

func (f *filter) askSignature(r *Request, g *signatures, u int) {
	for kind, m := range techniques {
		part := Part{g, partKind(kind)}
		if !f.env.Uses(m) || !part.wanted(f.env.Filter != pattern.FilterAuto) {
			continue
		}
		r.Parts[kind] = part
		r.Vertices[u].Signatures[kind] = g.queries(f.around, u, partKind(kind))
	}
}

func (f *filter) askDepths(r *Request, kind depthKind) {
	if !f.env.Uses(kind.technique()) {
		return
	}
	if f.deep == nil {
		f.deep = f.around.depths()
	}
	for scope, least := range f.deep {
		if !kind.asks(least) {
			continue
		}
		types := scopeTypes(f.p, &f.p.Scopes[scope])
		values := depthsOf(f.s, types, kind).values()
		for u := range least {
			if k := least[u].of(kind); values != nil && k >= leastDepth[kind] && !r.Vertices[u].Skip {
				r.Vertices[u].Depths[kind] = append(r.Vertices[u].Depths[kind], DepthTest{types, values, k})
			}
		}
	}
}

// askArcs lists the arcs, or nil if none is to be revised.
func (f *filter) askArcs() *Arcs {
	if !f.env.Filter.Reaches(pattern.FilterRefine) {
		return nil
	}
	if arcs := f.arcs(); len(arcs) > 0 {
		return &Arcs{f.p, arcs}
	}
	return nil
}

// sift has the device do what r asks, and takes over the sets and what is to be told of the tiers, if there are any.
func (f *filter) sift(dev Device, r *Request, tiers bool) error {
	if !r.anything() {
		return f.ctx.Err()
	}
	got, err := dev.Sift(f.ctx, r)
	if err != nil {
		return err
	}
	if tiers {
		f.tell(r, got.Left)
	}
	for u, set := range got.Sets {
		if set != nil {
			f.out.Sets[u], f.owned[u] = set, true
			if err := f.charge(4*set.Len() + int(f.s.N()/8)); err != nil {
				return err
			}
		}
	}
	if r.Arcs != nil {
		f.tier("refine")
	}
	return f.ctx.Err()
}

// tell notes the tiers that had something to test, and what the parts of signatures and the depths have dropped.
func (f *filter) tell(r *Request, left [][Stages]int) {
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

// tests reports whether there is anything to test in a stage.
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

// anything reports whether there is anything to do.
func (r *Request) anything() bool {
	return r.Arcs != nil || slices.ContainsFunc(r.Vertices, func(t Tests) bool {
		return !t.Skip && (t.tests(StageDegree) || t.tests(StageQuantity) || t.tests(StagePath) || t.tests(StageTriangle) ||
			t.tests(StageCore) || t.tests(StageTruss) || t.tests(StageNeighbours))
	})
}
