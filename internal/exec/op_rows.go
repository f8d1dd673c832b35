package exec

import (
	"slices"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Operators that hold no rows, and Distinct, which holds keys.

// filter keeps the rows for which its condition is true.
type filter struct {
	*outlet
	cond eval.Func
	expr lang.Expr
	rows []int // of a batch that pass
}

func (f *filter) push(mult uint64) (bool, error) {
	v, err := f.cond(&f.x.input)
	if err != nil {
		return false, err
	}
	ok, err := eval.Holds(v, f.expr)
	if err != nil || !ok {
		return err == nil, err
	}
	return f.emit(mult)
}

// project computes expressions into slots.
type project struct {
	*outlet
	fns   []eval.Func
	slots []int
	late  []lateColumn // by item, for batches
	nodes *vertexKeys  // DISTINCT stands above, and equal rows end here; or nil
	known uint32       // how many rows nodes has numbered, in batches
	fresh []int        // of a batch
	keys  *distinctKeys
}

// newProject builds a project. Under a DISTINCT, it drops equal rows before it computes anything, if they come from nodes.
func newProject(x *execution, n *planner.Project, out *outlet) (*project, error) {
	fns, slots, err := x.items(n.Items)
	p := &project{outlet: out, fns: fns, slots: slots, late: x.late(n.Items)}
	d, ok := out.next.(*distinct)
	if err != nil || !ok {
		return p, err
	}
	var exprs []lang.Expr
	var keys []eval.Func
	for _, slot := range d.slots {
		if i := slices.Index(slots, slot); i >= 0 {
			exprs, keys = append(exprs, n.Items[i].Expr), append(keys, fns[i])
		} else {
			exprs, keys = append(exprs, &lang.Var{Name: x.plan.Slots[slot].Name}), append(keys, slotFunc(slot))
		}
	}
	p.nodes, err = newVertexKeys(x, exprs, keys, n.Input, d.account)
	d.passes = p.nodes != nil
	if d.passes {
		p.keys = newDistinctKeys(x, exprs, n.Input)
	}
	return p, err
}

// newDistinct builds a distinct.
func newDistinct(x *execution, n *planner.Distinct, out *outlet) (*distinct, error) {
	x.use(n.Slots)
	d := &distinct{outlet: out, slots: n.Slots}
	x.newAccount("DISTINCT", out)
	var exprs []lang.Expr
	var keys []eval.Func
	for _, slot := range n.Slots {
		exprs, keys = append(exprs, &lang.Var{Name: x.plan.Slots[slot].Name}), append(keys, slotFunc(slot))
	}
	d.any = newValueKeys(x, exprs, keys, out.account)
	d.byKey = d.any
	if _, ok := n.Input.(*planner.Project); ok {
		return d, nil // see newProject
	}
	nodes, err := newVertexKeys(x, exprs, keys, n.Input, out.account)
	if nodes != nil {
		d.byKey = nodes
	}
	return d, err
}

// slotFunc returns a function that reads a slot.
func slotFunc(slot int) eval.Func {
	return func(in *eval.Input) (value.Value, error) { return in.Row[slot], nil }
}

func (p *project) push(mult uint64) (bool, error) {
	if p.nodes != nil {
		if _, fresh, err := p.nodes.number(); err != nil || !fresh {
			return err == nil, err
		}
		p.known++
	}
	for i, fn := range p.fns {
		v, err := fn(&p.x.input)
		if err != nil {
			return false, err
		}
		p.x.row[p.slots[i]] = v
	}
	return p.emit(mult)
}

// distinct passes on the first of equivalent rows.
type distinct struct {
	*outlet
	slots  []int
	byKey  rowKeys
	any    *valueKeys // what byKey is after a reset
	known  uint32     // how many rows byKey has numbered, in batches
	fresh  []int      // of a batch
	passes bool       // rows are distinct already
}

func (d *distinct) push(uint64) (bool, error) {
	if d.passes {
		return d.emit(1)
	}
	_, fresh, err := d.byKey.number()
	if err != nil || !fresh {
		return err == nil, err
	}
	d.known++
	d.account.Rows++
	return d.emit(1)
}

func (d *distinct) takesBatches() bool { return takesBatches(d.next) }

func (d *distinct) pushBatch(n int) (bool, error) {
	if d.passes {
		return d.emitBatch(n)
	}
	ids, failed := d.byKey.numberBatch(n)
	d.fresh = freshRows(d.fresh[:0], ids, d.known)
	d.known += uint32(len(d.fresh))
	d.account.Rows += uint64(len(d.fresh))
	if len(d.fresh) < n {
		chooseRows(d.x, d.fresh)
	}
	d.x.mults = nil
	if more, err := d.emitBatch(len(d.fresh)); err != nil || !more {
		return more, err
	}
	return failed == nil, failed
}

func (d *distinct) reset() {
	d.any.reset()
	d.byKey, d.known = d.any, 0
	d.account.Rows = 0
	d.account.Release()
}

// skip drops the first rows.
type skip struct {
	*outlet
	left, n uint64
}

func (s *skip) reset() { s.left = s.n }

func (s *skip) push(mult uint64) (bool, error) {
	n := min(s.left, mult)
	s.left -= n
	if mult -= n; mult == 0 {
		return true, nil
	}
	return s.emit(mult)
}

// limit passes on the first rows and then wants no more.
type limit struct {
	*outlet
	left, n uint64
}

func (l *limit) reset() { l.left = l.n }

func (l *limit) push(mult uint64) (bool, error) {
	n := min(l.left, mult)
	if l.left -= n; n == 0 {
		return false, nil
	}
	more, err := l.emit(n)
	return more && l.left > 0, err
}
