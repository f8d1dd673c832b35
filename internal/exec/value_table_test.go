package exec

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestTable checks that rows with a value find the nodes with that property in a table, and without room for a table by
// going through all nodes.
func TestTable(t *testing.T) {
	s := line(t, 500)
	text := "UNWIND range(0, 999) AS i MATCH (a {x: i % 501 + 0.0}) MATCH (b) WHERE b.x = a.x + 1 RETURN count(*), sum(b.x), min(a.x)"
	n, sum := 0, 0
	for i := range 1000 {
		if x := i % 501; x < 499 { // nothing follows 499, and 500 does not exist
			n, sum = n+1, sum+x+1
		}
	}
	for _, memory := range []int64{0, 40000} {
		q := &query{s: s, env: &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: &pattern.Memory{Limit: memory}}}
		want(t, q, text, false, fmt.Sprintf("%d | %d | 0", n, sum))
		if q.env.Tally.Taken[pattern.RowProbe].Load() == 0 {
			t.Error("no probe")
		}
		if partial := q.env.Tally.Partial.Load(); (memory == 0) != (partial < 10_000) {
			t.Errorf("%d candidates were gone through with %d bytes", partial, memory)
		}
		if used := q.env.Memory.Used(); used != 0 {
			t.Errorf("%d bytes still charged", used)
		}
	}
}
