package lang

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// difference says where two trees differ, places aside; "" if nowhere. An empty list is the same as none.
func difference(a, b any) string { return differ("", reflect.ValueOf(a), reflect.ValueOf(b)) }

func differ(path string, a, b reflect.Value) string {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return fmt.Sprintf("%s: %v and %v", path, a, b)
	}
	if !a.IsValid() || a.Type() == reflect.TypeFor[Pos]() {
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		return differ(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d elements", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := differ(fmt.Sprint(path, "[", i, "]"), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if !f.IsExported() || f.Name == "Text" && a.Type() == reflect.TypeFor[Statement]() {
				continue
			}
			if d := differ(path+"."+f.Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
	case reflect.Float64:
		if math.Float64bits(a.Float()) != math.Float64bits(b.Float()) {
			return fmt.Sprintf("%s: %v and %v", path, a, b)
		}
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v and %v", path, a, b)
		}
	}
	return ""
}

// Parse reads what the formatter writes as the same tree.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	for i := range 300 {
		want := g.statement()
		text := want.String()
		script, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d, tree %d: %s\n%v", seed, i, text, err.(*Error).Pretty())
		}
		if diff := difference(want, script.Statements[0]); diff != "" {
			t.Fatalf("seed %d, tree %d: %s\n%s", seed, i, text, diff)
		}
		if again := script.Statements[0].String(); again != text {
			t.Fatalf("seed %d, tree %d: %s\nis written as\n%s", seed, i, text, again)
		}
	}
}
