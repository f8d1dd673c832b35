package csr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is the graph as plain lists, by index of addition: what the builder is compared with.
type model struct {
	labels [][]LabelID
	edges  []modelEdge
	props  []map[KeyID]Cell
}

type modelEdge struct {
	src, dst uint32
	typ      TypeID
	props    map[KeyID]Cell
}

func randomCell(rng *rand.Rand) Cell {
	switch rng.IntN(6) {
	case 0:
		return FloatCell(rng.NormFloat64())
	case 1:
		return BoolCell(rng.IntN(2) == 0)
	case 2:
		return StringCell(fmt.Sprint("s", rng.IntN(50)))
	case 3:
		return Cell{Kind: KindEncoded, Str: string([]byte{1, byte(rng.IntN(256))})}
	}
	return IntCell(rng.Int64N(100) - 50)
}

// randomModel draws a graph and feeds it to a builder in random order.
func randomModel(rng *rand.Rand) (*model, *Builder, int) {
	b, m := NewBuilder(), new(model)
	labels, types, keys := rng.IntN(4), 1+rng.IntN(4), rng.IntN(4)
	for i := range labels {
		b.Label(fmt.Sprint("L", i))
	}
	for i := range types {
		b.Type(fmt.Sprint("T", i))
	}
	for i := range keys {
		b.Key(fmt.Sprint("k", i))
	}
	n := 1 + rng.IntN(30)
	for range n {
		var set []LabelID
		for l := range labels {
			if rng.IntN(3) == 0 {
				set = append(set, LabelID(l))
			}
		}
		shuffled := slices.Clone(set)
		rng.Shuffle(len(set), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		b.AddVertex(shuffled...)
		m.labels, m.props = append(m.labels, set), append(m.props, map[KeyID]Cell{})
	}
	span := 1 + rng.IntN(n)
	for range rng.IntN(100) {
		e := modelEdge{uint32(rng.IntN(span)), uint32(rng.IntN(n)), TypeID(rng.IntN(types)), map[KeyID]Cell{}}
		if i := b.AddEdge(e.src, e.dst, e.typ); i != uint64(len(m.edges)) {
			panic("edge index")
		}
		m.edges = append(m.edges, e)
	}
	for k := range keys {
		uniform := rng.IntN(2) == 0
		cell := func() Cell {
			if uniform {
				return IntCell(rng.Int64())
			}
			return randomCell(rng)
		}
		for v := range n {
			if rng.IntN(2) == 0 {
				m.props[v][KeyID(k)] = cell()
				b.SetVertex(uint32(v), KeyID(k), m.props[v][KeyID(k)])
			}
		}
		for i := range m.edges {
			if k > 0 && rng.IntN(3) == 0 {
				m.edges[i].props[KeyID(k)] = cell()
				b.SetEdge(uint64(i), KeyID(k), m.edges[i].props[KeyID(k)])
			}
		}
	}
	return m, b, keys
}

// drop applies DropRepeats of t to the model.
func (m *model) drop(t TypeID) (d Dropped) {
	seen := map[[2]uint32]map[KeyID]Cell{}
	var kept []modelEdge
	for _, e := range m.edges {
		pair := [2]uint32{e.src, e.dst}
		switch {
		case e.typ != t:
		case e.src == e.dst:
			d.Loops++
			continue
		case seen[pair] != nil:
			d.Duplicates++
			if !maps.Equal(seen[pair], e.props) {
				d.Differing++
			}
			continue
		}
		if e.typ == t {
			seen[pair] = e.props
		}
		kept = append(kept, e)
	}
	m.edges = kept
	return d
}

func TestBuilderAgainstModel(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, b, keys := randomModel(rng)
		var want Dropped
		if rng.IntN(3) == 0 {
			b.DropRepeats(0)
			want = m.drop(0)
		}
		s, dropped, err := b.Build(t.Context(), 1+rng.IntN(3))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if dropped != want {
			t.Fatalf("seed %d: dropped %+v, want %+v", seed, dropped, want)
		}
		if err := m.compare(s, keys); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := m.compareViews(s, rng); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := m.compareStats(s, rng); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// sortedEdges lists the model's relationships as a snapshot numbers them.
func (m *model) sortedEdges(dense map[uint32]VertexID) []modelEdge {
	edges := slices.Clone(m.edges)
	slices.SortStableFunc(edges, func(a, b modelEdge) int {
		for _, d := range []int{int(a.typ) - int(b.typ), int(dense[a.src]) - int(dense[b.src]), int(dense[a.dst]) - int(dense[b.dst])} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return edges
}

func (m *model) dense(s *Snapshot) (map[uint32]VertexID, error) {
	dense := map[uint32]VertexID{}
	for v := VertexID(0); uint64(v) < s.N(); v++ {
		dense[uint32(s.NodeID(v))] = v
	}
	if int(s.N()) != len(m.labels) || len(dense) != len(m.labels) {
		return nil, fmt.Errorf("%d vertices with %d ids, want %d", s.N(), len(dense), len(m.labels))
	}
	for i := range m.labels {
		if v, ok := s.VertexByNodeID(NodeID(i)); !ok || v != dense[uint32(i)] {
			return nil, fmt.Errorf("VertexByNodeID(%d) = %d, %t", i, v, ok)
		}
	}
	if _, ok := s.VertexByNodeID(NodeID(len(m.labels))); ok {
		return nil, errors.New("VertexByNodeID found an id never given out")
	}
	return dense, nil
}

func (m *model) compare(s *Snapshot, keys int) error {
	dense, err := m.dense(s)
	if err != nil {
		return err
	}
	degree := make([]int, len(m.labels))
	for _, e := range m.edges {
		degree[e.src]++
		degree[e.dst]++
	}
	for i, labels := range m.labels {
		v := dense[uint32(i)]
		if !slices.Equal(s.LabelsOf(v), labels) {
			return fmt.Errorf("labels of %d are %v, want %v", i, s.LabelsOf(v), labels)
		}
		for l := LabelID(0); l < 5; l++ {
			if s.HasLabel(v, l) != slices.Contains(labels, l) {
				return fmt.Errorf("HasLabel(%d, %d)", i, l)
			}
		}
		for k := KeyID(0); int(k) <= keys; k++ {
			got, ok := s.VertexProp(v, k)
			if want, has := m.props[i][k]; ok != has || got != want {
				return fmt.Errorf("property %d of vertex %d is %v %t, want %v %t", k, i, got, ok, want, has)
			}
		}
	}
	for v := VertexID(1); uint64(v) < s.N(); v++ {
		a, b := s.NodeID(v-1), s.NodeID(v)
		if s.ClassOf(v-1) == s.ClassOf(v) && (degree[a] < degree[b] || degree[a] == degree[b] && a > b) {
			return fmt.Errorf("vertices %d and %d out of order", a, b)
		}
	}
	return m.compareEdges(s, dense, keys)
}

func (m *model) compareEdges(s *Snapshot, dense map[uint32]VertexID, keys int) error {
	edges := m.sortedEdges(dense)
	if int(s.M()) != len(edges) {
		return fmt.Errorf("%d relationships, want %d", s.M(), len(edges))
	}
	for i, want := range edges {
		e := EdgeID(i)
		src, dst := s.Endpoints(e)
		if src != dense[want.src] || dst != dense[want.dst] || s.TypeOf(e) != want.typ {
			return fmt.Errorf("relationship %d: %d -%d-> %d, want %+v", e, src, s.TypeOf(e), dst, want)
		}
		if back, ok := s.EdgeByRelID(s.RelID(e)); !ok || back != e {
			return fmt.Errorf("EdgeByRelID(RelID(%d)) = %d", e, back)
		}
		for k := KeyID(0); int(k) <= keys; k++ {
			got, ok := s.EdgeProp(e, k)
			if cell, has := want.props[k]; ok != has || got != cell {
				return fmt.Errorf("property %d of relationship %d is %v %t, want %v %t", k, e, got, ok, cell, has)
			}
		}
	}
	return nil
}

// randomTypes draws a type set, unknown types among them.
func randomTypes(rng *rand.Rand) TypeSet {
	if rng.IntN(3) == 0 {
		return nil
	}
	set := TypeSet{}
	for t := range TypeID(6) {
		if rng.IntN(2) == 0 {
			set = append(set, t)
		}
	}
	return set
}

// between lists the relationships from v to w by brute force.
func between(s *Snapshot, v, w VertexID, types TypeSet, dir Direction) (found []EdgeID) {
	for e := EdgeID(0); uint64(e) < s.M(); e++ {
		src, dst := s.Endpoints(e)
		out, in := src == v && dst == w, src == w && dst == v
		if types.Has(s.TypeOf(e)) && (out && dir != In || in && dir != Out) {
			found = append(found, e)
		}
	}
	return found
}

func (m *model) compareViews(s *Snapshot, rng *rand.Rand) error {
	for range 3 {
		types, dir := randomTypes(rng), Direction(rng.IntN(3))
		a := s.Adjacency(types, dir)
		if a != s.Adjacency(types, dir) {
			return errors.New("a view was built twice")
		}
		loops, simple := 0, true
		for v := VertexID(0); uint64(v) < s.N(); v++ {
			var want []VertexID
			for w := VertexID(0); uint64(w) < s.N(); w++ {
				rels := between(s, v, w, types, dir)
				if got := s.Relationships(nil, v, w, types, dir); !slices.Equal(got, rels) {
					return fmt.Errorf("relationships %d %d %v %v: %v, want %v", v, w, types, dir, got, rels)
				}
				if a.Count(v, w) != len(rels) || a.Has(v, w) != (len(rels) > 0) {
					return fmt.Errorf("%d counted between %d and %d over %v %v, want %d", a.Count(v, w), v, w, types, dir, len(rels))
				}
				if len(rels) > 0 {
					want = append(want, w)
				}
				if v == w {
					loops += len(rels)
				}
				simple = simple && len(rels) <= 1 && (v != w || len(rels) == 0)
			}
			if !slices.Equal(a.Neighbours(v), want) || a.Degree(v) != len(want) {
				return fmt.Errorf("neighbours of %d over %v %v: %v, want %v", v, types, dir, a.Neighbours(v), want)
			}
		}
		if a.Loops != uint64(loops) || a.Simple() != simple {
			return fmt.Errorf("view over %v %v: %d loops, simple %t; want %d, %t", types, dir, a.Loops, a.Simple(), loops, simple)
		}
		if dir == Both && s.Stats.SimpleUnion(types) != simple {
			return fmt.Errorf("SimpleUnion(%v) = %t", types, !simple)
		}
	}
	return nil
}

func TestBuilderMistakes(t *testing.T) {
	for name, spoil := range map[string]func(b *Builder){
		"unknown end":     func(b *Builder) { b.AddEdge(0, 7, 0) },
		"unknown vertex":  func(b *Builder) { b.SetVertex(9, 0, IntCell(1)) },
		"unknown key":     func(b *Builder) { b.SetVertex(0, 3, IntCell(1)) },
		"unknown edge":    func(b *Builder) { b.SetEdge(5, 0, IntCell(1)) },
		"unknown label":   func(b *Builder) { b.AddVertex(4) },
		"unknown type":    func(b *Builder) { b.AddEdge(0, 0, 4) },
		"unknown kind":    func(b *Builder) { b.SetVertex(0, 0, Cell{Kind: 77}) },
		"unknown drop":    func(b *Builder) { b.DropRepeats(4) },
		"unequal lengths": func(b *Builder) { b.AddEdges(0, []uint32{0}, nil) },
		"unknown ext":     func(b *Builder) { b.External("", 8, IntCell(1)) },
		"too many":        func(b *Builder) { b.AddVertices(1 << 32) },
		"relabel":         func(b *Builder) { b.SetLabels(8) },
	} {
		b := NewBuilder()
		b.Type("T")
		b.Key("k")
		b.AddVertices(2)
		spoil(b)
		if _, _, err := b.Build(t.Context(), 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestBuildCancelled(t *testing.T) {
	b := NewBuilder()
	b.AddVertices(10)
	b.AddEdge(1, 2, b.Type("T"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.Build(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestExternalIDsAndBulk(t *testing.T) {
	b := NewBuilder()
	l, typ := b.Label("L"), b.Type("T")
	first := b.AddVertices(3)
	b.SetLabels(first+1, l, l)
	if got := b.LabelsOf(1); !slices.Equal(got, []LabelID{l}) {
		t.Fatalf("labels %v", got)
	}
	b.AddEdges(typ, []uint32{0, 2, 2}, []uint32{1, 1, 0})
	b.External("people", 2, StringCell("two"))
	b.External("people", 0, IntCell(7))
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if b.Vertices() != 3 || b.Relationships() != 3 {
		t.Fatal("counts")
	}
	x := s.External[0]
	for id, want := range map[NodeID]Cell{0: IntCell(7), 1: {}, 2: StringCell("two")} {
		v, _ := s.VertexByNodeID(id)
		if got, _ := x.IDs.Get(uint64(v)); got != want {
			t.Errorf("external id of %d is %v, want %v", id, got, want)
		}
	}
	if x.Name != "people" || s.Bytes() == 0 || s.NextNode != 3 || s.NextRel != 3 {
		t.Errorf("%+v", x)
	}
}

func TestEmptyGraph(t *testing.T) {
	s, _, err := NewBuilder().Build(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if s.N() != 0 || s.M() != 0 || len(s.Adjacency(nil, Both).Targets) != 0 {
		t.Fatal("not empty")
	}
	if _, ok := s.VertexByNodeID(0); ok {
		t.Fatal("found a vertex")
	}
}
