package planner

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner/match"
)

// weigh fills in, from the bottom up, what depends on statistics: expected rows, matching orders and kernels.
func (b *builder) weigh(n Node) {
	for _, in := range n.Inputs() {
		b.weigh(in)
	}
	switch n := n.(type) {
	case *Filter:
		n.Est = inputRows(n.Input)
		if len(b.variables(n.Cond)) > 0 { // else it holds, as a rule
			n.Est *= selectivity(n.Cond, n.Est)
		}
	case *Call:
		b.weighCall(n)
	case *Apply:
		n.Est = inputRows(n.Input)
		if n.Kind != ApplyUnit {
			n.Est = min(n.Est*max(1, inputRows(n.Inner)), math.MaxFloat64)
		}
	case *Unwind:
		n.Est = inputRows(n.Input) * unwound(n.List)
	case *Aggregate:
		n.Est = 1
		if len(n.Keys) > 0 {
			n.Est = math.Sqrt(inputRows(n.Input)) // for want of anything better
		}
	case *Match:
		b.weighMatch(n)
	case *Paths:
		b.weighPaths(n)
	}
}

// unwound guesses how long a list is.
func unwound(x lang.Expr) float64 {
	if l, ok := x.(*lang.ListLit); ok {
		return float64(len(l.Items))
	}
	return 10
}

func (b *builder) weighMatch(m *Match) {
	p := m.Pattern
	m.EstSets = match.EstimateSizes(p, b.snap, func(i int, n float64) float64 { return selectivity(m.Exprs[i], n) })
	answer := match.OrderFor(match.Planned, &match.Question{Pattern: p, Snapshot: b.snap, Sizes: m.EstSets, Strategy: b.opt.Order})
	m.Order = answer.Order
	matches := answer.Matches
	for i, q := range p.Predicates {
		if _, single := q.Single(); !single {
			matches *= selectivity(m.Exprs[i], matches)
		}
	}
	for _, c := range m.Order.Chains {
		matches /= c.Size()
	}
	if m.Optional {
		matches = max(1, matches)
	}
	m.Est = min(inputRows(m.Input)*matches, math.MaxFloat64)
	switch {
	case m.Count:
		m.Est = inputRows(m.Input)
	case m.Limit > 0:
		m.Est = min(m.Est, float64(m.Limit))
	}
	if b.opt.Brute {
		m.Why = "brute force was asked for"
	} else {
		m.Clique, m.Why = match.RouteClique(p, m.readsEdges(), b.snap, b.opt.Kernel)
	}
	if !b.opt.Brute {
		m.Seeks = seeks(m, b.snap)
	}
	m.notes = append([]string{m.kernelNote()}, m.conditionNotes()...)
	m.notes = append(m.notes, m.seekNotes(b.snap)...)
	if m.Clique == nil {
		m.notes = append(m.notes, m.orderNote())
		if m.Once {
			m.notes = append(m.notes, "equal rows count once: a search for one ends at its first match where that is less work")
		}
		if note := b.formula(m); note != "" {
			m.notes = append(m.notes, note)
		}
		for _, s := range answer.Symmetry {
			if s != "" {
				m.notes = append(m.notes, "symmetry: "+s)
			}
		}
	}
	m.notes = append(m.notes, m.candidatesNote())
}

// readsEdges reports whether an operator above reads a relationship of the pattern.
func (m *Match) readsEdges() bool {
	return slices.ContainsFunc(m.EdgeSlot, func(slot int) bool { return slot >= 0 })
}

// longCount is how many partial matches a count must be expected to visit to be worth a formula.
const longCount = 3e4

// formula gives a long count its formula and says what it is.
func (b *builder) formula(m *Match) string {
	if !m.Count || b.opt.Brute || m.Order.Cost < longCount {
		return ""
	}
	f, why := match.CountFormula(m.Pattern, b.snap, m.Order.Symmetric, m.Order.Cost)
	switch {
	case f == nil:
		return "counts by a search: " + why
	case len(f.Terms) == 1 && f.Terms[0].Coefficient == 1:
		m.Formula = f
		return "counts by arrays over separators where cheaper than by a search: no two nodes need to be told apart"
	}
	m.Formula = f
	return fmt.Sprintf("counts by arrays over separators where cheaper than by a search: %d quotients", len(f.Terms))
}

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
