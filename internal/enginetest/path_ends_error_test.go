package enginetest

import (
	"testing"

	"github.com/motifql/motif"
)

// An error of an operator above a path of which only the end is read reaches the caller; it once ended the rows without a word.
func TestErrorAbovePathEnds(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (:P)-[:E]->(:Q), (:F {d: 1})", nil); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"MATCH (p:P) MATCH (p)-[*0..]-(x), (f:F) WHERE 1 / (f.d - 1) = id(p) RETURN f",
		"MATCH (p:P) MATCH (p)-[*0..]-(x) MATCH (f:F) WHERE 1 / (f.d - f.d) = id(x) RETURN f",
		"MATCH (p:P) MATCH (p)-[*1..3]-(x) UNWIND [1, 0] AS i RETURN 1 / i",
	} {
		if _, err := db.Exec(t.Context(), query, nil); err == nil {
			t.Errorf("%s gives no error", query)
		}
	}
}
