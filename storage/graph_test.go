package storage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// randomGraph is a random property multigraph with external ids in up to two spaces.
func randomGraph(t testing.TB, seed uint64, o testgraph.Options) *csr.Snapshot {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	o.Flat = true
	d := testgraph.Random(seed, o).Data
	for i := range rng.IntN(3) {
		ids := csr.NewColumn(d.Vertices)
		for v := range d.Vertices {
			if rng.IntN(4) > 0 {
				ids.Set(v, externalCell(rng, v))
			}
		}
		if err := ids.Freeze(); err != nil {
			t.Fatal(err)
		}
		d.External = append(d.External, csr.ExternalSpace{Name: fmt.Sprint("space", i), IDs: ids})
	}
	return newSnapshot(t, d)
}

// externalCell is an id that differs between vertices.
func externalCell(rng *rand.Rand, v uint64) csr.Cell {
	switch rng.IntN(3) {
	case 0:
		return csr.StringCell(fmt.Sprintf("node-%d", v))
	case 1:
		return csr.FloatCell(float64(v) + 0.5)
	}
	return csr.IntCell(int64(v)*7 - 20)
}

func newSnapshot(t testing.TB, d csr.Data) *csr.Snapshot {
	t.Helper()
	snap, err := csr.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// rmat is a graph of one type with an integer property "id", as a loaded edge list has it.
func rmat(t testing.TB, scale, edgeFactor int) *csr.Snapshot {
	t.Helper()
	b := csr.NewBuilder()
	n := 1 << scale
	b.AddVertices(n, b.Label("Node"))
	typ, id := b.Type("LINK"), b.Key("id")
	for v := range n {
		b.SetVertex(uint32(v), id, csr.IntCell(int64(v)))
	}
	var src, dst []uint32
	for u, v := range testgraph.RMAT(scale, edgeFactor, 1) {
		src, dst = append(src, u), append(dst, v)
	}
	b.AddEdges(typ, src, dst)
	snap, _, err := b.Build(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// difference says where two graphs differ, empty if nowhere. It goes through the interface of a snapshot, not its
// representation.
func difference(a, b *csr.Snapshot) string {
	if a.N() != b.N() || a.M() != b.M() || a.NextNode != b.NextNode || a.NextRel != b.NextRel {
		return fmt.Sprintf("sizes %d %d %d %d and %d %d %d %d", a.N(), a.M(), a.NextNode, a.NextRel, b.N(), b.M(), b.NextNode, b.NextRel)
	}
	for i, dict := range [][2]*csr.Dict{{a.Labels, b.Labels}, {a.Types, b.Types}, {a.Keys, b.Keys}} {
		if !slices.Equal(dict[0].Names(), dict[1].Names()) {
			return fmt.Sprintf("dictionary %d: %v and %v", i, dict[0].Names(), dict[1].Names())
		}
	}
	for v := range csr.VertexID(a.N()) {
		if d := vertexDifference(a, b, v); d != "" {
			return fmt.Sprintf("vertex %d: %s", v, d)
		}
	}
	for e := range a.AllEdges() {
		if d := edgeDifference(a, b, e); d != "" {
			return fmt.Sprintf("relationship %d: %s", e, d)
		}
	}
	if d := compareStats(a.Stats, b.Stats); len(d) > 0 || a.Stats.Degeneracy != b.Stats.Degeneracy {
		return fmt.Sprintf("statistics: %v %d %d", d, a.Stats.Degeneracy, b.Stats.Degeneracy)
	}
	return externalDifference(a, b)
}

func vertexDifference(a, b *csr.Snapshot, v csr.VertexID) string {
	if !slices.Equal(a.LabelsOf(v), b.LabelsOf(v)) {
		return fmt.Sprintf("labels %v and %v", a.LabelsOf(v), b.LabelsOf(v))
	}
	if a.NodeID(v) != b.NodeID(v) {
		return fmt.Sprintf("ids %d and %d", a.NodeID(v), b.NodeID(v))
	}
	for k := range csr.KeyID(a.Keys.Len()) {
		x, hasX := a.VertexProp(v, k)
		y, hasY := b.VertexProp(v, k)
		if x != y || hasX != hasY {
			return fmt.Sprintf("property %d: %v and %v", k, x, y)
		}
	}
	return ""
}

func edgeDifference(a, b *csr.Snapshot, e csr.EdgeID) string {
	srcA, dstA := a.Endpoints(e)
	srcB, dstB := b.Endpoints(e)
	if srcA != srcB || dstA != dstB || a.TypeOf(e) != b.TypeOf(e) || a.RelID(e) != b.RelID(e) {
		return fmt.Sprintf("%d-%d>%d id %d and %d-%d>%d id %d", srcA, a.TypeOf(e), dstA, a.RelID(e), srcB, b.TypeOf(e), dstB, b.RelID(e))
	}
	for k := range csr.KeyID(a.Keys.Len()) {
		x, hasX := a.EdgeProp(e, k)
		y, hasY := b.EdgeProp(e, k)
		if x != y || hasX != hasY {
			return fmt.Sprintf("property %d: %v and %v", k, x, y)
		}
	}
	return ""
}

func externalDifference(a, b *csr.Snapshot) string {
	if len(a.External) != len(b.External) {
		return fmt.Sprintf("%d and %d id spaces", len(a.External), len(b.External))
	}
	for i := range a.External {
		if a.External[i].Name != b.External[i].Name {
			return fmt.Sprintf("id spaces %q and %q", a.External[i].Name, b.External[i].Name)
		}
		for v := range a.N() {
			x, hasX := a.External[i].IDs.Get(v)
			y, hasY := b.External[i].IDs.Get(v)
			if x != y || hasX != hasY {
				return fmt.Sprintf("external id of vertex %d: %v and %v", v, x, y)
			}
		}
	}
	return ""
}

// The helpers below fail the test on an error.

func mustOpen(t testing.TB, dir string, opt Options) *Store {
	t.Helper()
	s, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func mustPublish(t testing.TB, s *Store, g *csr.Snapshot) Info {
	t.Helper()
	info, err := s.Publish(context.Background(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func mustSnapshot(t testing.TB, s *Store) *csr.Snapshot {
	t.Helper()
	g, err := s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustCheck(t testing.TB, s *Store) *CheckReport {
	t.Helper()
	report, err := s.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func mustBeClean(t testing.TB, s *Store) {
	t.Helper()
	if report := mustCheck(t, s); !report.OK() {
		t.Fatalf("Check found %v", report.Problems)
	}
}
