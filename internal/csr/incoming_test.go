package csr_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// TestIncidentRows compares the rows of relationships that leave a vertex and that enter it with Relationships, in flat graphs and after
// changes.
func TestIncidentRows(t *testing.T) {
	flat, changed := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 6))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(10), Edges: 1 + rng.IntN(40)})
		if rng.IntN(3) == 0 {
			s = testgraph.Changed(seed, s, false)
		}
		for i := range s.Types.Len() {
			of := csr.TypeID(i)
			check := func(row csr.IncidentRow, v csr.VertexID, dir csr.Direction) {
				found := map[csr.VertexID][]csr.EdgeID{}
				if !slices.IsSorted(row.Ends) {
					t.Fatalf("seed %d: %v does not rise", seed, row.Ends)
				}
				for i, w := range row.Ends {
					found[w] = append(found[w], row.ID(i))
				}
				for w := range csr.VertexID(s.N()) {
					slices.Sort(found[w])
					if want := s.Relationships(nil, v, w, csr.TypeSet{of}, dir); !slices.Equal(found[w], want) {
						t.Fatalf("seed %d: relationships of %d %v to %d: %v, want %v", seed, v, dir, w, found[w], want)
					}
				}
			}
			known := csr.KnownIncoming(s, of)
			incoming := csr.IncomingOf(t.Context(), s, of, 1+rng.IntN(2))
			if known != nil || (incoming == nil) != (csr.IncomingBytes(s, of) == 0) || csr.KnownIncoming(s, of) != incoming {
				t.Fatalf("seed %d: %v known before, %v made", seed, known, incoming)
			}
			for v := range csr.VertexID(s.N()) {
				check(s.Rels(of).Outgoing(v), v, csr.Out)
				if incoming == nil {
					changed++
					continue
				}
				flat++
				check(incoming.Row(v), v, csr.In)
			}
		}
	}
	if flat == 0 || changed == 0 {
		t.Errorf("%d rows of flat graphs, %d of others", flat, changed)
	}
}
