package exec

import (
	"errors"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// heldMatches are the few matches around the few nodes that the filter has left. A matchStage with a single row first looks for them itself: to
// start a device's search takes several times longer than to follow some relationships. It gives up when there is more to follow. No match
// has then gone up, and the device searches.
type heldMatches struct {
	vertices []csr.VertexID // that the stage sets, match by match
	edges    []csr.EdgeID
	weights  []uint64
	found    uint64 // sum of weights
	most     uint64 // that LIMIT lets through; 0: all are wanted
}

const (
	mostSmallStarts = 4   // candidates of the first query vertex
	mostSmallSteps  = 256 // neighbours, and matches
)

// errNotSmall ends a search for heldMatches.
var errNotSmall = errors.New("this is not for a small search")

// small finds and emits the matches for the only row of m if they are few. If done is false, the device has to search.
func small(m *matchStage, mult uint64) (done, more bool, err error) {
	if !mayBeSmall(m) {
		return false, true, nil
	}
	q, err := planAnchored(m, &heldMatches{most: fewWanted(m)})
	if err != nil || q == nil || q.scans() > 1 {
		return false, true, err
	}
	if q.walk(); q.err != nil { // an overflow meets the device's search, too
		return false, true, nil
	}
	t, order := m.env.Tally, sequence(m.job.Order.Steps)
	t.Order.Store(&order)
	t.Partial.Add(q.partial)
	t.Embeddings.Add(uint64(len(q.held.weights)))
	m.env.Took(pattern.RowProbe, 1)
	if q.countOnly {
		more, err = m.emitTimes(mult, q.total)
	} else {
		more, err = q.held.emit(m, mult)
	}
	return true, more, err
}

// fewWanted is how many matches LIMIT lets through, if these are few, else 0.
func fewWanted(m *matchStage) uint64 {
	if m.left == nil {
		return 0
	}
	if left := m.left.Load(); left > 0 && left <= mostSmallSteps {
		return uint64(left)
	}
	return 0
}

// mayBeSmall reports whether the search starts at a few nodes that an index has found. Where rows can be decoded one by one, it may start at any few
// nodes, and anywhere if LIMIT ends it after a few matches: the device's search would have all rows decoded.
func mayBeSmall(m *matchStage) bool {
	steps := m.job.Order.Steps
	if m.inner || len(m.job.Pattern.Edges) == 0 || len(steps) == 0 || m.lanes != nil || schemeOf(m) != nil {
		return false
	}
	u := steps[0].Vertex
	few := m.job.Candidates.Sets[u].Len() <= mostSmallStarts
	for _, k := range m.plan.Seeks {
		if k.Vertex == u {
			return few
		}
	}
	return (few || fewWanted(m) > 0) && !m.job.Pattern.Vertices[u].Bound && rowsApart(m)
}

// rowsApart reports whether the rows of all edges can be decoded one by one.
func rowsApart(m *matchStage) bool {
	for i := range m.job.Pattern.Edges {
		e := &m.job.Pattern.Edges[i]
		if e.Undirected || csr.RowsOf(m.x.ctx, m.x.s, e.Types, csr.Out) == nil {
			return false
		}
	}
	return true
}

// scans counts the moves that try all candidates.
func (q *anchoredMatch) scans() (n int) {
	for i := range q.moves {
		if q.moves[i].kind == scan {
			n++
		}
	}
	return n
}

// add keeps the current match of q, which goes on unless there are too many or enough.
func (h *heldMatches) add(q *anchoredMatch, weight uint64) {
	for _, p := range q.m.vertices {
		h.vertices = append(h.vertices, q.vertices[p.element])
	}
	for _, p := range q.m.edges {
		h.edges = append(h.edges, q.edges[p.element])
	}
	h.weights = append(h.weights, weight)
	if h.found = addSaturated(h.found, weight); h.most > 0 && h.found >= h.most {
		q.more = false
	} else if len(h.weights) > mostSmallSteps {
		q.fail(errNotSmall)
	}
}

// emit passes the matches on.
func (h *heldMatches) emit(m *matchStage, mult uint64) (more bool, err error) {
	for i, weight := range h.weights {
		for j, p := range m.vertices {
			m.x.row[p.slot] = value.OfNode(h.vertices[i*len(m.vertices)+j])
		}
		for j, p := range m.edges {
			m.x.row[p.slot] = value.OfRel(h.edges[i*len(m.edges)+j])
		}
		if more, err := emitMatch(m, mult, weight); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
