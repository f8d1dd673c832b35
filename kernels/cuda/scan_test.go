//go:build cuda && cgo && linux

package cuda

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Prefix sums are those of a loop, at the borders of warps, blocks and tiles, and beyond 32 bits.
func TestScan(t *testing.T) {
	d, r := device(t), seeds(t)
	for _, n := range []int{0, 1, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097, 3*4096 - 1, 1 + r.IntN(20000)} {
		compareScan(t, d, r, n, []uint32{1, 2, 1 << 20, 1 << 31}[r.IntN(4)])
	}
	compareScan(t, d, r, 5000, 1<<31)
	for _, tiles := range []int{1, 32, 1023, 1024, 1025, 2048, 2049 + r.IntN(1500)} {
		compareSums(t, d, r, tiles)
	}
}

// compareSums has the sums of so many tiles summed up, for lists that would take the emulator too long.
func compareSums(t *testing.T, d *Device, r *rand.Rand, tiles int) {
	t.Helper()
	list, want := make([]uint64, tiles+1), make([]uint64, tiles+1)
	for i := range tiles {
		list[i] = r.Uint64N(1 << 44)
		want[i+1] = want[i] + list[i]
	}
	err := d.run(background, func(task *task) error {
		sums, err := upload(task, list)
		if err != nil {
			return err
		}
		if err := d.launch("scan_sums", 1, 1024, 0, sums.arg(), uint64(tiles)); err != nil {
			return err
		}
		return download(sums, list)
	})
	if err != nil {
		t.Fatalf("%d tiles: %v", tiles, err)
	}
	same(t, tiles, list, want, list[tiles])
}

func compareScan(t *testing.T, d *Device, r *rand.Rand, n int, most uint32) {
	t.Helper()
	list := make([]uint32, n)
	for i := range list {
		list[i] = most - r.Uint32N(most)/2
	}
	want, ranks, sum, rank := make([]uint64, n+1), make([]uint64, n+1), uint64(0), uint64(0)
	for i, x := range list {
		sum, rank = sum+uint64(x), rank+uint64(bits.OnesCount32(x))
		want[i+1], ranks[i+1] = sum, rank
	}
	err := d.run(background, func(task *task) error {
		in, err := upload(task, list)
		if err != nil {
			return err
		}
		got, short := make([]uint64, n+1), make([]uint32, n+1)
		offsets, total, err := task.scan(in, int64(n))
		if err != nil {
			return err
		}
		if err := download(offsets, got); err != nil {
			return err
		}
		same(t, n, got, want, total)
		if offsets, total, err = task.scanBits(in, int64(n)); err != nil {
			return err
		}
		if err := download(offsets, got); err != nil {
			return err
		}
		same(t, n, got, ranks, total)
		s, err := newScan(task, int64(n))
		if err != nil {
			return err
		}
		narrow, err := task.alloc(4 * int64(n+1))
		if err != nil {
			return err
		}
		if err := s.sum(in, int64(n), false, buffer{}, narrow); err != nil {
			return err
		}
		if err := download(narrow, short); err != nil {
			return err
		}
		for i := range short {
			if short[i] != uint32(want[i]) {
				t.Fatalf("%d items: sum of 4 bytes before %d is %d, want %d", n, i, short[i], uint32(want[i]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%d items: %v", n, err)
	}
}

func same(t *testing.T, n int, got, want []uint64, total uint64) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%d items: sum before %d is %d, want %d", n, i, got[i], want[i])
		}
	}
	if total != want[n] {
		t.Fatalf("%d items: total %d, want %d", n, total, want[n])
	}
}
