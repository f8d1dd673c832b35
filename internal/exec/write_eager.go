package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// eager holds its rows until no more come.
type eager struct {
	*outlet
	plan   *planner.Eager
	point  int    // its position among the plan's points, if it makes a snapshot
	chain  *chain // the chain it belongs to
	slots  []int  // the slots live above
	rows   []value.Value
	mults  []uint64
	cursor int           // the number of rows emitted
	kept   bool          // somebody may want rows back as they are
	above  *csr.Snapshot // the snapshot of the stages above
}

func (x *execution) newEager(n *planner.Eager, out *outlet) *eager {
	e := &eager{outlet: out, plan: n, above: x.s}
	if n.Advance {
		e.point = x.point(n)
	}
	for slot := range x.row {
		if x.compiler.Live[slot] {
			e.slots = append(e.slots, slot)
		}
	}
	x.newAccount("the step before a write", out)
	return e
}

func (e *eager) push(mult uint64) (bool, error) {
	if len(e.mults) == 0 {
		e.cursor = 0
		e.x.writes.hold(e)
	}
	bytes, err := int64(0), error(nil)
	for _, slot := range e.slots {
		v := e.x.row[slot]
		if e.rows, err = eval.Append(e.account, e.rows, v); err != nil {
			return false, err
		}
		bytes += v.Bytes() - 24
	}
	if e.mults, err = eval.Append(e.account, e.mults, mult); err != nil {
		return false, err
	}
	e.account.Rows++
	return true, e.account.Charge(bytes)
}

func (e *eager) flush() (more bool, err error) {
	if e.plan.Advance {
		if err := e.x.writes.advance(); err != nil {
			return false, err
		}
		if err := e.chain.renew(e); err != nil {
			return false, err
		}
	}
	n := len(e.slots)
	for e.cursor = 0; e.cursor < len(e.mults); e.cursor++ {
		for j, slot := range e.slots {
			e.x.row[slot] = e.rows[e.cursor*n+j]
		}
		if more, err := e.emitSampled(e.mults[e.cursor]); err != nil {
			return false, err
		} else if !more {
			break
		}
	}
	e.rows, e.mults = nil, nil
	e.x.writes.release(e)
	e.account.Release()
	e.account.Rows = 0
	return e.outlet.flush()
}

// renumber passes the rows not emitted yet through f.
func (e *eager) renumber(f func(value.Value) value.Value) (err error) {
	if e.kept {
		if err = e.account.Charge(24 * int64(len(e.rows))); err != nil {
			return err
		}
		e.rows, e.kept = slices.Clone(e.rows), false
	}
	for i := e.cursor * len(e.slots); i < len(e.rows); i++ {
		e.rows[i] = f(e.rows[i])
	}
	return nil
}

func (e *eager) keep() (end func(undo bool)) {
	rows := e.rows
	e.kept = true
	return func(undo bool) {
		if !e.kept {
			_ = e.account.Charge(-24 * int64(len(rows))) // giving back does not fail
		}
		if e.kept = false; undo {
			e.rows = rows
		}
	}
}

func (w *writing) hold(h rowKeeper) {
	w.holders = append(w.holders, h)
}

func (w *writing) release(h rowKeeper) {
	if i := slices.Index(w.holders, h); i >= 0 {
		w.holders = slices.Delete(w.holders, i, i+1)
	}
}

// point returns the position of a node among the plan's points.
func (x *execution) point(n planner.Node) int { return slices.Index(x.plan.Points(), n) }

// replan plans the statement for the current snapshot, unless the plan is for that one.
func (x *execution) replan() error {
	if x.plan.Again == nil || x.planSnapshot == x.s {
		return nil
	}
	plan, err := x.plan.Again(x.ctx, x.s)
	if err != nil {
		return err
	}
	if !slices.Equal(plan.Slots, x.plan.Slots) || len(plan.Points()) != len(x.plan.Points()) {
		return &eval.Error{Code: eval.CodeInternal, Msg: "after a write the plan is another"}
	}
	before, after := allNodes(x.plan.Root), allNodes(plan.Root)
	if len(before) == len(after) {
		now := make(map[planner.Node]planner.Node, len(before))
		for i := range before {
			now[before[i]] = after[i]
		}
		x.main.each(func(o *outlet) {
			if n := now[o.node]; n != nil {
				o.node = n
			}
		})
	}
	x.plan, x.planSnapshot = plan, x.s
	x.compiler.Snapshot = x.s
	return nil
}

func allNodes(n planner.Node) (list []planner.Node) {
	if n == nil {
		return nil
	}
	list = append(list, n)
	for _, in := range n.Inputs() {
		list = append(list, allNodes(in)...)
	}
	return list
}

// renew rebuilds the stages of a chain above one of its Eagers, or all of them if from is nil. Stages that stand on the
// current snapshot stay.
func (c *chain) renew(from *eager) error {
	x := c.x
	if from == nil && c.snap == x.s || from != nil && from.above == x.s {
		return nil
	}
	if err := x.replan(); err != nil {
		return err
	}
	var bottom planner.Node
	lower := []*outlet(nil)
	if from != nil {
		e := x.plan.Points()[from.point].(*planner.Eager)
		from.plan, bottom = e, e
		lower = c.outlets[:slices.Index(c.outlets, from.outlet)+1]
	}
	used, depth := x.compiler.Live, x.depth
	x.compiler.Live, x.depth = make(map[int]bool), c.depth
	for slot := range c.liveAbove {
		x.compiler.Live[slot] = true
	}
	fresh, err := x.makeChain(c.find(x.plan), c.last, bottom)
	x.compiler.Live, x.depth = used, depth
	if err != nil {
		return err
	}
	for _, o := range fresh.outlets {
		o.again = c.depth > 0
	}
	c.states = slices.DeleteFunc(c.states, func(s stateful) bool { return !slices.Contains(lower, s.out) })
	c.states = append(c.states, fresh.states...)
	c.outlets = append(slices.Clip(lower), fresh.outlets...)
	for _, st := range fresh.eagers {
		st.chain = c
	}
	if from == nil {
		c.entry, c.snap = fresh.entry, x.s
	} else {
		from.next, from.above = fresh.entry, x.s
	}
	return nil
}

// refresh prepares the chain of a writing statement for another run.
func (c *chain) refresh() error {
	w := c.x.writes
	if w == nil || c.find == nil {
		return nil
	}
	if w.mark != len(w.draft.Changes()) && slices.ContainsFunc(allNodes(c.node), reads) {
		if err := w.advance(); err != nil {
			return err
		}
	}
	return c.renew(nil)
}

// reads reports whether an operator reads a snapshot.
func reads(n planner.Node) bool {
	switch n.(type) {
	case *planner.Create, *planner.Merge, *planner.Set, *planner.Delete, *planner.Foreach, *planner.Eager, *planner.Discard, *planner.LoadCSV:
		return false
	}
	return true
}

// discard takes the rows of a query that returns nothing.
type discard struct{}

func (discard) push(uint64) (bool, error) { return true, nil }
func (discard) flush() (bool, error)      { return true, nil }
