package enginetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/motifql/motif"
)

// deletedGraph is a triangle with a tail, two of its pairs joined twice.
var deletedGraph = []string{
	"CREATE (a:V {id: 1})-[:E {k: 1}]->(b:V {id: 2})-[:E {k: 2}]->(c:V {id: 3})-[:E {k: 3}]->(d:V {id: 4}), (a)-[:E {k: 4}]->(c), (a)-[:E {k: 5}]->(b), (c)-[:E {k: 6}]->(b)",
	"UNWIND range(5, 60) AS i CREATE (:V {id: i})",
}

// afterDeletes say how often they have a match, some of which there is only because something is gone.
var afterDeletes = []string{
	"MATCH (a:V {id: 1})-[:E]-(b:V)-[:E]-(c:V) CREATE (:Z)",
	"MATCH DIFFERENT NODES (a:V)-[:E]-(b:V)-[:E]-(c:V) CREATE (:Z)",
	"MATCH DISTINCT SUBGRAPHS (a:V)-[:E]-(b:V)-[:E]-(c:V) CREATE (:Z)",
	"MATCH INDUCED SUBGRAPHS (a:V)-[:E]-(b:V)-[:E]-(c:V) CREATE (:Z)",
	"MATCH INDUCED SUBGRAPHS (a:V {id: 1})-[:E]->(b:V) CREATE (:Z)",
	"MATCH INDUCED SUBGRAPHS (a:V)-[:E]->(b:V)-[:E]->(c:V)-[:E]->(d:V) CREATE (:Z)",
	"MATCH REPEATABLE ELEMENTS (a:V)-[:E]-(b:V)-[:E]-(c:V) CREATE (:Z)",
	"MATCH (a:V) WHERE EXISTS { (a)-[:E]->(:V {id: 3}) } CREATE (:Z)",
	"MATCH (a:V), (b:V {id: 2}) WHERE (a)-[:E]-(b) CREATE (:Z)",
	"MATCH (a:V) WHERE NOT (a)-[:E]->() CREATE (:Z)",
	"MATCH (a:V) WHERE COUNT { (a)-[:E]-() } = 2 CREATE (:Z)",
	"MATCH (a:V {id: 1}) OPTIONAL MATCH (a)-[:E]->(b:V {id: 2}) FOREACH (x IN CASE WHEN b IS NULL THEN [1] ELSE [] END | CREATE (:Z))",
	"MATCH (a:V)-[:E]->(b:V), (b)-[:E]->(a) CREATE (:Z)",
	"MATCH (a:V {id: 1})-[:E*1..3]->(b:V) CREATE (:Z)",
}

// TestMatchAfterDeletes compares a transaction that deletes relationships or a node, and then matches, with a commit in between.
func TestMatchAfterDeletes(t *testing.T) {
	for _, match := range afterDeletes {
		for _, gone := range []string{"[1]", "[4]", "[2]", "[2, 6]", "[1, 5]", "[4, 6]", "[1, 4, 5]", "[3]", ""} {
			remove := "MATCH (:V)-[r:E]->(:V) WHERE r.k IN " + gone + " DELETE r"
			if gone == "" {
				remove = "MATCH (n:V {id: 2}) DETACH DELETE n"
			}
			whole, apart := countAfter(t, true, remove, match), countAfter(t, false, remove, match)
			if whole != apart {
				t.Errorf("%s\n%s\n%d matches in one transaction, %d after a commit", remove, match, whole, apart)
			}
		}
	}
}

// countAfter returns how many nodes :Z two statements leave, in one transaction or in two.
func countAfter(t *testing.T, together bool, statements ...string) (n int64) {
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(list ...string) error {
		return db.Update(t.Context(), func(tx *motif.Tx) error {
			for _, text := range list {
				if _, err := tx.Exec(t.Context(), text, nil); err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
			}
			return nil
		})
	}
	for _, text := range deletedGraph {
		err = errors.Join(err, run(text))
	}
	for _, text := range statements { // so that plans are known
		tx, began := db.BeginWrite(t.Context())
		if began != nil {
			t.Fatal(began)
		}
		if _, err := tx.Exec(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
		tx.Rollback()
	}
	if together {
		err = errors.Join(err, run(statements...))
	} else {
		for _, text := range statements {
			err = errors.Join(err, run(text))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "MATCH (z:Z) RETURN count(*)", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if n, err = rows.Row().Int(0); err != nil {
			t.Fatal(err)
		}
	}
	return n
}
