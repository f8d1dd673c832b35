package join_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// TestOneRelationship lists the relationships of random graphs from either end, with conditions that are tested on many matches, or that
// must be tested on each.
func TestOneRelationship(t *testing.T) {
	scanned := uint64(0)
	for seed := range rounds(1500) {
		rng := rand.New(rand.NewPCG(seed, 71))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(10), Edges: 1 + rng.IntN(60), Types: 1 + rng.IntN(2)})
		p := &pattern.Pattern{Vertices: make([]pattern.Vertex, 2), Edges: []pattern.Edge{{Name: "e", From: 0, To: 1}},
			Scopes: []pattern.Scope{{Mode: pattern.Mode(rng.IntN(3)), Vertices: []int{0, 1}, Edges: []int{0}, Order: []int{0, 1}}}}
		for u := range p.Vertices {
			if n := s.Labels.Len(); n > 0 && rng.IntN(3) == 0 {
				id := csr.LabelID(rng.IntN(n))
				p.Vertices[u].Labels = &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
			}
		}
		salt := csr.VertexID(rng.IntN(100))
		for range rng.IntN(3) {
			test := func(v []csr.VertexID, e []csr.EdgeID) (bool, error) {
				return (3*v[0]+v[1]+csr.VertexID(e[0])+salt)%4 > 0, nil
			}
			q := pattern.Predicate{Text: "both", Vertices: []int{0, 1}, Edges: []int{0}, Test: test, Sift: testgraph.SiftOf(test)}
			if rng.IntN(2) == 0 {
				test := func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) { return (v[0]+2*v[1]+salt)%3 > 0, nil }
				q = pattern.Predicate{Text: "nodes", Vertices: []int{0, 1}, Test: test, Sift: testgraph.SiftOf(test)}
			}
			if salt%7 == 0 {
				q.Sift = nil
			}
			p.Predicates = append(p.Predicates, q)
		}
		j := &pattern.Job{Snapshot: s, Pattern: p, Vertices: make([]csr.VertexID, 2), Edges: make([]csr.EdgeID, 1)}
		var err error
		if j.Candidates, err = filter.Run(context.Background(), s, p, &pattern.Env{}); err != nil {
			t.Fatal(err)
		}
		var restore func()
		if seed%3 > 0 {
			restore = join.Tiny(seed / 3)
		}
		j.Order = randomOrder(rng, p)
		env := &pattern.Env{Workers: 1 + int(seed%2), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
		if rng.IntN(2) == 0 {
			env.Without = env.Without.With(pattern.EdgeScan)
		}
		checkIn(t, fmt.Sprintf("seed %d", seed), j, env)
		scanned += env.Tally.Taken[pattern.EdgeScan].Load()
		if restore != nil {
			restore()
		}
	}
	if scanned < rounds(1500) {
		t.Errorf("%d relationships scanned", scanned)
	}
}
