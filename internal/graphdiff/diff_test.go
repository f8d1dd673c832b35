package graphdiff

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// plan is a graph that can be built in any order of its parts, and changed.
type plan struct {
	labels [][]string
	props  []map[string]csr.Cell
	rels   []planRel
}

type planRel struct {
	from, to int
	typ      string
	props    map[string]csr.Cell
}

func randomPlan(rng *rand.Rand) *plan {
	p := &plan{}
	n := 1 + rng.IntN(12)
	values := []csr.Cell{csr.IntCell(1), csr.FloatCell(1), csr.StringCell("1"), csr.FloatCell(math.NaN()), csr.BoolCell(true)}
	props := func() map[string]csr.Cell {
		m := make(map[string]csr.Cell)
		if rng.IntN(3) == 0 {
			m[[]string{"a", "b"}[rng.IntN(2)]] = values[rng.IntN(len(values))]
		}
		return m
	}
	for range n {
		p.labels = append(p.labels, [][]string{nil, nil, {"A"}, {"A", "B"}}[rng.IntN(4)])
		p.props = append(p.props, props())
	}
	for range rng.IntN(2 * n) {
		p.rels = append(p.rels, planRel{rng.IntN(n), rng.IntN(n), []string{"T", "U"}[rng.IntN(2)], props()})
	}
	return p
}

// build adds nodes and relationships in the order of a permutation; ids says whether nodes keep theirs.
func (p *plan) build(t *testing.T, rng *rand.Rand, ids bool) *csr.Snapshot {
	b := csr.NewBuilder()
	at := make([]uint32, len(p.labels))
	for _, i := range rng.Perm(len(p.labels)) {
		var labels []csr.LabelID
		for _, l := range p.labels[i] {
			labels = append(labels, b.Label(l))
		}
		at[i] = b.AddVertex(labels...)
		for k, c := range p.props[i] {
			b.SetVertex(at[i], b.Key(k), c)
		}
		if ids {
			b.SetNodeID(at[i], csr.NodeID(i))
		}
	}
	for _, i := range rng.Perm(len(p.rels)) {
		r := p.rels[i]
		e := b.AddEdge(at[r.from], at[r.to], b.Type(r.typ))
		for k, c := range r.props {
			b.SetEdge(e, b.Key(k), c)
		}
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// isomorphic tries every assignment: the oracle for comparisons up to ids.
func isomorphic(p, q *plan) bool {
	n := len(p.labels)
	if n != len(q.labels) || len(p.rels) != len(q.rels) {
		return false
	}
	bag := func(x *plan, to []int) map[string]int {
		m := make(map[string]int)
		for i := range x.labels {
			m[fmt.Sprint("node", to[i], x.labels[i], cells(x.props[i]))]++
		}
		for _, r := range x.rels {
			m[fmt.Sprint("rel", to[r.from], to[r.to], r.typ, cells(r.props))]++
		}
		return m
	}
	same := make([]int, n)
	for i := range same {
		same[i] = i
	}
	want := bag(q, same)
	used, to := make([]bool, n), make([]int, n)
	var try func(i int) bool
	try = func(i int) bool {
		if i == n {
			have := bag(p, to)
			for k, c := range have {
				if want[k] != c {
					return false
				}
			}
			return true
		}
		for j := range n {
			if !used[j] && fmt.Sprint(p.labels[i], cells(p.props[i])) == fmt.Sprint(q.labels[j], cells(q.props[j])) {
				used[j], to[i] = true, j
				if try(i + 1) {
					return true
				}
				used[j] = false
			}
		}
		return false
	}
	return try(0)
}

func cells(m map[string]csr.Cell) string {
	text := ""
	for _, k := range []string{"a", "b"} {
		if c, ok := m[k]; ok {
			text += fmt.Sprint(k, c)
		}
	}
	return text
}

// change returns a copy with one thing changed.
func (p *plan) change(rng *rand.Rand) *plan {
	q := &plan{labels: append([][]string(nil), p.labels...), props: append([]map[string]csr.Cell(nil), p.props...), rels: append([]planRel(nil), p.rels...)}
	i := rng.IntN(len(q.labels))
	switch k := rng.IntN(5); {
	case k == 0:
		q.labels[i] = []string{"New"}
	case k == 1:
		q.props[i] = map[string]csr.Cell{"a": csr.IntCell(77)}
	case k == 2 && len(q.rels) > 0:
		q.rels = q.rels[1:]
	case k == 3 && len(q.rels) > 0:
		q.rels[0].from = i
	default:
		q.rels = append(q.rels, planRel{i, rng.IntN(len(q.labels)), "T", nil})
	}
	return q
}

func TestCompareRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range 400 {
		p := randomPlan(rng)
		if len(p.labels) > 6 {
			p.labels, p.props, p.rels = p.labels[:6], p.props[:6], nil
			for range rng.IntN(8) {
				p.rels = append(p.rels, planRel{rng.IntN(6), rng.IntN(6), "T", nil})
			}
		}
		q := p.change(rng)
		a := p.build(t, rng, true)
		for by, ids := range map[string]bool{ByID: true, ByStructure: false, "": false} {
			if r, err := Compare(t.Context(), a, p.build(t, rng, ids), Options{By: by}); err != nil || !r.Equal {
				t.Fatalf("case %d of seed %d by %q: a graph differs from itself: %v %+v", i, seed, by, err, r)
			}
		}
		r, err := Compare(t.Context(), a, q.build(t, rng, true), Options{By: ByID})
		if err != nil || r.Equal != (fmt.Sprint(describe(p)) == fmt.Sprint(describe(q))) {
			t.Fatalf("case %d of seed %d by id: %v %+v\n%+v\n%+v", i, seed, err, r, p, q)
		}
		if want := isomorphic(p, q); true {
			r, err := Compare(t.Context(), a, q.build(t, rng, false), Options{By: ByStructure})
			if err != nil || r.Equal != want || !want && (r.Total() == 0 || len(r.List) == 0) {
				t.Fatalf("case %d of seed %d up to ids: %v %+v, want %v\n%+v\n%+v", i, seed, err, r, want, p, q)
			}
		}
	}
}

// describe is the graph with its ids, whatever the order of relationships.
func describe(p *plan) map[string]int {
	m := make(map[string]int)
	for i := range p.labels {
		m[fmt.Sprint("node", i, p.labels[i], cells(p.props[i]))]++
	}
	for _, r := range p.rels {
		m[fmt.Sprint("rel", r.from, r.to, r.typ, cells(r.props))]++
	}
	return m
}

// Regular graphs, which colours do not tell apart: a ring of six is not two rings of three, but is itself turned round.
func TestCompareRegular(t *testing.T) {
	ring := func(sizes ...int) *plan {
		p := &plan{}
		for _, n := range sizes {
			first := len(p.labels)
			for i := range n {
				p.labels, p.props = append(p.labels, nil), append(p.props, nil)
				p.rels = append(p.rels, planRel{first + i, first + (i+1)%n, "T", nil})
			}
		}
		return p
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		a, b []int
		want bool
	}{{[]int{6}, []int{6}, true}, {[]int{6}, []int{3, 3}, false}, {[]int{3, 3}, []int{3, 3}, true}, {[]int{40, 40}, []int{40, 40}, true}} {
		r, err := Compare(t.Context(), ring(c.a...).build(t, rng, false), ring(c.b...).build(t, rng, false), Options{By: ByStructure})
		if err != nil || r.Equal != c.want {
			t.Errorf("rings of %v and %v: %v %+v", c.a, c.b, err, r)
		}
	}
	many := ring(1)
	for range 5000 {
		many.labels, many.props = append(many.labels, nil), append(many.props, nil)
		many.rels = append(many.rels, planRel{0, len(many.labels) - 1, "T", nil})
	}
	if r, err := Compare(t.Context(), many.build(t, rng, false), many.build(t, rng, false), Options{By: ByStructure}); err != nil || !r.Equal {
		t.Errorf("a star: %v %+v", err, r)
	}
}

func TestCompareReport(t *testing.T) {
	build := func(fn func(b *csr.Builder)) *csr.Snapshot {
		b := csr.NewBuilder()
		fn(b)
		s, _, err := b.Build(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a := build(func(b *csr.Builder) {
		b.AddVertices(2, b.Label("Person"))
		b.AddVertex()
		b.SetVertex(0, b.Key("name"), csr.StringCell("Ana"))
		b.SetVertex(0, b.Key("age"), csr.IntCell(5))
		b.AddEdge(0, 1, b.Type("KNOWS"))
		b.SetEdge(0, b.Key("since"), csr.IntCell(2000))
		b.AddEdge(1, 2, b.Type("LIKES"))
	})
	b := build(func(b *csr.Builder) {
		b.AddVertices(2, b.Label("Human"))
		b.SetVertex(0, b.Key("name"), csr.StringCell("Bo"))
		b.SetVertex(0, b.Key("age"), csr.FloatCell(5))
		b.SetVertex(0, b.Key("x"), csr.BoolCell(true))
		b.External("P", 1, csr.IntCell(9))
		b.AddEdge(0, 1, b.Type("KNOWS"))
		b.AddEdge(1, 1, b.Type("KNOWS"))
	})
	r, err := Compare(t.Context(), a, b, Options{By: ByID})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range r.List {
		lines = append(lines, d.String())
	}
	want := `~ (0:Person {age: 5, name: 'Ana'}): labels :Person -> :Human, age: 5 -> 5.0, name: 'Ana' -> 'Bo', x added: true
~ (1:Person): labels :Person -> :Human, external ids none -> "P"=9
- (2)
~ (0)-[:KNOWS {since: 2000}]->(1): since removed: 2000
- (1)-[:LIKES]->(2)
+ (1)-[:KNOWS]->(1)`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r, err = Compare(t.Context(), a, b, Options{By: ByID, Limit: 2}); err != nil || len(r.List) != 2 || r.Total() != 6 {
		t.Errorf("%v %+v", err, r)
	}
	if _, err := Compare(t.Context(), a, b, Options{By: ByExternal}); err == nil {
		t.Error("compared by external ids that are not there")
	}
	if _, err := Compare(t.Context(), a, b, Options{By: "name"}); err == nil || errors.Is(err, ErrUndecided) {
		t.Error(err)
	}
}
