//go:build linux

package sets

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// TestSIMDEndOfPage runs everything on data that ends where memory ends: reading one byte more is a fault.
func TestSIMDEndOfPage(t *testing.T) {
	const seed = 74
	rng := rand.New(rand.NewPCG(seed, 0))
	u, v, w := pageEnd(t), pageEnd(t), pageEnd(t)
	words := func(page []byte, n int) []uint64 {
		return unsafe.Slice((*uint64)(unsafe.Pointer(&page[len(page)-8*n])), n)
	}
	values := func(page []byte, n int) []uint32 {
		return unsafe.Slice((*uint32)(unsafe.Pointer(&page[len(page)-4*n])), n)
	}
	atEveryLevel(t, func(t *testing.T) {
		for n := 1; n < 100; n++ {
			a, b, c := words(u, n), words(v, n), words(w, n)
			for i := range a {
				a[i], b[i] = rng.Uint64(), rng.Uint64()
			}
			if got, want := AndInto(c, a, b), andCountTwin(a, b); got != want || AndCount(a, b) != want {
				t.Fatalf("seed %d: %d words: %d, want %d", seed, n, got, want)
			}
			x, y := values(u, n), values(v, 1+rng.IntN(200))
			for _, list := range [][]uint32{x, y} {
				at := rng.Uint32N(10)
				for i := range list {
					list[i] = at
					at += 1 + rng.Uint32N(4)
				}
			}
			dst := values(w, min(len(x), len(y)))
			if got, want := blockInto(dst, x, y), mergeCount(x, y); got != want || blockCount(x, y) != want || blockCount(y, x) != want {
				t.Fatalf("seed %d: %d and %d values: %d, want %d", seed, n, len(y), got, want)
			}
			bitmap := words(w, int(x[n-1]/64+1))
			copy(bitmap, words(v, len(bitmap)))
			if got, want := countMarkedLong(x, bitmap, 0), countMarkedTwin(x, bitmap, 0); got != want {
				t.Fatalf("seed %d: %d marked values: %d, want %d", seed, n, got, want)
			}
		}
	})
}

// pageEnd is memory with nothing behind it.
func pageEnd(t *testing.T) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	whole, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(whole) })
	if err := syscall.Mprotect(whole[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return whole[:page]
}
