package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// relationshipRun gives matches with relationships to a sink that takes columns. It does so for many vertices of the last step at a
// time: their relationships lie side by side.
type relationshipRun struct {
	at       int            // choose comes here; -1: it does not
	list     []csr.VertexID // the vertices of the last step; nil: no run is under way
	vertices []csr.VertexID // the rows to be given: their vertices of the last step
	edges    [][]csr.EdgeID // and their relationships, for each choice that the last step closes
}

// give goes through the relationships of the matches that the vertices of list at the last step complete. The order of the matches does
// not depend on how the vertices are divided among lists.
func (r *relationshipRun) give(x *enumerator, list []csr.VertexID) pattern.Count128 {
	w, together := x.w, true
	for i := range w.early {
		if !x.look(i) {
			return pattern.Count128{}
		}
		together = together && len(x.options[i]) == 1
	}
	if r.edges == nil {
		r.edges = make([][]csr.EdgeID, len(w.choices)-w.early)
	}
	n := uint64(0)
	r.at = w.early
	if together {
		r.list = list
		n = x.choose(0)
	} else {
		for i := range list {
			r.list = list[i : i+1]
			n += x.choose(0)
		}
	}
	r.list, r.at = nil, -1
	return pattern.Count128{Lo: n}
}

// complete is choose with the relationships of the earlier steps chosen. It goes through the vertices of the last step.
func (r *relationshipRun) complete(x *enumerator) (n uint64) {
	w := x.w
	r.at = -1
	defer func() { r.at = w.early }()
	late := w.choices[w.early:]
	if len(late) == 1 && allSift(late[0].preds) {
		return r.completeSimple(x)
	}
	for i, v := range r.list {
		if i%64 == 0 && w.halted() {
			break
		}
		w.set(w.end-1, v)
		if !x.lookLate() {
			continue
		}
		some := x.choose(w.early)
		if n += some; some > 0 && !w.eachEdges() {
			w.out.columns.Make(len(w.read), 0)
			w.out.columns.Append(w.read, w.match, nil, nil, some)
			w.out.flushFull(w.run)
		}
		if len(r.vertices) >= w.batchRows {
			r.flush(x)
		}
	}
	r.flush(x)
	return n
}

// lookLate finds the relationships that the choices of the last step have. It reports whether each has some.
func (x *enumerator) lookLate() bool {
	for i := x.w.early; i < len(x.w.choices); i++ {
		if !x.look(i) {
			return false
		}
	}
	return true
}

// completeSimple is complete where the last step closes one edge, and conditions that read its relationship compare numbers.
func (r *relationshipRun) completeSimple(x *enumerator) (n uint64) {
	w := x.w
	f, c := &x.finders[w.early], &w.choices[w.early]
	for list := r.list; len(list) > 0 && !w.halted(); {
		part := list[:min(len(list), maxRunPart)]
		list = list[len(part):]
		r.vertices, r.edges[0] = f.findRun(r.vertices, r.edges[0], part)
		for _, e := range c.apart {
			r.leave(w.edges[e])
		}
		w.spend(len(r.vertices))
		r.retain(w, c.edge, c.preds)
		n += uint64(len(r.vertices))
		w.matches += uint64(len(r.vertices))
		r.flush(x)
	}
	return n
}

// maxRunPart is how many vertices a run takes at once. Each may have many relationships.
const maxRunPart = 256

// leave removes the row with relationship e.
func (r *relationshipRun) leave(e csr.EdgeID) {
	if i := slices.Index(r.edges[0], e); i >= 0 {
		r.vertices, r.edges[0] = slices.Delete(r.vertices, i, i+1), slices.Delete(r.edges[0], i, i+1)
	}
}

// add takes the current match.
func (r *relationshipRun) add(x *enumerator) {
	w := x.w
	r.vertices = append(r.vertices, w.match[w.steps[w.end-1].u])
	for i := range r.edges {
		r.edges[i] = append(r.edges[i], w.edges[w.choices[w.early+i].edge])
	}
}

// flush gives the rows to the sink. They share what the earlier steps chose.
func (r *relationshipRun) flush(x *enumerator) {
	if len(r.vertices) == 0 {
		return
	}
	w := x.w
	c := &w.out.columns
	c.Make(len(w.read), len(w.readEdges))
	for i, e := range w.readEdges {
		if late := r.lateOf(w, e); late >= 0 {
			c.Edges[i] = append(c.Edges[i], r.edges[late]...)
		} else {
			c.Edges[i] = pattern.AppendRepeated(c.Edges[i], w.edges[e], len(r.vertices))
		}
	}
	c.AppendRun(w.read, w.match, w.steps[w.end-1].u, r.vertices, 1)
	r.vertices = r.vertices[:0]
	for i := range r.edges {
		r.edges[i] = r.edges[i][:0]
	}
	w.out.flushFull(w.run)
}

// lateOf returns which of the choices of the last step is for edge e, -1 if none is.
func (r *relationshipRun) lateOf(w *worker, e int) int {
	for i := range r.edges {
		if w.choices[w.early+i].edge == e {
			return i
		}
	}
	return -1
}
