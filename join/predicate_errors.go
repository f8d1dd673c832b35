package join

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Errors of predicates. A step tests a predicate as soon as it has the elements that the predicate reads, and these may be in no match.
// So an error ends the search only if some match has these elements (pattern.Job.Meeting). If none has, the predicate counts as false: that
// rules out no match, whatever the search concludes from it. So nothing else in the join knows of errors, and a test that gives
// none costs nothing more.

// met returns err if some match has the elements that q reads, given in vertices and edges. q has raised err there.
func (c *program) met(ctx context.Context, q *pattern.Predicate, vertices []csr.VertexID, edges []csr.EdgeID, err error) error {
	if errors.Is(err, pattern.ErrMemory) {
		return err
	}
	i := 0
	for &c.p.Predicates[i] != q {
		i++
	}
	key := predicateKey(i, q, vertices, edges)
	if c.unmet.has(i, key) {
		return ctx.Err()
	}
	start := time.Now()
	met, failure := c.anyMatch(ctx, c.job.Meeting(i, vertices, edges))
	switch {
	case failure != nil:
		return failure
	case met:
		return err
	}
	if budget := c.unmet.add(i, key, time.Since(start)); budget > 0 {
		return c.metAnywhere(ctx, i, budget, err)
	}
	return nil
}

// metAnywhere asks whether predicate i is an error for any match, but for no longer than budget. If it is for none, nobody asks again. A
// count fails with err if it is for some.
func (c *program) metAnywhere(ctx context.Context, i int, budget time.Duration, err error) error {
	short, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	met, failure := c.anyMatch(short, c.job.Failing(i))
	switch {
	case failure != nil && (short.Err() != nil || c.emit && !errors.Is(failure, pattern.ErrMemory)): // the time is over, or the sink may stop before
		return ctx.Err()
	case failure != nil:
		return failure
	case met && !c.emit:
		return err
	case !met:
		c.unmet.giveUp(i)
	}
	return nil
}

// anyMatch reports whether j has a match.
func (c *program) anyMatch(ctx context.Context, j *pattern.Job) (bool, error) {
	found := new(pattern.AnyMatch)
	err := Match(ctx, j, &pattern.Env{Workers: 1, Memory: c.byValue.env.Memory, Without: c.byValue.env.Without}, found)
	return found.Found, err
}

// predicateKey names the elements that predicate i reads.
func predicateKey(i int, q *pattern.Predicate, vertices []csr.VertexID, edges []csr.EdgeID) string {
	key := make([]byte, 0, 64)
	add := func(x uint64) {
		for range 8 {
			key = append(key, byte(x))
			x >>= 8
		}
	}
	add(uint64(i))
	for _, u := range q.Vertices {
		add(uint64(vertices[u]))
	}
	for _, e := range q.Edges {
		add(uint64(edges[e]))
	}
	return string(key)
}

// unmetElements are elements for which a predicate has raised an error and which are in no match.
type unmetElements struct {
	mu     sync.Mutex
	known  map[string]struct{}
	byPred map[int]*unmetErrors
}

// unmetErrors are what questions about one predicate have cost.
type unmetErrors struct {
	questions int
	time      time.Duration
	none      bool // no match meets an error of the predicate
}

// mostUnmet is how many elements a search keeps: about a megabyte.
const mostUnmet = 1 << 14

// askAllAfter is how many questions about one predicate are asked before one asks for all matches at once. The next time is after four times
// as many. The one question may take as long as those before it together.
var askAllAfter = 64

func (x *unmetElements) has(i int, key string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if of := x.byPred[i]; of != nil && of.none {
		return true
	}
	_, ok := x.known[key]
	return ok
}

// add notes that no match has the elements of key, and how long it took to find out. It returns how long a question for all matches may
// take; 0: do not ask.
func (x *unmetElements) add(i int, key string, took time.Duration) (budget time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known == nil {
		x.known, x.byPred = map[string]struct{}{}, map[int]*unmetErrors{}
	}
	if len(x.known) < mostUnmet {
		x.known[key] = struct{}{}
	}
	of := x.byPred[i]
	if of == nil {
		of = new(unmetErrors)
		x.byPred[i] = of
	}
	of.questions++
	of.time += took
	for n := askAllAfter; n <= of.questions; n *= 4 {
		if n == of.questions {
			return max(of.time, time.Millisecond)
		}
	}
	return 0
}

// giveUp notes that no match meets an error of predicate i.
func (x *unmetElements) giveUp(i int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byPred[i].none = true
}

// questions asks whether matches exist, for a run. They end with the run.
type questions struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
}

// context returns the context of the questions, which end ends.
func (x *questions) context(r *run) context.Context {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ctx == nil {
		x.ctx, x.cancel = context.WithCancel(r.byValue.ctx)
	}
	if r.halted() {
		x.cancel()
	}
	return x.ctx
}

func (x *questions) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.cancel != nil {
		x.cancel()
	}
}

// raise fails the search with err, which q has raised for the elements given, if some match has them. It returns false: q does not hold.
func raise(w *worker, q *pattern.Predicate, vertices []csr.VertexID, edges []csr.EdgeID, err error) bool {
	err = w.met(w.questions.context(w.run), q, vertices, edges, err)
	if err != nil && w.emit && !w.halted() {
		w.out.giveBefore(w) // these matches may be all that the sink wants
	}
	if err != nil && !w.halted() { // a search that ends otherwise has cancelled the question
		w.fail(err)
	}
	return false
}
