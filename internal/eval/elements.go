package eval

import (
	"strings"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Elements is what a loop goes through: the elements of a list, or the integers of range(), which then need no list. As in
// openCypher's UNWIND, a single value is a list of one.
type Elements struct {
	list        []value.Value
	start, step int64 // of range(), if list is nil
	n           int
}

// Len returns the number of elements.
func (s *Elements) Len() int { return s.n }

// At returns element i.
func (s *Elements) At(i int) value.Value {
	if s.list != nil {
		return s.list[i]
	}
	return value.OfInt(s.start + int64(i)*s.step)
}

// Loop evaluates the list of a loop. Only null has no elements. For range(), v is an empty list.
type Loop func(e *Input) (v value.Value, of Elements, err error)

// Loop compiles the list of a loop.
func (c *Compiler) Loop(x lang.Expr) (Loop, error) {
	if call, ok := x.(*lang.Call); ok && strings.EqualFold(call.Name, "range") {
		return rangeLoop(c, call)
	}
	k, err := c.Compile(x)
	return func(e *Input) (value.Value, Elements, error) {
		v, err := k.Fn(e)
		switch {
		case err != nil || v.IsNull():
			return v, Elements{}, err
		case v.Kind() != value.List:
			return v, Elements{list: []value.Value{v}, n: 1}, nil
		}
		return v, Elements{list: v.List(), n: len(v.List())}, nil
	}, err
}

func rangeLoop(c *Compiler, x *lang.Call) (Loop, error) {
	fns, _, err := c.CompileAll(x.Args)
	return func(e *Input) (value.Value, Elements, error) {
		var buf [3]value.Value
		args := buf[:0]
		for _, fn := range fns {
			v, err := fn(e)
			if err != nil {
				return v, Elements{}, err
			}
			args = append(args, v)
		}
		for _, v := range args {
			if v.IsNull() {
				return v, Elements{}, nil
			}
		}
		of, err := rangeElements(args)
		return value.OfList(nil), of, At(x.Pos, err)
	}, err
}
