package motif

import (
	"testing"

	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
)

// PROFILE names the order that was chosen, and the one that was taken if that is another.
func TestOrderNote(t *testing.T) {
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}, {}}}
	m := &exec.MatchStats{Order: pattern.Order{Steps: []pattern.Step{{Vertex: 1}, {Vertex: 0}, {Vertex: 2}}}}
	for _, c := range []struct {
		taken []int
		want  string
	}{
		{nil, "order by actual candidates: b, a, #2"},
		{[]int{1, 0, 2}, "order by actual candidates: b, a, #2"},
		{[]int{2, 0, 1}, "order by actual candidates: b, a, #2; taken: #2, a, b"},
	} {
		m.Taken = c.taken
		if got := orderNote(p, m); got != c.want {
			t.Errorf("taken %v: %q, want %q", c.taken, got, c.want)
		}
	}
}
