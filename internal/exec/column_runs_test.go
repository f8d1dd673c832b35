package exec

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// TestColumnRuns compares a column with runs, its parts and its choices with a column that has a value for each row.
func TestColumnRuns(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 44))
	for range 2000 {
		plain, runs := Column{Kind: NodeColumn}, Column{Kind: NodeColumn, Starts: []uint32{}}
		for range 1 + rng.IntN(12) {
			v := csr.VertexID(rng.IntN(4)) // two runs side by side may have the same vertex
			runs.Vertices, runs.Starts = append(runs.Vertices, v), append(runs.Starts, uint32(len(plain.Vertices)))
			for range 1 + rng.IntN(5) {
				plain.Vertices = append(plain.Vertices, v)
			}
		}
		n := len(plain.Vertices)
		compareColumns(t, seed, &runs, &plain, n)
		lo := rng.IntN(n + 1)
		hi := lo + rng.IntN(n-lo+1)
		a, b := runs.part(lo, hi), plain.part(lo, hi)
		compareColumns(t, seed, &a, &b, hi-lo)
		var rows []int
		for i := range n {
			if rng.IntN(3) == 0 {
				rows = append(rows, i)
			}
		}
		a, b = runs.choose(rows), plain.choose(rows)
		compareColumns(t, seed, &a, &b, len(rows))
	}
}

// compareColumns compares row by row, and again when both are expanded.
func compareColumns(t *testing.T, seed uint64, got, want *Column, n int) {
	t.Helper()
	for i := range n {
		if got.vertex(i) != want.Vertices[i] {
			t.Fatalf("seed %d: row %d of %d is %d, want %d\n%+v\n%+v", seed, i, n, got.vertex(i), want.Vertices[i], got, want)
		}
	}
	c := *got
	if c.Expand(n); !slices.Equal(c.Vertices[:n], want.Vertices[:n]) || c.Starts != nil {
		t.Fatalf("seed %d: %v, want %v", seed, c.Vertices, want.Vertices)
	}
}
