package join

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Numbers of matches by two vertices. A grouped count may read two vertices that no edge joins, such as friends of friends. Then the formula
// is evaluated for one value of one of them at a time, for all values of the other. Conditions on these two vertices alone are tested
// once for each pair that has matches, not for each match.

// pairSums is an evaluation of pattern.Pairs.
type pairSums struct {
	evaluation
	pairs       *pattern.Pairs
	sink        pattern.ColumnSink
	first       int // the vertex whose values are taken one after the other
	second      int
	comparisons []comparison
	absent      []absence
	tests       []*pattern.Predicate
	sorted      bool  // the conditions are divided by how they are tested
	numbers     int64 // bytes of the comparisons
	workers     []pairOutput
	bytes       atomic.Int64 // charged until the end of the run
}

// absence is a condition that no relationship joins the pair.
type absence struct {
	*pattern.Predicate
	view *csr.Adjacency // as seen from the first vertex
}

// pairOutput is what a worker gives the sink.
type pairOutput struct {
	columns pattern.Columns
	at      int            // the column of the first vertex
	full    int            // so many rows are handed over
	given   bool           // some were
	match   []csr.VertexID // scratch of tests
	related [][]uint32     // by absence and vertex: the last stamp of a row whose vertex it is related to
	stamp   uint32         // of the row
	rows    uint64
	matches uint64
}

// pairCost is the expected partial matches of a search from which pairs are weighed against it. A search takes some 100 ns for each, and
// pairs 2 to 5 ns for a list element or an entry of their arrays: pairGain is how many of these they may take instead.
var pairCost, pairGain = 1e4, 20.0

// byPairs gives the sink a match for each pair of values of the two vertices that are read, with the number of their matches as the
// weight, if that promises to be cheaper than a search. done tells whether it did.
func (c *program) byPairs(ctx context.Context, env *pattern.Env, sink pattern.Sink) (done bool, err error) {
	p := c.job.Pairs
	columns, ok := sink.(pattern.ColumnSink)
	if p == nil || !ok || c.enumerate || c.root > 0 || len(c.job.Candidates.Deferred) > 0 || c.cost < pairCost || !env.Uses(pattern.PairSums) {
		return false, nil
	}
	x := c.cheaperPairs(env, p)
	if x == nil || x.homs.Cost()+float64(c.s.N()) > pairGain*c.cost {
		return false, nil
	}
	if c.planOnly {
		c.divided = x.first
		return true, nil
	}
	return x.send(ctx, columns, x.job.Candidates.Sets[x.first].List())
}

// toldGain is how many times dearer the numbers may be if the vertex that is divided is one whose matches never meet above.
const toldGain = 1.2

// cheaperPairs plans the numbers with the values of either vertex one after the other, whichever is cheaper; nil if the pattern has none.
func (c *program) cheaperPairs(env *pattern.Env, p *pattern.Pairs) *pairSums {
	x, y := c.planPairs(env, p, 0), c.planPairs(env, p, 1)
	if x == nil || y == nil {
		return cmp.Or(x, y)
	}
	cost := [2]float64{x.homs.Cost(), y.homs.Cost()}
	for i, told := range p.Told {
		if told {
			cost[i] /= toldGain
		}
	}
	if cost[1] < cost[0] {
		return y
	}
	return x
}

// send gives the sink the pairs whose first vertex is one of firsts.
func (x *pairSums) send(ctx context.Context, sink pattern.ColumnSink, firsts []csr.VertexID) (done bool, err error) {
	x.sink = sink
	defer func() { x.env.Memory.Release(x.bytes.Swap(0)) }()
	if x.sorted { // an earlier share of the job has done that, and its charge has ended
		if err := x.charge(x.numbers); err != nil {
			return false, err
		}
	} else if err := x.conditions(); err != nil {
		return false, leaveOut(ctx, err)
	}
	return x.run(ctx, firsts)
}

// planPairs plans the numbers row by row, with the values of p.Read[first] one after the other. It returns nil if the pattern has none.
func (c *program) planPairs(env *pattern.Env, p *pattern.Pairs, first int) *pairSums {
	x := &pairSums{evaluation: evaluation{program: c, env: env, by: CPUCounter{}, formula: p.Formula, sets: map[string]int{}}, pairs: p, first: p.Read[first], second: p.Read[1-first]}
	x.homs = hom.NewCounter(c.s)
	x.homs.Leave(env.Without)
	if p.Apart {
		x.homs.KeepApart()
	}
	for i := range p.Formula.Terms {
		if !x.term(&p.Formula.Terms[i]) {
			return nil
		}
	}
	return x
}

// term adds the graph of t. It reports false if the graph cannot be counted by pairs.
func (x *pairSums) term(t *pattern.Term) bool {
	g, ends := hom.Graph{Factors: t.Factors}, [2]int{-1, -1}
	some := true
	for i, kinds := range t.Vertices {
		set, any := x.set(kinds)
		some = some && any
		g.Sets = append(g.Sets, set)
		for k, u := range []int{x.first, x.second} {
			if slices.Contains(kinds, x.formula.Kinds[u]) {
				ends[k] = i
			}
		}
	}
	if !some || ends[0] == ends[1] && x.pairs.Apart {
		return true // no vertex can be all that one of them stands for
	}
	return x.homs.AddPairs(g, ends[0], ends[1], t.Coefficient)
}

// conditions divides the conditions by how they are tested. Whoever made the job charges what it compares, for this run.
func (x *pairSums) conditions() error {
	x.sorted = true
	var faster []pattern.Comparison
	if x.pairs.Compare != nil {
		var err error
		if faster, err = x.pairs.Compare(); err != nil {
			return err
		}
	}
	for _, i := range x.pairs.Conditions {
		q := &x.p.Predicates[i]
		at := slices.IndexFunc(faster, func(c pattern.Comparison) bool { return c.Predicate == i })
		switch {
		case at >= 0:
			c := &faster[at]
			y := comparison{c.Numbers, c.Less, c.Equal, c.Greater}
			if x.first != x.pairs.Read[0] {
				y = comparison{[2][]int64{c.Numbers[1], c.Numbers[0]}, c.Greater, c.Equal, c.Less}
			}
			x.comparisons, x.numbers = append(x.comparisons, y), x.numbers+16*int64(x.s.N())
		case q.Absent != nil:
			dir := csr.Out
			switch {
			case q.Absent.Undirected:
				dir = csr.Both
			case q.Absent.From != x.first:
				dir = csr.In
			}
			x.absent = append(x.absent, absence{q, x.s.Adjacency(q.Absent.Types, dir)})
		default:
			x.tests = append(x.tests, q)
		}
	}
	return nil
}

// run counts.
func (x *pairSums) run(ctx context.Context, firsts []csr.VertexID) (done bool, err error) {
	x.workers = make([]pairOutput, max(1, x.env.Workers))
	err = x.homs.EachPair(ctx, x.env, firsts, func(worker int, v csr.VertexID, seconds []csr.VertexID, numbers []uint64) error {
		return x.row(&x.workers[worker], v, seconds, numbers)
	})
	given := false
	for i := range x.workers {
		w := &x.workers[i]
		if err == nil {
			err = x.flush(w)
		}
		given = given || w.given
		x.env.Took(pattern.PairSums, w.rows)
		if x.env.Tally != nil {
			x.env.Tally.Embeddings.Add(w.matches)
		}
	}
	switch {
	case errors.Is(err, errEnough):
		return true, nil
	case err != nil && !given:
		return false, leaveOut(ctx, err)
	}
	return true, err
}

// errEnough ends a run whose sink wants no more.
var errEnough = errors.New("enough")

// row takes the pairs of v that have matches and meet the conditions.
func (x *pairSums) row(w *pairOutput, v csr.VertexID, seconds []csr.VertexID, numbers []uint64) error {
	if w.columns.Vertices == nil {
		x.begin(w)
	}
	w.stamp++
	for i := range x.absent {
		if err := x.mark(w, i, v); err != nil {
			return err
		}
	}
	for len(seconds) > 0 {
		part := seconds[:min(len(seconds), w.full-w.columns.Len)]
		seconds = seconds[len(part):]
		if err := x.part(w, v, part, numbers); err != nil {
			return err
		}
		if w.columns.Len == w.full {
			w.full = min(x.sink.BatchRows(), 2*w.full)
			if err := x.flush(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin makes what w needs.
func (x *pairSums) begin(w *pairOutput) {
	w.columns.Vertices, w.columns.Distinct, w.full = make([][]csr.VertexID, 2), true, 1
	w.match, w.related = make([]csr.VertexID, len(x.p.Vertices)), make([][]uint32, len(x.absent))
	if read := x.sink.ReadVertices(); read[0] != x.first {
		w.at = 1
	}
}

// part is row for a few vertices, which fit into the columns.
func (x *pairSums) part(w *pairOutput, v csr.VertexID, seconds []csr.VertexID, numbers []uint64) error {
	to, weights := w.columns.Vertices[1-w.at], w.columns.Weights
	before, candidates := len(weights), x.job.Candidates.Sets[x.second]
	for _, u := range seconds {
		n := numbers[u]
		if n == 0 || u == v && x.pairs.Apart || !candidates.Has(u) { // conditions may rule a vertex out and have no numbers for it
			continue
		}
		if ok, err := x.holds(w, v, u); err != nil {
			return err
		} else if ok {
			to, weights = append(to, u), append(weights, n)
			w.matches += n
		}
	}
	from := w.columns.Vertices[w.at]
	for range weights[before:] {
		from = append(from, v)
	}
	w.columns.Vertices[w.at], w.columns.Vertices[1-w.at], w.columns.Weights, w.columns.Len = from, to, weights, len(weights)
	w.rows += uint64(len(weights) - before)
	return nil
}

// mark marks the vertices that a relationship of absence i joins with v.
func (x *pairSums) mark(w *pairOutput, i int, v csr.VertexID) error {
	if w.related[i] == nil {
		if err := x.charge(4 * int64(x.s.N())); err != nil {
			return err
		}
		w.related[i] = make([]uint32, x.s.N())
	}
	for _, u := range x.absent[i].view.Neighbours(v) {
		w.related[i][u] = w.stamp
	}
	return nil
}

// charge charges bytes until the end of the run.
func (x *pairSums) charge(bytes int64) error {
	x.bytes.Add(bytes)
	return x.env.Memory.Charge(bytes)
}

// holds tests the conditions for the values v and u.
func (x *pairSums) holds(w *pairOutput, v, u csr.VertexID) (bool, error) {
	for i := range x.comparisons {
		if c := &x.comparisons[i]; !c.holds(c.numbers[0][v], c.numbers[1][u]) {
			return false, nil
		}
	}
	w.match[x.first], w.match[x.second] = v, u
	for i := range x.absent {
		if u == v { // a loop may count for nothing
			if ok, err := x.passes(x.absent[i].Predicate, w.match); !ok {
				return false, err
			}
		} else if w.related[i][u] == w.stamp {
			return false, nil
		}
	}
	for _, q := range x.tests {
		if ok, err := x.passes(q, w.match); !ok {
			return false, err
		}
	}
	return true, nil
}

// passes tests a condition on the vertices of match.
func (x *pairSums) passes(q *pattern.Predicate, match []csr.VertexID) (bool, error) {
	ok, err := q.Test(match, nil)
	if err != nil {
		return false, x.met(x.byValue.ctx, q, match, nil, err)
	}
	return ok, nil
}

// flush hands the columns over.
func (x *pairSums) flush(w *pairOutput) error {
	if w.columns.Len == 0 {
		return nil
	}
	w.given = true
	more, err := x.sink.EmitColumns(&w.columns)
	w.columns.Reset()
	w.columns.Distinct = true
	if err == nil && !more {
		err = errEnough
	}
	return err
}

// comparison is a pattern.Comparison with the first vertex on its left.
type comparison struct {
	numbers              [2][]int64
	less, equal, greater bool
}

func (c *comparison) holds(a, b int64) bool {
	return c.less && a < b || c.equal && a == b || c.greater && a > b
}
