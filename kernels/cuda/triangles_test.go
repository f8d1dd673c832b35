//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels"
)

func TestTriangles(t *testing.T) {
	d, r := device(t), seeds(t)
	var taken pattern.Tally
	for name, s := range graphs(r) {
		if *roundFlag > 1 && r.IntN(2) == 0 {
			continue
		}
		perNode := r.IntN(2) == 0
		want, wantBy, err := kernels.Triangles(background, s, nil, perNode, env())
		if err != nil {
			t.Fatal(err)
		}
		d.triangles = triangleLimits{[]int{64, 128, hubRanks}[r.IntN(3)], 8 << r.IntN(8), []int{1, 40, topRanks}[r.IntN(3)], []int{1, 100, 1 << 31}[r.IntN(3)]}
		e := without(r, pattern.HubBits, pattern.DenseRows, pattern.GPUWarp, pattern.HubCounts)
		got, by, err := d.Triangles(background, s, nil, perNode, e)
		if err != nil || got != want || !slices.Equal(by, wantBy) {
			t.Fatalf("%s, %+v: %d triangles, %v; want %d\nby vertex %v\nwant      %v", name, d.triangles, got, err, want, by, wantBy)
		}
		taken.TakeOver(e.Tally)
	}
	driven(t, &taken, pattern.HubBits, pattern.DenseRows, pattern.GPUWarp, pattern.HubCounts)
}

// The order has every vertex from 2 neighbours on once, and degrees fall in it but for 2 %.
func TestFallingDegree(t *testing.T) {
	r := seeds(t)
	for range 200 {
		offsets := []uint64{0}
		for range r.IntN(300) {
			offsets = append(offsets, offsets[len(offsets)-1]+r.Uint64N(1<<r.IntN(34)))
		}
		degree := func(v uint32) uint64 { return offsets[v+1] - offsets[v] }
		vertex, rank := byFallingDegree(offsets)
		expected := 0
		for v := range rank {
			if degree(uint32(v)) < 2 {
				if rank[v] != ^uint32(0) {
					t.Fatalf("vertex %d of degree %d has rank %d", v, degree(uint32(v)), rank[v])
				}
				continue
			}
			expected++
			if vertex[rank[v]] != uint32(v) {
				t.Fatalf("rank %d of vertex %d is that of %d", rank[v], v, vertex[rank[v]])
			}
		}
		if len(vertex) != expected {
			t.Fatalf("%d ranks, not %d", len(vertex), expected)
		}
		for i := 1; i < len(vertex); i++ {
			before, now := degree(vertex[i-1]), degree(vertex[i])
			if now > before+before/64 || now == before && cmp.Less(vertex[i], vertex[i-1]) {
				t.Fatalf("rank %d is vertex %d of degree %d, behind %d of degree %d", i, vertex[i], now, vertex[i-1], before)
			}
		}
	}
}

// The graph stays on the device.
func TestTrianglesOnceMore(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(66, testgraph.Cliques(1, 66), true)
	w := Work{What: "triangles", Direction: csr.Both}
	for i := range 2 {
		if there := d.holds(w, s); there != (i > 0) {
			t.Errorf("run %d: the graph is there: %v", i, there)
		}
		if n, _, err := d.Triangles(background, s, nil, false, env()); err != nil || n != 66*65*64/6 {
			t.Fatal(n, err)
		}
	}
	if err := d.Evict(); err != nil {
		t.Fatal(err)
	}
	if d.holds(w, s) {
		t.Error("the graph is said to be there after it went")
	}
}
