// Package join finds and counts the matches of a pattern among candidate sets: the candidate-vertex join.
//
// A partial embedding is extended one query vertex at a time, depth first, along the job's matching order. The choices
// for a vertex are the intersection of the neighbour lists of those already matched to its neighbours (GpSI,
// "Research on subgraph matching optimization based on GPU", 2023, algorithms 2 and 3), so the work follows the
// lists and no intermediate table is ever stored. What is added to that:
//
//   - What earlier vertices contribute to an intersection is kept while they stand, as a bitmap once it is used again.
//   - A count takes the last vertex's choices, and those of any vertex on which nothing after depends, by their number;
//     it remembers the numbers that come up again (see remember.go), and multiplies those of independent parts.
//   - Vertices are matched first and relationships counted after: they can be chosen independently but for the
//     few pairs of edges that could take the same one (see coincide.go and weights.go).
//   - Where all vertices still to come lie around a matched one, the search goes on in bitmaps (see dense.go).
//   - Once a search has proved long, neighbour lists are cut down to candidates (see restrict.go) and workers
//     called in, which split each other's loops (see pool.go). If it goes through far more than the order promised,
//     other orders are tried (see replan.go).
package join

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
)

// Count returns the number of matches of j, exactly or with pattern.ErrOverflow. j.Candidates must come from
// the filter, which has tested labels and most predicates on single vertices; if nil the filter is run first.
// When ctx ends, Count returns its error, within some 10 ms.
func Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error) {
	c, err := compile(ctx, j, env, nil)
	if err != nil || c.none {
		return pattern.Count128{}, err
	}
	total, done, err := c.byFormula(ctx, env, CPU{}, c.cost)
	if err != nil || done {
		return total, err
	}
	total = pattern.Count(1)
	for _, s := range c.segments {
		var n pattern.Count128
		n, c, err = start(ctx, c, s, env, nil)
		if err == nil {
			total, err = multiply(total, n)
		}
		if err != nil || total == (pattern.Count128{}) {
			return pattern.Count128{}, err
		}
	}
	total = divide(total, c.divisor)
	if env.Tally != nil {
		env.Tally.Embeddings.Add(total.Lo)
	}
	return total, nil
}

// divide returns a / n.
func divide(a pattern.Count128, n uint64) pattern.Count128 {
	hi, rest := a.Hi/n, a.Hi%n
	lo, _ := bits.Div64(rest, a.Lo, n)
	return pattern.Count128{Hi: hi, Lo: lo}
}

// Match sends every match of j to the sink, in batches that start small, until the sink wants no more. What is said of
// Count's candidates, context and errors holds here too.
func Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	c, err := compile(ctx, j, env, sink)
	if err != nil || c.none {
		return err
	}
	_, _, err = start(ctx, c, c.segments[0], env, sink)
	return err
}

// run is the search of one segment.
type run struct {
	*program
	segment
	env   *pattern.Env
	sink  pattern.Sink
	first int // the segment's first free step

	signal   atomic.Uint32
	pool     pool
	helpOnce sync.Once

	replan *replanning   // nil: the order stands
	phase  atomic.Uint32 // runQuiet, ...
	seen   progress
	leash  *leash // nil: not on trial

	mu    sync.Mutex
	err   error            // what ended the search early
	count pattern.Count128 // of the workers that are done
	spent uint64           // likewise
}

// start searches a segment to the end. It returns the program that was searched: another one than c if the order was changed
// on the way, which is only done where c has a single segment.
func start(ctx context.Context, c *program, s segment, env *pattern.Env, sink pattern.Sink) (pattern.Count128, *program, error) {
	r := newRun(c, s, env, sink)
	if mayReplan(c, env) {
		r.replan = &replanning{ctx: ctx}
		r.replan.at.Store(replanAfter)
	}
	n, err := r.all(ctx)
	if err != nil || r.phase.Load() != runChanged {
		return n, c, err
	}
	r.retract()
	c = r.replan.next
	n, err = newRun(c, c.segments[0], env, sink).all(ctx)
	return n, c, err
}

func newRun(c *program, s segment, env *pattern.Env, sink pattern.Sink) *run {
	r := &run{program: c, segment: s, env: env, sink: sink, first: max(s.lo, c.root)}
	r.pool.wake.L = &r.pool.mu
	r.pool.workers = 1
	return r
}

// all searches to the end.
func (r *run) all(ctx context.Context) (pattern.Count128, error) {
	if err := ctx.Err(); err != nil {
		return pattern.Count128{}, err
	}
	defer context.AfterFunc(ctx, r.stop)()
	w := newWorker(r)
	w.total = w.search(r.lo, 1)
	w.help()
	r.pool.helpers.Wait()
	if r.root == 0 {
		filter.Spent(r.s, r.p, r.spent)
	}
	if r.err == nil {
		r.err = ctx.Err()
	}
	return r.count, r.err
}

// stop ends the search.
func (r *run) stop() {
	r.signal.Or(stopBit)
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.pool.wake.Broadcast()
}

// fail ends the search with an error; the first one counts.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.stop()
}

// halted reports whether the search is to end.
func (r *run) halted() bool { return r.signal.Load()&stopBit != 0 }
