package csr

import (
	"math/rand/v2"
	"testing"
)

// TestGather compares Gather with Get, on chunks of one kind, of several and of none, in columns frozen and under construction.
func TestGather(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 3))
	for range 40 {
		c := NewColumn(0)
		n := 1 + rng.Uint64N(4*ChunkLen)
		full := map[uint64]int64{} // the integers of chunks without holes
		for chunk := uint64(0); chunk*ChunkLen < n; chunk++ {
			kinds := rng.IntN(7)
			if rng.IntN(3) == 0 {
				for i := chunk * ChunkLen; i < (chunk+1)*ChunkLen; i++ {
					full[i] = rng.Int64()
					c.Set(i, IntCell(full[i]))
				}
				continue
			}
			for range rng.IntN(300) {
				cells := []Cell{IntCell(rng.Int64()), FloatCell(rng.NormFloat64()), BoolCell(rng.IntN(2) == 0), StringCell("text"), {}}
				c.Set(chunk*ChunkLen+rng.Uint64N(ChunkLen), cells[min(kinds, rng.IntN(5))])
			}
		}
		if rng.IntN(4) > 0 {
			if err := c.Freeze(); err != nil {
				t.Fatal(err)
			}
		}
		if rng.IntN(9) == 0 {
			c = nil
		}
		ids := make([]uint64, 2000)
		for i := range ids {
			ids[i] = rng.Uint64N(n + ChunkLen)
		}
		kinds, nums := make([]Kind, len(ids)), make([]uint64, len(ids))
		Gather(c, ids, kinds, nums)
		for i, id := range ids {
			if cell, _ := c.Get(id); kinds[i] != cell.Kind || !cell.Kind.text() && cell.Kind != 0 && nums[i] != cell.Num {
				t.Fatalf("seed %d: element %d has %v, Gather says %d %d", seed, id, cell, kinds[i], nums[i])
			}
			if want, ok := full[id]; ok && c != nil && (kinds[i] != KindInt || int64(nums[i]) != want) {
				t.Fatalf("seed %d: element %d has %d, Gather says %d %d", seed, id, want, kinds[i], nums[i])
			}
		}
	}
}
