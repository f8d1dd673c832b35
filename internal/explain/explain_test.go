package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// PROFILE names the order that was chosen where another one was taken; the steps show that one.
func TestOrderNote(t *testing.T) {
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}, {}}}
	m := &exec.MatchProfile{Order: pattern.Order{Steps: []pattern.Step{{Vertex: 1}, {Vertex: 0}, {Vertex: 2}}}}
	for _, c := range []struct {
		taken []int
		want  string
	}{
		{nil, ""},
		{[]int{1, 0, 2}, ""},
		{[]int{2, 0, 1}, "the search changed the order, which was b, a, #2"},
	} {
		m.SearchOrder = c.taken
		if got := orderNote(p, m); got != c.want {
			t.Errorf("taken %v: %q, want %q", c.taken, got, c.want)
		}
	}
}

// PROFILE shows the steps of the order that was taken, with what was expected of them and what happened.
func TestNotes(t *testing.T) {
	p := &pattern.Pattern{Vertices: []pattern.Vertex{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Edges: []pattern.Edge{{From: 0, To: 1}, {From: 1, To: 2, Undirected: true}, {From: 0, To: 2}}}
	order := pattern.Order{Steps: pattern.StepsOf(p, []int{0, 1, 2})}
	for k, n := range []float64{100, 1500, 20} {
		order.Steps[k].Expected = n
	}
	m := &planner.Match{Pattern: p, Order: order, EstSets: []float64{1, 2, 3}}
	for _, c := range []struct {
		profile *exec.MatchProfile
		want    []string
	}{
		{nil, []string{"1. start at (a): ~100 rows", "2. follow (a)-->(b): ~1.5 k rows", "3. follow (b)--(c), check (a)-->(c): ~20 rows"}},
		{&exec.MatchProfile{Runs: 2, Order: order, SearchOrder: []int{0, 1, 2}, Visits: []uint64{90, 4200, 0}}, []string{
			"1. start at (a): ~200 rows expected, 90 visited", "2. follow (a)-->(b): ~3 k rows expected, 4.2 k visited",
			"3. follow (b)--(c), check (a)-->(c): ~40 rows expected, 0 visited"}},
		{&exec.MatchProfile{Runs: 1, Order: order, SearchOrder: []int{2, 0, 1}, Visits: []uint64{5, 6, 7}}, []string{
			"1. start at (c): 7 visited", "2. follow (c)<--(a): 5 visited", "3. follow (a)-->(b), check (b)--(c): 6 visited"}},
	} {
		var profile *exec.OperatorProfile
		if c.profile != nil {
			profile = &exec.OperatorProfile{Match: c.profile}
		}
		if got := Notes(m, profile); !slices.Equal(got, c.want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
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
		{pattern.Replanned{From: []int{1, 0}, Spent: 65536, Orders: 3},
			"3 orders took turns, since nothing was found in 65.5 k list elements from b, a; this one was the first to find a match or to end"},
	} {
		if got := replanNote(p, &c.told); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
