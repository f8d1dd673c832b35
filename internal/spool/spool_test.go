package spool

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// TestLists writes, reads and drops lists in random order, and compares them with slices.
func TestLists(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r, dir, held := rand.New(rand.NewPCG(seed, 1)), t.TempDir(), int64(0)
	s, err := New(dir, func(n int64) { held += n })
	if err != nil {
		t.Fatal(err)
	}
	lists, want := make([]*List, 5), make([][]uint64, 5)
	for i := range lists {
		lists[i] = s.NewList()
	}
	for range 300 {
		i := r.IntN(len(lists))
		switch l := lists[i]; r.IntN(8) {
		case 0:
			l.Drop()
			want[i] = nil
		case 1:
			if err := l.Put(7); err != nil {
				t.Fatal(err)
			}
			want[i] = append(want[i], 7)
		default:
			words := make([]uint64, r.IntN(3*pieceWords))
			for j := range words {
				words[j] = r.Uint64()
			}
			if err := l.Append(words...); err != nil {
				t.Fatal(err)
			}
			want[i] = append(want[i], words...)
		}
		check(t, seed, r, lists[i], want[i])
	}
	if s.end > pieceBytes*300*3 {
		t.Errorf("seed %d: the file has %d bytes", seed, s.end)
	}
	for _, l := range lists {
		l.Drop()
	}
	if held != 0 {
		t.Errorf("seed %d: %d bytes are charged for no list", seed, held)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func check(t *testing.T, seed uint64, r *rand.Rand, l *List, want []uint64) {
	t.Helper()
	var got []uint64
	err := l.Each(t.Context(), func(words []uint64) error {
		got = append(got, words...)
		return nil
	})
	if err != nil || !slices.Equal(got, want) || l.Len() != uint64(len(want)) {
		t.Fatalf("seed %d: read %d words, %v; want %d", seed, len(got), err, len(want))
	}
	at := r.IntN(len(want) + 1)
	part := make([]uint64, r.IntN(len(want)-at+1))
	if err := l.Read(uint64(at), part); err != nil || !slices.Equal(part, want[at:at+len(part)]) {
		t.Fatalf("seed %d: other words from %d on, %v", seed, at, err)
	}
}
