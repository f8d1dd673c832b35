package eval

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// binaryOps holds the operators that always evaluate both sides.
var binaryOps = map[lang.Op]func(a, b value.Value) (value.Value, error){
	"-": subtract, "*": multiply, "/": divide, "%": remainder, "^": power,
	"=": equals, "<>": differs,
	"<":  func(a, b value.Value) (value.Value, error) { return logic(value.Less(a, b)), nil },
	"<=": func(a, b value.Value) (value.Value, error) { return logic(value.LessEqual(a, b)), nil },
	">":  func(a, b value.Value) (value.Value, error) { return logic(value.Less(b, a)), nil },
	">=": func(a, b value.Value) (value.Value, error) { return logic(value.LessEqual(b, a)), nil },

	"STARTS WITH": onStrings(strings.HasPrefix),
	"ENDS WITH":   onStrings(strings.HasSuffix),
	"CONTAINS":    onStrings(strings.Contains),
	"XOR":         xor,
}

// logic returns a three-valued result as a value.
func logic(b, known bool) value.Value {
	if !known {
		return value.Value{}
	}
	return value.OfBool(b)
}

func equals(a, b value.Value) (value.Value, error) { return logic(value.Equal(a, b)), nil }

func differs(a, b value.Value) (value.Value, error) {
	eq, known := value.Equal(a, b)
	return logic(!eq, known), nil
}

// onStrings builds an operator that gives null unless both sides are strings.
func onStrings(op func(s, t string) bool) func(a, b value.Value) (value.Value, error) {
	return func(a, b value.Value) (value.Value, error) {
		if a.Kind() != value.String || b.Kind() != value.String {
			return value.Value{}, nil
		}
		return value.OfBool(op(a.Str(), b.Str())), nil
	}
}

func (c *Compiler) unaryOp(x *lang.Unary) (Closure, error) {
	switch x.Op {
	case "NOT":
		return c.unary(x.Pos, x.X, not)
	case "-":
		return c.unary(x.Pos, x.X, negate)
	case "+":
		return c.unary(x.Pos, x.X, plus)
	}
	return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("unknown operator %s", x.Op), Pos: x.Pos}
}

func (c *Compiler) binaryOp(x *lang.Binary) (Closure, error) {
	switch x.Op {
	case "AND":
		return c.connect(x, false)
	case "OR":
		return c.connect(x, true)
	case "IN":
		return c.in(x)
	case "+":
		return c.binary(x.Pos, x.L, x.R, c.add)
	case "||":
		return c.binary(x.Pos, x.L, x.R, c.joinSame)
	case "=~":
		return c.binary(x.Pos, x.L, x.R, matches(c.Runtime))
	}
	op, ok := binaryOps[x.Op]
	if !ok {
		return Closure{}, &Error{Code: CodeInternal, Msg: fmt.Sprintf("unknown operator %s", x.Op), Pos: x.Pos}
	}
	return c.binary(x.Pos, x.L, x.R, op)
}

// truth returns v in three-valued logic. op names the operator in errors.
func truth(v value.Value, op lang.Op) (b, known bool, err error) {
	switch v.Kind() {
	case value.Null:
		return false, false, nil
	case value.Bool:
		return v.Bool(), true, nil
	}
	return false, false, Errorf(CodeArgumentType, "%s needs a boolean, not %s", op, Describe(v))
}

// connect compiles AND and OR. It skips the right side if the left one decides: false decides AND, true decides OR.
func (c *Compiler) connect(x *lang.Binary, deciding bool) (Closure, error) {
	l, err := c.Compile(x.L)
	if err != nil {
		return l, err
	}
	r, err := c.Compile(x.R)
	if err != nil {
		return r, err
	}
	return c.fold(func(e *Input) (value.Value, error) {
		v, err := l.Fn(e)
		if err != nil {
			return v, err
		}
		b, known, err := truth(v, x.Op)
		if err != nil {
			return v, At(x.Pos, err)
		}
		if known && b == deciding {
			return v, nil
		}
		w, err := r.Fn(e)
		if err != nil {
			return w, err
		}
		b, knownR, err := truth(w, x.Op)
		if err != nil {
			return w, At(x.Pos, err)
		}
		if known || knownR && b == deciding {
			return w, nil
		}
		return value.Value{}, nil
	}, l.Constant && r.Constant), nil
}

func not(v value.Value) (value.Value, error) {
	b, known, err := truth(v, "NOT")
	return logic(!b, known), err
}

func xor(a, b value.Value) (value.Value, error) {
	x, known, err := truth(a, "XOR")
	if err != nil {
		return value.Value{}, err
	}
	y, known2, err := truth(b, "XOR")
	return logic(x != y, known && known2), err
}

// in computes IN: true if an element equals x, else null if a comparison gave null, else false.
func in(x, list value.Value) (value.Value, error) {
	switch list.Kind() {
	case value.Null:
		return list, nil
	case value.List:
	default:
		return value.Value{}, Errorf(CodeArgumentType, "IN needs a list on its right, not %s", Describe(list))
	}
	allKnown := true
	for _, e := range list.List() {
		eq, known := value.Equal(x, e)
		if eq {
			return value.OfBool(true), nil
		}
		allKnown = allKnown && known
	}
	return logic(false, allKnown), nil
}

// in compiles IN. It makes a set of a long constant list of scalars.
func (c *Compiler) in(x *lang.Binary) (Closure, error) {
	r, err := c.Compile(x.R)
	if err != nil {
		return r, err
	}
	if r.Constant {
		if v, err := r.Fn(nil); err == nil && v.Kind() == value.List && len(v.List()) > 8 {
			if set, ok := newMembers(v.List()); ok {
				return c.unary(x.Pos, x.L, set.has)
			}
		}
	}
	return c.binary(x.Pos, x.L, x.R, in)
}

// members is a constant list of scalars as a set.
type members struct {
	keys    map[string]struct{}
	hasNull bool
}

func newMembers(list []value.Value) (*members, bool) {
	m := &members{keys: make(map[string]struct{}, len(list))}
	for _, v := range list {
		switch v.Kind() {
		case value.Null:
			m.hasNull = true
			continue
		case value.List, value.Map:
			return nil, false
		}
		if eq, _ := value.Equal(v, v); eq { // a NaN equals nothing
			m.keys[string(value.AppendKey(nil, v))] = struct{}{}
		}
	}
	return m, true
}

func (m *members) has(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Null:
		return v, nil
	case value.List, value.Map: // equals no scalar
		return logic(false, !m.hasNull), nil
	}
	var buf [64]byte
	if _, ok := m.keys[string(value.AppendKey(buf[:0], v))]; ok {
		return value.OfBool(true), nil
	}
	return logic(false, !m.hasNull), nil
}

// caseOf compiles both forms of CASE. A test takes the first branch whose value equals it.
func (c *Compiler) caseOf(x *lang.Case) (Closure, error) {
	var parts []lang.Expr
	for _, w := range x.Whens {
		parts = append(parts, w.Cond, w.Then)
	}
	otherwise := x.Else
	if otherwise == nil {
		otherwise = &lang.Literal{Pos: x.Pos}
	}
	test := x.Test
	if test == nil {
		test = &lang.Literal{Pos: x.Pos, Value: true}
	}
	fns, constant, err := c.CompileAll(append(parts, otherwise, test))
	if err != nil {
		return Closure{}, err
	}
	n := len(parts)
	return c.fold(func(e *Input) (value.Value, error) {
		of, err := fns[n+1](e)
		if err != nil {
			return of, err
		}
		for i := 0; i < n; i += 2 {
			v, err := fns[i](e)
			if err != nil {
				return v, err
			}
			if x.Test == nil {
				if _, _, err := truth(v, "WHEN"); err != nil {
					return v, At(parts[i].Position(), err)
				}
			}
			if eq, _ := value.Equal(of, v); eq {
				return fns[i+1](e)
			}
		}
		return fns[n](e)
	}, constant), nil
}
