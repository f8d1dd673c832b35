// Package join finds and counts the matches of a pattern: the candidate-vertex join.
//
// A pattern.Job goes in: a snapshot, a pattern, its candidate sets and a matching order. Out come a number of matches (Count) or the
// matches themselves, in batches to a sink (Match).
//
// The join extends a partial embedding by one query vertex at a time, depth first, along the matching order. The choices for a
// vertex are the intersection of the neighbour lists of the vertices matched to its neighbours (GpSI, "Research on subgraph matching
// optimization based on GPU", 2023, algorithms 2 and 3). So the work follows the lists, and no intermediate table is ever
// stored. What makes it fast beside that:
//
//   - It keeps what earlier vertices contribute to an intersection while they stand, as a bitmap once it is used again (extender.go).
//   - A count takes the choices of the last vertex by their number, and those of every vertex on which no later one
//     depends. It keeps numbers that come up again (memo.go) and multiplies those of independent parts.
//   - It matches vertices first and counts relationships after. Edges choose their relationships independently,
//     but for the few pairs that could take the same one (compile_distinctness.go, weights.go).
//   - Where all vertices still to come lie around a matched one, it goes on in bitmaps (dense_search.go).
//   - A search that proves long cuts neighbour lists down to candidates (candidate_views.go) and calls other workers in,
//     which split each other's loops (steal.go). One that goes through far more than its order promised tries other orders
//     (replan.go).
//   - A search that fails leaves out the vertices that would fail for the same reason (failing_sets.go).
//     One that fails for long remembers why (nogoods.go) and keeps what others need (reservations.go). It then gives the order up, and
//     takes the query vertex with the fewest choices left (forward_checking.go).
//   - A search for rows goes once through vertices of the pattern that nothing tells apart (equal_vertices.go).
//   - A long count may need no search at all (formula.go).
//
// A job is compiled to a program (compile.go, program.go), which all workers share and none changes. Each worker has its own embedding
// and scratch (worker.go). The join never changes the snapshot, never tests labels again, and never returns part of a count: it
// is exact, or there is an error.
package join

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/pattern"
)

// Count returns the number of matches of j, or pattern.ErrOverflow. j.Candidates must come from the filter, which has tested
// labels and most predicates on single vertices; if nil, Count runs the filter first. When ctx ends, Count returns its
// error within some 10 ms.
func Count(ctx context.Context, j *pattern.Job, env *pattern.Env) (pattern.Count128, error) {
	c, err := compile(ctx, j, env, nil)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return pattern.Count128{}, err
	}
	total, done, err := c.byFormula(ctx, env, CPUCounter{}, c.cost)
	if err != nil || done {
		return total, err
	}
	if n, done, err := c.byEdges(ctx, env, nil); done {
		return pattern.Count(n), err
	}
	total, err = c.bySearch(ctx, env)
	if errors.Is(err, errOutgrown) {
		if total, done, err = c.byFormula(ctx, env, CPUCounter{}, math.Inf(1)); err != nil || done {
			return total, err
		}
		c.byArrays = math.Inf(1)
		total, err = c.bySearch(ctx, env)
	}
	if err != nil {
		return pattern.Count128{}, err
	}
	if env.Tally != nil {
		env.Tally.Embeddings.Add(total.Lo)
	}
	return total, nil
}

// bySearch returns the number of matches. It fails with errOutgrown if the search turns out to be longer than the formula.
func (c *program) bySearch(ctx context.Context, env *pattern.Env) (pattern.Count128, error) {
	total := pattern.Count(1)
	for _, s := range c.segments {
		n, last, err := start(ctx, c, s, env, nil)
		if err == nil {
			total, err = multiply(total, n)
		}
		if err != nil || total == (pattern.Count128{}) {
			return pattern.Count128{}, err
		}
		c = last
	}
	total, _ = total.Div(c.divisor)
	return total, nil
}

// Match sends every match of j to the sink, in batches that start small, until the sink wants no more. Candidates, context and
// errors are as with Count.
func Match(ctx context.Context, j *pattern.Job, env *pattern.Env, sink pattern.Sink) error {
	c, err := compile(ctx, j, env, sink)
	if c != nil {
		defer c.byValue.release()
	}
	if err != nil || c.none {
		return err
	}
	if done, err := c.byGroups(ctx, env, sink); done || err != nil {
		return err
	}
	if done, err := c.byPairs(ctx, env, sink); done || err != nil {
		return err
	}
	if _, done, err := c.byEdges(ctx, env, sink); done {
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

	columnSink pattern.ColumnSink // the sink, if it takes columns; else nil
	repeats    bool               // it takes no weights
	read       []int              // query vertices that it reads
	readEdges  []int              // query edges that it reads
	batchRows  int                // rows that it takes at once

	columnOf     []int // by query vertex: its column, or -1; nil where the sink gets no runs
	distinctRows bool  // no two rows that it gets agree

	pool     pool
	helpOnce sync.Once

	replan   *replanning   // nil: the order stands
	phase    atomic.Uint32 // runQuiet, runEmitted or runChanged
	progress progress
	leash    *leash // nil: the run is not on trial

	portfolio *portfolio     // nil: no other order takes turns with this one
	rounds    *rounds        // nil: each first vertex is searched to its end
	share     *pattern.Share // nil: the run does all of its segment

	questions questions // of workers whose predicates raise errors

	mu        sync.Mutex
	err       error            // what ended the search early
	count     pattern.Count128 // of the workers that are done
	totalWork uint64           // list elements that they looked at
	visits    []uint64         // by query vertex: partial embeddings that end with it, for the tally
}

// start searches a segment to the end. It returns the program searched: another one than c if the order changed on the
// way, which only happens where c has a single segment.
func start(ctx context.Context, c *program, s segment, env *pattern.Env, sink pattern.Sink) (pattern.Count128, *program, error) {
	r := newRun(c, s, env, sink)
	if mayChange(c, env) {
		if env.Uses(pattern.Replan) {
			r.replan = newReplanning(ctx, c, sink)
		}
		if sink != nil && env.Uses(pattern.OrderTurns) {
			r.enter(ctx)
		}
	}
	n, err := r.lead(ctx)
	if p := r.portfolio; p != nil && p.begun {
		return p.result()
	}
	if err != nil || r.phase.Load() != runChanged {
		return n, c, err
	}
	r.withdraw()
	if r.replan.next == nil {
		r.env.Took(pattern.Replan, 1)
		return n, c, errOutgrown
	}
	r.tellReplanned()
	c = r.replan.next
	n, err = newRun(c, c.segments[0], env, sink).all(ctx)
	return n, c, err
}

// newRun returns a run of segment s that has not begun.
func newRun(c *program, s segment, env *pattern.Env, sink pattern.Sink) *run {
	r := &run{program: c, segment: s, env: env, sink: sink, first: max(s.lo, c.root)}
	r.pool.init()
	r.pool.helpers.Stop = r.stop
	r.readColumns()
	if env.Tally != nil {
		r.visits = make([]uint64, len(c.steps))
	}
	return r
}

// all searches the segment with as many workers as it turns out to need.
func (r *run) all(ctx context.Context) (pattern.Count128, error) {
	if err := ctx.Err(); err != nil {
		return pattern.Count128{}, err
	}
	defer context.AfterFunc(ctx, r.stop)()
	defer r.pauseAt()()
	defer r.questions.end()
	r.pool.helpers.Do(func() {
		w := newWorker(r)
		w.total = w.search(r.lo, 1)
		w.help()
	})
	r.pool.helpers.Wait()
	if r.root == 0 {
		r.spent()
	}
	if r.phase.Load() != runChanged {
		r.env.Tally.AddVisits(r.visits)
	}
	if r.err == nil {
		r.err = ctx.Err()
	}
	return r.count, r.err
}

// spent tells the filter how much work there was.
func (r *run) spent() {
	if note := r.job.Candidates.Spent; note != nil {
		note(r.totalWork)
		return
	}
	filter.Spent(r.s, r.p, r.totalWork)
}

// stop ends the search.
func (r *run) stop() {
	r.pool.stop()
	r.questions.end()
	if r.portfolio != nil {
		r.portfolio.stopped()
	}
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

// halted reports whether the search must end.
func (r *run) halted() bool { return r.pool.signal.Load()&stopBit != 0 }
