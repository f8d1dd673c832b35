package join

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/pattern"
)

// Replanning. Estimates choose a matching order, and they can be far off: labels that are rare together on average may abound just where
// the search goes. So a long search looks at its order when it goes through far more than the order promised, or has so
// much left to do that trials cost next to nothing. It tries each other order on a few first vertices, spread over all
// of them, from scratch and over the same kind of lists. If an order needs a small part of what is left to do, the
// search starts anew in that order.
//
// The worker that notices tries the orders, while the others go on. It may spend a small part of what the search has spent. If no
// order is better, the search goes on where it was, and nothing is lost.
//
// A count drops what it has counted. Rows cannot be taken back: a Match that has handed over its first batch keeps its order to the
// end (runEmitted), and one that changes its order hands nothing over (runChanged). A query changes its order once at
// most.

var (
	replanAfter    = uint64(32 << 20) // list elements before an order is looked at; short searches never pay
	replanAgain    = uint64(8)        // how many times as many before it is looked at once more
	replanSurprise = 8.0              // how many times the expected work is far off
	replanLong     = 16.0             // how many times the work spent must be left for trials to cost next to nothing
	replanShare    = 16.0             // the part of the list elements spent, 1 in 16, that all trials together may take
	replanGain     = 2.0              // how many times less than what is left another order must promise
	replanSample   = 512              // first vertices that an order is tried on
	arraySeconds   = 0.7e-9           // what a list element takes that the formula visits, on one worker
	replanLeast    = 16               // first vertices that a trial must finish to count, unless there are fewer
)

// errOutgrown ends the search of a count for which the formula promises less than what is left.
var errOutgrown = errors.New("the formula is shorter")

// replanMost bounds the list elements of all trials: some 20 ms.
const replanMost = 4 << 20

// replanMemory is how many bytes a trial may use.
const replanMemory = 16 << 20

// newReplanning returns the replanning of a run of c.
func newReplanning(ctx context.Context, c *program, sink pattern.Sink) *replanning {
	p := &replanning{ctx: ctx, byArrays: c.byArrays, began: time.Now()}
	p.at.Store(replanAfter)
	p.outgrownAt.Store(replanAfter)
	if sink != nil {
		p.outgrownAt.Store(math.MaxInt64)
	}
	return p
}

// Phases of a run.
const (
	runQuiet   = iota // nothing has been handed over
	runEmitted        // rows have; the order stands
	runChanged        // the search ends for another order to start; nothing may be handed over any more
)

// replanning decides whether a run goes on.
type replanning struct {
	ctx  context.Context
	at   atomic.Uint64 // list elements at which to look at the order
	busy atomic.Bool   // some worker does so

	outgrownAt atomic.Uint64 // list elements at which to ask whether the formula visits fewer
	began      time.Time
	byArrays   float64 // those that the formula visits; infinite without one; 0: nobody has asked

	next   *program // what to search instead; set before the run stops. nil: the formula counts
	report pattern.Replanned
}

// progress is what a run's workers have reported.
type progress struct{ work, partial, found, roots, units atomic.Uint64 }

// mayChange reports whether the order of c may be changed on the way.
func mayChange(c *program, env *pattern.Env) bool {
	switch {
	case env.Order != pattern.OrderAuto || c.job.AlternativeOrders == nil:
		return false
	case c.job.DistinctPrefix > 0 || c.tail >= 0: // the order says which vertices are wanted
		return false
	case len(c.steps) < 4 && (c.job.Formula == nil || c.enumerate): // all orders of few vertices have been weighed
		return false
	case c.root > 0 || len(c.steps) > 64 || len(c.segments) != 1 || len(c.steps[0].sources) > 0:
		return false
	}
	return !slices.ContainsFunc(c.p.Edges, func(e pattern.Edge) bool { return e.Bound })
}

// reconsider has the order looked at if it is time.
func (r *run) reconsider() {
	p := r.replan
	work := r.progress.work.Load()
	if p == nil || r.phase.Load() != runQuiet || work < min(p.at.Load(), p.outgrownAt.Load()) || !p.busy.CompareAndSwap(false, true) {
		return
	}
	defer p.busy.Store(false)
	if p.outgrown(r, work) {
		p.giveWay(r)
		return
	}
	if work >= p.at.Load() {
		if expected, actual := r.expected(); actual > replanSurprise*expected || r.leftAsYet() > replanLong*float64(work) {
			p.at.Store(max(replanAgain*work, 1))
			p.report = pattern.Replanned{Spent: work, Expected: expected, Actual: actual, List: r.costInElements}
			p.tryOrders(r)
		}
	}
}

// giveWay ends r for the formula.
func (p *replanning) giveWay(r *run) {
	p.next = nil
	if r.phase.CompareAndSwap(runQuiet, runChanged) {
		r.stop()
	}
}

// outgrown reports whether the search of a count has gone through as many list elements as the formula visits, or has taken as long as they take.
// Whatever is left, the formula adds little to that. A formula that no plan has weighed, since the count promised to be short, is
// weighed now.
func (p *replanning) outgrown(r *run, work uint64) bool {
	if work < p.outgrownAt.Load() {
		return false
	}
	if p.byArrays == 0 {
		p.byArrays = math.Inf(1)
		if x := r.planFormula(r.env, CPUCounter{}, math.Inf(1), true); x != nil {
			p.byArrays = x.homs.Cost()
		}
	}
	if spent := time.Since(p.began).Seconds() * float64(max(1, r.env.Workers)); float64(work) >= p.byArrays || spent >= arraySeconds*p.byArrays {
		return true
	}
	p.outgrownAt.Store(work + work/4)
	return false
}

// expected returns what the part of the search that is done should have taken by the estimate, and what it took: in list elements if
// the order was weighed by them, else in partial embeddings.
func (r *run) expected() (expected, actual float64) {
	done := float64(max(1, r.progress.roots.Load())) / float64(max(1, r.progress.units.Load()))
	if r.costInElements {
		return r.cost * done, float64(r.progress.work.Load())
	}
	return r.cost * done, float64(r.progress.partial.Load())
}

// tryOrders tries the other orders and stops r if one of them is much better.
func (p *replanning) tryOrders(r *run) {
	if r.env.Memory.Charge(replanMemory) != nil {
		r.env.Memory.Release(replanMemory)
		return
	}
	defer func() { r.env.Memory.Release(replanMemory) }()
	orders := r.otherOrders()
	if len(orders) == 0 && (p.byArrays == 0 || math.IsInf(p.byArrays, 1)) {
		return
	}
	each := uint64(min(float64(p.report.Spent)/replanShare, replanMost)) / uint64(len(orders)+1)
	left := r.left(r.try(p.ctx, r.program, each))
	if r.sink == nil && p.byArrays > 0 && left > replanGain*p.byArrays {
		p.giveWay(r)
		return
	}
	best := left / replanGain
	for i := range orders {
		c := r.recompile(p.ctx, orders[i])
		if c == nil || r.halted() {
			continue
		}
		if t := r.try(p.ctx, c, each); t.done && t.high < best {
			best, p.next = t.high, c
		}
	}
	if p.next == nil || !r.phase.CompareAndSwap(runQuiet, runChanged) {
		return
	}
	p.report.Left, p.report.Instead = left, best
	r.stop()
}

// recompile returns the run's job in another order, or nil if it cannot be searched in that order.
func (r *run) recompile(ctx context.Context, o pattern.Order) *program {
	job, env := *r.job, *r.env
	job.Order, env.Tally, env.Memory = o, nil, nil
	c, err := compileOrder(ctx, &job, &env, r.sink, true)
	if err != nil || c.none || len(c.segments) != 1 {
		return nil
	}
	return c
}

// otherOrders lists the orders to try: the job's alternatives and its own order, without the order that the search has.
func (c *program) otherOrders() (orders []pattern.Order) {
	seen := [][]int{c.sequence()}
	for _, o := range append(c.job.AlternativeOrders(), c.job.Order) {
		if seq := sequence(o.Steps); len(seq) == len(c.steps) && !slices.ContainsFunc(seen, func(x []int) bool { return slices.Equal(x, seq) }) {
			seen, orders = append(seen, seq), append(orders, o)
		}
	}
	return orders
}

// sequence returns the query vertices in the order of the steps.
func sequence(steps []pattern.Step) []int {
	seq := make([]int, len(steps))
	for k := range steps {
		seq[k] = steps[k].Vertex
	}
	return seq
}

// sequence returns the query vertices in the order of the program's steps.
func (c *program) sequence() []int {
	seq := make([]int, len(c.steps))
	for k := range c.steps {
		seq[k] = c.steps[k].u
	}
	return seq
}

// left estimates how many list elements r still has to go through: by the trial t of its own order, or by what r has done, whichever is
// less.
func (r *run) left(t trial) float64 {
	units, done := float64(r.progress.units.Load()), float64(r.progress.roots.Load())
	return min(t.mean*max(0, 1-done/max(1, units)), r.leftAsYet())
}

// leftAsYet estimates how many list elements r still has to go through, by what it has done.
func (r *run) leftAsYet() float64 {
	units, done := float64(r.progress.units.Load()), float64(max(1, r.progress.roots.Load()))
	return float64(r.progress.work.Load()) * max(0, units-done) / done
}

// trial is what an order has shown on a few first vertices: the list elements to expect of all of them.
type trial struct {
	mean float64 // by the mean; at least, if not done
	high float64 // two standard errors more
	done bool    // it was enough to go by
	work uint64  // list elements that it went through
}

// leash holds a run on trial.
type leash struct {
	limit  uint64 // list elements
	parent *run
}

// try searches below some first vertices of c, drops what it finds, and stops after limit list elements. It takes the first vertices at
// the multiples of the golden ratio, so that any number of them is spread evenly over all.
func (r *run) try(ctx context.Context, c *program, limit uint64) trial {
	env := &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: replanMemory}, Without: r.env.Without, Order: r.env.Order, Filter: r.env.Filter}
	t := &run{program: c, segment: c.segments[0], env: env, leash: &leash{limit, r}}
	if r.sink != nil {
		t.sink = nowhere{r.sink.NeedEdges()}
	}
	t.pool.init()
	defer context.AfterFunc(ctx, t.stop)()
	w := newWorker(t)
	w.overCandidates = true // not worth its cost here, and the program is others' too
	w.nextTick = min(w.nextTick, limit)
	list := c.steps[0].set.List()
	step := max(1, uint64(float64(len(list))*(math.Sqrt(5)-1)/2))
	for gcd(step, uint64(len(list))) > 1 {
		step++
	}
	sum, squares, n, at := 0.0, 0.0, 0, uint64(0)
	for n < min(len(list), replanSample) && !t.halted() && w.work < limit {
		before := w.work
		w.loop(0, list[at:at+1], false, 1)
		spent := float64(w.work - before)
		sum, squares, n = sum+spent, squares+spent*spent, n+1
		at = (at + step) % uint64(len(list))
	}
	if n == 0 {
		return trial{work: w.work}
	}
	all, mean := float64(len(list)), sum/float64(n)
	deviation := math.Sqrt(max(0, squares/float64(n)-mean*mean)/float64(n)) * math.Sqrt(1-float64(n)/all)
	return trial{mean: mean * all, high: (mean + 2*deviation) * all, done: !t.halted() && t.err == nil && (n == len(list) || n >= replanLeast), work: w.work}
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// strain stops a run on trial that has gone through enough, or that nobody waits for any more.
func (w *worker) strain() {
	l := w.leash
	w.nextTick = min(w.work+tickWork, max(l.limit, w.work+1))
	if w.work >= l.limit || l.parent.halted() {
		w.stop()
	}
}

// nowhere is a sink that forgets.
type nowhere struct{ edges bool }

func (s nowhere) NeedEdges() bool { return s.edges }

func (nowhere) Emit([]pattern.Embedding) (bool, error) { return true, nil }

// withdraw takes the progress of a run that ended for another order off the tally.
func (r *run) withdraw() {
	if t := r.env.Tally; t != nil {
		t.Embeddings.Add(-r.progress.found.Load())
		t.Units.Add(-r.progress.units.Load())
		t.UnitsDone.Add(-r.progress.roots.Load())
	}
}

// tellReplanned records why the run ended for another order.
func (r *run) tellReplanned() {
	r.env.Took(pattern.Replan, 1)
	t := r.env.Tally
	if t == nil {
		return
	}
	report := r.replan.report
	report.From, report.To = r.sequence(), r.replan.next.sequence()
	t.Order.Store(&report.To)
	t.Replanned.Store(&report)
}

// begin notes that the run will go through n first vertices.
func (r *run) begin(n int) {
	r.progress.units.Add(uint64(n))
	if r.env.Tally != nil {
		r.env.Tally.Units.Add(uint64(n))
	}
}
