package exec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

// pathQueries writes queries with a path of variable length between two patterns of fixed length: conditions pin nodes of both, or compare
// the ends, and the rows are listed, counted, grouped or counted once.
type pathQueries struct{ *rand.Rand }

func (g pathQueries) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g pathQueries) node(name string) string {
	pin := ""
	if g.IntN(3) == 0 {
		pin = fmt.Sprintf(" {x: %d}", g.IntN(3))
	}
	return "(" + name + g.pick("", "", "", ":A", ":B", ":!A") + pin + ")"
}

func (g pathQueries) rel() string {
	kind := g.pick("", ":R", ":S", ":R|S")
	return g.pick("-["+kind+"]->", "<-["+kind+"]-", "-["+kind+"]-")
}

func (g pathQueries) query() string {
	bound := g.pick("*1..3", "*1..2", "*0..2", "*", "*0..", "*2..3", "*1..4")
	mode := g.pick("", "", "", "DIFFERENT NODES ", "DIFFERENT RELATIONSHIPS ", "REPEATABLE ELEMENTS ")
	if strings.HasPrefix(mode, "REP") && (bound == "*" || bound == "*0..") {
		bound = "*1..3"
	}
	kind := g.pick("", ":R", ":S")
	far := g.pick("-["+kind+bound+"]->", "<-["+kind+bound+"]-", "-["+kind+bound+"]-")
	path, measure := "", ""
	switch g.IntN(3) {
	case 0: // a path of its own, selected or not, between nodes of other paths
		selector := g.pick("", "ANY SHORTEST ", "ALL SHORTEST ", "SHORTEST 2 GROUPS ")
		parts := []string{"p = " + selector + g.node("a") + far + g.node("b")}
		if g.IntN(2) == 0 {
			parts = append(parts, g.node("a")+g.rel()+g.node("c"))
		}
		if g.IntN(2) == 0 {
			parts = append(parts, g.node("b")+g.rel()+g.node("d"))
		}
		g.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		path = strings.Join(parts, ", ")
		measure = "length(p)"
	case 1:
		path = g.node("c") + g.rel() + g.node("a") + far + g.node("b") + g.rel() + g.node("d")
	default:
		path = g.node("a") + far + g.node("b") + g.rel() + g.node("d") + g.pick("", g.rel()+g.node("e"))
	}
	text := g.pick("MATCH ", "MATCH ", "MATCH ", "OPTIONAL MATCH ", "MATCH (a:A) OPTIONAL MATCH ") + mode + path
	switch g.IntN(4) {
	case 0:
		text += " WHERE " + g.pick("a <> b", "a.x <> b.x", "a.x < b.x", "a = b", "b.x > 0", "a.x = b.x", "NOT a:A OR b:B")
	case 1:
		text += " WHERE " + g.pick("a <> b", "a.x <> b.x", "a.x < b.x") + " AND " + g.pick("a.x = 1", "b.x = 1", "b.x <= 1")
	}
	switch {
	case measure != "" && g.IntN(4) == 0:
		text += g.pick(" WITH p, a, b WHERE length(p) > 1", " WITH p AS q, a, b MATCH (b)-->(z) WITH q AS p, a, b", " WITH DISTINCT p, a, b", " WITH length(p) AS m, p, a, b WHERE m <> 1",
			" WITH * WHERE EXISTS { MATCH (b)-[*1..2]->(x) WHERE length(p) > 0 }", " WITH * WHERE COUNT { MATCH q = (b)-[*1..2]->() WHERE length(q) >= length(p) } > 0")
	case g.IntN(6) == 0:
		text += g.pick(" MATCH (b)-[*1..2]-(y)", " MATCH (y)-->(b)", " WITH a, b WHERE EXISTS { MATCH (b)-[*1..2]->(x)-->() }", " WITH a, b ORDER BY a, b LIMIT 3")
		measure = ""
	}
	if measure != "" && g.IntN(2) == 0 {
		return text + " RETURN " + g.pick(measure+" AS n, count(*) AS c", "DISTINCT "+measure+" AS n", "b, min("+measure+") AS n", "a, b, "+measure+" + 1 AS n",
			"sum("+measure+") AS n, size(relationships(p)) AS m", "a, "+measure+" AS n, count(DISTINCT b) AS c", "max("+measure+") AS n, count(p) AS c")
	}
	return text + " RETURN " + g.pick("count(*) AS n", "DISTINCT a, b", "DISTINCT b", "DISTINCT a.x AS n", "a, count(DISTINCT b) AS n", "count(DISTINCT b) AS n",
		"b.x AS n, count(*) AS c", "a, b, count(*) AS n", "min(b.x) AS n, max(a.x) AS m", "a, b", "a.x AS n, count(DISTINCT b.x) AS c, count(*) AS d", "sum(b.x) AS n", "size(collect(b.x)) AS n")
}

// TestPathPlans compares queries with a path between patterns with what the interpreter of clauses gives.
func TestPathPlans(t *testing.T) {
	compareRandom(t, 67, func(seed uint64, rng *rand.Rand) (*csr.Snapshot, string, []answerWay) {
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(4), Edges: 2 + rng.IntN(7), Labels: 2, Types: 2})
		if rng.IntN(3) == 0 {
			s = indexed(testgraph.Changed(seed, s, rng.IntN(2) == 0))
		}
		return s, pathQueries{rng}.query(), []answerWay{
			{"brute", &query{s: s, brute: true}}, {"brute search", &query{s: s}}, {"on the CPU", &query{s: s, device: onCPU{}}},
			{"two workers", &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 2}}},
		}
	})
}

// social returns a graph of people who know one another, with messages and tags, and a place that few of them live in.
func social(b *testing.B, people uint32) *csr.Snapshot {
	c := csr.NewBuilder()
	r := rand.New(rand.NewPCG(1, 1))
	person := c.AddVertices(int(people), c.Label("Person"))
	message := c.AddVertices(8*int(people), c.Label("Message"))
	tag := c.AddVertices(200, c.Label("Tag"))
	place := c.AddVertices(100, c.Label("Place"))
	x := c.Key("x")
	for v := range 9*people + 300 {
		c.SetVertex(v, x, csr.IntCell(int64(v)))
	}
	knows, by, has, replies, in := c.Type("KNOWS"), c.Type("BY"), c.Type("HAS"), c.Type("REPLY_OF"), c.Type("IN")
	for p := range people {
		for range 8 {
			c.AddEdge(person+p, person+r.Uint32N(people), knows)
		}
		c.AddEdge(person+p, place+r.Uint32N(100), in)
	}
	for m := range 8 * people {
		c.AddEdge(message+m, person+r.Uint32N(people), by)
		c.AddEdge(message+m, tag+r.Uint32N(200), has)
		if m > 0 && r.IntN(2) == 0 {
			c.AddEdge(message+m, message+r.Uint32N(m), replies)
		}
	}
	s, _, err := c.Build(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkPathPlans measures queries whose path of variable length stands between two patterns, or has conditions on its ends.
func BenchmarkPathPlans(b *testing.B) {
	const people = 4000
	s := social(b, people)
	for _, k := range []struct{ name, text string }{
		{"distances", "MATCH p = ANY SHORTEST (a:Person {x: 7})-[:KNOWS*1..30]->(b:Person) WHERE b.x <> a.x RETURN length(p), count(*)"},
		{"tags", "MATCH (a:Person {x: 7})-[:KNOWS*1..2]-(f)<-[:BY]-(m)-[:HAS]->(t) RETURN t.x, count(DISTINCT m)"},
		{"tagsOfPaths", "MATCH (a:Person {x: 7})-[:KNOWS*1..2]-(f)<-[:BY]-(m)-[:HAS]->(t) RETURN t.x, count(*)"},
		{"bothPinned", fmt.Sprintf("MATCH (c:Place {x: %d})<-[:IN]-(p:Person)<-[:BY]-(m:Message)<-[:REPLY_OF*0..]-(n)-[:HAS]->(t:Tag {x: %d}) RETURN p.x, count(DISTINCT n)", 9*people+205, 9*people+5)},
	} {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				q := &query{s: s, env: &pattern.Env{Workers: 1}, device: onCPU{}}
				rows := 0
				if err := q.each(b, k.text, func([]value.Value) (bool, error) { rows++; return true, nil }); err != nil {
					b.Fatal(err)
				}
				if rows == 0 {
					b.Fatal("no rows")
				}
			}
		})
	}
}
