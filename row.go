package motif

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/motifql/motif/internal/convert"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/jsontext"
	"github.com/motifql/motif/internal/spatial"
	"github.com/motifql/motif/internal/value"
)

// Row is one row of a result. It stays valid after the rows are closed, and several goroutines may read it.
//
// At and Values give Go values, which takes an allocation each. NodeID, Int and the other methods that name a type allocate
// nothing. They return an error if the column holds something else, null included, or if there is no such column; Kind and
// IsNull say what it holds.
type Row struct {
	batch *batch // nil: no row
	at    int
}

// Kind is the type of a value in a row.
type Kind uint8

// The kinds of values.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindList
	KindMap
	KindNode
	KindRelationship
	KindPath
	KindTemporal // a type that implements Temporal
	KindPoint
)

var kindTexts = [...]string{"null", "a boolean", "an integer", "a float", "a string", "a list", "a map", "a node", "a relationship", "a path", "a temporal value", "a point"}

// String returns a text such as "an integer".
func (k Kind) String() string {
	if int(k) >= len(kindTexts) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindTexts[k]
}

// Len returns the number of columns.
func (r Row) Len() int {
	if r.batch == nil {
		return 0
	}
	return r.batch.width
}

// value returns the value of column i, or null if there is no column i.
func (r Row) value(i int) value.Value {
	b := r.batch
	switch {
	case b == nil || uint(i) >= uint(b.width):
		return value.Value{}
	case b.columns != nil:
		return b.cells[i].Value(b.snap, r.at)
	}
	return b.values[r.at*b.width+i]
}

// column returns column i, if the rows came column by column.
func (r Row) column(i int) *exec.Column {
	if b := r.batch; b != nil && uint(i) < uint(len(b.cells)) {
		return &b.cells[i]
	}
	return nil
}

// Kind returns the kind of the value of column i; KindNull if there is no column i.
func (r Row) Kind(i int) Kind {
	if c := r.column(i); c != nil {
		switch c.Kind {
		case exec.NodeColumn:
			return KindNode
		case exec.RelColumn:
			return KindRelationship
		case exec.NodeIDColumn, exec.RelIDColumn:
			return KindInt
		case exec.NodePropertyColumn:
			if _, ok := c.Property.Int(uint64(c.Vertices[r.at])); ok {
				return KindInt
			}
		}
	}
	v := r.value(i)
	switch v.Kind() {
	case value.Temporal:
		return KindTemporal
	case value.Spatial:
		return KindPoint
	case value.Deleted:
		if v.Deleted().Rel {
			return KindRelationship
		}
		return KindNode
	}
	return Kind(v.Kind())
}

// IsNull reports whether the value of column i is null, or there is no column i.
func (r Row) IsNull(i int) bool { return r.Kind(i) == KindNull }

// NodeID returns the id of the node in column i: what id() gives.
func (r Row) NodeID(i int) (uint64, error) {
	if c := r.column(i); c != nil && c.Kind == exec.NodeColumn {
		return uint64(r.batch.snap.NodeID(c.Vertices[r.at])), nil
	}
	switch v := r.value(i); {
	case v.Kind() == value.Node:
		return uint64(r.batch.snap.NodeID(v.Node())), nil
	case v.Kind() == value.Deleted && !v.Deleted().Rel:
		return v.Deleted().ID, nil
	}
	return 0, r.wrong(i, KindNode)
}

// RelationshipID returns the id of the relationship in column i: what id() gives.
func (r Row) RelationshipID(i int) (uint64, error) {
	switch v := r.value(i); {
	case v.Kind() == value.Rel:
		return uint64(r.batch.snap.RelID(v.Rel())), nil
	case v.Kind() == value.Deleted && v.Deleted().Rel:
		return v.Deleted().ID, nil
	}
	return 0, r.wrong(i, KindRelationship)
}

// Int returns the integer in column i.
func (r Row) Int(i int) (int64, error) {
	if b := r.batch; b != nil && uint(i) < uint(len(b.cells)) { // as intIn, one call less
		switch c := &b.cells[i]; c.Kind {
		case exec.NodePropertyColumn:
			if n, ok := c.Property.Int(uint64(c.Vertices[r.at])); ok {
				return n, nil
			}
		case exec.NodeIDColumn:
			return int64(b.snap.NodeID(c.Vertices[r.at])), nil
		}
	}
	if n, ok := r.intIn(i); ok {
		return n, nil
	}
	return 0, r.wrong(i, KindInt)
}

// intIn returns the integer in column i; ok is false if it holds something else.
func (r Row) intIn(i int) (n int64, ok bool) {
	if c := r.column(i); c != nil {
		switch c.Kind {
		case exec.NodePropertyColumn:
			if n, ok := c.Property.Int(uint64(c.Vertices[r.at])); ok {
				return n, true
			}
		case exec.NodeIDColumn:
			return int64(r.batch.snap.NodeID(c.Vertices[r.at])), true
		}
	}
	if v := r.value(i); v.Kind() == value.Int {
		return v.Int(), true
	}
	return 0, false
}

// Float returns the number in column i: a float, or an integer that a float64 holds exactly.
func (r Row) Float(i int) (float64, error) {
	if c := r.column(i); c != nil && c.Kind == exec.FloatColumn {
		return c.Floats[r.at], nil
	}
	switch v := r.value(i); v.Kind() {
	case value.Float:
		return v.Float(), nil
	case value.Int:
		if f := float64(v.Int()); f < 1<<63 && int64(f) == v.Int() {
			return f, nil
		}
	}
	return 0, r.wrong(i, KindFloat)
}

// String returns the string in column i.
func (r Row) String(i int) (string, error) {
	if v := r.value(i); v.Kind() == value.String {
		return v.Str(), nil
	}
	return "", r.wrong(i, KindString)
}

// Bool returns the boolean in column i.
func (r Row) Bool(i int) (bool, error) {
	if v := r.value(i); v.Kind() == value.Bool {
		return v.Bool(), nil
	}
	return false, r.wrong(i, KindBool)
}

// wrong returns the error of a column that does not hold what the program asked for.
func (r Row) wrong(i int, want Kind) error {
	if i < 0 || i >= r.Len() {
		return fmt.Errorf("there is no column %d: the row has %d", i, r.Len())
	}
	return fmt.Errorf("column %d holds %s, not %s", i, r.Kind(i), want)
}

// At returns the value of column i: nil, bool, int64, float64, string, []any, map[string]any, Node, Relationship, Path, Point or a Temporal.
// It returns nil if there is no column i.
func (r Row) At(i int) any {
	if i < 0 || i >= r.Len() {
		return nil
	}
	return r.batch.show(r.value(i))
}

// Values returns all values of the row.
func (r Row) Values() []any {
	n := r.Len()
	var out []any
	var ints []int64 // of the values that are integers
	if n > 0 && r.batch.rows >= convert.RoomRows {
		out, ints = r.batch.room.Take(n)
	} else {
		out, ints = make([]any, n), make([]int64, n)
	}
	for i := range out {
		if n, ok := r.intIn(i); ok {
			ints[i] = n
			out[i] = convert.Int(&ints[i])
			continue
		}
		out[i] = r.batch.show(r.value(i))
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
	if len(dst) != r.Len() {
		return fmt.Errorf("scan: %d targets for %d columns", len(dst), r.Len())
	}
	for i, d := range dst {
		p := reflect.ValueOf(d)
		if p.Kind() != reflect.Pointer || p.IsNil() {
			return fmt.Errorf("scan: target %d is a %T, not a pointer", i, d)
		}
		if err := goTypes.Store(p.Elem(), r.At(i)); err != nil {
			return fmt.Errorf("scan: column %d: %w", i, err)
		}
	}
	return nil
}

// goTypes has Go values of this package's types converted.
var goTypes = &convert.Types{Declared: toTemporal, IsValue: isValue, Properties: propertiesOf, Time: goTime, Name: kindName}

// isValue reports whether a struct type holds a single value of a query.
func isValue(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[Node](), reflect.TypeFor[Relationship](), reflect.TypeFor[Path](), reflect.TypeFor[Point](), reflect.TypeFor[time.Time]():
		return true
	}
	return t.Implements(reflect.TypeFor[Temporal]())
}

// kinds has the kinds of Go values that are no null and no Temporal.
var kinds = map[reflect.Type]Kind{
	reflect.TypeFor[bool](): KindBool, reflect.TypeFor[int64](): KindInt, reflect.TypeFor[float64](): KindFloat, reflect.TypeFor[string](): KindString,
	reflect.TypeFor[[]any](): KindList, reflect.TypeFor[map[string]any](): KindMap, reflect.TypeFor[Node](): KindNode,
	reflect.TypeFor[Relationship](): KindRelationship, reflect.TypeFor[Path](): KindPath, reflect.TypeFor[Point](): KindPoint,
}

func kindName(x any) string {
	if k, ok := kinds[reflect.TypeOf(x)]; ok {
		return k.String()
	}
	return fmt.Sprintf("a %T", x)
}

// AppendJSON appends the value of column i as JSON; see the function AppendJSON. Numbers and strings need no allocation.
func (r Row) AppendJSON(b []byte, i int) []byte {
	switch v := r.value(i); v.Kind() {
	case value.Int:
		return strconv.AppendInt(b, v.Int(), 10)
	case value.Float:
		return jsontext.AppendFloat(b, v.Float())
	case value.String:
		return value.AppendJSONText(b, v.Str())
	}
	return AppendJSON(b, r.At(i))
}

// AppendJSON appends a value of a row as JSON. A node becomes {"id", "labels", "properties"}, a relationship {"id", "type", "start",
// "end", "properties"}, a path {"nodes", "relationships"}, a point {"x", "y", "crs"} with "z" in space. A Temporal becomes its text. A float has
// a point or an exponent; those that JSON lacks are the strings "NaN", "Infinity" and "-Infinity". Maps have their keys in order. The shell's
// JSON is the same. A value that no row holds becomes what encoding/json makes of it, or null if it has no JSON.
func AppendJSON(b []byte, v any) (out []byte) {
	w := jsontext.Writer{Declared: appendDeclared}
	defer func() {
		if recover() != nil || w.Err != nil {
			out = append(b, "null"...)
		}
	}()
	return w.Value(b, v)
}

// WriteJSON writes what AppendJSON appends, a long value piece by piece. A value that has no JSON is an error.
func WriteJSON(w io.Writer, v any) (err error) {
	if w == nil {
		return errors.New("the writer is nil")
	}
	defer guarded.Recover(&err, "the writer")
	j := jsontext.Writer{Out: w, Declared: appendDeclared}
	var room []byte
	if buffered, ok := w.(*bufio.Writer); ok {
		room = buffered.AvailableBuffer()
	}
	rest := j.Value(room, v)
	if j.Err == nil {
		_, j.Err = w.Write(rest)
	}
	return j.Err
}

// MarshalJSON returns the node as AppendJSON writes it.
func (n Node) MarshalJSON() ([]byte, error) { return AppendJSON(nil, n), nil }

// MarshalJSON returns the relationship as AppendJSON writes it.
func (r Relationship) MarshalJSON() ([]byte, error) { return AppendJSON(nil, r), nil }

// MarshalJSON returns the path as AppendJSON writes it.
func (p Path) MarshalJSON() ([]byte, error) { return AppendJSON(nil, p), nil }

// MarshalJSON returns the point as AppendJSON writes it.
func (p Point) MarshalJSON() ([]byte, error) { return AppendJSON(nil, p), nil }

// appendDeclared appends a value of a type that this package declares.
func appendDeclared(w *jsontext.Writer, b []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case Node:
		b = strconv.AppendUint(append(b, `{"id":`...), v.ID, 10)
		b = append(b, `,"labels":[`...)
		for i, l := range v.Labels {
			if i > 0 {
				b = append(b, ',')
			}
			b = value.AppendJSONText(b, l)
		}
		return append(w.Object(append(b, `],"properties":`...), v.Props), '}'), true
	case Relationship:
		b = strconv.AppendUint(append(b, `{"id":`...), v.ID, 10)
		b = value.AppendJSONText(append(b, `,"type":`...), v.Type)
		b = strconv.AppendUint(append(b, `,"start":`...), v.Start, 10)
		b = strconv.AppendUint(append(b, `,"end":`...), v.End, 10)
		return append(w.Object(append(b, `,"properties":`...), v.Props), '}'), true
	case Path:
		b = jsontext.List(w, append(b, `{"nodes":`...), v.Nodes)
		return append(jsontext.List(w, append(b, `,"relationships":`...), v.Relationships), '}'), true
	case Temporal:
		return value.AppendJSONText(b, v.String()), true
	case Point:
		b = jsontext.AppendFloat(append(b, `{"x":`...), v.X)
		b = jsontext.AppendFloat(append(b, `,"y":`...), v.Y)
		if srid := spatial.SRID(v.SRID); srid.Has3D() {
			b = jsontext.AppendFloat(append(b, `,"z":`...), v.Z)
		}
		return append(append(append(b, `,"crs":"`...), spatial.SRID(v.SRID).Name()...), `"}`...), true
	}
	return nil, false
}

// Batch is some rows of a result that follow one another, for programs that read columns. It stays valid after the rows are closed,
// and several goroutines may read it.
//
// The methods that append take a column from 0 on. They return an error if one of the rows holds something else there, null included,
// or if there is no such column; the list then ends before that row.
type Batch struct {
	batch *batch // nil: no row
}

// Len returns the number of rows.
func (b Batch) Len() int {
	if b.batch == nil {
		return 0
	}
	return b.batch.rows
}

// Row returns row i, counted from 0, or a Row without columns if there is no row i.
func (b Batch) Row(i int) Row {
	if uint(i) >= uint(b.Len()) {
		return Row{}
	}
	b.batch.expand()
	return Row{batch: b.batch, at: i}
}

// AppendNodeIDs appends the ids of the nodes in column i: what Row.NodeID gives.
func (b Batch) AppendNodeIDs(ids []uint64, i int) ([]uint64, error) {
	if x := b.batch; x != nil && uint(i) < uint(len(x.columns)) && x.columns[i].Kind == exec.NodeColumn {
		return x.columns[i].AppendNodeIDs(ids, x.snap, x.rows), nil
	}
	return appendColumn(b, ids, i, Row.NodeID)
}

// AppendInts appends the integers in column i.
func (b Batch) AppendInts(ints []int64, i int) ([]int64, error) {
	if c := b.column(i, exec.IntColumn); c != nil {
		return append(ints, c.Ints[:b.Len()]...), nil
	}
	return appendColumn(b, ints, i, Row.Int)
}

// AppendFloats appends the numbers in column i: what Row.Float gives.
func (b Batch) AppendFloats(numbers []float64, i int) ([]float64, error) {
	if c := b.Row(0).column(i); c != nil && (c.Kind == exec.FloatColumn || c.Kind == exec.DegreeColumn) {
		return c.AppendFloats(numbers, b.batch.snap, b.Len()), nil
	}
	return appendColumn(b, numbers, i, Row.Float)
}

// column returns column i if it is of a kind that needs no look at each row.
func (b Batch) column(i int, kind exec.ColumnKind) *exec.Column {
	if c := b.Row(0).column(i); c != nil && c.Kind == kind {
		return c
	}
	return nil
}

// appendColumn appends what a method of Row gives for column i of each row.
func appendColumn[T any](b Batch, list []T, i int, of func(Row, int) (T, error)) ([]T, error) {
	if b.batch != nil {
		b.batch.expand()
	}
	for k := range b.Len() {
		x, err := of(Row{batch: b.batch, at: k}, i)
		if err != nil {
			return list, fmt.Errorf("row %d of the batch: %w", k, err)
		}
		list = append(list, x)
	}
	return list, nil
}

// batch is some rows, with the bytes that they take: row by row in values, or column by column.
type batch struct {
	rows, width int
	values      []value.Value
	columns     []exec.Column
	cells       []exec.Column // columns with a value for each row: what a Row reads, after expand
	expanded    sync.Once
	snap        *csr.Snapshot // that nodes and relationships belong to
	room        convert.Room  // of Row.Values
	bytes       int64
	lose        func(error) // if the store is mapped: takes the error of a value that could not be read
}

// expand prepares for reading rows one by one. Several goroutines may call it.
func (b *batch) expand() {
	b.expanded.Do(func() { b.cells = exec.Expanded(b.columns, b.rows) })
}
