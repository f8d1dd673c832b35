//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

var filterTechniques = []pattern.Technique{pattern.GPUFilterPass, pattern.GPUFilterMark, pattern.GPUFilterRows, pattern.GPUFilterGenerate,
	pattern.GPUFilterFull, pattern.GPUFilterLists}

var signatureParts = []pattern.Technique{pattern.SignatureQuantity, pattern.SignaturePath, pattern.SignatureTriangle}

// labelled draws a graph with labels whose size is at a boundary of words, or small enough for brute force.
func labelled(r *rand.Rand, small bool) *csr.Snapshot {
	o := testgraph.Options{Vertices: 3 + r.IntN(6), Labels: 1 + r.IntN(3), Types: 1 + r.IntN(2), Simple: r.IntN(2) == 0}
	if !small {
		o.Vertices = []int{31, 32, 33, 63, 64, 65, 97, 130}[r.IntN(8)]
		o.Labels = 1 + r.IntN(6)
		if r.IntN(4) == 0 {
			o.Labels = 14 // more pairs than buckets
		}
	}
	o.Edges = o.Vertices * (2 + r.IntN(5)) / 2
	return testgraph.Random(r.Uint64(), o)
}

// hubs draws a graph of n vertices, with labels by chance, a few of which have more neighbours than a block has lanes.
func hubs(r *rand.Rand, n int) *csr.Snapshot {
	b := csr.NewBuilder()
	labels, typ := []csr.LabelID{b.Label("A"), b.Label("B"), b.Label("C")}, b.Type("R")
	for range n {
		b.AddVertex(labels[r.IntN(3)])
	}
	for v := range uint32(n) {
		if v > 0 && r.IntN(20) > 0 {
			b.AddEdge(0, v, typ)
		}
		b.AddEdge(v, uint32(r.IntN(n)), typ)
		if r.IntN(3) == 0 {
			b.AddEdge(v, uint32(r.IntN(3)), typ)
		}
	}
	s, _, err := b.Build(background, 1)
	if err != nil {
		panic(err)
	}
	return s
}

// connected draws a pattern of some vertices with many labels, in which signatures have much to say.
func connected(r *rand.Rand, s *csr.Snapshot) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 2+r.IntN(4)), Scopes: make([]pattern.Scope, 1+r.IntN(5)/4)}
	for i := range p.Scopes {
		p.Scopes[i].Mode = pattern.Mode(r.IntN(3))
	}
	label := func() *pattern.Label {
		id := csr.LabelID(r.IntN(s.Labels.Len()))
		return &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
	}
	edge := func(u, w int) {
		e := pattern.Edge{From: u, To: w, Undirected: r.IntN(4) > 0, AtLeastOne: u != w && r.IntN(8) == 0, Scope: r.IntN(len(p.Scopes))}
		if r.IntN(4) == 0 {
			e.Types = csr.TypeSet{csr.TypeID(r.IntN(s.Types.Len()))}
		}
		testgraph.AddEdge(p, e)
	}
	for u := range p.Vertices {
		switch r.IntN(6) {
		case 0:
		case 1:
			p.Vertices[u].Labels = &pattern.Label{Op: pattern.LabelAnd, Args: []*pattern.Label{label(), label()}}
		case 2:
			p.Vertices[u].Labels = &pattern.Label{Op: pattern.LabelOr, Args: []*pattern.Label{label(), {Op: pattern.LabelNot, Args: []*pattern.Label{label()}}}}
		default:
			p.Vertices[u].Labels = label()
		}
		if u > 0 {
			edge(r.IntN(u), u)
		}
	}
	if len(p.Vertices) > 2 && r.IntN(2) == 0 { // a triangle
		edge(2, 1-p.Edges[1].From)
	}
	for range max(0, r.IntN(5)-2) {
		edge(r.IntN(len(p.Vertices)), r.IntN(len(p.Vertices)))
	}
	return p
}

// longPath draws a path of so many vertices, all different.
func longPath(r *rand.Rand, s *csr.Snapshot, n int) *pattern.Pattern {
	labels, edges := make([]byte, n), make([][2]int, n-1)
	for u := range labels {
		labels[u] = byte('A' + r.IntN(s.Labels.Len()))
	}
	for i := range edges {
		edges[i] = [2]int{i, i + 1}
	}
	return labelledQuery(string(labels), edges...)
}

// matchedTo notes which vertices each query vertex is matched to.
type matchedTo []map[csr.VertexID]bool

func (matchedTo) NeedEdges() bool { return false }

func (m matchedTo) Emit(batch []pattern.Embedding) (bool, error) {
	for _, x := range batch {
		for u, v := range x.Vertices {
			m[u][v] = true
		}
	}
	return true, nil
}

// sameCandidates compares with the CPU: the sets, what each tier has left, what is deferred, what the parts of signatures have dropped.
func sameCandidates(t *testing.T, d *Device, s *csr.Snapshot, p *pattern.Pattern, e *pattern.Env) *pattern.Candidates {
	t.Helper()
	onCPU := &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Filter: e.Filter, Without: e.Without}
	got, err := d.Filter(background, s, p, e) // first, for it takes signatures that the CPU has built
	if errors.Is(err, ErrDeclined) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := filter.Run(background, s, p, onCPU)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() || !slices.Equal(got.Deferred, want.Deferred) {
		t.Fatalf("%v\noff %v, filter %v: got\n%vdeferred %v, want\n%vdeferred %v", p, e.Without, e.Filter, got, got.Deferred, want, want.Deferred)
	}
	for u := range want.Sets {
		if !slices.Equal(got.Sets[u].List(), want.Sets[u].List()) || !reflect.DeepEqual(got.Sets[u].Bits(), want.Sets[u].Bits()) {
			t.Fatalf("%v\noff %v, filter %v: candidates of %d: got %v, want %v", p, e.Without, e.Filter, u, got.Sets[u].List(), want.Sets[u].List())
		}
	}
	for _, m := range append([]pattern.Technique{pattern.CoreTier, pattern.TrussTier}, signatureParts...) {
		if got, want := e.Tally.Taken[m].Load(), onCPU.Tally.Taken[m].Load(); got != want {
			t.Fatalf("%v\n%v dropped %d, want %d", p, m, got, want)
		}
	}
	if used := e.Memory.Used(); used != 0 {
		t.Fatalf("%d bytes not given back", used)
	}
	return got
}

// The candidates are the CPU's in every match mode, and no vertex of a match is missing.
func TestFilter(t *testing.T) {
	d, r := device(t), seeds(t)
	markGain = 1
	defer func() { markGain = 16 }()
	taken := new(pattern.Tally)
	answered := 0
	for i := range 32 * *roundFlag {
		small := i%4 == 0
		s := labelled(r, small)
		if i%16 == 1 {
			s = hubs(r, 1000+r.IntN(100))
		}
		p := connected(r, s)
		if r.IntN(3) == 0 {
			p = testgraph.RandomPattern(r, s)
		}
		if i%32 == 3 {
			p = longPath(r, s, 33)
		}
		if r.IntN(4) > 0 {
			filter.Spent(s, p, 1<<60)
		}
		e := without(r, append(slices.Clone(filterTechniques), signatureParts...)...)
		if r.IntN(3) == 0 {
			e.Filter = pattern.FilterDepth(r.IntN(len(pattern.FilterDepths)))
		}
		got := sameCandidates(t, d, s, p, e)
		taken.TakeOver(e.Tally)
		if got == nil {
			continue
		}
		answered++
		if !small {
			continue
		}
		found := make(matchedTo, len(p.Vertices))
		for u := range found {
			found[u] = make(map[csr.VertexID]bool)
		}
		if err := (testgraph.Brute{}).Match(background, testgraph.RandomJob(r, s, p), env(), found); err != nil {
			t.Fatal(err)
		}
		for u := range found {
			for v := range found[u] {
				if !got.Sets[u].Has(v) && !p.Vertices[u].Bound {
					t.Fatalf("%v\nvertex %d is matched to query vertex %d but no candidate\n%v", p, v, u, got)
				}
			}
		}
	}
	if answered < 8**roundFlag {
		t.Errorf("%d of %d answered", answered, 32**roundFlag)
	}
	driven(t, taken, append(slices.DeleteFunc(slices.Clone(filterTechniques), isFull), signatureParts...)...)
}

// isFull is for TestSignatures to drive, in which all hubs' parts are generated.
func isFull(m pattern.Technique) bool { return m == pattern.GPUFilterFull }

// The device computes trussness for the filter, once it is due: the candidates are those that the CPU finds by its own.
func TestFilterTrusses(t *testing.T) {
	d, r := device(t), seeds(t)
	dropped := uint64(0)
	for range 8 * *roundFlag {
		var pairs [][2]uint32
		for range 100 + r.IntN(200) {
			pairs = append(pairs, [2]uint32{r.Uint32N(40), r.Uint32N(40)})
		}
		edges := func(yield func(a, b uint32) bool) {
			for _, e := range pairs {
				if e[0] != e[1] && !yield(e[0], e[1]) {
					return
				}
			}
		}
		p := shape([]string{"01 02 03 12 13 23", "01 12 20", "01 02 03 12 13 23 24 34"}[r.IntN(3)], pattern.DifferentNodes)
		for u := range p.Vertices {
			p.Vertices[u].Labels = nil
		}
		var got [2]*pattern.Candidates
		var tallies [2]*pattern.Tally
		for i := range got { // on the device, and on the CPU, each with a graph of its own
			s := testgraph.Graph(40+len(pairs)%40, edges, true)
			filter.Spent(s, p, 1<<60)
			e := env()
			var err error
			if i == 0 {
				err = d.TimeKernels(true)
				if err == nil {
					got[i], err = d.Filter(background, s, p, e)
				}
			} else {
				got[i], err = filter.Run(background, s, p, e)
			}
			if err != nil {
				t.Fatal(err)
			}
			tallies[i] = e.Tally
		}
		times, err := d.KernelTimes()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(times, func(k KernelTime) bool { return strings.HasPrefix(k.Kernel, "truss_") }) {
			t.Fatalf("the device computed no trussness: %v", times)
		}
		for u := range got[1].Sets {
			if !slices.Equal(got[0].Sets[u].List(), got[1].Sets[u].List()) {
				t.Fatalf("%v\ncandidates of %d: got %v, want %v", p, u, got[0].Sets[u].List(), got[1].Sets[u].List())
			}
		}
		if got, want := tallies[0].Taken[pattern.TrussTier].Load(), tallies[1].Taken[pattern.TrussTier].Load(); got != want {
			t.Fatalf("trussness dropped %d, want %d", got, want)
		}
		dropped += tallies[1].Taken[pattern.TrussTier].Load()
	}
	if err := d.TimeKernels(false); err != nil {
		t.Fatal(err)
	}
	if dropped == 0 {
		t.Error("trussness dropped nothing: the graphs test nothing")
	}
}

// Signatures are the CPU's, bit for bit.
func TestSignatures(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for i := range 8 * *roundFlag {
		s := labelled(r, i%4 == 0)
		if i%10 == 1 {
			s = hubs(r, 1000+r.IntN(100))
		}
		e := without(r, pattern.GPUFilterFull)
		for kind, part := range filter.PartsOf(s) {
			got := make([]uint64, int(s.N())*part.Words())
			err := d.run(background, func(x *task) error {
				b, err := signatureOf(background, x, s, e, part, kind)
				if err != nil {
					return err
				}
				return download(b, got)
			})
			if err != nil {
				t.Fatal(err)
			}
			want := part.Build()
			for v := range int(s.N()) {
				if a, b := got[v*part.Words():(v+1)*part.Words()], want[v*part.Words():(v+1)*part.Words()]; !slices.Equal(a, b) {
					t.Fatalf("graph %d of %d vertices, off %v: %v of %d, %d buckets of %d bits: %x, want %x", i, s.N(), e.Without, part.Technique(), v,
						part.Buckets(), part.Width(), a, b)
				}
			}
		}
		taken.TakeOver(e.Tally)
	}
	driven(t, taken, pattern.GPUFilterGenerate, pattern.GPUFilterFull)
}

// What cannot be is left to the CPU, or said; nothing is kept of signatures that were not finished.
func TestFilterLimits(t *testing.T) {
	d := device(t)
	s := fiveLabels(7, 6)
	p := labelledQuery("ABC", [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2})
	deep := func() *pattern.Env {
		e := env()
		e.Filter = pattern.FilterRefine
		return e
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	if _, err := d.Filter(ended, s, p, deep()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := d.run(background, func(x *task) error {
		_, err := signatureOf(ended, x, s, env(), filter.PartsOf(s)[partTriangle], partTriangle)
		return err
	}); !errors.Is(err, context.Canceled) || slices.ContainsFunc(d.memory.graphs, func(r *residentGraph) bool { return r.name == "signature-triangle" }) {
		t.Errorf("cancelled while signatures are made: %v, %d graphs kept", err, len(d.memory.graphs))
	}
	e := deep()
	e.Memory.Limit = 1
	if _, err := d.Filter(background, s, p, e); !errors.Is(err, pattern.ErrMemory) || e.Memory.Used() != 0 {
		t.Errorf("no memory: %v, %d bytes left taken", err, e.Memory.Used())
	}
	sameCandidates(t, d, s, p, deep())
	limit := d.memory.limit
	d.memory.fixed, d.memory.limit = true, 1<<10
	if _, err := d.Filter(background, fiveLabels(8, 6), p, deep()); !errors.Is(err, ErrDeclined) {
		t.Errorf("a device that is too small: %v", err)
	}
	d.memory.fixed, d.memory.limit = false, limit
	alone := labelledQuery("A")
	alone.Predicates = []pattern.Predicate{{Vertices: []int{0}, Test: func([]csr.VertexID, []csr.EdgeID) (bool, error) {
		t.Error("a predicate is tested that the CPU tests again")
		return true, nil
	}}}
	if _, err := d.Filter(background, s, alone, deep()); !errors.Is(err, ErrDeclined) {
		t.Errorf("nothing to test: %v", err)
	}
	b := csr.NewBuilder()
	for i := range 150 { // more labels than signatures.cu has room for
		b.AddVertex(b.Label(fmt.Sprint(i)), b.Label("A"))
		b.AddEdge(uint32(i), uint32(i/2), b.Type("R"))
	}
	many, _, err := b.Build(background, 1)
	if err != nil {
		t.Fatal(err)
	}
	e = deep()
	id, _ := many.Labels.Lookup("A")
	p = labelledQuery("AAA", [2]int{0, 1}, [2]int{1, 2})
	for u := range p.Vertices {
		p.Vertices[u].Labels.ID = csr.LabelID(id)
	}
	if sameCandidates(t, d, many, p, e); e.Tally.Taken[pattern.GPUFilterGenerate].Load() != 0 {
		t.Error("signatures of 151 labels were generated")
	}
}

// On a graph of more words than a thousand a few hubs mark what is around them, a row in sixteen pieces.
func TestFilterLarge(t *testing.T) {
	d, r := device(t), seeds(t)
	b := csr.NewBuilder()
	common, rare, typ := b.Label("A"), b.Label("B"), b.Type("R")
	const n = 33_000
	for v := range uint32(n) {
		if v < 5 {
			b.AddVertex(rare)
		} else {
			b.AddVertex(common)
		}
		if to := uint32(r.IntN(10)); v > 10 {
			b.AddEdge(v, to, typ)
		}
	}
	s, _, err := b.Build(background, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := env()
	e.Filter, e.Without = pattern.FilterRefine, pattern.Techniques{}.With(pattern.SignatureQuantity).With(pattern.SignaturePath)
	p := labelledQuery("ABA", [2]int{0, 1}, [2]int{1, 2})
	if c := sameCandidates(t, d, s, p, e); e.Tally.Taken[pattern.GPUFilterMark].Load() == 0 || c.Sets[0].Len() > n*2/3 {
		t.Errorf("%d revisions by marks\n%v", e.Tally.Taken[pattern.GPUFilterMark].Load(), c)
	}
}
