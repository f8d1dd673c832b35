package planner

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// matchNotes are the lines of EXPLAIN that do not depend on the order.
type matchNotes struct{ before, after []string }

// note fills in the notes. kernel says why the clique kernel finds the matches or does not, formula how a count goes about it,
// and symmetry how that of each scope is broken.
func (m *Match) note(s *csr.Snapshot, kernel, formula string, symmetry []string) {
	m.notes = matchNotes{before: m.kernelNotes(kernel)}
	n := &m.notes.after
	*n = append(*n, m.seekNotes(s)...)
	if m.Clique == nil {
		if m.Once {
			*n = append(*n, "equal rows count once: a search for one ends at its first match where that is less work")
		}
		if formula != "" {
			*n = append(*n, formula)
		}
		*n = append(*n, m.groupNotes(s)...)
		for _, s := range symmetry {
			if s != "" {
				*n = append(*n, "symmetry: "+s)
			}
		}
	}
	*n = append(*n, m.candidatesNote())
}

// kernelNotes says why the clique kernel finds the matches or does not, and in the first case how.
func (m *Match) kernelNotes(why string) (notes []string) {
	switch {
	case why == "":
		return nil
	case m.Clique == nil:
		return []string{why}
	}
	var groups, conditions []string
	for _, g := range m.Clique.Groups {
		groups = append(groups, "{"+strings.Join(names(m.Pattern, g), ", ")+"}")
	}
	for i := range m.Pattern.Predicates {
		conditions = append(conditions, m.Pattern.Predicates[i].Text)
	}
	notes = append(notes, fmt.Sprintf("%s; %s, each clique is %s", why, strings.Join(groups, " "), times(m.Clique.Factor)))
	if len(conditions) > 0 {
		notes = append(notes, "only nodes where "+strings.Join(conditions, ", "))
	}
	return notes
}

func times(n uint64) string {
	if n == 1 {
		return "one match"
	}
	return fmt.Sprint(n, " matches")
}

// candidatesNote says how many nodes of the graph each node of the pattern may be.
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
