package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
)

// spreadGraph is a graph of 30,000 nodes and 350,000 relationships of one type: so many that single rows of it can be decoded. A second type has few
// relationships, some of which join the same nodes as those of the first. In half of the graphs, some of both types repeat.
func spreadGraph(t *testing.T, rng *rand.Rand, repeats bool) *csr.Snapshot {
	t.Helper()
	const n = 30_000
	b := csr.NewBuilder()
	typ, label, key, weight := b.Type("T"), b.Label("A"), b.Key("id"), b.Key("w")
	for v := range uint32(n) {
		if v%3 == 0 {
			b.AddVertex(label)
		} else {
			b.AddVertex()
		}
		b.SetVertex(v, key, csr.IntCell(int64(v)))
	}
	var pairs [][2]uint32
	for range 350_000 {
		u, w := rng.Uint32N(n), rng.Uint32N(n)
		if rng.IntN(4) == 0 {
			u = rng.Uint32N(20)
		}
		pairs = append(pairs, [2]uint32{u, w})
	}
	pairs = append(pairs, [2]uint32{7, 7}, [2]uint32{21, 21})
	slices.SortFunc(pairs, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	for i, p := range slices.Compact(pairs) {
		b.SetEdge(b.AddEdge(p[0], p[1], typ), weight, csr.IntCell(int64(p[0]+p[1])%100))
		if repeats && (i%6 == 0 || p[0] == p[1]) {
			b.SetEdge(b.AddEdge(p[0], p[1], typ), weight, csr.IntCell(int64(i)%100))
		}
	}
	others := [][2]uint32{}
	for i := range uint32(300) {
		others = append(others, [2]uint32{i % 25, i * 7 % 60})
	}
	for _, p := range slices.Compact(pairs)[:40] {
		others = append(others, [2]uint32{p[1], p[0]})
	}
	slices.SortFunc(others, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	if others = slices.Compact(others); repeats {
		others = append(others, others[:20]...)
	}
	other := b.Type("U")
	for i, p := range others {
		b.SetEdge(b.AddEdge(p[0], p[1], other), weight, csr.IntCell(int64(i)%100))
	}
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Queries around single nodes have the same answers in a mapped store, where they decode few rows, as in a store that is read whole. Those that LIMIT
// ends after some matches have as many rows, all of them matches.
func TestMappingFewRows(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 6))
	repeats := rng.IntN(2) == 0
	snap := spreadGraph(t, rng, repeats)
	dir, _ := mappedStore(t, snap)
	plain, err := motif.Open(":memory:", onDevice())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := storeOf(plain).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	patterns := []string{"(a {id: $})-->(b)", "(a {id: $})<--(b)", "(a {id: $})-[e]->(b)", "(a {id: $})<-[e]-(b)", "(a {id: $})-->(b:A)", "(a {id: $})-[e]->(b) WHERE e.w > 50",
		"(a {id: $})-->(b)-->(c) WHERE c.id < 400", "(a {id: $})-->(b)<--(c) WHERE b.id = 77", "(a {id: $})-->(b)-->(a)", "(a:A {id: $})--(b)", "(a)-->(b) WHERE a.id IN [$, 5, 9]",
		"(a {id: $})-[e]->(b), (c {id: 3})-[f]->(b)", "(a:T0)-->(b) WHERE a.id < 40", "(a)-->(b) WHERE a.id < 40", "(a)-[e]-(b) WHERE a.id < 30", "(a:!A)-[e:T|U]-(b) WHERE a.id < 30",
		"(a)<-[e:T]-(b) WHERE a.id < 90 AND e.w > 10", "(a)-->(b)--(c) WHERE a.id < 20 AND b.id < 60 AND c.id < 60", "(a)--(b)--(c)--(a) WHERE a.id < 25 AND b.id < 25",
		"(a)-[:U]-(b)-[:T]-(c) WHERE a.id < 20 AND c.id < 300", "(a), (b:A) WHERE a.id < 15 AND b.id < 15", "(a)-[e]-(b)-[f]-(a) WHERE a.id < 20", "(a)-[e:T]->(a)", "(a)-[e:U]-(b)",
		"(a {id: $})--(b)", "(a {id: $})-[:T]-(b)", "(a {id: $})-[:T|U]->(b)-[:T]-(c) WHERE c.id < 900"}
	early := 0
	modes := []string{"", "DIFFERENT NODES ", "REPEATABLE ELEMENTS "}
	for range 3 { // at each opening, all is to be decoded again
		db := openMapped(t, dir)
		for range 40 {
			id := fmt.Sprint([]int{rng.IntN(20), rng.IntN(30_000), 7, 21}[rng.IntN(4)])
			from := "MATCH " + modes[rng.IntN(3)] + strings.ReplaceAll(patterns[rng.IntN(len(patterns))], "$", id)
			result := " RETURN a.id AS x, b.id AS y"
			if !strings.Contains(from, "(b") {
				result = " RETURN a.id AS x"
			}
			if strings.Contains(from, "[e]") {
				result += ", e.w AS w"
			}
			whole := mappedAnswer(t, seed, plain, from+result)
			if got := mappedAnswer(t, seed, db, from+result); !slices.Equal(got, whole) {
				t.Fatalf("seed %d: %s: %d rows, want %d", seed, from+result, len(got), len(whole))
			}
			count := " RETURN count(*)"
			if got, want := mappedAnswer(t, seed, db, from+count), mappedAnswer(t, seed, plain, from+count); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %v, want %v", seed, from+count, got, want)
			}
			most := 1 + rng.IntN(300)
			limited := fmt.Sprint(from, result, " LIMIT ", most)
			some := mappedAnswer(t, seed, db, limited)
			if plan := mappedAnswer(t, seed, db, "PROFILE "+limited); strings.Contains(strings.Join(plan, ""), "row-probe") && !strings.Contains(strings.Join(plan, ""), "-> ") {
				early++ // the labels alone have chosen candidates
			}
			if len(some) != min(most, len(whole)) || !within(some, whole) {
				t.Fatalf("seed %d: %s LIMIT %d: %d rows of %d, or others", seed, from+result, most, len(some), len(whole))
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if t.Logf("seed %d: %d queries found their rows before anything was filtered", seed, early); early < 20 {
		t.Errorf("repeats: %v; want 20", repeats)
	}
	db := openMapped(t, dir)
	if got := mappedAnswer(t, seed, db, "MATCH (a)-[e]->(b) RETURN a.id, b.id, e.w LIMIT 5"); len(got) != 5 {
		t.Errorf("%d rows of any relationship", len(got))
	}
}

func mappedAnswer(t *testing.T, seed uint64, db *motif.DB, q string) []string {
	t.Helper()
	rows, err := answer(t, db, q)
	if err != nil {
		t.Fatalf("seed %d: %s: %v", seed, q, err)
	}
	slices.Sort(rows)
	return rows
}

// within reports whether all of some, which is sorted as whole is, occur in whole as often.
func within(some, whole []string) bool {
	for _, x := range some {
		i, found := slices.BinarySearch(whole, x)
		if !found {
			return false
		}
		whole = whole[i+1:]
	}
	return true
}
