package pattern

import (
	"strings"
	"testing"
)

func TestOrderStrategies(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range AllOrderStrategies() {
		if seen[s.String()] {
			t.Errorf("%v twice", s)
		}
		seen[s.String()] = true
		for _, name := range []string{s.String(), strings.ToUpper(s.String())} {
			if got, err := ParseOrderStrategy(name); err != nil || got != s {
				t.Errorf("%q is read as %v, %v", name, got, err)
			}
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d strategies", len(seen))
	}
	if got, err := ParseOrderStrategy(""); err != nil || got != OrderAuto {
		t.Errorf("no name is read as %v, %v", got, err)
	}
	if _, err := ParseOrderStrategy("best"); err == nil || !strings.Contains(err.Error(), "smallest") {
		t.Errorf("a name that is none: %v", err)
	}
}
