package join

import (
	"context"
	"errors"
	"sync"

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
	if c.unmet.has(key) {
		return ctx.Err()
	}
	env, found := &pattern.Env{Workers: 1, Memory: c.byValue.env.Memory, Without: c.byValue.env.Without}, new(pattern.AnyMatch)
	if failure := Match(ctx, c.job.Meeting(i, vertices, edges), env, found); failure != nil {
		return failure
	}
	if found.Found {
		return err
	}
	c.unmet.add(key)
	return nil
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
	mu    sync.Mutex
	known map[string]struct{}
}

// mostUnmet is how many of them a search keeps: about a megabyte.
const mostUnmet = 1 << 14

func (x *unmetElements) has(key string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.known[key]
	return ok
}

func (x *unmetElements) add(key string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known == nil {
		x.known = map[string]struct{}{}
	}
	if len(x.known) < mostUnmet {
		x.known[key] = struct{}{}
	}
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
