package exec

import (
	"errors"
	"time"

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
	found    uint64    // sum of weights
	most     uint64    // that LIMIT lets through; 0: all are wanted
	steps    uint64    // neighbours, and matches, to try
	blocks   int       // of rows to decode; 0: any number
	before   int       // blocks decoded before the search
	until    time.Time // when to give up; zero: never
}

const (
	mostSmallStarts = 4   // candidates of the first query vertex
	mostSmallSteps  = 256 // as in heldMatches
	mostEarlyBlocks = 64
)

// spent reports whether the search has taken more than it may.
func (h *heldMatches) spent(q *anchoredMatch) bool {
	return q.partial > h.steps || h.blocks > 0 && q.decoded()-h.before > h.blocks || !h.until.IsZero() && time.Now().After(h.until)
}

// decoded is how many blocks of rows the views of all moves have.
func (q *anchoredMatch) decoded() (n int) {
	for i := range q.moves {
		if late := q.moves[i].late; late != nil {
			n += late.decoded()
		}
	}
	return n
}

// errNotSmall ends a search for heldMatches.
var errNotSmall = errors.New("this is not for a small search")

// small finds and emits the matches for the only row of m if they are few. If done is false, the device has to search.
func small(m *matchStage, mult uint64) (done, more bool, err error) {
	if !mayBeSmall(m) {
		return false, true, nil
	}
	q, err := planAnchored(m, &heldMatches{most: fewWanted(m, mostSmallSteps), steps: mostSmallSteps})
	if err != nil || q == nil || q.scans() > 1 {
		return false, true, err
	}
	return q.small(mult)
}

// smallCount counts the matches for the only row of m if they are few. If done is false, the device has to count.
func smallCount(m *matchStage) (n int64, done bool, err error) {
	if !m.plan.Count || !mayBeSmall(m) {
		return 0, false, nil
	}
	q, err := planAnchored(m, &heldMatches{steps: mostSmallSteps})
	if err != nil || q == nil || q.scans() > 1 {
		return 0, false, err
	}
	if q.walk(); q.err != nil {
		return 0, false, nil
	}
	order := sequence(m.job.Order.Steps)
	m.env.Tally.Order.Store(&order)
	m.env.Tally.Partial.Add(q.partial)
	m.env.Took(pattern.RowProbe, 1)
	return int64(q.total), true, nil
}

// small walks and emits the matches of q, whose held is not nil.
func (q *anchoredMatch) small(mult uint64) (done, more bool, err error) {
	m := q.m
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

// fewWanted is how many matches LIMIT lets through, if these are no more than most, else 0.
func fewWanted(m *matchStage, most int64) uint64 {
	if m.left == nil {
		return 0
	}
	if left := m.left.Load(); left > 0 && left <= most {
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
	return (few || fewWanted(m, mostSmallSteps) > 0) && !m.job.Pattern.Vertices[u].Bound && rowsApart(m)
}

// rowsApart reports whether the rows of all edges can be decoded one by one.
func rowsApart(m *matchStage) bool {
	for i := range m.job.Pattern.Edges {
		e := &m.job.Pattern.Edges[i]
		dir := csr.Out
		if e.Undirected || e.AtLeastOne {
			dir = csr.Both
		}
		if csr.RowsByType(m.x.ctx, m.x.s, e.Types, dir) == nil {
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
	} else if uint64(len(h.weights)) > h.steps {
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
