package join

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/pattern"
)

// A matching order is chosen by estimates, and these can be far off: labels that are rare together on average may abound
// just where the search goes. So a long search that goes through far more than its order promised, or has so much left to do
// that trials cost next to nothing, has the other orders tried out, each on a few of its first vertices spread over all of them, and on equal terms: from scratch, over the same
// kind of lists. If one does with a small part of what is left to do, the search starts anew in that order.
//
// Whoever notices tries the orders, while the other workers go on; all it may spend is a small part of what has been spent.
// Nothing is lost if no order is better: the search goes on where it was.
//
// A count drops what it has counted. Rows cannot be taken back: once a Match has handed over the first batch, it keeps its
// order to the end, and while it has handed over none, it may change it (run.changed or run.emitted, whichever comes first).
// A query changes its order once at most.

var (
	replanAfter    = uint64(32 << 20) // list elements before an order is looked at; short searches never pay
	replanAgain    = uint64(8)        // how many times as many before it is looked at once more
	replanSurprise = 8.0              // how many times what was expected is far off
	replanLong     = 16.0             // how many times what has been spent is left of a search that can afford trials anyway
	replanShare    = 16.0             // part of the list elements spent that all trials together may take
	replanGain     = 2.0              // how many times less than what is left another order must promise
	replanSample   = 512              // first vertices that an order is tried on
	replanLeast    = 16               // and how many it must be done with for its promise to count, unless it has fewer
)

// replanMost is how many list elements trials may take at most: some 20 ms.
const replanMost = 4 << 20

// replanMemory is what a trial may use.
const replanMemory = 16 << 20

// Phases of a run.
const (
	runQuiet   = iota // nothing has been handed over
	runEmitted        // rows have; the order stands
	runChanged        // the search is being given up for another order; nothing may be handed over any more
)

// replanning decides whether a run goes on.
type replanning struct {
	ctx  context.Context
	at   atomic.Uint64 // list elements at which to look at the order
	busy atomic.Bool   // some worker does

	next *program // what to search instead; set before the run stops
	told pattern.Replanned
}

// progress is what a run's workers have reported.
type progress struct{ work, partial, found, roots, units atomic.Uint64 }

// mayReplan reports whether the order of c may be changed on the way.
func mayReplan(c *program, env *pattern.Env) bool {
	switch {
	case env.Order != pattern.OrderAuto || !env.Uses(pattern.Replan) || c.job.Others == nil:
		return false
	case c.job.Once > 0: // the order says which vertices are wanted
		return false
	case c.root > 0 || len(c.steps) < 4 || len(c.steps) > 64 || len(c.segments) != 1 || len(c.steps[0].sources) > 0:
		return false
	}
	return !slices.ContainsFunc(c.p.Edges, func(e pattern.Edge) bool { return e.Bound })
}

// reconsider has the order looked at if it is time.
func (w *worker) reconsider() {
	p := w.replan
	if p == nil || w.phase.Load() != runQuiet {
		return
	}
	if work := w.seen.work.Load(); work >= p.at.Load() && p.busy.CompareAndSwap(false, true) {
		if expected, actual := w.expected(); actual > replanSurprise*expected || w.leftAsYet() > replanLong*float64(work) {
			p.at.Store(max(replanAgain*work, 1))
			p.told = pattern.Replanned{Spent: work, Expected: expected, Actual: actual, List: w.weighed}
			p.tryOrders(w.run)
		}
		p.busy.Store(false)
	}
}

// expected is what the estimate says that the part of the search that is done takes, and what it took: list elements where
// the order was weighed by them, else partial embeddings.
func (r *run) expected() (expected, actual float64) {
	done := float64(max(1, r.seen.roots.Load())) / float64(max(1, r.seen.units.Load()))
	if r.weighed {
		return r.cost * done, float64(r.seen.work.Load())
	}
	return r.cost * done, float64(r.seen.partial.Load())
}

// tryOrders tries the orders that there are and stops r if one of them is much better.
func (p *replanning) tryOrders(r *run) {
	if r.env.Memory.Grow(replanMemory) != nil {
		_ = r.env.Memory.Grow(-replanMemory) // giving back does not fail
		return
	}
	defer func() { _ = r.env.Memory.Grow(-replanMemory) }()
	orders := p.others(r.program)
	if len(orders) == 0 {
		return
	}
	each := uint64(min(float64(p.told.Spent)/replanShare, replanMost)) / uint64(len(orders)+1)
	left := r.left(r.try(p.ctx, r.program, each))
	best := left / replanGain
	for i := range orders {
		own := *r.job
		own.Order = orders[i]
		env := *r.env
		env.Tally, env.Memory = nil, nil
		c, err := compileOrder(p.ctx, &own, &env, r.sink, true)
		if err != nil || c.none || len(c.segments) != 1 || r.halted() {
			continue
		}
		if t := r.try(p.ctx, c, each); t.done && t.high < best {
			best, p.next = t.high, c
		}
	}
	if p.next == nil || !r.phase.CompareAndSwap(runQuiet, runChanged) {
		return
	}
	p.told.Left, p.told.Instead = left, best
	r.stop()
}

// others lists the orders to be tried: those that the job knows of and the one that it came with, less the one taken.
func (p *replanning) others(c *program) (orders []pattern.Order) {
	seen := [][]int{c.sequence()}
	for _, o := range append(c.job.Others(), c.job.Order) {
		if seq := sequence(o.Steps); len(seq) == len(c.steps) && !slices.ContainsFunc(seen, func(x []int) bool { return slices.Equal(x, seq) }) {
			seen, orders = append(seen, seq), append(orders, o)
		}
	}
	return orders
}

func sequence(steps []pattern.Step) []int {
	seq := make([]int, len(steps))
	for k := range steps {
		seq[k] = steps[k].Vertex
	}
	return seq
}

// sequence is the query vertices in the order of the steps.
func (c *program) sequence() []int {
	seq := make([]int, len(c.steps))
	for k := range c.steps {
		seq[k] = c.steps[k].u
	}
	return seq
}

// left estimates the list elements that r still has to go through, of all that t promises. What is done so far says how many,
// too; the smaller number counts.
func (r *run) left(t trial) float64 {
	units, done := float64(r.seen.units.Load()), float64(r.seen.roots.Load())
	return min(t.mean*max(0, 1-done/max(1, units)), r.leftAsYet())
}

// leftAsYet estimates the list elements that r still has to go through by those that it has.
func (r *run) leftAsYet() float64 {
	units, done := float64(r.seen.units.Load()), float64(max(1, r.seen.roots.Load()))
	return float64(r.seen.work.Load()) * max(0, units-done) / done
}

// trial is what an order has shown on a few first vertices, in terms of all: list elements to be gone through.
type trial struct {
	mean float64 // by the mean; at least, if not done
	high float64 // two standard errors more
	done bool    // it was enough to go by
}

// leash holds a run on trial.
type leash struct {
	limit  uint64 // list elements
	parent *run
}

// try searches below some first vertices of c, in vain, until limit list elements are gone through. The first vertices are
// those at the multiples of the golden ratio: any number of them is spread evenly over all.
func (r *run) try(ctx context.Context, c *program, limit uint64) trial {
	env := &pattern.Env{Workers: 1, Memory: &pattern.Memory{Limit: replanMemory}, Without: r.env.Without, Order: r.env.Order, Filter: r.env.Filter}
	t := &run{program: c, segment: c.segments[0], env: env, leash: &leash{limit, r}}
	if r.sink != nil {
		t.sink = nowhere{r.sink.NeedEdges()}
	}
	t.pool.wake.L = &t.pool.mu
	t.pool.workers = 1
	defer context.AfterFunc(ctx, t.stop)()
	w := newWorker(t)
	w.narrowed = true // not worth its cost here, and the program is others' too
	w.due = min(w.due, limit)
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
		return trial{}
	}
	all, mean := float64(len(list)), sum/float64(n)
	deviation := math.Sqrt(max(0, squares/float64(n)-mean*mean)/float64(n)) * math.Sqrt(1-float64(n)/all)
	return trial{mean: mean * all, high: (mean + 2*deviation) * all, done: !t.halted() && t.err == nil && (n == len(list) || n >= replanLeast)}
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// strain stops a run on trial that has gone through enough, or whose outcome nobody waits for.
func (w *worker) strain() {
	l := w.leash
	w.due = min(w.work+tickWork, max(l.limit, w.work+1))
	if w.work >= l.limit || l.parent.halted() {
		w.stop()
	}
}

// nowhere is a sink that forgets.
type nowhere struct{ edges bool }

func (s nowhere) NeedEdges() bool { return s.edges }

func (nowhere) Emit([]pattern.Embedding) (bool, error) { return true, nil }

// retract takes what a run that was given up has told of its progress off the tally, and tells why.
func (r *run) retract() {
	r.env.Took(pattern.Replan, 1)
	t := r.env.Tally
	if t == nil {
		return
	}
	t.Embeddings.Add(-r.seen.found.Load())
	t.Units.Add(-r.seen.units.Load())
	t.UnitsDone.Add(-r.seen.roots.Load())
	told := r.replan.told
	told.From, told.To = r.sequence(), r.replan.next.sequence()
	t.Order.Store(&told.To)
	t.Replanned.Store(&told)
}

// begin notes that n first vertices are to be gone through.
func (r *run) begin(n int) {
	r.seen.units.Add(uint64(n))
	if r.env.Tally != nil {
		r.env.Tally.Units.Add(uint64(n))
	}
}
