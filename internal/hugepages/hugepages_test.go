package hugepages

import (
	"runtime/debug"
	"testing"
)

// TestMake makes arrays below, at and above the sizes of which the system is told, writes to both ends, and finds zeros in between.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 511, 1 << 18, 1<<18 + 1, 1 << 19, 3<<18 + 7, 1 << 21} {
		for range 3 { // the memory of an earlier one may come again
			list := Make[uint64](n)
			if len(list) != n || cap(list) < n {
				t.Fatalf("%d of %d", len(list), n)
			}
			for i, x := range list {
				if x != 0 {
					t.Fatalf("%d at %d of %d", x, i, n)
				}
				list[i] = ^uint64(0)
			}
		}
	}
	if bytes := Make[byte](uint64(5 << 20)); len(bytes) != 5<<20 {
		t.Errorf("%d bytes", len(bytes))
	}
}

// BenchmarkMake touches 64 MB of memory that the system has just had back. Ordinary pages come first: the system's advice outlives an array.
func BenchmarkMake(b *testing.B) {
	const n = 8 << 20
	for _, of := range []struct {
		name string
		make func() []uint64
	}{{"ordinary", func() []uint64 { return make([]uint64, n) }}, {"huge", func() []uint64 { return Make[uint64](n) }}} {
		b.Run(of.name, func(b *testing.B) {
			b.SetBytes(8 * n)
			for b.Loop() {
				b.StopTimer()
				debug.FreeOSMemory()
				b.StartTimer()
				list := of.make()
				for i := 0; i < n; i += 512 {
					list[i] = 1
				}
			}
		})
	}
}
