package csr

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Stable ids that are read one by one, looked for one by one, or read all are the same; each way has its limit.
func TestLateIDs(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 18))
	const n = 5000
	ids := make([]NodeID, n)
	for i, id := range rng.Perm(2 * n)[:n] {
		ids[i] = NodeID(id)
	}
	var all, one, sought int
	b := NewBuilder()
	for range n {
		b.AddVertex()
	}
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	plain := s.Data
	plain.NodeIDs, plain.NextNode = ids, 2*n
	late := s.Data
	late.NodeIDs, late.NextNode = nil, 2*n
	damage := errors.New("damage")
	var broken error
	late.SetLateNodeIDs(LateIDs[NodeID]{
		All: func() ([]NodeID, error) { all++; return slices.Clone(ids), broken },
		One: func(i uint64) (NodeID, error) { one++; return ids[i], broken },
		Find: func(id NodeID) (uint64, bool, error) {
			sought++
			i := slices.Index(ids, id)
			return uint64(i), i >= 0, broken
		},
		Fault: func(err error) error { return err },
	})
	x, want := newSnapshot(late), newSnapshot(plain)
	same := func(rounds int) {
		t.Helper()
		for range rounds {
			v, id := VertexID(2+rng.IntN(n-2)), NodeID(rng.IntN(2*n+5)) // not 1: its id is read after the damage, and an id that was read stays
			if x.NodeID(v) != want.NodeID(v) {
				t.Fatalf("seed %d: vertex %d has the id %d, want %d", seed, v, x.NodeID(v), want.NodeID(v))
			}
			a, ok := x.VertexByNodeID(id)
			b, there := want.VertexByNodeID(id)
			if ok != there || ok && a != b {
				t.Fatalf("seed %d: id %d is of vertex %d (%v), want %d (%v)", seed, id, a, ok, b, there)
			}
			few := []VertexID{v, VertexID(2 + rng.IntN(n-2))}
			if got := AppendNodeIDs(nil, x, few); !slices.Equal(got, AppendNodeIDs(nil, want, few)) {
				t.Fatalf("seed %d: vertices %v have the ids %v", seed, few, got)
			}
		}
	}
	if same(mostSoughtIDs); all != 0 || one == 0 || sought != mostSoughtIDs {
		t.Errorf("%d, %d and %d calls for few ids", all, one, sought)
	}
	for _, use := range []func(){func() { x.NodeID(1) }, func() { AppendNodeIDs(nil, x, []VertexID{1}) }} {
		broken = damage
		func() {
			defer func() {
				if fault, ok := recover().(*Fault); !ok || !errors.Is(fault.Err, damage) {
					t.Error("no fault")
				}
			}()
			use()
		}()
		broken = nil
	}
	if same(2000); all != 1 || one > mostSingleIDs || sought != mostSoughtIDs {
		t.Errorf("%d, %d and %d calls for many ids", all, one, sought)
	}
}
