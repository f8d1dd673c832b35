package csr

import (
	"maps"
	"math/rand/v2"
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
		for _, chunk := range c.Chunks {
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
