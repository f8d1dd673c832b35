package motif

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// Rows is a query's result, row by row, while the query runs. Use either All, or Next, Scan, Err and Close. Rows is not
// safe for concurrent use. Close it, or read it to the end; both release the query.
//
// When a query is cancelled or out of time, its rows end within a tenth of a second. If the query was building an index of the
// graph at that moment, Motif finishes the index in the background, and the next query uses it.
type Rows struct {
	columns []string
	batch   batch
	row     Row
	x       *execution
	cancel  context.CancelFunc
	release func()        // lets DB.Close go on
	done    chan struct{} // closed when outcome is set
	outcome outcome
	closed  bool
	left    error // why the rows were left before the query had ended; see leave
}

// outcome is what the running query leaves behind.
type outcome struct {
	summary Summary
	err     error
}

// grace bounds the wait for a query that must stop.
const grace = 50 * time.Millisecond

// Columns returns the names of the columns.
func (r *Rows) Columns() []string { return r.columns }

// Next goes on to the next row and reports whether there is one.
func (r *Rows) Next() bool {
	if r.closed {
		return false
	}
	width := len(r.columns)
	for len(r.batch.values) < max(width, 1) { // a result without columns has no rows
		r.x.read(r.batch)
		r.batch.bytes = 0
		batch, ok := r.receive()
		if !ok {
			r.Close()
			return false
		}
		r.batch = batch
	}
	r.row = Row{values: r.batch.values[:width:width], snap: r.x.shown}
	r.batch.values = r.batch.values[width:]
	return true
}

// receive waits for the next rows. When the query's context ends it gives the query a moment to end in order.
func (r *Rows) receive() (b batch, ok bool) {
	if held := r.x.held; len(held) > 0 {
		b, r.x.held = held[0], held[1:]
		return b, true
	}
	select {
	case b, ok = <-r.x.batches:
		return b, ok
	case <-r.x.ctx.Done():
	}
	select {
	case b, ok = <-r.x.batches:
		return b, ok
	case <-time.After(grace):
	}
	select { // this goroutine, too, may have been away for longer than that
	case b, ok = <-r.x.batches:
		return b, ok
	default:
		r.left = r.x.explainEnd(r.x.ctx.Err())
		return b, false
	}
}

// Row returns the current row, which stays valid.
func (r *Rows) Row() Row { return r.row }

// Scan copies the current row's values into pointers, one per column; see Row.Scan.
func (r *Rows) Scan(dst ...any) error { return r.row.Scan(dst...) }

// Err returns the error that ended the rows, if any. It is known once Next has returned false or Close was called.
func (r *Rows) Err() error {
	if r.left != nil {
		return r.left
	}
	select {
	case <-r.done:
		return r.outcome.err
	default:
		return nil
	}
}

// Close stops the query and releases it. It may be called more than once. A query stopped by Close has no error.
func (r *Rows) Close() error {
	if r.closed {
		return r.Err()
	}
	r.closed = true
	r.cancel()
	select {
	case <-r.done:
	case <-time.After(grace):
		r.release() // what still runs reads the graph in memory, not the store
	}
	return r.Err()
}

// Summary returns what the query did. Before the query has ended, it returns what is known so far.
func (r *Rows) Summary() Summary {
	select {
	case <-r.done:
		return r.outcome.summary
	default:
		return r.x.summary()
	}
}

// All yields every row. An error is yielded last, with a zero Row. The rows are closed when the loop ends.
func (r *Rows) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		defer r.Close()
		for r.Next() {
			if !yield(r.row, nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(Row{}, err)
		}
	}
}

// drain reads rows to their end.
func drain(r *Rows, err error) (Summary, error) {
	if err != nil {
		return Summary{}, err
	}
	for r.Next() {
	}
	return r.Summary(), r.Err()
}

// Row is one row of a result.
type Row struct {
	values []value.Value
	snap   *csr.Snapshot
}

// Len returns the number of columns.
func (r Row) Len() int { return len(r.values) }

// At returns the value of column i: nil, bool, int64, float64, string, []any, map[string]any, Node, Relationship, Path or a Temporal.
func (r Row) At(i int) any { return fromValue(r.snap, r.values[i]) }

// Values returns all values of the row.
func (r Row) Values() []any {
	out := make([]any, len(r.values))
	for i := range out {
		out[i] = r.At(i)
	}
	return out
}

// Scan copies the values into pointers, one per column:
//
//   - A *any takes everything.
//   - Numbers go into any number type that holds them exactly.
//   - Null goes into pointers, slices, maps and *any, as nil. It is an error for other types: where null may come, declare
//     var p *int and scan into &p.
//   - Lists go into slices.
//   - A DateTime goes into a time.Time, and a Duration without months and days into a time.Duration that holds it.
//   - A node, a relationship or a map goes into a struct. Each exported field takes the property that its tag `motif:"name"`
//     names; without a tag, the property with the field's own name in any letter case. Fields tagged "id()", "labels()" and
//     "type()" take the results of these functions. Properties without a field and fields tagged "-" are ignored. A missing
//     property is null.
func (r Row) Scan(dst ...any) error {
	if len(dst) != len(r.values) {
		return fmt.Errorf("scan: %d targets for %d columns", len(dst), len(r.values))
	}
	for i, d := range dst {
		p := reflect.ValueOf(d)
		if p.Kind() != reflect.Pointer || p.IsNil() {
			return fmt.Errorf("scan: target %d is a %T, not a pointer", i, d)
		}
		if err := assign(p.Elem(), r.At(i)); err != nil {
			return fmt.Errorf("scan: column %d: %w", i, err)
		}
	}
	return nil
}

// assign stores a value as users see it into a settable place.
func assign(to reflect.Value, x any) error {
	if x == nil {
		return assignNull(to)
	}
	from := reflect.ValueOf(x)
	if y, ok := goTime(to.Type(), x); ok {
		from = reflect.ValueOf(y)
	}
	switch {
	case from.Type().AssignableTo(to.Type()):
		to.Set(from)
		return nil
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Elem(), x)
	case to.Kind() == reflect.Slice && from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			if err := assign(to.Index(i), from.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	case to.Kind() == reflect.Struct && !isValue(to.Type()) && hasProperties(x):
		return assignProperties(to, x)
	case exactly(to, from):
		to.Set(from.Convert(to.Type()))
		return nil
	}
	return fmt.Errorf("%s does not go into a %s", kindName(x), to.Type())
}

// assignNull stores null, for which most types have no value.
func assignNull(to reflect.Value) error {
	switch to.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		to.SetZero()
		return nil
	}
	return fmt.Errorf("null does not go into %s; scan into a pointer, *%s, where null may come", to.Type(), to.Type())
}

func hasProperties(x any) bool {
	switch x.(type) {
	case Node, Relationship, map[string]any:
		return true
	}
	return false
}

// assignProperties fills the fields of a struct from a node, a relationship or a map.
func assignProperties(to reflect.Value, x any) error {
	var props map[string]any
	functions := map[string]any{}
	switch x := x.(type) {
	case Node:
		props = x.Props
		functions["id()"], functions["labels()"] = x.ID, x.Labels
	case Relationship:
		props = x.Props
		functions["id()"], functions["type()"] = x.ID, x.Type
	case map[string]any:
		props = x
	}
	for _, f := range fieldsOf(to.Type()) {
		value, ok := props[f.name]
		switch given, isFunction := functions[f.name]; {
		case isFunction:
			value = given
		case !ok && !f.tagged:
			value = foldedProperty(props, f.name)
		}
		if err := assign(fieldAt(to, f.index), value); err != nil {
			return fmt.Errorf("field %s: %w", to.Type().FieldByIndex(f.index).Name, err)
		}
	}
	return nil
}

// foldedProperty finds a property regardless of case. If several fit, it takes the first in the order of names.
func foldedProperty(props map[string]any, name string) any {
	found := ""
	for key := range props {
		if strings.EqualFold(key, name) && (found == "" || key < found) {
			found = key
		}
	}
	return props[found]
}

// field is a field of a struct that takes a column or a property.
type field struct {
	name   string // its tag, or its own name
	tagged bool
	index  []int
}

var fieldLists sync.Map // of reflect.Type: the []field of a struct

// fieldsOf lists the exported fields of a struct. It replaces an embedded struct by the fields of that struct.
func fieldsOf(t reflect.Type) []field {
	if list, ok := fieldLists.Load(t); ok {
		return list.([]field)
	}
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup("motif")
		if !f.IsExported() || tag == "-" || f.Anonymous && !tagged && f.Type.Kind() != reflect.Interface && !isValue(f.Type) || hidden(t, f.Index) {
			continue
		}
		list = append(list, field{name: cmp.Or(tag, f.Name), tagged: tag != "", index: f.Index})
	}
	fieldLists.Store(t, list)
	return list
}

// hidden reports whether a field lies behind an embedded pointer that reflection cannot set.
func hidden(t reflect.Type, index []int) bool {
	for _, at := range index[:len(index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f := t.Field(at)
		if t = f.Type; t.Kind() == reflect.Pointer && !f.IsExported() {
			return true
		}
	}
	return false
}

// fieldAt returns a field, and makes the embedded structs on its path.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for i, at := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v
}

// exactly reports whether from converts to the type of to without loss.
func exactly(to, from reflect.Value) bool {
	switch from.Kind() {
	case reflect.Int64:
		switch {
		case to.CanInt():
			return !to.OverflowInt(from.Int())
		case to.CanUint():
			return from.Int() >= 0 && !to.OverflowUint(uint64(from.Int()))
		case to.CanFloat():
			f := float64(from.Int())
			return f < 1<<63 && int64(f) == from.Int() && (to.Kind() != reflect.Float32 || float64(float32(f)) == f)
		}
	case reflect.Float64:
		return to.Kind() == reflect.Float64 || to.Kind() == reflect.Float32 && float64(float32(from.Float())) == from.Float()
	case reflect.String:
		return to.Kind() == reflect.String
	case reflect.Bool:
		return to.Kind() == reflect.Bool
	}
	return false
}

func kindName(x any) string {
	switch x.(type) {
	case bool:
		return "a boolean"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case Node:
		return "a node"
	case Relationship:
		return "a relationship"
	case Path:
		return "a path"
	}
	return fmt.Sprintf("a %T", x)
}

// Into yields every row as a T:
//
//   - If T is a struct, each column goes into the field of its name: the name in the field's tag `motif:"name"`, or the field's own
//     name in any letter case. Every column must have a field.
//   - If the query has a single column, and the struct has no field for it, Into scans the value into the struct as Row.Scan does:
//     a node's properties into the fields, for example.
//   - Any other T takes the value of a single column.
func Into[T any](r *Rows) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		to, err := columnFields(reflect.TypeFor[T](), r.columns)
		if err != nil {
			r.Close()
			yield(zero, err)
			return
		}
		for row, err := range r.All() {
			var t T
			if err == nil {
				err = scanInto(reflect.ValueOf(&t).Elem(), to, row, r.columns)
			}
			if err != nil {
				yield(zero, err)
				return
			}
			if !yield(t, nil) {
				return
			}
		}
	}
}

// columnFields finds the field of each column; nil means that the type takes the only column whole.
func columnFields(t reflect.Type, columns []string) ([][]int, error) {
	if t.Kind() != reflect.Struct || isValue(t) {
		if len(columns) != 1 {
			return nil, fmt.Errorf("a %s takes one column, the query returns %d", t, len(columns))
		}
		return nil, nil
	}
	list := fieldsOf(t)
	fields := make([][]int, len(columns))
	for i, c := range columns {
		j := slices.IndexFunc(list, func(f field) bool { return f.name == c || !f.tagged && strings.EqualFold(f.name, c) })
		switch {
		case j >= 0:
			fields[i] = list[j].index
		case len(columns) == 1:
			return nil, nil
		default:
			return nil, fmt.Errorf("%s has no field for column %q", t, c)
		}
	}
	return fields, nil
}

// isValue reports whether a struct type holds a single value of a query.
func isValue(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[Node](), reflect.TypeFor[Relationship](), reflect.TypeFor[Path](), reflect.TypeFor[time.Time]():
		return true
	}
	return t.Implements(reflect.TypeFor[Temporal]())
}

func scanInto(to reflect.Value, fields [][]int, row Row, columns []string) error {
	if fields == nil {
		err := assign(to, row.At(0))
		if err != nil && to.Kind() == reflect.Struct {
			err = fmt.Errorf("column %q: %w", columns[0], err)
		}
		return err
	}
	for i, f := range fields {
		if err := assign(fieldAt(to, f), row.At(i)); err != nil {
			return fmt.Errorf("field %s: %w", to.Type().FieldByIndex(f).Name, err)
		}
	}
	return nil
}

// One returns the first row as a T, by the rules of Into, and closes the rows. It gives ErrNoRows if the query gives no row.
func One[T any](r *Rows) (T, error) {
	var zero T
	for t, err := range Into[T](r) {
		return t, err
	}
	return zero, ErrNoRows
}
