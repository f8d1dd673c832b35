package exec

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// Relationships by target are made for a row's match only if they fit into the query's memory. What is charged for them is given back, whether
// they are made or not.
func TestEntersReleases(t *testing.T) {
	s := testgraph.Random(7, testgraph.Options{Vertices: 60, Edges: 500, Types: 1, Flat: true})
	all := []csr.TypeID{0}
	for _, limit := range []int64{csr.IncomingBytes(s, 0) - 1, 0} {
		memory := &pattern.Memory{Limit: limit}
		q := &anchoredMatch{s: s, m: &matchStage{outlet: &outlet{x: &execution{ctx: t.Context()}}, env: pattern.Env{Memory: memory}}}
		v := &move{incidence: incidence{types: all, planned: true}}
		made := 0
		for v.misses = 0; v.misses < 1000; v.misses++ {
			if q.enters(v) {
				made++
			}
		}
		if memory.Used() != 0 || (made > 0) != (limit == 0) {
			t.Errorf("limit %d: made for %d rows, %d bytes are still charged", limit, made, memory.Used())
		}
	}
}
