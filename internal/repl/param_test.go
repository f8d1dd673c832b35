package repl

import (
	"reflect"
	"testing"
)

func TestParams(t *testing.T) {
	got, err := ParseParams([]string{"i=3", "f=3.0", "e=1e3", "s=Ann", "q=\"3\"", "d=2010-07-10", "b=true", "n=null", "l=[1,\"x\",{\"k\":2}]", "$p=a=b", "empty=", "0=8", "$1=9", "any name=x=y", "größe=1"})
	want := map[string]any{"i": int64(3), "f": 3.0, "e": 1000.0, "s": "Ann", "q": "3", "d": "2010-07-10", "b": true, "n": nil,
		"l": []any{int64(1), "x", map[string]any{"k": int64(2)}}, "p": "a=b", "empty": "", "0": int64(8), "1": int64(9), "any name": "x=y", "größe": int64(1)}
	if err != nil || !reflect.DeepEqual(map[string]any(got), want) {
		t.Errorf("%#v, %v", got, err)
	}
	for _, bad := range []string{"x", "=3", "$=3", "", "s=\xff", "\xff=1", "big=9223372036854775808", "l=[1e999]"} {
		if got, err := ParseParams([]string{bad}); err == nil {
			t.Errorf("%q = %v", bad, got)
		}
	}
}
