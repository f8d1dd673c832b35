package enginetest

import (
	"fmt"
	"github.com/motifql/motif"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/storage"
)

// indexedDB has 2,000 nodes :P with the properties k (0 to 999, sometimes a float or text) and name, of which half have
// been written after an index was first asked, and relationships from each to the next.
func indexedDB(t *testing.T) *motif.DB {
	t.Helper()
	db := emptyDB(t)
	for part := range 2 {
		tx, err := storeOf(db).Begin(t.Context(), storage.Relaxed)
		if err != nil {
			t.Fatal(err)
		}
		d := tx.Draft()
		if part == 0 {
			for i, r := range []csr.Rule{{Kind: csr.RuleIndex, Keys: []string{"k"}}, {Kind: csr.RuleUnique, Keys: []string{"name"}}} {
				r.Name, r.On = fmt.Sprint("r", i), "P"
				if err := d.CreateRule(r); err != nil {
					t.Fatal(err)
				}
			}
		}
		last := csr.NoVertex
		for i := range 1000 {
			k := csr.IntCell(int64(i))
			switch i % 50 {
			case 7:
				k = csr.FloatCell(float64(i) + 0.5)
			case 8:
				k = csr.StringCell(fmt.Sprint("k", i))
			}
			v, err := d.CreateNode([]string{"P", "Q"}[:1+i%2], []csr.Prop{{Key: "k", Value: k}, {Key: "name", Value: csr.StringCell(fmt.Sprint("n", part, i))}})
			if err == nil && last != csr.NoVertex {
				_, err = d.CreateRel("NEXT", last, v, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			last = v
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := answer(t, db, "MATCH (p:P {k: 3}) RETURN p.name"); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestIndexSeek asks what indexes help with, with and without them and by brute force.
func TestIndexSeek(t *testing.T) {
	db := indexedDB(t)
	for query, rows := range map[string]int{
		"MATCH (p:P {k: 3}) RETURN p.name":                                                       2,
		"MATCH (p:P) WHERE p.k = 3.0 RETURN p.name":                                              2,
		"MATCH (p:P) WHERE 3 = p.k RETURN p.name":                                                2,
		"MATCH (p:P:Q) WHERE p.k IN [3, 4, 5, null, 'k8', 7.5] RETURN p.name":                    6,
		"MATCH (p:P) WHERE p.k IN null RETURN p.name":                                            0,
		"MATCH (p:P) WHERE p.k = null RETURN p.name":                                             0,
		"MATCH (p:P) WHERE p.k > 996 RETURN p.name":                                              6,
		"MATCH (p:P) WHERE p.k >= 996 AND p.k < 998 RETURN p.name":                               4,
		"MATCH (p:P) WHERE 2 >= p.k RETURN p.name":                                               6,
		"MATCH (p:P) WHERE p.name STARTS WITH 'n1 99' RETURN p.name":                             11,
		"MATCH (p:P)-[:NEXT]->(q) WHERE p.name = 'n0 5' RETURN q.name":                           1,
		"MATCH (a:P)-[:NEXT]->(b)-[:NEXT]->(c:P {k: 12}) RETURN a.name, b.name":                  2,
		"UNWIND ['n0 5', 'n1 7', 'none'] AS name MATCH (p:P {name: name}) RETURN p.k":            2,
		"UNWIND [{k: 3}, {k: 5}] AS r MATCH (p:P) WHERE p.k = r.k RETURN p.name":                 4,
		"UNWIND range(10, 12) AS i MATCH (p:P {k: i})-[:NEXT]->(q) RETURN i, q.name":             6,
		"UNWIND [[1, 2], [3]] AS ks MATCH (p:P) WHERE p.k IN ks RETURN p.name":                   6,
		"MATCH (p:P {k: 20}) OPTIONAL MATCH (q:P {name: p.name}) WHERE q.k = 20 RETURN q.name":   2,
		"UNWIND [1, 2] AS i MATCH (p:P {k: i}), (q:P {k: p.k + 1}) RETURN p.name, q.name":        8,
		"UNWIND [1, 'x'] AS i OPTIONAL MATCH (p:P {k: toInteger(toString(i))}) RETURN p.name, i": 3,
	} {
		oracle := motif.WithBruteForce()
		if strings.Count(query, "NEXT") > 1 || testing.Short() && strings.Contains(query, "), (") { // too long by brute force, or under the race detector
			oracle = motif.WithoutTechniques("index-seek")
		}
		want, wantErr := answer(t, db, query, oracle)
		got, err := answer(t, db, query)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) || len(got) != rows {
			t.Errorf("%s\ngave %v %v, brute force %v %v; want %d rows", query, got, err, want, wantErr, rows)
		}
		without, err := answer(t, db, query, motif.WithoutTechniques("index-seek"))
		if err != nil || !slices.Equal(without, want) {
			t.Errorf("%s\nwithout indexes gave %v %v, want %v", query, without, err, want)
		}
		plan, err := db.Explain(t.Context(), query)
		if err != nil || !strings.Contains(fmt.Sprint(plan), "index on :P(") {
			t.Errorf("%s\n%v\n%v", query, plan, err)
		}
		if uses := indexUses(t, db, query); uses == 0 && !strings.Contains(query, "IN null") {
			t.Errorf("%s\nused no index\n%v", query, plan)
		}
	}
}

func indexUses(t *testing.T, db *motif.DB, query string) uint64 {
	t.Helper()
	rows, err := db.Query(t.Context(), query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range rows.All() {
	}
	for _, m := range rows.Summary().Techniques {
		if m.Name == "index-seek" {
			return m.Uses
		}
	}
	return 0
}

// TestStatsOfChanges asks for what the store computes at a load, after transactions: two chains of nodes.
func TestStatsOfChanges(t *testing.T) {
	st, err := indexedDB(t).Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if st.Nodes != 2000 || st.Relationships != 1998 || st.Degeneracy != 1 || st.MaxDegree != 2 || !st.Simple || st.MemoryBytes == 0 {
		t.Errorf("%+v", st)
	}
}

// TestMergeByIndex merges nodes by an indexed property that the same clause changes.
func TestMergeByIndex(t *testing.T) {
	for _, index := range []string{"RETURN 1", "CREATE INDEX FOR (n:A) ON (n.k)", "CREATE CONSTRAINT FOR (n:A) REQUIRE n.k IS UNIQUE"} {
		db := emptyDB(t)
		for _, step := range []struct{ query, want string }{
			{"CREATE (:A {k: 1}), (:A {k: 10}), (:B {k: 2})", "[]"},
			{index, ""},
			{"UNWIND [1, 2, 3] AS i MERGE (n:A {k: i}) ON CREATE SET n.new = true ON MATCH SET n.k = i + 1 RETURN n.k, n.new", "[4 <nil> 4 <nil> 4 <nil>]"},
			{"UNWIND range(1, 600) AS i MERGE (n:A {k: i % 300}) ON CREATE SET n.new = true RETURN count(n) AS n", "[600]"},
			{"MATCH (n:A) RETURN count(n) AS n, count(n.new) AS m, count(DISTINCT n.k) AS d", "[300 298 300]"},
			{"MATCH (n:A) WHERE n.k = 4 OR n.k = 10 DETACH DELETE n", "[]"},
			{"MERGE (n:A {k: 10}) ON CREATE SET n.x = 1 RETURN n.x", "[1]"},
		} {
			got, err := answer(t, db, step.query+" //ORDER BY")
			if err != nil || step.want != "" && fmt.Sprint(got) != step.want {
				t.Fatalf("%s: %s\ngave %v %v, want %v", index, step.query, got, err, step.want)
			}
		}
	}
}
