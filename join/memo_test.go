package join

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// TestMemoTable keeps numbers for two vertices that share an entry, forgets them with the version, also where the stamp wraps around,
// and switches a table off that hardly ever hits.
func TestMemoTable(t *testing.T) {
	m := memoTable{entries: make([]memoEntry, 2)}
	put := func(v csr.VertexID, n uint64) {
		e, _ := m.find(int(v), v)
		*e = memoEntry{count: pattern.Count(n), v: v, stamp: m.stamp}
	}
	hit := func(v csr.VertexID) uint64 {
		if e, ok := m.find(int(v), v); ok {
			return e.count.Lo
		}
		return 0
	}
	m.renew(1)
	if hit(0) != 0 {
		t.Error("a new table has a number")
	}
	put(0, 7)
	put(1, 8)
	if hit(0) != 7 || hit(1) != 8 || hit(2) != 0 {
		t.Error("0, 1, 2:", hit(0), hit(1), hit(2))
	}
	put(2, 9)
	if hit(0) != 0 || hit(2) != 9 {
		t.Error("2 has not driven 0 out:", hit(0), hit(2))
	}
	m.renew(1)
	if hit(2) != 9 {
		t.Error("the same version forgets")
	}
	m.stamp = ^uint32(0)
	m.entries[1].stamp = 1
	m.renew(2)
	if m.stamp != 1 || hit(1) != 0 || hit(2) != 0 {
		t.Error("after the stamp wraps around:", m.stamp, hit(1), hit(2))
	}
	for v := csr.VertexID(0); !m.memoOff && v < 2*csr.VertexID(trialLookups); v++ {
		put(v, 1)
	}
	if !m.memoOff || m.lookups != trialLookups {
		t.Error("still on after", m.lookups, "lookups with", m.hits, "hits")
	}
}

// TestScatterTable adds lists up and clears the counts.
func TestScatterTable(t *testing.T) {
	s := scatterTable{counts: make([]uint32, 4)}
	s.add([]csr.VertexID{10, 12, 13}, 10)
	s.add([]csr.VertexID{12}, 10)
	if !slices.Equal(s.counts, []uint32{1, 0, 2, 1}) {
		t.Error(s.counts)
	}
	if s.clear(); !slices.Equal(s.counts, []uint32{0, 0, 0, 0}) || len(s.nonzero) > 0 {
		t.Error("not cleared:", s.counts, s.nonzero)
	}
}

// TestOwners finds the rival that has taken a vertex, among vertices that share a slot and steps that have left theirs.
func TestOwners(t *testing.T) {
	c := &program{p: &pattern.Pattern{Vertices: make([]pattern.Vertex, 3)}, job: &pattern.Job{}, steps: []step{{u: 2}, {u: 0}, {u: 1, rivals: 0b11}}}
	var x embedding
	x.init(c)
	x.set(0, 5)
	x.set(1, 5+ownerSlots)
	at := x.version(1)
	if st := &c.steps[2]; x.ownersOf(st, 5) != 1 || x.ownersOf(st, 5+ownerSlots) != 2 || x.ownersOf(st, 5+2*ownerSlots) != 0 {
		t.Error("owners of vertices in one slot:", x.ownersOf(st, 5), x.ownersOf(st, 5+ownerSlots), x.ownersOf(st, 5+2*ownerSlots))
	}
	x.set(1, 6)
	if st := &c.steps[2]; x.ownersOf(st, 5+ownerSlots) != 0 || x.ownersOf(st, 6) != 2 || x.version(1) == at {
		t.Error("after step 1 has moved on:", x.ownersOf(st, 5+ownerSlots), x.ownersOf(st, 6), x.version(1))
	}
	x.setAll([]csr.VertexID{1, 2, 3})
	if st := &c.steps[2]; x.ownersOf(st, 3) != 1 || x.ownersOf(st, 1) != 2 || x.ownersOf(st, 5) != 0 {
		t.Error("after setAll:", x.ownersOf(st, 3), x.ownersOf(st, 1), x.ownersOf(st, 5))
	}
}
