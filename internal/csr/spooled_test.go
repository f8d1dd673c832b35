package csr

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/spool"
)

// spoolCase is a random graph, as calls of a Builder.
type spoolCase struct {
	seed                        uint64
	vertices, edges, types      int
	simple, props, ids, grouped bool
}

func (c spoolCase) build(b *Builder) {
	r := rand.New(rand.NewPCG(c.seed, 7))
	for v := range c.vertices {
		var labels []LabelID
		for l := range 3 {
			if r.IntN(3) == 0 {
				labels = append(labels, b.Label(fmt.Sprint("L", l)))
			}
		}
		b.AddVertex(labels...)
		b.External("", uint32(v), StringCell(fmt.Sprint("n", v)))
		if r.IntN(2) == 0 {
			b.SetVertex(uint32(v), b.Key("name"), StringCell(fmt.Sprint("v", v)))
		}
	}
	for t := range c.types {
		if c.simple && t%2 == 0 {
			b.DropRepeats(b.Type(fmt.Sprint("T", t)))
		}
		b.Type(fmt.Sprint("T", t))
	}
	for i := range c.edges {
		t := TypeID(r.IntN(c.types))
		if c.grouped {
			t = TypeID(i * c.types / c.edges)
		}
		u, v := c.end(r), c.end(r)
		if r.IntN(20) == 0 {
			v = u
		}
		at := b.AddEdge(u, v, t)
		if c.props {
			if r.IntN(2) == 0 {
				b.SetEdge(at, b.Key("since"), IntCell(int64(r.IntN(4))))
			}
			b.SetEdge(at, b.Key("weight"), FloatCell(float64(i)))
			if r.IntN(200) == 0 {
				b.SetEdge(at, b.Key("rare"), StringCell("x"))
			}
		}
		if c.ids {
			b.SetRelID(at, RelID(7*i+3))
		}
	}
}

// end picks a vertex, low numbers more often.
func (c spoolCase) end(r *rand.Rand) uint32 {
	return uint32(float64(c.vertices) * r.Float64() * r.Float64())
}

// TestSpooled compares graphs of random calls, built in memory and by a spool under limits that make many pieces.
func TestSpooled(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 60 {
		c := spoolCase{seed: seed + uint64(i), vertices: 1 + r.IntN(300), edges: 1 + r.IntN(6000), types: 1 + r.IntN(4),
			simple: r.IntN(2) == 0, props: r.IntN(3) == 0, ids: r.IntN(4) == 0, grouped: r.IntN(2) == 0}
		if i%3 == 0 {
			c.types, c.props, c.ids = 1, false, false
		}
		at, workers := 8<<r.IntN(14), 1+r.IntN(3)
		t.Run(fmt.Sprintf("%+v,at=%d,workers=%d", c, at, workers), func(t *testing.T) { c.compare(t, at, workers) })
	}
}

func (c spoolCase) compare(t *testing.T, at, workers int) {
	plain := NewBuilder()
	c.build(plain)
	want, dropped, err := plain.Build(t.Context(), workers)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder()
	var s *spool.Spool
	defer func() { s.Close() }()
	b.SetSpool(func() (_ *spool.Spool, err error) { s, err = spool.New(t.TempDir(), nil); return s, err }, at)
	c.build(b)
	if !b.Spilled() {
		if 8*c.edges > 2*at {
			t.Fatalf("%d relationships in %d bytes", c.edges, at)
		}
		return
	}
	g, droppedToo, err := b.BuildSpooled(t.Context(), workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if dropped != droppedToo {
		t.Errorf("dropped %+v, want %+v", droppedToo, dropped)
	}
	if !reflect.DeepEqual(g.Stats, want.Stats) {
		t.Errorf("statistics %+v\nwant %+v", g.Stats, want.Stats)
	}
	c.compareSimple(t, g, want)
	d := g.Data
	d.Rels = make([]Rels, len(g.Rels))
	for i := range d.Rels {
		d.Rels[i] = Rels{First: g.Rels[i].First, Lo: g.Rels[i].Lo}
	}
	for _, run := range g.Runs {
		rows, err := g.Rows(run)
		if err != nil {
			t.Fatal(err)
		}
		r := &d.Rels[run.Type]
		if r.Offsets == nil {
			r.Offsets = []uint64{0}
		}
		base := uint64(len(r.Targets))
		for _, o := range rows.Offsets[1:] {
			r.Offsets = append(r.Offsets, base+o)
		}
		r.Targets = append(r.Targets, rows.Targets...)
	}
	for i, shape := range g.Shapes {
		if r := &d.Rels[i]; shape != (RowShape{uint64(r.Lo), uint64(len(r.Offsets)), uint64(len(r.Targets))}) {
			t.Errorf("type %d: %+v, but the runs have %d offsets and %d targets from %d on", i, shape, len(r.Offsets), len(r.Targets), r.Lo)
		}
		if w := &want.Data.Rels[i]; !slices.Equal(w.Offsets, d.Rels[i].Offsets) || w.Lo != d.Rels[i].Lo || w.First != d.Rels[i].First {
			t.Errorf("type %d has other rows", i)
		}
	}
	got, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := ContentHash(t.Context(), got)
	if b, _ := ContentHash(t.Context(), want); a != b {
		t.Error("the graphs differ")
	}
	for v := range want.N() {
		x, _ := got.External[0].IDs.Get(v)
		if y, _ := want.External[0].IDs.Get(v); x != y {
			t.Fatalf("vertex %d has the external id %v, want %v", v, x, y)
		}
	}
	if got.NextRel != want.NextRel || got.NextNode != want.NextNode {
		t.Errorf("next ids %d and %d, want %d and %d", got.NextNode, got.NextRel, want.NextNode, want.NextRel)
	}
}

// compareSimple compares the pairs of vertices that are joined.
func (c spoolCase) compareSimple(t *testing.T, g *Spooled, want *Snapshot) {
	joined := make(map[[2]uint64]bool)
	for e := range want.AllEdges() {
		if u, v := want.Endpoints(e); u != v {
			joined[[2]uint64{uint64(min(u, v)), uint64(max(u, v))}] = true
		}
	}
	if n := g.Simple.Len(); n != uint64(len(joined)) {
		t.Errorf("%d pairs are joined, want %d", n, len(joined))
	}
}

// TestSpillHoldsLittle adds relationships one by one and many at a time: the Builder holds no more of them than SetSpool says.
func TestSpillHoldsLittle(t *testing.T) {
	const at, vertices = 1 << 16, 100
	var m meter
	b := NewBuilder()
	b.SetBudget(&m)
	b.AddVertices(vertices)
	types := []TypeID{b.Type("A"), b.Type("B")}
	s, err := spool.New(t.TempDir(), func(n int64) { _ = m.Charge(n) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.SetSpool(func() (*spool.Spool, error) { return s, nil }, at)
	ends := make([]uint32, 20*at/edgeBytes)
	before := m.used.Load()
	for i := range ends {
		ends[i] = uint32(i % vertices)
		b.AddEdge(ends[i], 7, types[i/1000%2])
	}
	b.AddEdges(types[0], ends, ends)
	if b.Err() != nil || !b.Spilled() || b.Relationships() != 2*uint64(len(ends)) {
		t.Fatalf("%d relationships, spilled %v, %v", b.Relationships(), b.Spilled(), b.Err())
	}
	if most, lists := m.peak.Load()-before, int64(len(types)*2*2*16<<10); most > at+at/2+lists {
		t.Errorf("the Builder held %d bytes of %d, beside lists of %d", most, at, lists)
	}
	if held, lists := m.used.Load()-before, int64(len(types)*2*16<<10); held > lists {
		t.Errorf("the Builder still holds %d bytes, but lists take at most %d", held, lists)
	}
}
