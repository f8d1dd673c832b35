package exec

import (
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// anchoredMatch finds the matches around what a row gives by following relationships from there, one after the other. A device's
// search starts goroutines and compiles a program, which takes longer than most rows have matches; a probe is made once
// and starts in no time. What it cannot do (see newProbe) goes to the device.
type anchoredMatch struct {
	m         *matchStage
	s         *csr.Snapshot
	p         *pattern.Pattern
	vertices  []csr.VertexID // of the match so far, those of the row included
	edges     []csr.EdgeID
	upfront   ask // about what the row gives
	moves     []move
	narrower  float64 // times fewer candidates there are for a value that is looked up, about
	filterRan bool    // the candidates have the labels and passed what the filter could test
	countOnly bool    // nothing is read of the matches but how many there are
	mult      uint64
	total     uint64
	partial   uint64
	more      bool
	err       error
}

// move extends a match.
type move struct {
	kind     moveKind
	edge     int // query edge; of scan none
	from, to int // query vertices; of scan, to
	adj      *csr.Adjacency
	dir      csr.Direction // as seen from from
	types    csr.TypeSet
	ids      bool           // relationships are told apart
	list     []csr.VertexID // of scan
	seeks    []int          // of scan: the predicates for which an index finds candidates
	table    *valueTable    // of scan: finds candidates where no index does; nil: all are tried
	set      *pattern.CandidateSet
	fresh    [2]bool // of follow: from or to have no vertex yet
	scratch  []csr.EdgeID
	ask
}

type moveKind uint8

const (
	expand moveKind = iota // along an edge to a vertex that is not there yet
	closes                 // an edge between two that are
	follow                 // an edge whose relationship is given
	scan                   // any candidate
)

// ask is what must hold once a move is made.
type ask struct {
	apart   [][2]int // query vertices that differ
	clashes []clash
	tests   []pattern.Test
	labels  []int // query vertices whose labels the candidates do not vouch for
}

// clash is a pair of query edges that must not have the same relationship.
type clash struct {
	e, f int
	how  clashKind
}

type clashKind uint8

const (
	byID   clashKind = iota
	byPair           // at most one relationship joins two vertices
	byEnds           // likewise in one direction
)

// run finds the matches of the current row, and gives them.
func (q *anchoredMatch) run(mult uint64) (more bool, err error) {
	q.mult, q.total, q.partial, q.more, q.err = mult, 0, 0, true, nil
	if q.holds(&q.upfront) {
		q.extend(0, 1)
	}
	q.m.env.Tally.Partial.Add(q.partial)
	q.m.env.Took(pattern.RowProbe, 1)
	return q.more, q.err
}

// holds asks what must hold after a move.
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
	for _, test := range a.tests {
		ok, err := test(q.vertices, q.edges)
		if err != nil {
			q.fail(err)
		}
		if !ok || err != nil {
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

// step notes a partial match and now and then looks whether the query has been cancelled.
func (q *anchoredMatch) step() bool {
	q.partial++
	if q.partial%4096 == 0 {
		if err := q.m.x.ctx.Err(); err != nil {
			q.fail(err)
		}
	}
	return q.more
}

// extend makes the k-th move in all ways. There are weight ways to choose relationships for the match so far.
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
	case follow:
		q.follow(k, v, weight)
	case closes:
		q.edge(k, v, q.vertices[v.from], q.vertices[v.to], weight)
	default:
		q.expand(k, v, weight)
	}
}

// expand goes to all neighbours.
func (q *anchoredMatch) expand(k int, v *move, weight uint64) {
	from := q.vertices[v.from]
	near := v.adj.Neighbours(from)
	if q.countOnly && k == len(q.moves)-1 && v.plain() && v.adj.Counts == nil && (!q.p.Edges[v.edge].AtLeastOne || v.adj.Loops == 0) {
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

// plain reports whether nothing is asked of what the move finds.
func (v *move) plain() bool {
	return !v.ids && len(v.labels)+len(v.apart)+len(v.clashes)+len(v.tests) == 0
}

// edge goes on with the relationships between two vertices.
func (q *anchoredMatch) edge(k int, v *move, from, to csr.VertexID, weight uint64) {
	if !q.step() {
		return
	}
	switch {
	case q.p.Edges[v.edge].AtLeastOne:
		if from == to || v.kind == closes && !v.adj.Has(from, to) {
			return
		}
	case v.ids:
		list := q.s.Relationships(v.scratch[:0], from, to, v.types, v.dir)
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
	case v.kind == closes || v.adj.Counts != nil:
		n := v.adj.Count(from, to)
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

// follow puts the ends of a given relationship to its query vertices.
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

// place gives a query vertex its graph vertex, or asks whether it has that one.
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
	for _, p := range q.m.vertices {
		q.m.x.row[p.slot] = value.OfNode(q.vertices[p.element])
	}
	for _, p := range q.m.edges {
		q.m.x.row[p.slot] = value.OfRel(q.edges[p.element])
	}
	more, err := q.m.emitTimes(q.mult, weight)
	if left := q.m.left; left != nil && left.Add(-int64(min(weight, 1<<32))) <= 0 {
		more = false
	}
	if q.err = err; err != nil || !more {
		q.more = false
	}
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
