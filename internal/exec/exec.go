// Package exec runs plans.
//
// In goes a plan with a snapshot, or a draft for a statement that writes; out come rows, through a callback.
//
// A plan is a chain of operators, and so is its execution. Every operator becomes a stage: it gets rows from the stage
// below and pushes rows to the stage above. A subquery that runs for each row is a chain of its own. There is one row, a
// slice with a place for every slot of the plan. A stage writes its slots and passes on how often the row occurs.
//
// It is fast because nobody copies a row: only stages that must hold rows do (Sort, Aggregate, Distinct, Eager). Patterns
// go to a device, or to an anchoredMatch where each row has few matches. Stages run in the goroutine that called Run. Where
// they are too slow for a Match, copies of them run beside it (lane.go). A device's workers send their matches over in
// packets. Where all stages above a Match can, rows move in
// batches instead, column by column (batch.go).
//
// The package never plans a query, and never makes a draft's changes durable. Files are named by what they hold: op_ for
// operators, write_ for writing clauses, proc_ for procedures.
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

// Run executes plan, which was made for the snapshot s. It calls yield for every row, in the calling goroutine. A row has
// one value for each column of the plan and is valid only during the call. yield ends the query by returning false or an
// error, which Run returns. Other errors come from ctx, from the device, or are of type *eval.Error. No goroutine outlives
// Run. The Profile is there even with an error.
func Run(ctx context.Context, plan *planner.Plan, s *csr.Snapshot, d pattern.Device, env *pattern.Env,
	params map[string]value.Value, yield func(row []value.Value) (bool, error)) (*Profile, error) {
	return newExecution(ctx, plan, s, d, env, params).run(plan, yield)
}

func newExecution(ctx context.Context, plan *planner.Plan, s *csr.Snapshot, d pattern.Device, env *pattern.Env, params map[string]value.Value) *execution {
	x := &execution{ctx: ctx, s: s, planSnapshot: s, device: d, pattern: *env, row: make([]value.Value, len(plan.Slots)), batchRows: maxBatchRows, start: time.Now(),
		columns: make([]Column, len(plan.Slots))}
	x.input.Row = x.row
	if x.pattern.Tally == nil {
		x.pattern.Tally = new(pattern.Tally)
	}
	x.plan = plan
	x.compiler = eval.NewCompiler(&eval.Runtime{Snapshot: s, Params: params, Row: x.row, Ctx: ctx, Memory: env.Memory, Now: x.start, Plans: x, Projections: env.Projections})
	for i, slot := range plan.Slots {
		x.compiler.Declare(slot.Name, i)
	}
	return x
}

// run builds the stages and drives them.
func (x *execution) run(plan *planner.Plan, yield func(row []value.Value) (bool, error)) (*Profile, error) {
	err := x.build(plan, yield)
	x.compileTime = time.Since(x.start)
	if err == nil {
		_, err = x.main.drive(1)
	}
	for _, y := range append(x.forks, x) {
		release(y)
	}
	return x.profile(), err
}

// release gives back the memory that stages and expressions hold.
func release(x *execution) {
	for _, h := range x.accounts {
		h.Release()
	}
	for _, c := range x.calls {
		giveBack(c)
	}
	x.compiler.Release()
	x.compiler.Settle(&x.input, 0)
}

// stage is an operator at work. push takes the row in execution.row, which occurs mult times, at least once. flush ends
// the input. Both return false when the stage wants no more rows.
type stage interface {
	push(mult uint64) (more bool, err error)
	flush() (more bool, err error)
}

// execution holds what the stages of one run share.
type execution struct {
	ctx          context.Context
	s            *csr.Snapshot // for a statement that writes, the latest one
	planSnapshot *csr.Snapshot // the snapshot that plan was made for
	writes       *writing      // nil: the statement only reads
	device       pattern.Device
	pattern      pattern.Env
	plan         *planner.Plan
	compiler     *eval.Compiler
	row          []value.Value
	input        eval.Input // row, as expressions read it
	main         *chain
	host         *outlet // of the stage under construction
	depth        int     // of nested chains under construction
	inBranch     bool    // the stage under construction is in one part of a UNION
	accounts     []*eval.Account
	calls        []*callStage
	forks        []*execution  // for lanes
	collectors   *rowCollector // of the lowest stage
	lane         bool          // it runs a lane
	inOrder      bool          // the stage above the lanes asks which packet a row came in
	weight       int64         // see outlet.emit
	start        time.Time
	compileTime  time.Duration    // for building the stages
	columns      []Column         // by slot: the batch that moves through the stages
	mults        []uint64         // how often each row of the batch occurs; nil: once
	counted      []*planner.Match // rows of theirs that agree count each, even if the plan says that they count once
	distinctRows bool             // no other row of the Match below has the nodes of a row of the batch
	batchRows    int              // rows of a batch at most
	packet       uint64           // the number of the packet that the row comes from
	yieldBatch   func(Batch) (bool, error)
	division     *Division // that the stages run a unit of; or nil
	codes        codeArrays
}

// RunBatches is Run for a caller that also takes many rows at once, by yieldBatch. A query gives its rows by one of the two
// functions, or by both in turn.
func RunBatches(ctx context.Context, plan *planner.Plan, s *csr.Snapshot, d pattern.Device, env *pattern.Env,
	params map[string]value.Value, yield func(row []value.Value) (bool, error), yieldBatch func(Batch) (bool, error)) (*Profile, error) {
	x := newExecution(ctx, plan, s, d, env, params)
	x.yieldBatch = yieldBatch
	return x.run(plan, yield)
}

// build builds the stages of the whole plan.
func (x *execution) build(plan *planner.Plan, yield func([]value.Value) (bool, error)) (err error) {
	clear(x.compiler.Live)
	for _, slot := range plan.Out {
		x.compiler.Live[slot] = true
	}
	x.main, err = x.newChain(plan.Root, &output{x: x, slots: plan.Out, row: make([]value.Value, len(plan.Out)), yield: yield})
	x.main.find = func(p *planner.Plan) planner.Node { return p.Root }
	return err
}

// stage builds the stage of one operator. On entry compiler.Live holds the slots that somebody above node reads; on
// return, the slots that must be set below it.
func (x *execution) stage(node planner.Node, out *outlet) (stage, error) {
	switch n := node.(type) {
	case *planner.Match:
		if looksUp(x, n) {
			return newDraftMatch(x, n, out)
		}
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
		return newProject(x, n, out)
	case *planner.Aggregate:
		return x.newAggregate(n, out)
	case *planner.Distinct:
		return newDistinct(x, n, out)
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

// newAccount opens an account for what the operator of out holds. The end of the execution settles it.
func (x *execution) newAccount(op string, out *outlet) *eval.Account {
	out.account = eval.NewAccount(x.pattern.Memory, op)
	out.account.Ctx = x.ctx
	x.accounts = append(x.accounts, out.account)
	return out.account
}

func (x *execution) use(slots []int) {
	for _, slot := range slots {
		x.compiler.Live[slot] = true
	}
}

// items compiles the expressions that an operator computes into slots.
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

// outlet connects a stage to the next one above. It counts rows and measures the time spent above.
type outlet struct {
	x          *execution
	node       planner.Node
	next       stage
	rows       uint64
	sourceRows uint64 // rows from emitSampled
	above      time.Duration
	exact      bool // next works long on every row: time all of them
	timed      bool // the stage itself times a run of rows

	match     *matchStage   // the stage itself, if it is a Match that does not read a draft
	drafted   *MatchProfile // of the stage itself, if it is a Match that does
	call      *callStage    // the stage itself, if it is a Call
	account   *eval.Account // what the stage holds, if it holds rows
	collector rowCollector  // makes batches of the rows; without slots, there is none
	inner     []*chain      // chains that the stage runs for its rows
	subs      []*chain      // chains that its expressions run
	again     bool          // its chain runs more than once
}

// emit pushes the current row to the next stage. Reading the clock costs about as much as an operator spends on a row, so
// emit times only some rows, see emitSampled.
func (o *outlet) emit(mult uint64) (more bool, err error) {
	if o.collector.slots != nil && o.collector.waits() {
		return o.collector.add(mult)
	}
	o.rows = addSaturated(o.rows, mult)
	w := o.x.weight
	if o.exact {
		w = 1
	}
	if w == 0 || o.timed {
		return o.next.push(mult)
	}
	start := time.Now()
	more, err = o.next.push(mult)
	o.above += time.Duration(w) * time.Since(start)
	return more, err
}

// flush ends the input of the next stage.
func (o *outlet) flush() (more bool, err error) {
	if o.collector.slots != nil {
		if _, err := o.collector.flush(); err != nil {
			return false, err
		}
	}
	if o.again && o.x.weight == 0 {
		return o.next.flush()
	}
	start := time.Now()
	more, err = o.next.flush()
	o.above += time.Since(start)
	return more, err
}

// stride is the number of rows that one timed row stands for. It is a prime, so that it does not fall in step with work
// that happens every 256 rows, say.
const stride = 61

// emitSampled is emit for stages that make rows. It decides which rows are timed: the first ones, then one in every
// stride. At those it also checks whether the query is cancelled. When the row is done, the values that expressions made
// for it are, too.
func (o *outlet) emitSampled(mult uint64) (more bool, err error) {
	mark := o.x.input.Mark()
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
	more, err = o.emit(mult)
	o.x.compiler.Settle(&o.x.input, mark)
	return more, err
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
		for i, slot := range o.slots { // yield may have overwritten the row
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
