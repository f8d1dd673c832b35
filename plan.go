package motif

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// Plan is an operator of a query's plan with what feeds it. Rows flow from the children up.
type Plan struct {
	Op       string
	Detail   string
	Est      float64       // estimated rows
	Act      float64       // actual rows, -1 if the query was not run
	Time     time.Duration // spent in this operator, without its children
	Notes    []string      // further lines: order, candidates, kernel and why
	Children []*Plan
}

// rootPlan makes a whole tree, the knobs that are set among the notes of its root.
func rootPlan(s *csr.Snapshot, plan *planner.Plan, stats *exec.Stats, cfg *queryConfig) *Plan {
	p := newPlan(s, plan, plan.Root, stats)
	if r, ok := cfg.runsOn.(router); ok && stats == nil && s != nil {
		p.route(r, s, plan, plan.Root)
	}
	if set := cfg.knobs(); set != "" {
		p.Notes = append([]string{"set: " + set}, p.Notes...)
	}
	return p
}

// router is a device that tells beforehand where it would run what an operator asks for, and why.
type router interface {
	Routes(s *csr.Snapshot, n planner.Node) []string
}

// route adds that to the notes of the operators, which are those below n.
func (p *Plan) route(r router, s *csr.Snapshot, plan *planner.Plan, n planner.Node) {
	p.Notes = append(p.Notes, r.Routes(s, n)...)
	at := 0
	for _, c := range n.Inputs() {
		p.Children[at].route(r, s, plan, c)
		at++
	}
	for _, sub := range plan.SubPlans(n) {
		p.Children[at].route(r, s, plan, sub)
		at++
	}
}

// newPlan makes the tree below n, with actual rows and times where stats is not nil, and with notes on what the filter asks
// for and what was done where s is not nil.
func newPlan(s *csr.Snapshot, plan *planner.Plan, n planner.Node, stats *exec.Stats) *Plan {
	op, detail := n.Describe()
	p := &Plan{Op: op, Detail: detail, Est: n.Estimate(), Act: -1, Notes: append(n.Notes(), depths(s, n)...)}
	if stats != nil {
		if st := stats.Nodes[n]; st != nil {
			p.Act, p.Time = float64(st.Rows), st.Time
			if s != nil { // writing the notes takes as long as a small query
				p.Notes = append(p.Notes, actual(n, st)...)
			}
		}
	}
	for _, c := range n.Inputs() {
		p.Children = append(p.Children, newPlan(s, plan, c, stats))
	}
	for _, sub := range plan.SubPlans(n) {
		p.Children = append(p.Children, newPlan(s, plan, sub, stats))
	}
	return p
}

// depths says what the filter demands of candidates by coreness and trussness, if it is more than degrees do.
func depths(s *csr.Snapshot, n planner.Node) []string {
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

// actual is what PROFILE adds to an operator's notes.
func actual(n planner.Node, s *exec.NodeStats) (notes []string) {
	if s.Memory > 0 {
		notes = append(notes, fmt.Sprintf("held %s bytes at most", quantity(uint64(s.Memory))))
	}
	m := s.Match
	if m == nil || m.Runs == 0 {
		return notes
	}
	p := n.(*planner.Match).Pattern
	notes = append(notes, fmt.Sprintf("actual: %s on %s: filter %v, search %v, %s partial matches", m.Kernel, m.Device,
		m.Filter.Round(time.Microsecond), m.Search.Round(time.Microsecond), quantity(m.Partial)))
	for u, v := range p.Vertices {
		notes = append(notes, fmt.Sprintf("actual candidates of %s: %s", p.VertexName(u), funnel(m, u, v.Bound)))
	}
	if len(m.Order.Steps) > 0 {
		notes = append(notes, orderNote(p, m))
	}
	if m.Replanned != nil {
		notes = append(notes, replanNote(p, m.Replanned))
	}
	return notes
}

// orderNote gives the order chosen by the candidates, and the one taken where a count went another way: the join weighs
// orders again by what a count remembers.
func orderNote(p *pattern.Pattern, m *exec.MatchStats) string {
	chosen := make([]int, len(m.Order.Steps))
	for i, step := range m.Order.Steps {
		chosen[i] = step.Vertex
	}
	note := "order by actual candidates: " + vertexNames(p, chosen)
	if m.Taken != nil && !slices.Equal(m.Taken, chosen) {
		note += "; taken: " + vertexNames(p, m.Taken)
	}
	return note
}

// replanNote says that a search changed its order and why.
func replanNote(p *pattern.Pattern, r *pattern.Replanned) string {
	round := func(x float64) string { return quantity(uint64(max(0, min(x, 1e18)))) }
	note := fmt.Sprintf("order changed after %s list elements, from %s: ", quantity(r.Spent), vertexNames(p, r.From))
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
func funnel(m *exec.MatchStats, u int, bound bool) string {
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

// String prints the tree, the operator that gives the result first.
func (p *Plan) String() string {
	var b strings.Builder
	p.print(&b, "", "")
	return strings.TrimRight(b.String(), "\n")
}

func (p *Plan) print(b *strings.Builder, first, rest string) {
	fmt.Fprintf(b, "%s%s", first, p.Op)
	if p.Detail != "" {
		fmt.Fprintf(b, " %s", p.Detail)
	}
	fmt.Fprintf(b, "  (%s)\n", p.figures())
	bar := "  "
	if len(p.Children) > 0 {
		bar = "│ "
	}
	for _, n := range p.Notes {
		fmt.Fprintf(b, "%s%s  %s\n", rest, bar, n)
	}
	for i, c := range p.Children {
		if i == len(p.Children)-1 {
			c.print(b, rest+"└─", rest+"  ")
		} else {
			c.print(b, rest+"├─", rest+"│ ")
		}
	}
}

func (p *Plan) figures() string {
	est := "est " + quantity(uint64(max(0, min(p.Est, 1e18))))
	if p.Act < 0 {
		return est + " rows"
	}
	return fmt.Sprintf("%s, actual %s rows, %v", est, quantity(uint64(p.Act)), p.Time.Round(time.Microsecond))
}

// candidates is how many there were for all query vertices.
func candidates(stats *exec.Stats) (n uint64) {
	if stats == nil {
		return 0
	}
	for _, node := range stats.Nodes {
		if node.Match == nil {
			continue
		}
		for _, size := range node.Match.Sizes {
			n += uint64(size)
		}
	}
	return n
}
