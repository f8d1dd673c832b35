package eval

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/motifql/motif/internal/value"
)

// number returns v as a float, and whether it is a number.
func number(v value.Value) (f float64, ok bool) {
	switch v.Kind() {
	case value.Int:
		return float64(v.Int()), true
	case value.Float:
		return v.Float(), true
	}
	return 0, false
}

// temporalOp computes an operator for temporal values; ok is false where it does not know these operands.
type temporalOp func(x, y value.Value) (v value.Value, ok bool, err error)

// arithmetic builds an operator from its versions for integers, for floats and, where it has one, for temporal values. A
// null operand makes the result null.
func arithmetic(verb string, ints func(a, b int64) (int64, error), floats func(a, b float64) float64, temporals temporalOp) func(a, b value.Value) (value.Value, error) {
	return func(x, y value.Value) (value.Value, error) {
		if ints != nil && x.Kind() == value.Int && y.Kind() == value.Int {
			n, err := ints(x.Int(), y.Int())
			return value.OfInt(n), err
		}
		f, ok := number(x)
		g, ok2 := number(y)
		switch {
		case ok && ok2:
			return value.OfFloat(floats(f, g)), nil
		case x.IsNull() || y.IsNull():
			return value.Value{}, nil
		case temporals != nil:
			if v, ok, err := temporals(x, y); ok {
				return v, err
			}
		}
		err := &Error{Code: CodeArgumentType, Msg: fmt.Sprintf("cannot %s %s and %s", verb, Describe(x), Describe(y))}
		if verb == "subtract" && x.Kind() == value.Temporal && y.Kind() == value.Temporal {
			err.Hint = "duration.inDays(from, to).days is the number of days between them, and duration.between(from, to) the duration"
		}
		return value.Value{}, err
	}
}

var (
	addNumbers = arithmetic("add", addInts, func(a, b float64) float64 { return a + b }, func(x, y value.Value) (value.Value, bool, error) { return addTemporal(x, y, false) })
	subtract   = arithmetic("subtract", subtractInts, func(a, b float64) float64 { return a - b }, func(x, y value.Value) (value.Value, bool, error) { return addTemporal(x, y, true) })
	multiply   = arithmetic("multiply", multiplyInts, func(a, b float64) float64 { return a * b }, func(x, y value.Value) (value.Value, bool, error) { return scaleDuration(x, y, false) })
	divide     = arithmetic("divide", divideInts, func(a, b float64) float64 { return a / b }, func(x, y value.Value) (value.Value, bool, error) { return scaleDuration(x, y, true) })
	remainder  = arithmetic("take the remainder of", remainderInts, math.Mod, nil)
	power      = arithmetic("raise to a power", nil, math.Pow, nil)
)

func addInts(a, b int64) (int64, error) {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		return 0, Overflow("%d + %d", a, b)
	}
	return c, nil
}

func subtractInts(a, b int64) (int64, error) {
	c := a - b
	if (c < a) != (b > 0) && b != 0 {
		return 0, Overflow("%d - %d", a, b)
	}
	return c, nil
}

func multiplyInts(a, b int64) (int64, error) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case hi == 0 && lo < 1<<63:
		if negative {
			return -int64(lo), nil
		}
		return int64(lo), nil
	case hi == 0 && lo == 1<<63 && negative:
		return math.MinInt64, nil
	}
	return 0, Overflow("%d * %d", a, b)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func divideInts(a, b int64) (int64, error) {
	switch {
	case b == 0:
		return 0, Errorf(CodeDivision, "%d / 0: integers cannot be divided by zero", a)
	case a == math.MinInt64 && b == -1:
		return 0, Overflow("%d / %d", a, b)
	}
	return a / b, nil
}

func remainderInts(a, b int64) (int64, error) {
	if b == 0 {
		return 0, Errorf(CodeDivision, "%d %% 0: integers cannot be divided by zero", a)
	}
	return a % b, nil
}

// add computes +. A number or a temporal value joins a string as text; anything joins a list as its last element.
func (rt *Runtime) add(x, y value.Value) (value.Value, error) {
	kx, ky := x.Kind(), y.Kind()
	switch {
	case kx == value.Null || ky == value.Null:
		return value.Value{}, nil
	case kx == value.List || ky == value.List:
		return rt.addLists(x, y)
	case kx == value.String || ky == value.String:
		s, ok := addable(x)
		t, ok2 := addable(y)
		if ok && ok2 {
			if err := rt.roomToJoin(int64(len(s) + len(t))); err != nil {
				return value.Value{}, err
			}
			return rt.join(s, t)
		}
	}
	return addNumbers(x, y)
}

// joinSame joins two strings or two lists.
func (rt *Runtime) joinSame(x, y value.Value) (value.Value, error) {
	kx, ky := x.Kind(), y.Kind()
	switch {
	case kx == value.Null || ky == value.Null:
		return value.Value{}, nil
	case kx == ky && (kx == value.String || kx == value.List):
		return rt.add(x, y)
	}
	return x, Errorf(CodeArgumentType, "|| joins two strings or two lists, not %s and %s", Describe(x), Describe(y))
}

// joinBlock is how many bytes of a long text join copies between two looks at the context.
const joinBlock = 1 << 24

// join returns s + t.
func (rt *Runtime) join(s, t string) (value.Value, error) {
	if len(s)+len(t) <= joinBlock || rt.Ctx == nil {
		return value.OfString(s + t), nil
	}
	var b strings.Builder
	b.Grow(len(s) + len(t))
	for _, part := range []string{s, t} {
		for len(part) > 0 {
			if rt.Ctx.Err() != nil {
				return value.Value{}, context.Cause(rt.Ctx)
			}
			n := min(len(part), joinBlock)
			b.WriteString(part[:n])
			part = part[n:]
		}
	}
	return value.OfString(b.String()), nil
}

// addable returns the text that a string, a number or a temporal value adds to a string.
func addable(v value.Value) (string, bool) {
	switch v.Kind() {
	case value.String:
		return v.Str(), true
	case value.Int, value.Float:
		return v.String(), true
	case value.Temporal:
		return v.TemporalText(), true
	}
	return "", false
}

func (rt *Runtime) addLists(x, y value.Value) (value.Value, error) {
	l, m := []value.Value{x}, []value.Value{y}
	if x.Kind() == value.List {
		l = x.List()
	}
	if y.Kind() == value.List {
		m = y.List()
	}
	if err := rt.roomToJoin(24 * int64(len(l)+len(m))); err != nil {
		return value.Value{}, err
	}
	return value.OfList(append(append(make([]value.Value, 0, len(l)+len(m)), l...), m...)), nil
}

// negate computes -x.
func negate(x value.Value) (value.Value, error) {
	switch x.Kind() {
	case value.Null:
		return x, nil
	case value.Int:
		n, err := subtractInts(0, x.Int())
		return value.OfInt(n), err
	case value.Float:
		return value.OfFloat(-x.Float()), nil
	}
	return x, Errorf(CodeArgumentType, "cannot negate %s", Describe(x))
}

// plus computes +x.
func plus(x value.Value) (value.Value, error) {
	if _, ok := number(x); ok || x.IsNull() {
		return x, nil
	}
	return x, Errorf(CodeArgumentType, "the sign + stands before numbers, not before %s", Describe(x))
}
