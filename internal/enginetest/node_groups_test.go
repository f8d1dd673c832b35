package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// A count by one node is found by formulas: the rows are those of the search, and their sum is the total. The node may be returned whole,
// by its id or by a property, as the top ones only, or go on to another clause.
func TestCountByNode(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 16))
	var text strings.Builder
	for range 1_300 {
		u, v := rng.IntN(120), rng.IntN(1+rng.IntN(120))
		fmt.Fprintln(&text, u, v)
	}
	db := memoryDB(t, edges(text.String()))
	taken := map[string]int{}
	for _, q := range []struct{ pattern, node string }{
		{"(a)--(b)--(c)--(d)--(a)", "a"},
		{"(a)-->(b)-->(c)-->(d)-->(a)", "b"},
		{"(a)-->(b)<--(c)-->(d)<--(a)", "d"},
		{"(a)--(b)--(c)--(d)--(a), (a)--(c)", "a"},
		{"(a)--(b)--(c)--(d)--(a), (a)--(e)--(b)", "c"},
		{"(a)--(b)--(c)--(d)--(a)--(e)", "e"},
		{"(a)--(b)--(c)--(d)", "b"},
	} {
		for _, mode := range []string{"", "DIFFERENT NODES ", "REPEATABLE ELEMENTS "} {
			match := "MATCH " + mode + q.pattern
			for _, tail := range []string{
				" RETURN id(%[1]s) AS x, count(*) AS n ORDER BY x",
				" RETURN id(%[1]s) AS x, count(*) AS n ORDER BY n DESC, x LIMIT 5",
				" WITH %[1]s, count(*) AS n WHERE n > 1000 MATCH (%[1]s)-->(z) RETURN id(z) AS x, sum(n) AS n ORDER BY n, x",
			} {
				text := match + fmt.Sprintf(tail, q.node)
				got, err := rowsOf(t.Context(), db, text)
				if err != nil {
					t.Fatal(text, err)
				}
				want, err := rowsOf(t.Context(), db, text, motif.WithoutTechniques("group-sums"))
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s: %d rows, want %d, %v", text, len(got), len(want), err)
				}
			}
			rows := query(t, db, match+fmt.Sprintf(" WITH %s, count(*) AS n RETURN sum(n) AS n", q.node))
			sum, err := motif.One[int64](rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range rows.Summary().Techniques {
				taken[x.Name]++
			}
			total, err := motif.One[int64](query(t, db, match+" RETURN count(*) AS n"))
			if err != nil || total != sum {
				t.Fatalf("%s: the numbers by %s add up to %d, not %d, %v", match, q.node, sum, total, err)
			}
		}
	}
	for _, name := range []string{"group-sums", "ordered-wedges"} {
		if taken[name] < 5 {
			t.Errorf("%s was used %d times", name, taken[name])
		}
	}
}
