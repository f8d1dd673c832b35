package exec

import (
	"maps"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// chain is operators at work, one above the other.
type chain struct {
	x       *execution
	node    planner.Node // whose rows it gives; of an expression's, the sub-plan
	entry   stage
	outlets []*outlet // of the operators, from the lowest up
	states  []stateful
	skipped bool // a LIMIT 0 makes everything below it needless: entry is it, and gets no row
	runs    uint64
	spent   time.Duration // by run

	// What it takes to make the stages anew, see renew.
	snap   *csr.Snapshot // that they stand on
	last   stage
	needed map[int]bool // the slots that are read above
	depth  int
	find   func(*planner.Plan) planner.Node // its node in a plan; nil: it is never made anew
	eagers []*eager
}

// stateful is a stage that has to be reset, and its outlet.
type stateful struct {
	out   *outlet
	stage resetter
}

// resetter is a stage that must be told when its chain is run anew.
type resetter interface{ reset() }

// newChain makes the stages from node, which gives its rows to last, down to the leaf. On entry compiler.used holds
// the slots that are read above, on return those that must be set before it is run.
func (x *execution) newChain(node planner.Node, last stage) (*chain, error) {
	return x.makeChain(node, last, nil)
}

// makeChain is newChain down to bottom, which is left out; with nil it goes to the leaf.
func (x *execution) makeChain(node planner.Node, last stage, bottom planner.Node) (*chain, error) {
	c := &chain{x: x, node: node, entry: last, last: last, snap: x.s, depth: x.depth}
	if x.writes != nil {
		c.needed = maps.Clone(x.compiler.used)
	}
	host := x.host
	defer func() { x.host = host }()
	for node != nil && node != bottom {
		out := &outlet{x: x, node: node, next: c.entry, again: x.depth > 0}
		x.host = out
		st, err := x.stage(node, out)
		if err != nil {
			return c, err
		}
		if !c.skipped { // else it is built for its errors only
			c.entry = st
			c.outlets = append([]*outlet{out}, c.outlets...)
			if r, ok := st.(resetter); ok {
				c.states = append(c.states, stateful{out, r})
			}
			if e, ok := st.(*eager); ok {
				e.chain, c.eagers = c, append(c.eagers, e)
			}
			l, ok := st.(*limit)
			c.skipped = ok && l.left == 0 && x.writes == nil
		}
		node = below(node)
	}
	return c, nil
}

// below is the operator that node's rows come from, nil for a leaf.
func below(node planner.Node) planner.Node {
	switch n := node.(type) {
	case *planner.Union:
		return nil
	case *planner.Apply:
		return n.Input
	}
	if inputs := node.Inputs(); len(inputs) > 0 {
		return inputs[0]
	}
	return nil
}

// drive gives the current row to the chain, mult times, and tells that there is no other.
func (c *chain) drive(mult uint64) (more bool, err error) {
	if !c.skipped {
		if _, err := c.entry.push(mult); err != nil {
			return false, err
		}
	}
	return c.entry.flush()
}

// run is drive for a chain that is run for many rows. Like emit, it does not take the time of all of them.
func (c *chain) run() error {
	x, outer := c.x, c.x.weight
	switch {
	case c.runs < stride:
		x.weight = 1
	case c.runs%stride == 0:
		x.weight = stride
		if err := x.ctx.Err(); err != nil {
			return err
		}
	default:
		x.weight = 0
	}
	if c.runs > 0 {
		for _, s := range c.states {
			s.stage.reset()
		}
	}
	c.runs++
	w := x.weight
	var start time.Time
	if w > 0 {
		start = time.Now()
	}
	_, err := c.drive(1)
	if w > 0 {
		c.spent += time.Duration(w) * time.Since(start)
	}
	x.weight = outer
	return err
}

// innerChain makes a chain that is run for rows of the stage that is being made. What is read above it stays so, but for the
// slots that it sets.
func (x *execution) innerChain(node planner.Node, last stage, sets []int) (*chain, error) {
	above := maps.Clone(x.compiler.used)
	for _, slot := range sets {
		delete(above, slot)
	}
	x.depth++
	c, err := x.newChain(node, last)
	x.depth--
	maps.Copy(x.compiler.used, above)
	return c, err
}

// port ends a chain whose rows go on in the stage that runs it.
type port struct {
	give func(mult uint64) (bool, error)
}

func (p *port) push(mult uint64) (bool, error) { return p.give(mult) }
func (p *port) flush() (bool, error)           { return true, nil }

// apply runs a chain for each row.
type apply struct {
	*outlet
	kind   planner.ApplyKind
	slots  []int // that are null where the chain gives no row
	chain  *chain
	mult   uint64 // of the row that the chain is run for
	writes bool
	found  bool
	more   bool
}

func (x *execution) newApply(n *planner.Apply, out *outlet) (stage, error) {
	a := &apply{outlet: out, kind: n.Kind, writes: n.Writes}
	for _, slot := range n.Slots {
		if x.compiler.used[slot] {
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
	times := uint64(1) // what is written for a row is written as often as it occurs
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

// union gives each row to one chain after the other.
type union struct {
	*outlet
	parts []*chain
	more  bool
}

func (x *execution) newUnion(n *planner.Union, out *outlet) (stage, error) {
	u := &union{outlet: out}
	above, branched := x.compiler.used, x.branched
	reads := map[int]bool{}
	x.branched = true
	for i, part := range n.Parts {
		x.compiler.used = maps.Clone(above)
		c, err := x.newChain(part, &port{u.give})
		if err != nil {
			return nil, err
		}
		maps.Copy(reads, x.compiler.used)
		if n.Writes {
			k := x.point(n)
			c.find = func(p *planner.Plan) planner.Node { return p.Points()[k].(*planner.Union).Parts[i] }
		}
		u.parts = append(u.parts, c)
	}
	x.compiler.used, x.branched, out.inner = reads, branched, u.parts
	return u, nil
}

func (u *union) give(mult uint64) (more bool, err error) {
	u.more, err = u.emit(mult)
	return u.more, err
}

func (u *union) push(mult uint64) (bool, error) {
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

// runTimes is run for a row that occurs several times, each of which its part must see for itself.
func (c *chain) runTimes(mult uint64) error {
	for ; mult > 0; mult-- {
		if err := c.refresh(); err != nil {
			return err
		}
		if err := c.run(); err != nil {
			return err
		}
	}
	return nil
}

// unwind gives the elements of a list.
type unwind struct {
	*outlet
	list eval
	expr lang.Expr
	slot int // -1: nobody reads them
}

func (x *execution) newUnwind(n *planner.Unwind, out *outlet) (stage, error) {
	u := &unwind{outlet: out, slot: -1, expr: n.List}
	if n.Slot >= 0 && x.compiler.used[n.Slot] {
		u.slot = n.Slot
		delete(x.compiler.used, n.Slot)
	}
	out.exact = worksLong(out.next)
	list, err := x.compiler.compile(n.List)
	u.list = list.fn
	return u, err
}

func (u *unwind) push(mult uint64) (bool, error) {
	v, err := u.list(&u.x.env)
	if err != nil {
		return false, err
	}
	switch v.Kind() {
	case value.Null:
		return true, nil
	case value.List:
	default:
		u.set(v) // as openCypher has it, one value is a list of one
		return u.emitSampled(mult)
	}
	for _, e := range v.List() {
		u.set(e)
		if more, err := u.emitSampled(mult); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func (u *unwind) set(v value.Value) {
	if u.slot >= 0 {
		u.x.row[u.slot] = v
	}
}
