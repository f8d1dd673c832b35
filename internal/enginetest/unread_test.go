package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// TestUnreadRows limits rows whose matches nothing reads, and compares with brute force.
func TestUnreadRows(t *testing.T) {
	taken := 0
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 42))
		pick := func(list ...string) string { return list[rng.IntN(len(list))] }
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		write := func(format string, args ...any) {
			if _, err := db.Exec(t.Context(), fmt.Sprintf(format, args...), nil); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 14 {
			write("CREATE (:%s {i: %d})", pick("A", "B", "A:B"), i)
		}
		for range 30 {
			write("MATCH (a {i: %d}), (b {i: %d}) CREATE (a)-[:%s]->(b)", rng.IntN(14), rng.IntN(14), pick("R", "S"))
		}
		for range 12 {
			match := "MATCH " + pick("", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "INDUCED SUBGRAPHS ", "DISTINCT SUBGRAPHS ") + pick(
				"(a:A)--(b), (a)--(c)", "(a)--(b)--(c), (b)--(d:A)", "(a)-->(b)-[:R]->(c), (a)-->(c)", "(a:A)--(b:B)--(c)--(a), (c)--(d)", "(a)-->(b)", "(a:B)", "(a:A), (b:B)", "(a)-[:R]-(b)-[:S]-(c), (b)-[:R]-(d)")
			n := rng.IntN(60)
			tail := pick(fmt.Sprintf("WITH 1 AS x LIMIT %d RETURN count(*), sum(x)", n), fmt.Sprintf("RETURN 1 AS x, 'y' AS y LIMIT %d", n),
				fmt.Sprintf("WITH 2 AS x SKIP %d LIMIT %d RETURN count(x)", rng.IntN(5), n), fmt.Sprintf("WITH 3 AS x LIMIT %d RETURN x, count(*)", n),
				fmt.Sprintf("WITH 5 AS x LIMIT %d RETURN DISTINCT x", n), fmt.Sprintf("WITH 1 AS x LIMIT %d WHERE x = 1 RETURN x + 1 AS y, count(*)", n),
				fmt.Sprintf("WITH 1 AS x LIMIT %d WITH x LIMIT %d RETURN collect(x)", n, rng.IntN(60)), fmt.Sprintf("WITH 1 AS x LIMIT %d MATCH (q:A) RETURN count(*)", n),
				fmt.Sprintf("RETURN a.i AS x ORDER BY x LIMIT %d", n), "WITH a.i AS x RETURN x, count(*) AS n ORDER BY x, n", fmt.Sprintf("RETURN a.i + 1 AS x ORDER BY x SKIP %d", n))
			q := match + " " + tail
			want, wantErr := rowsOf(t.Context(), db, q, motif.WithBruteForce())
			for _, opts := range [][]motif.QueryOption{nil, {motif.WithoutTechniques("counted-choices")}, {motif.WithWorkers(3)}} {
				rows, err := rowsOf(t.Context(), db, q, opts...)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(rows, want) {
					t.Fatalf("seed %d: %s\n%v %v, want\n%v %v", seed, q, rows, err, want, wantErr)
				}
			}
			rows, err := db.Query(t.Context(), q, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range rows.All() {
			}
			if slices.ContainsFunc(rows.Summary().Techniques, func(m motif.TechniqueUse) bool { return m.Name == "counted-choices" }) {
				taken++
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if taken == 0 {
		t.Error("no query took choices by their number")
	}
}
