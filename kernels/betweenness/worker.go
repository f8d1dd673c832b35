package betweenness

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/dijkstra"
)

// workerBytes is the memory of a worker, by vertex.
const workerBytes = 24 + 4 + 8

// place is what the search from one source knows of a vertex.
type place struct {
	paths float64 // shortest paths from the source
	share float64 // (1 + what leads on from here) / paths
	depth int32   // -1: not reached
}

type worker struct {
	*betweenness
	at     []place
	order  []csr.VertexID // by rising depth
	sum    []float64
	search *dijkstra.Search // for weights
}

func newWorker(b *betweenness) *worker {
	w := &worker{betweenness: b, at: make([]place, b.N), sum: make([]float64, b.N)}
	for v := range w.at {
		w.at[v].depth = -1
	}
	if b.Out.Weights != nil {
		w.search = dijkstra.NewSearch(&b.Out, &b.stop)
	}
	return w
}

// from adds what the paths from s give to sum.
func (w *worker) from(s csr.VertexID) {
	if w.search != nil {
		w.weighted(s)
		return
	}
	w.order = append(w.order[:0], s)
	w.at[s] = place{paths: 1}
	for i := 0; i < len(w.order); i++ {
		v := w.order[i]
		if i&1023 == 0 && w.stop.Load() {
			return
		}
		below, paths := w.at[v].depth+1, w.at[v].paths
		for _, u := range w.Out.Row(int(v)) {
			p := &w.at[u]
			if p.depth < 0 {
				p.depth, p.paths = below, 0
				w.order = append(w.order, u)
			}
			if p.depth == below {
				p.paths += paths
			}
		}
	}
	for i := len(w.order) - 1; i >= 0; i-- {
		v := w.order[i]
		if i&1023 == 0 && w.stop.Load() {
			return
		}
		p := &w.at[v]
		below, on := p.depth+1, 0.0
		for _, u := range w.Out.Row(int(v)) {
			if q := &w.at[u]; q.depth == below {
				on += q.share
			}
		}
		w.settle(v, i > 0, on)
	}
	w.clear()
}

// settle notes what leads on from v, and adds it to the sum if v is not the source.
func (w *worker) settle(v csr.VertexID, inner bool, on float64) {
	p := &w.at[v]
	on *= p.paths
	p.share = (1 + on) / p.paths
	if inner {
		w.sum[v] += on
	}
}

func (w *worker) clear() {
	for _, v := range w.order {
		w.at[v].depth = -1
	}
}

// weighted is from for weights.
func (w *worker) weighted(s csr.VertexID) {
	w.search.Run([]csr.VertexID{s}, nil)
	if w.stop.Load() {
		return
	}
	order, dist, rows := w.search.Order, w.search.Dist, &w.Out
	for _, v := range order {
		w.at[v].paths = 0
	}
	w.at[s].paths = 1
	for _, v := range order {
		for p := rows.Offsets[v]; p < rows.Offsets[v+1]; p++ {
			switch d := dist[v] + rows.Weights[p]; d {
			case dist[v]:
				w.tooFar.Store(true)
				w.end()
				return
			case dist[rows.Targets[p]]:
				w.at[rows.Targets[p]].paths += w.at[v].paths
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		v, on := order[i], 0.0
		for p := rows.Offsets[v]; p < rows.Offsets[v+1]; p++ {
			if u := rows.Targets[p]; dist[v]+rows.Weights[p] == dist[u] {
				on += w.at[u].share
			}
		}
		w.settle(v, i > 0, on)
	}
}
