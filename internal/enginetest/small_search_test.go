package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// seekGraph is a random graph whose nodes :N have an index on k, which few to many of them share. Node 0 may have many relationships. The
// option makes a query an oracle.
func seekGraph(t *testing.T, rng *rand.Rand) (db *motif.DB, oracle motif.QueryOption) {
	db, oracle = emptyDB(t), motif.WithBruteForce()
	n := 2 + rng.IntN(14)
	run := func(text string) {
		if _, err := db.Exec(t.Context(), text, nil); err != nil {
			t.Fatal(text, err)
		}
	}
	run("CREATE INDEX FOR (n:N) ON (n.k)")
	for i := range n {
		run(fmt.Sprintf("CREATE (:%s {k: %d, i: %d})", []string{"N", "N:M", "M"}[rng.IntN(3)], rng.IntN(1+rng.IntN(8)), i))
	}
	for range rng.IntN(4 * n) {
		run(fmt.Sprintf("MATCH (a {i: %d}), (b {i: %d}) CREATE (a)-[:%s {w: %d}]->(b)", rng.IntN(n), rng.IntN(n), []string{"A", "B"}[rng.IntN(2)], rng.IntN(4)))
	}
	if rng.IntN(4) == 0 { // too large for brute force
		oracle = motif.WithFilter("label")
		run(fmt.Sprintf("MATCH (a {i: 0}) UNWIND range(1, %d) AS j CREATE (a)-[:A {w: j %% 3}]->(:M {i: j})", 100+rng.IntN(300)))
	}
	return db, oracle
}

// seekQuery is a random query whose pattern starts at nodes that the index finds.
func seekQuery(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	rel := func(name string) string {
		in := pick("", "", ":A", ":B", ":A|B")
		return pick("-["+name+in+"]->", "<-["+name+in+"]-", "-["+name+in+"]-")
	}
	label := func() string { return pick("", ":N", ":M") }
	text := "(a:N {k: $k})" + rel("r") + "(b" + label() + ")"
	switch rng.IntN(5) {
	case 0:
		text += rel("s") + "(c" + label() + ")"
	case 1:
		text += rel("s") + "(a)"
	case 2:
		text += ", (a)" + rel("s") + "(c" + label() + ")"
	case 3:
		text += rel("s") + "(c)" + rel("") + pick("(a)", "(b)", "(d)")
	}
	if rng.IntN(2) == 0 {
		text += " WHERE " + pick("b.i > 3", "a.i <> b.i", "r.w < 2", "b.k = a.k", "NOT (b)--(a)", "12 / (b.i % 5) > 2", "r.w + b.i > 4", "EXISTS { (b)-->(:M) }")
	}
	returned := pick("a.i, b.i", "b.i, r.w", "b", "a, r, b", "5", "count(*)", "b.i, count(*)", "DISTINCT b.i", "DISTINCT a.k", "sum(b.i)", "count(DISTINCT b.i % 2)", "collect(DISTINCT a.k)", "b.i ORDER BY b.i, a.i")
	if strings.Contains(text, "/") {
		returned = strings.ReplaceAll(returned, "DISTINCT ", "") // a search that ends at the first match for a node may end before an error
	}
	if rng.IntN(6) == 0 && !strings.Contains(text, "/") { // with a limit, an error may come too late
		returned = fmt.Sprintf("1 LIMIT %d", rng.IntN(5))
	}
	return pick("", "", "", "", "OPTIONAL ") + "MATCH " + pick("", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ") + text + " RETURN " + returned
}

// TestSmallSearch compares searches that follow relationships around a few nodes with the device's search and with an oracle.
func TestSmallSearch(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 60))
	small, all, nonEmpty := 0, 0, 0
	for range 25 {
		db, oracle := seekGraph(t, rng)
		for range 40 {
			text, params := seekQuery(rng), motif.Params{"k": rng.IntN(9)}
			if rng.IntN(8) == 0 {
				params["k"] = 1.0
			}
			want, _, wantErr := seekAnswer(t, db, text, params, oracle, motif.WithoutTechniques("index-seek", "row-probe"))
			other, probes, err := seekAnswer(t, db, text, params, motif.WithoutTechniques("row-probe"))
			if !slices.Equal(other, want) || (err == nil) != (wantErr == nil) || probes > 0 {
				t.Fatalf("seed %d: %s %v\nby the device %v, %v, want %v, %v", seed, text, params, other, err, want, wantErr)
			}
			got, probes, err := seekAnswer(t, db, text, params)
			if !slices.Equal(got, want) || (err == nil) != (wantErr == nil) {
				t.Fatalf("seed %d: %s %v\n%v, %v, want %v, %v", seed, text, params, got, err, want, wantErr)
			}
			all++
			if probes > 0 {
				small++
			}
			if len(want) > 0 {
				nonEmpty++
			}
		}
	}
	t.Logf("seed %d: %d queries, %d with rows, %d by small searches", seed, all, nonEmpty, small)
	if small < all/20 || small > all*9/10 || nonEmpty < all/3 {
		t.Errorf("seed %d: %d of %d by small searches, %d with rows: they test little", seed, small, all, nonEmpty)
	}
}

// seekAnswer returns the rows of a query, sorted, and how many rows were matched without a search.
func seekAnswer(t *testing.T, db *motif.DB, text string, params motif.Params, opts ...motif.QueryOption) (all []string, probes uint64, err error) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, params, opts...)
	if err != nil {
		t.Fatal(text, err)
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, 0, err
		}
		line := []byte(nil)
		for i := range row.Len() {
			line = append(row.AppendJSON(line, i), ' ')
		}
		all = append(all, string(line))
	}
	slices.Sort(all)
	for _, use := range rows.Summary().Techniques {
		if use.Name == "row-probe" {
			probes = use.Uses
		}
	}
	return all, probes, nil
}

// TestSmallSearchAfterChanges runs small searches in a transaction that has changed what they look at.
func TestSmallSearchAfterChanges(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 61))
	undo := errors.New("undo")
	for range 25 {
		db, oracle := seekGraph(t, rng)
		err := db.Update(t.Context(), func(tx *motif.Tx) error {
			for range 12 {
				change := []string{"MATCH (a:N {k: $k})-[r]->(b) DELETE r", "MATCH (a:N {k: $k})-[r]-(b) SET b.k = $x", "MATCH (a:N {k: $k})--(b) DETACH DELETE b",
					"MATCH (a:N {k: $k})-[r:A]->(b) CREATE (b)-[:B {w: 1}]->(a)", "MATCH (a:N {k: $k}) SET a.k = $x", "MATCH (a:N {k: $k})-->(b) REMOVE b:N"}[rng.IntN(6)]
				params := motif.Params{"k": rng.IntN(6), "x": rng.IntN(6)}
				if _, err := tx.Exec(t.Context(), change, params); err != nil {
					return err
				}
				text := seekQuery(rng)
				if strings.Contains(text, "LIMIT") {
					continue
				}
				var lists [2][]string
				var errs [2]error
				for i, opts := range [][]motif.QueryOption{nil, {oracle, motif.WithoutTechniques("index-seek", "row-probe")}} {
					rows, err := tx.Query(t.Context(), text, params, opts...)
					if err != nil {
						return err
					}
					for row, err := range rows.All() {
						if errs[i] = err; err == nil {
							lists[i] = append(lists[i], fmt.Sprint(row.Values()))
						}
					}
					slices.Sort(lists[i])
				}
				if (errs[0] == nil) != (errs[1] == nil) || errs[0] == nil && !slices.Equal(lists[0], lists[1]) {
					t.Fatalf("seed %d: %s %v\n%v, %v; want %v, %v", seed, text, params, lists[0], errs[0], lists[1], errs[1])
				}
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(seed, err)
		}
	}
}
