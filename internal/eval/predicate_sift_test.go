package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/lang"
)

// TestSift compares tests of many matches with tests of each.
func TestSift(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	terms := []string{"a.x", "b.x", "e.x", "f.x", "b.mixed", "f.mixed", "f.name", "2", "1.5", "-1", "9223372036854775807"}
	var term func(depth int) string
	term = func(depth int) string {
		if depth > 0 && rng.IntN(3) == 0 {
			return fmt.Sprintf("(%s %s %s)", term(depth-1), []string{"+", "-", "*", "/", "%"}[rng.IntN(5)], term(depth-1))
		}
		return terms[rng.IntN(len(terms))]
	}
	sifted, kept, refused := 0, 0, 0
	for round := range 4000 {
		s := testgraph.Random(seed+uint64(round/10), testgraph.Options{Vertices: 6, Edges: 12})
		text := fmt.Sprintf("%s %s %s", term(2), []string{"=", "<>", "<", "<=", ">", ">="}[rng.IntN(6)], term(2))
		p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}}, Edges: []pattern.Edge{{Name: "e", From: 0, To: 1}, {Name: "f", From: 0, To: 1}},
			Predicates: []pattern.Predicate{{Text: text, Vertices: []int{0, 1}, Edges: []int{0, 1}}}}
		p, err := tests(s, nil, p, []lang.Expr{parseExpr(t, text)})
		if err != nil {
			t.Fatal(err)
		}
		q := p.Predicates[0]
		if q.Sift == nil { // a value may be a list
			continue
		}
		m := &pattern.Alike{Vertices: []csr.VertexID{csr.VertexID(rng.IntN(int(s.N()))), csr.NoVertex}, Edges: []csr.EdgeID{anyEdge(s, rng), anyEdge(s, rng)}, Vertex: 1, Edge: -1}
		if rng.IntN(2) == 0 {
			m.Edge, m.Edges[1] = 1, csr.NoEdge
		}
		keep, both := make([]bool, 1+rng.IntN(8)), rng.IntN(3) == 0
		for i := range keep {
			if both {
				m.Others = append(m.Others, csr.VertexID(rng.IntN(int(s.N()))))
			}
			keep[i] = rng.IntN(4) > 0
			m.At = append(m.At, csr.VertexID(rng.IntN(int(s.N()))))
			if m.Edge >= 0 {
				m.Over = append(m.Over, anyEdge(s, rng))
			}
		}
		before := slices.Clone(keep)
		if !q.Sift(m, keep) {
			if refused++; !slices.Equal(before, keep) {
				t.Fatalf("seed %d, round %d, %s: %v became %v", seed, round, text, before, keep)
			}
			continue
		}
		sifted++
		for i, v := range m.At {
			edges := []csr.EdgeID{m.Edges[0], m.Edges[1]}
			if m.Edge >= 0 {
				edges[1] = m.Over[i]
			}
			other := m.Vertices[0]
			if both {
				other = m.Others[i]
			}
			want, err := q.Test([]csr.VertexID{other, v}, edges)
			if err != nil || keep[i] != (want && before[i]) {
				t.Fatalf("seed %d, round %d, %s, match %d: kept %v of %v, want %v (%v)", seed, round, text, i, keep, before, want, err)
			}
			if keep[i] {
				kept++
			}
		}
	}
	t.Logf("%d sifted, %d kept, %d refused", sifted, kept, refused)
	if sifted < 1000 || kept < 500 || refused < 200 {
		t.Error("too few to mean anything")
	}
}

func anyEdge(s *csr.Snapshot, rng *rand.Rand) csr.EdgeID {
	all := slices.Collect(s.AllEdges())
	return all[rng.IntN(len(all))]
}
