package enginetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// ask runs a query and returns its rows as text.
func ask(t *testing.T, db *motif.DB, query string, params motif.Params) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), query, params)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var lines []string
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		lines = append(lines, strings.Trim(fmt.Sprint(row.Values()), "[]"))
	}
	return lines
}

// The procedures on the sample. Cores, trusses and distances are those that a few lines of another language find.
func TestProcedures(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct{ query, want string }{
		{"CALL algo.kcore({type: 'KNOWS'}) YIELD node, core WHERE node:Person RETURN core, count(*) ORDER BY core",
			"0 38, 1 19, 2 26, 3 23, 4 13, 5 14, 6 23, 7 16, 8 16, 9 34"},
		{"CALL algo.ktruss({types: ['KNOWS']}) YIELD truss RETURN truss, count(*) ORDER BY truss", "2 113, 3 253, 4 282, 5 162, 6 15"},
		{"CALL algo.ktruss({k: 'max', type: 'KNOWS'}) YIELD truss RETURN DISTINCT truss", "6"},
		{"CALL algo.ktruss({k: 5, type: 'KNOWS'}) YIELD source RETURN count(*)", "177"},
		{"MATCH (p:Person {name: 'Rafael Fernández'}) CALL algo.bfs(p, {type: 'KNOWS', direction: 'BOTH'}) YIELD node, depth RETURN depth, count(*) ORDER BY depth",
			"0 1, 1 48, 2 120, 3 15"},
		{"MATCH (p:Person {name: 'Rafael Fernández'}) CALL algo.bfs([p], {type: 'KNOWS'}) YIELD depth RETURN depth, count(*) ORDER BY depth",
			"0 1, 1 23, 2 29, 3 7"},
		{"MATCH (p:Person {name: 'Rafael Fernández'}) CALL algo.bfs(id(p), {type: 'KNOWS', maxDepth: 1}) YIELD depth, parent RETURN depth, count(*), count(parent) ORDER BY depth",
			"0 1 0, 1 23 23"},
		{"CALL algo.cliqueCount({size: 3, label: 'Person', type: 'KNOWS'})", "3 812"},
		{"CALL algo.cliqueCount({size: 5, label: 'Person', type: 'KNOWS'}) YIELD count AS n RETURN n + 1", "25"},
		{"CALL algo.triangleCount({type: 'KNOWS'})", "812"},
		{"CALL algo.motifs({size: 3, type: 'KNOWS'}) YIELD motif, count WHERE motif = 'triangle' RETURN count", "812"},
		{"CALL algo.motifs({size: 4, type: 'KNOWS', direction: 'MUTUAL'}) YIELD count RETURN sum(count)", "0"},
		{"CALL algo.orbits({size: 3, type: 'KNOWS'}) YIELD orbits RETURN sum(orbits[3]) / 3, max(size(orbits))", "812 4"},
		{"CALL algo.motifs({size: 5, type: 'KNOWS', induced: false}) YIELD motif, count WHERE motif = 'house' RETURN count - COUNT { MATCH DISTINCT SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d)-[:KNOWS]-(a), (a)-[:KNOWS]-(e)-[:KNOWS]-(b) }", "0"},
		{"CALL algo.motifs({size: 4, type: 'KNOWS'}) YIELD motif, count WHERE motif = 'cycle-4' RETURN count - COUNT { MATCH DISTINCT INDUCED SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d)-[:KNOWS]-(a) }", "0"},
		{"CALL algo.motifs({size: 3, type: 'KNOWS', directed: true}) YIELD motif, count WHERE motif IN ['030T', '030C'] RETURN sum(count)", "812"},
		{"CALL algo.triangleCount({type: 'KNOWS', direction: 'MUTUAL'})", "0"}, // it is one relationship for a pair
		{"CALL algo.triangleCount({type: 'KNOWS', perNode: true}) YIELD node, count WHERE count > 90 RETURN node.name, count ORDER BY count", "Bryn Davies 98, Rafael Fernández 125"},
		{"CALL algo.triangleCount({type: 'KNOWS', perNode: false})", "812"},
		{"CALL algo.triangleCount({type: 'KNOWS', perNode: true}) YIELD * WHERE count = 98", "?"},
		{"MATCH (a:Person {name: 'Rafael Fernández'}), (b:Person {name: 'Amit Rao'}) CALL algo.shortestPath(a, b, {type: 'KNOWS', direction: 'BOTH'}) YIELD path, length " +
			"RETURN length, length(path), size(nodes(path)), size(relationships(path)), path = path, path < path, head(nodes(path)).name", "2 2 3 2 true <nil> Rafael Fernández"},
		{"CALL algo.shortestPath($p, $p) YIELD path AS p, length RETURN count(DISTINCT p), min(length), size(collect(p))", "1 0 1"},
		{"CALL algo.shortestPath($p, []) YIELD path RETURN count(*)", "0"},
		{"MATCH (b:Person) CALL algo.shortestPath($p, b, {label: 'Person&!City', maxDepth: 2}) YIELD path RETURN length(path) AS n, count(*) ORDER BY n", "0 1, 1 23, 2 29"},
		{"CALL algo.cliqueCount({size: 7, type: 'KNOWS'})", "7 0"},
		{"CALL algo.cliqueCount({size: 9000000000000000000})", "9000000000000000000 0"},
		{"CALL algo.cliqueCount({type: 'KNOWS', label: 'Person'})", "1 222, 2 825, 3 812, 4 244, 5 24, 6 1"},
		{"CALL algo.cliqueCount({type: 'KNOWS', maxSize: 2})", "1 3447, 2 825"},
		{"CALL algo.cliqueCount({type: 'KNOWS', size: 3, perNode: true}) YIELD node, size, count AS n WHERE n > 97 RETURN node.name, size, n ORDER BY n", "Bryn Davies 3 98, Rafael Fernández 3 125"},
		{"CALL algo.triangleCount({type: 'KNOWS', label: 'Person', perNode: true}) YIELD node, count AS n RETURN count(*), sum(n) / 3", "222 812"},
		{"CALL algo.maximumClique({type: 'KNOWS'}) YIELD size, nodes RETURN size, size(nodes)", "6 6"},
		{"CALL algo.maximalCliques({type: 'KNOWS', minSize: 5}) YIELD nodes, size RETURN size, count(*), max(size(nodes)) ORDER BY size", "5 18 5, 6 1 6"},
		{"CALL algo.maximalCliques({minSize: 4000}) YIELD size RETURN count(*)", "0"},
		{"CALL algo.maximumClique({label: 'Nobody'})", ""},
		{"CALL algo.cliques({size: 5, type: 'KNOWS'}) YIELD nodes RETURN count(*), min(size(nodes)), max(size(nodes))", "24 5 5"},
		{"CALL algo.cliques({size: 3, type: 'KNOWS'}) YIELD nodes WHERE IS_CLIQUE(nodes, 'KNOWS') RETURN count(DISTINCT nodes)", "812"},
		{"CALL algo.cliques({size: 2}) YIELD nodes RETURN size(nodes) LIMIT 2", "2, 2"},
		{"CALL db.labels() YIELD label WHERE label STARTS WITH 'C' RETURN label ORDER BY label", "City, Company, Continent, Country"},
		{"CALL db.relationshipTypes() YIELD relationshipType AS t WHERE t = 'KNOWS'", "KNOWS"},
		{"CALL db.propertyKeys() YIELD propertyKey WHERE propertyKey = 'since'", "since"},
		{"CALL algo.kcore({type: 'KNOWS'}) YIELD node, core WHERE core = 9 MATCH (node)-[:KNOWS]-(b:Person) RETURN count(DISTINCT node), count(*) > 306", "34 true"},
		// Everybody in the 9-core has at least nine friends there; they are joined by the same relationships from both sides.
		{`CALL algo.kcore({type: 'KNOWS'}) YIELD node AS a, core AS ca WHERE ca = 9
		  MATCH (a)-[:KNOWS]-(b) CALL algo.kcore({type: 'KNOWS'}) YIELD node AS c, core AS cc WHERE c = b AND cc = 9
		  RETURN a, count(*) AS n ORDER BY n LIMIT 1`, ""},
		{"CALL algo.bfs($p, {type: 'KNOWS'}) YIELD node, parent MATCH (parent)-[k:KNOWS]->(node) RETURN count(*)", "59"},
	} {
		got := ask(t, db, c.query, motif.Params{"p": idOf(t, db, "Rafael Fernández")})
		if c.want == "" && len(got) > 0 {
			var n int
			if _, err := fmt.Sscan(got[0][strings.LastIndex(got[0], " "):], &n); err != nil || n < 9 {
				t.Errorf("%s: %v", c.query, got)
			}
		} else if text := strings.Join(got, ", "); text != c.want && (c.want != "?" || len(got) != 1) {
			t.Errorf("%s: %s, want %s", c.query, text, c.want)
		}
	}
}

func idOf(t *testing.T, db *motif.DB, name string) int64 {
	t.Helper()
	rows, err := db.Query(t.Context(), "MATCH (p:Person {name: $name}) RETURN id(p)", motif.Params{"name": name})
	if err != nil {
		t.Fatal(err)
	}
	id, err := motif.One[int64](rows)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A clique count is the number of matches of the pattern; so is the length of the list.
func TestCliqueProceduresAgainstPattern(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const vars = "abcdef"
	for k := 2; k <= 6; k++ {
		var nodes, names []string
		for _, v := range vars[:k] {
			nodes, names = append(nodes, fmt.Sprintf("(%c:Person)", v)), append(names, string(v))
		}
		want := ask(t, db, fmt.Sprintf("MATCH DISTINCT SUBGRAPHS %s WHERE IS_CLIQUE([%s], 'KNOWS') RETURN count(*)", strings.Join(nodes, ", "), strings.Join(names, ", ")), nil)
		for _, q := range []string{"CALL algo.cliqueCount({size: $k, label: 'Person', type: 'KNOWS'}) YIELD count",
			"CALL algo.cliques({size: $k, label: 'Person', type: 'KNOWS'}) YIELD nodes RETURN count(*)"} {
			if got := ask(t, db, q, motif.Params{"k": k}); !slices.Equal(got, want) {
				t.Errorf("%s of %d: %v, want %v", q, k, got, want)
			}
		}
	}
}

func TestShowProcedures(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got := strings.Join(ask(t, db, "SHOW PROCEDURES", nil), "\n")
	for _, want := range []string{"db.labels() :: (label :: STRING)", "algo.bfs(start :: INTEGER | NODE | LIST<ANY>, options = {} :: MAP)", "(path :: PATH, length :: INTEGER)",
		"(count :: INTEGER) | (node :: NODE, count :: INTEGER)", "(size :: INTEGER, count :: INTEGER) | (node :: NODE, size :: INTEGER, count :: INTEGER)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	rows, err := db.Query(t.Context(), "CALL algo.kcore() YIELD node AS n, core", nil)
	if err != nil || !slices.Equal(rows.Columns(), []string{"n", "core"}) {
		t.Errorf("columns %v, %v", rows.Columns(), err)
	}
	rows.Close()
	plan, err := db.Explain(t.Context(), "CALL algo.kcore({type: 'KNOWS'}) YIELD node RETURN node LIMIT 3")
	if err != nil || !strings.Contains(plan.String(), "Call algo.kcore({type: 'KNOWS'}): node") {
		t.Errorf("%v, %v", plan, err)
	}
	if got := strings.Join(ask(t, db, "PROFILE CALL algo.kcore({type: 'KNOWS'})", nil), "\n"); !strings.Contains(got, "Call algo.kcore") {
		t.Error(got)
	}
}

// The examples of the reference run.
func TestProcedureExamples(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	data, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n## Procedures\n")
	text, _, _ = strings.Cut(text, "\n## ")
	n := 0
	for _, block := range strings.Split(text, "```cypher\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, query := range lang.SplitStatements(block) {
			ask(t, db, query, motif.Params{"start": 1, "from": 1, "to": 2})
			n++
		}
	}
	if n < 12 {
		t.Errorf("%d examples", n)
	}
}

// What can be wrong only when the query runs is said with its place.
func TestProcedureErrors(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		query  string
		params motif.Params
		want   string
		col    int
	}{
		{"CALL algo.kcore({type: $t})", motif.Params{"t": 1}, "the option `type` needs a string, not an integer", 24},
		{"CALL algo.kcore({types: $t})", motif.Params{"t": []any{"KNOWS", 1}}, "the option `types` needs a string, not an integer", 25},
		{"CALL algo.cliques({size: $k})", motif.Params{"k": 0}, "the option `size` is at least 1, not 0", 26},
		{"CALL algo.cliques({size: $k})", motif.Params{"k": "3"}, "the option `size` needs an integer, not a string", 26},
		{"CALL algo.cliques({size: $k})", motif.Params{"k": nil}, "algo.cliques needs the option `size`, which is null", 19},
		{"CALL algo.cliqueCount({perNode: true, size: $k})", motif.Params{"k": nil}, "algo.cliqueCount needs the option `size`, which is null", 23},
		{"CALL algo.cliqueCount({perNode: true})", nil, "algo.cliqueCount needs the option `size`", 23},
		{"CALL algo.cliqueCount({size: 3, maxSize: 4})", nil, "`size` and `maxSize` exclude each other: write one of them", 33},
		{"CALL algo.cliques({size: 3, label: $l})", motif.Params{"l": 1}, "the option `label` needs a string, not an integer", 36},
		{"CALL algo.ktruss({k: $k})", motif.Params{"k": "min"}, "the option `k` is an integer or 'max', not 'min'", 22},
		{"CALL algo.bfs($a)", motif.Params{"a": -1}, "there is no node with the id -1", 15},
		{"CALL algo.bfs($a)", motif.Params{"a": []any{1, "x"}}, "algo.bfs takes a node or a list of nodes, not a string", 15},
		{"CALL algo.bfs($a, {direction: $d})", motif.Params{"a": 1, "d": "up"}, "the option `direction` is 'OUT', 'IN' or 'BOTH', not 'up'", 31},
		{"CALL algo.bfs($a, {maxDepth: $d})", motif.Params{"a": 1, "d": -1}, "the option `maxDepth` is at least 0, not -1", 30},
		{"CALL algo.bfs(1, {avoid: $a})", motif.Params{"a": []any{1, 1.5}}, "the option `avoid` takes a node or a list of nodes, not a float", 26},
		{"CALL algo.bfs(1, {label: $l})", motif.Params{"l": "A|"}, "the option `label` is a label expression, which 'A|' is not", 26},
		{"CALL algo.shortestPath(1, $b)", motif.Params{"b": true}, "algo.shortestPath takes a node or a list of nodes, not a boolean", 27},
		{"CALL algo.triangleCount({direction: $d})", motif.Params{"d": "OUT"}, "the option `direction` is 'BOTH' or 'MUTUAL', not 'OUT'", 37},
		{"CALL algo.motifs({size: $n})", motif.Params{"n": 6}, "the option `size` is 3, 4 or 5, not 6", 25},
		{"CALL algo.motifs({size: $n})", motif.Params{"n": nil}, "algo.motifs needs the option `size`, which is null", 18},
		{"CALL algo.motifs({size: 3, induced: $i})", motif.Params{"i": 1}, "the option `induced` needs true or false, not an integer", 37},
		{"CALL algo.motifs({size: 4, directed: true})", nil, "with `directed`, the option `size` is 3, not 4", 25},
		{"CALL algo.motifs({size: 3, directed: true, induced: false})", nil, "with `directed`, the option `induced` is true: triads are induced", 53},
		{"CALL algo.motifs({size: 3, directed: true, direction: 'MUTUAL'})", nil, "with `directed`, the option `direction` is missing: triads tell directions apart", 55},
		{"CALL algo.triangleCount({perNode: $p})", motif.Params{"p": true}, "the option `perNode` is true or false, written out", 35},
		{"CALL algo.kcore({typ: 'KNOWS'})", nil, "algo.kcore has no option `typ`", 18},
	} {
		rows, err := db.Query(t.Context(), c.query, c.params)
		if err == nil {
			for range rows.All() {
			}
			err = rows.Err()
		}
		var e *motif.QueryError
		if !errors.As(err, &e) || e.Message != c.want || e.Column != c.col {
			t.Errorf("%s: %v, want %s at %d", c.query, err, c.want, c.col)
		}
	}
	rows, err := db.Query(t.Context(), "CALL algo.kcore()", nil, motif.WithMemory(1000))
	if err != nil {
		t.Fatal(err)
	}
	for range rows.All() {
	}
	if !errors.Is(rows.Err(), motif.ErrMemory) {
		t.Errorf("with a budget of 1000 bytes: %v", rows.Err())
	}
}
