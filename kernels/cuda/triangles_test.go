//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/triangle"
)

func TestTriangles(t *testing.T) {
	d, r := device(t), seeds(t)
	var taken pattern.Tally
	for name, s := range graphs(r) {
		if *roundFlag > 1 && r.IntN(2) == 0 {
			continue
		}
		perNode := r.IntN(2) == 0
		want, wantBy, err := triangle.Count(background, s, nil, perNode, env())
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

// The order has every vertex from 2 neighbours on, by falling degree, equal ones by number; the others have no rank.
func TestFallingDegree(t *testing.T) {
	d, r := device(t), seeds(t)
	for range 3 * *roundFlag {
		n := r.IntN(1300)
		offsets := []uint64{0}
		for range n {
			offsets = append(offsets, offsets[len(offsets)-1]+r.Uint64N(uint64(min(n+1, 1<<r.IntN(12)))))
		}
		degree := func(v uint32) uint64 { return offsets[v+1] - offsets[v] }
		var want []uint32
		for v := range uint32(n) {
			if degree(v) >= 2 {
				want = append(want, v)
			}
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(degree(b), degree(a)) })
		wantRank := slices.Repeat([]uint32{math.MaxUint32}, n)
		for i, v := range want {
			wantRank[v] = uint32(i)
		}
		var got []uint32
		rank := make([]uint32, n)
		err := d.run(background, func(q *task) error {
			o, err := upload(q, offsets)
			if err != nil {
				return err
			}
			vertex, ranks, there, err := byFallingDegree(q, q, &adjacent{vertices: n, offsets: o})
			if err != nil {
				return err
			}
			got = make([]uint32, there)
			return cmp.Or(download(vertex, got), download(ranks, rank))
		})
		if err != nil || !slices.Equal(got, want) || !slices.Equal(rank, wantRank) {
			t.Fatalf("offsets %v: %v, ranks %v, %v; want %v", offsets, got, rank, err, want)
		}
	}
}

// The graph stays on the device.
func TestTrianglesOnceMore(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(66, testgraph.Cliques(1, 66), true)
	w := Work{Kind: pattern.KindTriangles, Direction: csr.Both}
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
