package eval

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// casts converts a value to a type by the name of the type.
var casts = map[string]function{"BOOLEAN": toBoolean, "STRING": toString, "INTEGER": toInteger, "FLOAT": toFloat,
	"DATE": castTime(temporal.Date), "LOCAL TIME": castTime(temporal.LocalTime), "ZONED TIME": castTime(temporal.Time),
	"LOCAL DATETIME": castTime(temporal.LocalDateTime), "ZONED DATETIME": castTime(temporal.DateTime),
	"DURATION": func(rt *Runtime, v value.Value) (value.Value, error) { return durationOf(rt, []value.Value{v}) },
	"POINT":    pointOfMap,
}

func castTime(k temporal.Kind) function {
	return func(rt *Runtime, v value.Value) (value.Value, error) { return pointOf(rt, k, []value.Value{v}) }
}

// castCall compiles CAST(x AS TYPE). Null is null in every type without NOT NULL, and a value of the type is itself.
func castCall(c *Compiler, x *lang.Call) (Closure, error) {
	lit, _ := x.Args[1].(*lang.Literal)
	text, _ := lit.Value.(string)
	t, err := lang.ParseType(text)
	if err != nil {
		return Closure{}, err
	}
	rt := c.Runtime
	return c.unary(x.Pos, x.Args[0], func(v value.Value) (value.Value, error) { return castTo(rt, v, t) })
}

func castTo(rt *Runtime, v value.Value, t *lang.ValueType) (value.Value, error) {
	if IsOfType(v, t) {
		return v, nil
	}
	fail := func() (value.Value, error) {
		return value.Value{}, &Error{Code: codeText, Msg: fmt.Sprintf("%s cannot be cast to %s", shown(v), t), Hint: "toInteger(), toFloat() and their like give null for text that they cannot read"}
	}
	if v.IsNull() {
		return fail()
	}
	for _, n := range t.Any {
		f := casts[n.Name]
		if n.Name == "LIST" && v.Kind() == value.List {
			f = func(rt *Runtime, v value.Value) (value.Value, error) { return castList(rt, v, n.Of) }
		}
		if f == nil {
			continue
		}
		if w, err := f(rt, v); err == nil && !w.IsNull() {
			return w, nil
		}
	}
	return fail()
}

func castList(rt *Runtime, v value.Value, of *lang.ValueType) (value.Value, error) {
	if err := rt.room(24 * int64(len(v.List()))); err != nil {
		return v, err
	}
	out := make([]value.Value, len(v.List()))
	for i, x := range v.List() {
		err := rt.poll(i)
		if err == nil {
			out[i], err = castTo(rt, x, of)
		}
		if err != nil {
			return v, err
		}
	}
	return value.OfList(out), nil
}

// shown is v for a message: by itself if it is short, else its type.
func shown(v value.Value) string {
	if v.Bytes() < 100 {
		if text := v.String(); len(text) < 40 && !strings.Contains(text, "#") {
			return text
		}
	}
	return Describe(v)
}
