package similarity

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/network"
	"github.com/motifql/motif/kernels/parallel"
)

// resultBytes is the memory of a pair in the answer.
const resultBytes = 4 + 4 + 8

// Find lists the most similar vertices. It charges its scratch to env.Memory, and not the result. It fails with pattern.ErrMemory or the
// context's error.
func Find(ctx context.Context, s *csr.Snapshot, r *pattern.SimilarityRequest, env *pattern.Env) (*pattern.Similarities, error) {
	g, err := network.New(ctx, s, &r.Network, network.Out|network.In, env)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	f := &finder{Graph: g, SimilarityRequest: r, s: s, env: env}
	sources := f.numbers()
	workers := min(max(1, env.Workers), max(1, len(sources)))
	f.charges.Store(8*int64(workers)*int64(g.N) + 28*int64(len(sources)))
	defer func() { env.Memory.Release(f.charges.Load()) }()
	if err := env.Memory.Charge(f.charges.Load()); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { f.stop.Store(true) })()
	if t := env.Tally; t != nil {
		t.Units.Add(uint64(len(sources)))
	}
	found, crew := make([][]pair, len(sources)), make([]*worker, workers)
	parallel.For(workers, len(sources), 32, &f.stop, func(i, lo, hi int) {
		if crew[i] == nil {
			crew[i] = &worker{finder: f, common: make([]uint32, g.N)}
		}
		for k := lo; k < hi && !f.stop.Load(); k++ {
			found[k] = crew[i].find(int(sources[k]))
		}
		if t := env.Tally; t != nil {
			t.UnitsDone.Add(uint64(hi - lo))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.full.Load() {
		return nil, pattern.ErrMemory
	}
	return f.result(sources, found), nil
}

// finder is what all workers share.
type finder struct {
	*network.Graph
	*pattern.SimilarityRequest
	s       *csr.Snapshot
	env     *pattern.Env
	charges atomic.Int64
	full    atomic.Bool // the memory budget is
	stop    atomic.Bool
}

// numbers lists the sources.
func (f *finder) numbers() (list []csr.VertexID) {
	if f.Sources == nil {
		for v := range csr.VertexID(f.N) {
			list = append(list, v)
		}
		return list
	}
	for _, v := range f.Sources {
		if i, ok := f.Number(v); ok {
			list = append(list, csr.VertexID(i))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (f *finder) result(sources []csr.VertexID, found [][]pair) *pattern.Similarities {
	total := 0
	for _, list := range found {
		total += len(list)
	}
	out := &pattern.Similarities{Source: make([]csr.VertexID, 0, total), Target: make([]csr.VertexID, 0, total), Score: make([]float64, 0, total)}
	for k, list := range found {
		for _, p := range list {
			out.Source, out.Target = append(out.Source, f.Vertex(int(sources[k]))), append(out.Target, f.Vertex(int(p.vertex)))
			out.Score = append(out.Score, p.score)
		}
	}
	return out
}

// pair is a vertex and its similarity to the source.
type pair struct {
	score  float64
	id     csr.NodeID
	vertex csr.VertexID
}

func (p pair) better(q pair) bool { return p.score > q.score || p.score == q.score && p.id < q.id }

type worker struct {
	*finder
	common  []uint32 // by vertex: neighbours in common with the source; 0 between two sources
	touched []csr.VertexID
	best    []pair // a heap with the worst on top
}

// find returns the vertices most similar to v, the best first.
func (w *worker) find(v int) []pair {
	reads := 0
	for _, u := range w.Out.Row(v) {
		back := w.In.Row(int(u))
		if reads += len(back); reads >= parallel.PollEvery {
			if reads = 0; w.stop.Load() {
				break
			}
		}
		for _, x := range back {
			if w.common[x] == 0 {
				w.touched = append(w.touched, x)
			}
			w.common[x]++
		}
	}
	degree := w.Out.Degree(v)
	w.best = w.best[:0]
	for _, x := range w.touched {
		if int(x) != v {
			score := w.Metric.Of(int(w.common[x]), degree, w.Out.Degree(int(x)))
			if score >= w.Cutoff && (len(w.best) < w.TopK || score >= w.best[0].score) {
				w.offer(pair{score, w.s.NodeID(w.Vertex(int(x))), x})
			}
		}
		w.common[x] = 0
	}
	w.touched = w.touched[:0]
	bytes := int64(len(w.best)) * (24 + resultBytes)
	w.charges.Add(bytes)
	if w.env.Memory.Charge(bytes) != nil {
		w.full.Store(true)
		w.stop.Store(true)
		return nil
	}
	slices.SortFunc(w.best, func(a, b pair) int {
		if a.better(b) {
			return -1
		}
		return 1
	})
	return slices.Clone(w.best)
}

// offer keeps p if it is one of the best.
func (w *worker) offer(p pair) {
	if len(w.best) < w.TopK {
		w.best = append(w.best, p)
		for i := len(w.best) - 1; i > 0; {
			up := (i - 1) / 2
			if !w.best[up].better(w.best[i]) {
				break
			}
			w.best[up], w.best[i] = w.best[i], w.best[up]
			i = up
		}
		return
	}
	if !p.better(w.best[0]) {
		return
	}
	w.best[0] = p
	for i := 0; ; {
		worst := i
		for j := 2*i + 1; j < min(2*i+3, len(w.best)); j++ {
			if w.best[worst].better(w.best[j]) {
				worst = j
			}
		}
		if worst == i {
			return
		}
		w.best[i], w.best[worst] = w.best[worst], w.best[i]
		i = worst
	}
}
