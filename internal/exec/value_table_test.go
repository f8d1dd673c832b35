package exec

import (
	"fmt"
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestTable: rows that give the value of a property find the nodes that have it by a table, and without room for one by going
// through all.
func TestTable(t *testing.T) {
	s := line(t, 500)
	text := "UNWIND range(0, 999) AS i MATCH (a {x: i % 501 + 0.0}) MATCH (b) WHERE b.x = a.x + 1 RETURN count(*), sum(b.x), min(a.x)"
	n, sum := 0, 0
	for i := range 1000 {
		if x := i % 501; x < 499 { // 499 has none after it, 500 is none
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
