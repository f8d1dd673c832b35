package eval

import (
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/motifql/motif/internal/value"
)

// size counts the elements of a list or the characters of a string.
func size(_ *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.List:
		return value.OfInt(int64(len(v.List()))), nil
	case value.String:
		return value.OfInt(int64(utf8.RuneCountInString(v.Str()))), nil
	}
	return v, badArgument("size", "a list or a string", v)
}

// isEmpty reports whether a list, a string or a map has nothing in it.
func isEmpty(_ *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.List:
		return value.OfBool(len(v.List()) == 0), nil
	case value.String:
		return value.OfBool(v.Str() == ""), nil
	case value.Map:
		return value.OfBool(len(v.Map().Keys) == 0), nil
	}
	return v, badArgument("isEmpty", "a list, a string or a map", v)
}

func head(_ *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("head", "a list", v)
	}
	if l := v.List(); len(l) > 0 {
		return l[0], nil
	}
	return value.Value{}, nil
}

func last(_ *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("last", "a list", v)
	}
	if l := v.List(); len(l) > 0 {
		return l[len(l)-1], nil
	}
	return value.Value{}, nil
}

// tail returns a list without its first element.
func tail(rt *Runtime, v value.Value) (value.Value, error) {
	if v.Kind() != value.List {
		return v, badArgument("tail", "a list", v)
	}
	n := len(v.List())
	return part(rt, v, min(1, n), n)
}

// part returns the elements lo to hi of a list, without hi. A part shares the memory of its list. So that a short part
// does not keep a long list alive unseen, part copies where the length falls below a power of two.
func part(rt *Runtime, v value.Value, lo, hi int) (value.Value, error) {
	n := len(v.List())
	if n < 1024 || hi-lo == n || bits.Len(uint(n)) == bits.Len(uint(hi-lo)) {
		return v.Part(lo, hi), nil
	}
	if err := rt.room(24 * int64(hi-lo)); err != nil {
		return v, err
	}
	return value.OfList(slices.Clone(v.List()[lo:hi])), nil
}

// reverse reverses a list or a string.
func reverse(rt *Runtime, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.List:
		if err := rt.room(v.Bytes()); err != nil {
			return v, err
		}
		l := slices.Clone(v.List())
		slices.Reverse(l)
		return value.OfList(l), nil
	case value.String:
		if err := rt.room(5 * v.Bytes()); err != nil { // 4 bytes for a character on the way
			return v, err
		}
		return value.OfString(reverseText(v.Str())), nil
	}
	return v, badArgument("reverse", "a list or a string", v)
}

// rangeOf lists the integers from start to end, both included, in steps of 1 or of the third argument.
func rangeOf(rt *Runtime, args []value.Value) (value.Value, error) {
	of, err := rangeElements(args)
	if err != nil {
		return value.Value{}, err
	}
	if err := rt.room(24 * int64(min(of.n, 1<<40))); err != nil {
		return value.Value{}, err
	}
	l := make([]value.Value, of.n)
	for i := range l {
		if err := rt.poll(i); err != nil {
			return value.Value{}, err
		}
		l[i] = of.At(i)
	}
	return value.OfList(l), nil
}

// rangeElements returns the elements of range().
func rangeElements(args []value.Value) (Elements, error) {
	var n [3]int64
	n[2] = 1
	for i, v := range args {
		if v.Kind() != value.Int {
			return Elements{}, Errorf(codeRangeType, "range() takes integers, not %s", Describe(v))
		}
		n[i] = v.Int()
	}
	start, end, step := n[0], n[1], n[2]
	if step == 0 {
		return Elements{}, Errorf(codeRange, "the step of range() must not be 0")
	}
	return Elements{start: start, step: step, n: int(min(rangeLen(start, end, step), math.MaxInt))}, nil
}

// rangeLen returns the number of elements of a range. step is not 0.
func rangeLen(start, end, step int64) uint64 {
	if (step > 0) != (start <= end) && start != end {
		return 0
	}
	distance := uint64(end) - uint64(start)
	if step < 0 {
		distance = -distance
	}
	if n := distance / magnitude(step); n+1 != 0 {
		return n + 1
	}
	return 1<<64 - 1
}
