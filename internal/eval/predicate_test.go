package eval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// TestPredicates compares the tests of patterns, fast paths included, with the plain evaluation of the same expression. It
// does so on every pair of vertices of random graphs.
func TestPredicates(t *testing.T) {
	constants := []string{"0", "1", "2", "3", "1.0", "1.5", "'a'", "'b'", "true", "null", "[1]", "$p", "-1", "1 / 0"}
	operators := []string{"=", "<>", "<", "<=", ">", ">="}
	subjects := []string{"a.x", "a.name", "a.mixed", "b.x", "a.ghost", "e.x", "e.name", "id(a)", "id(e)", "b.mixed", "size(a.name)"}
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}, {}}, Edges: []pattern.Edge{{Name: "e", From: 0, To: 1}, {From: 0, To: 1}}}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 6, Edges: 12})
		params := map[string]value.Value{"p": value.OfInt(int64(rng.IntN(4)))}
		for range 20 {
			l, r := subjects[rng.IntN(len(subjects))], constants[rng.IntN(len(constants))]
			if rng.IntN(4) == 0 {
				r = subjects[rng.IntN(len(subjects))]
			}
			if rng.IntN(2) == 0 {
				l, r = r, l
			}
			text := fmt.Sprintf("%s %s %s", l, operators[rng.IntN(len(operators))], r)
			if rng.IntN(5) == 0 {
				text = "NOT " + text
			}
			comparePredicate(t, seed, s, p, text, params)
		}
	}
}

func tests(s *csr.Snapshot, params map[string]value.Value, p *pattern.Pattern, exprs []lang.Expr) (*pattern.Pattern, error) {
	p, _, err := NewCompiler(&Runtime{Snapshot: s, Params: params}).Tests(p, exprs)
	return p, err
}

func comparePredicate(t *testing.T, seed uint64, s *csr.Snapshot, p *pattern.Pattern, text string, params map[string]value.Value) {
	t.Helper()
	x := parseExpr(t, text)
	p.Predicates = []pattern.Predicate{{Text: text}}
	q, err := tests(s, params, p, []lang.Expr{x})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if p.Predicates[0].Test != nil {
		t.Fatal("the plan's own pattern was changed")
	}
	for v := range s.N() {
		for e := range s.AllEdges() {
			w := csr.VertexID((v + 1) % s.N())
			got, gotErr := q.Predicates[0].Test([]csr.VertexID{csr.VertexID(v), w, csr.NoVertex}, []csr.EdgeID{e, csr.NoEdge})
			row := map[string]value.Value{"a": value.OfNode(csr.VertexID(v)), "b": value.OfNode(w), "e": value.OfRel(e)}
			k, err := evaluate(s, x, row, params)
			want := false
			if err == nil {
				want, err = Holds(k, x)
			}
			if got != want || fmt.Sprint(gotErr) != fmt.Sprint(err) {
				t.Fatalf("seed %d, %s, v %d, e %d: %v (%v), want %v (%v)", seed, text, v, e, got, gotErr, want, err)
			}
		}
	}
}

func TestPredicateErrors(t *testing.T) {
	s := society(t)
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}}, Predicates: []pattern.Predicate{{}}}
	q, err := tests(s, nil, p, []lang.Expr{parseExpr(t, "a.name")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Predicates[0].Test([]csr.VertexID{societyVars(s)["n0"].Node()}, nil); err == nil {
		t.Error("a string passed as a condition")
	}
	if _, err := tests(s, nil, p, []lang.Expr{parseExpr(t, "a.x = $p")}); err == nil {
		t.Error("a missing parameter was not noticed")
	}
}

// TestFastPredicatesDoNotAllocate: these run once per vertex of the graph.
func TestFastPredicatesDoNotAllocate(t *testing.T) {
	s := society(t)
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}}, Predicates: []pattern.Predicate{{}}}
	for _, text := range []string{"a.age > 20", "a.name = 'Ann'", "id(a) = 2", "a.age = b.age", "a.name STARTS WITH 'A' AND b.age < 3"} {
		q, err := tests(s, nil, p, []lang.Expr{parseExpr(t, text)})
		if err != nil {
			t.Fatal(err)
		}
		vertices := []csr.VertexID{0, 1}
		if n := testing.AllocsPerRun(200, func() { _, _ = q.Predicates[0].Test(vertices, nil) }); n >= 1 {
			t.Errorf("%s: %.0f allocations", text, n)
		}
	}
}

func BenchmarkPredicate(b *testing.B) {
	s := society(b)
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}}, Predicates: []pattern.Predicate{{}}}
	for _, text := range []string{"a.age > 20", "a.age * 2 > 40", "a.name = 'Ann'", "a.name CONTAINS 'n'"} {
		q, err := tests(s, nil, p, []lang.Expr{parseExpr(b, text)})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			vertices := []csr.VertexID{0}
			for b.Loop() {
				_, _ = q.Predicates[0].Test(vertices, nil)
			}
		})
	}
}
