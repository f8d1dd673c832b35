package exec

import (
	"maps"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/planner"
)

// chain is a sequence of operators at work.
type chain struct {
	x       *execution
	node    planner.Node // whose rows it gives; for an expression, the sub-plan
	entry   stage
	outlets []*outlet // of the operators, lowest first
	states  []stateful
	noRows  bool // LIMIT 0 makes everything below it needless: it is entry, and gets no row
	runs    uint64
	runTime time.Duration // in run

	// What renew needs to build the stages again.
	snap      *csr.Snapshot // that the stages were built for
	last      stage
	liveAbove map[int]bool // the slots that somebody above reads
	depth     int
	find      func(*planner.Plan) planner.Node // finds its node in a plan; nil: the chain is never built again
	eagers    []*eager
}

// stateful is a stage with state to reset, and its outlet.
type stateful struct {
	out   *outlet
	stage resetter
}

// resetter is a stage that must know when its chain starts again.
type resetter interface{ reset() }

// newChain builds the stages from node, which gives its rows to last, down to the leaf. On entry compiler.Live holds the
// slots that somebody above reads; on return, the slots that must be set before the chain runs.
func (x *execution) newChain(node planner.Node, last stage) (*chain, error) {
	return x.makeChain(node, last, nil)
}

// makeChain is newChain down to bottom, which it leaves out. A nil bottom means the leaf.
func (x *execution) makeChain(node planner.Node, last stage, bottom planner.Node) (*chain, error) {
	c := &chain{x: x, node: node, entry: last, last: last, snap: x.s, depth: x.depth, outlets: make([]*outlet, 0, 8)}
	if x.writes != nil {
		c.liveAbove = maps.Clone(x.compiler.Live)
	}
	host := x.host
	defer func() { x.host = host }()
	var lanes lanePlan
	var room [16]int
	slots := room[:0]
	copies := mayHaveLanes(x)
	for node != nil && node != bottom {
		out := &outlet{x: x, node: node, next: c.entry, again: x.depth > 0}
		x.host = out
		var live []int // the slots that somebody above reads, where a copy of the stage or of its rows needs them
		collects := collectsRows(x, c.entry) && makesRows(node)
		if collects || copies && mayHold(node) {
			slots = appendSlots(slots[:0], x.compiler.Live)
			live = slots
		}
		st, err := x.stage(node, out)
		if err != nil {
			return c, err
		}
		if collects {
			collectRows(out, st, live)
		}
		if copies {
			lanes = lanesBelow(x, lanes, node, st, live)
		}
		if !c.noRows { // below a LIMIT 0 stages are built only for their errors
			c.entry = st
			c.outlets = slices.Insert(c.outlets, 0, out)
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

// callsDeclared reports whether node or an operator below it calls a procedure that the program declared. Only the
// program knows what such a procedure does beside giving rows.
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

// below returns the operator that gives node its rows; nil for a leaf.
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

// drive gives the current row to the chain, mult times, and then ends the input.
func (c *chain) drive(mult uint64) (more bool, err error) {
	if !c.noRows {
		if _, err := c.entry.push(mult); err != nil {
			return false, err
		}
	}
	return c.entry.flush()
}

// run is drive for a chain that runs for many rows. Like emit, it times only some of them.
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

// runTimes calls run once for every time that the row occurs.
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

// innerChain builds a chain that runs for each row of the stage under construction. Slots live above that stage stay live,
// except those that the chain sets.
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

// port ends a chain whose rows continue in the stage that runs it.
type port struct {
	give func(mult uint64) (bool, error)
}

func (p *port) push(mult uint64) (bool, error) { return p.give(mult) }
func (p *port) flush() (bool, error)           { return true, nil }
