package enginetest

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// greedy lists queries that would take more memory than any machine has, or run for ever.
var greedy = map[string]string{
	"doubled list":         "RETURN reduce(s = [1], i IN range(1, 40) | [s, s])",
	"doubled map":          "RETURN reduce(s = {a: 1}, i IN range(1, 40) | {a: s, b: s})",
	"doubled list stored":  "CREATE (:N {p: reduce(s = [1], i IN range(1, 40) | [s, s])})",
	"doubled projection":   "RETURN reduce(s = {a: 1}, i IN range(1, 40) | s{.a, b: s, c: s, d: s})",
	"doubled string":       "RETURN size(reduce(s = 'x', k IN range(1, 40) | s + s))",
	"joined lists":         "RETURN size(reduce(s = [1], k IN range(1, 40) | s + s))",
	"set string":           "MATCH (n:A) SET n.x = reduce(s = 'x', k IN range(1, 40) | s + s)",
	"nested FOREACH":       "FOREACH (i IN range(1, 100000) | FOREACH (j IN range(1, 100000) | CREATE (:X {v: j})))",
	"UNWIND and CREATE":    "UNWIND range(1, 1000000000) AS i CREATE (:X {v: i})",
	"UNWIND and SET":       "MATCH (n:A) WITH n LIMIT 1 UNWIND range(1, 1000000000) AS i SET n.x = i",
	"UNWIND and MERGE":     "UNWIND range(1, 1000000000) AS i MERGE (:X {v: i})",
	"collect":              "UNWIND range(1, 1000000000) AS x RETURN size(collect(x))",
	"collect DISTINCT":     "UNWIND range(1, 1000000000) AS x RETURN size(collect(DISTINCT x))",
	"percentile":           "UNWIND range(1, 1000000000) AS x RETURN percentileCont(x, 0.5)",
	"groups":               "UNWIND range(1, 1000000000) AS x RETURN x, count(*)",
	"DISTINCT":             "UNWIND range(1, 1000000000) AS x WITH DISTINCT x RETURN count(*)",
	"ORDER BY":             "UNWIND range(1, 1000000000) AS x WITH x ORDER BY x RETURN count(*)",
	"top":                  "UNWIND range(1, 1000000000) AS x WITH x ORDER BY -x LIMIT 900000000 RETURN count(*)",
	"UNION":                "CALL { UNWIND range(1, 1000000000) AS i RETURN i UNION RETURN 1 AS i } RETURN count(*)",
	"COLLECT":              "RETURN COLLECT { UNWIND range(1, 1000000000) AS i RETURN i }",
	"split":                "RETURN size(split(reduce(s = 'x,', k IN range(1, 20) | s + s), ','))",
	"replace":              "RETURN replace(reduce(s = 'x', k IN range(1, 20) | s + s), 'x', 'abcdefghijklmnopqrstuvwxyz')",
	"comprehension":        "RETURN size([i IN range(1, 1000000000) | toString(i)])",
	"comprehension, WHERE": "RETURN size([i IN range(1, 1000000000) WHERE i > 0])",
	"nested comprehension": "RETURN size([i IN range(1, 100000) | [j IN range(1, 100000) | j]])",
	"conversion":           "RETURN size(toStringList(range(1, 1000000000)))",
	"kept pieces":          "RETURN size([i IN range(1, 100000) | left(reduce(s = toString(i), k IN range(1, 15) | s + s), 10000)])",
	"kept tails":           "RETURN size([i IN range(1, 100000) | range(i, i + 100000)[0..2000]])",
	"split, many parts":    "RETURN size(split(reduce(s = 'x', k IN range(1, 23) | s + s), ''))",
	"doubled by SET":       "MATCH (n:A) SET n.s = 'x' " + strings.Repeat("SET n.s = n.s + n.s ", 40),
	"doubled list by SET":  "MATCH (n:A) SET n.s = [1] " + strings.Repeat("SET n.s = n.s + n.s ", 40),
	"copies of a string":   "CREATE (a:T {s: reduce(s = 'x', k IN range(1, 20) | s + s)}) " + strings.Repeat("CREATE (:T {s: a.s + 'x'}) ", 40),
	"long regexp":          "RETURN 'x' =~ reduce(s = '(a|b)', i IN range(1, 18) | s + s)",
	"wide regexp":          "RETURN 'x' =~ reduce(s = '(a{1000})', i IN range(1, 7) | s + s)",
	"shown":                "RETURN [i IN range(1, 400000) | i]",
}

const budget = 16 << 20

// TestMemoryBinds checks that each greedy query ends by the error of its memory budget, and that the process took little more.
func TestMemoryBinds(t *testing.T) {
	for name, text := range greedy {
		t.Run(name, func(t *testing.T) {
			db := small(t)
			peak := watchHeap()
			_, err := db.Exec(t.Context(), text, nil, motif.WithMemory(budget), motif.WithTimeout(2*time.Minute))
			if took := peak(); took > 4*budget+64<<20 {
				t.Errorf("took %d MiB", took>>20)
			}
			if !errors.Is(err, motif.ErrMemory) {
				t.Errorf("ended with %v", err)
			}
			if sum, err := db.Exec(t.Context(), "MATCH (n) RETURN n", nil); err != nil || sum.Rows != 2 {
				t.Errorf("afterwards %d nodes, %v", sum.Rows, err)
			}
		})
	}
}

// TestLongPropertyBinds checks that the budget pays for a list before it is decoded from its property.
func TestLongPropertyBinds(t *testing.T) {
	db := small(t)
	if _, err := db.Exec(t.Context(), "CREATE (:L {l: range(1, 2000000)})-[:R {l: range(1, 2000000)}]->(:M)", nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"MATCH (n:L) RETURN size(n.l)",
		"MATCH (n:L) RETURN size(n['l'])",
		"MATCH (n:L) RETURN size(properties(n).l)",
		"MATCH (:L)-[r]->() RETURN size(r.l)",
		"MATCH (:L)-[r]->() RETURN size(r['l'])",
		"MATCH (n:L) WITH collect(n) AS all UNWIND all AS n RETURN size(n.l)",
		"MATCH (n:L) SET n.m = n.l[0]",
	} {
		peak := watchHeap()
		_, err := db.Exec(t.Context(), text, nil, motif.WithMemory(budget))
		if took := peak(); took > 2*budget {
			t.Errorf("%s: took %d MiB", text, took>>20)
		}
		if !errors.Is(err, motif.ErrMemory) {
			t.Errorf("%s: ended with %v", text, err)
		}
		if _, err := db.Exec(t.Context(), text, nil, motif.WithMemory(8*budget)); err != nil {
			t.Errorf("%s: with enough memory: %v", text, err)
		}
	}
	for _, text := range []string{"MATCH (n:L) RETURN keys(n)", "MATCH (n:L), (m:M) SET m = n", "MATCH (m:M) SET m += m", "MATCH (n:L) DETACH DELETE n"} {
		err := db.Update(t.Context(), func(tx *motif.Tx) error {
			_, err := tx.Exec(t.Context(), text, nil, motif.WithMemory(budget))
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCancelBinds checks that each query ends soon after its context.
func TestCancelBinds(t *testing.T) {
	queries := map[string]string{
		"nested loops":    "RETURN reduce(s = 0, a IN range(1, 900) | s + reduce(s = 0, b IN range(a, 900 + a) | s + reduce(s = 0, c IN range(b, 900 + b) | s + reduce(s = 0, d IN range(c, 900 + c) | s + d))))",
		"in a write":      "CREATE (:N {p: reduce(s = 0, a IN range(1, 900) | s + reduce(s = 0, b IN range(a, 900 + a) | s + reduce(s = 0, c IN range(b, 900 + b) | s + c)))})",
		"quantifiers":     "RETURN all(a IN range(1, 900) WHERE all(b IN range(a, 900 + a) WHERE all(c IN range(b, 900 + b) WHERE all(d IN range(c, 900 + c) WHERE d > 0))))",
		"slow regexp":     "MATCH (n:A) SET n.b = reduce(s = 'a', k IN range(1, 23) | s + s) =~ reduce(s = '(x?a?)*', i IN range(1, 9) | s + s)",
		"UNWIND":          "UNWIND range(1, 1000000000000) AS x RETURN count(*)",
		"FOREACH":         "FOREACH (i IN range(1, 1000000000000) | FOREACH (j IN [] | CREATE (:X)))",
		"long comparison": "WITH range(1, 3000000) AS l RETURN reduce(s = 0, i IN range(1, 100000) | CASE WHEN l = l THEN s + 1 ELSE s END)",
		"long text":       "RETURN " + strings.Repeat("((((((((((1))))))))))-", 100_000) + "1",
		"long pattern":    "MATCH " + strings.Repeat("(a)-->(), ", 4000) + "(b) RETURN count(*)",
		"many clauses":    strings.Repeat("WITH 1 AS x ", 100_000) + "RETURN x",
		"many optional":   strings.Repeat("OPTIONAL MATCH (a)-->(b) ", 50_000) + "RETURN a",
		"many subqueries": strings.Repeat("CALL { CREATE (:X) } ", 20_000),
	}
	for name, text := range queries {
		t.Run(name, func(t *testing.T) {
			db := small(t)
			ctx, cancel := context.WithCancel(t.Context())
			var ended time.Time
			time.AfterFunc(50*time.Millisecond, func() { ended = time.Now(); cancel() })
			_, err := db.Exec(ctx, text, nil)
			if !errors.Is(err, context.Canceled) && name != "long pattern" {
				t.Fatalf("ended with %v", err)
			}
			if d := time.Since(ended); err != nil && d > 10*time.Second {
				t.Errorf("ended after %v", d)
			}
		})
	}
}

// TestLoopsHoldNoRange checks that a loop over range() needs no memory for the list.
func TestLoopsHoldNoRange(t *testing.T) {
	for _, text := range []string{
		"UNWIND range(1, 300000) AS x RETURN count(*)",
		"RETURN reduce(s = 0, i IN range(1, 300000) | s + i)",
		"RETURN all(i IN range(1, 300000) WHERE i > 0)",
		"RETURN size([i IN range(1, 300000) WHERE i = 7])",
		"RETURN reduce(s = '', i IN range(1, 300000) | toString(i) + 'x')",
		"UNWIND range(1, 30000) AS x RETURN size(split('a,b,c', ',')), [x, x, x]",
		"FOREACH (i IN range(1, 300000) | FOREACH (j IN [] | CREATE (:X)))",
	} {
		if _, err := small(t).Exec(t.Context(), text, nil, motif.WithMemory(1<<20)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestTransactionCounts checks that the changes of earlier statements count in a transaction.
func TestTransactionCounts(t *testing.T) {
	err := small(t).Update(t.Context(), func(tx *motif.Tx) error {
		for range 1000 {
			if _, err := tx.Exec(t.Context(), "UNWIND range(1, 1000) AS i CREATE (:X {v: i})", nil, motif.WithMemory(4<<20)); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, motif.ErrMemory) {
		t.Errorf("ended with %v", err)
	}
}

// TestSlowReader checks that large rows do not pile up before a reader who takes his time.
func TestSlowReader(t *testing.T) {
	rows, err := small(t).Query(t.Context(), "UNWIND range(1, 200) AS i RETURN range(i, i + 40000)", nil, motif.WithMemory(8<<20))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n < 5 {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if n != 200 {
		t.Errorf("%d rows", n)
	}
}

// TestTextCounts checks that the text of a query counts.
func TestTextCounts(t *testing.T) {
	_, err := small(t).Exec(t.Context(), "RETURN ["+strings.Repeat("1, ", 100_000)+"1]", nil, motif.WithMemory(1<<20))
	if !errors.Is(err, motif.ErrMemory) {
		t.Errorf("ended with %v", err)
	}
}

// TestLongTextCounts checks that a text of one long word counts.
func TestLongTextCounts(t *testing.T) {
	for _, text := range []string{"RETURN '" + strings.Repeat("x", 1<<20) + "'", "RETURN 1 // " + strings.Repeat("x", 1<<20), strings.Repeat(" ", 1<<20) + "RETURN 1"} {
		if _, err := small(t).Exec(t.Context(), text, nil, motif.WithMemory(1<<20)); !errors.Is(err, motif.ErrMemory) {
			t.Errorf("%.20s... ended with %v", text, err)
		}
	}
}

// TestParametersCount checks that the values of parameters count, at the top and inside.
func TestParametersCount(t *testing.T) {
	long, keys := make([]int64, 100_000), map[string]any{}
	for i := range 30_000 {
		keys[strconv.Itoa(i)] = i
	}
	for name, x := range map[string]any{"list": long, "list in a list": []any{1, long}, "map": keys, "map in a list": []any{map[string]any{"a": keys}}} {
		db := small(t)
		if _, err := db.Exec(t.Context(), "RETURN $p IS NULL", motif.Params{"p": x}, motif.WithMemory(1<<20)); !errors.Is(err, motif.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
		sum, err := db.Exec(t.Context(), "RETURN $p IS NULL", motif.Params{"p": x}, motif.WithMemory(64<<20))
		if err != nil || sum.PeakMemory < 2<<20 {
			t.Errorf("%s: %v, %d bytes", name, err, sum.PeakMemory)
		}
	}
}

// TestLongMessages checks that no error and no warning repeats a value or a name of any length.
func TestLongMessages(t *testing.T) {
	name, db := strings.Repeat("x", 1<<20), small(t)
	for _, text := range []string{"RETURN date(reduce(s = 'ä', k IN range(1, 20) | s + s))", "RETURN 'x' =~ reduce(s = '(a{1000}){1000}', k IN range(1, 12) | s + s)", "RETURN `" + name + "`"} {
		_, err := db.Exec(t.Context(), text, nil)
		var qe *motif.QueryError
		if !errors.As(err, &qe) || len(qe.Message) > 5000 || !utf8.ValidString(qe.Message) || len(qe.Error()) > 10_000 || len(qe.Pretty()) > 10_000 {
			t.Errorf("%.80s...: %.300v", text, err)
		}
	}
	sum, err := db.Exec(t.Context(), "MATCH (n:`"+name+"`) RETURN n", nil)
	if err != nil || len(sum.Warnings) != 1 || len(sum.Warnings[0].Message) > 5000 {
		t.Errorf("%d warnings, %.300v", len(sum.Warnings), err)
	}
}

// TestLongLines checks that LOAD CSV ends at a line that the budget has no room for, and takes many short ones.
func TestLongLines(t *testing.T) {
	short := strings.Repeat("a,b,c\n", 500_000)
	files := fstest.MapFS{
		"line.csv":   {Data: []byte(strings.Repeat("x", 20<<20))},
		"commas.csv": {Data: []byte(strings.Repeat(",", 4<<20))},
		"quoted.csv": {Data: []byte(`"` + strings.Repeat("x\n", 10<<20))},
		"short.csv":  {Data: []byte(short)},
	}
	db, err := motif.Open(":memory:", motif.WithFiles(files))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name := range files {
		_, err := db.Exec(t.Context(), "LOAD CSV FROM '"+name+"' AS row RETURN count(*)", nil, motif.WithMemory(budget))
		if name == "short.csv" && err != nil || name != "short.csv" && !errors.Is(err, motif.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func small(t *testing.T) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	if _, err := db.Exec(t.Context(), "CREATE (:A {x: 1})-[:R]->(:B)", nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// watchHeap looks at the heap until the function it returns is called, which gives the largest growth.
func watchHeap() (peak func() int64) {
	runtime.GC()
	heap := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, most := heap(), int64(0)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			most = max(most, heap()-before)
			select {
			case <-quit:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(quit); <-gone; return most }
}
