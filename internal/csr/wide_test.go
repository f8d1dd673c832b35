package csr

import (
	"fmt"
	"testing"
	"time"
)

// TestWideElements replays changes with many keys, as a hostile log may hold: many properties of one node, and many nodes with a
// key of their own. Neither takes a time that grows with the square of them.
func TestWideElements(t *testing.T) {
	base, err := New(Data{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 5_000
	changes := []Change{{Kind: CreateNode, ID: 0}}
	for i := range uint64(n) {
		changes = append(changes, Change{Kind: SetNodeProps, ID: 0, Props: []Prop{{Key: fmt.Sprint("a", i), Value: IntCell(int64(i))}}},
			Change{Kind: CreateNode, ID: 1 + i, Props: []Prop{{Key: fmt.Sprint("a", i), Value: IntCell(int64(i))}}})
	}
	start := time.Now()
	s, err := Replay(t.Context(), base, changes)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	for i := range uint64(n) {
		k, _ := s.Keys.Lookup(fmt.Sprint("a", i))
		a, _ := s.VertexByNodeID(0)
		b, _ := s.VertexByNodeID(NodeID(1 + i))
		for _, v := range []VertexID{a, b} {
			if c, ok := s.VertexProp(v, KeyID(k)); !ok || c != IntCell(int64(i)) {
				t.Fatalf("property a%d of vertex %d is %v, %t", i, v, c, ok)
			}
		}
	}
}
