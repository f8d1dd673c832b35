package enginetest

import (
	"os"
	"testing"

	"github.com/motifql/motif"
)

// The sample is what its files say, and its cliques are those that a few lines of another language count.
func TestSample(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Nodes != 3447 || stats.Relationships != 17104 {
		t.Errorf("%d nodes, %d relationships, %v", stats.Nodes, stats.Relationships, err)
	}
	for query, want := range map[string]int64{
		"MATCH (p:Person) RETURN count(*)":                                                                                                                             222,
		"MATCH (p:Place&(City|Country|Continent)) RETURN count(*)":                                                                                                     373,
		"MATCH (o:Organisation&(Company|University)) RETURN count(*)":                                                                                                  499,
		"MATCH (:Person)-[k:KNOWS]->(:Person) RETURN count(*)":                                                                                                         825,
		"MATCH (:Forum)-[:HAS_MEMBER]->(:Person) RETURN count(*)":                                                                                                      3584,
		"MATCH (p:Person {name: 'Rafael Fernández'})--(q) RETURN count(q)":                                                                                             -1,
		"MATCH (:Person)-[:WORK_AT]->(o:!Company) RETURN count(*)":                                                                                                     0,
		"MATCH (p:Person) WHERE 'en' IN p.languages RETURN count(*)":                                                                                                   -1,
		"MATCH DISTINCT SUBGRAPHS (a:Person)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)":                                                                   812,
		"MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person) WHERE IS_CLIQUE([a, b, c, d], 'KNOWS') RETURN count(*)":                               244,
		"MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person), (e:Person) WHERE IS_CLIQUE([a, b, c, d, e], 'KNOWS') RETURN count(*)":                24,
		"MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person), (e:Person), (f:Person) WHERE IS_CLIQUE([a, b, c, d, e, f], 'KNOWS') RETURN count(*)": 1,
	} {
		rows, err := db.Query(t.Context(), query, nil)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got, err := motif.One[int64](rows); err != nil || got != want && (want >= 0 || got == 0) {
			t.Errorf("%s = %d, %v; want %d", query, got, err, want)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("Close left %v, %v", left, err)
	}
}
