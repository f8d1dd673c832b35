package planner

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// kernelNote says who finds the matches and why.
func (m *Match) kernelNote() string {
	if m.Clique == nil {
		return "candidate join: " + m.Why
	}
	var groups []string
	for _, g := range m.Clique.Groups {
		groups = append(groups, "{"+strings.Join(names(m.Pattern, g), ", ")+"}")
	}
	return fmt.Sprintf("clique kernel: %s; %s, a clique is %s", m.Why, strings.Join(groups, " "), times(m.Clique.Factor))
}

func times(n uint64) string {
	if n == 1 {
		return "one match"
	}
	return fmt.Sprint(n, " matches")
}

// conditionNotes says where the conditions are tested.
func (m *Match) conditionNotes() []string {
	var filter, join, notes []string
	for i := range m.Pattern.Predicates {
		q := &m.Pattern.Predicates[i]
		if u, ok := q.Single(); ok && !m.Pattern.Vertices[u].Bound {
			filter = append(filter, q.Text)
		} else {
			join = append(join, q.Text)
		}
	}
	for _, d := range m.Pattern.Different {
		join = append(join, m.Pattern.VertexName(d[0])+" <> "+m.Pattern.VertexName(d[1]))
	}
	if len(filter) > 0 {
		notes = append(notes, "in the filter: "+strings.Join(filter, ", "))
	}
	if len(join) > 0 {
		notes = append(notes, "in the join: "+strings.Join(join, ", "))
	}
	return notes
}

func (m *Match) orderNote() string {
	var seq []int
	for _, st := range m.Order.Steps {
		seq = append(seq, st.Vertex)
	}
	return fmt.Sprintf("order: %s; %s partial matches", strings.Join(names(m.Pattern, seq), ", "), about(m.Order.Cost))
}

func (m *Match) candidatesNote() string {
	var parts []string
	for u, n := range m.EstSets {
		if m.Pattern.Vertices[u].Bound {
			parts = append(parts, m.Pattern.VertexName(u)+" given")
		} else {
			parts = append(parts, m.Pattern.VertexName(u)+" "+about(n))
		}
	}
	return "candidates: " + strings.Join(parts, ", ")
}

func names(p *pattern.Pattern, us []int) []string {
	out := make([]string, len(us))
	for i, u := range us {
		out[i] = p.VertexName(u)
	}
	return out
}
