package motif

import (
	"fmt"
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

func (p *prepared) originIn(s *csr.Snapshot) origin {
	o := origin{serial: csr.Serial(s), declared: p.opt.Declared.List()}
	if len(p.warnings) == 0 && p.stmt.Command == nil && p.plan.Portable() {
		o.shape, o.portable = csr.ShapeOf(s)
		o.silent = new(atomic.Uint64)
		o.silent.Store(csr.Kin(s))
	}
	return o
}

// on returns p for a snapshot, or nil if p does not hold for it. What was done before takes this query no time.
func (p *prepared) on(s *csr.Snapshot) *prepared {
	if p == nil || s == nil || !slices.Equal(p.origin.declared, p.opt.Declared.List()) {
		return nil
	}
	if p.origin.serial != csr.Serial(s) {
		if shape, ok := csr.ShapeOf(s); !ok || !p.origin.portable || p.origin.shape != shape || !p.silentIn(s) {
			return nil
		}
	}
	q := *p
	q.snap, q.parse, q.planning, q.derived = s, 0, 0, 0
	return &q
}

// silentIn reports whether p, which has no warnings, has none in s either. The kinds of values that warnings depend on are no part of a
// shape.
func (p *prepared) silentIn(s *csr.Snapshot) (silent bool) {
	kin := csr.Kin(s)
	if p.origin.silent.Load() == kin {
		return true
	}
	var err error
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

// Warning is a hint about a query that is no error, such as a label that does not occur in the graph.
type Warning struct {
	Message string
	Hint    string
	Line    int
	Column  int
}

// Plan is an operator of a query's plan, with the operators that feed it as children. Rows flow from the children up.
type Plan struct {
	Operator      string
	Detail        string
	EstimatedRows float64
	ActualRows    float64       // -1 if the query was not run
	Time          time.Duration // spent in this operator, without its children
	Notes         []string      // further lines: order, candidates, kernel and why
	Children      []*Plan
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
	for _, c := range n.Inputs() {
		p.Children = append(p.Children, newPlan(s, plan, c, stats))
	}
	for _, sub := range plan.SubPlans(n) {
		p.Children = append(p.Children, newPlan(s, plan, sub, stats))
	}
	return p
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

// candidates returns how many candidates all nodes of the patterns had together.
func candidates(stats *exec.Profile) (n uint64) {
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
		stages = append(stages, indexes(x.clock.before, x.snap.Derivations(), derived)...)
	}
	for i := range stages {
		stages[i].Share = float64(stages[i].Time) / float64(max(1, total))
	}
	return total, stages
}

// leastIndex is the least time for which an index gets a line of its own.
const leastIndex = 5 * time.Microsecond

// indexes divides the time that a query waited for indexes among those that were made since it began. Some may have been made
// for other queries at the same time: then every part shrinks.
func indexes(before, after []csr.Derivation, waited time.Duration) (stages []Stage) {
	sum, after := time.Duration(0), slices.Clone(after)
	for i := range after {
		if i < len(before) {
			after[i].Time -= before[i].Time // the list only grows
		}
		sum += after[i].Time
	}
	if sum <= 0 {
		return nil
	}
	scale := min(1, float64(waited)/float64(sum))
	for _, d := range after {
		if t := time.Duration(float64(d.Time) * scale); t >= leastIndex {
			stages = append(stages, Stage{Name: "index: " + d.Name, Time: t})
		}
	}
	return stages
}

// describeStages prints a line for the total and one for each stage.
func describeStages(total time.Duration, stages []Stage) string {
	var b strings.Builder
	all := 0.0
	for _, s := range stages {
		all += s.Share
	}
	fmt.Fprintf(&b, "total %v, of which the stages are %.1f %%", total.Round(time.Microsecond), 100*all)
	for _, s := range stages {
		fmt.Fprintf(&b, "\n  %-42s %12v  %5.1f %%", s.Name, s.Time.Round(time.Microsecond), 100*s.Share)
	}
	return b.String()
}
