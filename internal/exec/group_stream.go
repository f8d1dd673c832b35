package exec

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
	"github.com/motifql/motif/planner/match"
)

// groupStream passes groups on as they come, where a Match gives each of them once, with its number of matches. Then nobody looks groups up
// or holds them.
type groupStream struct {
	keys     []lateColumn
	distinct *distinctKeys
}

// newGroupStream returns the groupStream of an aggregate that only counts rows, by columns that need no computing; else nil.
func newGroupStream(x *execution, n *planner.Aggregate, exprs []lang.Expr, out *outlet) *groupStream {
	if !paysGroups(n) || len(exprs) == 0 || x.depth > 0 || x.inBranch || out.again || x.writes != nil || !takesBatches(out.next) ||
		slices.ContainsFunc(n.Aggs, func(a planner.Agg) bool { return a.Func != "count" || a.Arg != nil }) {
		return nil
	}
	s := &groupStream{keys: x.late(n.Keys), distinct: newDistinctKeys(x, exprs, n.Input)}
	if s.distinct == nil || slices.ContainsFunc(s.keys, func(l lateColumn) bool { return l.from < 0 || l.large }) {
		return nil
	}
	return s
}

// stream emits the groups that the batch is. done tells whether it is one.
func (g *aggregate) stream(n int) (done, more bool, err error) {
	s, x := g.streams, g.x
	if s == nil || g.groups > 0 || !s.distinct.hold() {
		return false, true, nil
	}
	keys := make([]Column, len(s.keys))
	for i := range s.keys {
		l := &s.keys[i]
		ok := false
		if keys[i], ok = l.of(x.columns[l.from]); !ok {
			return false, true, nil
		}
	}
	counts := make([]value.Value, n)
	for i := range counts {
		mult := multOf(x, i)
		if mult > math.MaxInt64 {
			return true, false, eval.Overflow("count(*)")
		}
		counts[i] = value.OfInt(int64(mult))
	}
	clear(x.columns)
	for i, slot := range g.keySlots {
		x.columns[slot] = keys[i]
	}
	for i := range g.aggs {
		x.columns[g.aggs[i].Slot] = Column{Kind: ValueColumn, Values: counts}
	}
	mults := x.mults
	x.mults, x.distinctRows = nil, false
	more, err = g.emitBatch(n)
	x.mults, x.distinctRows = mults, true
	return true, more, err
}

// planOnce finds the aggregates whose DISTINCT may say nothing.
func (g *aggregate) planOnce(n *planner.Aggregate) {
	if !paysGroups(n) || !slices.ContainsFunc(n.Aggs, func(a planner.Agg) bool { return a.Distinct }) {
		return
	}
	g.unlike, g.once = make([]*distinctKeys, len(n.Aggs)), make([]bool, len(n.Aggs))
	for i := range n.Aggs {
		if n.Aggs[i].Distinct && g.extras[i] == nil {
			exprs := []lang.Expr{n.Aggs[i].Arg}
			for _, k := range n.Keys {
				exprs = append(exprs, k.Expr)
			}
			g.unlike[i] = newDistinctKeys(g.x, exprs, n.Input)
		}
	}
}

// chooseOnce lets aggregates forget their DISTINCT if no two rows of a group have the same value. All batches of a Match are alike in that.
func (g *aggregate) chooseOnce() (err error) {
	if g.begun {
		if !g.x.distinctRows && slices.Contains(g.once, true) {
			return eval.Errorf(eval.CodeInternal, "a pattern gave rows that differ, and others")
		}
		return nil
	}
	g.begun = true
	for i, keys := range g.unlike {
		if !keys.hold() {
			continue
		}
		if err := g.forgetDistinct(i); err != nil {
			return err
		}
	}
	return nil
}

// forgetDistinct makes aggregate i, which has no values yet, one without DISTINCT.
func (g *aggregate) forgetDistinct(i int) (err error) {
	plain := g.aggs[i]
	plain.Distinct = false
	if g.of[i], err = eval.NewGroupedAggregator(&plain, g.x.s, g.account); err != nil {
		return err
	}
	for range g.groups {
		if err := g.of[i].AddGroup(); err != nil {
			return err
		}
	}
	g.once[i] = true
	return nil
}

// agreeOnce lets two lanes have the same aggregates if one of them had no batch, and so has no values.
func (g *aggregate) agreeOnce(lane *aggregate) error {
	from, to := g, lane
	if lane.begun {
		from, to = lane, g
	}
	for i, once := range from.once {
		if once && !to.once[i] {
			if err := to.forgetDistinct(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// countDistinct turns count(DISTINCT b.id) into count(*) where that is the same: the keys tell apart all nodes of the pattern but b, each b
// has another id, and the pattern has no two matches with the same nodes. Then nobody reads b.
func countDistinct(x *execution, n *planner.Aggregate) []planner.Agg {
	m, ok := n.Input.(*planner.Match)
	if !ok || !paysGroups(n) || m.Input != nil || m.Optional || !m.Grouped && !m.Once || x.depth > 0 || x.inBranch || x.writes != nil || x.plan.Brute || !x.pattern.Uses(pattern.PairSums) {
		return n.Aggs
	}
	exprs := make([]lang.Expr, len(n.Keys))
	for i := range n.Keys {
		exprs[i] = n.Keys[i].Expr
	}
	keys := newDistinctKeys(x, exprs, m)
	free := -1
	for u, slot := range m.VertexSlot {
		if slot >= 0 && keys.differs(slot) {
			continue
		}
		if free >= 0 || slot < 0 {
			return n.Aggs
		}
		free = u
	}
	if free < 0 || slices.ContainsFunc(exprs, func(e lang.Expr) bool { return readsSlot(x, e, m.VertexSlot[free]) }) {
		return n.Aggs
	}
	aggs := slices.Clone(n.Aggs)
	for i := range aggs {
		a := &aggs[i]
		switch {
		case a.Arg == nil && a.Func == "count":
		case a.Distinct && a.Func == "count" && nodeOf(x, a.Arg) == m.VertexSlot[free] && keys.tells(free, a.Arg):
			a.Arg, a.Distinct = nil, false
		default:
			return n.Aggs
		}
	}
	if !match.SingleWay(m.Pattern, x.s) {
		return n.Aggs
	}
	x.counted = append(x.counted, m)
	return aggs
}

// readsSlot reports whether e reads a slot.
func readsSlot(x *execution, e lang.Expr, slot int) (found bool) {
	lang.Walk(e, func(e lang.Expr) bool {
		v, ok := e.(*lang.Var)
		found = found || ok && v.Name == x.plan.Slots[slot].Name || x.plan.Subs[e] != nil
		return !found
	})
	return found
}

// paysGroups reports whether an aggregate expects so many rows that it pays to look what they have in common. A small query starts without.
func paysGroups(n *planner.Aggregate) bool {
	return n.Input != nil && n.Input.Estimate() >= min(1e3, minKeyRows)
}

// countsOnce reports whether each row counts once for aggregate i.
func (g *aggregate) countsOnce(i int) bool { return len(g.once) > 0 && g.once[i] }
