package motif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// maxNesting bounds the lists, maps and pointers inside each other in a value of the program.
const maxNesting = 1000

// reader turns values of the program into runtime values.
type reader struct {
	ctx    context.Context // nil: it does not end
	memory *pattern.Memory // pays for the values; nil: nobody does
	debt   int64           // bytes that are not charged yet
	path   []container     // what encloses the value
	read   int             // values so far
}

// container is a list, a map or a pointer, by its address.
type container struct {
	at  unsafe.Pointer
	len int
	of  reflect.Type
}

// toValue turns a value of the program into a runtime value.
func toValue(ctx context.Context, x any, memory *pattern.Memory) (_ value.Value, err error) {
	defer func() {
		if v := recover(); v != nil { // a type of the program embeds a nil Temporal
			err = guarded(fmt.Sprintf("a %T", x), v)
		}
	}()
	r := reader{ctx: ctx, memory: memory}
	v, err := r.value(x)
	return v, cmp.Or(err, r.pay())
}

// errParamsTooLarge says that the memory budget has no room for the parameters.
var errParamsTooLarge = fmt.Errorf("%w: the parameters of the query need more", ErrMemory)

// owe counts bytes that a value takes, and charges them once in a while.
func (r *reader) owe(n int) error {
	if r.debt += int64(n); r.debt > 1<<16 {
		return r.pay()
	}
	return nil
}

func (r *reader) pay() error {
	n := r.debt
	r.debt = 0
	if r.memory.Charge(n) != nil {
		return errParamsTooLarge
	}
	return nil
}

// paramValues turns the parameters of a query into runtime values. They take of its memory as long as it runs.
func paramValues(ctx context.Context, params Params, memory *pattern.Memory) (map[string]value.Value, error) {
	values := make(map[string]value.Value, len(params))
	for name, x := range params {
		v, err := toValue(ctx, x, memory)
		if !utf8.ValidString(name) {
			err = errNotUTF8
		}
		if errors.Is(err, ErrMemory) {
			return nil, errParamsTooLarge
		}
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		if err != nil {
			text := fmt.Sprintf("parameter $%s: %v", strings.ToValidUTF8(name, "\uFFFD"), err)
			return nil, &QueryError{Code: "ArgumentError.InvalidParameter", Phase: PhaseCompile, Message: text, pretty: text}
		}
		values[name] = v
	}
	return values, nil
}

// missing returns the error for the parameters of the query that have no value. EXPLAIN needs none.
func (p *prepared) missing(values map[string]value.Value) error {
	var missing []lang.Name
	for _, need := range p.needs {
		if _, ok := values[need.Text]; !ok {
			missing = append(missing, need)
		}
	}
	if len(missing) == 0 || p.mode == lang.Explain {
		return nil
	}
	first := missing[0].Text
	e := &lang.Error{Code: eval.CodeParameter, Msg: "the parameter $" + first + " has no value", Pos: missing[0].Pos, Query: p.text}
	if len(missing) > 1 {
		list := make([]string, len(missing))
		for i, m := range missing {
			list[i] = "$" + m.Text
		}
		e.Msg = "the parameters " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1] + " have no values"
	}
	e.Hint = fmt.Sprintf("give it one: motif.Params{%q: ...} in a program, -p %s=VALUE on the command line, :param %s VALUE in the shell", first, first, first)
	if near, ok := lang.Suggest(first, slices.Sorted(maps.Keys(values))); ok {
		e.Hint = "you gave $" + near + " a value; did you mean $" + first + "?"
	}
	return newQueryError(e, PhaseCompile)
}

var errNotUTF8 = errors.New("the text is not valid UTF-8")

func (r *reader) value(x any) (value.Value, error) {
	if r.read++; r.read%4096 == 0 && r.ctx != nil && r.ctx.Err() != nil {
		return value.Value{}, r.ctx.Err()
	}
	switch x := x.(type) {
	case nil:
		return value.Value{}, nil
	case bool:
		return value.OfBool(x), nil
	case string:
		return textValue(x)
	}
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return value.Value{}, nil
	}
	if v, known, err := toTemporal(x); known {
		return v, err
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return value.OfInt(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.Uint() > math.MaxInt64 {
			return value.Value{}, fmt.Errorf("%d does not fit a 64-bit integer", v.Uint())
		}
		return value.OfInt(int64(v.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return value.OfFloat(v.Float()), nil
	case reflect.Bool:
		return value.OfBool(v.Bool()), nil
	case reflect.String:
		return textValue(v.String())
	case reflect.Pointer:
		return r.inside(container{v.UnsafePointer(), 0, v.Type()}, func() (value.Value, error) { return r.value(v.Elem().Interface()) })
	case reflect.Array:
		return r.list(v)
	case reflect.Slice:
		return r.inside(container{v.UnsafePointer(), v.Len(), v.Type()}, func() (value.Value, error) { return r.list(v) })
	case reflect.Map:
		return r.inside(container{v.UnsafePointer(), 0, v.Type()}, func() (value.Value, error) { return r.mapping(v) })
	}
	return value.Value{}, fmt.Errorf("a %T cannot be a query parameter", x)
}

func textValue(s string) (value.Value, error) {
	if !utf8.ValidString(s) {
		return value.Value{}, errNotUTF8
	}
	return value.OfString(s), nil
}

// inside calls read for the contents of c.
func (r *reader) inside(c container, read func() (value.Value, error)) (value.Value, error) {
	if c.len > 0 || c.of.Kind() != reflect.Slice { // an empty slice contains nothing, and shares its address
		if slices.Contains(r.path, c) {
			return value.Value{}, fmt.Errorf("a %v contains itself", c.of)
		}
	}
	if len(r.path) == maxNesting {
		return value.Value{}, fmt.Errorf("it is nested more than %d levels deep", maxNesting)
	}
	r.path = append(r.path, c)
	v, err := read()
	r.path = r.path[:len(r.path)-1]
	return v, err
}

func (r *reader) list(v reflect.Value) (value.Value, error) {
	if err := r.owe(v.Len() * int(unsafe.Sizeof(value.Value{}))); err != nil {
		return value.Value{}, err
	}
	list := make([]value.Value, v.Len())
	for i := range list {
		x, err := r.value(v.Index(i).Interface())
		if err != nil {
			return value.Value{}, r.within(err, "element %d", i)
		}
		list[i] = x
	}
	return value.OfList(list), nil
}

// mapEntryBytes is about what an entry of a map takes: its key while keys are sorted and as text, and its value.
const mapEntryBytes = 80

func (r *reader) mapping(v reflect.Value) (value.Value, error) {
	if v.Type().Key().Kind() != reflect.String {
		return value.Value{}, fmt.Errorf("a %s cannot be a query parameter: map keys must be strings", v.Type())
	}
	if err := r.owe(v.Len() * mapEntryBytes); err != nil {
		return value.Value{}, err
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	m := &value.MapValue{}
	for _, k := range keys {
		x, err := r.value(v.MapIndex(k).Interface())
		if !utf8.ValidString(k.String()) {
			err = errNotUTF8
		}
		if err != nil {
			return value.Value{}, r.within(err, "key %q", k.String())
		}
		m.Keys = append(m.Keys, k.String())
		m.Values = append(m.Values, x)
	}
	return value.OfMap(m), nil
}

// within says where in a value an error is, down to a depth that a person can read.
func (r *reader) within(err error, place string, at any) error {
	if len(r.path) > 5 {
		return err
	}
	return fmt.Errorf(place+": %w", at, err)
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
	case to.Kind() == reflect.Pointer && !pointsToItself(to.Type()):
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

// pointsToItself reports whether t is a pointer without an end, such as type T *T.
func pointsToItself(t reflect.Type) bool {
	first := t
	for range 100 {
		if t = t.Elem(); t.Kind() != reflect.Pointer {
			return false
		}
		if t == first {
			return true
		}
	}
	return true
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
		functions["id()"], functions["labels()"] = int64(x.ID), x.Labels
	case Relationship:
		props = x.Props
		functions["id()"], functions["type()"] = int64(x.ID), x.Type
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
	case Point:
		return "a point"
	}
	return fmt.Sprintf("a %T", x)
}

// goTime turns a DateTime into Go's time.Time, or a Duration into a time.Duration, if to is that type and holds it exactly.
func goTime(to reflect.Type, x any) (any, bool) {
	switch x := x.(type) {
	case DateTime:
		return x.Time, to == reflect.TypeFor[time.Time]()
	case Duration:
		d, fits := x.TimeDuration()
		return d, fits && to == reflect.TypeFor[time.Duration]()
	}
	return nil, false
}

func (p *prepared) warn(list []*lang.Error) {
	for _, w := range list {
		p.warnings = append(p.warnings, newWarning(w, p.text))
	}
}

func newWarning(w *lang.Error, text string) Warning {
	length := (&lang.Error{Pos: w.Pos, Query: text}).Length()
	return Warning{Message: shorten(w.Msg), Hint: shorten(w.Hint), Line: w.Pos.Line, Column: w.Pos.Column, Length: length}
}

// unlike lists the comparisons with parameters that never hold, for the kinds of the parameters' values.
func (p *prepared) unlike(values map[string]value.Value) (list []Warning) {
	if len(values) == 0 {
		return nil
	}
	for _, w := range p.plan.ParameterWarnings(func(name string) *lang.Literal { return literalOf(values[name]) }) {
		list = append(list, newWarning(w, cmp.Or(p.from, p.text)))
	}
	return list
}

// literalOf returns a number, a text or a boolean as a literal; nil for other values.
func literalOf(v value.Value) *lang.Literal {
	switch v.Kind() {
	case value.Int:
		return &lang.Literal{Value: v.Int()}
	case value.Float:
		return &lang.Literal{Value: v.Float()}
	case value.String:
		return &lang.Literal{Value: v.Str()}
	case value.Bool:
		return &lang.Literal{Value: v.Bool()}
	}
	return nil
}
