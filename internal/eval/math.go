package eval

import (
	crypto "crypto/rand"
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"github.com/motifql/motif/internal/value"
)

// float builds a function from numbers to floats.
func float(name string, f func(float64) float64) function {
	return func(_ *Runtime, v value.Value) (value.Value, error) {
		x, ok := number(v)
		if !ok {
			return v, badArgument(name, "a number", v)
		}
		return value.OfFloat(f(x)), nil
	}
}

func constantFloat(x float64) multi {
	return func(*Runtime, []value.Value) (value.Value, error) { return value.OfFloat(x), nil }
}

func cot(x float64) float64      { return 1 / math.Tan(x) }
func degrees(x float64) float64  { return x * 180 / math.Pi }
func radians(x float64) float64  { return x * math.Pi / 180 }
func haversin(x float64) float64 { return (1 - math.Cos(x)) / 2 }

func atan2(_ *Runtime, args []value.Value) (value.Value, error) {
	y, ok := number(args[0])
	x, ok2 := number(args[1])
	if !ok || !ok2 {
		return value.Value{}, Errorf(CodeArgumentValue, "atan2() takes two numbers, not %s and %s", Describe(args[0]), Describe(args[1]))
	}
	return value.OfFloat(math.Atan2(y, x)), nil
}

// round returns the nearest integer, halves upwards. With a precision above 0 it rounds the decimal that the float prints as. The
// mode then says where halves go; away from zero is the default.
func round(_ *Runtime, args []value.Value) (value.Value, error) {
	x, ok := number(args[0])
	if !ok {
		return value.Value{}, badArgument("round", "a number", args[0])
	}
	if len(args) == 1 {
		return value.OfFloat(roundUp(x)), nil
	}
	if args[1].Kind() != value.Int || args[1].Int() < 0 || args[1].Int() > 308 {
		return value.Value{}, Errorf(codeRange, "round() takes a precision from 0 to 308, not %v", args[1])
	}
	if len(args) == 2 && args[1].Int() == 0 {
		return value.OfFloat(roundUp(x)), nil
	}
	mode := "HALF_UP"
	if len(args) == 3 {
		if args[2].Kind() != value.String {
			return value.Value{}, badArgument("round", "a string for its mode", args[2])
		}
		mode = args[2].Str()
	}
	up, ok := roundings[mode]
	if !ok {
		return value.Value{}, Errorf(codeText, "'%s' is not a way to round; the ways are: UP, DOWN, CEILING, FLOOR, HALF_UP, HALF_DOWN, HALF_EVEN", mode)
	}
	return value.OfFloat(roundTo(x, int(args[1].Int()), up)), nil
}

func roundUp(x float64) float64 {
	down := math.Floor(x)
	if x-down < 0.5 || math.IsInf(x, 0) {
		return down
	}
	return down + 1 // math.Ceil(-0.5) is -0
}

// roundings decides whether a magnitude goes up. half compares the part cut off with a half; odd describes the last digit
// that stays.
var roundings = map[string]func(half int, odd, negative bool) bool{
	"UP":        func(int, bool, bool) bool { return true },
	"DOWN":      func(int, bool, bool) bool { return false },
	"CEILING":   func(_ int, _, negative bool) bool { return !negative },
	"FLOOR":     func(_ int, _, negative bool) bool { return negative },
	"HALF_UP":   func(half int, _, _ bool) bool { return half >= 0 },
	"HALF_DOWN": func(half int, _, _ bool) bool { return half > 0 },
	"HALF_EVEN": func(half int, odd, _ bool) bool { return half > 0 || half == 0 && odd },
}

func roundTo(x float64, places int, up func(half int, odd, negative bool) bool) float64 {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(math.Abs(x), 'g', -1, 64))
	if !ok { // NaN or infinite
		return x
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	r.Mul(r, new(big.Rat).SetInt(scale))
	n, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() != 0 && up(rest.Lsh(rest, 1).Cmp(r.Denom()), n.Bit(0) == 1, x < 0) {
		n.Add(n, big.NewInt(1))
	}
	f, _ := new(big.Rat).SetFrac(n, scale).Float64()
	return math.Copysign(f, x)
}

func abs(_ *Runtime, v value.Value) (value.Value, error) {
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

func sign(_ *Runtime, v value.Value) (value.Value, error) {
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

func isNaN(_ *Runtime, v value.Value) (value.Value, error) {
	x, ok := number(v)
	if !ok {
		return v, badArgument("isNaN", "a number", v)
	}
	return value.OfBool(x != x), nil
}

// random returns a float from 0 to below 1.
func random(*Runtime, []value.Value) (value.Value, error) {
	return value.OfFloat(rand.Float64()), nil
}

// newUUID returns a UUID of version 4.
func newUUID() (b [16]byte, err error) {
	_, err = crypto.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return b, err
}

func randomUUID(*Runtime, []value.Value) (value.Value, error) {
	b, err := newUUID()
	return value.OfString(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])), err
}

// randomUUIDBase64 returns a UUID in base64 with the letters that addresses may have, without padding.
func randomUUIDBase64(*Runtime, []value.Value) (value.Value, error) {
	b, err := newUUID()
	return value.OfString(base64.RawURLEncoding.EncodeToString(b[:])), err
}
