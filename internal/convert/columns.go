package convert

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Columns says where the columns of a result go in a value of a type.
type Columns struct {
	types  *Types
	names  []string
	fields [][]int // by column; nil: the value takes the only column whole
}

// Columns finds the fields of a struct that take columns. It reports an error if a column has no field.
func (t *Types) Columns(of reflect.Type, names []string) (*Columns, error) {
	c := &Columns{types: t, names: names}
	if of.Kind() != reflect.Struct || t.IsValue(of) {
		if len(names) != 1 {
			return nil, fmt.Errorf("a %s takes one column, the query returns %d", of, len(names))
		}
		return c, nil
	}
	list := t.fieldsOf(of)
	fields := make([][]int, len(names))
	for i, name := range names {
		j := slices.IndexFunc(list, func(f field) bool { return f.name == name || !f.tagged && strings.EqualFold(f.name, name) })
		switch {
		case j >= 0:
			fields[i] = list[j].index
		case len(names) == 1:
			return c, nil
		default:
			return nil, fmt.Errorf("%s has no field for column %q", of, name)
		}
	}
	c.fields = fields
	return c, nil
}

// Store puts the value of column i into a settable value of the type.
func (c *Columns) Store(to reflect.Value, i int, x any) error {
	if c.fields == nil {
		err := c.types.Store(to, x)
		if err != nil && to.Kind() == reflect.Struct {
			err = fmt.Errorf("column %q: %w", c.names[i], err)
		}
		return err
	}
	if err := c.types.Store(fieldAt(to, c.fields[i]), x); err != nil {
		return fmt.Errorf("field %s: %w", to.Type().FieldByIndex(c.fields[i]).Name, err)
	}
	return nil
}
