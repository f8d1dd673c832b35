package exec

import (
	"maps"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// apply runs a chain for each row.
type apply struct {
	*outlet
	kind   planner.ApplyKind
	slots  []int // set to null where the chain gives no row
	chain  *chain
	mult   uint64 // of the row that the chain runs for
	writes bool
	found  bool
	more   bool
}

func (x *execution) newApply(n *planner.Apply, out *outlet) (stage, error) {
	if n.Batch != nil && x.writes != nil {
		return newBatchedApply(x, n, out)
	}
	a := &apply{outlet: out, kind: n.Kind, writes: n.Writes}
	for _, slot := range n.Slots {
		if x.compiler.Live[slot] {
			a.slots = append(a.slots, slot)
		}
	}
	var err error
	a.chain, err = x.innerChain(n.Inner, &port{a.give}, n.Slots)
	out.inner = []*chain{a.chain}
	if x.writes != nil && err == nil {
		k := x.point(n)
		a.chain.find = func(p *planner.Plan) planner.Node { return p.Points()[k].(*planner.Apply).Inner }
	}
	return a, err
}

// give takes a row of the chain.
func (a *apply) give(mult uint64) (more bool, err error) {
	a.found = true
	if a.kind == planner.ApplyUnit {
		return true, nil
	}
	n, err := times(a.mult, mult)
	if err != nil {
		return false, err
	}
	outer := a.mult
	a.more, err = a.emit(n)
	a.mult = outer
	return a.more, err
}

func (a *apply) push(mult uint64) (bool, error) {
	times := uint64(1) // a row that occurs twice writes twice
	if a.writes {
		mult, times = 1, mult
	}
	for ; times > 0; times-- {
		if more, err := a.runFor(mult); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func (a *apply) runFor(mult uint64) (bool, error) {
	a.mult, a.found, a.more = mult, false, true
	if err := a.chain.refresh(); err != nil {
		return false, err
	}
	if err := a.chain.run(); err != nil {
		return false, err
	}
	switch {
	case a.kind == planner.ApplyUnit:
		return a.emit(mult)
	case a.kind == planner.ApplyOptional && !a.found:
		for _, slot := range a.slots {
			a.x.row[slot] = value.Value{}
		}
		return a.emit(mult)
	}
	return a.more, nil
}

// union gives each row to its chains, one after the other.
type union struct {
	*outlet
	plan  *planner.Union
	parts []*chain
	more  bool
	rows  *partRows // of EXCEPT, INTERSECT and OTHERWISE
}

func (x *execution) newUnion(n *planner.Union, out *outlet) (stage, error) {
	u := &union{outlet: out, plan: n}
	if n.Op != lang.UnionOp {
		x.use(n.Slots)
		u.rows = &partRows{account: x.newAccount(n.Op.String(), out)}
	}
	above, branched := x.compiler.Live, x.inBranch
	reads := map[int]bool{}
	x.inBranch = true
	for i, part := range n.Parts {
		x.compiler.Live = maps.Clone(above)
		c, err := x.newChain(part, &port{u.give})
		if err != nil {
			return nil, err
		}
		maps.Copy(reads, x.compiler.Live)
		if n.Writes {
			k := x.point(n)
			c.find = func(p *planner.Plan) planner.Node { return p.Points()[k].(*planner.Union).Parts[i] }
		}
		u.parts = append(u.parts, c)
	}
	x.compiler.Live, x.inBranch, out.inner = reads, branched, u.parts
	return u, nil
}

func (u *union) give(mult uint64) (more bool, err error) {
	if u.rows != nil {
		if mult, err = u.kept(mult); err != nil || mult == 0 {
			return err == nil, err
		}
	}
	u.more, err = u.emit(mult)
	return u.more, err
}

func (u *union) push(mult uint64) (bool, error) {
	if u.rows != nil {
		return u.combine(mult)
	}
	u.more = true
	for _, part := range u.parts {
		if !u.more {
			break
		}
		if err := part.runTimes(mult); err != nil {
			return false, err
		}
	}
	return u.more, nil
}
