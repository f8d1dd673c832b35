package csr

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestColumnAgainstMap(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := uint64(1 + rng.IntN(3*ChunkLen))
		c, want := NewColumn(n), map[uint64]Cell{}
		kind := rng.IntN(7)
		for range rng.IntN(int(n) * 2) {
			i := uint64(rng.Int64N(int64(n)))
			var cell Cell
			switch kind {
			case 0:
				cell = IntCell(rng.Int64())
			case 1:
				cell = FloatCell(rng.Float64())
			case 2:
				cell = BoolCell(rng.IntN(2) == 0)
			case 3:
				cell = StringCell(string(rune(rng.IntN(1000))))
			default:
				cell = randomCell(rng)
			}
			if rng.IntN(10) == 0 {
				cell = Cell{}
			}
			c.Set(i, cell)
			want[i] = cell
		}
		maps.DeleteFunc(want, func(_ uint64, c Cell) bool { return c.Kind == 0 })
		check := func(when string) {
			for i := range n + 2*ChunkLen {
				got, ok := c.Get(i)
				if cell, has := want[i]; ok != has || got != cell {
					t.Fatalf("seed %d %s: element %d is %v %t, want %v %t", seed, when, i, got, ok, cell, has)
				}
			}
		}
		check("set")
		if err := c.Freeze(); err != nil {
			t.Fatal(err)
		}
		check("frozen")
		total := 0
		for i := range c.NumChunks() {
			chunk := c.Chunk(i)
			if chunk == nil {
				continue
			}
			total += chunk.Len()
			again := *chunk
			again.ready = false
			if err := again.Init(); err != nil {
				t.Fatalf("seed %d: Init of a frozen chunk: %v", seed, err)
			}
		}
		if total != len(want) {
			t.Fatalf("seed %d: %d cells, want %d", seed, total, len(want))
		}
		if c.Freeze() != nil || c.check(t.Context(), n) != nil {
			t.Fatalf("seed %d: frozen column refused", seed)
		}
	}
}

func TestColumnGetAllocatesNothing(t *testing.T) {
	c := NewColumn(10)
	c.Set(3, StringCell("three"))
	c.Set(4, IntCell(4))
	if err := c.Freeze(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { c.Get(3); c.Get(4); c.Get(5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var none *Column
	if _, ok := none.Get(3); ok {
		t.Error("a nil column has a value")
	}
}

// Successors of a column hold what was set, and leave the columns before them as they were, also where several go on from one.
func TestColumnSuccessors(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 5))
		type version struct {
			column *Column
			want   map[uint64]Cell
		}
		kind := rng.IntN(6)
		cell := func() Cell {
			switch k := kind; {
			case rng.IntN(8) == 0:
				return Cell{}
			case k == 0, k == 1 && rng.IntN(50) > 0:
				return IntCell(rng.Int64())
			case k == 2:
				return FloatCell(rng.Float64())
			case k == 3:
				return StringCell(strings.Repeat("x", rng.IntN(5)))
			case k == 4:
				return BoolCell(rng.IntN(2) == 0)
			}
			return randomCell(rng)
		}
		versions := []version{{nil, map[uint64]Cell{}}}
		next := uint64(0) // elements that appends have reached
		for range 60 {
			from := versions[len(versions)-1]
			if rng.IntN(5) == 0 {
				from = versions[rng.IntN(len(versions))]
			}
			e, want := columnEdit{old: from.column}, maps.Clone(from.want)
			set := map[uint64]Cell{}
			switch rng.IntN(7) {
			case 4, 5, 6: // other values of the same kind, and a look at some
				for at, was := range from.want {
					if len(set) == 3 {
						break
					}
					set[at] = sameKind(rng, was)
				}
				for at := range from.want {
					if rng.IntN(4) == 0 {
						from.column.Get(at)
					}
					break
				}
			case 0: // anywhere
				for range 1 + rng.IntN(6) {
					set[uint64(rng.IntN(2*ChunkLen))] = cell()
				}
			case 1: // many
				for range rng.IntN(700) {
					set[uint64(rng.IntN(2*ChunkLen))] = cell()
				}
			default:
				for range 1 + rng.IntN(3) {
					set[next] = cell()
					next++
				}
			}
			for at, c := range set {
				if e.set(at, c); c.Kind == 0 {
					delete(want, at)
				} else {
					want[at] = c
				}
			}
			column, err := e.done()
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, version{column, want})
		}
		for i, v := range versions {
			found := 0
			for at := range uint64(3 * ChunkLen) {
				got, ok := v.column.Get(at)
				if want, has := v.want[at]; ok != has || got != want {
					t.Fatalf("seed %d: element %d of version %d is %v %t, want %v %t", seed, at, i, got, ok, want, has)
				}
				if ok {
					found++
				}
			}
			if v.column != nil && v.column.check(t.Context(), 3*ChunkLen) != nil || found != len(v.want) {
				t.Fatalf("seed %d: version %d is refused, or has %d cells of %d", seed, i, found, len(v.want))
			}
			if v.column != nil {
				for i := range v.column.NumChunks() {
					if again := v.column.Chunk(i); again != nil {
						copied := *again
						copied.ready = false
						if err := copied.Init(); err != nil {
							t.Fatalf("seed %d: version %d: %v", seed, i, err)
						}
					}
				}
			}
		}
	}
}

// sameKind returns a random value of the kind of another.
func sameKind(rng *rand.Rand, was Cell) Cell {
	switch was.Kind {
	case KindInt:
		return IntCell(rng.Int64())
	case KindFloat:
		return FloatCell(rng.Float64())
	case KindBool:
		return BoolCell(rng.IntN(2) == 0)
	}
	return Cell{Kind: was.Kind, Str: strings.Repeat("y", rng.IntN(5))}
}

// Hundreds of statements that overwrite values of a chunk copy it a few times. A reader of one snapshot and the writer of the next do
// not disturb each other.
func TestOverwritesAreLate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	e := columnEdit{}
	for at := range uint64(ChunkLen) {
		e.set(at, IntCell(int64(at)))
	}
	column, err := e.done()
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, ChunkLen)
	for at := range want {
		want[at] = int64(at)
	}
	var wait sync.WaitGroup
	copies := map[*Chunk]bool{}
	for i := range 1000 {
		at := uint64(rng.IntN(ChunkLen))
		e := columnEdit{old: column}
		e.set(at, IntCell(int64(i)))
		want[at] = int64(i)
		next, err := e.done()
		if err != nil {
			t.Fatal(err)
		}
		of, _ := next.known(0)
		copies[of] = true
		if i%100 == 0 {
			read, now := next, slices.Clone(want)
			wait.Go(func() {
				for at := range now {
					if cell, ok := read.Get(uint64(at)); !ok || int64(cell.Num) != now[at] {
						t.Errorf("element %d is %v, want %d", at, cell, now[at])
						return
					}
				}
			})
		}
		column = next
	}
	wait.Wait()
	if len(copies) > 20 {
		t.Errorf("1000 statements copied the chunk %d times", len(copies))
	}
}
