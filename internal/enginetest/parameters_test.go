package enginetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// TestMissingParameters leaves out parameters: Query itself fails, before it writes anything, and names them with their place.
func TestMissingParameters(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		query, message string
		line, column   int
		params         motif.Params
		hint           string
	}{
		{"MATCH (p:Person)\nWHERE p.name = $name RETURN p", "the parameter $name has no value", 2, 16, nil, `motif.Params{"name": ...}`},
		{"RETURN $a + $b + $a AS x", "the parameters $a and $b have no values", 1, 8, nil, "-p a=VALUE"},
		{"RETURN $a, $b, $c", "the parameters $a and $c have no values", 1, 8, motif.Params{"b": 1}, ":param a VALUE"},
		{"RETURN $limit AS x", "the parameter $limit has no value", 1, 8, motif.Params{"Limit": 1}, "did you mean $limit?"},
		{"MATCH (p) RETURN p LIMIT $n", "the parameter $n has no value", 1, 26, nil, ""},
		{"CREATE (n:New {name: 'x'}) SET n.x = $x", "the parameter $x has no value", 1, 38, nil, ""},
		{"CREATE (n:New $all)", "the parameter $all has no value", 1, 15, nil, ""},
		{"UNWIND [] AS x CREATE (n:New {x: $x})", "the parameter $x has no value", 1, 34, nil, ""},
		{"CALL algo.bfs(null, {maxDepth: $depth})", "the parameter $depth has no value", 1, 32, nil, ""},
		{"RETURN 1 AS x UNION RETURN $x AS x", "the parameter $x has no value", 1, 28, nil, ""},
		{"MATCH (p) WHERE EXISTS { (p)-->(q) WHERE q.x = $x } RETURN p", "the parameter $x has no value", 1, 48, nil, ""},
		{"PROFILE RETURN $x", "the parameter $x has no value", 1, 16, nil, ""},
	} {
		check := func(how string, err error) {
			t.Helper()
			var qe *motif.QueryError
			if !errors.As(err, &qe) {
				t.Fatalf("%s, %s: %v", c.query, how, err)
			}
			if qe.Message != c.message || qe.Line != c.line || qe.Column != c.column || !strings.Contains(qe.Hint, c.hint) || qe.Phase != motif.PhaseCompile {
				t.Errorf("%s, %s: %+v", c.query, how, qe)
			}
		}
		_, err := db.Query(t.Context(), c.query, c.params)
		check("Query", err)
		stmt, err := db.Prepare(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = stmt.Query(t.Context(), c.params)
		check("Stmt.Query", err)
		if _, err := db.Explain(t.Context(), c.query); err != nil {
			t.Errorf("Explain %s: %v", c.query, err)
		}
	}
	rows, err := db.Query(t.Context(), "MATCH (n:New) RETURN count(*)", nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := motif.One[int64](rows); n != 0 || err != nil {
		t.Errorf("%d nodes were created, %v", n, err)
	}
}
