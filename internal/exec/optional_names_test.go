package exec

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/testgraph"
)

// TestOptionalSecondName gives nodes of an earlier clause second names, which are null after an OPTIONAL MATCH without a match.
func TestOptionalSecondName(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 1, Edges: 1})
	for _, text := range []string{
		"MATCH (a) OPTIONAL MATCH (a)((x)-[:NOPE*1..2]->(y)) RETURN x IS NULL AS n",
		"MATCH (a) OPTIONAL MATCH p = (a) WHERE false RETURN p IS NULL AS n",
		"MATCH (a)-[r]->(b) OPTIONAL MATCH p = (b)-[r:NOPE]->(a) RETURN p IS NULL AS n",
		"MATCH (a) OPTIONAL MATCH (b)((x)-[:NOPE*1..2]->(y)) RETURN x IS NULL AS n",
		"MATCH (a) OPTIONAL MATCH p = (a)-[:NOPE]->(a) RETURN p IS NULL AS n",
	} {
		if got, err := (&query{s: s}).rows(t, text); err != nil || !slices.Equal(got, []string{"true"}) {
			t.Errorf("%s gave %v, %v", text, got, err)
		}
	}
}
