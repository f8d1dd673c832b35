package exec

import (
	"maps"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/planner"
)

// chain is operators at work, one above the other.
type chain struct {
	x       *execution
	node    planner.Node // whose rows it gives; of an expression's, the sub-plan
	entry   stage
	outlets []*outlet // of the operators, from the lowest up
	states  []stateful
	noRows  bool // a LIMIT 0 makes everything below it needless: entry is it, and gets no row
	runs    uint64
	runTime time.Duration // by run

	// What it takes to make the stages anew, see renew.
	snap      *csr.Snapshot // that they stand on
	last      stage
	liveAbove map[int]bool // the slots that are read above
	depth     int
	find      func(*planner.Plan) planner.Node // its node in a plan; nil: it is never made anew
	eagers    []*eager
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
		c.liveAbove = maps.Clone(x.compiler.Live)
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
		if !c.noRows { // else it is built for its errors only
			c.entry = st
			c.outlets = append([]*outlet{out}, c.outlets...)
			if r, ok := st.(resetter); ok {
				c.states = append(c.states, stateful{out, r})
			}
			if e, ok := st.(*eager); ok {
				e.chain, c.eagers = c, append(c.eagers, e)
			}
			l, ok := st.(*limit)
			c.noRows = ok && l.left == 0 && x.writes == nil && !callsDeclared(node)
		}
		node = below(node)
	}
	return c, nil
}

// callsDeclared reports whether node or an operator below it calls a procedure that the program has declared: what that does
// beside giving rows, only the program knows.
func callsDeclared(node planner.Node) bool {
	for ; node != nil; node = below(node) {
		if c, ok := node.(*planner.Call); ok {
			if _, ok := c.Procedure.Impl.(Declared); ok {
				return true
			}
		}
	}
	return false
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
	if !c.noRows {
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
		c.runTime += time.Duration(w) * time.Since(start)
	}
	x.weight = outer
	return err
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

// innerChain makes a chain that is run for rows of the stage that is being made. What is read above it stays so, but for the
// slots that it sets.
func (x *execution) innerChain(node planner.Node, last stage, sets []int) (*chain, error) {
	above := maps.Clone(x.compiler.Live)
	for _, slot := range sets {
		delete(above, slot)
	}
	x.depth++
	c, err := x.newChain(node, last)
	x.depth--
	maps.Copy(x.compiler.Live, above)
	return c, err
}

// port ends a chain whose rows go on in the stage that runs it.
type port struct {
	give func(mult uint64) (bool, error)
}

func (p *port) push(mult uint64) (bool, error) { return p.give(mult) }
func (p *port) flush() (bool, error)           { return true, nil }
