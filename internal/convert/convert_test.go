package convert

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// whole is a struct type that holds a single value, record one with properties and a function.
type whole struct{ X int }

type record struct {
	id    int64
	props map[string]any
}

var types = &Types{
	Declared: func(x any) (v value.Value, known bool, err error) {
		w, known := x.(whole)
		return value.OfInt(int64(w.X)), known, nil
	},
	IsValue: func(t reflect.Type) bool { return t == reflect.TypeFor[whole]() },
	Properties: func(x any) (props, functions map[string]any, ok bool) {
		r, ok := x.(record)
		return r.props, map[string]any{"id()": r.id}, ok
	},
	Time: func(reflect.Type, any) (any, bool) { return nil, false },
	Name: func(x any) string { return fmt.Sprintf("a %T", x) },
}

// TestNumbersAreExact stores random numbers into every type of numbers, and compares them with numbers of any length.
func TestNumbersAreExact(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	exact := func(v reflect.Value) *big.Float {
		f := new(big.Float).SetPrec(2000)
		switch {
		case v.CanInt():
			return f.SetInt64(v.Int())
		case v.CanUint():
			return f.SetUint64(v.Uint())
		}
		return f.SetFloat64(v.Float())
	}
	targets := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64]()}
	stored := 0
	for range 20_000 {
		n := int64(rnd.Uint64()) >> rnd.IntN(64)
		if rnd.IntN(4) == 0 { // at a power of two, where types end
			n = int64(1)<<rnd.IntN(64) + int64(rnd.IntN(3)-1)
		}
		var x any = n
		if rnd.IntN(2) == 0 {
			x = math.Ldexp(float64(n), rnd.IntN(40)-20)
		}
		for _, of := range targets {
			to := reflect.New(of).Elem()
			err := types.Store(to, x)
			_, isFloat := x.(float64)
			fits := false
			switch of.Kind() {
			case reflect.Float64, reflect.Float32:
				near := reflect.ValueOf(x).Convert(of)
				fits = exact(near).Cmp(exact(reflect.ValueOf(x))) == 0
			default:
				fits = !isFloat && (n >= 0 || of.Kind() <= reflect.Int64) && exact(reflect.ValueOf(n).Convert(of)).Cmp(exact(reflect.ValueOf(n))) == 0
			}
			if (err == nil) != fits || err == nil && exact(to).Cmp(exact(reflect.ValueOf(x))) != 0 {
				t.Fatalf("%v, a %T, into a %s: %v, %v; it fits: %t", x, x, of, to, err, fits)
			}
			if fits {
				stored++
			}
		}
	}
	if stored < 10_000 {
		t.Errorf("only %d numbers were stored", stored)
	}
}

// embedded and fields have fields of every kind that Store treats in its own way.
type embedded struct{ Inner int }

type fields struct {
	*Embedded
	embedded
	ID     int64  `motif:"id()"`
	Tagged string `motif:"some name"`
	Plain  *int
	List   []float64
	Whole  whole
	Left   string `motif:"-"`
	hidden int
}

// Embedded is behind a pointer that Store makes.
type Embedded struct{ Outer string }

func TestStoreProperties(t *testing.T) {
	r := record{7, map[string]any{"some name": "text", "TAGGED": "not this", "plain": int64(3), "list": []any{1.5, int64(2)}, "whole": whole{4},
		"inner": int64(5), "outer": "out", "left": "left", "hidden": int64(9), "id()": "not this"}}
	var got fields
	if err := types.Store(reflect.ValueOf(&got).Elem(), r); err != nil {
		t.Fatal(err)
	}
	three := 3
	want := fields{Embedded: &Embedded{"out"}, embedded: embedded{5}, ID: 7, Tagged: "text", Plain: &three, List: []float64{1.5, 2}, Whole: whole{4}, hidden: 0}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	type loop *loop
	for _, c := range []struct {
		to   any
		x    any
		want string
	}{
		{new(fields), "text", "a string does not go into a convert.fields"},
		{new(int), nil, "null does not go into int"},
		{new(int), 1.5, "a float64 does not go into a int"},
		{new(loop), int64(1), "does not go into a convert.loop"},
		{new(whole), r, "a convert.record does not go into a convert.whole"},
		{new([]int), []any{int64(1), "x"}, "a string does not go into a int"},
		{new(fields), record{1, map[string]any{"plain": "x", "some name": "", "inner": int64(1), "outer": "", "whole": whole{}}}, "field Plain: a string"},
	} {
		if err := types.Store(reflect.ValueOf(c.to).Elem(), c.x); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v into a %T: %v, want %q", c.x, c.to, err, c.want)
		}
	}
}

func TestColumns(t *testing.T) {
	type pair struct {
		A int
		B string `motif:"the b"`
	}
	c, err := types.Columns(reflect.TypeFor[pair](), []string{"the b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	var got pair
	to := reflect.ValueOf(&got).Elem()
	if err := errors.Join(c.Store(to, 0, "x"), c.Store(to, 1, int64(2))); err != nil || got != (pair{2, "x"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := c.Store(to, 1, "y"); err == nil || err.Error() != "field A: a string does not go into a int" {
		t.Error(err)
	}
	if _, err := types.Columns(reflect.TypeFor[pair](), []string{"b", "a"}); err == nil || err.Error() != `convert.pair has no field for column "b"` {
		t.Error(err)
	}
	if _, err := types.Columns(reflect.TypeFor[whole](), []string{"a", "b"}); err == nil || err.Error() != "a convert.whole takes one column, the query returns 2" {
		t.Error(err)
	}
	c, err = types.Columns(reflect.TypeFor[pair](), []string{"node"})
	if err == nil {
		err = c.Store(to, 0, record{1, map[string]any{"a": int64(5), "the b": "z"}})
	}
	if err != nil || got != (pair{5, "z"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := c.Store(to, 0, int64(1)); err == nil || err.Error() != `column "node": a int64 does not go into a convert.pair` {
		t.Error(err)
	}
}

func TestValue(t *testing.T) {
	loop := map[string]any{}
	loop["a"] = []any{loop}
	deep := any(nil)
	for range maxNesting + 1 {
		deep = []any{deep}
	}
	two := 2
	for _, c := range []struct {
		x          any
		text, fail string
	}{
		{map[string]any{"b": []int{1, 2}, "a": &two}, "{a: 2, b: [1, 2]}", ""},
		{[2]any{nil, (*int)(nil)}, "[null, null]", ""},
		{whole{4}, "4", ""},
		{[][]int{{}, {}}, "[[], []]", ""},
		{loop, "", `key "a": element 0: a map[string]interface {} contains itself`},
		{deep, "", "nested more than 1000 levels deep"},
		{uint64(math.MaxInt64) + 1, "", "9223372036854775808 does not fit"},
		{"\xff", "", ErrNotUTF8.Error()},
		{map[string]int{"\xff": 1}, "", ErrNotUTF8.Error()},
		{map[int]int{}, "", "map keys must be strings"},
		{func() {}, "", "a func() cannot be a query parameter"},
	} {
		v, err := types.Value(t.Context(), c.x, nil)
		if c.fail == "" && (err != nil || v.String() != c.text) {
			t.Errorf("%v: %v, %v; want %s", c.x, v, err, c.text)
		}
		if c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
			t.Errorf("%T: %v, want %q", c.x, err, c.fail)
		}
	}
	if _, err := types.Value(t.Context(), make([]int, 1000), &pattern.Memory{Limit: 1000}); !errors.Is(err, ErrTooLarge) || !errors.Is(err, pattern.ErrMemory) {
		t.Errorf("a list of 1000 numbers in 1000 bytes: %v", err)
	}
}
