package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// uncached is a text so long that the DB keeps no plan for it.
func uncached(text string) string { return text + strings.Repeat(" ", 17<<10) }

// outcomeOf returns all that a statement gives, but times and estimates, as text.
func outcomeOf(t *testing.T, q querier, text string, params motif.Params) string {
	t.Helper()
	rows, err := q.Query(t.Context(), text, params, motif.WithTimeout(20*time.Second))
	if err != nil {
		return "error " + strings.ReplaceAll(err.Error(), strings.Repeat(" ", 17<<10), "")
	}
	var lines []string
	for row, err := range rows.All() {
		if err != nil {
			lines = append(lines, "error "+err.Error())
			break
		}
		lines = append(lines, fmt.Sprint(row.Values()...))
	}
	if !strings.Contains(text, "ORDER BY") {
		slices.Sort(lines)
	}
	sum := rows.Summary()
	return fmt.Sprint(rows.Columns(), lines, sum.Warnings, sum.Changes)
}

// randomChange is a statement that changes what plans rely on.
func randomChange(r *rand.Rand) string {
	one := func(options ...string) string { return options[r.IntN(len(options))] }
	l, l2, typ := one("A", "B", "C"), one("A", "B", "C", "D"), one("R", "S", "T")
	return one(
		fmt.Sprintf("CREATE (:%s {x: %d})", l, r.IntN(5)),
		fmt.Sprintf("UNWIND range(1, %d) AS i CREATE (:%s:%s {x: i, name: 'a'})", 1+r.IntN(6), l, l2),
		fmt.Sprintf("MATCH (a:%s), (b:%s) WITH a, b LIMIT %d CREATE (a)-[:%s {x: 1}]->(b)", l, l2, 1+r.IntN(3), typ),
		fmt.Sprintf("MATCH (a) WITH a LIMIT 1 CREATE (a)-[:%s]->(a)", typ),
		fmt.Sprintf("MATCH (a)-[r:%s]->(b) WITH a, b LIMIT 1 CREATE (a)-[:%s]->(b)", typ, one(typ, "R", "S")),
		fmt.Sprintf("MATCH (a)-[r:%s]->(b) WITH r LIMIT %d DELETE r", typ, 1+r.IntN(4)),
		fmt.Sprintf("MATCH (a:%s) WITH a LIMIT %d DETACH DELETE a", l, 1+r.IntN(3)),
		fmt.Sprintf("MATCH (a:%s) REMOVE a:%s", l, l),
		fmt.Sprintf("MATCH (a:%s) WITH a LIMIT 3 SET a:%s, a.x = %s", l, l2, one("1", "'s'", "2.5", "null")),
		fmt.Sprintf("CREATE INDEX i%d IF NOT EXISTS FOR (n:%s) ON (n.x)", r.IntN(2), l),
		fmt.Sprintf("DROP INDEX i%d IF EXISTS", r.IntN(2)),
	)
}

// TestCachedPlans asks random queries of graphs that change between them, and wants what they give without the cache of plans. The
// statements that change the graph are planned from the cache, too. MOTIF_SEED repeats one graph.
func TestCachedPlans(t *testing.T) {
	seed, graphs := uint64(time.Now().UnixNano()), 60
	if testing.Short() {
		graphs = 10
	}
	if s := os.Getenv("MOTIF_QUERIES"); s != "" {
		graphs, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		graphs = 1
	}
	for i := range graphs {
		cachedPlans(t, seed+uint64(i))
	}
}

func cachedPlans(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	db, snap := randomDB(t, r.Uint64())
	defer db.Close()
	other, _ := randomDB(t, rand.New(rand.NewPCG(seed, 2)).Uint64()) // the same graph
	defer other.Close()
	texts := []string{"MATCH (n) RETURN count(*)", "MATCH (a)-[r]->(b) RETURN count(r)"}
	for range 6 {
		texts = append(texts, (&queryGen{Rand: r, snap: snap}).query())
	}
	var history []string
	late := false
	check := func(text string) {
		t.Helper()
		got, want := outcomeOf(t, db, text, nil), outcomeOf(t, other, uncached(text), nil)
		if late = strings.Contains(got+want, context.DeadlineExceeded.Error()) || late; late {
			return // a busy machine may end one of them only
		}
		if history = append(history, text); got != want {
			t.Fatalf("MOTIF_SEED=%d: with the cache\n%s\nwithout\n%s\nafter\n%s", seed, got, want, strings.Join(history, "\n"))
		}
	}
	for i := 0; i < 40 && !late; i++ {
		for range r.IntN(4) {
			check(texts[r.IntN(len(texts))])
		}
		if r.IntN(2) == 0 {
			check(randomChange(r))
		}
	}
}

// A statement that the cache has a plan for gives its warnings, its columns and its errors again.
func TestCachedPlanRepeats(t *testing.T) {
	db := thousandNodes(t, ":memory:")
	for _, text := range []string{
		"MATCH (n:N {id: 7}) RETURN n.id,   n.x",
		"MATCH (n:Nn) RETURN n.id",
		"MATCH (n:N) WHERE n.id = 'x' RETURN n.none",
		"MATCH (n:N {id: 7})\n  RETURN 1 / (n.id - 7)",
		"MATCH (n:N {id: $none}) RETURN n",
		"MATCH (n:N",
		"RETURN 1 + 1, 'a' AS b",
		"EXPLAIN MATCH (n:N) RETURN n.id",
	} {
		want := outcomeOf(t, db, uncached(text), nil)
		for i := range 3 {
			if got := outcomeOf(t, db, text, nil); got != want {
				t.Errorf("%q: run %d gives\n%s\nwithout the cache\n%s", text, i, got, want)
			}
		}
	}
}

// A procedure that is declared anew is the one that a statement calls.
func TestCachedPlanOfDeclared(t *testing.T) {
	db := thousandNodes(t, ":memory:")
	for want := range 3 {
		err := db.Declare("my.one() :: (n :: INTEGER)", func(_ context.Context, call *motif.Call) error { return call.Emit(want) })
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if n, err := motif.One[int](query(t, db, "CALL my.one() YIELD n RETURN n")); n != want || err != nil {
				t.Errorf("%d, %v, want %d", n, err, want)
			}
		}
	}
}

// The plans that a DB keeps, and those of a Stmt, keep no snapshot in memory.
func TestCachedPlanKeepsNoSnapshot(t *testing.T) {
	db := thousandNodes(t, ":memory:")
	texts := []string{"MATCH (n:N {id: $i}) RETURN n.x", "MATCH (n:N {id: $i}) SET n.x = $i", "MATCH (a:N), (b:N) WHERE a.id = b.id AND a.id = $i RETURN count(*)",
		"MATCH DISTINCT SUBGRAPHS (a:N)--(b:N) WHERE a.id = $i RETURN count(*)", "MATCH p = (a:N {id: $i})-[*1..3]->(b) RETURN count(p)"}
	var prepared []*motif.Stmt
	gone := make(chan struct{})
	func() {
		snap, err := storeOf(db).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(snap, func(struct{}) { close(gone) }, struct{}{})
		for _, text := range texts {
			s, err := db.Prepare(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			prepared = append(prepared, s)
			if text != texts[1] {
				if _, err := db.Exec(t.Context(), text, motif.Params{"i": 3}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Exec(t.Context(), motif.Params{"i": 3}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}()
	if _, err := db.Exec(t.Context(), texts[1], motif.Params{"i": 3}); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(prepared)
			runtime.KeepAlive(db)
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Error("somebody keeps the snapshot that the plans were made for")
}

// Many goroutines run the same statements while the graph changes.
func TestCachedPlansConcurrently(t *testing.T) {
	db := thousandNodes(t, ":memory:")
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 60 {
				var err error
				if g == 0 {
					_, err = db.Exec(t.Context(), "CREATE (:N {id: -1})", nil)
				} else {
					var n int
					rows, e := db.Query(t.Context(), "MATCH (n:N) WHERE n.id >= $low RETURN count(*)", motif.Params{"low": i})
					if err = e; err == nil {
						if n, err = motif.One[int](rows); err == nil && n != 1000-i {
							err = fmt.Errorf("%d nodes from %d on", n, i)
						}
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// liftedTexts are statements with places for literals. Some give errors or warnings for some literals.
var liftedTexts = []string{
	"CREATE (:N {id: %s, x: %s})",
	"CREATE (a:N {id: %s})-[:R {w: %s}]->(b:M {id: %s, u: %s})",
	"MATCH (n:N {id: %s}) SET n.x = %s RETURN n.id AS id, n.x",
	"MATCH (n:N) WHERE n.id = %s AND n.x >= %s RETURN n.x ORDER BY n.x LIMIT 3",
	"MATCH (n:N {id: %s})\n  SET n += {x: %s, y: %s}, n.id = %s\nRETURN n.y+1, n.y + 1",
	"MERGE (n:M {u: %s}) ON CREATE SET n.x = %s ON MATCH SET n.x = n.x + %s RETURN n.x",
	"MATCH (n:N {id: %s}), (m:M {u: %s}) CREATE (n)-[r:R {w: %s}]->(m) RETURN r.w",
	"MATCH (n:M {u: %s}) DETACH DELETE n",
	"MATCH (n:N {id: %s}) RETURN n.x = %s, {a: %s} AS m",
	"MATCH (n:N) WHERE n.id < %s AND n.id > %s\n AND NOT n.x = %s RETURN count(*), 1 / (n.x - n.x)",
	"MATCH (n:N {id: %s})-[:R*1..2]->(m {u: %s}) RETURN m.u",
	"MATCH (n:N {id: %s}) SET n.x = -%s /* %s */ RETURN n.x -n.id AS d",
	"MATCH (n:N {id: %s}) SET n.x = n.x / %s REMOVE n.none",
	"MATCH (n:N {id: %s}) WHERE n.name STARTS WITH %s RETURN n.id",
	"MATCH (n:N {id: %s}) SET n = {id: %s, deep: {a: %s}}",
	"EXPLAIN MATCH (n:N {id: %s}) RETURN n",
}

// details lists the operators of a plan as they describe themselves.
func details(p *motif.Plan) string {
	text := p.Operator + " " + p.Detail + "\n"
	for _, c := range p.Children {
		text += details(c)
	}
	return text
}

// TestLiftedLiterals runs texts that differ in literals only, and wants what they give without the cache of plans: rows, columns,
// errors with their places, warnings, changes, and plans that show the literals.
func TestLiftedLiterals(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	r := rand.New(rand.NewPCG(seed, 9))
	db, other := thousandNodes(t, ":memory:"), thousandNodes(t, ":memory:")
	run := func(text string) {
		t.Helper()
		got, want := outcomeOf(t, db, text, nil), outcomeOf(t, other, uncached(text), nil)
		if got != want {
			t.Fatalf("MOTIF_SEED=%d: %s\ngives\n%s\nwithout the cache\n%s", seed, text, got, want)
		}
	}
	run("CREATE CONSTRAINT one FOR (n:N) REQUIRE n.id IS UNIQUE")
	run("MATCH (n:N) WHERE n.id < 20 SET n.name = 'a' + n.id CREATE (:M {u: n.id, x: 1})")
	literal := func() string {
		switch r.IntN(12) {
		case 0:
			return "'a" + strconv.Itoa(r.IntN(9)) + "'"
		case 1:
			return "\"it's\\n\u00e9\n\""
		case 2:
			return "2.5"
		case 3:
			return "0x1f"
		case 4:
			return "99999999999999999999"
		case 5:
			return "null"
		}
		return strconv.Itoa(r.IntN(30))
	}
	for range 1500 {
		text := liftedTexts[r.IntN(len(liftedTexts))]
		for strings.Contains(text, "%s") {
			text = strings.Replace(text, "%s", literal(), 1)
		}
		if r.IntN(20) == 0 {
			text = "PROFILE " + text
			if !strings.HasPrefix(text, "PROFILE EXPLAIN") && !strings.Contains(text, "99999999999999999999") {
				outcomeOf(t, db, text, nil)
				outcomeOf(t, other, text, nil)
			}
			continue
		}
		run(text)
	}
	for i := range 5 {
		text := fmt.Sprintf("MATCH (n:N {id: %d}) WHERE n.x < %d SET n.x = %d", i, i+100, i+200)
		a, err := db.Exec(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := other.Exec(t.Context(), uncached(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := details(a.Plan), details(b.Plan); got != want {
			t.Errorf("%s is shown as\n%s\nwithout the cache\n%s", text, got, want)
		}
	}
}

// A statement warns when the graph no longer has what it asks for, and no longer warns of a parameter once the graph has values of
// its kind, although a plan was kept and all counts are as before.
func TestCachedPlanWarns(t *testing.T) {
	db := thousandNodes(t, ":memory:")
	text, params := "MATCH (n:N) WHERE n.x > $p RETURN count(*)", motif.Params{"p": "a"}
	warned := func(text string, params motif.Params) int {
		t.Helper()
		sum, err := db.Exec(t.Context(), text, params)
		if err != nil {
			t.Fatal(err)
		}
		return len(sum.Warnings)
	}
	literal := "MATCH (n:N) WHERE n.x > 3 RETURN count(*)"
	for range 3 {
		if n := warned(text, params); n != 1 {
			t.Errorf("%d warnings where x is a number", n)
		}
		if n := warned(literal, nil); n != 0 {
			t.Errorf("%d warnings of x > 3", n)
		}
	}
	warned("MATCH (n:N) SET n.x = 'text'", nil)
	for range 3 {
		if n := warned(text, params); n != 0 {
			t.Errorf("%d warnings where x is a text", n)
		}
		if n := warned(literal, nil); n != 1 {
			t.Errorf("%d warnings of x > 3 where x is a text", n)
		}
	}
}
