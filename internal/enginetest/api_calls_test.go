package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage/exporter"
	"github.com/motifql/motif/storage/importer"
)

// functions are the exported functions of the public packages, by their package and name.
var functions = map[string]any{
	"motif.AppendJSON": motif.AppendJSON, "motif.WriteJSON": motif.WriteJSON, "motif.WithProfile": motif.WithProfile, "motif.WithMergeOnly": motif.WithMergeOnly, "lang.QuoteKey": lang.QuoteKey, "lang.QuoteName": lang.QuoteName,
	"motif.CheckParams": motif.CheckParams, "motif.DateOf": motif.DateOf, "motif.DateTimeOf": motif.DateTimeOf, "motif.DescribeParam": motif.DescribeParam,
	"motif.Diff": motif.Diff, "motif.DiffWays": motif.DiffWays, "motif.DurationOf": motif.DurationOf, "motif.ExportFormats": motif.ExportFormats,
	"motif.Folder": motif.Folder, "motif.GPUs": motif.GPUs, "motif.Into": motif.Into[int], "motif.Knobs": motif.Knobs, "motif.LoadFormats": motif.LoadFormats,
	"motif.LocalDateTimeOf": motif.LocalDateTimeOf, "motif.LocalTimeOf": motif.LocalTimeOf, "motif.OffsetTimeOf": motif.OffsetTimeOf,
	"motif.One": motif.One[string], "motif.Open": motif.Open, "motif.OpenSample": motif.OpenSample, "motif.ParseOption": motif.ParseOption,
	"motif.WithBruteForce": motif.WithBruteForce, "motif.WithCache": motif.WithCache, "motif.WithCreate": motif.WithCreate, "motif.WithDevice": motif.WithDevice,
	"motif.WithDurability": motif.WithDurability, "motif.WithFiles": motif.WithFiles, "motif.WithFilter": motif.WithFilter, "motif.WithKernel": motif.WithKernel,
	"motif.WithLogger": motif.WithLogger, "motif.WithMaxRows": motif.WithMaxRows, "motif.WithMemory": motif.WithMemory, "motif.WithOrder": motif.WithOrder,
	"motif.WithMapping": motif.WithMapping, "motif.WithPartial": motif.WithPartial, "motif.WithProgress": motif.WithProgress, "motif.WithReadOnly": motif.WithReadOnly, "motif.WithSharing": motif.WithSharing, "motif.WithSnapshot": motif.WithSnapshot,
	"motif.WithTimeout": motif.WithTimeout, "motif.WithWorkers": motif.WithWorkers, "motif.WithoutTechniques": motif.WithoutTechniques,
	"lang.Check": lang.Check, "lang.CheckContext": lang.CheckContext, "lang.Complete": lang.Complete, "lang.FindProcedure": lang.FindProcedure, "lang.IsAggregate": lang.IsAggregate,
	"lang.LiftLiterals": lang.LiftLiterals, "lang.MovePlace": lang.MovePlace, "lang.Parse": lang.Parse, "lang.ParseContext": lang.ParseContext, "lang.ParseExpr": lang.ParseExpr, "lang.ParseLabels": lang.ParseLabels,
	"lang.ParseSignature": lang.ParseSignature, "lang.ParseType": lang.ParseType, "lang.SplitStatements": lang.SplitStatements,
	"lang.NextStatement": lang.NextStatement, "lang.Suggest": lang.Suggest, "lang.Text": lang.Text, "lang.Tokens": lang.Tokens,
	"lang.TokenPlaces": lang.TokenPlaces,
	"lang.Walk":        lang.Walk, "lang.ReadsCSV": lang.ReadsCSV, "lang.Writes": lang.Writes,
	"importer.FormatNames": importer.FormatNames, "importer.Load": importer.Load, "importer.LoadPart": importer.LoadPart, "importer.LoadSpooled": importer.LoadSpooled, "importer.ParseNodeFile": importer.ParseNodeFile,
	"importer.ParseRelationshipFile": importer.ParseRelationshipFile, "importer.ReadPattern": importer.ReadPattern,
	"exporter.FormatNames": exporter.FormatNames, "exporter.FormatOf": exporter.FormatOf, "exporter.Write": exporter.Write,
}

// receivers are zero values of the exported types with methods, by their package and name.
var receivers = map[string]any{
	"motif.Batch": motif.Batch{}, "motif.Call": motif.Call{}, "motif.Changes": motif.Changes{}, "motif.DB": motif.DB{}, "motif.Date": motif.Date{}, "motif.DateTime": motif.DateTime{},
	"motif.DiffResult": motif.DiffResult{}, "motif.Difference": motif.Difference{}, "motif.Duration": motif.Duration{},
	"motif.InternalError": motif.InternalError{}, "motif.Kind": motif.Kind(0), "motif.LocalDateTime": motif.LocalDateTime{}, "motif.LocalTime": motif.LocalTime{},
	"motif.OffsetTime": motif.OffsetTime{}, "motif.PanicError": motif.PanicError{}, "motif.Plan": motif.Plan{}, "motif.QueryError": motif.QueryError{},
	"motif.Row": motif.Row{}, "motif.Rows": motif.Rows{}, "motif.Stats": motif.Stats{}, "motif.Stmt": motif.Stmt{}, "motif.StoppedError": motif.StoppedError{},
	"motif.Node": motif.Node{}, "motif.Path": motif.Path{}, "motif.Point": motif.Point{}, "motif.Relationship": motif.Relationship{},
	"motif.Tx": motif.Tx{}, "motif.Job": motif.Job{}, "motif.Part": motif.Part{}, "motif.Unit": motif.Unit{}, "importer.Error": importer.Error{}, "importer.Graph": importer.Graph{}, "importer.Part": importer.Part{}, "importer.QueryGraph": importer.QueryGraph{},
}

// methodsOf lists the methods of the receivers, by package, type and name, as the golden list of the API has them. It also checks
// that functions has every function.
func methodsOf(t *testing.T) map[string][]string {
	t.Helper()
	methods := make(map[string][]string)
	for pkg, file := range map[string]string{"motif": "motif", "lang": "lang", "importer": "storage-importer", "exporter": "storage-exporter"} {
		list, err := os.ReadFile(filepath.Join("../lint/testdata/api", file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func ([A-Z]\w*)`).FindAllStringSubmatch(string(list), -1) {
			if functions[pkg+"."+m[1]] == nil {
				t.Errorf("nothing calls %s.%s: add it to functions", pkg, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`(?m)^func \(\w+ \*?(\w+)\) (\w+)`).FindAllStringSubmatch(string(list), -1) {
			name := pkg + "." + m[1]
			if receivers[name] == nil && pkg != "lang" {
				t.Errorf("nothing calls the methods of %s: add it to receivers", name)
			}
			methods[name] = append(methods[name], m[2])
		}
	}
	return methods
}

// TestNoCallPanics calls every exported function and method of the public packages with nil, zero and extreme arguments, on nil,
// zero, open and closed receivers. None may panic or hang.
func TestNoCallPanics(t *testing.T) {
	methods := methodsOf(t)
	t.Chdir(t.TempDir())
	calls := 0
	try := func(what string, fn reflect.Value) {
		for _, args := range tuples(fn.Type()) {
			calls++
			what := fmt.Sprintf("%s(%s)", what, shown(args))
			bounded(t, 30*time.Second, what, func() {
				defer func() {
					if v := recover(); v != nil {
						t.Errorf("%s panics: %v\n%s", what, v, debug.Stack())
					}
				}()
				use(fn.Call(args))
			})
		}
	}
	for name, f := range functions {
		try(name, reflect.ValueOf(f))
	}
	for name, zero := range receivers {
		value := reflect.TypeOf(zero)
		for _, m := range methods[name] {
			fresh := reflect.New(value)
			try("zero "+name+"."+m, fresh.MethodByName(m))
			if _, ofValue := value.MethodByName(m); !ofValue {
				try("nil "+name+"."+m, reflect.Zero(fresh.Type()).MethodByName(m))
			}
		}
	}
	for _, closed := range []bool{false, true} {
		for name, live := range liveReceivers(t, closed) {
			for _, m := range methods[strings.TrimSuffix(name, " reading")] {
				if f := reflect.ValueOf(live).MethodByName(m); m != "Close" || closed {
					try(fmt.Sprintf("%s.%s, closed %v", name, m, closed), f)
				}
			}
		}
	}
	if t.Logf("%d calls", calls); calls < 1000 {
		t.Errorf("only %d calls", calls)
	}
}

// liveReceivers are what an open DB returns, and whether it was closed since.
func liveReceivers(t *testing.T, closed bool) map[string]any {
	t.Helper()
	db := memoryDB(t, edges("1 2\n2 3\n"))
	ctx := context.Background()
	stmt, err1 := db.Prepare(ctx, "MATCH (a) RETURN a, a.id AS id")
	read, err2 := db.BeginRead(ctx)
	rows, err3 := db.Query(ctx, "UNWIND range(1, 1000) AS x RETURN x, [x] AS l", nil)
	plan, err4 := db.Explain(ctx, "MATCH (a)-->(b) RETURN a")
	stats, err5 := db.Stats(ctx)
	job, err6 := db.Distribute(ctx, "MATCH (a)-->(b) RETURN a, count(*)", nil)
	if err := cmpErrors(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	rows.Next()
	live := map[string]any{"motif.DB": db, "motif.Stmt": stmt, "motif.Tx reading": read, "motif.Rows": rows, "motif.Row": rows.Row(), "motif.Job": job, "motif.Plan": plan, "motif.Stats": stats}
	if closed {
		write, err := db.BeginWrite(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := write.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		live["motif.Tx"] = write
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return live
}

func cmpErrors(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// tuples are the arguments to call a function with: first plain ones, then each extreme one among plain ones.
func tuples(f reflect.Type) (list [][]reflect.Value) {
	fixed := f.NumIn()
	if f.IsVariadic() {
		fixed--
	}
	plain := make([]reflect.Value, fixed)
	for i := range plain {
		plain[i] = extremes(f.In(i))[0]
	}
	list = append(list, plain)
	for i := range plain {
		for _, x := range extremes(f.In(i))[1:] {
			args := append([]reflect.Value(nil), plain...)
			args[i] = x
			list = append(list, args)
		}
	}
	if f.IsVariadic() {
		for _, x := range extremes(f.In(fixed).Elem()) {
			list = append(list, append(append([]reflect.Value(nil), plain...), x, x))
		}
	}
	return list
}

// extremes are values of a type: first a plain one, then zero and extreme ones.
func extremes(of reflect.Type) []reflect.Value {
	var list []any
	switch of {
	case reflect.TypeFor[context.Context]():
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		list = []any{context.Background(), ctx}
	case reflect.TypeFor[io.Writer]():
		list = []any{new(bytes.Buffer), (*bytes.Buffer)(nil)}
	case reflect.TypeFor[io.Reader]():
		list = []any{strings.NewReader("x"), (*bytes.Buffer)(nil)}
	case reflect.TypeFor[func(*motif.Tx) error]():
		list = []any{func(*motif.Tx) error { return nil }}
	case reflect.TypeFor[func(lang.Expr) bool]():
		list = []any{func(lang.Expr) bool { return true }}
	case reflect.TypeFor[motif.Params]():
		list = []any{motif.Params{"a": 1}, motif.Params{"a": make(chan int), "\xff": nil}}
	case reflect.TypeFor[motif.LoadOptions]():
		list = []any{motif.LoadOptions{Replace: true}}
	case reflect.TypeFor[motif.DiffOptions]():
		list = []any{motif.DiffOptions{By: "structure", Limit: -1}}
	case reflect.TypeFor[motif.ExportOptions]():
		list = []any{motif.ExportOptions{Format: "jsonl", Writer: new(bytes.Buffer)}, motif.ExportOptions{Path: "a.csv\x00"}}
	case reflect.TypeFor[motif.LoadSpec]():
		list = []any{motif.LoadSpec{Files: []string{"none.csv"}, Workers: -1}, motif.LoadSpec{Files: []string{""}, Nodes: []motif.NodeFile{{}}, Delimiter: -1}}
	case reflect.TypeFor[time.Time]():
		list = []any{time.Now(), time.Unix(math.MaxInt64, math.MaxInt64), time.Unix(math.MinInt64, 0)}
	case reflect.TypeFor[motif.Date]():
		list = []any{motif.Date{Year: math.MinInt, Month: math.MaxInt, Day: math.MinInt}}
	case reflect.TypeFor[any]():
		var p pointsToItself
		list = []any{new(any), 1, &p, (*int)(nil), new(chan int), func() {}}
	default:
		switch of.Kind() {
		case reflect.String:
			list = []any{"RETURN 1 AS x", "\xff", "a\x00b", strings.Repeat("(", 5000), "CREATE (:A)", "my.p(x :: INTEGER) :: (y :: INTEGER)", "/none/none"}
		case reflect.Int, reflect.Int64:
			list = []any{1, -1, math.MaxInt64, math.MinInt64}
		case reflect.Uint8:
			list = []any{1, 255}
		case reflect.Slice:
			list = []any{reflect.MakeSlice(of, 1, 1).Interface()}
		case reflect.Pointer:
			list = []any{reflect.New(of.Elem()).Interface()}
		}
	}
	var out []reflect.Value
	for _, x := range list {
		v := reflect.New(of).Elem()
		if r := reflect.ValueOf(x); r.Type().AssignableTo(of) {
			v.Set(r)
		} else {
			v.Set(r.Convert(of))
		}
		out = append(out, v)
	}
	return append(out, reflect.Zero(of))
}

// use goes through what a call has returned: iterators, rows, transactions.
func use(results []reflect.Value) {
	for _, r := range results {
		switch x := r.Interface().(type) {
		case error:
			_ = x.Error()
		case *motif.Rows:
			x.Next()
			x.Close()
		case *motif.Tx:
			x.Rollback()
		case *motif.DB:
			x.Close()
		default:
			if r.Kind() == reflect.Func && !r.IsNil() && r.Type().NumIn() == 1 && r.Type().In(0).Kind() == reflect.Func {
				r.Call([]reflect.Value{reflect.MakeFunc(r.Type().In(0), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })})
			}
		}
	}
}

// shown writes arguments shortly.
func shown(args []reflect.Value) string {
	var list []string
	for _, a := range args {
		text := a.Type().String()
		switch {
		case a.Kind() == reflect.String:
			text = fmt.Sprintf("%.20q", a.String())
		case a.IsZero():
			text += " zero"
		case a.CanInt():
			text = fmt.Sprint(a.Int())
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
