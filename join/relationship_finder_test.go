package join

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// TestFindRun looks up lists in rows with parallel relationships, with marks and without, one list after another, and compares what it
// finds with a loop over all pairs.
func TestFindRun(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 5000 {
		n := 1 + rng.IntN(300)
		row := incidentPlace{IncidentRow: csr.IncidentRow{Ends: risingList(rng, n, rng.IntN(400), true)}}
		marks := make([]uint64, (n+63)/64)
		for range 1 + rng.IntN(4) {
			list := risingList(rng, n, 1+rng.IntN(60), false)
			var wantEnds []csr.VertexID
			var want []csr.EdgeID
			for _, v := range list {
				for i, u := range row.Ends {
					if u == v {
						wantEnds, want = append(wantEnds, v), append(want, row.ID(i))
					}
				}
			}
			given := marks
			if rng.IntN(4) == 0 {
				given = nil
			}
			ends, edges := row.findRun([]csr.VertexID{7}, []csr.EdgeID{9, 9}, list, given)
			if !slices.Equal(ends[1:], wantEnds) || !slices.Equal(edges[2:], want) || ends[0] != 7 || edges[1] != 9 {
				t.Fatalf("seed %d: row %v, list %v, marks %v: %v %v, want %v %v", seed, row.Ends, list, given != nil, ends, edges, wantEnds, want)
			}
			if slices.ContainsFunc(marks, func(m uint64) bool { return m != 0 }) {
				t.Fatalf("seed %d: row %v, list %v: marks are left", seed, row.Ends, list)
			}
		}
	}
}

// risingList returns vertices below n in rising order, with repetitions or without.
func risingList(rng *rand.Rand, n, length int, repeats bool) []csr.VertexID {
	list := make([]csr.VertexID, length)
	for i := range list {
		list[i] = csr.VertexID(rng.IntN(n))
	}
	slices.Sort(list)
	if !repeats {
		list = slices.Compact(list)
	}
	return list
}
