package enginetest

import (
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// A triangle without conditions is counted by the triangle kernel, unless it is switched off or something is asked of
// its nodes.
func TestTriangleKernel(t *testing.T) {
	db := memoryDB(t, edges(complete(6)+"0 100\n1 101\n")) // the filter drops 100 and 101, which changes nothing
	for _, c := range []struct {
		text  string
		opts  []motif.QueryOption
		want  int64
		taken bool
	}{
		{"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*) AS n", nil, 20, true},
		{"MATCH (a)--(b)--(c)--(a) RETURN count(*) AS n", nil, 120, true},
		{"MATCH (a)--(b)--(c)--(a) RETURN count(*) AS n", []motif.QueryOption{motif.WithoutTechniques("triangle-kernel")}, 120, false},
		{"MATCH (a)--(b)--(c)--(a) RETURN count(*) AS n", []motif.QueryOption{motif.WithKernel("join")}, 120, false},
		{"MATCH (a)--(b)--(c)--(a) WHERE id(a) > -1 RETURN count(*) AS n", nil, 120, false},
		{"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a), (a)--(c), (b)--(d) RETURN count(*) AS n", nil, 15, false},
	} {
		rows := query(t, db, c.text, c.opts...)
		if n, err := motif.One[int64](rows); n != c.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", c.text, n, err, c.want)
		}
		taken := slices.ContainsFunc(rows.Summary().Techniques, func(m motif.TechniqueUse) bool { return m.Name == "triangle-kernel" })
		if taken != c.taken {
			t.Errorf("%s: taken: %v, want %v", c.text, taken, c.taken)
		}
	}
}
