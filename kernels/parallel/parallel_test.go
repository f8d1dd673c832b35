package parallel

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestFor calls fn for every index once, in chunks, on the workers that it names.
func TestFor(t *testing.T) {
	for _, workers := range []int{-1, 0, 1, 2, 3, 8} {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1000} {
			for _, chunk := range []int{1, 7, 64, 5000} {
				t.Run(fmt.Sprintf("%d_workers_%d_items_by_%d", workers, n, chunk), func(t *testing.T) {
					visits := make([]atomic.Int32, n)
					var stop atomic.Bool
					For(workers, n, chunk, &stop, func(worker, lo, hi int) {
						if worker < 0 || worker >= max(1, workers) {
							t.Errorf("worker %d of %d", worker, workers)
						}
						if lo%chunk != 0 || lo >= hi || hi != min(lo+chunk, n) {
							t.Errorf("chunk [%d, %d) of %d", lo, hi, n)
						}
						for i := lo; i < hi; i++ {
							visits[i].Add(1)
						}
					})
					for i := range visits {
						if c := visits[i].Load(); c != 1 {
							t.Fatalf("%d calls for item %d", c, i)
						}
					}
				})
			}
		}
	}
}

// TestForStops sets stop at a random item, as an error or the end of a context does. For returns after the chunks at work, and
// calls fn for no item twice. It calls fn for none if stop is set before.
func TestForStops(t *testing.T) {
	const n, chunk = 10_000, 10
	for _, workers := range []int{1, 4} {
		for seed := range uint64(20) {
			last := rand.New(rand.NewPCG(seed, 1)).IntN(n)
			visits := make([]atomic.Int32, n)
			var stop atomic.Bool
			var late atomic.Int32 // chunks that began after the stop, at most one a worker
			For(workers, n, chunk, &stop, func(_, lo, hi int) {
				if stop.Load() {
					late.Add(1)
				}
				for i := lo; i < hi; i++ {
					visits[i].Add(1)
					if i == last {
						stop.Store(true)
					}
				}
			})
			if late.Load() > int32(workers-1) {
				t.Fatalf("%d workers began %d chunks after the stop", workers, late.Load())
			}
			for i := range visits {
				switch c := visits[i].Load(); {
				case c > 1:
					t.Fatalf("%d calls for item %d", c, i)
				case c == 0 && i/chunk <= last/chunk: // chunks are taken in order, and a chunk that began ends
					t.Fatalf("no call for item %d, before the stop at %d", i, last)
				case c == 1 && workers == 1 && i/chunk > last/chunk:
					t.Fatalf("a call for item %d, after the stop at %d", i, last)
				}
			}
			For(workers, n, chunk, &stop, func(_, lo, _ int) { t.Errorf("a call for item %d after the stop", lo) })
		}
	}
}

// TestNested gives the inner kernel a tally of its own, and passes on its techniques alone.
func TestNested(t *testing.T) {
	outer := &pattern.Env{Workers: 3, Memory: &pattern.Memory{Limit: 100}, Tally: new(pattern.Tally)}
	in, pass := Nested(outer)
	if in.Workers != 3 || in.Memory != outer.Memory || in.Tally == outer.Tally {
		t.Fatalf("inner environment %+v", in)
	}
	in.Tally.Units.Add(10)
	in.Tally.UnitsDone.Add(5)
	in.Took(pattern.BFSEarly, 7)
	outer.Took(pattern.BFSEarly, 1)
	pass()
	pass() // adds nothing more
	if got := outer.Tally.Taken[pattern.BFSEarly].Load(); got != 8 {
		t.Errorf("technique used %d times, want 8", got)
	}
	if outer.Tally.Units.Load() != 0 || outer.Tally.UnitsDone.Load() != 0 {
		t.Error("the inner kernel's units are in the outer tally")
	}
	in, pass = Nested(&pattern.Env{Workers: 2})
	if pass(); in.Workers != 2 || in.Tally != nil {
		t.Errorf("without a tally: %+v", in)
	}
}
