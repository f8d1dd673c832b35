package csr

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// lateSnapshot is s with relationships that are decoded late. decoded counts how often, by type.
func lateSnapshot(t *testing.T, s *Snapshot) (late *Snapshot, decoded []int) {
	t.Helper()
	d := s.Data
	d.Rels = slices.Clone(d.Rels)
	decoded = make([]int, len(d.Rels))
	for i := range d.Rels {
		r := d.Rels[i]
		d.Rels[i] = LateRels(r.First, r.Lo, r.Len(), 10, func() ([]uint64, []VertexID, error) {
			decoded[i]++
			return r.Offsets, r.Targets, nil
		}, func(err error) error { return err })
	}
	late, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return late, decoded
}

// sameRels compares the relationships of two graphs, seen in several ways.
func sameRels(t *testing.T, seed uint64, a, b *Snapshot) {
	t.Helper()
	if !slices.Equal(slices.Collect(a.AllEdges()), slices.Collect(b.AllEdges())) {
		t.Errorf("seed %d: the relationships differ", seed)
	}
	for e := range a.AllEdges() {
		v, w := a.Endpoints(e)
		if x, y := b.Endpoints(e); v != x || w != y || a.TypeOf(e) != b.TypeOf(e) {
			t.Errorf("seed %d: relationship %d is from %d to %d, want %d to %d", seed, e, x, y, v, w)
		}
		if !slices.Equal(a.Relationships(nil, v, w, nil, Both), b.Relationships(nil, v, w, nil, Both)) {
			t.Errorf("seed %d: other relationships join %d and %d", seed, v, w)
		}
	}
	for typ := range TypeID(a.Types.Len()) {
		for _, dir := range []Direction{Out, In, Both} {
			for v := range VertexID(a.N()) {
				if !slices.Equal(a.Adjacency(TypeSet{typ}, dir).Neighbours(v), b.Adjacency(TypeSet{typ}, dir).Neighbours(v)) {
					t.Errorf("seed %d: other neighbours of %d", seed, v)
				}
			}
		}
		f, g := a.FlatRels(TypeSet{typ})[typ], b.FlatRels(TypeSet{typ})[typ]
		if !slices.Equal(f.Targets, g.Targets) || !slices.Equal(f.Offsets, g.Offsets) || f.Len() != g.Len() {
			t.Errorf("seed %d: the flat relationships of type %d differ", seed, typ)
		}
	}
}

// TestLateRels compares random graphs with graphs whose relationships are decoded late: from several goroutines at once, as the base of
// a change, and with a subset.
func TestLateRels(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 9))
	for range 30 {
		_, s := randomPlain(t, rng)
		s, err := s.Compact(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		late, decoded := lateSnapshot(t, s)
		if slices.Max(append(decoded, 0)) > 0 {
			t.Fatalf("seed %d: New decodes", seed)
		}
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() { sameRels(t, seed, s, late) })
		}
		wait.Wait()
		if slices.Max(append(decoded, 0)) > 1 {
			t.Fatalf("seed %d: decoded %d times", seed, decoded)
		}
		if s.N() == 0 || s.Types.Len() == 0 {
			continue
		}
		v, w := VertexID(rng.Uint64N(s.N())), VertexID(rng.Uint64N(s.N()))
		again, _ := lateSnapshot(t, s)
		var changed [2]*Snapshot
		for i, base := range []*Snapshot{s, again} {
			d := base.Draft()
			if _, err := d.CreateRel(s.Types.Name(0), v, w, nil); err != nil {
				t.Fatal(err)
			}
			if changed[i], err = d.Snapshot(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		sameRels(t, seed, changed[0], changed[1])
		again, _ = lateSnapshot(t, s)
		all := func() func(EdgeID) (bool, error) { return func(e EdgeID) (bool, error) { return e%2 == 0, nil } }
		var with [2]*Snapshot
		for i, base := range []*Snapshot{s, again} {
			if with[i], err = WithSubsets(context.Background(), base, []Subset{{Type: 0, Test: all}}, 2, func(int64) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		sameRels(t, seed, with[0], with[1])
	}
}

// TestLateRelsFault has relationships that do not decode, or are not those of the statistics: each use panics with a *Fault.
func TestLateRelsFault(t *testing.T) {
	_, s := randomPlain(t, rand.New(rand.NewPCG(1, 1)))
	s, err := s.Compact(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for i, decode := range []func() ([]uint64, []VertexID, error){
		func() ([]uint64, []VertexID, error) { return nil, nil, broken },
		func() ([]uint64, []VertexID, error) { return nil, nil, nil },
		func() ([]uint64, []VertexID, error) {
			r := s.Rels(0)
			targets := slices.Clone(r.Targets)
			targets[0] = VertexID(s.N())
			return r.Offsets, targets, nil
		},
	} {
		d := s.Data
		d.Rels = slices.Clone(d.Rels)
		d.Rels[0] = LateRels(d.Rels[0].First, d.Rels[0].Lo, d.Rels[0].Len(), 1, decode, func(err error) error { return errors.Join(broken, err) })
		late, err := New(d)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			func() {
				defer func() {
					if fault, ok := recover().(*Fault); !ok || !errors.Is(fault, broken) {
						t.Errorf("case %d: panic %v", i, fault)
					}
				}()
				late.Rels(0)
			}()
		}
	}
}
