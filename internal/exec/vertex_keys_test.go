package exec

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

// TestVertexKeysMerged has a node come up in a batch after a merge has given it a number. It keeps that number, also where each node has a value of
// its own: then batches once numbered such a node anew, and a group came twice.
func TestVertexKeysMerged(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 9, Edges: 9, Types: 1})
	x, account := &execution{s: s, columns: make([]Column, 1)}, eval.NewAccount(nil, "test")
	k := &vertexKeys{x: x, account: account, nodes: []vertexKey{{columns: []int{0}, unique: true, codes: make([]uint32, s.N()+1), scratch: make([]value.Value, 1),
		single: eval.NewDictionary(account)}}}
	batch := func(nodes ...csr.VertexID) []uint32 {
		x.columns[0] = Column{Kind: NodeColumn, Vertices: nodes}
		ids, err := k.numberBatch(len(nodes))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(ids)
	}
	merge := func(v csr.VertexID) uint32 {
		id, _, err := k.add([]value.Value{value.OfNode(v)})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	got := append(batch(3, 5, 3), merge(7), merge(5))
	got = append(got, batch(7, 8, 5, 7)...)
	if want := []uint32{0, 1, 0, 2, 1, 2, 3, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
	}
}
