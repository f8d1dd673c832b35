package exec

import (
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// anchoredMatch finds the matches around what a row gives: it follows relationships from there, one after the other. A
// device's search starts goroutines and compiles a program, which takes longer than most rows have matches. An
// anchoredMatch is built once and starts in no time. The device searches where it cannot be used, see newAnchoredMatch.
type anchoredMatch struct {
	m         *matchStage
	s         *csr.Snapshot
	p         *pattern.Pattern
	vertices  []csr.VertexID // of the match so far, with those from the row
	edges     []csr.EdgeID
	upfront   ask // what the row alone decides
	moves     []move
	narrower  float64 // how many times fewer candidates a look-up leaves, roughly
	filterRan bool    // candidates have their labels and passed the predicates the filter tests
	countOnly bool    // only the number of matches matters
	mult      uint64
	total     uint64
	partial   uint64
	held      *heldMatches // takes the matches, if they are few; nil: they go to the next stage
	more      bool
	err       error
}

// move extends a match.
type move struct {
	kind     moveKind
	edge     int            // query edge; none for scan
	from, to int            // query vertices; scan has only to
	adj      *csr.Adjacency // nil: late has the rows
	late     *lateRows
	dir      csr.Direction // seen from from
	types    csr.TypeSet
	ids      bool           // the relationship itself matters, not only whether there is one
	list     []csr.VertexID // for scan: the candidates
	cut      bool           // for scan: list has only the first of them
	seeks    []int          // for scan: the predicates for which an index finds candidates
	table    *valueTable    // for scan: finds candidates where no index does; nil: try all
	set      *pattern.CandidateSet
	fresh    [2]bool // for follow: from or to has no vertex yet
	scratch  []csr.EdgeID
	incidence
	ask
}

type moveKind uint8

const (
	expand moveKind = iota // along an edge to a new vertex
	closes                 // an edge between two vertices of the match
	follow                 // an edge whose relationship the row gives
	scan                   // any candidate
)

// ask holds the tests that follow a move.
type ask struct {
	apart   [][2]int // query vertices that must differ
	clashes []clash
	tests   []pattern.Test
	preds   []int // the predicates that tests test
	labels  []int // query vertices whose labels the candidates do not guarantee
}

// clash is a pair of query edges that must have different relationships.
type clash struct {
	e, f int
	how  clashKind
}

type clashKind uint8

const (
	byID   clashKind = iota
	byPair           // at most one relationship joins two vertices
	byEnds           // at most one does in each direction
)

// run finds the matches of the current row and passes them on.
func (q *anchoredMatch) run(mult uint64) (more bool, err error) {
	q.mult = mult
	q.walk()
	q.m.env.Tally.Partial.Add(q.partial)
	q.m.env.Took(pattern.RowProbe, 1)
	return q.more, q.err
}

// walk finds the matches of the current row.
func (q *anchoredMatch) walk() {
	q.total, q.partial, q.more, q.err = 0, 0, true, nil
	if q.holds(&q.upfront) {
		q.extend(0, 1)
	}
}

// holds runs the tests that follow a move.
func (q *anchoredMatch) holds(a *ask) bool {
	for _, u := range a.labels {
		if !q.p.Vertices[u].Labels.Admits(q.s.LabelsOf(q.vertices[u])) {
			return false
		}
	}
	for _, d := range a.apart {
		if q.vertices[d[0]] == q.vertices[d[1]] {
			return false
		}
	}
	for i := range a.clashes {
		if q.same(&a.clashes[i]) {
			return false
		}
	}
	for i, test := range a.tests {
		ok, err := test(q.vertices, q.edges)
		if err != nil {
			if q.held != nil {
				err = errNotSmall // the device's search finds out whether a match meets the error
			} else {
				err = q.m.met(a.preds[i], q.vertices, q.edges, err)
			}
			if err != nil {
				q.fail(err)
			}
			return false
		}
		if !ok {
			return false
		}
	}
	return true
}

// same reports whether two edges have the same relationship.
func (q *anchoredMatch) same(c *clash) bool {
	x, y := &q.p.Edges[c.e], &q.p.Edges[c.f]
	a, b, c1, d := q.vertices[x.From], q.vertices[x.To], q.vertices[y.From], q.vertices[y.To]
	switch c.how {
	case byPair:
		return a == c1 && b == d || a == d && b == c1
	case byEnds:
		return a == c1 && b == d
	}
	return q.edges[c.e] == q.edges[c.f]
}

func (q *anchoredMatch) fail(err error) { q.err, q.more = err, false }

// step counts a partial match, and checks at some of them whether the query is cancelled.
func (q *anchoredMatch) step() bool {
	q.partial++
	if q.held != nil && q.held.spent(q) {
		q.fail(errNotSmall)
	}
	if q.partial%4096 == 0 {
		if err := q.m.x.ctx.Err(); err != nil {
			q.fail(err)
		}
	}
	return q.more
}

// extend makes the k-th move in all ways. weight is the number of ways to choose relationships for the match so far.
func (q *anchoredMatch) extend(k int, weight uint64) {
	if k == len(q.moves) {
		q.give(weight)
		return
	}
	v := &q.moves[k]
	switch v.kind {
	case scan:
		list := q.seek(v)
		if v.table != nil && len(list) == len(v.list) {
			var err error
			if list, err = v.table.candidates(q, v); err != nil {
				q.fail(err)
				return
			}
		}
		for _, w := range list {
			if q.vertices[v.to] = w; !q.step() {
				return
			}
			if q.holds(&v.ask) {
				q.extend(k+1, weight)
			}
		}
		if v.cut {
			q.giveUp()
		}
	case follow:
		q.follow(k, v, weight)
	case closes:
		q.edge(k, v, q.vertices[v.from], q.vertices[v.to], weight)
	default:
		q.expand(k, v, weight)
	}
}

// expand moves to every neighbour.
func (q *anchoredMatch) expand(k int, v *move, weight uint64) {
	from := q.vertices[v.from]
	near := v.near(from)
	if q.countOnly && k == len(q.moves)-1 && v.plain() && v.countable(q.p.Edges[v.edge].AtLeastOne) &&
		(q.held == nil || v.set == nil || uint64(len(near)) <= q.held.steps) {
		q.partial++
		n := len(near)
		if v.set != nil {
			n = 0
			for _, w := range near {
				if v.set.Has(w) {
					n++
				}
			}
		}
		q.count(weight, uint64(n))
		return
	}
	if q.held != nil && q.partial+uint64(len(near)) > q.held.steps {
		if q.held.most == 0 {
			q.fail(errNotSmall)
			return
		}
		defer q.giveUp() // unless enough matches are found before
		near = near[:q.held.steps-min(q.held.steps, q.partial)]
	}
	if v.ids {
		if rows, ok := q.rows(v, from); ok {
			q.expandRows(k, v, rows, weight)
			return
		}
		v.misses += len(near)
	}
	for _, w := range near {
		if v.set != nil && !v.set.Has(w) {
			continue
		}
		q.vertices[v.to] = w
		if q.edge(k, v, from, w, weight); !q.more {
			return
		}
	}
}

// giveUp ends a search for heldMatches that has left out something.
func (q *anchoredMatch) giveUp() {
	if q.more {
		q.fail(errNotSmall)
	}
}

// near returns the neighbours of a vertex.
func (v *move) near(from csr.VertexID) []csr.VertexID {
	if v.adj == nil {
		return v.late.neighbours(from)
	}
	return v.adj.Neighbours(from)
}

// joins reports whether there is a relationship between two vertices.
func (v *move) joins(from, to csr.VertexID) bool {
	if v.adj == nil {
		return v.late.has(from, to)
	}
	return v.adj.Has(from, to)
}

// count is how many relationships there are between two vertices.
func (v *move) count(from, to csr.VertexID) int {
	if v.adj == nil {
		return v.late.count(from, to)
	}
	return v.adj.Count(from, to)
}

// repeats reports whether a neighbour may stand for several relationships.
func (v *move) repeats() bool {
	if v.adj == nil {
		return !v.late.single()
	}
	return v.adj.Counts != nil
}

// countable reports whether every neighbour is one match. apart says that the edge joins different vertices.
func (v *move) countable(apart bool) bool {
	if v.repeats() {
		return false
	}
	if v.adj == nil {
		return !apart || v.late.loops() == 0
	}
	return !apart || v.adj.Loops == 0
}

// plain reports whether no test follows the move.
func (v *move) plain() bool {
	return !v.ids && len(v.labels)+len(v.apart)+len(v.clashes)+len(v.tests) == 0
}

// edge continues with the relationships between two vertices.
func (q *anchoredMatch) edge(k int, v *move, from, to csr.VertexID, weight uint64) {
	if !q.step() {
		return
	}
	switch {
	case q.p.Edges[v.edge].AtLeastOne:
		if from == to || v.kind == closes && !v.joins(from, to) {
			return
		}
	case v.ids:
		list := v.between(q.s, from, to)
		for _, e := range list {
			if q.edges[v.edge] = e; q.holds(&v.ask) {
				q.extend(k+1, weight)
			}
			if !q.more {
				break
			}
		}
		v.scratch = list
		return
	case v.kind == closes || v.repeats():
		n := v.count(from, to)
		if n == 0 {
			return
		}
		var err error
		if weight, err = times(weight, uint64(n)); err != nil {
			q.fail(err)
			return
		}
	}
	if q.holds(&v.ask) {
		q.extend(k+1, weight)
	}
}

// between returns the relationships between two vertices, in room that v.scratch has.
func (v *move) between(s *csr.Snapshot, from, to csr.VertexID) []csr.EdgeID {
	if v.adj == nil {
		return v.late.relationships(v.scratch[:0], from, to)
	}
	return s.Relationships(v.scratch[:0], from, to, v.types, v.dir)
}

// follow gives the ends of a given relationship to its query vertices.
func (q *anchoredMatch) follow(k int, v *move, weight uint64) {
	e := q.edges[v.edge]
	x := &q.p.Edges[v.edge]
	if !x.Types.Has(q.s.TypeOf(e)) {
		return
	}
	src, dst := q.s.Endpoints(e)
	for turn := range 2 {
		if turn == 1 {
			if !x.Undirected || src == dst {
				return
			}
			src, dst = dst, src
		}
		if q.place(x.From, src, v.fresh[0]) && q.place(x.To, dst, v.fresh[1] && x.From != x.To) && q.step() && q.holds(&v.ask) {
			q.extend(k+1, weight)
		}
		if !q.more {
			return
		}
	}
}

// place gives a query vertex its graph vertex. Unless it is fresh, place reports whether it already has that one.
func (q *anchoredMatch) place(u int, v csr.VertexID, fresh bool) bool {
	if !fresh {
		return q.vertices[u] == v
	}
	q.vertices[u] = v
	return q.m.job.Candidates.Sets[u].Has(v)
}

// give passes a match on.
func (q *anchoredMatch) give(weight uint64) {
	if q.countOnly {
		q.count(weight, 1)
		return
	}
	if q.held != nil {
		q.held.add(q, weight)
		return
	}
	for _, p := range q.m.vertices {
		q.m.x.row[p.slot] = value.OfNode(q.vertices[p.element])
	}
	for _, p := range q.m.edges {
		q.m.x.row[p.slot] = value.OfRel(q.edges[p.element])
	}
	more, err := emitMatch(q.m, q.mult, weight)
	if q.err = err; err != nil || !more {
		q.more = false
	}
}

// emitMatch emits the row of a match, which counts towards the limit of m.
func emitMatch(m *matchStage, mult, weight uint64) (more bool, err error) {
	more, err = m.emitTimes(mult, weight)
	if left := m.left; left != nil && left.Add(-int64(min(weight, 1<<32))) <= 0 {
		more = false
	}
	return more, err
}

func (q *anchoredMatch) count(weight, n uint64) {
	hi, lo := bits.Mul64(weight, n)
	sum, carry := bits.Add64(q.total, lo, 0)
	if hi != 0 || carry != 0 || sum > math.MaxInt64 {
		q.fail(eval.Overflow("the number of matches"))
		return
	}
	q.total = sum
}
