package sets

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// randomList is a rising list of n different vertices in [lo, lo+span).
func randomList(rng *rand.Rand, n int, lo, span int) []csr.VertexID {
	in := map[csr.VertexID]bool{}
	for len(in) < min(n, span) {
		in[csr.VertexID(lo+rng.IntN(span))] = true
	}
	list := make([]csr.VertexID, 0, n)
	for v := range in {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

func TestIntersectRandom(t *testing.T) {
	const seed = 17
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range 5000 {
		lo := rng.IntN(100)
		span := 1 + rng.IntN(300)
		a := randomList(rng, rng.IntN(1+rng.IntN(200)), lo, span)
		b := randomList(rng, rng.IntN(1+rng.IntN(200)), lo, span)
		var common []csr.VertexID
		for _, v := range a {
			if slices.Contains(b, v) {
				common = append(common, v)
			}
		}
		check := func(what string, got, want []csr.VertexID) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d round %d: %s of %v and %v: got %v, want %v", seed, round, what, a, b, got, want)
			}
		}
		check("Intersect", Intersect(nil, a, b), common)
		check("Intersect swapped", Intersect([]csr.VertexID{7}, b, a)[1:], common)
		x := slices.Clone(a)
		check("Intersect in place", Intersect(x[:0], x, b), common)
		bitmap, base := make([]uint64, 10), csr.VertexID(lo)
		Mark(bitmap, base, b)
		check("FilterMarked", FilterMarked(nil, a, bitmap, base), common)
		x = slices.Clone(a)
		check("FilterMarked in place", FilterMarked(x[:0], x, bitmap, base), common)
		if n := IntersectCount(a, b); n != len(common) {
			t.Fatalf("seed %d round %d: IntersectCount of %v and %v: %d", seed, round, a, b, n)
		}
		if n := CountMarked(a, bitmap, base); n != len(common) || AnyMarked(a, bitmap, base) != (n > 0) {
			t.Fatalf("seed %d round %d: CountMarked or AnyMarked of %v and %v: %d", seed, round, a, b, n)
		}
		Unmark(bitmap, base, b)
		if slices.Max(bitmap) != 0 {
			t.Fatalf("seed %d round %d: bits left over of %v", seed, round, b)
		}
		testSearch(t, seed, round, rng, a, lo, span)
	}
}

func testSearch(t *testing.T, seed, round int, rng *rand.Rand, a []csr.VertexID, lo, span int) {
	t.Helper()
	p, q := csr.VertexID(lo+rng.IntN(span)), csr.VertexID(lo+rng.IntN(span))
	want := slices.DeleteFunc(slices.Clone(a), func(v csr.VertexID) bool { return v < p || v >= q })
	if got := Cut(a, p, q); !slices.Equal(got, want) {
		t.Fatalf("seed %d round %d: Cut of %v to [%d,%d): %v", seed, round, a, p, q, got)
	}
	i, in := slices.BinarySearch(a, p)
	if LowerBound(a, p) != i || Gallop(a, p) != i || Contains(a, p) != in {
		t.Fatalf("seed %d round %d: search for %d in %v: %d %d, want %d", seed, round, p, a, LowerBound(a, p), Gallop(a, p), i)
	}
}
