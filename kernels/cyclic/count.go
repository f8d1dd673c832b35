package cyclic

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// run is one call of Count.
type run struct {
	ctx     context.Context
	env     *pattern.Env
	stop    atomic.Bool
	full    atomic.Pointer[error] // why a worker got no memory
	charged atomic.Int64
	adj     *csr.Adjacency
	within  *pattern.CandidateSet
	weigh   *pattern.Factor
	g       *graph
	order   []csr.VertexID // by rank
	number  []uint32       // by vertex: its rank
	roofs   []uint32       // of houses: see supports
	listed  *triangles     // of subdivided cliques
}

// Weighs reports whether Count counts homomorphisms of g by their weights.
func Weighs(g pattern.CyclicGraph) bool { return g == pattern.Prism }

// Count returns the number of homomorphisms of each of the graphs to the vertices of within, nil for all, where adj joins them. n is the
// number of vertices of adj. If weigh is not nil, a homomorphism counts as often as the product of the weights of its pairs
// says, and Weighs must hold for all graphs. It fails with pattern.ErrOverflow, with pattern.ErrMemory, or within
// milliseconds with the context's error.
func Count(ctx context.Context, adj *csr.Adjacency, n uint64, within *pattern.CandidateSet, weigh *pattern.Factor, of []pattern.CyclicGraph, env *pattern.Env) ([]pattern.Count128, error) {
	r := &run{ctx: ctx, env: env, adj: adj, within: within, weigh: weigh}
	defer context.AfterFunc(ctx, func() { r.stop.Store(true) })()
	defer func() { env.Memory.Release(r.charged.Load()) }()
	if err := r.rank(n); err != nil {
		return nil, err
	}
	counts := make([]pattern.Count128, len(of))
	for i, x := range of {
		total, err := r.count(x)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if total.over != 0 {
			return nil, pattern.ErrOverflow
		}
		counts[i] = total.Count128
	}
	return counts, nil
}

// count counts one graph.
func (r *run) count(x pattern.CyclicGraph) (sum, error) {
	needs, step, err := r.step(x)
	if err != nil {
		return sum{}, err
	}
	return r.each(needs, step)
}

// step prepares a graph. It returns the function that adds the homomorphisms counted at a vertex to the total of a worker, and which arrays that needs.
func (r *run) step(x pattern.CyclicGraph) (needs need, step func(w *worker, u uint32), err error) {
	switch x {
	case pattern.Cycle5, pattern.Cycle6:
		return need{walks: true, far: x == pattern.Cycle6}, func(w *worker, u uint32) {
			w.walks.add(&r.g.lists, u, 5+int(x-pattern.Cycle5), &w.total)
		}, nil
	case pattern.Wheel4, pattern.Wheel5:
		return need{hood: true}, func(w *worker, u uint32) { w.wheel(u, 4+int(x-pattern.Wheel4)) }, nil
	case pattern.NearClique, pattern.TailedClique, pattern.HattedClique:
		return need{hood: true}, func(w *worker, u uint32) { w.cliques(x, u) }, nil
	case pattern.SubdividedClique:
		return r.subdivided()
	case pattern.House:
		return r.houses()
	}
	return need{walks: true, hood: true, prism: true}, (*worker).prisms, nil
}

// charge charges bytes to the query's memory until the end of the run.
func (r *run) charge(bytes int64) error {
	r.charged.Add(bytes)
	return r.env.Memory.Charge(bytes)
}

// chunk is how many vertices a worker takes at a time.
const chunk = 16

// need says which arrays a worker has.
type need struct{ walks, far, hood, prism, edges bool }

// worker counts at some vertices.
type worker struct {
	*run
	total sum
	walks walker
	hood  hood
	pairs pairLists
	edges []uint64 // by vertex: edges that make a triangle with it and with the vertex at hand; or as houses says
}

// each calls fn for all vertices on workers, and returns the sum of their totals. The highest vertices come first, which have most work.
func (r *run) each(x need, fn func(w *worker, u uint32)) (total sum, err error) {
	n := r.g.size()
	ws := make([]*worker, max(1, min(r.env.Workers, n/chunk)))
	before := r.charged.Load()
	defer func() {
		more := r.charged.Load() - before
		r.env.Memory.Release(more)
		r.charged.Add(-more)
	}()
	for i := range ws {
		ws[i] = &worker{run: r}
		if err := ws[i].prepare(x); err != nil {
			return total, err
		}
	}
	if t := r.env.Tally; t != nil {
		t.Units.Add(uint64(n))
	}
	parallel.For(len(ws), n, chunk, &r.stop, func(worker, lo, hi int) {
		for i := lo; i < hi && !r.stop.Load(); i++ {
			fn(ws[worker], uint32(n-1-i))
		}
		if t := r.env.Tally; t != nil {
			t.UnitsDone.Add(uint64(hi - lo))
		}
	})
	if err := r.full.Load(); err != nil {
		return total, *err
	}
	for _, w := range ws {
		total.plus(w.total, 1)
	}
	return total, r.ctx.Err()
}

// prepare makes the worker's arrays.
func (w *worker) prepare(x need) error {
	n := w.g.size()
	most := 0 // neighbours of a vertex
	for v := range uint32(n) {
		most = max(most, len(w.g.row(v)))
	}
	if x.walks || x.edges {
		if err := w.walks.prepare(w.run, n, x.far); err != nil {
			return err
		}
	}
	if x.edges {
		w.edges = hugepages.Make[uint64](n)
		if err := w.charge(8 * int64(n)); err != nil {
			return err
		}
	}
	if x.hood {
		if err := w.hood.prepare(w.run, n, most); err != nil {
			return err
		}
	}
	if x.prism {
		return w.pairs.prepare(w.run, n, most, w.g.weight != nil)
	}
	return nil
}

// needMemory charges bytes. It stops the run and reports false if there are not so many.
func (r *run) needMemory(bytes int64) bool {
	err := r.charge(bytes)
	if err == nil {
		return true
	}
	r.full.CompareAndSwap(nil, &err)
	r.stop.Store(true)
	return false
}

// sum is a sum of products. over is not 0 if it has more than 128 bits.
type sum struct {
	pattern.Count128
	over uint64
}

// add adds a*b.
func (s *sum) add(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, lo, 0)
	s.Hi, carry = bits.Add64(s.Hi, hi, carry)
	s.over |= carry
}

// plus adds times*x.
func (s *sum) plus(x sum, times uint64) {
	s.over |= x.over
	product, err := x.Mul(times)
	if err == nil {
		s.Count128, err = s.Add(product)
	}
	if err != nil {
		s.over = 1
	}
}
