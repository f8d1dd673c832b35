package enginetest

import (
	"bufio"
	"fmt"
	"github.com/motifql/motif"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
)

// labelledDB holds a simple graph whose vertices have one of five labels, by chance.
func labelledDB(t *testing.T, edges iter.Seq2[uint32, uint32]) *motif.DB {
	t.Helper()
	b, rng := csr.NewBuilder(), rand.New(rand.NewPCG(1, 2))
	typ, n := b.Type("E"), uint32(0)
	for l := range 5 {
		b.Label(string(rune('A' + l)))
	}
	for u, v := range edges {
		for ; n <= max(u, v); n++ {
			b.AddVertex(csr.LabelID(rng.IntN(5)))
		}
		if u != v {
			b.AddEdge(min(u, v), max(u, v), typ)
		}
	}
	b.DropRepeats(typ)
	snap, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.Open(":memory:", motif.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := storeOf(db).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// edgeList reads two ids a line.
func edgeList(t *testing.T, file string) iter.Seq2[uint32, uint32] {
	lines := bufio.NewScanner(shared.Open(t, file))
	return func(yield func(uint32, uint32) bool) {
		for lines.Scan() {
			var u, v uint32
			if n, _ := fmt.Sscan(lines.Text(), &u, &v); n == 2 && !yield(u, v) {
				return
			}
		}
	}
}

// The stages of a query that is no trifle account for at least 95 % of the time that its caller sees, and never for more
// than all of it.
func TestStages(t *testing.T) {
	for _, g := range []struct {
		name  string
		edges func(t *testing.T) iter.Seq2[uint32, uint32]
	}{
		{"rmat", func(*testing.T) iter.Seq2[uint32, uint32] { return testgraph.RMAT(13, 16, 1) }},
		{"soc-Slashdot0902", func(t *testing.T) iter.Seq2[uint32, uint32] { return edgeList(t, "soc-Slashdot0902.txt.zst") }},
	} {
		t.Run(g.name, func(t *testing.T) {
			db := labelledDB(t, g.edges(t))
			long := 0
			for _, q := range []string{
				"MATCH (a:A)--(b:B)--(c:C)--(a) RETURN count(*) AS n",
				"MATCH DISTINCT SUBGRAPHS (a:A), (b:A), (c:B), (d:C) WHERE IS_CLIQUE([a, b, c, d]) RETURN id(a) AS a, id(d) AS d",
				"MATCH (a:A)--(b:B)--(c:C)--(d:D)--(a), (a)--(c), (b)--(d) RETURN count(*) AS n",
				"MATCH (a:A)--(b:B) WHERE id(a) % 3 = 0 RETURN id(a) % 7 AS k, count(*) AS n, max(id(b)) AS m ORDER BY n DESC",
				"MATCH (a:A)--(b) RETURN id(a) AS a, id(b) AS b ORDER BY b, a",
				"CALL algo.kcore() YIELD node, core MATCH (node)--(b:B) RETURN core, count(*) AS n ORDER BY core",
				"PROFILE MATCH (a:A)--(b:B)--(c:C)--(a) RETURN count(*) AS n",
			} {
				best, wall := 0.0, time.Duration(0)
				for range 5 {
					share, took := accounted(t, db, q)
					if share > 1 {
						t.Errorf("%s: %.2f %% of %v are accounted for", q, 100*share, took)
					}
					if best, wall = max(best, share), max(wall, took); best >= 0.95 {
						break
					}
				}
				t.Logf("%5.1f %% of %v: %s", 100*best, wall, q)
				if wall > 20*time.Millisecond {
					long++
					if best < 0.95 {
						t.Errorf("%s: %.1f %% of %v are accounted for", q, 100*best, wall)
					}
				}
			}
			if long == 0 {
				t.Error("no query took longer than 20 ms: nothing was measured")
			}
		})
	}
}

// PROFILE of a query of well under a millisecond accounts for its time, too, of which planning and explaining are most.
func TestStagesOfSmallQuery(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text := "PROFILE MATCH (n0:Person {id: -1})" // that there is not
	for i := range 20 {
		text += fmt.Sprintf("-[:KNOWS]-(n%d:Person)", i+1)
	}
	text += " RETURN count(*)"
	best := 0.0
	for range 20 {
		rows, err := db.Query(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		sum := rows.Summary()
		checkStages(t, "PROFILE", sum)
		share, named := 0.0, 0
		for _, s := range sum.Stages {
			share += s.Share
			if s.Name == "start" || s.Name == "explain" {
				named++
			}
		}
		if named != 2 {
			t.Fatalf("starting and explaining are not both among the stages %v", sum.Stages)
		}
		best = max(best, share)
	}
	if best < 0.95 {
		t.Errorf("%.1f %% are accounted for", 100*best)
	}
}

// accounted runs a query and returns what share of the time from its call to its last row its stages add up to.
func accounted(t *testing.T, db *motif.DB, text string) (share float64, wall time.Duration) {
	t.Helper()
	start := time.Now()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	wall = time.Since(start)
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	sum := rows.Summary()
	checkStages(t, text, sum)
	all := time.Duration(0)
	for _, s := range sum.Stages {
		all += s.Time
	}
	return float64(all) / float64(wall), wall
}

// checkStages checks that no stage is negative and all together are no more than the whole.
func checkStages(t *testing.T, text string, sum motif.Summary) {
	t.Helper()
	all, shares := time.Duration(0), 0.0
	for _, s := range sum.Stages {
		if s.Time < 0 {
			t.Errorf("%s: stage %s took %v", text, s.Name, s.Time)
		}
		all, shares = all+s.Time, shares+s.Share
	}
	if all > sum.Total || shares > 1+1e-9 {
		t.Errorf("%s: stages of %v, %v, in all %v", text, all, sum.Stages, sum.Total)
	}
}

// What a first query has to build is named, a second one finds it built, and a prepared statement is parsed once.
func TestStagesNameIndexes(t *testing.T) {
	db := labelledDB(t, testgraph.RMAT(10, 8, 1))
	const text = "MATCH (a:A)--(b:B)--(c:C)--(a) RETURN count(*) AS n"
	stmt, err := db.Prepare(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		rows, err := stmt.Query(t.Context(), nil, motif.WithFilter("signature"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := motif.One[int64](rows); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range rows.Summary().Stages {
			names = append(names, s.Name)
		}
		all := strings.Join(names, "; ")
		for _, index := range []string{"index: signature-quantity", "index: signature-path", "index: signature-triangle"} {
			if strings.Contains(all, index) != (i == 0) {
				t.Errorf("run %d: stages %s", i, all)
			}
		}
		if strings.Contains(all, "parse") {
			t.Errorf("a prepared statement was parsed again: %s", all)
		}
	}
	plan, err := answer(t, db, "PROFILE "+text+" //ORDER BY")
	printed := strings.Join(plan, "\n")
	for _, part := range []string{"total ", "parse ", "filter ", "search ", "output ", " %"} {
		if err != nil || !strings.Contains(printed, part) {
			t.Errorf("%q is missing, %v:\n%s", part, err, printed)
		}
	}
}
