package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// maxBatch is how many embeddings a worker hands over at once. It starts with one, for a quick first row and an
// early end where one is enough, and doubles.
const maxBatch = 256

// batch holds embeddings to be handed over together; their elements stand in two long arrays, or in former ones
// that grew too short.
type batch struct {
	list     []pattern.Embedding
	vertices []csr.VertexID
	edges    []csr.EdgeID
	full     int // one embedding more is handed over
}

// send adds an embedding to the batch. edges is nil if they were not chosen.
func (w *worker) send(vertices []csr.VertexID, edges []csr.EdgeID, weight uint64) {
	b := &w.batch
	w.sated = w.job.Once > 0
	nv := len(b.vertices)
	b.vertices = append(b.vertices, vertices...)
	m := pattern.Embedding{Vertices: b.vertices[nv:len(b.vertices):len(b.vertices)], Weight: weight}
	if w.sink.NeedEdges() {
		ne := len(b.edges)
		b.edges = append(b.edges, edges...)
		m.Edges = b.edges[ne:len(b.edges):len(b.edges)]
	}
	if b.list = append(b.list, m); len(b.list) > b.full {
		b.full = min(maxBatch-1, 2*b.full+1)
		w.flush()
	}
}

// mayEmit reports whether rows may be handed over: the search is not about to be given up for another order, and will not be.
func (w *worker) mayEmit() bool {
	return w.phase.Load() == runEmitted || w.phase.CompareAndSwap(runQuiet, runEmitted)
}

// flush hands the batch over to the sink.
func (w *worker) flush() {
	b := &w.batch
	if len(b.list) == 0 {
		return
	}
	if !w.halted() && w.mayEmit() {
		more, err := w.sink.Emit(b.list)
		switch {
		case err != nil:
			w.fail(err)
		case !more:
			w.stop()
		}
	}
	b.list, b.vertices, b.edges = b.list[:0], b.vertices[:0], b.edges[:0]
}
