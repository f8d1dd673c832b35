package exec

import (
	"math"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// callStage extends every row by the rows of a procedure.
type callStage struct {
	*outlet
	plan    *planner.Call
	env     pattern.Env
	run     procedure
	slots   []int // by column of the procedure; -1: nobody reads it
	start   eval  // the first argument; nil: it takes none
	options []option

	inner    bool   // a Match or a Call feeds this one: its tally is its own
	tallied  uint64 // of that, passed on to the query's
	constant bool   // the arguments are the same for all rows: so is the result
	source   source // the result for the current row
	mult     uint64 // of the current row
}

// option is an option of the call.
type option struct {
	name  string
	pos   lang.Pos
	fn    eval
	value value.Value // for the current row
}

// procedure computes what it can without making rows, and returns what makes them. The options of c have their values.
type procedure func(c *callStage, start value.Value) (source, error)

// source hands the rows of a procedure to callStage.give, which tells when no more are wanted. It can be run again.
type source func() (more bool, err error)

func (x *execution) newCall(n *planner.Call, out *outlet) (*callStage, error) {
	c := &callStage{outlet: out, plan: n, env: x.pattern, run: procedures[n.Procedure.Name], constant: true}
	if c.run == nil {
		return nil, &Error{Code: codeInternal, Msg: "cannot run the procedure " + n.Procedure.Name}
	}
	x.newHolding(n.Procedure.Name, out) // for the result
	c.slots = make([]int, len(n.Procedure.Columns))
	for i := range c.slots {
		c.slots[i] = -1
	}
	for i, column := range n.Columns {
		if slot := n.Slots[i]; x.compiler.used[slot] {
			c.slots[column] = slot
			delete(x.compiler.used, slot)
		}
	}
	out.call, out.exact = c, worksLong(out.next)
	if c.inner = manyRows(n.Input); c.inner {
		c.env.Tally = new(pattern.Tally)
	}
	return c, c.compile(&x.compiler)
}

// compile prepares the arguments: a map written out is that of the options.
func (c *callStage) compile(k *compiler) error {
	for _, x := range c.plan.Args {
		m, ok := x.(*lang.MapLit)
		if !ok {
			start, err := k.compile(x)
			if err != nil {
				return err
			}
			c.start, c.constant = start.fn, c.constant && start.constant
			continue
		}
		for i, key := range m.Keys {
			v, err := k.compile(m.Values[i])
			if err != nil {
				return err
			}
			c.options = append(c.options, option{name: key.Text, pos: m.Values[i].Position(), fn: v.fn})
			c.constant = c.constant && v.constant
		}
	}
	return nil
}

func (c *callStage) push(mult uint64) (bool, error) {
	if c.source == nil || !c.constant {
		if err := c.prepare(); err != nil {
			return false, explain(err)
		}
	}
	c.mult = mult
	return c.source()
}

// prepare runs the procedure for the current row.
func (c *callStage) prepare() (err error) {
	c.holding.release()
	start := value.Value{}
	if c.start != nil {
		if start, err = c.start(&c.x.env); err != nil {
			return err
		}
	}
	for i := range c.options {
		o := &c.options[i]
		if o.value, err = o.fn(&c.x.env); err != nil {
			return err
		}
	}
	defer c.passTally()
	if c.source, err = c.run(c, start); err != nil && c.start != nil {
		err = at(c.plan.Args[0].Position(), err) // errors of options have a place
	}
	return err
}

// passTally adds what the procedure has visited to the query's tally, if that is not the same.
func (c *callStage) passTally() {
	if c.inner {
		now := c.env.Tally.Partial.Load()
		c.x.pattern.Tally.Partial.Add(now - c.tallied)
		c.tallied = now
		c.x.pattern.Tally.TakeOver(c.env.Tally)
	}
}

// hold charges a result of some rows.
func (c *callStage) hold(rows int, bytes int64) error {
	c.holding.rows = uint64(rows)
	return c.holding.grow(bytes)
}

// give emits a row: a value for every column of the procedure.
func (c *callStage) give(row ...value.Value) (more bool, err error) {
	for i, slot := range c.slots {
		if slot >= 0 {
			c.x.row[slot] = row[i]
		}
	}
	return c.emitSampled(c.mult)
}

// option returns an option with its value; nil where it is missing or null.
func (c *callStage) option(name string) *option {
	for i := range c.options {
		if o := &c.options[i]; o.name == name && !o.value.IsNull() {
			return o
		}
	}
	return nil
}

// wrong is the error for an option whose value is of a kind that it is not for.
func (o *option) wrong(needs string, got value.Value) error {
	return at(o.pos, fail(codeArgumentType, "the option `%s` needs %s, not %s", o.name, needs, a(got)))
}

// number returns an integer option that is at least least, or missing.
func (c *callStage) number(name string, least, missing int64) (int64, error) {
	o := c.option(name)
	switch {
	case o == nil:
		return missing, nil
	case o.value.Kind() != value.Int:
		return 0, o.wrong("an integer", o.value)
	case o.value.Int() < least:
		return 0, at(o.pos, fail(codeArgumentValue, "the option `%s` is at least %d, not %d", name, least, o.value.Int()))
	}
	return o.value.Int(), nil
}

// types returns the relationship types of the options type and types; nil for any. Names that the graph does not have
// add nothing.
func (c *callStage) types() (csr.TypeSet, error) {
	o := c.option("type")
	if o == nil {
		if o = c.option("types"); o == nil {
			return nil, nil
		}
	}
	names := []value.Value{o.value}
	if o.name == "types" && o.value.Kind() == value.List {
		names = o.value.List()
	}
	set := csr.TypeSet{}
	for _, v := range names {
		if v.Kind() != value.String {
			return nil, o.wrong("a string", v)
		}
		if t, ok := c.x.s.Types.Lookup(v.Str()); ok {
			set = set.Union(csr.TypeSet{csr.TypeID(t)})
		}
	}
	return set, nil
}

// direction reads the option of that name.
func (c *callStage) direction() (csr.Direction, error) {
	o := c.option("direction")
	if o == nil {
		return csr.Out, nil
	}
	if o.value.Kind() != value.String {
		return 0, o.wrong("a string", o.value)
	}
	for _, d := range []csr.Direction{csr.Out, csr.In, csr.Both} {
		if strings.EqualFold(d.String(), o.value.Str()) {
			return d, nil
		}
	}
	return 0, at(o.pos, fail(codeArgumentValue, "the option `direction` is 'OUT', 'IN' or 'BOTH', not %v", o.value))
}

// truss reads the option k of algo.ktruss: 0 for all pairs.
func (c *callStage) truss() (uint32, error) {
	o := c.option("k")
	if o != nil && o.value.Kind() == value.String {
		if strings.EqualFold(o.value.Str(), "max") {
			return pattern.KMax, nil
		}
		return 0, at(o.pos, fail(codeArgumentValue, "the option `k` is an integer or 'max', not %v", o.value))
	}
	n, err := c.number("k", 2, 0)
	return uint32(min(n, math.MaxUint32-1)), err
}

// vertices are the nodes that a search starts from: a node, the id of one, or a list of these. Null is none.
func (c *callStage) vertices(v value.Value) ([]csr.VertexID, error) {
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.Node:
		return []csr.VertexID{v.Node()}, nil
	case value.Int:
		if n, ok := c.x.s.VertexByNodeID(csr.NodeID(v.Int())); ok && v.Int() >= 0 {
			return []csr.VertexID{n}, nil
		}
		return nil, fail(codeArgumentValue, "there is no node with the id %d", v.Int())
	case value.List:
		var all []csr.VertexID
		for _, e := range v.List() {
			if e.Kind() == value.List {
				return nil, fail(codeArgumentType, "%s starts from a node or a list of nodes, not from a list of lists", c.plan.Procedure.Name)
			}
			one, err := c.vertices(e)
			if err != nil {
				return nil, err
			}
			all = append(all, one...)
		}
		return all, nil
	}
	return nil, fail(codeArgumentType, "%s starts from a node or a list of nodes, not from %s", c.plan.Procedure.Name, a(v))
}
