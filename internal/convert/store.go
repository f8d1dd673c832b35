package convert

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Store puts a value of a row into a settable place.
func (t *Types) Store(to reflect.Value, x any) error {
	if x == nil {
		return storeNull(to)
	}
	from := reflect.ValueOf(x)
	if y, ok := t.Time(to.Type(), x); ok {
		from = reflect.ValueOf(y)
	}
	switch {
	case from.Type().AssignableTo(to.Type()):
		to.Set(from)
		return nil
	case to.Kind() == reflect.Pointer && !pointsToItself(to.Type()):
		to.Set(reflect.New(to.Type().Elem()))
		return t.Store(to.Elem(), x)
	case to.Kind() == reflect.Slice && from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			if err := t.Store(to.Index(i), from.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	case to.Kind() == reflect.Struct && !t.IsValue(to.Type()):
		if props, functions, ok := t.Properties(x); ok {
			return t.storeProperties(to, props, functions)
		}
	case exactly(to, from):
		to.Set(from.Convert(to.Type()))
		return nil
	}
	return fmt.Errorf("%s does not go into a %s", t.Name(x), to.Type())
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

// storeNull stores null, for which most types have no value.
func storeNull(to reflect.Value) error {
	switch to.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		to.SetZero()
		return nil
	}
	return fmt.Errorf("null does not go into %s; scan into a pointer, *%s, where null may come", to.Type(), to.Type())
}

// storeProperties fills the fields of a struct with properties, and with the results of functions by their tag, such as "id()".
func (t *Types) storeProperties(to reflect.Value, props, functions map[string]any) error {
	for _, f := range t.fieldsOf(to.Type()) {
		value, ok := props[f.name]
		switch given, isFunction := functions[f.name]; {
		case isFunction:
			value = given
		case !ok && !f.tagged:
			value = foldedProperty(props, f.name)
		}
		if err := t.Store(fieldAt(to, f.index), value); err != nil {
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

// fieldsOf lists the exported fields of a struct. It replaces an embedded struct by the fields of that struct.
func (t *Types) fieldsOf(of reflect.Type) []field {
	if list, ok := t.fields.Load(of); ok {
		return list.([]field)
	}
	var list []field
	for _, f := range reflect.VisibleFields(of) {
		tag, tagged := f.Tag.Lookup("motif")
		if !f.IsExported() || tag == "-" || f.Anonymous && !tagged && f.Type.Kind() != reflect.Interface && !t.IsValue(f.Type) || hidden(of, f.Index) {
			continue
		}
		list = append(list, field{name: cmp.Or(tag, f.Name), tagged: tag != "", index: f.Index})
	}
	t.fields.Store(of, list)
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
