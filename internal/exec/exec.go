// Package exec runs plans: it compiles expressions to closures, hands patterns to a device, and pushes what comes back through
// the row operators.
//
// A plan is a chain of operators, and so is its execution: every operator becomes a stage that gets rows from the one
// below and pushes rows to the one above; what an operator runs for each row, such as a subquery, is a chain of its own. There is one row, a slice with a place for every slot of the plan;
// a stage writes its slots and passes on how often the row occurs. Nothing is copied but by the stages that
// must hold rows (Sort, Aggregate, Distinct). All stages run in the goroutine that called Run; the workers
// of a device run beside it and send their matches over in packets.
package exec

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Run executes plan, which was made for the snapshot s, and calls yield for every row, in the calling goroutine. A
// row has one value per plan column and is valid during the call only. yield ends the query by returning
// false, or an error, which Run returns. Other errors are those of ctx, *Error, and what the device
// returns. No goroutine outlives Run. The Stats are there even if an error is.
func Run(ctx context.Context, plan *planner.Plan, s *csr.Snapshot, d pattern.Device, env *pattern.Env,
	params map[string]value.Value, yield func(row []value.Value) (bool, error)) (*Profile, error) {
	return newExecution(ctx, plan, s, d, env, params).run(plan, yield)
}

func newExecution(ctx context.Context, plan *planner.Plan, s *csr.Snapshot, d pattern.Device, env *pattern.Env, params map[string]value.Value) *execution {
	x := &execution{ctx: ctx, s: s, planSnapshot: s, device: d, pattern: *env, row: make([]value.Value, len(plan.Slots)), start: time.Now()}
	x.input.Row = x.row
	if x.pattern.Tally == nil {
		x.pattern.Tally = new(pattern.Tally)
	}
	x.plan = plan
	x.compiler = eval.NewCompiler(&eval.Runtime{Snapshot: s, Params: params, Row: x.row, Ctx: ctx, Memory: env.Memory, Now: x.start, Plans: x})
	for i, slot := range plan.Slots {
		x.compiler.Declare(slot.Name, i)
	}
	return x
}

// run makes the stages and drives them.
func (x *execution) run(plan *planner.Plan, yield func(row []value.Value) (bool, error)) (*Profile, error) {
	err := x.build(plan, yield)
	x.compileTime = time.Since(x.start)
	if err == nil {
		_, err = x.main.drive(1)
	}
	for _, h := range x.accounts {
		h.Release()
	}
	return x.profile(), err
}

// stage is an operator at work. push takes the row that stands in execution.row, which occurs mult times (at
// least once); flush says that no more come. Both return false when the stage wants nothing more.
type stage interface {
	push(mult uint64) (more bool, err error)
	flush() (more bool, err error)
}

// execution is what the stages of one run share.
type execution struct {
	ctx          context.Context
	s            *csr.Snapshot // of a statement that writes the last one made
	planSnapshot *csr.Snapshot // that plan is for
	writes       *writing      // nil: the statement only reads
	device       pattern.Device
	pattern      pattern.Env
	plan         *planner.Plan
	compiler     *eval.Compiler
	row          []value.Value
	input        eval.Input // of row, for expressions
	main         *chain
	host         *outlet // of the stage that is being made
	depth        int     // of chains inside of chains that are being made
	inBranch     bool    // what is being made is one of several parts
	accounts     []*eval.Account
	weight       int64 // see outlet.emit
	start        time.Time
	compileTime  time.Duration // for the stages to be made
}

// build makes the stages of the whole plan.
func (x *execution) build(plan *planner.Plan, yield func([]value.Value) (bool, error)) (err error) {
	x.compiler.Live = make(map[int]bool)
	for _, slot := range plan.Out {
		x.compiler.Live[slot] = true
	}
	x.main, err = x.newChain(plan.Root, &output{x: x, slots: plan.Out, row: make([]value.Value, len(plan.Out)), yield: yield})
	x.main.find = func(p *planner.Plan) planner.Node { return p.Root }
	return err
}

// stage makes the stage of one operator. On entry compiler.used holds the slots that are read above node, on
// return those that must be set below it.
func (x *execution) stage(node planner.Node, out *outlet) (stage, error) {
	switch n := node.(type) {
	case *planner.Match:
		return x.newMatch(n, out)
	case *planner.Call:
		return x.newCall(n, out)
	case *planner.Paths:
		return x.newPaths(n, out)
	case *planner.Different:
		x.use(slices.Concat(slices.Concat(n.Rels...), n.Nodes))
		return &differentStage{outlet: out, plan: n}, nil
	case *planner.Apply:
		return x.newApply(n, out)
	case *planner.Unwind:
		return x.newUnwind(n, out)
	case *planner.Union:
		return x.newUnion(n, out)
	case *planner.Filter:
		cond, err := x.compiler.Compile(n.Cond)
		return &filter{outlet: out, cond: cond.Fn, expr: n.Cond}, err
	case *planner.Project:
		fns, slots, err := x.items(n.Items)
		return &project{outlet: out, fns: fns, slots: slots}, err
	case *planner.Aggregate:
		return x.newAggregate(n, out)
	case *planner.Distinct:
		x.use(n.Slots)
		return &distinct{outlet: out, slots: n.Slots, values: make([]value.Value, len(n.Slots)), keys: eval.NewKeySet(x.newAccount("DISTINCT", out))}, nil
	case *planner.Sort:
		return x.newSort(n, out)
	case *planner.Skip:
		count, err := x.compiler.Count(n.N, "SKIP")
		return &skip{outlet: out, left: count, n: count}, err
	case *planner.Limit:
		count, err := x.compiler.Count(n.N, "LIMIT")
		return &limit{outlet: out, left: count, n: count}, err
	}
	return x.writingStage(node, out)
}

// newAccount returns an account of what the operator of out holds. It is settled when the execution ends.
func (x *execution) newAccount(op string, out *outlet) *eval.Account {
	out.account = eval.NewAccount(x.pattern.Memory, op)
	x.accounts = append(x.accounts, out.account)
	return out.account
}

func (x *execution) use(slots []int) {
	for _, slot := range slots {
		x.compiler.Live[slot] = true
	}
}

// items compiles what an operator computes into slots.
func (x *execution) items(items []planner.Item) (fns []eval.Func, slots []int, err error) {
	exprs := make([]lang.Expr, len(items))
	slots = make([]int, len(items))
	for i, item := range items {
		exprs[i], slots[i] = item.Expr, item.Slot
		delete(x.compiler.Live, item.Slot)
	}
	fns, _, err = x.compiler.CompileAll(exprs)
	return fns, slots, err
}

// outlet is the connection from one stage to the next above it. It counts rows, and takes the time that is spent
// above.
type outlet struct {
	x          *execution
	node       planner.Node
	next       stage
	rows       uint64
	sourceRows uint64 // calls of emitSampled
	above      time.Duration
	exact      bool // next works long on every row: take the time of all of them

	match   *matchStage   // the stage itself, if it is one
	call    *callStage    // likewise
	account *eval.Account // the rows it holds, if it does
	inner   []*chain      // that it runs for its rows
	subs    []*chain      // that its expressions run
	again   bool          // it is in a chain that is run more than once
}

// emit pushes the current row on. Reading the clock costs about as much as an operator spends on a row, so for
// most rows it is not done, see emitSampled.
func (o *outlet) emit(mult uint64) (more bool, err error) {
	o.rows = addSaturated(o.rows, mult)
	w := o.x.weight
	if o.exact {
		w = 1
	}
	if w == 0 {
		return o.next.push(mult)
	}
	start := time.Now()
	more, err = o.next.push(mult)
	o.above += time.Duration(w) * time.Since(start)
	return more, err
}

// flush tells the next stage that no more rows come.
func (o *outlet) flush() (more bool, err error) {
	if o.again && o.x.weight == 0 {
		return o.next.flush()
	}
	start := time.Now()
	more, err = o.next.flush()
	o.above += time.Since(start)
	return more, err
}

// stride is how many rows a timed one stands for. It is a prime, so that what happens every 256 rows, say, is not met
// every time.
const stride = 61

// emitSampled is emit for sources, that is for stages that make rows. It decides which are timed: the first ones, then
// one in every stride. At those it also looks whether the query has been cancelled.
func (o *outlet) emitSampled(mult uint64) (more bool, err error) {
	n := o.sourceRows
	o.sourceRows++
	switch {
	case n < stride:
		o.x.weight = 1
	case n%stride == 0:
		o.x.weight = stride
		if err := o.x.ctx.Err(); err != nil {
			return false, err
		}
	default:
		o.x.weight = 0
	}
	return o.emit(mult)
}

func addSaturated(a, b uint64) uint64 {
	if c := a + b; c >= a {
		return c
	}
	return math.MaxUint64
}

// output is the last stage: it hands rows to the caller.
type output struct {
	x     *execution
	slots []int
	row   []value.Value
	yield func([]value.Value) (bool, error)
	stop  bool
}

func (o *output) push(mult uint64) (bool, error) {
	for ; mult > 0 && !o.stop; mult-- {
		for i, slot := range o.slots { // yield may have changed the row
			o.row[i] = o.x.row[slot]
		}
		more, err := o.yield(o.row)
		if err != nil {
			return false, err
		}
		o.stop = !more
		if mult%1024 == 0 {
			if err := o.x.ctx.Err(); err != nil {
				return false, err
			}
		}
	}
	return !o.stop, nil
}

func (o *output) flush() (bool, error) { return !o.stop, nil }
