package csr

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// TestLateChunks compares random columns with columns whose chunks are decoded late, also from many goroutines at once and after changes.
func TestLateChunks(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 7))
	cells := []Cell{IntCell(5), FloatCell(2.5), StringCell("x"), BoolCell(true), {Kind: KindEncoded, Str: "\x01"}}
	for range 20 {
		n := 1 + rng.Uint64N(4*ChunkLen)
		whole := NewColumn(n)
		kinds := 1 + rng.IntN(len(cells))
		for range rng.IntN(5000) {
			whole.Set(rng.Uint64N(n), cells[rng.IntN(kinds)])
		}
		if err := whole.Freeze(); err != nil {
			t.Fatal(err)
		}
		late, decoded := lateCopy(whole, n)
		if late.HasText() != whole.HasText() || late.HasEncoded() != whole.HasEncoded() || late.empty() != whole.empty() {
			t.Fatalf("seed %d: the columns differ in what they have", seed)
		}
		copied := late.clone(late.NumChunks() + 1)
		lo := rng.Uint64N(n)
		if late.kinds(lo, n) != whole.kinds(lo, n) {
			t.Fatalf("seed %d: kinds %b, want %b", seed, late.kinds(lo, n), whole.kinds(lo, n))
		}
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for i := range n + ChunkLen {
					a, okA := late.Get(i)
					b, okB := whole.Get(i)
					c, okC := copied.Get(i)
					if a != b || okA != okB || c != b || okC != okB {
						t.Errorf("seed %d: element %d is %v and %v, want %v", seed, i, a, c, b)
						return
					}
				}
			})
		}
		wait.Wait()
		for i, times := range decoded {
			if times > 1 {
				t.Fatalf("seed %d: chunk %d was decoded %d times", seed, i, times)
			}
		}
		copied.replace(0, nil)
		if _, ok := copied.Get(0); ok || copied.HasChunk(0) {
			t.Fatalf("seed %d: a chunk that was removed is there", seed)
		}
		if late.bytes() < whole.bytes() {
			t.Fatalf("seed %d: %d bytes, want %d at least", seed, late.bytes(), whole.bytes())
		}
	}
}

// lateCopy is a column of n elements whose chunks are those of c, decoded late. decoded counts how often, by chunk.
func lateCopy(c *Column, n uint64) (late *Column, decoded []int) {
	late = NewChunkColumn(n)
	decoded = make([]int, c.NumChunks())
	for i := range c.NumChunks() {
		chunk := c.Chunk(i)
		if chunk == nil {
			continue
		}
		late.SetLateChunk(i, chunk.Kind, 10, func() (*Chunk, error) {
			decoded[i]++
			again := *chunk
			again.ready = false
			return &again, nil
		})
	}
	return late, decoded
}

// TestLateFault has a chunk that does not decode: each use panics with a *Fault, and the other chunks can be read.
func TestLateFault(t *testing.T) {
	broken := errors.New("broken")
	c := NewChunkColumn(2 * ChunkLen)
	c.SetLateChunk(0, KindInt, 1, func() (*Chunk, error) { return nil, broken })
	other := NewColumn(1)
	other.Set(0, IntCell(3))
	if err := other.Freeze(); err != nil {
		t.Fatal(err)
	}
	c.SetLateChunk(1, KindInt, 1, func() (*Chunk, error) { return other.Chunk(0), nil })
	for range 2 {
		func() {
			defer func() {
				fault, ok := recover().(*Fault)
				if !ok || !errors.Is(fault, broken) || fault.Error() != "broken" {
					t.Errorf("panic %v", fault)
				}
			}()
			c.Get(1)
		}()
	}
	if n, ok := c.Int(ChunkLen); !ok || n != 3 {
		t.Errorf("the other chunk has %d %t", n, ok)
	}
}
