package exec

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/planner/match"
)

// Divisions. A plan can be divided if its lowest operator is one Match that starts from nothing. Its matches are divided by the numbers of
// vertices (pattern.Scheme). What stands above goes along as far as it takes rows one by one. So a unit of work runs the plan up to the
// first operator that needs all rows, and makes a Part. Parts meet in Merge (part.go), and Finish runs what is above.
//
// Rows pass through an Aggregate in a unit if its states can be merged: then the part has groups and no rows. DISTINCT, LIMIT and the first
// rows of an ORDER BY are taken in each unit, and again where the parts meet.

// Division is a plan that can be divided, for one snapshot and some parameters. It is safe for concurrent use.
type Division struct {
	ctx    context.Context
	plan   *planner.Plan
	s      *csr.Snapshot
	device pattern.Device
	env    pattern.Env
	params map[string]value.Value
	now    time.Time // in all units

	Scheme  *pattern.Scheme
	leaf    *planner.Match
	lower   planner.Node       // the highest operator that units run; nil: the leaf alone, which counts
	upper   planner.Node       // the lowest one that runs where parts meet; nil: none
	groups  *planner.Aggregate // what units run up to, if their states are merged
	ordered bool               // the parts of groups are merged in the order of their units
	sealed  *planner.Aggregate // what units run to its end, since no two of them have rows of one group

	mu     sync.Mutex
	idle   []*unitRunner
	common pattern.Common
	making chan struct{} // holds one while a runner prepares what all of them need
}

// NotDivisible says why a plan cannot be divided.
type NotDivisible struct {
	Node   planner.Node // nil: no single operator is the reason
	Reason string
}

func (e *NotDivisible) Error() string { return e.Reason }

// Divide finds out how to divide plan. scheme is nil, or what an earlier call has found for the same plan, snapshot and parameters. The error
// is a *NotDivisible if there is no way. Prepare is to follow.
func Divide(ctx context.Context, plan *planner.Plan, s *csr.Snapshot, d pattern.Device, env *pattern.Env, params map[string]value.Value, now time.Time,
	scheme *pattern.Scheme) (*Division, error) {
	v := &Division{ctx: context.WithoutCancel(ctx), plan: plan, s: s, device: d, env: *env, params: params, now: now, Scheme: scheme, making: make(chan struct{}, 1)}
	v.common.Workers, v.env.Workers, v.env.Tally = env.Workers, 1, nil // a unit has one worker
	if err := v.cut(); err != nil {
		return nil, err
	}
	if scheme != nil {
		if !v.suits(scheme) {
			return nil, ErrOtherPlan
		}
		return v, v.seal()
	}
	r, err := v.newRunner()
	if err != nil {
		return nil, err
	}
	defer r.end()
	defer context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })()
	if v.Scheme, err = r.decide(); err != nil {
		return nil, explain(err)
	}
	v.Scheme.Told = v.told()
	if err := v.seal(); err != nil {
		return v, err
	}
	switch v.Scheme.Route {
	case pattern.RouteFormula, pattern.RouteRoots, pattern.RouteGroups:
		return v, v.tryFormulas(ctx)
	}
	return v, nil
}

// tryFormulas prepares units of a new scheme that counts by formulas. Units have candidate sets that the graph alone decides, and may not find the same
// formulas in them, nor the memory or the numbers for these. Then the division is made without.
func (v *Division) tryFormulas(ctx context.Context) error {
	err := v.Prepare(ctx, true)
	if err == nil && len(v.idle) > 0 {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	v.Scheme, v.lower, v.upper, v.groups, v.ordered, v.sealed = nil, nil, nil, nil, false, nil
	if err := v.cut(); err != nil {
		return err
	}
	r, err := v.newRunner()
	if err != nil {
		return err
	}
	defer r.end()
	defer context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })()
	r.leaf.env.Without = r.leaf.env.Without.With(pattern.GroupSums).With(pattern.Separators)
	if v.Scheme, err = r.decide(); err != nil {
		return explain(err)
	}
	v.Scheme.Told = v.told()
	return v.seal()
}

// suits reports whether the plan may have a scheme that came from elsewhere.
func (v *Division) suits(sc *pattern.Scheme) bool {
	vertices := len(v.leaf.Pattern.Vertices)
	if slices.ContainsFunc(sc.Order, func(u int) bool { return u < 0 || u >= vertices }) || sc.Told < 0 || sc.Told > len(sc.Order) {
		return false
	}
	switch sc.Route {
	case pattern.RouteSearch:
		return len(sc.Order) > 0
	case pattern.RouteCliques:
		return v.leaf.Clique != nil
	case pattern.RouteFormula:
		return v.leaf.Count
	case pattern.RouteGroups:
		return !v.leaf.Count
	case pattern.RouteRoots, pattern.RoutePairs:
		return !v.leaf.Count && sc.Divided >= 0 && sc.Divided < vertices
	}
	return false
}

// cut finds the operators where the plan is cut.
func (v *Division) cut() error {
	var nodes []planner.Node // from the root to the leaf
	for n := v.plan.Root; n != nil; n = below(n) {
		nodes = append(nodes, n)
	}
	if err := v.allowed(nodes); err != nil {
		return err
	}
	last := len(nodes) - 1
	v.leaf = nodes[last].(*planner.Match)
	if v.leaf.Count {
		if last > 0 {
			v.upper = nodes[last-1]
		}
		return nil
	}
	return v.place(nodes[:last])
}

// place cuts the plan below the lowest of some operators, from the root down, that needs all rows.
func (v *Division) place(nodes []planner.Node) error {
	at := len(nodes) - 1
	for ; at >= 0 && byRow(nodes[at]); at-- {
		if calls(nodes[at]) {
			return &NotDivisible{nodes[at], "a procedure may answer otherwise when it is called for a part of the rows"}
		}
	}
	v.lower, v.upper = v.leaf, nil
	if at+1 < len(nodes) {
		v.lower = nodes[at+1]
	} else if v.sealed != nil {
		v.lower = v.sealed
	}
	if at < 0 {
		return nil
	}
	v.upper = nodes[at]
	switch n := v.upper.(type) {
	case *planner.Aggregate:
		v.groups, v.lower = n, n
		v.ordered = slices.ContainsFunc(n.Aggs, func(a planner.Agg) bool { return eval.InOrder(&a) })
	case *planner.Distinct:
		v.lower = n
		if at > 0 && endsEarly(nodes[at-1]) {
			v.lower = nodes[at-1] // the first rows of all are among the first ones of their units
		}
	case *planner.Limit:
		v.lower = n
	case *planner.Sort:
		if n.Top != nil {
			v.lower = n
		}
	}
	return nil
}

// endsEarly reports whether only so many rows leave an operator.
func endsEarly(n planner.Node) bool {
	switch n := n.(type) {
	case *planner.Limit:
		return true
	case *planner.Sort:
		return n.Top != nil
	}
	return false
}

// seal moves the cut above the Aggregate where no two units have rows of one group, so that each unit finishes its groups. When matches are
// counted by one vertex or two, a unit has all rows of its first vertices, and the keys may tell
// these apart. So they may for a search, see Scheme.Told.
func (v *Division) seal() error {
	if v.Scheme.Route == pattern.RouteGroups {
		v.cutAtGroups()
		return nil
	}
	n, ok := v.upper.(*planner.Aggregate)
	if !ok || len(n.Keys) == 0 { // without keys there is a group even in a unit without rows
		return nil
	}
	switch v.Scheme.Route {
	case pattern.RoutePairs, pattern.RouteRoots:
		if !v.tell(v.Scheme.Divided) {
			return nil
		}
	default:
		if v.Scheme.Told == 0 {
			return nil
		}
	}
	var above []planner.Node
	for node := v.plan.Root; node != planner.Node(n); node = below(node) {
		above = append(above, node)
	}
	if slices.ContainsFunc(above, calls) {
		return nil
	}
	v.sealed, v.groups = n, nil
	return v.place(above)
}

// cutAtGroups moves the cut down to the Match. Units count its groups, which become rows where parts meet.
func (v *Division) cutAtGroups() {
	v.lower, v.groups, v.ordered, v.upper = nil, nil, false, v.plan.Root
	for below(v.upper) != planner.Node(v.leaf) {
		v.upper = below(v.upper)
	}
}

// tell reports whether the lowest Aggregate has rows of different nodes of each of some query vertices in different groups.
func (v *Division) tell(vertices ...int) bool {
	x := v.newExecution(v.ctx)
	defer release(x)
	return !slices.ContainsFunc(vertices, func(u int) bool { return !v.tellsApart(x, u) })
}

// told returns how many vertices of the order of a search the groups tell apart, if these are all but the last one, which the search counts. Its
// vertices are so few for each group that no unit need end among them. Other searches, and DISTINCT SUBGRAPHS, may give matches that
// lie outside of their box: those with equal vertices exchanged, and representatives.
func (v *Division) told() int {
	sc, last := v.Scheme, len(v.Scheme.Order)-1
	if sc.Route != pattern.RouteSearch || last < 1 || sc.ReadPrefix != last || sc.DistinctPrefix > 0 ||
		slices.ContainsFunc(v.leaf.Pattern.Scopes, func(s pattern.Scope) bool { return s.Distinct }) || !v.tell(sc.Order[:last]...) {
		return 0
	}
	return last
}

// tellsApart reports whether the lowest Aggregate of the plan has rows of different nodes of query vertex u in different groups.
func (v *Division) tellsApart(x *execution, u int) bool {
	n, ok := v.upper.(*planner.Aggregate)
	if !ok {
		return false
	}
	exprs := make([]lang.Expr, len(n.Keys))
	for i := range n.Keys {
		exprs[i] = n.Keys[i].Expr
	}
	keys, slot := newDistinctKeys(x, exprs, n.Input), v.leaf.VertexSlot[u]
	return keys != nil && slot >= 0 && keys.differs(slot)
}

// allowed tests the operators of a plan, from the root to the leaf.
func (v *Division) allowed(nodes []planner.Node) error {
	if v.plan.Again != nil {
		return &NotDivisible{nil, "the statement writes"}
	}
	if v.plan.Brute {
		return &NotDivisible{nil, "brute force has no units"}
	}
	if len(nodes) == 0 {
		return &NotDivisible{nil, "the query matches nothing"}
	}
	leaf := nodes[len(nodes)-1]
	if u, ok := leaf.(*planner.Union); ok {
		return &NotDivisible{leaf, fmt.Sprintf("the parts of %v are queries of their own: divide each of them", u.Op)}
	}
	m, ok := leaf.(*planner.Match)
	switch {
	case !ok:
		op, _ := leaf.Describe()
		return &NotDivisible{leaf, fmt.Sprintf("the plan begins with %s, and only the matches of a pattern of fixed length can be divided", op)}
	case m.Optional:
		return &NotDivisible{leaf, "an OPTIONAL MATCH comes first: only all units together know whether there is no match"}
	case len(m.Pattern.Vertices) == 0:
		return &NotDivisible{leaf, "the pattern has no nodes"}
	}
	for _, n := range nodes {
		if a, ok := n.(*planner.Apply); ok && a.Writes {
			return &NotDivisible{n, "the statement writes"}
		}
	}
	return nil
}

// byRow reports whether an operator takes its rows one by one and keeps nothing of them.
func byRow(n planner.Node) bool {
	switch n.(type) {
	case *planner.Match, *planner.Paths, *planner.Different, *planner.Apply, *planner.Unwind, *planner.Filter, *planner.Project, *planner.Call:
		return true
	}
	return false
}

// newExecution returns an execution of the plan, with its own memory account of the limit.
func (v *Division) newExecution(ctx context.Context) *execution {
	env := v.env
	if env.Memory != nil {
		env.Memory = &pattern.Memory{Limit: env.Memory.Limit}
	}
	x := newExecution(ctx, v.plan, v.s, v.device, &env, v.params)
	x.division, x.compiler.Now = v, v.now
	return x
}

// aboveLive returns the slots that must be set below the operators that run where parts meet; withGroups: above the Aggregate.
func (v *Division) aboveLive(x *execution, last stage) (*chain, error) {
	clear(x.compiler.Live)
	for _, slot := range v.plan.Out {
		x.compiler.Live[slot] = true
	}
	if v.upper == nil {
		return x.makeChain(nil, last, nil)
	}
	return x.makeChain(v.plan.Root, last, below(v.upper))
}

// schemeOf returns how the matches of m are divided; nil if they are not.
func schemeOf(m *matchStage) *pattern.Scheme {
	if v := m.x.division; v != nil && v.leaf == m.plan {
		return v.Scheme
	}
	return nil
}

// filterEnv is the environment of the filter. All shares of a formula must have the same candidate sets, and how deep the filter goes
// depends on what the process has done before. So it only runs tiers that do not depend on that, all of them.
func filterEnv(m *matchStage) *pattern.Env {
	if v := m.x.division; v != nil && v.leaf == m.plan && m.plan.Clique != nil && anyClique(m) {
		env := m.env
		env.Filter = pattern.FilterLabel // the kernel runs on the whole graph
		return &env
	}
	sc := schemeOf(m)
	if sc == nil || sc.Route == pattern.RouteSearch || sc.Route == pattern.RouteCliques {
		return &m.env
	}
	env := m.env
	env.Filter, env.Repeatable = pattern.FilterAuto, true
	return &env
}

// orderFor returns the matching order of the job: that of the scheme, if there is one.
func orderFor(m *matchStage, q *match.Question, simpler *simplePattern) match.Answer {
	sc := schemeOf(m)
	switch {
	case sc != nil && len(sc.Order) > 0:
		return match.Answer{Order: match.FixedOrder(q, sc.Order, sc.Free), DistinctPrefix: sc.DistinctPrefix, ReadPrefix: sc.ReadPrefix}
	case simpler != nil:
		q.Selectivity = simpler.selectivity
		return match.OrderFor(match.Filtered, q) // the memo is for the plan's pattern
	}
	return m.plan.Orders.OrderFor(q)
}
