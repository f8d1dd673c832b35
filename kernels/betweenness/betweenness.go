package betweenness

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/workgroup"
	"github.com/motifql/motif/kernels/dijkstra"
	"github.com/motifql/motif/kernels/network"
)

// run is how many sources a worker takes at once. Their sum is added to the scores as one.
const run = 16

// Score returns the betweenness of every vertex. It charges its scratch to env.Memory. It fails with pattern.ErrMemory, a
// *pattern.WeightError, pattern.ErrWeightRange or the context's error.
func Score(ctx context.Context, s *csr.Snapshot, r *pattern.ScoreRequest, env *pattern.Env) ([]float64, error) {
	g, err := network.New(ctx, s, &r.Network, network.Out, env)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	b := &betweenness{Graph: g, env: env, score: make([]float64, g.N)}
	b.turn.L = &b.mu
	b.number(r.Sources)
	workers := min(max(1, env.Workers), max(1, (len(b.sources)+run-1)/run))
	each := int64(workerBytes)
	if g.Out.Weights != nil {
		each += 2 * dijkstra.Bytes(1)
	}
	bytes := int64(workers)*each*int64(g.N) + 8*int64(g.N) + 4*int64(len(b.sources))
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, b.end)()
	if t := env.Tally; t != nil {
		t.Units.Add(uint64(len(b.sources)))
	}
	all := workgroup.Group{Stop: b.end}
	for range workers - 1 {
		all.Go(b.work)
	}
	all.Do(b.work)
	all.Wait()
	if b.tooFar.Load() {
		return nil, pattern.ErrWeightRange
	}
	b.scale(r)
	return network.Spread(g, s.N(), b.score), ctx.Err()
}

type betweenness struct {
	*network.Graph
	env     *pattern.Env
	sources []csr.VertexID
	score   []float64
	tooFar  atomic.Bool

	stop atomic.Bool
	next atomic.Int64 // the next run of sources
	mu   sync.Mutex
	turn sync.Cond
	sums int64 // runs added to score
}

// number fills in the sources.
func (b *betweenness) number(list []csr.VertexID) {
	if list == nil {
		for v := range csr.VertexID(b.N) {
			b.sources = append(b.sources, v)
		}
		return
	}
	seen := map[int]bool{}
	for _, v := range list {
		if i, ok := b.Number(v); ok && !seen[i] {
			seen[i] = true
			b.sources = append(b.sources, csr.VertexID(i))
		}
	}
}

// end stops all workers, also those that wait.
func (b *betweenness) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop.Store(true)
	b.turn.Broadcast()
}

func (b *betweenness) work() {
	w := newWorker(b)
	for {
		i := b.next.Add(1) - 1
		lo := i * run
		if lo >= int64(len(b.sources)) {
			return
		}
		list := b.sources[lo:min(lo+run, int64(len(b.sources)))]
		for _, v := range list {
			if w.from(v); b.stop.Load() {
				return
			}
		}
		if !b.add(i, w.sum) {
			return
		}
		clear(w.sum)
		if t := b.env.Tally; t != nil {
			t.UnitsDone.Add(uint64(len(list)))
		}
	}
}

// add adds the sum of run i to the scores, after those before it. It reports false after a stop.
func (b *betweenness) add(i int64, sum []float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.sums != i && !b.stop.Load() {
		b.turn.Wait()
	}
	if b.stop.Load() {
		return false
	}
	for v, x := range sum {
		b.score[v] += x
	}
	b.sums++
	b.turn.Broadcast()
	return true
}

// scale makes the sums over ordered pairs what the request asks for.
func (b *betweenness) scale(r *pattern.ScoreRequest) {
	by, pairs := 1.0, float64(b.N-1)*float64(b.N-2)
	if r.Sources == nil && r.Direction == csr.Both {
		by, pairs = 0.5, pairs/2
	}
	if r.Normalize && pairs > 0 {
		by /= pairs
	}
	for v := range b.score {
		b.score[v] *= by
	}
}
