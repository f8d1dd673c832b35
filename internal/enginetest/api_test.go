package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/storage/importer"
)

// edges is a spec that loads an edge list given as text.
func edges(text string) importer.Spec {
	return importer.Spec{FS: fstest.MapFS{"edges.txt": {Data: []byte(text)}}, Files: []string{"edges.txt"}, Format: importer.FormatEdges}
}

func memoryDB(t *testing.T, spec importer.Spec) *motif.DB {
	t.Helper()
	return openWith(t, ":memory:", spec)
}

// openWith makes a store and loads it; it is closed when the test ends.
func openWith(t *testing.T, path string, spec importer.Spec) *motif.DB {
	t.Helper()
	db, err := motif.Open(path, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Load(t.Context(), spec, motif.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return db
}

// complete is a complete graph of n vertices as an edge list.
func complete(n int) string {
	var b strings.Builder
	for v := range n {
		for u := range v {
			fmt.Fprintln(&b, u, v)
		}
	}
	return b.String()
}

func query(t *testing.T, db *motif.DB, text string, opts ...motif.QueryOption) *motif.Rows {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestScan(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	rows := query(t, db, "MATCH (a)-[r]->(b) RETURN a.id, 1.5, 'text', true, null, [1, 2], {k: 1}, a, r")
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	var (
		id    uint8
		f     float32
		s     string
		b     bool
		null  *int
		list  []int
		m     map[string]any
		node  motif.Node
		rel   motif.Relationship
		whole any
	)
	null = new(int)
	if err := rows.Scan(&id, &f, &s, &b, &null, &list, &m, &node, &rel); err != nil {
		t.Fatal(err)
	}
	if id != 1 || f != 1.5 || s != "text" || !b || null != nil || !slices.Equal(list, []int{1, 2}) || m["k"] != int64(1) {
		t.Error(id, f, s, b, null, list, m)
	}
	if node.Props["id"] != int64(1) || rel.Type != "EDGE" || rel.Start != node.ID || rel.End == node.ID {
		t.Error(node, rel)
	}
	var wrong int
	for _, dst := range [][]any{{&id}, {&wrong, &wrong, &wrong, &b, &null, &list, &m, &node, &rel}, {id, &f, &s, &b, &null, &list, &m, &node, &rel}} {
		if err := rows.Scan(dst...); err == nil {
			t.Errorf("scan into %v gave no error", dst)
		}
	}
	if err := rows.Scan(&whole, &whole, &whole, &whole, &whole, &whole, &whole, &whole, &whole); err != nil {
		t.Error(err)
	}
	if rows.Next() {
		t.Error("a second row")
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
}

func TestScanIsExact(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	for text, ok := range map[string]bool{"300": false, "255": true, "-1": false, "1.5": false} {
		rows := query(t, db, "MATCH (a)-->() RETURN "+text)
		_, err := motif.One[uint8](rows)
		if (err == nil) != ok {
			t.Errorf("%s into a uint8: %v", text, err)
		}
	}
}

func TestOneAndInto(t *testing.T) {
	db := memoryDB(t, edges("1 2\n2 3\n"))
	if _, err := motif.One[int](query(t, db, "MATCH (a {id: 9}) RETURN a.id")); !errors.Is(err, motif.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	type pair struct {
		From int `motif:"x"`
		Y    int
	}
	var got []pair
	for p, err := range motif.Into[pair](query(t, db, "MATCH (a)-->(b) RETURN a.id AS x, b.id AS y ORDER BY x")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if !slices.Equal(got, []pair{{1, 2}, {2, 3}}) {
		t.Error(got)
	}
	for _, err := range motif.Into[pair](query(t, db, "MATCH (a)-->(b) RETURN a.id AS nowhere")) {
		if err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("a column without a field: %v", err)
		}
	}
}

// endless would take ages on the complete graph of 100 vertices.
const endless = "MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE a.id + d.id * g.id = 5 RETURN count(*)"

func TestLimits(t *testing.T) {
	db := memoryDB(t, edges(complete(100)))
	for _, c := range []struct {
		name, query string
		option      motif.QueryOption
		want        error
	}{
		{"timeout", endless, motif.WithTimeout(2 * time.Second), context.DeadlineExceeded},
		{"rows", "MATCH (a)--(b) RETURN a", motif.WithMaxRows(10), motif.ErrRowLimit},
		{"memory, collect", "MATCH (a)--(b)--(c)--(d) RETURN collect(a.id + d.id)", motif.WithMemory(1 << 20), motif.ErrMemory},
		{"memory, sort", "MATCH (a)--(b)--(c)--(d) RETURN a.id, b.id, c.id ORDER BY c.id", motif.WithMemory(1 << 20), motif.ErrMemory},
		{"memory, distinct", "MATCH (a)--(b)--(c)--(d) RETURN DISTINCT a, b, c, d", motif.WithMemory(1 << 20), motif.ErrMemory},
		{"memory, group", "MATCH (a)--(b)--(c)--(d) RETURN a, b, c, sum(d.id)", motif.WithMemory(1 << 20), motif.ErrMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := query(t, db, c.query, c.option)
			n := 0
			for rows.Next() {
				n++
			}
			err := rows.Err()
			var stopped *motif.StoppedError
			if !errors.Is(err, c.want) || !errors.As(err, &stopped) {
				t.Fatalf("%v; want %v", err, c.want)
			}
			if c.name == "rows" && (n != 10 || stopped.Rows != 10) {
				t.Errorf("%d rows before the limit of 10", n)
			}
			if !strings.Contains(err.Error(), "partial matches") {
				t.Errorf("the message does not say how far it came: %v", err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	db := memoryDB(t, edges(complete(100)))
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := db.Query(ctx, endless, nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := motif.One[int64](rows); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	rows = query(t, db, endless)
	if err := rows.Close(); err != nil {
		t.Errorf("a closed query gave %v", err)
	}
	// LIMIT ends the search, and so does leaving the loop.
	n := 0
	for _, err := range query(t, db, "MATCH (a)--(b)--(c)--(d)--(e)--(f) RETURN a, f").All() {
		if n++; err != nil || n == 3 {
			break
		}
	}
	if got, err := motif.One[int](query(t, db, "MATCH (a)--(b)--(c)--(d)--(e)--(f) RETURN 1 LIMIT 1")); got != 1 || err != nil {
		t.Error(got, err)
	}
}

func TestProgressAndSummary(t *testing.T) {
	db := memoryDB(t, edges(complete(100)))
	var mu sync.Mutex
	var seen []motif.Progress
	rows := query(t, db, endless, motif.WithTimeout(2*time.Second), motif.WithProgress(func(p motif.Progress) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, p)
	}))
	motif.One[int64](rows)
	mu.Lock()
	defer mu.Unlock()
	if len(seen) == 0 || seen[len(seen)-1].PartialMatches == 0 {
		t.Errorf("progress: %v", seen)
	}
	rows = query(t, db, "MATCH (a:Nobody)--(b) RETURN count(*) AS n")
	if n, err := motif.One[int](rows); n != 0 || err != nil {
		t.Error(n, err)
	}
	sum := rows.Summary()
	if sum.Rows != 1 || sum.Plan == nil || sum.Plan.ActualRows != 1 || len(sum.Warnings) != 1 || !strings.Contains(sum.Warnings[0].Message, "Nobody") {
		t.Errorf("%+v", sum)
	}
}

func TestMistakes(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	for text, code := range map[string]string{
		"MATCH (a) RETURN b":                     "SyntaxError.UndefinedVariable",
		"MATCH (a RETURN a":                      "SyntaxError.UnexpectedSyntax",
		"MATCH (a) RETURN a; MATCH (a) RETURN a": "ArgumentError.OneStatement",
		"":                                       "",
	} {
		_, err := db.Query(t.Context(), text, nil)
		var mistake *motif.QueryError
		if !errors.As(err, &mistake) || code != "" && mistake.Code != code || mistake.Pretty() == "" {
			t.Errorf("%q: %#v, want %s", text, err, code)
		}
	}
	rows := query(t, db, "MATCH (a) RETURN 1 / (a.id - a.id)")
	rows.Next()
	var mistake *motif.QueryError
	if err := rows.Err(); !errors.As(err, &mistake) || mistake.Line != 1 || !strings.Contains(mistake.Pretty(), "^") {
		t.Errorf("division by zero: %v", err)
	}
	many := "MATCH (a)" + strings.Repeat(", ()", 63) + " RETURN count(*)"
	if _, err := motif.One[int64](query(t, db, many)); !errors.As(err, &mistake) || strings.Contains(mistake.Pretty(), "^") {
		t.Errorf("a count beyond 64 bits, which no place is to blame for: %v", err)
	}
	if _, err := db.Query(t.Context(), "MATCH (a) RETURN $x", nil); !errors.As(err, &mistake) || !strings.Contains(err.Error(), "x") {
		t.Errorf("a missing parameter: %v", err)
	}
	if _, err := db.Query(t.Context(), "MATCH (a) RETURN $x", motif.Params{"x": make(chan int)}); !errors.As(err, &mistake) {
		t.Errorf("a channel as parameter: %v", err)
	}
}

func TestParams(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	n := 7
	for _, c := range []struct{ in, want any }{
		{nil, nil}, {true, true}, {int8(3), int64(3)}, {uint16(3), int64(3)}, {float32(0.5), 0.5}, {"é", "é"}, {&n, int64(7)}, {(*int)(nil), nil},
		{[]string{"a", "b"}, []any{"a", "b"}}, {map[string]any{"k": []int{1}}, map[string]any{"k": []any{int64(1)}}},
	} {
		rows, err := db.Query(t.Context(), "MATCH (a {id: 1}) RETURN $x", motif.Params{"x": c.in})
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All() {
			if err != nil || !equal(row.At(0), c.want) {
				t.Errorf("%#v came back as %#v, %v", c.in, row.At(0), err)
			}
		}
	}
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if !equal(a[k], b[k]) {
				return false
			}
		}
		return true
	}
	return a == b
}

// TestReplace loads a second graph over a first while a transaction looks at the first.
func TestReplace(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	const nodes = "MATCH (a) RETURN count(*)"
	stmt, err := db.Prepare(t.Context(), nodes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Load(t.Context(), edges("1 2\n2 3\n"), motif.LoadOptions{}); !errors.Is(err, motif.ErrNotEmpty) {
		t.Errorf("a load over a graph: %v", err)
	}
	err = db.View(t.Context(), func(tx *motif.Tx) error {
		if _, err := db.Load(t.Context(), edges("1 2\n2 3\n"), motif.LoadOptions{Replace: true}); err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(), nodes, nil)
		if err != nil {
			return err
		}
		if n, err := motif.One[int](rows); n != 2 || err != nil {
			t.Errorf("the transaction sees %d nodes, %v; it began with 2", n, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := stmt.Query(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := motif.One[int](rows); n != 3 || err != nil {
		t.Errorf("the prepared statement sees %d nodes, %v; want 3", n, err)
	}
	// A load that fails leaves the graph as it was.
	_, err = db.Load(t.Context(), edges("1 2\nthree\n"), motif.LoadOptions{Replace: true})
	var bad *importer.Error
	if !errors.As(err, &bad) || bad.Line != 2 {
		t.Errorf("a malformed file: %v", err)
	}
	if n, err := motif.One[int](query(t, db, nodes)); n != 3 || err != nil {
		t.Errorf("after a failed load %d nodes, %v", n, err)
	}
}

func TestClose(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	stmt, err := db.Prepare(t.Context(), "MATCH (a) RETURN a")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	_, e1 := db.Query(t.Context(), "MATCH (a) RETURN a", nil)
	_, e2 := stmt.Query(t.Context(), nil)
	_, e3 := db.Load(t.Context(), edges("1 2\n"), motif.LoadOptions{})
	_, e4 := db.Stats(t.Context())
	for _, err := range []error{e1, e2, e3, e4, db.View(t.Context(), func(*motif.Tx) error { return nil })} {
		if !errors.Is(err, motif.ErrClosed) {
			t.Errorf("on a closed DB: %v", err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := motif.Open(dir + "/none"); !errors.Is(err, motif.ErrNotStore) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing store: %v", err)
	}
	db, err := motif.Open(dir+"/db", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := motif.Open(dir + "/db"); !errors.Is(err, motif.ErrLocked) {
		t.Errorf("a store in use: %v", err)
	}
	if _, err := db.Load(t.Context(), edges("1 2\n"), motif.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	db, err = motif.Open(dir+"/db", motif.WithReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Load(t.Context(), edges("1 2\n"), motif.LoadOptions{Replace: true}); !errors.Is(err, motif.ErrReadOnly) {
		t.Errorf("a load into a read-only store: %v", err)
	}
	if n, err := motif.One[int](query(t, db, "MATCH (a)-->(b) RETURN count(*)")); n != 1 || err != nil {
		t.Error(n, err)
	}
}

func TestSchemaAndStats(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	schema, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if schema.Labels[0].Name != "Tag" || !slices.Contains(schema.NodeKeys, "name") || !slices.Contains(schema.RelationshipKeys, "since") {
		t.Errorf("%+v", schema)
	}
	knows := slices.IndexFunc(schema.Connections, func(c motif.Connection) bool { return c.Type == "KNOWS" })
	if knows < 0 || schema.Connections[knows] != (motif.Connection{From: "Person", Type: "KNOWS", To: "Person", Count: 825}) {
		t.Errorf("%+v", schema.Connections)
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Nodes != 3447 || stats.Relationships != 17104 || stats.Degeneracy != 14 || !strings.Contains(stats.String(), "degeneracy     14") {
		t.Errorf("%v %v", stats, err)
	}
	report, err := db.Check(t.Context())
	if err != nil || len(report.Problems) != 0 {
		t.Errorf("%+v %v", report, err)
	}
}

// TestConcurrent runs one prepared statement and several queries at once, on one DB.
func TestConcurrent(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stmt, err := db.Prepare(t.Context(), "MATCH (a:Person)-[k:KNOWS]-(b) WHERE a.name > $from AND k.since > '2010' RETURN count(*)")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(from string) int64 {
		rows, err := stmt.Query(t.Context(), motif.Params{"from": from})
		if err != nil {
			t.Error(err)
			return 0
		}
		n, err := motif.One[int64](rows)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	want := map[string]int64{"": ask(""), "K": ask("K"), "S": ask("S")}
	if want[""] <= want["K"] || want["K"] <= want["S"] || want["S"] == 0 {
		t.Fatalf("%v", want)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for from, n := range want {
				if got := ask(from); got != n {
					t.Errorf("from %q: %d, alone it was %d", from, got, n)
				}
			}
		})
		wg.Go(func() {
			const text = "MATCH DISTINCT SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)"
			if n, err := motif.One[int64](query(t, db, text)); n != 812 || err != nil {
				t.Errorf("triangles: %d, %v", n, err)
			}
		})
	}
	wg.Wait()
}
