package eval

import (
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/value"
)

// toInteger cuts off a fraction. Text that is no number, and a number that does not fit, give null.
func toInteger(_ *Runtime, v value.Value) (value.Value, error) {
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

// parseFloat reads a decimal number, and what toString() writes for NaN and the infinities.
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

func toFloat(_ *Runtime, v value.Value) (value.Value, error) {
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

func toString(_ *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.String:
		return v, nil
	case value.Bool, value.Int, value.Float:
		return value.OfString(v.String()), nil
	case value.Temporal:
		return value.OfString(v.TemporalText()), nil
	case value.Spatial:
		return value.OfString(v.String()), nil
	}
	return v, badArgument("toString", "a string, a number, a boolean or a temporal value", v)
}

func toBoolean(_ *Runtime, v value.Value) (value.Value, error) {
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

// orNull builds a conversion that gives null where f fails.
func orNull(f function) function {
	return func(rt *Runtime, v value.Value) (value.Value, error) {
		w, err := f(rt, v)
		if err != nil {
			return value.Value{}, nil
		}
		return w, nil
	}
}

// eachOf builds a conversion of every element of a list. An element that f rejects becomes null.
func eachOf(name string, f function) function {
	each := orNull(f)
	return func(rt *Runtime, v value.Value) (value.Value, error) {
		if v.Kind() != value.List {
			return v, badArgument(name, "a list", v)
		}
		if err := rt.room(24 * int64(len(v.List()))); err != nil {
			return v, err
		}
		out := make([]value.Value, len(v.List()))
		for i, x := range v.List() {
			if err := rt.poll(i); err != nil {
				return v, err
			}
			if !x.IsNull() {
				out[i], _ = each(rt, x)
			}
		}
		return value.OfList(out), nil
	}
}
