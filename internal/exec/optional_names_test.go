package exec

import (
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// TestOptionalSecondName: a node of an earlier clause has no second name that an OPTIONAL MATCH without a match could leave set.
func TestOptionalSecondName(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 1, Edges: 1})
	for _, text := range []string{
		"MATCH (a) OPTIONAL MATCH (a)((x)-[:NOPE*1..2]->(y)) RETURN x IS NULL AS n",
		"MATCH (a) OPTIONAL MATCH p = (a) WHERE false RETURN p IS NULL AS n",
		"MATCH (a)-[r]->(b) OPTIONAL MATCH p = (b)-[r]->(a) RETURN p IS NULL AS n",
	} {
		script, err := lang.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := planner.New(script.Statements[0], s, planner.Options{}); err == nil || !strings.Contains(err.Error(), "NotSupported") {
			t.Errorf("%s gave %v, not that it is not supported", text, err)
		}
	}
	for _, text := range []string{
		"MATCH (a) OPTIONAL MATCH (b)((x)-[:NOPE*1..2]->(y)) RETURN x IS NULL AS n",
		"MATCH (a) OPTIONAL MATCH p = (a)-[:NOPE]->(a) RETURN p IS NULL AS n",
	} {
		if got, err := (&query{s: s}).rows(t, text); err != nil || !slices.Equal(got, []string{"true"}) {
			t.Errorf("%s gave %v, %v", text, got, err)
		}
	}
}
