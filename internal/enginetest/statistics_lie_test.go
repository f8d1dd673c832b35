package enginetest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
)

// TestLyingStatistics gives a graph false statistics that opening a store does not find, because only computing them again would.
// Answers may then be wrong, and Check says so; but no query panics or runs on.
func TestLyingStatistics(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Restore(t.Context(), bytes.NewReader(richBackup(t))); err != nil {
		t.Fatal(err)
	}
	snap, err := storeOf(db).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	accepted := 0
	for i := range uint64(40) {
		d := snap.Data
		lie(rand.New(rand.NewPCG(seed+i, 33)), &d)
		spoilt, err := csr.New(d)
		if err != nil {
			continue
		}
		accepted++
		tx := viewOf(db, spoilt)
		for _, q := range attackQueries {
			rows, err := tx.Query(t.Context(), q, nil, motif.WithTimeout(time.Minute))
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed+i, q, err)
			}
			for _, err := range rows.All() {
				if errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("seed %d: %s: %v", seed+i, q, err)
				}
			}
		}
	}
	if accepted < 10 {
		t.Errorf("seed %d: only %d lies were accepted: they test little", seed, accepted)
	}
}

// lie changes the statistics of d.
func lie(r *rand.Rand, d *csr.Data) {
	s := *d.Stats
	s.Types, s.Shared, s.Triples = slices.Clone(s.Types), slices.Clone(s.Shared), slices.Clone(s.Triples)
	d.Stats = &s
	for range 1 + r.IntN(6) {
		st := &s.Types[r.IntN(len(s.Types))]
		number := [...]*uint64{&st.Sources, &st.Targets, &st.MaxOut, &st.MaxIn}[r.IntN(4)]
		wedges := [...]*float64{&st.OutOut, &st.InIn, &st.InOut}[r.IntN(3)]
		switch r.IntN(8) {
		case 0:
			st.Reciprocal = !st.Reciprocal
		case 1:
			st.Parallel = !st.Parallel
		case 2:
			s.Shared = nil
		case 3:
			s.Shared = slices.DeleteFunc(s.Shared, func([2]csr.TypeID) bool { return r.IntN(2) == 0 })
		case 4:
			s.Triples = slices.DeleteFunc(s.Triples, func(csr.Triple) bool { return r.IntN(2) == 0 })
		case 5:
			for i := range s.Triples {
				s.Triples[i].Count = 1 + r.Uint64N(s.Types[s.Triples[i].Type].Edges)
			}
		case 6:
			*number = r.Uint64N(st.Edges + 1)
		default:
			*wedges = r.Float64() * float64(st.Edges*st.Edges)
		}
	}
	s.Degeneracy = uint32(r.Uint64N(d.Vertices + 1))
}
