package motif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif/internal/convert"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// goTypes has Go values of this package's types converted.
var goTypes = &convert.Types{Declared: toTemporal, IsValue: isValue, Properties: propertiesOf, Time: goTime, Name: kindName}

// toValue turns a value of the program into a runtime value.
func toValue(ctx context.Context, x any, memory *pattern.Memory) (_ value.Value, err error) {
	defer func() {
		if v := recover(); v != nil { // a type of the program embeds a nil Temporal
			err = guarded(fmt.Sprintf("a %T", x), v)
		}
	}()
	return goTypes.Value(ctx, x, memory)
}

// paramValues turns the parameters of a query into runtime values. They take of its memory as long as it runs.
func paramValues(ctx context.Context, params Params, memory *pattern.Memory) (map[string]value.Value, error) {
	values := make(map[string]value.Value, len(params))
	for name, x := range params {
		v, err := toValue(ctx, x, memory)
		if !utf8.ValidString(name) {
			err = convert.ErrNotUTF8
		}
		if errors.Is(err, ErrMemory) {
			return nil, convert.ErrTooLarge
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

// isValue reports whether a struct type holds a single value of a query.
func isValue(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[Node](), reflect.TypeFor[Relationship](), reflect.TypeFor[Path](), reflect.TypeFor[Point](), reflect.TypeFor[time.Time]():
		return true
	}
	return t.Implements(reflect.TypeFor[Temporal]())
}

// propertiesOf returns the properties of a node, a relationship or a map, and what functions give for it.
func propertiesOf(x any) (props, functions map[string]any, ok bool) {
	switch x := x.(type) {
	case Node:
		return x.Props, map[string]any{"id()": int64(x.ID), "labels()": x.Labels}, true
	case Relationship:
		return x.Props, map[string]any{"id()": int64(x.ID), "type()": x.Type}, true
	case map[string]any:
		return x, nil, true
	}
	return nil, nil, false
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
