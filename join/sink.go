package join

import (
	"errors"
	"math"
	"slices"

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
	waiting    int             // how often giveUnread has added to the row that waits
	firstFound bool            // a match was given, and one is enough for what the first job.DistinctPrefix steps stand for
	asVertices []csr.VertexID  // the match to be given, where it is not the one found
	asEdges    []csr.EdgeID    //
	scratch    pattern.Scratch // of Representative
	columns    pattern.Columns // instead of list, where the sink reads columns
	pairs      []pairRelationship
	arranged   []csr.VertexID // the match in another arrangement, see equal_vertices.go
	run        []csr.VertexID // the vertices of the last step that fit, see giveRun
	repeated   []csr.VertexID // the same, each as often as it is given
	open       openRun        // the run to which loopRun adds
	runs       rowRuns        // instead of columns, where the sink takes runs
}

// give adds a match to the batch, or the match that stands for it. edges is nil where relationships were not chosen.
func (o *output) give(r *run, vertices []csr.VertexID, edges []csr.EdgeID, weight uint64) {
	if len(r.replace) > 0 {
		o.asVertices = append(o.asVertices[:0], vertices...)
		o.asEdges = append(o.asEdges[:0], edges...)
		if o.scratch.Between == nil {
			o.scratch.Between = func(of, edge int, vertices []csr.VertexID) uint64 { return o.between(r, of, edge, vertices) }
		}
		vertices, edges = o.asVertices, o.asEdges
		for _, i := range r.replace {
			r.job.Order.Chains[i].Representative(r.s, &r.p.Scopes[i], vertices, edges, &o.scratch)
		}
	}
	o.send(r, vertices, edges, weight)
}

// pairRelationship is the stable id of the only relationship between two vertices that an edge can take.
type pairRelationship struct {
	v, w csr.VertexID
	of   int // the edge + 1
	id   uint64
}

// pairSlots is how many such ids a worker keeps: consecutive matches ask for the same ones.
const pairSlots = 1 << 12

// between returns the stable id of the relationship of an edge, an image of the edge of.
func (o *output) between(r *run, of, edge int, vertices []csr.VertexID) uint64 {
	e := &r.p.Edges[edge]
	v, w, dir := vertices[e.From], vertices[e.To], seenFrom(e, e.From)
	if dir == csr.Both {
		v, w = min(v, w), max(v, w)
	}
	if o.pairs == nil {
		o.pairs = make([]pairRelationship, pairSlots)
	}
	p := &o.pairs[(v*0x9e3779b1+w*0x85ebca6b)>>20]
	if p.v != v || p.w != w || p.of != of+1 {
		o.asEdges = r.s.Relationships(o.asEdges[:0], v, w, e.Types, dir)
		if len(o.asEdges) != 1 {
			r.fail(errRelationships)
			return 0
		}
		*p = pairRelationship{v, w, of + 1, uint64(r.s.RelID(o.asEdges[0]))}
		o.asEdges = o.asEdges[:0]
	}
	return p.id
}

var errRelationships = errors.New("join: an edge of a subgraph has not one relationship")

// send adds an embedding to the batch and hands a full one over.
func (o *output) send(r *run, vertices []csr.VertexID, edges []csr.EdgeID, weight uint64) {
	o.firstFound = r.job.DistinctPrefix > 0
	if r.columnSink != nil {
		if r.columnOf != nil {
			o.addRow(r, vertices, weight)
			return
		}
		o.columns.Make(len(r.read), len(r.readEdges))
		o.columns.Append(r.read, vertices, r.readEdges, edges, weight)
		o.flushFull(r)
		return
	}
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

// giveUnread adds weight matches of which the sink reads nothing: all that wait are one row.
func (o *output) giveUnread(r *run, weight uint64) {
	if r.columnSink == nil {
		o.send(r, nil, nil, weight)
		return
	}
	c := &o.columns
	if c.Len > 0 && c.Weights[0] > math.MaxUint64-weight {
		o.flush(r)
	}
	if c.Len == 0 {
		c.Len, c.Weights = 1, append(c.Weights[:0], 0)
	}
	c.Weights[0] += weight
	if o.waiting++; o.waiting > o.full {
		o.full = min(r.batchRows-1, 2*o.full+1)
		o.flush(r)
	}
}

// flush hands the batch over to the sink.
func (o *output) flush(r *run) {
	if len(o.list)+o.columns.Len == 0 {
		return
	}
	if !r.halted() && r.mayEmit() {
		var more bool
		var err error
		if r.columnSink != nil {
			if o.columns.Distinct = r.distinctRows; r.columnOf != nil {
				o.runs.columns(&o.columns)
			}
			more, err = r.columnSink.EmitColumns(&o.columns)
		} else {
			more, err = r.sink.Emit(o.list)
		}
		switch {
		case err != nil:
			r.fail(err)
		case !more:
			r.stop()
		}
	} else {
		o.full = 0 // the first match counts as given only once the sink has it
	}
	o.list, o.vertices, o.edges = o.list[:0], o.vertices[:0], o.edges[:0]
	o.columns.Reset()
	o.waiting = 0
}

// flushFull hands the columns over if they are full.
func (o *output) flushFull(r *run) {
	if o.columns.Len > o.full {
		o.full = min(r.batchRows-1, 2*o.full+1)
		o.flush(r)
	}
}

// readColumns finds out whether the sink takes columns.
func (r *run) readColumns() {
	if sink, ok := r.sink.(pattern.ColumnSink); ok {
		r.columnSink, r.read, r.readEdges, r.batchRows = sink, sink.ReadVertices(), sink.ReadEdges(), sink.BatchRows()
		r.distinctRows = !sink.Repeats() && r.givesDistinct()
		r.repeats = sink.Repeats()
		r.planRuns()
	}
}

// givesDistinct reports whether the sink gets no two matches that agree in what it reads: it reads just what the search lists.
func (r *run) givesDistinct() bool {
	listed := len(r.p.Vertices)
	if r.tail >= 0 {
		listed = r.tail
	}
	if r.enumerate || r.singly || len(r.replace) > 0 || len(r.distinct) > 0 || r.job.DistinctPrefix > 0 || r.root > 0 || len(r.read) != listed {
		return false
	}
	for k := range listed {
		if !slices.Contains(r.read, r.steps[k].u) {
			return false
		}
	}
	return true
}

// givesRuns reports whether all vertices that fit at the last step k can go to the sink together.
func (w *worker) givesRuns(k int) bool {
	if w.enumerate && !w.runs || !w.enumerate && !w.steps[k].givesRuns {
		return false
	}
	return w.columnSink != nil && k+1 == w.end && !w.counting && len(w.replace) == 0 && w.job.DistinctPrefix == 0
}

// openRun is a run whose last vertices are not tested yet.
type openRun struct {
	testing bool
	step    int
	weight  uint64
}

// giveBefore gives all matches to the sink that the worker has found, before an error ends the search.
func (o *output) giveBefore(w *worker) {
	if o.open.testing {
		o.open.testing = false
		if len(o.run) > 0 {
			giveRunOf(w, o.open.step, o.run, o.open.weight)
		}
	}
	if w.enumerate && w.options.run.list != nil {
		w.options.run.flush(&w.options)
	}
	o.flush(w.run)
}

// loopRun is loop for a last step that gives runs.
func (w *worker) loopRun(k int, list []csr.VertexID, test bool, weight uint64) (total pattern.Count128) {
	st, lv := &w.steps[k], &w.levels[k]
	w.spend(len(list))
	lv.shareable = false
	var filter []uint64
	if test {
		filter = st.bits
	}
	fail := st.reasons
	for len(list) > 0 {
		if w.pool.signal.Load() != 0 {
			if w.halted() {
				break
			}
			if w.abandons() {
				fail = everything
				break
			}
			w.share()
		}
		part := list[:min(len(list), w.out.room())]
		list = list[len(part):]
		run, later := w.out.run[:0], len(part) >= minSifted && allSift(st.preds)
		for _, v := range part {
			if filter != nil && filter[v>>6]>>(v&63)&1 == 0 {
				continue
			}
			if by := w.ownersOf(st, v); by != 0 {
				fail |= by | 1<<(k&63)
				continue
			}
			if st.prepares && !st.rivalsOnly && contains(lv.avoid, v) {
				fail |= 1 << (k & 63)
				continue
			}
			if !later && len(st.preds) > 0 && !tryInRun(w, k, v, run, weight) {
				fail |= w.failure
				continue
			}
			run = append(run, v)
		}
		if later && len(st.preds) > 0 {
			run, fail = w.sifting.run(w, k, run, weight, fail)
		}
		w.out.run = run
		if len(run) > 0 {
			fail = everything
			lv.visits += uint64(len(run))
			total = w.add(total, giveRunOf(w, k, run, weight))
		}
		if k == w.first {
			w.roots += uint64(len(part))
		}
	}
	w.failure = fail &^ (1 << (k & 63))
	return total
}

// giveRunOf gives the matches to the sink that the vertices of run at the last step k complete.
func giveRunOf(w *worker, k int, run []csr.VertexID, weight uint64) pattern.Count128 {
	if st := &w.steps[k]; !st.weighs && len(st.multi) == 0 {
		return w.giveRun(st, run, weight)
	}
	return weightGiver{w}.give(k, run, weight)
}

// tryInRun matches the last step k to v and tests the predicates on vertices. If one raises an error, the matches with the vertices of
// run come first.
func tryInRun(w *worker, k int, v csr.VertexID, run []csr.VertexID, weight uint64) bool {
	w.out.run, w.out.open = run, openRun{true, k, weight}
	w.set(k, v)
	passes := w.passesPreds(&w.steps[k])
	if w.out.open.testing = false; !passes {
		w.levels[k].visits++
	}
	return passes
}

// room returns how many rows the columns still take. It is at least 1.
func (o *output) room() int { return max(1, o.full+1-o.columns.Len) }

// giveRun gives the matches to the sink that the vertices of run at the last step st complete.
func (w *worker) giveRun(st *step, run []csr.VertexID, weight uint64) pattern.Count128 {
	switch {
	case w.enumerate:
		return w.options.run.give(&w.options, run)
	case w.readsNone || w.equals == nil && w.spares(st.u):
		return choiceTaker{w}.give(uint64(len(run)), weight)
	}
	if w.columnOf == nil {
		w.out.columns.Make(len(w.read), 0)
	}
	if w.equals != nil {
		return choiceTaker{w}.each(w.equals.times, weight, func(weight uint64) pattern.Count128 {
			n := wide(uint64(len(run)*(len(w.equals.swaps)+1)), weight)
			w.matches += n.Lo
			w.out.giveRunArrangements(w, st.u, run, weight)
			return n
		})
	}
	n := wide(uint64(len(run)), weight)
	w.matches += n.Lo
	if w.repeats && weight <= maxRepeats {
		w.out.giveRepeated(w, st.u, run, int(weight))
		return n
	}
	w.out.addRun(w, w.match, st.u, run, weight)
	return n
}

// maxRepeats is how often a row is given at most, for a sink that takes no weights: it would make copies with less ease.
const maxRepeats = 16

// giveRepeated gives each vertex of list at query vertex u so many times.
func (o *output) giveRepeated(w *worker, u int, list []csr.VertexID, times int) {
	if times > 1 {
		o.repeated = o.repeated[:0]
		for _, v := range list {
			o.repeated = pattern.AppendRepeated(o.repeated, v, times)
		}
		list = o.repeated
	}
	for len(list) > 0 {
		part := list[:min(len(list), o.room())]
		o.addRun(w, w.match, u, part, 1)
		list = list[len(part):]
	}
}

// mayEmit reports whether rows may be handed over. If so, the search can no longer be given up for another order.
func (r *run) mayEmit() bool {
	if r.phase.Load() == runEmitted {
		return true
	}
	if r.abandons() || r.portfolio != nil && !r.portfolio.claim(r) { // a first vertex given up comes back, with all of its rows
		return false
	}
	return r.phase.CompareAndSwap(runQuiet, runEmitted) || r.phase.Load() == runEmitted
}
