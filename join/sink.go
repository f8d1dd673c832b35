package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// maxBatch is how many embeddings a worker hands over at once. It starts with one, for a quick first row and an
// early end where one is enough, and doubles.
const maxBatch = 256

// output takes a worker's matches to the sink, in batches. Their elements stand in two long arrays, or in former ones that grew
// too short.
type output struct {
	list       []pattern.Embedding
	vertices   []csr.VertexID
	edges      []csr.EdgeID
	full       int             // one embedding more is handed over
	firstFound bool            // a match was given, and one is enough for what the first job.DistinctPrefix steps stand for
	asVertices []csr.VertexID  // the match to be given, where it is not the one found
	asEdges    []csr.EdgeID    //
	scratch    pattern.Scratch // of Representative
}

// give adds a match to the batch, or the match that stands for it. edges is nil where relationships were not chosen.
func (o *output) give(r *run, vertices []csr.VertexID, edges []csr.EdgeID, weight uint64) {
	if len(r.replace) > 0 {
		o.asVertices = append(o.asVertices[:0], vertices...)
		o.asEdges = append(o.asEdges[:0], edges...)
		vertices, edges = o.asVertices, o.asEdges
		for _, i := range r.replace {
			r.job.Order.Chains[i].Representative(r.s, &r.p.Scopes[i], vertices, edges, &o.scratch)
		}
	}
	o.send(r, vertices, edges, weight)
}

// send adds an embedding to the batch and hands a full one over.
func (o *output) send(r *run, vertices []csr.VertexID, edges []csr.EdgeID, weight uint64) {
	o.firstFound = r.job.DistinctPrefix > 0
	nv := len(o.vertices)
	o.vertices = append(o.vertices, vertices...)
	m := pattern.Embedding{Vertices: o.vertices[nv:len(o.vertices):len(o.vertices)], Weight: weight}
	if r.sink.NeedEdges() {
		ne := len(o.edges)
		o.edges = append(o.edges, edges...)
		m.Edges = o.edges[ne:len(o.edges):len(o.edges)]
	}
	if o.list = append(o.list, m); len(o.list) > o.full {
		o.full = min(maxBatch-1, 2*o.full+1)
		o.flush(r)
	}
}

// flush hands the batch over to the sink.
func (o *output) flush(r *run) {
	if len(o.list) == 0 {
		return
	}
	if !r.halted() && r.mayEmit() {
		more, err := r.sink.Emit(o.list)
		switch {
		case err != nil:
			r.fail(err)
		case !more:
			r.stop()
		}
	}
	o.list, o.vertices, o.edges = o.list[:0], o.vertices[:0], o.edges[:0]
}

// mayEmit reports whether rows may be handed over. If so, the search can no longer be given up for another order.
func (r *run) mayEmit() bool {
	return r.phase.Load() == runEmitted || r.phase.CompareAndSwap(runQuiet, runEmitted)
}
