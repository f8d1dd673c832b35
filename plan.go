package motif

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/device"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/explain"
	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// origin says for which snapshots a plan holds. It keeps none of them in memory.
type origin struct {
	serial   uint64    // of the snapshot that the plan was made for
	shape    csr.Shape // of that snapshot
	portable bool      // the plan holds for every snapshot of that shape
	declared []*lang.Procedure
	silent   *atomic.Uint64 // the kin of the snapshot that was last found to give no warnings either
}

func (p *prepared) originIn(s *csr.Snapshot) (origin, *csr.Reads) {
	o := origin{serial: csr.Serial(s), declared: p.opt.Declared.List()}
	if len(p.warnings) == 0 && p.stmt.Command == nil && p.plan.Portable() {
		o.shape, o.portable = csr.ShapeOf(s)
		o.silent = new(atomic.Uint64)
		o.silent.Store(csr.Kin(s))
	}
	return o, p.plan.Reads(o.portable) // else it may have warnings that changes end
}

// on returns p for a snapshot, or nil if p does not hold for it. What was done before takes this query no time.
func (p *prepared) on(s *csr.Snapshot) *prepared {
	if p == nil || s == nil || !p.holds(s) {
		return nil
	}
	q := *p
	q.snap, q.parse, q.planning, q.derived = s, 0, 0, 0
	return &q
}

// holds reports whether p holds for a snapshot.
func (p *prepared) holds(s *csr.Snapshot) bool {
	if !slices.Equal(p.origin.declared, p.opt.Declared.List()) {
		return false
	}
	if p.origin.serial == csr.Serial(s) {
		return true
	}
	shape, ok := csr.ShapeOf(s)
	return ok && p.origin.portable && p.origin.shape == shape && p.silentIn(s)
}

// silentIn reports whether p, which has no warnings, has none in s either. The kinds of values that warnings depend on are no part of a
// shape.
func (p *prepared) silentIn(s *csr.Snapshot) (silent bool) {
	kin := csr.Kin(s)
	if p.origin.silent.Load() == kin {
		return true
	}
	var err error
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err, "the planner", p.text) // planning anew returns the error
	if silent = p.plan.SameWarnings(p.stmt.Query, s); silent {
		p.origin.silent.Store(kin)
	}
	return silent
}

// kept returns p as it is kept: without its snapshot, which may be large.
func (p *prepared) kept() *prepared {
	q := *p
	q.snap = nil
	return &q
}

// takeLiterals has p, a plan with parameters for literals, run with the literals of t.
func (p *prepared) takeLiterals(t *task) {
	p.from, p.text, p.lift = p.text, t.text, t.lift
	params := make(Params, len(t.params)+len(t.lift.Literals))
	maps.Copy(params, t.params)
	for _, l := range t.lift.Literals {
		params[l.Name] = l.Value
	}
	t.params = params
}

// quick reports whether p takes less time than to start a goroutine.
func (p *prepared) quick(cfg *queryConfig) bool {
	return p.mode == lang.Run && !cfg.brute && cfg.finish == nil && exec.Quick(p.plan, p.snap)
}

// Summary says what a finished query did.
type Summary struct {
	Rows           int64
	Parse          time.Duration // reading and checking the text
	Planning       time.Duration
	Run            time.Duration  // from the end of planning on
	Total          time.Duration  // from the call of Query to the end of the query
	Stages         []Stage        // of Total
	Plan           *Plan          // with actual rows and times if the query was run; PROFILE adds notes on them
	PartialMatches uint64         // visited by searches
	Candidates     uint64         // of all nodes of the patterns together, after the filter; 0 where a procedure alone was run
	PeakMemory     int64          // bytes charged to the query's budget at most
	Techniques     []TechniqueUse // the techniques that were taken
	Warnings       []Warning      // found before the query ran
	Changes        Changes        // of a statement that writes
}

// TechniqueUse says how often a query used a technique; see WithoutTechniques.
type TechniqueUse struct {
	Name string
	Unit string // what was counted
	Uses uint64
}

// taken lists the techniques that the query used.
func taken(t *pattern.Tally) (uses []TechniqueUse) {
	for m := range pattern.AllTechniques() {
		if n := t.Taken[m].Load(); n > 0 {
			uses = append(uses, TechniqueUse{m.String(), m.Unit(), n})
		}
	}
	return uses
}

// Plan is an operator of a query's plan, with the operators that feed it as children. Rows flow from the children up.
type Plan struct {
	Operator      string
	Detail        string
	EstimatedRows float64
	ActualRows    float64       // -1 if the query was not run
	Time          time.Duration // spent in this operator, without its children
	Notes         []string      // further lines: order, candidates, kernel and why
	Match         *PlanMatch    // of an operator that matches a pattern, in a plan by Explain, EXPLAIN, PROFILE or WithProfile; else nil
	Children      []*Plan
}

// PlanMatch says how an operator matches its pattern. What was done is known only if the query was run.
type PlanMatch struct {
	Nodes          []PlanNode         // of the pattern
	Relationships  []PlanRelationship // of the pattern
	Order          []int              // the nodes in the order in which they are matched, numbers in Nodes; nil for the clique kernel
	Kernel         string             // what matched: "join", "clique" and the like; "" if the query was not run
	Device         string             // what it ran on; "" if the query was not run
	Runs           uint64             // rows for which the pattern was matched
	PartialMatches uint64
	Filter, Search time.Duration
}

// PlanNode is a node of a pattern.
type PlanNode struct {
	Name     string  // the variable; "" for an unnamed node
	Labels   string  // the label expression; "" for any node
	Given    bool    // the row before gives the node
	Expected float64 // partial matches that end at this node; -1 if unknown
	Visited  int64   // such partial matches that were visited; -1 if unknown
	Filter   []FilterTier
}

// FilterTier is a step of the filter: its name, such as "label" or "degree", and how many candidates a node has after it.
type FilterTier struct {
	Name       string
	Candidates int
}

// PlanRelationship is a relationship of a pattern. From and To are numbers of nodes.
type PlanRelationship struct {
	Name     string // the variable; "" for an unnamed relationship
	From, To int
	Types    string // "" for any type
	Directed bool
}

// rootPlan makes a whole tree, the knobs that are set among the notes of its root.
func rootPlan(s *csr.Snapshot, plan *planner.Plan, stats *exec.Profile, cfg *queryConfig) *Plan {
	p := newPlan(s, plan, plan.Root, stats)
	if stats == nil && s != nil {
		p.devices(cfg.runsOn, s, plan, plan.Root)
	}
	p.noteKnobs(cfg)
	return p
}

// ranPlan returns the plan that was run, with what was done.
func (x *execution) ranPlan(ran *planner.Plan, stats *exec.Profile) *Plan {
	s := x.explained()
	if s != nil || ran != x.plan {
		return rootPlan(s, ran, stats, x.cfg).showLiterals(x.lift)
	}
	p := x.outline.of(ran).with(stats).showLiterals(x.lift)
	p.noteKnobs(x.cfg)
	return p
}

// noteKnobs notes which knobs are set.
func (p *Plan) noteKnobs(cfg *queryConfig) {
	if set := cfg.knobs(); set != "" {
		p.Notes = append([]string{"set: " + set}, p.Notes...)
	}
}

// outline keeps the tree of a plan without what an execution did. Writing it down takes as long as a small query.
type outline struct {
	once workgroup.Once
	tree *Plan
	list []outlined // depth first: an operator before its children
}

// outlined is an operator of an outline.
type outlined struct {
	plan *Plan
	node planner.Node
}

// of returns the outline of plan, which is the same at each call.
func (o *outline) of(plan *planner.Plan) *outline {
	o.once.Do(func() {
		o.list = nil
		o.tree = newPlan(nil, plan, plan.Root, nil)
		o.enlist(plan, o.tree, plan.Root)
	})
	return o
}

func (o *outline) enlist(plan *planner.Plan, p *Plan, n planner.Node) {
	o.list = append(o.list, outlined{p, n})
	at := 0
	for _, c := range n.Inputs() {
		o.enlist(plan, p.Children[at], c)
		at++
	}
	for _, sub := range plan.SubPlans(n) {
		o.enlist(plan, p.Children[at], sub)
		at++
	}
}

// with returns a copy of the tree with actual rows and times.
func (o *outline) with(stats *exec.Profile) *Plan {
	copies := make([]Plan, 0, len(o.list))
	var add func() *Plan
	add = func() *Plan {
		of := o.list[len(copies)]
		copies = append(copies, *of.plan)
		p := &copies[len(copies)-1]
		if st := stats.Nodes[of.node]; st != nil {
			p.ActualRows, p.Time = float64(st.Rows), st.Time
		}
		p.Notes, p.Children = slices.Clone(p.Notes), slices.Clone(p.Children)
		for i := range p.Children {
			p.Children[i] = add()
		}
		return p
	}
	return add()
}

// devices notes at n and every operator below it where d would answer what they ask for, and why.
func (p *Plan) devices(d pattern.Device, s *csr.Snapshot, plan *planner.Plan, n planner.Node) {
	p.Notes = append(p.Notes, device.Explain(d, func() []*pattern.Request { return exec.Requests(plan, s, n) })...)
	at := 0
	for _, c := range n.Inputs() {
		p.Children[at].devices(d, s, plan, c)
		at++
	}
	for _, sub := range plan.SubPlans(n) {
		p.Children[at].devices(d, s, plan, sub)
		at++
	}
}

// newPlan makes the tree below n, with actual rows and times where stats is not nil, and with notes on what the filter asks
// for and what was done where s is not nil.
func newPlan(s *csr.Snapshot, plan *planner.Plan, n planner.Node, stats *exec.Profile) *Plan {
	op, detail := n.Describe()
	p := &Plan{Operator: op, Detail: detail, EstimatedRows: n.Estimate(), ActualRows: -1}
	var st *exec.OperatorProfile
	if stats != nil {
		if st = stats.Nodes[n]; st != nil {
			p.ActualRows, p.Time = float64(st.Rows), st.Time
		}
	}
	switch m, ok := n.(*planner.Match); {
	case s != nil:
		p.Notes = append(explain.Notes(n, st), explain.Depths(s, n)...)
	case ok:
		p.Notes = m.NotesWith(nil, 0, nil)
	default:
		p.Notes = n.Notes()
	}
	if s != nil && st != nil {
		p.Notes = append(p.Notes, explain.Actual(n, st)...)
	}
	if m, ok := n.(*planner.Match); ok && s != nil {
		p.Match = planMatch(s, m, st)
	}
	for _, c := range n.Inputs() {
		p.Children = append(p.Children, newPlan(s, plan, c, stats))
	}
	for _, sub := range plan.SubPlans(n) {
		p.Children = append(p.Children, newPlan(s, plan, sub, stats))
	}
	return p
}

// planMatch returns the match of an operator as data.
func planMatch(s *csr.Snapshot, m *planner.Match, st *exec.OperatorProfile) *PlanMatch {
	out := &PlanMatch{}
	for _, v := range m.Pattern.Vertices {
		out.Nodes = append(out.Nodes, PlanNode{Name: v.Name, Labels: v.Labels.String(), Given: v.Bound, Expected: -1, Visited: -1})
	}
	for _, e := range m.Pattern.Edges {
		out.Relationships = append(out.Relationships, PlanRelationship{e.Name, e.From, e.To, pattern.TypesText(e.Types, s.Types), !e.Undirected})
	}
	if m.Clique == nil {
		steps, runs, visits := explain.Steps(m, st)
		for _, step := range steps {
			out.Order = append(out.Order, step.Vertex)
			if step.Expected > 0 {
				out.Nodes[step.Vertex].Expected = step.Expected * runs
			}
			if visits != nil {
				out.Nodes[step.Vertex].Visited = int64(visits[step.Vertex])
			}
		}
	}
	if st == nil || st.Match == nil {
		return out
	}
	done := st.Match
	out.Kernel, out.Device, out.Runs, out.PartialMatches, out.Filter, out.Search = done.Kernel, done.Device, done.Runs, done.Partial, done.Filter, done.Search
	for _, tier := range done.Tiers {
		for u, size := range tier.Sizes {
			if n := &out.Nodes[u]; !n.Given {
				n.Filter = append(n.Filter, FilterTier{tier.Name, size})
			}
		}
	}
	return out
}

// totals is what PROFILE prints below the plan.
func (x *execution) totals(sum Summary) string {
	t := explain.Totals{Time: sum.Total, PartialMatches: x.env.Tally.Partial.Load(), PeakMemory: x.env.Memory.Peak(), Answers: device.Answers(x.env.Tally)}
	for _, s := range sum.Stages {
		t.Stages = append(t.Stages, explain.Stage(s))
	}
	for _, m := range taken(x.env.Tally) {
		t.Techniques = append(t.Techniques, fmt.Sprintf("%s: %s %s", m.Name, figures.Count(m.Uses), m.Unit))
	}
	return t.String()
}

// String prints the tree, the operator that gives the result first.
func (p *Plan) String() string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	p.print(&b, "", "")
	return strings.TrimRight(b.String(), "\n")
}

func (p *Plan) print(b *strings.Builder, first, rest string) {
	if p == nil || len(rest) > maxIndent { // a program may have made it
		fmt.Fprintf(b, "%s...\n", first)
		return
	}
	fmt.Fprintf(b, "%s%s", first, p.Operator)
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

// maxIndent bounds the depth of a printed plan, in bytes. A plan that contains itself has no other end.
const maxIndent = 4000

func (p *Plan) figures() string {
	est := "est " + figures.Count(uint64(max(0, min(p.EstimatedRows, 1e18))))
	if p.ActualRows < 0 {
		return est + " rows"
	}
	return fmt.Sprintf("%s, actual %s rows, %v", est, figures.Count(uint64(p.ActualRows)), p.Time.Round(time.Microsecond))
}

// Stage is a part of a query's work with the time that the query spent in it. Stages do not overlap: their times add up to the
// query's, except for a small rest. Times are by the clock: work that several goroutines do at once counts in the stage that
// waits for it.
//
// The stages are
//
//   - "load": reading the graph from the store, before the first query
//   - "parse", "plan"
//   - "start": taking the parameters, and getting a goroutine to run on
//   - "filter": finding candidates; "order": choosing the matching order
//   - "search": waiting for the join or the clique kernel
//   - "procedures": the procedures that CALL runs
//   - "rows": conditions, sorting, grouping and the like
//   - "output": handing rows over, and waiting for their reader
//   - "explain": writing down the plan with what was done
//   - "index: ...": one for each index that the graph builds on first use and keeps, such as adjacency in another order
type Stage struct {
	Name  string
	Time  time.Duration
	Share float64 // of Summary.Total, 0 to 1
}

// clock holds what is known of a query's time before it runs.
type clock struct {
	began    time.Time
	load     time.Duration
	prepared *prepared        // if that was done for this query, else nil
	before   []csr.Derivation // what the snapshot had derived when the query began
	running  time.Time        // when its execution began; zero if it was not run
	explain  time.Duration    // writing down its plan with what was done
}

// start returns the time before the execution that no other stage has taken.
func (c *clock) start() time.Duration {
	if c.running.IsZero() {
		return 0
	}
	t := c.running.Sub(c.began) - c.load
	if c.prepared != nil {
		t -= c.prepared.parse + c.prepared.planning
	}
	return max(0, t)
}

// stages divides the time from the beginning of the query until now.
func (x *execution) stages(ran *exec.Profile) (total time.Duration, stages []Stage) {
	total = time.Since(x.clock.began)
	stages = make([]Stage, 0, 12)
	var derived time.Duration
	add := func(name string, t time.Duration) { stages = append(stages, Stage{Name: name, Time: t}) }
	some := func(name string, t time.Duration) {
		if t > 0 {
			add(name, t)
		}
	}
	var st exec.Stages
	if ran != nil {
		st = ran.Stages
	}
	some("load", x.clock.load)
	if p := x.clock.prepared; p != nil {
		derived += p.derived
		add("parse", p.parse)
		add("plan", p.planning-p.derived+st.Compile)
	} else {
		add("plan", st.Compile)
	}
	some("start", x.clock.start())
	if ran != nil {
		derived += st.Derivation
		add("filter", st.Filter)
		add("order", st.Order)
		add("search", st.Search)
		some("procedures", st.Procedures)
		add("rows", st.Rows)
		add("output", st.Output)
		some("explain", x.clock.explain)
	}
	if derived > 0 {
		for _, d := range explain.Indexes(x.clock.before, x.snap.Derivations(), derived) {
			add("index: "+d.Name, d.Time)
		}
	}
	for i := range stages {
		stages[i].Share = float64(stages[i].Time) / float64(max(1, total))
	}
	return total, stages
}
