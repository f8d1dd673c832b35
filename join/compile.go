package join

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// compile makes a job ready to run: a program. sink is nil for a count.
func compile(ctx context.Context, job *pattern.Job, env *pattern.Env, sink pattern.Sink) (*program, error) {
	return compileOrder(ctx, job, env, sink, env.Order != pattern.OrderAuto)
}

// compileOrder is compile; keep says that a count must keep the job's order.
func compileOrder(ctx context.Context, job *pattern.Job, env *pattern.Env, sink pattern.Sink, keep bool) (*program, error) {
	if len(job.Order.Steps) != len(job.Pattern.Vertices) {
		return nil, fmt.Errorf("join: order of %d steps for %d vertices", len(job.Order.Steps), len(job.Pattern.Vertices))
	}
	if job.Candidates == nil {
		c, err := filter.Run(ctx, job.Snapshot, job.Pattern, env)
		if err != nil {
			return nil, err
		}
		own := *job
		own.Candidates = c
		job = &own
	}
	c := &compiler{program: &program{s: job.Snapshot, p: job.Pattern, job: job, emit: sink != nil, divisor: 1, tail: -1, denseAt: -1}, order: slices.Clone(job.Order.Steps), views: filter.ViewsOf(job.Snapshot)}
	c.byValue = &valueJoin{ctx: ctx, env: env}
	c.keepOrder = keep
	c.planEnumeration(sink != nil && sink.NeedEdges())
	c.planTail()
	c.planUnread(env, sink)
	c.compile()
	if !c.none && env.Uses(pattern.DenseSearch) {
		c.planDense()
	}
	if !c.none && job.Share == nil && env.Uses(pattern.EqualVertices) { // a box bounds one of equal vertices, and its matches have all arrangements
		equalFinder{c}.plan()
	}
	c.failingSets = !c.none && env.Uses(pattern.FailingSets) && c.planFailing()
	c.tellOrder(env)
	return c.program, c.testUpfront()
}

// testUpfront tests the predicates that read bound relationships only, or nothing.
func (c *compiler) testUpfront() error {
	for _, q := range c.upfront {
		ok, err := q.Test(c.job.Vertices, c.job.Edges)
		if err != nil {
			if err = c.met(c.byValue.ctx, q, c.job.Vertices, c.job.Edges, err); err != nil {
				return err
			}
			ok = false
		}
		c.none = c.none || !ok
	}
	return nil
}

// compiler holds what only compiling needs.
type compiler struct {
	*program
	order   []pattern.Step
	apart   [][]bool // pairs of query vertices that no match gives the same vertex, by adjacency or candidates
	unequal [][]bool // pairs that a clash without conditions keeps from being equal

	views     *filter.Views
	keepOrder bool // somebody asked for the order: a count must keep it
}

// tellOrder reports the order of the search to the tally.
func (c *compiler) tellOrder(env *pattern.Env) {
	if env.Tally == nil {
		return
	}
	order := make([]int, len(c.order))
	for k := range c.order {
		order[k] = c.order[k].Vertex
	}
	env.Tally.Order.Store(&order)
}

// compile decides how to search, in the order of the steps below. wantEdges says that the sink reads relationships.
func (c *compiler) compile() {
	c.cost = c.job.Order.Cost
	c.build()
	if c.none {
		return
	}
	if c.reorder() {
		c.build()
	}
	if c.unread == 0 && c.sortByComponent() {
		c.build()
	}
	c.planChoices()
	c.planMemory()
	c.viewsAt = whenViews(c)
}

// build makes the steps of c.order, anew for each order that is weighed.
func (c *compiler) build() {
	n := len(c.p.Vertices)
	c.pos, c.closeOrder, c.upfront = make([]int, n), nil, nil
	clear(c.byValue.exact)
	c.steps, c.ends = make([]step, n), make([]closing, len(c.p.Edges))
	c.root = n
	for k := range c.order {
		c.pos[c.order[k].Vertex] = k
		if !c.p.Vertices[c.order[k].Vertex].Bound {
			c.root = min(c.root, k)
		}
	}
	for k := range c.steps {
		c.candidates(k)
		c.sources(k)
		c.values(k)
	}
	c.findApart()
	for k := range c.steps {
		c.differences(k)
		c.clashes(k)
		c.inducedRules(k)
	}
	c.placePredicates()
	later := uint64(0)
	for k := n - 1; k >= 0; k-- {
		c.finish(k, later)
		later |= c.steps[k].needs
	}
}

// candidates sets which vertices step k may take.
func (c *compiler) candidates(k int) {
	st := &c.steps[k]
	st.u = c.order[k].Vertex
	st.less, st.greater = c.order[k].Less, c.order[k].Greater
	n := c.s.N()
	if v := &c.p.Vertices[st.u]; v.Bound {
		at := c.job.Vertices[st.u]
		st.bound, st.lo, st.hi, st.narrow = true, at, at+1, true
		st.sources = []source{{from: -1, edge: -1, list: []csr.VertexID{at}, candidatesOnly: true}}
		if uint64(at) >= n || !v.Labels.Admits(c.s.LabelsOf(at)) {
			c.none = true
		}
		return
	}
	st.set = c.job.Candidates.Sets[st.u]
	list := st.set.List()
	if len(list) == 0 {
		c.none = true
		return
	}
	st.reach = reachOf(st.set, n)
}

// sources gathers the lists that step k intersects and the edges whose second end it matches.
func (c *compiler) sources(k int) {
	st := &c.steps[k]
	for i := range c.p.Edges {
		if e := &c.p.Edges[i]; e.Bound && (e.From == st.u || e.To == st.u) {
			st.sources = append(st.sources, source{from: -1, edge: -1, list: c.boundEnds(i, st.u)})
		}
	}
	for _, i := range c.order[k].Backward {
		c.closeEdge(st, i)
	}
	st.last = len(c.closeOrder)
	known := func(s *source) int {
		if s.from < 0 {
			return -1
		}
		return c.pos[s.from]
	}
	slices.SortStableFunc(st.sources, func(a, b source) int { return known(&a) - known(&b) })
	if st.prefixStep = -1; len(st.sources) > 1 {
		st.prefixStep = known(&st.sources[len(st.sources)-2])
	}
}

// closeEdge adds what edge i, whose other end is known, asks of step st.
func (c *compiler) closeEdge(st *step, i int) {
	e := &c.p.Edges[i]
	if !e.AtLeastOne {
		c.closeOrder = append(c.closeOrder, i)
	}
	from := e.From + e.To - st.u
	switch {
	case e.Bound:
		st.boundEdges = append(st.boundEdges, i)
		c.none = c.none || !e.Types.Has(c.s.TypeOf(c.job.Edges[i]))
	case from == st.u && e.AtLeastOne:
		c.none = true // its ends must differ
	case from == st.u:
		c.ends[i] = closing{edge: i, from: from, view: c.views.Of(e.Types, csr.Out)}
		st.loops = append(st.loops, c.ends[i])
	default:
		view := c.views.Of(e.Types, seenFrom(e, from))
		c.ends[i] = closing{edge: i, from: from, view: view}
		if !e.AtLeastOne && view.Counts != nil {
			st.multi = append(st.multi, c.ends[i])
		}
		if !slices.ContainsFunc(st.sources, func(s source) bool { return s.from == from && s.view == view }) {
			st.sources = append(st.sources, source{from: from, view: view, edge: i})
		}
	}
}

// seenFrom is the direction of e as seen from its end u.
func seenFrom(e *pattern.Edge, u int) csr.Direction {
	switch {
	case e.Undirected:
		return csr.Both
	case e.From == u:
		return csr.Out
	}
	return csr.In
}

// boundEnds lists the vertices that end u of the bound edge i can be.
func (c *compiler) boundEnds(i, u int) []csr.VertexID {
	e := &c.p.Edges[i]
	src, dst := c.s.Endpoints(c.job.Edges[i])
	switch {
	case e.Undirected && src != dst:
		return []csr.VertexID{min(src, dst), max(src, dst)}
	case e.From == u:
		return []csr.VertexID{src}
	}
	return []csr.VertexID{dst}
}

// fits reports whether bound edge i joins the vertices matched to its ends.
func (c *program) fits(i int, match []csr.VertexID) bool {
	e := &c.p.Edges[i]
	src, dst := c.s.Endpoints(c.job.Edges[i])
	from, to := match[e.From], match[e.To]
	return from == src && to == dst || e.Undirected && from == dst && to == src
}

// placePredicates puts every predicate that the filter has not settled at the step that matches the last vertex it reads. A predicate
// on relationships waits until they are chosen. If it reads only one of them, that step also looks whether any passes, to give
// up early.
func (c *compiler) placePredicates() {
	for i := range c.p.Predicates {
		q := &c.p.Predicates[i]
		if c.settled(i) || c.byValue.exact[i] {
			continue
		}
		at, free := -1, []int(nil)
		for _, u := range q.Vertices {
			at = max(at, c.pos[u])
		}
		for _, e := range q.Edges {
			if !c.p.Edges[e].Bound {
				free = append(free, e)
			}
		}
		switch {
		case len(free) == 1:
			e := &c.p.Edges[free[0]]
			at = max(at, c.pos[e.From], c.pos[e.To])
			c.steps[at].edgeTests = append(c.steps[at].edgeTests, edgeTest{free[0], q})
		case len(free) == 0 && at >= 0:
			c.steps[at].preds = append(c.steps[at].preds, q)
		case len(free) == 0:
			c.upfront = append(c.upfront, q)
		}
	}
}
