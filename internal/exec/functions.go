package exec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// function is a function of one argument. Of null it is null without being asked.
type function func(c *compiler, v value.Value) (value.Value, error)

// functions are the functions of one argument by their names in lower case.
var functions = map[string]function{
	"id": id, "labels": labels, "type": typeOf, "properties": properties, "keys": keys,
	"startnode": startNode, "endnode": endNode,
	"length": length, "nodes": nodesOf, "relationships": relationshipsOf,
	"size": size, "head": head, "last": last,
	"abs": abs, "sign": sign,
	"ceil": float("ceil", math.Ceil), "floor": float("floor", math.Floor), "round": float("round", round), "sqrt": float("sqrt", math.Sqrt),
	"tointeger": toInteger, "tofloat": toFloat, "tostring": toString, "toboolean": toBoolean,
	"tolower": text("toLower", strings.ToLower), "toupper": text("toUpper", strings.ToUpper), "trim": text("trim", strings.TrimSpace),
}

func (c *compiler) call(x *lang.Call) (compiled, error) {
	switch name := strings.ToLower(x.Name); name {
	case "coalesce":
		return c.coalesce(x)
	case "all_different":
		return c.allDifferent(x)
	case "is_clique":
		return c.isClique(x)
	default:
		f, ok := functions[name]
		if !ok || len(x.Args) != 1 {
			return compiled{}, &Error{Code: codeInternal, Msg: fmt.Sprintf("no function %s of %d arguments", x.Name, len(x.Args)), Pos: x.Pos}
		}
		return c.unary(x.Pos, x.Args[0], func(v value.Value) (value.Value, error) {
			if v.IsNull() {
				return v, nil
			}
			return f(c, v)
		})
	}
}

func badArgument(name, wanted string, v value.Value) error {
	return fail(codeArgumentValue, "%s() takes %s, not %s", name, wanted, a(v))
}

// coalesce is the first of its arguments that is not null; those after it are not evaluated.
func (c *compiler) coalesce(x *lang.Call) (compiled, error) {
	fns, constant, err := c.all(x.Args)
	if err != nil {
		return compiled{}, err
	}
	return fold(func(e *env) (v value.Value, err error) {
		for _, fn := range fns {
			if v, err = fn(e); err != nil || !v.IsNull() {
				return v, err
			}
		}
		return value.Value{}, nil
	}, constant), nil
}

// size counts the elements of a list or the characters of a string.
func size(_ *compiler, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.List:
		return value.OfInt(int64(len(v.List()))), nil
	case value.String:
		return value.OfInt(int64(utf8.RuneCountInString(v.Str()))), nil
	}
	return v, badArgument("size", "a list or a string", v)
}

func head(_ *compiler, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("head", "a list", v)
	}
	if l := v.List(); len(l) > 0 {
		return l[0], nil
	}
	return value.Value{}, nil
}

func last(_ *compiler, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("last", "a list", v)
	}
	if l := v.List(); len(l) > 0 {
		return l[len(l)-1], nil
	}
	return value.Value{}, nil
}

// float makes a function from numbers to floats.
func float(name string, f func(float64) float64) function {
	return func(_ *compiler, v value.Value) (value.Value, error) {
		x, ok := number(v)
		if !ok {
			return v, badArgument(name, "a number", v)
		}
		return value.OfFloat(f(x)), nil
	}
}

// round takes the nearest integer; what lies half way goes up.
func round(x float64) float64 {
	down := math.Floor(x)
	if x-down < 0.5 || math.IsInf(x, 0) {
		return down
	}
	return down + 1 // math.Ceil(-0.5) is -0
}

func abs(_ *compiler, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		if v.Int() < 0 {
			return negate(v)
		}
		return v, nil
	case value.Float:
		return value.OfFloat(math.Abs(v.Float())), nil
	}
	return v, badArgument("abs", "a number", v)
}

func sign(_ *compiler, v value.Value) (value.Value, error) {
	x, ok := number(v)
	switch {
	case !ok:
		return v, badArgument("sign", "a number", v)
	case x > 0:
		return value.OfInt(1), nil
	case x < 0:
		return value.OfInt(-1), nil
	}
	return value.OfInt(0), nil
}

// toInteger cuts a fraction off; what is no number, or none that fits, is null.
func toInteger(_ *compiler, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		return v, nil
	case value.Float:
		return cut(v.Float()), nil
	case value.Bool:
		if v.Bool() {
			return value.OfInt(1), nil
		}
		return value.OfInt(0), nil
	case value.String:
		if n, err := strconv.ParseInt(v.Str(), 10, 64); err == nil {
			return value.OfInt(n), nil
		}
		if f, ok := parseFloat(v.Str()); ok {
			return cut(f), nil
		}
		return value.Value{}, nil
	}
	return v, badArgument("toInteger", "a number, a string or a boolean", v)
}

func cut(f float64) value.Value {
	if f >= -0x1p63 && f < 0x1p63 {
		return value.OfInt(int64(f))
	}
	return value.Value{}
}

// parseFloat reads a decimal number, or what toString() writes for the values that are none.
func parseFloat(s string) (float64, bool) {
	switch s {
	case "NaN", "Infinity", "-Infinity":
	default:
		if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

func toFloat(_ *compiler, v value.Value) (value.Value, error) {
	if x, ok := number(v); ok {
		return value.OfFloat(x), nil
	}
	if v.Kind() != value.String {
		return v, badArgument("toFloat", "a number or a string", v)
	}
	if f, ok := parseFloat(v.Str()); ok {
		return value.OfFloat(f), nil
	}
	return value.Value{}, nil
}

func toString(_ *compiler, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.String:
		return v, nil
	case value.Bool, value.Int, value.Float:
		return value.OfString(v.String()), nil
	}
	return v, badArgument("toString", "a string, a number or a boolean", v)
}

func toBoolean(_ *compiler, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Bool:
		return v, nil
	case value.Int:
		return value.OfBool(v.Int() != 0), nil
	case value.String:
		switch strings.ToLower(v.Str()) {
		case "true":
			return value.OfBool(true), nil
		case "false":
			return value.OfBool(false), nil
		}
		return value.Value{}, nil
	}
	return v, badArgument("toBoolean", "a boolean, a string or an integer", v)
}

func text(name string, f func(string) string) function {
	return func(_ *compiler, v value.Value) (value.Value, error) {
		if v.Kind() != value.String {
			return v, badArgument(name, "a string", v)
		}
		return value.OfString(f(v.Str())), nil
	}
}
