package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// table is a graph of vertices without relationships that have random properties k and v: rows for the operators.
func table(t testing.TB, rng *rand.Rand, n, kinds int) (*csr.Snapshot, []value.Value, []value.Value) {
	b := csr.NewBuilder()
	b.AddVertices(n)
	draw := func(key csr.KeyID) []value.Value {
		column := make([]value.Value, n)
		for i := range column {
			column[i] = randomScalar(rng, kinds)
			if c, err := column[i].Cell(); err == nil {
				b.SetVertex(uint32(i), key, c)
			}
		}
		return column
	}
	k, v := draw(b.Key("k")), draw(b.Key("v"))
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s, k, v
}

// randomScalar draws from few values: the first kinds of null, integers, floats, strings, booleans, lists.
func randomScalar(rng *rand.Rand, kinds int) value.Value {
	switch rng.IntN(kinds) {
	case 0:
		return value.Value{}
	case 1:
		return value.OfInt(int64(rng.IntN(7) - 3))
	case 2:
		return value.OfFloat([]float64{0.5, 1, 2, -1.5, math.NaN(), math.Inf(1), 1e17}[rng.IntN(7)])
	case 3:
		return value.OfString(string(rune('a' + rng.IntN(4))))
	case 4:
		return value.OfBool(rng.IntN(2) == 0)
	}
	return value.OfList([]value.Value{randomScalar(rng, 5)})
}

// TestSortAgainstStable compares ORDER BY, in one run and in many, with and without LIMIT, with sort.SliceStable. The
// brute-force device gives vertices in order of id, so that stability shows.
func TestSortAgainstStable(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 21))
		n := rng.IntN(60)
		if seed < 2 {
			n = 3*runLen + 100 - int(seed)*100
		}
		s, ks, vs := table(t, rng, n, 6)
		at := make([]int, n)
		for i := range at {
			at[i] = i
		}
		sort.SliceStable(at, func(i, j int) bool {
			if c := value.Compare(ks[at[i]], ks[at[j]]); c != 0 {
				return c > 0
			}
			return value.Compare(vs[at[i]], vs[at[j]]) < 0
		})
		skip, limit := rng.IntN(10), rng.IntN(30)
		for _, cut := range []bool{false, true} {
			text, wanted := "MATCH (n) RETURN id(n) ORDER BY n.k DESC, n.v", at
			if cut {
				text += fmt.Sprintf(" SKIP %d LIMIT %d", skip, limit)
				wanted = wanted[min(skip, n):min(skip+limit, n)]
			}
			rows, err := (&query{s: s}).rows(t, text)
			if err != nil || len(rows) != len(wanted) {
				t.Fatalf("seed %d, %s: %d rows, %v", seed, text, len(rows), err)
			}
			for i, r := range rows {
				if r != fmt.Sprint(wanted[i]) {
					t.Fatalf("seed %d, %s: row %d is %s, want %d", seed, text, i, r, wanted[i])
				}
			}
		}
	}
}

// TestAggregatesAgainstNaive groups with a map of Go's own and exact arithmetic.
func TestAggregatesAgainstNaive(t *testing.T) {
	const text = "MATCH (n) RETURN n.k, count(*), count(n.v), count(DISTINCT n.v), min(n.v), max(n.v), collect(n.v), collect(DISTINCT n.v)"
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 22))
		s, ks, vs := table(t, rng, rng.IntN(80), 6)
		groups := map[string][]value.Value{}
		keys := map[string]value.Value{}
		for i, k := range ks {
			name := naiveKey(k)
			if _, ok := keys[name]; !ok {
				keys[name] = k
			}
			groups[name] = append(groups[name], vs[i])
		}
		var wanted []string
		for name, k := range keys {
			wanted = append(wanted, k.String()+" | "+naiveAggregates(groups[name]))
		}
		rows, err := (&query{s: s}).rows(t, text)
		if err != nil || !slices.Equal(sorted(rows), sorted(wanted)) {
			t.Fatalf("seed %d: %v\n got %q\nwant %q", seed, err, sorted(rows), sorted(wanted))
		}
		distinct, err := (&query{s: s}).rows(t, "MATCH (n) RETURN DISTINCT n.k")
		if err != nil || len(distinct) != len(keys) {
			t.Fatalf("seed %d: DISTINCT gives %q, there are %d keys, %v", seed, distinct, len(keys), err)
		}
	}
}

// naiveKey writes equivalent values of this test alike: integral floats as integers.
func naiveKey(v value.Value) string {
	switch v.Kind() {
	case value.Float:
		if f := v.Float(); f == math.Trunc(f) && f >= -0x1p63 && f < 0x1p63 {
			return fmt.Sprint(int64(f))
		}
	case value.List:
		var parts []string
		for _, e := range v.List() {
			parts = append(parts, naiveKey(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return v.String()
}

func naiveAggregates(vs []value.Value) string {
	var all, distinct []value.Value
	var least, most value.Value
	seen := map[string]bool{}
	for _, v := range vs {
		if v.IsNull() {
			continue
		}
		if len(all) == 0 || value.Compare(v, least) < 0 {
			least = v
		}
		if len(all) == 0 || value.Compare(v, most) > 0 {
			most = v
		}
		all = append(all, v)
		if !seen[naiveKey(v)] {
			seen[naiveKey(v)] = true
			distinct = append(distinct, v)
		}
	}
	return fmt.Sprintf("%d | %d | %d | %v | %v | %v | %v", len(vs), len(all), len(distinct), least, most, value.OfList(all), value.OfList(distinct))
}

// BenchmarkReturn measures the way of a row from a device that costs nothing.
func BenchmarkReturn(b *testing.B) {
	s := line(b, 1<<16)
	for _, text := range []string{
		"MATCH (a)-->(b) RETURN a, b", "MATCH (a) RETURN a.x", "MATCH (a) RETURN a.x % 10, count(*)", "MATCH (a) RETURN DISTINCT a.x", "MATCH (a) RETURN a.x ORDER BY a.x LIMIT 10",
		"MATCH (a) RETURN a.x ORDER BY a.x", "MATCH (a) RETURN sum(a.x)",
	} {
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			q := &query{s: s, env: &pattern.Env{Workers: 2}, device: &flood{workers: 2, batch: 256, weight: 1, total: int64(b.N)}}
			if err := q.each(b, text, func([]value.Value) (bool, error) { return true, nil }); err != nil {
				b.Fatal(err)
			}
		})
	}
}
