package cyclic

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Counting in portions. Each homomorphism is counted at one vertex: its highest one, or its hub. So ranges of vertices can be counted one by one,
// even in several processes: the numbers of disjoint ranges add up. What all vertices need is made once: ranks, lists, triangles.

// Portions counts graphs at ranges of vertices. It is for one goroutine, and of no use after an error.
type Portions struct {
	r     *run
	w     *worker
	of    []pattern.CyclicGraph
	steps []func(w *worker, u uint32) // by graph
}

// NewPortions prepares to count graphs as Count does. It charges what it keeps to the memory of env, and gives nothing back: see Held.
func NewPortions(ctx context.Context, adj *csr.Adjacency, n uint64, within *pattern.CandidateSet, weigh *pattern.Factor, of []pattern.CyclicGraph, env *pattern.Env) (*Portions, error) {
	p := &Portions{r: &run{adj: adj, within: within, weigh: weigh}, of: of}
	defer p.begin(ctx, env)()
	if err := p.r.rank(n); err != nil {
		return p, err
	}
	return p, p.prepare()
}

// Beside returns Portions for another goroutine. They share what p has made for all vertices. Their own arrays are charged nowhere: those of p have the same size.
func (p *Portions) Beside() *Portions {
	from := p.r
	x := &Portions{r: &run{adj: from.adj, within: from.within, weigh: from.weigh, g: from.g, order: from.order, number: from.number, roofs: from.roofs, listed: from.listed}, of: p.of}
	defer x.begin(context.Background(), new(pattern.Env))()
	if err := x.prepare(); err != nil {
		panic(err) // there is no limit of memory, and nothing is counted
	}
	return x
}

// prepare makes what the graphs need beside the ranks.
func (p *Portions) prepare() error {
	p.w = &worker{run: p.r}
	var all need
	for _, x := range p.of {
		needs, step, err := p.r.step(x)
		if err != nil {
			return err
		}
		p.steps, all = append(p.steps, step), all.with(needs)
	}
	return p.w.prepare(all)
}

// begin readies the run for a call that ends with ctx. The returned function must be called.
func (p *Portions) begin(ctx context.Context, env *pattern.Env) (end func()) {
	p.r.ctx, p.r.env = ctx, env
	stop := context.AfterFunc(ctx, func() { p.r.stop.Store(true) })
	return func() { stop() }
}

// Held is how many bytes p has charged and keeps.
func (p *Portions) Held() int64 { return p.r.charged.Load() }

// Count counts the graphs at the vertices [lo, hi). It ends earlier, after one vertex at least, where enough of the vertex to come next says so.
// It returns the first vertex that it has not counted. The errors are those of the function Count.
func (p *Portions) Count(ctx context.Context, lo, hi csr.VertexID, env *pattern.Env, enough func(next csr.VertexID) bool) (counts []pattern.Count128, next csr.VertexID, err error) {
	defer p.begin(ctx, env)()
	totals := make([]sum, len(p.steps))
	for next = lo; next < hi && !p.r.stop.Load(); next++ {
		u, ok := p.r.rankOf(next)
		if next > lo && enough(next) {
			break
		}
		for i := 0; ok && i < len(p.steps); i++ {
			p.w.total = sum{}
			p.steps[i](p.w, u)
			totals[i].plus(p.w.total, 1)
		}
	}
	if err := p.r.full.Load(); err != nil {
		return nil, next, *err
	}
	if err := ctx.Err(); err != nil {
		return nil, next, err
	}
	for _, total := range totals {
		if total.over != 0 {
			return nil, next, pattern.ErrOverflow
		}
		counts = append(counts, total.Count128)
	}
	return counts, next, nil
}

// rankOf returns the rank of a vertex; ok is false if it has no neighbour.
func (r *run) rankOf(v csr.VertexID) (rank uint32, ok bool) {
	if uint64(v) >= uint64(len(r.number)) || len(r.order) == 0 {
		return 0, false
	}
	rank = r.number[v]
	return rank, r.order[rank] == v // the number of a vertex without neighbours is 0, as that of the lowest
}

// with returns the arrays that a worker needs for both.
func (x need) with(y need) need {
	return need{x.walks || y.walks, x.far || y.far, x.hood || y.hood, x.prism || y.prism, x.edges || y.edges}
}
