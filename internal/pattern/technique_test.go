package pattern

import (
	"strings"
	"testing"
)

func TestTechniques(t *testing.T) {
	var names []string
	seen, owners, gpu := map[string]bool{}, map[string]bool{}, false
	for m := range AllTechniques() {
		if m.Unit() == "" || seen[m.String()] {
			t.Errorf("technique %d: name %q, unit %q", m, m, m.Unit())
		}
		seen[m.String()] = true
		if m > 0 && m.Owner() != (m-1).Owner() {
			if owners[m.Owner()] {
				t.Errorf("%s: the techniques of %q stand apart", m, m.Owner())
			}
			gpu = false
		}
		if owners[m.Owner()] = true; m.Owner() == "" || gpu && !m.GPUOnly() {
			t.Errorf("%s: owner %q, only on a GPU: %v", m, m.Owner(), m.GPUOnly())
		}
		gpu = m.GPUOnly()
		names = append(names, m.String())
	}
	off, err := ParseTechniques(strings.Join(names, ", "))
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Tally: new(Tally)}
	for m := range AllTechniques() {
		if !off.Has(m) || !env.Uses(m) || (&Env{Without: off}).Uses(m) {
			t.Errorf("%s is not switched", m)
		}
		env.Took(m, 2)
		if got := env.Tally.Taken[m].Load(); got != 2 {
			t.Errorf("%s: counted %d", m, got)
		}
	}
	if _, err := ParseTechniques("complete,magic"); err == nil {
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
