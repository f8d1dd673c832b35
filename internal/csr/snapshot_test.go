package csr

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// good is a small valid Data: five vertices of three classes, two types.
func good() Data {
	props := NewColumn(5)
	props.Set(4, StringCell("x"))
	props.Set(1, IntCell(1))
	if err := props.Freeze(); err != nil {
		panic(err)
	}
	return Data{
		Vertices: 5, Edges: 5,
		Labels: NewDict("A", "B"), Types: NewDict("T", "U"), Keys: NewDict("k"),
		Classes: []Class{{nil, Range{0, 1}}, {[]LabelID{0}, Range{1, 3}}, {[]LabelID{0, 1}, Range{3, 5}}},
		Rels: []Rels{
			{First: 0, Lo: 1, Offsets: []uint64{0, 2, 3}, Targets: []VertexID{0, 4, 2}},
			{First: 3, Lo: 4, Offsets: []uint64{0, 2}, Targets: []VertexID{1, 1}},
		},
		NodeIDs: []NodeID{10, 2, 7, 0, 1}, NextNode: 11, NextRel: 5,
		VertexProps: []*Column{props},
		External:    []ExternalSpace{{"x", props}},
	}
}

// goodStats gives d its statistics.
func goodStats(d *Data) *Stats {
	d.Stats, _ = computeStats(context.Background(), d, 1, nil)
	return d.Stats
}

func TestNewAcceptsGoodData(t *testing.T) {
	s, err := New(good())
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := s.VertexByNodeID(7); !ok || v != 2 {
		t.Errorf("VertexByNodeID(7) = %d, %t", v, ok)
	}
	if !s.Stats.Types[1].Parallel || s.Stats.Types[0].Edges != 3 {
		t.Errorf("statistics %+v", s.Stats)
	}
	stats := *s.Stats
	d := good()
	d.Stats = &stats
	if _, err := New(d); err != nil {
		t.Error(err)
	}
}

func TestNewRefusesBadData(t *testing.T) {
	chunk := func(c Chunk) []*Column {
		c.Present[0] = 1
		column := NewChunkColumn(1)
		column.SetChunk(0, &c)
		return []*Column{column}
	}
	for name, spoil := range map[string]func(d *Data){
		"too many vertices":   func(d *Data) { d.Vertices = math.MaxUint64 },
		"classes too short":   func(d *Data) { d.Vertices++ },
		"classes too long":    func(d *Data) { d.Vertices-- },
		"no classes":          func(d *Data) { d.Classes = nil },
		"gap":                 func(d *Data) { d.Classes[1].Lo = 2 },
		"empty class":         func(d *Data) { d.Classes[1].Hi = 1; d.Classes[2].Lo = 1 },
		"class backwards":     func(d *Data) { d.Classes[1].Hi = 0 },
		"unknown label":       func(d *Data) { d.Classes[2].Labels = []LabelID{9} },
		"unsorted labels":     func(d *Data) { d.Classes[2].Labels = []LabelID{1, 0} },
		"same class":          func(d *Data) { d.Classes[2].Labels = d.Classes[1].Labels },
		"types":               func(d *Data) { d.Types = NewDict("T") },
		"nil types":           func(d *Data) { d.Types = nil },
		"first":               func(d *Data) { d.Rels[1].First = 2 },
		"edges":               func(d *Data) { d.Edges = 6 },
		"sources":             func(d *Data) { d.Rels[1].Lo = 5 },
		"huge source":         func(d *Data) { d.Rels[1].Lo = NoVertex },
		"offsets start":       func(d *Data) { d.Rels[0].Offsets[0] = 1 },
		"offsets end":         func(d *Data) { d.Rels[0].Offsets[2] = 2 },
		"offsets fall":        func(d *Data) { d.Rels[0].Offsets[1] = 4 },
		"no offsets":          func(d *Data) { d.Rels[0].Offsets = nil },
		"unsorted targets":    func(d *Data) { d.Rels[0].Targets[0] = 4; d.Rels[0].Targets[1] = 3 },
		"unknown target":      func(d *Data) { d.Rels[0].Targets[1] = 5 },
		"few ids":             func(d *Data) { d.NodeIDs = d.NodeIDs[1:] },
		"id not given":        func(d *Data) { d.NextNode = 10 },
		"id twice":            func(d *Data) { d.NodeIDs[0] = 2 },
		"id twice, sparse":    func(d *Data) { d.NodeIDs[0], d.NodeIDs[1], d.NextNode = 1<<60, 1<<60, 1<<61 },
		"dense ids not given": func(d *Data) { d.NodeIDs, d.NextNode = nil, 4 },
		"rel ids":             func(d *Data) { d.NextRel = 4 },
		"rel ids short":       func(d *Data) { d.RelIDs = []RelID{1} },
		"columns":             func(d *Data) { d.EdgeProps = make([]*Column, 2) },
		"draft":               func(d *Data) { d.VertexProps = []*Column{NewColumn(1)} },
		"cell past end": func(d *Data) {
			d.EdgeProps = d.VertexProps
			d.Edges = 4
			d.Rels[1].Targets = d.Rels[1].Targets[:1]
			d.Rels[1].Offsets[1] = 1
		},
		"chunk kind":       func(d *Data) { d.VertexProps = chunk(Chunk{}) },
		"chunk ints":       func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindInt, Ints: []int64{1, 2}}) },
		"chunk floats":     func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindFloat}) },
		"chunk bools":      func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindBool}) },
		"chunk text":       func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindString}) },
		"chunk text start": func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindString, Offsets: []uint32{1, 1}, Bytes: "x"}) },
		"chunk text end":   func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindString, Offsets: []uint32{0, 9}, Bytes: "x"}) },
		"chunk mixed":      func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindMixed, Nums: []uint64{1}}) },
		"chunk mixed kind": func(d *Data) { d.VertexProps = chunk(Chunk{Kind: KindMixed, Kinds: []Kind{6}, Nums: []uint64{1}}) },
		"chunk mixed bool": func(d *Data) {
			d.VertexProps = chunk(Chunk{Kind: KindMixed, Kinds: []Kind{KindBool}, Nums: []uint64{2}})
		},
		"chunk mixed text": func(d *Data) {
			d.VertexProps = chunk(Chunk{Kind: KindMixed, Kinds: []Kind{KindString}, Nums: []uint64{0}})
		},
		"chunk mixed num": func(d *Data) {
			d.VertexProps = chunk(Chunk{Kind: KindMixed, Kinds: []Kind{KindString}, Nums: []uint64{1}, Offsets: []uint32{0, 1}, Bytes: "x"})
		},
		"external":   func(d *Data) { d.External[0].IDs = chunk(Chunk{})[0] },
		"statistics": func(d *Data) { d.Stats = &Stats{} },
		"statistics of types": func(d *Data) {
			d.Stats = &Stats{LabelCount: make([]uint64, 2), Types: make([]TypeStat, 2), Shared: [][2]TypeID{{0, 2}}}
		},
		"statistics of labels": func(d *Data) {
			d.Stats = &Stats{LabelCount: make([]uint64, 2), Types: make([]TypeStat, 2), Triples: []Triple{{Src: 5}}}
		},
		"counts of labels":  func(d *Data) { goodStats(d).LabelCount[1]++ },
		"degeneracy":        func(d *Data) { goodStats(d).Degeneracy = 6 },
		"counts of types":   func(d *Data) { goodStats(d).Types[0].Edges++ },
		"hidden parallels":  func(d *Data) { goodStats(d).Types[1].Parallel = false },
		"loops":             func(d *Data) { goodStats(d).Types[0].Loops = 0 },
		"sources of type":   func(d *Data) { goodStats(d).Types[1].Sources = 3 },
		"greatest degree":   func(d *Data) { goodStats(d).Types[1].MaxIn = 3 },
		"no number":         func(d *Data) { goodStats(d).Types[0].OutOut = math.NaN() },
		"infinite":          func(d *Data) { goodStats(d).Types[0].InOut = math.Inf(1) },
		"negative":          func(d *Data) { goodStats(d).Types[0].InIn = -1 },
		"pair of one type":  func(d *Data) { goodStats(d).Shared = [][2]TypeID{{1, 1}} },
		"triple too large":  func(d *Data) { goodStats(d).Triples[0].Count = 4 },
		"empty triple":      func(d *Data) { goodStats(d).Triples[0].Count = 0 },
		"triple twice":      func(d *Data) { s := goodStats(d); s.Triples = append(s.Triples[:1], s.Triples...) },
		"rule without name": func(d *Data) { d.Schema.Indexes = []Rule{{Kind: RuleIndex, On: "A", Keys: []string{"k"}}} },
		"rule of no kind":   func(d *Data) { d.Schema.Constraints = []Rule{{Kind: 9, Name: "r", On: "A", Keys: []string{"k"}}} },
		"index as constraint": func(d *Data) {
			d.Schema.Constraints = []Rule{{Kind: RuleIndex, Name: "r", On: "A", Keys: []string{"k"}}}
		},
		"constraint as index": func(d *Data) { d.Schema.Indexes = []Rule{{Kind: RuleUnique, Name: "r", On: "A", Keys: []string{"k"}}} },
		"rule twice": func(d *Data) {
			d.Schema.Indexes = []Rule{{Kind: RuleIndex, Name: "r", On: "A", Keys: []string{"k"}}}
			d.Schema.Constraints = []Rule{{Kind: RuleUnique, Name: "r", On: "B", Keys: []string{"k"}}}
		},
	} {
		d := good()
		spoil(&d)
		if _, err := New(d); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzNew spoils random places of a valid graph: New must refuse or every accessor must work.
func FuzzNew(f *testing.F) {
	for seed := range uint64(80) {
		f.Add(seed, uint8(seed%4))
	}
	f.Fuzz(func(t *testing.T, seed uint64, spoils uint8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		_, b, _ := randomModel(rng)
		s, _, err := b.Build(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		d := s.Data
		for range spoils % 4 {
			spoilAnywhere(rng, &d)
		}
		if rng.IntN(2) == 0 {
			d.Stats = nil
		}
		if s, err = New(d); err == nil {
			readAll(s)
		}
	})
}

func spoilAnywhere(rng *rand.Rand, d *Data) {
	word := []uint64{0, 1, 2, uint64(rng.IntN(40)), math.MaxUint32, math.MaxUint64, rng.Uint64()}[rng.IntN(7)]
	switch rng.IntN(9) {
	case 0:
		d.Vertices = word
	case 1:
		d.Edges = word
	case 2:
		if len(d.Classes) > 0 {
			d.Classes = slices.Clone(d.Classes)
			d.Classes[rng.IntN(len(d.Classes))] = Class{[]LabelID{LabelID(word)}, Range{VertexID(word), VertexID(rng.IntN(30))}}
		}
	case 3, 4, 5, 6:
		d.Rels = slices.Clone(d.Rels)
		r := &d.Rels[rng.IntN(len(d.Rels))]
		r.Offsets, r.Targets = slices.Clone(r.Offsets), slices.Clone(r.Targets)
		switch {
		case rng.IntN(3) == 0 && len(r.Offsets) > 0:
			r.Offsets[rng.IntN(len(r.Offsets))] = word
		case rng.IntN(2) == 0 && len(r.Targets) > 0:
			r.Targets[rng.IntN(len(r.Targets))] = VertexID(word)
		default:
			r.Lo = VertexID(word)
		}
	case 7:
		d.NodeIDs = slices.Clone(d.NodeIDs)
		d.NodeIDs[rng.IntN(len(d.NodeIDs))] = NodeID(word)
	case 8:
		d.NextNode, d.NextRel = NodeID(word), RelID(word)
	}
}

func readAll(s *Snapshot) {
	for v := VertexID(0); uint64(v) < s.N(); v++ {
		s.LabelsOf(v)
		s.VertexByNodeID(s.NodeID(v))
		s.VertexProp(v, 0)
	}
	for e := EdgeID(0); uint64(e) < s.M(); e++ {
		v, w := s.Endpoints(e)
		s.Relationships(nil, v, w, nil, Both)
		s.EdgeProp(e, 0)
	}
	for _, dir := range []Direction{Out, In, Both} {
		s.Adjacency(nil, dir)
		s.Adjacency(TypeSet{0}, dir)
	}
	s.Bytes()
}

func TestSparseStableIDs(t *testing.T) {
	d := good()
	d.NodeIDs, d.NextNode = []NodeID{1 << 40, 3, 1 << 50, 7, 0}, 1<<50+1
	d.RelIDs, d.NextRel = []RelID{9, 8, 1 << 33, 5, 6}, 1<<60
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	for v, id := range d.NodeIDs {
		if got, ok := s.VertexByNodeID(id); !ok || got != VertexID(v) || s.NodeID(got) != id {
			t.Errorf("VertexByNodeID(%d) = %d, %t", id, got, ok)
		}
	}
	for e, id := range d.RelIDs {
		if got, ok := s.EdgeByRelID(id); !ok || got != EdgeID(e) || s.RelID(got) != id {
			t.Errorf("EdgeByRelID(%d) = %d, %t", id, got, ok)
		}
	}
	if _, ok := s.VertexByNodeID(4); ok {
		t.Error("found an id never given out")
	}
}

func TestDerivedBuildsOnce(t *testing.T) {
	s, err := New(good())
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ i int }
	var builds atomic.Int32
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			got := s.Derived(key{i % 2}, func() any { builds.Add(1); return i % 2 })
			if got != i%2 {
				t.Errorf("got %v", got)
			}
		})
	}
	wg.Wait()
	if builds.Load() != 2 {
		t.Errorf("%d builds of 2 keys", builds.Load())
	}
	type failing struct{}
	s.Derived(failing{}, func() any { return nil })
	if got := s.Derived(failing{}, func() any { return 1 }); got != 1 {
		t.Errorf("a nil result was kept: %v", got)
	}
}

func TestViewsShareTheBase(t *testing.T) {
	s, err := New(good())
	if err != nil {
		t.Fatal(err)
	}
	before := s.Bytes()
	if a := s.Adjacency(TypeSet{0}, Out); &a.Targets[0] != &s.Rels(0).Targets[0] {
		t.Error("a simple type was copied")
	}
	if s.Bytes() != before {
		t.Error("a shared view was counted twice")
	}
	if a := s.Adjacency(nil, Both); a != s.Adjacency(TypeSet{0, 1}, Both) {
		t.Error("the same types made two views")
	}
	if s.Bytes() <= before {
		t.Error("a view takes no memory")
	}
	if s.Adjacency(TypeSet{}, Both).Degree(1) != 0 {
		t.Error("no type has neighbours")
	}
}

// TestNewEnds checks that the check of a graph ends with its context, wherever it is.
func TestNewEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := good()
	if _, err := NewContext(ctx, d); err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
	for name, step := range map[string]func(context.Context) error{"relationships": d.checkRels, "ids": d.checkIDs, "columns": d.checkColumns} {
		if err := step(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := step(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s ended with %v", name, err)
		}
	}
}

// BenchmarkNew measures the check of a graph of a million relationships.
func BenchmarkNew(b *testing.B) {
	const n, degree = 1 << 17, 8
	d := Data{Vertices: n, Edges: n * degree, Labels: NewDict(), Types: NewDict("R"), Keys: NewDict(), Classes: []Class{{Range: Range{0, n}}}, NextNode: n, NextRel: n * degree}
	r := Rels{Offsets: make([]uint64, n+1)}
	for v := range n {
		for k := range degree {
			r.Targets = append(r.Targets, VertexID((v+k*n/degree)%n))
		}
		slices.Sort(r.Targets[v*degree:])
		r.Offsets[v+1] = uint64(len(r.Targets))
	}
	d.Rels = []Rels{r}
	s, err := New(d)
	if err != nil {
		b.Fatal(err)
	}
	d.Stats = s.Stats
	for b.Loop() {
		if _, err := New(d); err != nil {
			b.Fatal(err)
		}
	}
}
