package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif"
)

// equalValues are values some of which are equal, or nearly so.
var equalValues = []string{
	"1", "1.0", "2", "'1'", "'a'", "'A'", "''", "null", "0.0 / 0.0", "-0.0", "0", "true", "[1]", "[1.0]", "[null]", "[]",
	"9007199254740993", "9007199254740992.0", "1.0 / 0.0", "date('2020-01-01')", "datetime('2020-01-01T00:00Z')", "duration('P1D')", "duration('PT24H')", "'long enough for a key of its own'",
}

// TestEqualValues joins nodes by equal properties and compares with brute force.
func TestEqualValues(t *testing.T) {
	const seeds = 40
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 40))
		db, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		write := func(format string, args ...any) {
			if _, err := db.Exec(t.Context(), fmt.Sprintf(format, args...), nil); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 24 {
			label := []string{"A", "B", "A:B"}[rng.IntN(3)]
			write("CREATE (:%s {i: %d, k: %s, s: '%c'})", label, i, equalValues[rng.IntN(len(equalValues))], 'a'+rune(rng.IntN(3)))
		}
		for range 30 {
			write("MATCH (a {i: %d}), (b {i: %d}) CREATE (a)-[:R {k: %d}]->(b)", rng.IntN(24), rng.IntN(24), rng.IntN(3))
		}
		for range 12 {
			q := equalQuery(rng)
			want, wantErr := rowsOf(t.Context(), db, q, motif.WithBruteForce())
			for _, opts := range [][]motif.QueryOption{nil, {motif.WithoutTechniques("value-lists")}, {motif.WithoutTechniques("counted-tail")}, {motif.WithWorkers(3)}} {
				got, err := rowsOf(t.Context(), db, q, opts...)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s\n%v %v, want\n%v %v", seed, q, got, err, want, wantErr)
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// equalQuery is a query whose parts are joined by equal values.
func equalQuery(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	where := pick("a.k = b.k", "b.k = a.k", "a.k = b.k AND a.i < b.i", "a.s = b.s", "a.s + 'x' = b.s + 'x'", "toLower(a.s) = b.s", "a.i % 5 = b.i % 7", "a.k = b.k AND a.s = b.s",
		"a.k = b.k AND a <> b", "a.k = b.s", "id(a) = b.i", "a.k = b.k AND NOT EXISTS { (a)-->(b) }", "a.k = b.k AND a.i + b.i > 20")
	from := pick("(a:A), (b:B)", "(a), (b)", "(a)-->(c), (b)", "(a)-[:R]->(c), (b)<--(d:A)", "(a)--(c)--(b)", "(a:A)-->(a2), (b)")
	mode := pick("", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ")
	what := pick("count(*)", "a.i, b.i", "a.s, count(*)", "b.s, count(*), sum(b.i)", "a.i, count(b)", "count(b), count(DISTINCT a.i)", "DISTINCT b.s", "b.i, min(a.s)")
	return "MATCH " + mode + from + " WHERE " + where + " RETURN " + what
}
