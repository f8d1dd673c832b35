package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Every procedure of the language can be run, and nothing else.
func TestProcedureTable(t *testing.T) {
	for i := range lang.Procedures {
		if procedures[lang.Procedures[i].Name] == nil {
			t.Errorf("%s cannot be run", lang.Procedures[i].Name)
		}
	}
	if len(procedures) != len(lang.Procedures) {
		t.Errorf("%d procedures can be run, the language has %d", len(procedures), len(lang.Procedures))
	}
	for i := range lang.GdsProcedures {
		p := &lang.GdsProcedures[i]
		if gdsProcedures[p.Name] == nil || lang.FindProcedure(strings.ToUpper(p.Name)) != p {
			t.Errorf("%s cannot be run", p.Name)
		}
	}
	if len(gdsProcedures) != len(lang.GdsProcedures) {
		t.Errorf("%d procedures of projections can be run, the language has %d", len(gdsProcedures), len(lang.GdsProcedures))
	}
}

// The words that the language has for variants are those of the kernels.
func TestVariantWords(t *testing.T) {
	words := func(procedure string) []string {
		p := lang.FindProcedure(procedure)
		for _, o := range p.Options {
			if o.Name == "variant" {
				return o.Words
			}
		}
		t.Fatalf("%s has no variants", procedure)
		return nil
	}
	for i, w := range words("algo.kcore") {
		if v, err := pattern.ParseCoreVariant(w); err != nil || int(v) != i {
			t.Errorf("%s: %v, %v", w, v, err)
		}
	}
	for i, w := range words("algo.bfs") {
		if v, err := pattern.ParseVariant(w); err != nil || int(v) != i {
			t.Errorf("%s: %v, %v", w, v, err)
		}
	}
}

// node is how show writes a node, but for the quotes.
var node = regexp.MustCompile(`\(\d\)`)

func TestCall(t *testing.T) {
	q := &query{s: line(t, 4)} // 0 -> 1 -> 2 -> 3
	for _, c := range []struct {
		text    string
		ordered bool
		rows    string
	}{
		{"CALL algo.kcore()", false, "(0) | 1,(1) | 1,(2) | 1,(3) | 1"},
		{"CALL algo.kcore({type: 'Nothing'}) YIELD core RETURN DISTINCT core", false, "0"},
		{"CALL algo.bfs(1)", false, "(1) | 0 | null,(2) | 1 | (1),(3) | 2 | (2)"},
		{"CALL algo.bfs([3, null, 0], {direction: 'both', maxDepth: 1})", false, "(3) | 0 | null,(0) | 0 | null,(2) | 1 | (3),(1) | 1 | (0)"},
		{"CALL algo.bfs([3, null, 0], {direction: 'both', maxDepth: 1}) YIELD depth RETURN depth", false, "0,0,1,1"},
		{"CALL algo.bfs([3, null, 0], {direction: 'both', maxDepth: 1}) YIELD depth RETURN depth LIMIT 3", true, "0,0,1"},
		{"CALL algo.bfs([3, 0], {direction: 'both', maxDepth: 1}) RETURN count(*), sum(depth)", false, "4 | 2"},
		{"CALL algo.bfs(1) YIELD node RETURN node", false, "(1),(2),(3)"},
		{"CALL algo.bfs(null) YIELD depth RETURN depth", false, ""},
		{"CALL algo.bfs(null)", false, ""},
		{"MATCH (a) WHERE a.x > 1 CALL algo.bfs(a, {direction: 'in'}) YIELD depth AS d, node RETURN a, node, d", false,
			"(2) | (2) | 0,(2) | (1) | 1,(2) | (0) | 2,(3) | (3) | 0,(3) | (2) | 1,(3) | (1) | 2,(3) | (0) | 3"},
		{"CALL algo.ktruss() YIELD target AS t, source AS s WHERE s.x = 1 RETURN s, t", false, "(1) | (2)"},
		{"CALL algo.cliqueCount({size: 2})", false, "2 | 3"},
		{"CALL algo.cliqueCount({size: 5})", false, "5 | 0"},
		{"CALL algo.cliqueCount()", false, "1 | 4,2 | 3"},
		{"CALL algo.maximumClique() YIELD size", false, "2"},
		{"CALL algo.cliques({size: 2}) YIELD nodes WHERE 2 = head(nodes).x RETURN nodes", false, "[(2), (3)]"},
		{"CALL algo.cliques({size: 1, label: 'Nobody'})", false, ""},
		{"CALL db.relationshipTypes()", false, "'E'"},
		{"CALL db.propertyKeys() YIELD propertyKey AS k RETURN k + '!'", false, "'x!'"},
		// A null matches nothing, but a condition may ask for it.
		{"CALL algo.bfs(2) YIELD node, parent MATCH (parent)-->(b) RETURN node, b", false, "(3) | (3)"},
		{"CALL algo.bfs(2) YIELD node, parent MATCH (parent)-->(b) RETURN count(*)", false, "1"},
		{"CALL algo.bfs(2) YIELD node, parent RETURN count(parent), count(node)", false, "1 | 2"},
		{"CALL algo.bfs(2) YIELD node, parent MATCH (b)-->(node) WHERE parent IS NULL RETURN b", false, "(1)"},
		{"CALL algo.bfs(2) YIELD node, parent MATCH (b)-->(node) WHERE parent IS NULL OR b = parent RETURN b", false, "(1),(2)"},
		{"CALL algo.bfs(2) YIELD node, depth MATCH (b)-->(node {x: depth + 2}) WHERE b.x > depth RETURN b, depth", false, "(1) | 0,(2) | 1"},
		{"CALL algo.bfs(2) YIELD node, depth MATCH DISTINCT SUBGRAPHS (b)--(c) WHERE node.x < 3 AND depth = 0 RETURN count(*)", false, "3"},
		{"CALL algo.kcore() YIELD node RETURN node.x AS x ORDER BY x DESC LIMIT 2", true, "3,2"},
		{"CALL db.labels() YIELD label RETURN count(*)", false, "0"},
	} {
		var rows []string
		if c.rows != "" {
			rows = strings.Split(c.rows, ",")
		}
		if strings.HasPrefix(c.rows, "[") {
			rows = []string{c.rows}
		}
		for i := range rows {
			rows[i] = node.ReplaceAllString(rows[i], "'$0'")
		}
		want(t, q, c.text, c.ordered, rows...)
		want(t, &query{s: q.s, brute: true}, c.text, c.ordered, rows...)
	}
}

// Rewritten or not, a plan with calls gives the same rows.
// TestCallColumns: rows that move as columns, in batches of any size, are those that move one by one.
func TestCallColumns(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 31))
	for range 3 {
		s := testgraph.Random(rng.Uint64(), testgraph.Options{Vertices: 1 + rng.IntN(40), Edges: rng.IntN(120), Labels: 2, Types: 2})
		for _, call := range []string{"algo.degree({direction: 'BOTH'}) YIELD node, score AS x", "algo.connectedComponents() YIELD node, component AS x",
			"algo.kcore() YIELD node, core AS x", "algo.triangleCount({perNode: true}) YIELD node, count AS x", "algo.clusteringCoefficient() YIELD node, coefficient AS x",
			"algo.louvain({label: '!A'}) YIELD node, modularity AS x", "algo.closeness({label: 'A|B'}) YIELD node, score AS x",
			"algo.bfs(0, {direction: 'BOTH'}) YIELD node, depth AS x, parent", "algo.dijkstra(0) YIELD node, distance AS x, parent", "apoc.path.subgraphNodes(0, {}) YIELD node AS x"} {
			for _, returned := range []string{"RETURN *", "RETURN x", "RETURN x, count(*)", "WITH x AS y WHERE y > 0 RETURN y, max(y)", "RETURN x ORDER BY x SKIP 1 LIMIT 5",
				"RETURN sum(x), avg(x), min(x), count(DISTINCT x), collect(x)", "RETURN DISTINCT x + 1", "UNWIND [1, 2] AS i RETURN i, x", "LIMIT 3 RETURN x"} {
				if strings.HasPrefix(call, "apoc") && (strings.Contains(returned, "sum") || strings.Contains(returned, "+") || strings.Contains(returned, ">")) {
					continue
				}
				for _, before := range []string{"", "UNWIND [1, 1, 2] AS j "} {
					text := before + "CALL " + strings.Replace(call, "(0", fmt.Sprintf("(%d", s.NodeID(0)), 1) + " " + returned
					want := mustRows(t, &query{s: s, device: onCPU{}, env: &pattern.Env{Workers: 1}}, text)
					for _, batch := range []int{1, 3, 1024} {
						if got := mustRows(t, &query{s: s, device: onCPU{}, batch: batch, env: &pattern.Env{Workers: 1}}, text); !slices.Equal(got, want) {
							t.Fatalf("seed %d, batches of %d: %s gives %q, want %q", seed, batch, text, got, want)
						}
					}
				}
			}
		}
	}
}

func mustRows(t *testing.T, q *query, text string) []string {
	rows, err := q.rows(t, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rows
}

// BenchmarkCallRows counts the rows of a procedure that takes 2 ns a node itself: all else is the cost of rows.
func BenchmarkCallRows(b *testing.B) {
	s := testgraph.Graph(1<<16, testgraph.RMAT(16, 4, 5), false)
	for _, returned := range []string{"count(node), count(score)", "node, score", "max(score)"} {
		b.Run(strings.ReplaceAll(returned, " ", ""), func(b *testing.B) {
			for b.Loop() {
				q := &query{s: s, device: onCPU{}, batch: 1024, env: &pattern.Env{Workers: 1}}
				if err := q.each(b, "CALL algo.degree() YIELD node, score RETURN "+returned, func([]value.Value) (bool, error) { return true, nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestCallRewrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for range 60 {
		seed := rng.Uint64()
		s := testgraph.Random(seed, testgraph.Options{Vertices: 6})
		for _, text := range []string{
			"CALL algo.kcore() YIELD node, core MATCH (node)--(b) WHERE b.x < core AND node <> b RETURN count(*)",
			"CALL algo.kcore({type: 'R'}) YIELD node, core WHERE core > 1 MATCH (node)-->(b) WHERE b:A RETURN node, b, core",
			"MATCH (a:A) CALL algo.bfs(a, {direction: 'BOTH'}) YIELD node, depth MATCH (node)-[r]-() WHERE r.x >= depth RETURN a, node, depth, r",
			"CALL algo.ktruss() YIELD source, target, truss MATCH (source)-[r]-(target) WHERE truss > 2 RETURN count(r), count(*)",
			"CALL algo.cliqueCount({size: 3}) YIELD count MATCH (a)--(b)--(c)--(a) WHERE count > 0 RETURN count(*)",
		} {
			plain, err := (&query{s: s, brute: true}).rows(t, text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := (&query{s: s}).rows(t, text)
			if err != nil || !slices.Equal(sorted(got), sorted(plain)) {
				t.Fatalf("seed %d: %s\n%q, %v\nwant %q", seed, text, got, err, plain)
			}
		}
	}
}

// counted counts what it is asked for.
type counted struct {
	testgraph.Brute
	cores, listed atomic.Int64
}

func (c *counted) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (pattern.Answer, error) {
	one := *r
	switch r.Kind {
	case pattern.KindCores:
		c.cores.Add(1)
	case pattern.KindCliqueList:
		one.Emit = func(found []csr.VertexID) (bool, error) {
			c.listed.Add(1)
			return r.Emit(found)
		}
	}
	return c.Brute.Answer(ctx, &one, env)
}

// A call whose arguments are the same for all rows runs once.
func TestCallRunsOnce(t *testing.T) {
	s := line(t, 5)
	for text, runs := range map[string]int64{
		"MATCH (a) CALL algo.kcore({type: $t}) YIELD node RETURN count(*)":                                    1,
		"MATCH (a) CALL algo.kcore({type: CASE a.x WHEN 1 THEN 'E' ELSE 'F' END}) YIELD node RETURN count(*)": 5,
	} {
		d := new(counted)
		q := &query{s: s, device: d, params: map[string]value.Value{"t": value.OfString("E")}}
		want(t, q, text, false, "25")
		if n := d.cores.Load(); n != runs {
			t.Errorf("%s: computed %d times, not %d", text, n, runs)
		}
	}
}

// LIMIT ends the search for cliques.
func TestLimitStopsCliques(t *testing.T) {
	defer quiet(t)()
	d := new(counted)
	q := &query{s: line(t, 3000), device: d}
	got, err := q.rows(t, "CALL algo.cliques({size: 1}) YIELD nodes RETURN nodes LIMIT 3")
	if err != nil || len(got) != 3 {
		t.Errorf("%q, %v", got, err)
	}
	if n := d.listed.Load(); n >= 3000 {
		t.Errorf("%d cliques were listed for three", n)
	}
}

// The memory of a result is charged, and given back.
func TestCallMemory(t *testing.T) {
	s := line(t, 100)
	env := &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: 4 * 99}}
	_, err := (&query{s: s, env: env}).rows(t, "CALL algo.kcore()")
	if !errors.Is(err, pattern.ErrMemory) {
		t.Errorf("%v", err)
	}
	env.Memory.Limit = 4 * 100
	if _, err := (&query{s: s, env: env}).rows(t, "MATCH (a) WHERE a.x < 3 CALL algo.kcore({types: ['E', toString(a.x)]}) YIELD core RETURN sum(core)"); errors.Is(err, pattern.ErrMemory) {
		t.Logf("%v", err) // the aggregate may take more than is left
	}
	if env.Memory.Used() != 0 {
		t.Errorf("%d bytes are still charged", env.Memory.Used())
	}
}

func TestCallCancelled(t *testing.T) {
	defer quiet(t)()
	ctx, cancel := context.WithCancel(context.Background())
	q := &query{s: line(t, 2000), ctx: ctx}
	rows := 0
	err := q.each(t, "CALL algo.cliques({size: 1}) YIELD nodes RETURN nodes", func([]value.Value) (bool, error) {
		if rows++; rows == 10 {
			cancel()
		}
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || rows == 2000 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// Every match says how many partial matches it visited itself.
func TestPartialOfInnerMatches(t *testing.T) {
	q := &query{s: line(t, 4), device: &flood{workers: 1, batch: 1, weight: 1, total: 3}, env: &pattern.Env{Workers: 1, Tally: &pattern.Tally{}}}
	for text, want := range map[string][]uint64{
		"MATCH INDUCED SUBGRAPHS (a)-->(b) MATCH INDUCED SUBGRAPHS (b)-->(c) MATCH INDUCED SUBGRAPHS (c)-->(d) RETURN a, d": {27, 9, 3},
		"CALL algo.bfs(0) YIELD node MATCH INDUCED SUBGRAPHS (node)-->(c) MATCH INDUCED SUBGRAPHS (c)-->(d) RETURN d":       {36, 12},
	} {
		if _, err := q.rows(t, text); err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for node := q.plan.Root; node != nil; {
			if s := q.stats.Nodes[node]; s != nil && s.Match != nil {
				got = append(got, s.Match.Partial)
			}
			below := node.Inputs()
			if node = nil; len(below) > 0 {
				node = below[0]
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
