package exec

import (
	"context"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
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
	slots   []int         // by column of the procedure; -1: nobody reads it
	places  []eval.Func   // the arguments before the options
	values  []value.Value // their values for the current row
	options []option

	inner      bool          // a Match or a Call feeds this one, so it needs a tally of its own
	tallyMark  uint64        // the part of its tally that the query's tally has
	deriveTime time.Duration // time the snapshot spent deriving during this stage and those above
	recording  bool          // only the requests matter, see Requests
	constant   bool          // all rows give the same arguments, hence the same result
	source     source        // the result for the current row
	lent       *pattern.Loan // memory that the result lies in, if that goes back
	mult       uint64        // of the current row
	batch      *rowBatch     // rows that wait, if the procedure has them all before it gives the first; nil: none wait

	kept    *pattern.Projection // made for an earlier row
	keptKey string
	keptFor *csr.Snapshot
}

// option is an option in the arguments.
type option struct {
	name  string
	pos   lang.Pos
	fn    eval.Func
	value value.Value // for the current row
}

// procedure does the work that makes no rows yet, and returns a source of the rows. The options of c have their values.
type procedure func(c *callStage) (source, error)

// Declared is a procedure that a program declared. It gets its arguments, whose elements belong to the snapshot. It calls
// give for every row, with one value for each column, until it is done or give returns false.
type Declared func(ctx context.Context, s *csr.Snapshot, args []value.Value, give func(row []value.Value) (more bool, err error)) error

func (d Declared) run(c *callStage) (source, error) {
	c.streams()
	return func() (bool, error) {
		more := true
		err := d(c.x.ctx, c.x.s, c.values, func(row []value.Value) (bool, error) {
			var err error
			more, err = c.give(row...)
			return more, err
		})
		if err == nil && len(c.slots) == 0 { // a procedure without columns passes its input on
			return c.give()
		}
		return more, err
	}, nil
}

// source hands the rows of a procedure to callStage.give, which reports whether more are wanted. It can run again.
type source func() (more bool, err error)

func (x *execution) newCall(n *planner.Call, out *outlet) (*callStage, error) {
	c := &callStage{outlet: out, plan: n, env: x.pattern, run: procedures[n.Procedure.Name], constant: true}
	if impl, ok := n.Procedure.Impl.(Declared); ok {
		c.run, c.constant = impl.run, false // each call may answer differently
	}
	if c.constant = c.constant && !n.Procedure.Effect; n.Procedure.Effect {
		c.run = gdsProcedures[n.Procedure.Name]
	}
	if c.run == nil {
		return nil, &eval.Error{Code: eval.CodeInternal, Msg: "cannot run the procedure " + n.Procedure.Name}
	}
	x.newAccount(n.Procedure.Name, out) // of the result
	c.slots = make([]int, len(n.Procedure.Columns))
	for i := range c.slots {
		c.slots[i] = -1
	}
	for i, column := range n.Columns {
		if slot := n.Slots[i]; x.compiler.Live[slot] {
			c.slots[column] = slot
			delete(x.compiler.Live, slot)
		}
	}
	x.calls = append(x.calls, c)
	out.call, out.exact = c, worksLong(out.next)
	if c.inner = x.depth > 0 || x.inBranch || manyRows(n.Input); c.inner {
		c.env.Tally = new(pattern.Tally)
	}
	if !c.inner {
		c.batch = newRowBatch(out, slices.DeleteFunc(slices.Clone(c.slots), func(slot int) bool { return slot < 0 }))
	}
	return c, c.compile(x.compiler)
}

// compile prepares the arguments. The last one is the literal map of options, unless it is a place.
func (c *callStage) compile(k *eval.Compiler) error {
	places := min(c.plan.Procedure.Places(), len(c.plan.Args))
	for _, x := range c.plan.Args[:places] {
		v, err := k.Compile(x)
		if err != nil {
			return err
		}
		c.places, c.constant = append(c.places, v.Fn), c.constant && v.Constant
	}
	c.values = make([]value.Value, places)
	for _, x := range c.plan.Args[places:] {
		m, ok := x.(*lang.MapLit)
		if !ok {
			return &eval.Error{Code: eval.CodeInternal, Msg: "options that are not written out", Pos: x.Position()}
		}
		for i, key := range m.Keys {
			v, err := k.Compile(m.Values[i])
			if err != nil {
				return err
			}
			c.options = append(c.options, option{name: key.Text, pos: m.Values[i].Position(), fn: v.Fn})
			c.constant = c.constant && v.Constant
		}
	}
	return nil
}

func (c *callStage) push(mult uint64) (bool, error) {
	before := c.x.s.DerivationTime()
	more, err := c.extend(mult)
	c.deriveTime += c.x.s.DerivationTime() - before
	return more, err
}

// extend emits the rows for the current row.
func (c *callStage) extend(mult uint64) (bool, error) {
	if c.source == nil || !c.constant {
		if err := c.prepare(); err != nil {
			return false, explain(err)
		}
	}
	c.mult = mult
	more, err := c.source()
	if c.batch == nil || c.batch.rows == 0 {
		return more, err
	}
	if more, failed := c.batch.flush(); failed != nil || !more {
		return false, failed // the rows before an error come first
	}
	return more, err
}

// streams says that the rows of the procedure come while it works: none waits for another.
func (c *callStage) streams() { c.batch = nil }

// prepare runs the procedure for the current row.
func (c *callStage) prepare() (err error) {
	c.account.Release()
	giveBack(c)
	for i, fn := range c.places {
		if c.values[i], err = fn(&c.x.input); err != nil {
			return err
		}
	}
	for i := range c.options {
		o := &c.options[i]
		if o.value, err = o.fn(&c.x.input); err != nil {
			return err
		}
	}
	defer c.passTally()
	c.source, err = c.run(c)
	return err
}

// giveBack ends the loan of a result whose rows nobody asks for any more. Rows that were given have copies.
func giveBack(c *callStage) {
	if c.lent != nil {
		c.lent.Release()
		c.lent = nil
	}
}

// passTally adds what the procedure visited to the query's tally, unless the two are the same.
func (c *callStage) passTally() {
	if c.inner {
		now := c.env.Tally.Partial.Load()
		c.x.pattern.Tally.Partial.Add(now - c.tallyMark)
		c.tallyMark = now
		c.x.pattern.Tally.TakeOver(c.env.Tally)
	}
}

// ask has the device answer r.
func (c *callStage) ask(r *pattern.Request) (pattern.Answer, error) {
	return c.x.device.Answer(c.x.ctx, r, &c.env)
}

// charge charges the memory of a result.
func (c *callStage) charge(rows int, bytes int64) error {
	c.account.Rows = uint64(rows)
	return c.account.Charge(bytes)
}

// give emits a row with one value for each column of the procedure.
func (c *callStage) give(row ...value.Value) (more bool, err error) {
	for i, slot := range c.slots {
		if slot >= 0 {
			c.x.row[slot] = row[i]
		}
	}
	if c.batch != nil {
		return c.batch.add(c.mult)
	}
	return c.emitSampled(c.mult)
}
