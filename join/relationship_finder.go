package join

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/kernels/sets"
)

// relationshipFinder looks up the relationships of an edge of the pattern. A search holds one end of the edge and goes through the other
// ends in rising order. So the finder keeps its place in the relationships of the end that stands.
type relationshipFinder struct {
	w      *worker
	edge   int
	stands int             // the query vertex of the end that stands
	dir    csr.Direction   // as seen from it
	types  []csr.TypeID    // with relationships
	at     csr.VertexID    // the vertex that rows are of
	rows   []incidentPlace // for each type those that leave, those that enter, or both

	incoming []*csr.Incoming // by type, once there
	overlay  bool            // there are none
	misses   int             // look-ups without them

	choice   int            // the edge's, where rows between candidates may be of use; -1: they are of none
	step     int            // it matches the other end
	passed   int            // relationships passed over
	rowsAt   float64        // how many more there are before rows between candidates are made
	narrowed *candidateRows // nil: not there

	marks   []uint64 // a bit for each vertex, clear between look-ups; nil until they pay
	sought  int      // vertices looked up without marks
	noMarks bool     // there is no memory for marks
}

// incidentPlace is a place in the relationships at a vertex.
type incidentPlace struct {
	csr.IncidentRow
	next int
}

// lookUpsPerBuild says when an Incoming pays: after one look-up for so many relationships of its type.
const lookUpsPerBuild = 8

// finder makes the finder of an edge, which step closes.
func (c *program) finder(w *worker, choice int) relationshipFinder {
	edge, step := c.choices[choice].edge, c.choices[choice].step
	e := &c.p.Edges[edge]
	f := relationshipFinder{w: w, edge: edge, stands: e.From, at: csr.NoVertex, choice: choice, step: step}
	if c.pos[e.From] == step {
		f.stands = e.To
	}
	f.dir = seenFrom(e, f.stands)
	for t := range c.s.Data.Rels {
		if e.Types.Has(csr.TypeID(t)) && c.s.Data.Rels[t].Len() > 0 {
			f.types = append(f.types, csr.TypeID(t))
		}
	}
	if len(f.types) != 1 || f.dir == csr.Both || e.From == e.To || !c.restrictable(c.pos[f.stands], step) {
		f.choice = -1
	} else {
		f.rowsAt = rowsAfter * f.rowsCost()
	}
	return f
}

// find appends the relationships that the edge has to choose from if its other end is v.
func (f *relationshipFinder) find(dst []csr.EdgeID, v csr.VertexID) []csr.EdgeID {
	w := f.w
	e := &w.p.Edges[f.edge]
	of := w.match[f.stands]
	if e.From == e.To {
		return w.s.Relationships(dst, v, v, e.Types, csr.Out)
	}
	if of != f.at && !f.turn(of) {
		return w.s.Relationships(dst, of, v, e.Types, f.dir)
	}
	if f.dir != csr.Both {
		for i := range f.rows {
			dst = f.rows[i].find(dst, v)
		}
		return dst
	}
	for i := 0; i < len(f.rows); i += 2 { // those from the lower vertex come first, as Relationships has them
		leave, enter := &f.rows[i], &f.rows[i+1]
		switch {
		case v == of: // a loop is in both
			dst = leave.find(dst, v)
		case v < of:
			dst = leave.find(enter.find(dst, v), v)
		default:
			dst = enter.find(leave.find(dst, v), v)
		}
	}
	return dst
}

// find appends the relationships of a row that lead to v.
func (r *incidentPlace) find(dst []csr.EdgeID, v csr.VertexID) []csr.EdgeID {
	at := r.next
	if at > 0 && r.Ends[at-1] >= v {
		at = 0
	}
	if at < len(r.Ends) && r.Ends[at] < v {
		at += sets.Gallop(r.Ends[at:], v)
	}
	for ; at < len(r.Ends) && r.Ends[at] == v; at++ {
		dst = append(dst, r.ID(at))
	}
	r.next = at
	return dst
}

// findRun is find for each vertex of list, which rises. It appends the vertex of each relationship to ends.
func (f *relationshipFinder) findRun(ends []csr.VertexID, dst []csr.EdgeID, list []csr.VertexID) ([]csr.VertexID, []csr.EdgeID) {
	if e := &f.w.p.Edges[f.edge]; e.From != e.To && (f.w.match[f.stands] == f.at || f.turn(f.w.match[f.stands])) && len(f.rows) == 1 {
		f.passed += len(f.rows[0].Ends)
		return f.rows[0].findRun(ends, dst, list, f.marksFor(list))
	}
	for _, v := range list {
		had := len(dst)
		dst = f.find(dst, v)
		for range len(dst) - had {
			ends = append(ends, v)
		}
	}
	return ends, dst
}

// marksFor returns the marks of f, nil for a short list. They are made when as many vertices were looked up as they have words.
func (f *relationshipFinder) marksFor(list []csr.VertexID) []uint64 {
	if len(list) < minSifted {
		return nil
	}
	if f.marks == nil && !f.noMarks {
		words := int(f.w.s.N()+63) / 64
		if f.sought += len(list); f.sought >= words {
			if f.noMarks = !f.w.charge(8 * words); !f.noMarks {
				f.marks = make([]uint64, words)
			}
		}
	}
	return f.marks
}

// maxSteps is how many relationships a look-up passes one by one before it gallops.
const maxSteps = 8

// maxSifted is how many relationships of a row there may be for each vertex of a list, so that a pass over the row finds them all.
const maxSifted = 16

// findRun is find for each vertex of list, which rises and is not empty. marks has a bit for each vertex, all clear, or is nil.
func (r *incidentPlace) findRun(ends []csr.VertexID, dst []csr.EdgeID, list []csr.VertexID, marks []uint64) ([]csr.VertexID, []csr.EdgeID) {
	at, row := r.next, r.Ends
	if at > 0 && len(list) > 0 && row[at-1] >= list[0] {
		at = 0
	}
	if n := len(list); at+n <= len(row) && slices.Equal(row[at:at+n], list) && (at+n == len(row) || row[at+n] != list[n-1]) {
		for i := range list {
			dst = append(dst, r.ID(at+i))
		}
		r.next = at + n
		return append(ends, list...), dst
	}
	if left := len(row) - at; marks != nil && left > 0 && left <= maxSifted*len(list) {
		return r.sift(ends, dst, list, marks, at)
	}
	for _, v := range list {
		for steps := 0; at < len(row) && row[at] < v; at++ {
			if steps++; steps == maxSteps {
				at += sets.Gallop(row[at:], v)
				break
			}
		}
		for ; at < len(row) && row[at] == v; at++ {
			ends, dst = append(ends, v), append(dst, r.ID(at))
		}
	}
	r.next = at
	return ends, dst
}

// sift is findRun from one place of the row on. It marks the list, and passes over the row: each step writes, and counts what it wrote
// if its vertex is marked. So no step waits for the one before, and no branch depends on where the vertices of the list lie.
func (r *incidentPlace) sift(ends []csr.VertexID, dst []csr.EdgeID, list []csr.VertexID, marks []uint64, at int) ([]csr.VertexID, []csr.EdgeID) {
	for _, v := range list {
		marks[v>>6] |= 1 << (v & 63)
	}
	end := len(r.Ends)
	if last := list[len(list)-1]; r.Ends[end-1] > last {
		end = at + sets.LowerBound(r.Ends[at:], last+1)
	}
	row := r.Ends[at:end]
	ends, dst = slices.Grow(ends, len(row)), slices.Grow(dst, len(row))
	foundEnds, found := ends[len(ends):][:len(row)], dst[len(dst):][:len(row)]
	hits := 0
	for i, v := range row {
		foundEnds[hits], found[hits] = v, csr.EdgeID(at+i)
		hits += int(marks[v>>6] >> (v & 63) & 1)
	}
	for i, place := range found[:hits] {
		found[i] = r.ID(int(place))
	}
	for _, v := range list {
		marks[v>>6] = 0
	}
	r.next = end
	return ends[:len(ends)+hits], dst[:len(dst)+hits]
}

// turn goes over to the relationships of vertex v. It reports false if they are not at hand.
func (f *relationshipFinder) turn(v csr.VertexID) bool {
	if f.choice >= 0 && f.narrowed == nil {
		f.useCandidateRows()
	}
	if f.rows = f.rows[:0]; f.narrowed != nil {
		f.rows, f.at = append(f.rows, incidentPlace{IncidentRow: f.narrowed.row(v)}), v
		return true
	}
	f.at = csr.NoVertex
	var incoming []*csr.Incoming
	if f.dir != csr.Out {
		if incoming = f.incomingOf(); incoming == nil {
			return false
		}
	}
	for i, t := range f.types {
		if f.dir != csr.In {
			f.rows = append(f.rows, incidentPlace{IncidentRow: f.w.s.Rels(t).Outgoing(v)})
		}
		if f.dir != csr.Out {
			f.rows = append(f.rows, incidentPlace{IncidentRow: incoming[i].Row(v)})
		}
	}
	f.at = v
	return true
}

// incomingOf returns the relationships that enter vertices, for each type of f. It makes them after many look-ups. It returns nil
// where they are not there, or memory is short.
func (f *relationshipFinder) incomingOf() []*csr.Incoming {
	if f.incoming != nil || f.overlay {
		return f.incoming
	}
	if f.misses++; f.misses%64 != 1 {
		return nil
	}
	w := f.w
	f.incoming, f.overlay = csr.AllIncoming(w.byValue.ctx, w.s, f.types, func(bytes int64, relationships uint64) bool {
		return uint64(f.misses)*lookUpsPerBuild >= relationships && w.charge(int(bytes))
	})
	return f.incoming
}
