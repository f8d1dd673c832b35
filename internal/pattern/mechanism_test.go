package pattern

import (
	"strings"
	"testing"
)

func TestMechanisms(t *testing.T) {
	var names []string
	seen := map[string]bool{}
	for m := range AllMechanisms() {
		if m.Unit() == "" || seen[m.String()] {
			t.Errorf("mechanism %d: name %q, unit %q", m, m, m.Unit())
		}
		seen[m.String()] = true
		names = append(names, m.String())
	}
	off, err := ParseMechanisms(strings.Join(names, ", "))
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Tally: new(Tally)}
	for m := range AllMechanisms() {
		if !off.Has(m) || !env.Uses(m) || (&Env{Without: off}).Uses(m) {
			t.Errorf("%s is not switched", m)
		}
		env.Took(m, 2)
		if got := env.Tally.Taken[m].Load(); got != 2 {
			t.Errorf("%s: counted %d", m, got)
		}
	}
	if _, err := ParseMechanisms("complete,magic"); err == nil {
		t.Error("an unknown name was taken")
	}
	whole := new(Tally)
	for range 2 {
		whole.TakeOver(env.Tally)
	}
	if n := whole.Taken[CompleteHood].Load(); n != 2 || env.Tally.Taken[CompleteHood].Load() != 0 {
		t.Errorf("%d uses taken over", n)
	}
	(*Env)(nil).Took(CompleteHood, 1) // counts nowhere
}
