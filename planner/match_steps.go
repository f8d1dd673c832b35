package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// StepNotes describes an order of the search, one line a step: which relationship it follows, what it checks, and how many
// partial matches there are then. runs is the number of input rows. visited has, by query vertex, the partial matches that a
// search has seen; nil before one.
func (m *Match) StepNotes(order []pattern.Step, runs float64, visited []uint64) []string {
	w := stepWriter{Match: m, at: make([]int, len(m.Pattern.Vertices)), order: order}
	for k, st := range order {
		w.at[st.Vertex] = k
	}
	var notes []string
	k := w.givenSteps()
	if k > 0 {
		notes = append(notes, w.given(k))
	}
	for ; k < len(order); k++ {
		n := ""
		switch st := &order[k]; {
		case visited == nil:
			n = rows(st.Expected * runs)
		case st.Expected == 0:
			n = fmt.Sprintf("%s visited", exactly(visited[st.Vertex]))
		default:
			n = fmt.Sprintf("%s expected, %s visited", rows(st.Expected*runs), exactly(visited[st.Vertex]))
		}
		notes = append(notes, fmt.Sprintf("%d. %s: %s", len(notes)+1, w.step(k), n))
	}
	return notes
}

// stepWriter writes the steps of an order.
type stepWriter struct {
	*Match
	at    []int // by query vertex: its step
	order []pattern.Step
}

// givenSteps counts the steps at the start that take what the row gives.
func (w *stepWriter) givenSteps() int {
	k := slices.IndexFunc(w.order, func(st pattern.Step) bool { return !w.Pattern.Vertices[st.Vertex].Bound })
	if k < 0 {
		return len(w.order)
	}
	return k
}

// given is the line for the first n steps, which take what the row gives.
func (w *stepWriter) given(n int) string {
	var names, checks []string
	for k := range n {
		st := &w.order[k]
		names = append(names, w.Pattern.VertexName(st.Vertex))
		if l := w.Pattern.Vertices[st.Vertex].Labels; l != nil {
			checks = append(checks, w.Pattern.NodeText(st.Vertex))
		}
		for _, i := range st.Backward {
			checks = append(checks, w.Pattern.EdgeText(i, w.Pattern.Edges[i].From, w.types))
		}
		checks = append(checks, w.checks(k)...)
	}
	return "1. take " + strings.Join(names, ", ") + " from the row" + listed(", check ", checks)
}

// step is what step k does, without its rows.
func (w *stepWriter) step(k int) string {
	p, st := w.Pattern, &w.order[k]
	var checks []string
	follow := -1
	for _, i := range st.Backward {
		e := &p.Edges[i]
		switch {
		case follow < 0 && e.From != e.To:
			follow = i
		default:
			checks = append(checks, p.EdgeText(i, e.From, w.types))
		}
	}
	text := ""
	switch {
	case follow >= 0:
		e := &p.Edges[follow]
		from := e.From + e.To - st.Vertex
		text = "follow " + p.HopText(follow, from, w.types)
	case k == 0:
		text = "start at " + p.NodeText(st.Vertex)
	default:
		text = "combine with " + p.NodeText(st.Vertex)
		if q := w.lookup(k); q != nil {
			text = "look up " + p.NodeText(st.Vertex) + " by " + q.Text
		}
	}
	text += listed(" where ", w.conditions(st.Vertex))
	return text + listed(", check ", append(checks, w.checks(k)...))
}

// lookup is the condition by whose value step k finds its node where no relationship leads to it; nil if there is no such condition.
func (w *stepWriter) lookup(k int) *pattern.Predicate {
	st := &w.order[k]
	if w.Pattern.Vertices[st.Vertex].Bound || slices.ContainsFunc(st.Backward, func(i int) bool { return w.Pattern.Edges[i].From != w.Pattern.Edges[i].To }) {
		return nil
	}
	for i := range w.Pattern.Predicates {
		q := &w.Pattern.Predicates[i]
		if q.Equal == nil {
			continue
		}
		if from := q.Equal.Other(st.Vertex); from >= 0 && w.at[from] < k && !w.Pattern.Vertices[from].Bound {
			return q
		}
	}
	return nil
}

// conditions lists the conditions on a vertex alone, which its candidates meet.
func (w *stepWriter) conditions(u int) (list []string) {
	for i := range w.Pattern.Predicates {
		if v, ok := w.Pattern.Predicates[i].Single(); ok && v == u && !w.Pattern.Vertices[u].Bound {
			list = append(list, w.Pattern.Predicates[i].Text)
		}
	}
	return list
}

// checks lists what can be tested from step k on: conditions on several elements, nodes that differ, and nodes that an INDUCED
// pattern keeps unrelated.
func (w *stepWriter) checks(k int) (list []string) {
	p, u := w.Pattern, w.order[k].Vertex
	for i := range p.Predicates {
		q := &p.Predicates[i]
		if v, ok := q.Single(); ok && !p.Vertices[v].Bound {
			continue
		}
		if w.lastStep(q) == k && q != w.lookup(k) {
			list = append(list, q.Text)
		}
	}
	for _, d := range p.Different {
		if max(w.at[d[0]], w.at[d[1]]) == k {
			list = append(list, p.VertexName(d[0])+" <> "+p.VertexName(d[1]))
		}
	}
	for i := range p.Scopes {
		if names := w.unrelated(&p.Scopes[i], u, k); len(names) > 0 {
			list = append(list, "no relationship with "+strings.Join(names, ", "))
		}
	}
	return list
}

// lastStep is the step after which all that a condition reads is known.
func (w *stepWriter) lastStep(q *pattern.Predicate) int {
	last := 0
	for _, u := range q.Vertices {
		last = max(last, w.at[u])
	}
	for _, i := range q.Edges {
		last = max(last, w.at[w.Pattern.Edges[i].From], w.at[w.Pattern.Edges[i].To])
	}
	return last
}

// unrelated lists the nodes before step k that an INDUCED scope keeps apart from vertex u.
func (w *stepWriter) unrelated(s *pattern.Scope, u, k int) (names []string) {
	if !s.Induced || !slices.Contains(s.Vertices, u) {
		return nil
	}
	for _, st := range w.order[:k] {
		v := st.Vertex
		related := slices.ContainsFunc(s.Edges, func(i int) bool {
			e := &w.Pattern.Edges[i]
			return e.From == u && e.To == v || e.From == v && e.To == u
		})
		if !related && slices.Contains(s.Vertices, v) {
			names = append(names, w.Pattern.VertexName(v))
		}
	}
	return names
}

// listed is a list behind a text, or nothing if it is empty.
func listed(before string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return before + strings.Join(list, ", ")
}
