// Package explain writes the notes that EXPLAIN and PROFILE put below an operator: what the filter demands of candidates, and
// what a query that was run did there. It gets planned operators and the executor's figures, and gives lines of text.
package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// Depths says what the filter demands of candidates by coreness and trussness, if it is more than degrees do.
func Depths(s *csr.Snapshot, n planner.Node) []string {
	m, ok := n.(*planner.Match)
	if !ok || m.Clique != nil || s == nil {
		return nil
	}
	var asks []string
	for _, scope := range filter.Depths(s, m.Pattern) {
		names := make(map[filter.Depth][]string) // of the query nodes that lie equally deep
		var order []filter.Depth
		for u, d := range scope {
			if d.Core <= 1 {
				continue
			}
			if names[d] == nil {
				order = append(order, d)
			}
			names[d] = append(names[d], m.Pattern.VertexName(u))
		}
		for _, d := range order {
			ask := fmt.Sprintf("%s in the %d-core", strings.Join(names[d], ", "), d.Core)
			if d.Truss > 2 {
				ask += fmt.Sprintf(" and %d-truss", d.Truss)
			}
			asks = append(asks, ask)
		}
	}
	if len(asks) == 0 {
		return nil
	}
	return []string{"depth: " + strings.Join(asks, "; ") + " (tested once computing them pays)"}
}

// Actual is what PROFILE adds to an operator's notes.
func Actual(n planner.Node, s *exec.OperatorProfile) (notes []string) {
	if s.Memory > 0 {
		notes = append(notes, fmt.Sprintf("held %s bytes at most", figures.Count(uint64(s.Memory))))
	}
	m := s.Match
	if m == nil || m.Runs == 0 {
		return notes
	}
	p := n.(*planner.Match).Pattern
	notes = append(notes, fmt.Sprintf("actual: %s on %s: filter %v, search %v, %s partial matches", m.Kernel, m.Device,
		m.Filter.Round(time.Microsecond), m.Search.Round(time.Microsecond), figures.Count(m.Partial)))
	for u, v := range p.Vertices {
		notes = append(notes, fmt.Sprintf("actual candidates of %s: %s", p.VertexName(u), funnel(m, u, v.Bound)))
	}
	if note := orderNote(p, m); note != "" {
		notes = append(notes, note)
	}
	if m.Replan != nil {
		notes = append(notes, replanNote(p, m.Replan))
	}
	return notes
}

// Notes returns the notes of an operator: as planned or, for a Match that was run, with the steps that its search took.
func Notes(n planner.Node, s *exec.OperatorProfile) []string {
	m, ok := n.(*planner.Match)
	if !ok {
		return n.Notes()
	}
	return m.NotesWith(Steps(m, s))
}

// Steps returns the steps that a search took, for how many rows it took them, and what it visited by query vertex. Of a Match that was not
// run it returns what is planned, and no visits.
func Steps(m *planner.Match, s *exec.OperatorProfile) (steps []pattern.Step, runs float64, visits []uint64) {
	if s == nil || s.Match == nil || s.Match.Runs == 0 || len(s.Match.Order.Steps) == 0 {
		return m.Order.Steps, m.Runs(), nil
	}
	steps = s.Match.Order.Steps
	if taken := s.Match.SearchOrder; taken != nil && !slices.Equal(taken, sequence(steps)) {
		steps = pattern.StepsOf(m.Pattern, taken)
	}
	return steps, float64(s.Match.Runs), s.Match.Visits
}

// orderNote says which order the candidates alone suggested, where a count took another one.
func orderNote(p *pattern.Pattern, m *exec.MatchProfile) string {
	chosen := sequence(m.Order.Steps)
	if m.SearchOrder == nil || slices.Equal(m.SearchOrder, chosen) {
		return ""
	}
	return "the search changed the order, which was " + vertexNames(p, chosen)
}

// sequence lists the query vertices of an order.
func sequence(steps []pattern.Step) []int {
	seq := make([]int, len(steps))
	for i, step := range steps {
		seq[i] = step.Vertex
	}
	return seq
}

// replanNote says that a search changed its order and why.
func replanNote(p *pattern.Pattern, r *pattern.Replanned) string {
	if r.Orders > 0 {
		return fmt.Sprintf("%d orders took turns, since nothing was found in %s list elements from %s; this one was the first to find a match or to end",
			r.Orders, figures.Count(r.Spent), vertexNames(p, r.From))
	}
	round := func(x float64) string { return figures.Count(uint64(max(0, min(x, 1e18)))) }
	note := fmt.Sprintf("order changed after %s list elements, from %s: ", figures.Count(r.Spent), vertexNames(p, r.From))
	if r.Actual > r.Expected {
		of := "partial matches"
		if r.List {
			of = "list elements"
		}
		note += fmt.Sprintf("%s %s where %s were expected; ", round(r.Actual), of, round(r.Expected))
	}
	return note + fmt.Sprintf("about %s list elements were left, and the new order promised %s", round(r.Left), round(r.Instead))
}

func vertexNames(p *pattern.Pattern, us []int) string {
	names := make([]string, len(us))
	for i, u := range us {
		names[i] = p.VertexName(u)
	}
	return strings.Join(names, ", ")
}

// funnel shows how the tiers of the filter narrowed a candidate set.
func funnel(m *exec.MatchProfile, u int, bound bool) string {
	if bound {
		return "given by the row"
	}
	var b strings.Builder
	for _, t := range m.Tiers {
		if b.Len() > 0 {
			b.WriteString(" -> ")
		}
		fmt.Fprintf(&b, "%s %d", t.Name, t.Sizes[u])
	}
	return b.String()
}
