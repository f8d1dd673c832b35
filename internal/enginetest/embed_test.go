package enginetest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// A panic in a declared procedure or in a progress function ends the query or the load with an error, and nothing else.
func TestPanicBecomesError(t *testing.T) {
	db := memoryDB(t, edges(complete(60)))
	wrong := errors.New("wrong")
	if err := db.Declare("my.panic(n :: INTEGER) :: (n :: INTEGER)", func(_ context.Context, call *motif.Call) error {
		var n int
		if err := call.Scan(&n); err != nil {
			return err
		}
		if n == 3 {
			panic(wrong)
		}
		return call.Emit(n)
	}); err != nil {
		t.Fatal(err)
	}
	_, err := db.Exec(t.Context(), "UNWIND range(1, 5) AS i CALL my.panic(i) YIELD n RETURN n", nil)
	var panicked *motif.PanicError
	if !errors.As(err, &panicked) || !errors.Is(err, wrong) || !strings.Contains(err.Error(), "my.panic panicked: wrong") || len(panicked.Stack) == 0 {
		t.Errorf("a procedure that panics: %v", err)
	}
	rows := query(t, db, endless, motif.WithProgress(func(motif.Progress) { panic("late") }), motif.WithTimeout(20*time.Second))
	_, err = motif.One[int](rows)
	if !errors.As(err, &panicked) || panicked.Value != "late" {
		t.Errorf("a progress function that panics: %v", err)
	}
	_, err = db.Load(t.Context(), edges(complete(300)), motif.LoadOptions{Replace: true, Progress: func(string, uint64, uint64) { panic("load") }})
	if !errors.As(err, &panicked) || panicked.Value != "load" {
		t.Errorf("a load's progress function that panics: %v", err)
	}
	_, err = db.Export(t.Context(), motif.ExportOptions{Path: t.TempDir() + "/out.jsonl", Progress: func(string, uint64, uint64) { panic("export") }})
	if !errors.As(err, &panicked) || panicked.Value != "export" {
		t.Errorf("an export's progress function that panics: %v", err)
	}
	if n, err := motif.One[int](query(t, db, "MATCH (n) RETURN count(*)")); n != 60 || err != nil {
		t.Errorf("afterwards: %d nodes, %v", n, err)
	}
}

// A declared procedure gives rows while the query runs, and ends with it.
func TestDeclareStreams(t *testing.T) {
	db := memoryDB(t, edges("1 2\n"))
	var stopped atomic.Int64 // calls whose Emit gave an error
	if err := db.Declare("my.numbers() :: (n :: INTEGER)", func(ctx context.Context, call *motif.Call) error {
		for n := 0; ; n++ {
			if err := call.Emit(n); err != nil {
				stopped.Add(1)
				return err
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if sum, err := db.Exec(t.Context(), "CALL my.numbers() YIELD n RETURN n LIMIT 3", nil); err != nil || sum.Rows != 3 || stopped.Load() != 1 {
		t.Errorf("%d rows, %v; %d calls were stopped", sum.Rows, err, stopped.Load())
	}
	if _, err := db.Exec(t.Context(), "CALL my.numbers() YIELD n RETURN max(n)", nil, motif.WithTimeout(30*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a procedure without an end: %v", err)
	}
	if _, err := db.Exec(t.Context(), "CALL my.numbers() YIELD n RETURN n", nil, motif.WithMaxRows(5)); !errors.Is(err, motif.ErrRowLimit) {
		t.Errorf("with a limit of rows: %v", err)
	}
	if err := db.Declare("my.refuses(n :: INTEGER?) :: ()", func(_ context.Context, call *motif.Call) error {
		var n int
		return call.Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "CALL my.refuses(null)", nil); err == nil || !strings.Contains(err.Error(), "my.refuses: scan: column 0: null does not go into int; scan into a pointer, *int") {
		t.Errorf("null for an int: %v", err)
	}
}

// Exec runs a statement to its end and says what it did, alone, prepared and in a transaction.
func TestExec(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sum, err := db.Exec(t.Context(), "UNWIND range(1, 600) AS i CREATE (n:A {i: i}) RETURN n", nil)
	if err != nil || sum.Changes.NodesCreated != 600 || sum.Rows != 600 {
		t.Errorf("%v, %d rows, %v", sum.Changes, sum.Rows, err)
	}
	if sum, err = db.Exec(t.Context(), "MATCH (a), (b) RETURN a, b", nil); err != nil || sum.Rows != 360000 {
		t.Errorf("%d rows, %v", sum.Rows, err)
	}
	if _, err := db.Exec(t.Context(), "MATCH (a) RETURN 1 / (a.i - 600)", nil); err == nil {
		t.Error("a division by zero is no error")
	}
	stmt, err := db.Prepare(t.Context(), "MATCH (a {i: $i}) SET a.seen = true")
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := stmt.Exec(t.Context(), motif.Params{"i": 7}); err != nil || sum.Changes.PropertiesSet != 1 {
		t.Errorf("%v, %v", sum.Changes, err)
	}
	tx, err := db.BeginWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if sum, err := tx.Exec(t.Context(), "MATCH (a:A) WHERE a.i > 10 DETACH DELETE a", nil); err != nil || sum.Changes.NodesDeleted != 590 {
		t.Errorf("%v, %v", sum.Changes, err)
	}
}

// A query's option given to Open holds for every query that does not say otherwise; a wrong one is an error of Open.
func TestOptionsOfOpen(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithMaxRows(2), motif.WithFilter("label"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "UNWIND [1, 2, 3] AS x RETURN x", nil); !errors.Is(err, motif.ErrRowLimit) {
		t.Errorf("the limit of all queries: %v", err)
	}
	if _, err := db.Exec(t.Context(), "UNWIND [1, 2, 3] AS x RETURN x", nil, motif.WithMaxRows(3)); err != nil {
		t.Errorf("a limit of its own: %v", err)
	}
	if _, err := db.Exec(t.Context(), "UNWIND [1, 2, 3] AS x RETURN x", nil, motif.WithMaxRows(0)); err != nil {
		t.Errorf("no limit: %v", err)
	}
	plan, err := db.Explain(t.Context(), "MATCH (a)--(b) RETURN a")
	if err != nil || !strings.Contains(plan.String(), "set: filter label") {
		t.Errorf("%v\n%v", err, plan)
	}
	if _, err := motif.Open(":memory:", motif.WithOrder("best")); err == nil || !strings.Contains(err.Error(), `"best"`) {
		t.Errorf("a knob with an unknown value: %v", err)
	}
}

type city struct{ Name, Mayor string }

// Home is embedded by a pointer that reflection can set.
type Home struct {
	Street string `motif:"street"`
}

// person takes a node: its properties by name and by tag, its id and its labels, and a struct in it.
type person struct {
	ID      uint64   `motif:"id()"`
	Labels  []string `motif:"labels()"`
	Name    string
	Years   *int   `motif:"age"`
	Skipped func() `motif:"-"`
	*city          // which reflection cannot set: it is left alone
	*Home
	secret int
}

// Nodes, relationships, maps and lists of them scan into structs; null needs a pointer.
func TestScanStructs(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "CREATE (:Person {name: 'Ann', age: 31, shoe: 38, street: 'Elm', mayor: 'Eve'})-[:KNOWS {since: 2019}]->(:Person:Guest {name: 'Bob', street: 'Oak'})", nil); err != nil {
		t.Fatal(err)
	}
	ann, err := motif.One[person](query(t, db, "MATCH (p {name: 'Ann'}) RETURN p"))
	if err != nil || ann.Name != "Ann" || ann.Years == nil || *ann.Years != 31 || ann.Labels[0] != "Person" || ann.secret != 0 || ann.city != nil || ann.Street != "Elm" {
		t.Errorf("%+v, %v", ann, err)
	}
	bob, err := motif.One[*person](query(t, db, "MATCH (p {name: 'Bob'}) RETURN p"))
	if err != nil || bob.Name != "Bob" || bob.Years != nil || len(bob.Labels) != 2 || bob.ID == ann.ID {
		t.Errorf("%+v, %v", bob, err)
	}
	type friendship struct {
		From  person `motif:"a"`
		Knows struct {
			Since int
			Type  string `motif:"type()"`
		} `motif:"r"`
		All []person `motif:"all"`
		Map struct{ K string }
		No  *person
	}
	got, err := motif.One[friendship](query(t, db, "MATCH (a)-[r]->(b) RETURN a, r, [a, b] AS all, {k: 'v'} AS map, null AS no"))
	if err != nil || got.From.Name != "Ann" || got.Knows.Since != 2019 || got.Knows.Type != "KNOWS" || len(got.All) != 2 || got.All[1].Name != "Bob" || got.Map.K != "v" || got.No != nil {
		t.Errorf("%+v, %v", got, err)
	}
	type signed struct {
		ID int64 `motif:"id()"`
	}
	if p, err := motif.One[signed](query(t, db, "MATCH (p {name: 'Bob'}) RETURN p")); err != nil || uint64(p.ID) != bob.ID {
		t.Errorf("an id into an int64: %d, %v", p.ID, err)
	}
	type strict struct{ Age int }
	if _, err := motif.One[strict](query(t, db, "MATCH (p {name: 'Bob'}) RETURN p")); err == nil || !strings.Contains(err.Error(), "field Age: null does not go into int; scan into a pointer, *int") {
		t.Errorf("a missing property into an int: %v", err)
	}
	if _, err := motif.One[int](query(t, db, "RETURN null")); err == nil || !strings.Contains(err.Error(), "*int, where null may come") {
		t.Errorf("null into an int: %v", err)
	}
	if p, err := motif.One[*int](query(t, db, "RETURN null")); err != nil || p != nil {
		t.Errorf("null into a *int: %v, %v", p, err)
	}
	if list, err := motif.One[[]string](query(t, db, "RETURN null")); err != nil || list != nil {
		t.Errorf("null into a []string: %v, %v", list, err)
	}
	if _, err := motif.One[[]int](query(t, db, "RETURN [1, null]")); err == nil {
		t.Error("null among ints is no error")
	}
}

// Values of time convert to Go's and back.
func TestTimesOfGo(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	at := time.Date(2024, time.February, 29, 23, 30, 15, 7, zone)
	if d := motif.DateOf(at); d != dateOf(2024, 2, 29) || !d.In(zone).Equal(time.Date(2024, 2, 29, 0, 0, 0, 0, zone)) {
		t.Error(d)
	}
	if c := motif.LocalTimeOf(at); c != clockOf(23, 30, 15, 7) || c.On(dateOf(2024, 2, 29)) != motif.LocalDateTimeOf(at) {
		t.Error(c)
	}
	if l := motif.LocalDateTimeOf(at); !l.In(zone).Equal(at) || l.String() != "2024-02-29T23:30:15.000000007" {
		t.Error(l)
	}
	if o := motif.OffsetTimeOf(at); o.Offset != 7200 || !o.On(dateOf(2024, 2, 29)).Equal(at) {
		t.Error(o)
	}
	if d := motif.DateTimeOf(at); !d.Time.Equal(at) {
		t.Error(d)
	}
	for _, d := range []time.Duration{0, 1, -1, -1500 * time.Millisecond, 1<<63 - 1} {
		m := motif.DurationOf(d)
		if back, ok := m.TimeDuration(); m.Nanoseconds < 0 || ok != (d < 1<<62) || ok && back != d {
			t.Errorf("%v became %v and %v, %v", d, m, back, ok)
		}
	}
	if _, ok := durationOf(1, 0, 0, 0).TimeDuration(); ok {
		t.Error("a month has a length")
	}
}
