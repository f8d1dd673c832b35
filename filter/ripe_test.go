package filter

import (
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestRipe asks for whom a part is built that takes long: for a pattern that searches long itself, and at last for all.
func TestRipe(t *testing.T) {
	long, short := new(pattern.Pattern), new(pattern.Pattern)
	for _, c := range []struct {
		what       string
		cost, work uint64
		own        uint64 // of long
		ofLong     bool
		ofShort    bool
	}{
		{"not paid for", quickBuild, quickBuild - 1, quickBuild, false, false},
		{"quick", quickBuild, quickBuild, 0, true, true},
		{"long, own search short", 8 * quickBuild, 8 * quickBuild, 3 * quickBuild, false, false},
		{"long, own search long", 8 * quickBuild, 8 * quickBuild, 4 * quickBuild, true, false},
		{"long, wanted by many", 8 * quickBuild, 128 * quickBuild, 0, true, true},
	} {
		var x part
		x.cost.Store(c.cost)
		x.work.Store(c.work)
		if c.own > 0 {
			x.long.note(long, c.own)
		}
		if a, b := x.ripe(long), x.ripe(short); a != c.ofLong || b != c.ofShort {
			t.Errorf("%s: ripe %v and %v, want %v and %v", c.what, a, b, c.ofLong, c.ofShort)
		}
	}
	var l longest
	for range 3 * mostLong {
		l.note(new(pattern.Pattern), 1)
	}
	if len(l.last) > mostLong {
		t.Errorf("%d patterns are remembered, at most %d", len(l.last), mostLong)
	}
}
