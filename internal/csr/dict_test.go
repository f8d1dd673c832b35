package csr

import (
	"slices"
	"testing"
)

func TestDict(t *testing.T) {
	d := NewDict("a", "b", "a")
	if d.Len() != 2 || d.Add("c") != 2 || d.Add("b") != 1 || d.Name(2) != "c" || !slices.Equal(d.Names(), []string{"a", "b", "c"}) {
		t.Errorf("%v", d.Names())
	}
	if i, ok := d.Lookup("b"); i != 1 || !ok {
		t.Error("b is lost")
	}
	var none *Dict
	if _, ok := none.Lookup("a"); ok || none.Len() != 0 || none.Names() != nil {
		t.Error("a nil dictionary holds something")
	}
	if _, ok := d.Lookup("z"); ok {
		t.Error("found z")
	}
}

func TestDirection(t *testing.T) {
	for d, want := range map[Direction]Direction{Out: In, In: Out, Both: Both} {
		if d.Reverse() != want || d.String() == "" {
			t.Errorf("%v reversed is %v", d, d.Reverse())
		}
	}
}
