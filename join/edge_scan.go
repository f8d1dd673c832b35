package join

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Scans of relationships. A pattern of one directed edge may need each relationship on its own. Then its matches are the rows of the
// adjacency, cut down to the candidates. Conditions are tested on the relationships of many vertices at once, which a search does for one
// vertex at a time. Searches that units or other orders need go by rows, too: see row_scan.go.

// edgeScan goes through the relationships of the candidates of the edge's first vertex.
type edgeScan struct {
	*program
	ctx   context.Context
	env   *pattern.Env
	edge  *pattern.Edge
	preds []*pattern.Predicate // those that the filter has not tested
	apart bool                 // the ends must differ
	bits  []uint64             // of the candidates of the second vertex; nil: all are

	sink                pattern.ColumnSink // nil: count only
	read, readEdges     []int
	most, full, tested  int // rows of a full batch; rows that are handed over for now; rows that have passed the tests
	from, to            []csr.VertexID
	ids                 []csr.EdgeID
	keep                []bool
	found, seen, starts uint64
	vertices            []csr.VertexID // scratch: one match
	edges               []csr.EdgeID
}

// scanRows is how many relationships a scan tests at once.
const scanRows = 1024

// byEdges gives the sink the matches of a pattern of one edge, or counts them if the sink is nil. done tells whether it did.
func (c *program) byEdges(ctx context.Context, env *pattern.Env, sink pattern.Sink) (n uint64, done bool, err error) {
	plan := c.planScan(env, sink)
	if plan == nil {
		return 0, false, nil
	}
	x, err := plan.all(ctx)
	env.Took(pattern.EdgeScan, x.seen)
	if env.Tally != nil {
		env.Tally.Partial.Add(x.starts + x.seen)
		visits := make([]uint64, 2)
		visits[x.edge.From], visits[x.edge.To] = x.starts, x.seen
		env.Tally.AddVisits(visits)
		if sink != nil {
			env.Tally.Embeddings.Add(x.found)
		}
	}
	if note := c.job.Candidates.Spent; note != nil {
		note(x.seen)
	}
	return x.found, true, err
}

// scanChunk is how many vertices a worker takes at once. The first ones of a label have the most relationships.
const scanChunk = 1 << 10

// all shares the vertices among workers. The scan that it returns has what they counted together.
func (x *edgeScan) all(ctx context.Context) (edgeScan, error) {
	var stop atomic.Bool
	var failed atomic.Pointer[error]
	ended := func(more bool, err error) {
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
		if err != nil || !more {
			stop.Store(true)
		}
	}
	list, types := x.job.Candidates.Sets[x.edge.From].List(), x.relationships()
	scans := make([]*edgeScan, max(1, x.env.Workers))
	parallel.For(len(scans), len(list), scanChunk, &stop, func(worker, lo, hi int) {
		if scans[worker] == nil {
			own := *x
			own.ctx, own.vertices, own.edges = ctx, make([]csr.VertexID, 2), make([]csr.EdgeID, 1)
			scans[worker] = &own
		}
		ended(scans[worker].run(list[lo:hi], types))
	})
	sum := *x
	for _, own := range scans {
		if own == nil {
			continue
		}
		if !stop.Load() {
			ended(own.end())
		}
		sum.found, sum.seen, sum.starts = sum.found+own.found, sum.seen+own.seen, sum.starts+own.starts
	}
	if err := failed.Load(); err != nil {
		return sum, *err
	}
	return sum, ctx.Err()
}

// planScan returns an edgeScan of the pattern, nil if a search is as good or needed.
func (c *program) planScan(env *pattern.Env, sink pattern.Sink) *edgeScan {
	j := c.job
	if len(c.p.Vertices) != 2 || len(c.p.Edges) != 1 || !c.enumerate || c.root > 0 || c.planOnly || j.Share != nil || j.DistinctPrefix > 0 || c.divisor > 1 ||
		len(c.distinct)+len(c.replace) > 0 || c.singly || c.tail >= 0 || c.unread != 0 || env.Order != pattern.OrderAuto || !env.Uses(pattern.EdgeScan) {
		return nil
	}
	e := &c.p.Edges[0]
	from, to := j.Candidates.Sets[e.From], j.Candidates.Sets[e.To]
	if e.From == e.To || e.Undirected || e.AtLeastOne || e.Bound || c.pos[e.From] != 0 && 2*to.Len() < from.Len() {
		return nil
	}
	x := &edgeScan{program: c, env: env, edge: e, apart: len(c.p.Different) > 0, most: scanRows, full: scanRows}
	for i := range c.p.Scopes {
		sc := &c.p.Scopes[i]
		if sc.Distinct || sc.Induced {
			return nil
		}
		x.apart = x.apart || sc.Mode == pattern.DifferentNodes && len(sc.Vertices) == 2
	}
	for i := range c.p.Predicates {
		q := &c.p.Predicates[i]
		if _, single := q.Single(); single && !slices.Contains(j.Candidates.Deferred, i) {
			continue
		}
		if q.Sift == nil {
			return nil
		}
		x.preds = append(x.preds, q)
	}
	if uint64(to.Len()) < c.s.N() {
		x.bits = to.Bits()
	}
	if sink == nil {
		return x
	}
	columns, ok := sink.(pattern.ColumnSink)
	if !ok {
		return nil
	}
	x.sink, x.read, x.readEdges = columns, columns.ReadVertices(), columns.ReadEdges()
	x.most, x.full = columns.BatchRows(), 1
	return x
}

// relationships are those of the edge's types.
func (x *edgeScan) relationships() (types []*csr.Rels) {
	for t := range x.s.Data.Rels {
		if x.edge.Types.Has(csr.TypeID(t)) && x.s.Data.Rels[t].Len() > 0 {
			types = append(types, x.s.Rels(csr.TypeID(t)))
		}
	}
	return types
}

// run goes through the relationships of some vertices. It ends early when the sink wants no more.
func (x *edgeScan) run(list []csr.VertexID, types []*csr.Rels) (more bool, err error) {
	for _, v := range list {
		x.starts++
		for _, rels := range types {
			if more, err := x.add(v, rels.Outgoing(v)); err != nil || !more {
				return false, err
			}
		}
	}
	return true, x.ctx.Err()
}

// end hands over the rows that are left.
func (x *edgeScan) end() (more bool, err error) {
	if more, err := x.test(); err != nil || !more || len(x.to) == 0 {
		return more, err
	}
	return x.give()
}

// add takes the relationships that leave v.
func (x *edgeScan) add(v csr.VertexID, row csr.IncidentRow) (more bool, err error) {
	for at := 0; at < len(row.Ends); {
		n := min(len(row.Ends)-at, max(1, x.full-len(x.to)))
		x.to = append(x.to, row.Ends[at:at+n]...)
		x.from = pattern.AppendRepeated(x.from, v, n)
		x.ids = row.AppendIDs(x.ids, at, at+n)
		x.seen += uint64(n)
		if at += n; len(x.to) < x.full {
			continue
		}
		if more, err := x.test(); err != nil || !more {
			return false, err
		}
		if 2*len(x.to) >= x.full {
			if more, err := x.give(); err != nil || !more {
				return false, err
			}
		}
	}
	return true, nil
}

// test removes the rows that are no matches from those that came since it was last called. An error comes after the matches before it.
func (x *edgeScan) test() (more bool, err error) {
	if err := x.ctx.Err(); err != nil {
		return false, err
	}
	if x.bits != nil || x.apart {
		x.fit()
	}
	for _, q := range x.preds {
		x.mark()
		m := &pattern.Alike{Vertices: x.vertices, Edges: x.edges, Vertex: x.edge.To, At: x.to[x.tested:], Edge: 0, Over: x.ids[x.tested:],
			Other: x.edge.From, Others: x.from[x.tested:]}
		if len(m.At) == 0 {
			break
		}
		if q.Sift(m, x.keep) {
			x.retain()
		} else if failed := x.hold(q); failed != nil {
			err = failed // the rows before it are still to be tested: one may have an error, too
		}
	}
	x.tested = len(x.to)
	if err != nil {
		if more, failed := x.give(); failed != nil || !more {
			return false, failed
		}
	}
	return err == nil, err
}

// mark sets keep for each row that is to be tested.
func (x *edgeScan) mark() {
	x.keep = slices.Grow(x.keep[:0], len(x.to)-x.tested)[:len(x.to)-x.tested]
	for i := range x.keep {
		x.keep[i] = true
	}
}

// fit removes rows whose second end is no candidate, or is the first where they must differ.
func (x *edgeScan) fit() {
	x.mark()
	for i, w := range x.to[x.tested:] {
		x.keep[i] = (x.bits == nil || x.bits[w>>6]>>(w&63)&1 != 0) && !(x.apart && w == x.from[x.tested+i])
	}
	x.retain()
}

// retain leaves the rows that are kept.
func (x *edgeScan) retain() {
	at := x.tested
	for i, ok := range x.keep {
		if row := x.tested + i; ok {
			x.from[at], x.to[at], x.ids[at] = x.from[row], x.to[row], x.ids[row]
			at++
		}
	}
	x.cut(at)
}

// cut leaves the first n rows.
func (x *edgeScan) cut(n int) { x.from, x.to, x.ids = x.from[:n], x.to[:n], x.ids[:n] }

// hold tests q row by row. After an error, the rows before it are left.
func (x *edgeScan) hold(q *pattern.Predicate) error {
	for i := range x.keep {
		row := x.tested + i
		x.vertices[x.edge.From], x.vertices[x.edge.To], x.edges[0] = x.from[row], x.to[row], x.ids[row]
		ok, err := q.Test(x.vertices, x.edges)
		if err != nil {
			ok = false
			if err = x.met(x.ctx, q, x.vertices, x.edges, err); err != nil {
				x.keep = x.keep[:i]
				x.retain()
				return err
			}
		}
		x.keep[i] = ok
	}
	x.retain()
	return nil
}

// give hands the rows over.
func (x *edgeScan) give() (more bool, err error) {
	n := len(x.to)
	x.found += uint64(n)
	if x.sink != nil && n > 0 {
		c := &pattern.Columns{Vertices: make([][]csr.VertexID, len(x.read)), Edges: make([][]csr.EdgeID, len(x.readEdges)), Len: n}
		for i, u := range x.read {
			if c.Vertices[i] = x.to; u == x.edge.From {
				c.Vertices[i] = x.from
			}
		}
		for i := range x.readEdges {
			c.Edges[i] = x.ids
		}
		x.full = min(x.most, 2*x.full)
		if more, err = x.sink.EmitColumns(c); err != nil || !more {
			return false, err
		}
	}
	x.tested = 0
	x.cut(0)
	return true, nil
}
