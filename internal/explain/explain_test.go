package explain

import (
	"testing"

	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
)

// PROFILE names the order that was chosen, and the one that was taken if that is another.
func TestOrderNote(t *testing.T) {
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}, {}}}
	m := &exec.MatchProfile{Order: pattern.Order{Steps: []pattern.Step{{Vertex: 1}, {Vertex: 0}, {Vertex: 2}}}}
	for _, c := range []struct {
		taken []int
		want  string
	}{
		{nil, "order by actual candidates: b, a, #2"},
		{[]int{1, 0, 2}, "order by actual candidates: b, a, #2"},
		{[]int{2, 0, 1}, "order by actual candidates: b, a, #2; taken: #2, a, b"},
	} {
		m.SearchOrder = c.taken
		if got := orderNote(p, m); got != c.want {
			t.Errorf("taken %v: %q, want %q", c.taken, got, c.want)
		}
	}
}

// PROFILE says why a search changed its order.
func TestReplanNote(t *testing.T) {
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}}}
	for _, c := range []struct {
		told pattern.Replanned
		want string
	}{
		{pattern.Replanned{From: []int{1, 0}, Spent: 5000000, Expected: 10, Actual: 2000, Left: 1e7, Instead: 300},
			"order changed after 5 M list elements, from b, a: 2 k partial matches where 10 were expected; about 10 M list elements were left, and the new order promised 300"},
		{pattern.Replanned{From: []int{1, 0}, Spent: 90, Expected: 100, Actual: 90, List: true, Left: 1e19, Instead: 3},
			"order changed after 90 list elements, from b, a: about 1e+06 T list elements were left, and the new order promised 3"},
	} {
		if got := replanNote(p, &c.told); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
