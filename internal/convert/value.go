package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// maxNesting bounds the lists, maps and pointers inside each other in a value of the program.
const maxNesting = 1000

// Value turns a value of the program into a runtime value. ctx may be nil: then it does not end. memory pays for the value, unless it is nil.
func (t *Types) Value(ctx context.Context, x any, memory *pattern.Memory) (value.Value, error) {
	r := reader{types: t, ctx: ctx, memory: memory}
	v, err := r.value(x)
	return v, cmp.Or(err, r.pay())
}

// reader turns values of the program into runtime values.
type reader struct {
	types  *Types
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

// ErrTooLarge says that the memory budget has no room for the parameters. ErrNotUTF8 says that a text cannot be a string of the language.
var (
	ErrTooLarge = fmt.Errorf("%w: the parameters of the query need more", pattern.ErrMemory)
	ErrNotUTF8  = errors.New("the text is not valid UTF-8")
)

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
		return ErrTooLarge
	}
	return nil
}

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
	if v, known, err := r.types.Declared(x); known {
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
		return value.Value{}, ErrNotUTF8
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
			err = ErrNotUTF8
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
