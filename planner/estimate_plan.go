package planner

import (
	"fmt"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner/match"
)

// estimator fills in what depends on statistics: expected rows, matching orders and kernels.
type estimator struct {
	*poller
	snap  *csr.Snapshot
	opt   Options
	reads func(lang.Expr) []string // the variables of the plan that an expression reads
}

// plan estimates an operator after its inputs.
func (e *estimator) plan(n Node) {
	e.poll()
	for _, in := range n.Inputs() {
		e.plan(in)
	}
	switch n := n.(type) {
	case *Filter:
		n.Est = inputRows(n.Input)
		if len(e.reads(n.Cond)) > 0 { // a constant condition is usually true
			n.Est *= selectivity(n.Cond, n.Est)
		}
	case *Call:
		e.call(n)
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
			n.Est = math.Sqrt(inputRows(n.Input)) // a guess: groups hold as many rows as there are groups
		}
	case *Match:
		e.match(n)
	case *Paths:
		e.paths(n)
	}
}

// unwound guesses how long a list is.
func unwound(x lang.Expr) float64 {
	if l, ok := x.(*lang.ListLit); ok {
		return float64(len(l.Items))
	}
	return 10
}

// match chooses the order, the kernel and the formula of a Match.
func (e *estimator) match(m *Match) {
	p := m.Pattern
	m.EstSets = match.EstimateSizes(p, e.snap, m.Selectivity)
	answer := match.OrderFor(match.Planned, &match.Question{Pattern: p, Snapshot: e.snap, Sizes: m.EstSets, Strategy: e.opt.Order, Selectivity: m.Selectivity})
	m.Order = answer.Order
	matches := answer.Matches
	for i, q := range p.Predicates {
		if _, single := q.Single(); !single {
			matches *= m.Selectivity(i, matches)
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
	why := "brute force was asked for"
	if !e.opt.Brute {
		m.Clique, why = match.RouteClique(p, m.readsEdges(), e.snap, e.opt.Kernel)
		if m.Clique != nil && len(m.Clique.Groups) > 1 && e.opt.OnGPU && e.opt.Kernel == pattern.KernelAuto {
			m.Clique, why = nil, "your pattern is complete, but its nodes ask for different things: a GPU has only the join for those"
		}
		if m.Clique != nil && e.opt.Kernel == pattern.KernelAuto && m.gathered(e.opt.OnGPU) {
			m.Clique, why = nil, "your pattern is complete, but rows of its nodes are aggregated: the join has them sooner"
		}
		m.Seeks = seeks(m, e.snap)
		m.Unequal, m.Comparisons = unequals(m), comparisons(m)
		switch {
		case m.Clique != nil:
			why = "clique kernel: " + why
		case why != "":
			why = "no clique kernel: " + why
		}
	}
	formula := ""
	if m.Clique == nil {
		formula = e.formula(m)
	}
	m.note(e.snap, why, formula, answer.Symmetry)
}

// joinedCliques is the largest number of nodes of a clique whose rows the join gives sooner than the clique kernel. The join makes every
// arrangement of a clique for itself, but in batches, and counts groups by sums. By the nodes of RMAT 17's triangles it took .2 s and the
// kernel 14 s, and .3 s and 26 s for the cliques of four of facebook_combined.
const joinedCliques = 4

// gathered reports whether an aggregate reads nodes of a small pattern, whose cliques the kernel would list.
func (m *Match) gathered(onGPU bool) bool {
	k := len(m.Pattern.Vertices)
	return (m.Grouped || m.Once) && m.nodesRead() > 0 && k <= joinedCliques && (k < 4 || onGPU || !m.CliquesByNode())
}

// CliquesByNode reports whether the clique kernel counts the cliques of each node, and lists none. That is where only one node of the pattern is
// read, all of them ask for the same, and rows may come with their number.
func (m *Match) CliquesByNode() bool {
	c := m.Clique
	return c != nil && m.Grouped && c.Ordered && len(c.Groups) == 1 && m.Limit == 0 && m.nodesRead() == 1
}

// nodesRead is how many nodes of the pattern an operator above reads.
func (m *Match) nodesRead() (n int) {
	for _, slot := range m.VertexSlot {
		if slot >= 0 {
			n++
		}
	}
	return n
}

// Selectivity guesses which share of n matches predicate i lets pass.
func (m *Match) Selectivity(i int, n float64) float64 { return selectivity(m.Exprs[i], n) }

// readsEdges reports whether an operator above reads a relationship of the pattern.
func (m *Match) readsEdges() bool {
	return slices.ContainsFunc(m.EdgeSlot, func(slot int) bool { return slot >= 0 })
}

// longCount is how many partial matches a count must be expected to visit to be worth a formula.
var longCount = 3e4

// AllFormulas gives every count that has a formula its formula, for tests on small graphs. No query may run meanwhile.
func AllFormulas() (restore func()) {
	before := longCount
	longCount = -1
	return func() { longCount = before }
}

// formula gives a long count its formula and says what it is.
func (e *estimator) formula(m *Match) string {
	if !m.Count || e.opt.Brute || m.Order.Cost < longCount {
		return ""
	}
	f, why := match.CountFormula(m.Pattern, e.snap, m.Order.Symmetric, m.Order.Cost)
	switch {
	case f == nil:
		return "counts by the search: " + why
	case len(f.Terms) == 1 && f.Terms[0].Coefficient == 1:
		m.Formula = f
		return "counts by sums around each node where that is cheaper than the search: no two nodes need to differ" + ownCounts(f)
	}
	m.Formula = f
	note := fmt.Sprintf("counts by sums around each node where that is cheaper than the search: a formula of %d quotients", len(f.Terms))
	if slices.ContainsFunc(f.Terms, func(t pattern.Term) bool { return t.FourCycle() }) {
		note += ", cycles of four by ordered wedges"
	}
	return note + ownCounts(f)
}

// ownCounts says which parts of a formula have a count of their own.
func ownCounts(f *pattern.Formula) (note string) {
	for i := range f.Terms {
		if x, ok := f.Terms[i].Cyclic(); ok {
			note += fmt.Sprintf(", %v %s", x, x.From())
		}
	}
	return note
}

// call guesses the rows of a procedure. It is exact where the snapshot knows the number.
func (e *estimator) call(c *Call) {
	n := 1.0
	switch c.Procedure.Name {
	case "db.labels":
		n = float64(e.snap.Labels.Len())
	case "db.relationshipTypes":
		n = float64(e.snap.Types.Len())
	case "db.propertyKeys":
		n = float64(e.snap.Keys.Len())
	case "db.procedures":
		n = float64(len(lang.Procedures))
	case "algo.motifs":
		n = 21
	case "algo.kcore", "algo.bfs", "algo.connectedComponents", "algo.pageRank", "algo.articleRank", "algo.eigenvector", "algo.degree",
		"algo.closeness", "algo.betweenness", "algo.labelPropagation", "algo.louvain", "algo.clusteringCoefficient", "algo.dijkstra", "algo.orbits":
		n = float64(e.snap.N())
	case "algo.triangleCount", "algo.cliqueCount":
		if c.Procedure.Column("node") >= 0 {
			n = float64(e.snap.N())
		}
	case "algo.shortestPath", "algo.diameter":
		n = 1
	case "algo.nodeSimilarity":
		n = 10 * float64(e.snap.N())
	case "algo.ktruss", "algo.cliques", "algo.maximalCliques":
		n = float64(e.snap.M())
	}
	c.Est = inputRows(c.Input) * n
}

// paths guesses how many matches there are and says who finds them.
func (e *estimator) paths(p *Paths) {
	each := 1.0
	for _, h := range p.Path.Hops {
		each = min(each*e.repeated(&h), 1e18)
	}
	n := float64(max(1, e.snap.N()))
	end := &p.Vertices[p.Path.Nodes[len(p.Path.Nodes)-1].Var]
	switch {
	case end.Given && p.Select == pattern.ShortestPaths:
		each = min(each, 1)
	case end.Given:
		each /= n
	case p.Once || p.Select != pattern.AllPaths:
		each = min(each, n)
	}
	p.Est = min(inputRows(p.Input)*each, math.MaxFloat64)
	if p.Count {
		p.Est = inputRows(p.Input)
	}
	p.notes = append(p.notes[:0], p.kernelNotes()...)
}

// repeated is the expected number of ways through a hop.
func (e *estimator) repeated(h *pattern.Hop) float64 {
	degree := 1.0
	for _, st := range h.Steps {
		degree *= relationships(e.snap, st.Types, st.Direction == csr.Both) / float64(max(1, e.snap.N()))
	}
	return repetitions(degree, h.Min, h.Max)
}
