package paths

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// All walks that match a path pattern, depth-first from one end. Input: a program and a start.
//
// What makes it fast: every test runs at the last element that it reads, and far cuts walks that cannot end in time.

// maxWalk is how many relationships a walk may have: the search recurses for each.
const maxWalk = 1 << 20

// walker searches for the walks of one program.
type walker struct {
	*program
	s    *csr.Snapshot
	job  *pattern.PathJob
	env  *pattern.Env
	q    *pattern.PathQuery
	stop *atomic.Bool

	byEnds   bool // the ends identify a relationship; edges stays empty
	vertices []csr.VertexID
	rels     []csr.EdgeID
	nodes    []csr.VertexID // of the walk
	edges    []csr.EdgeID
	starts   []int
	ids      []csr.EdgeID // stack of the choices at each step
	usedRels bits64       // of the walk and of the query, where the mode wants it
	usedNode bits64
	out      pattern.Walk

	length int                                         // that a walk must have; -1: any
	far    func(v csr.VertexID, hop int) (least int32) // lower bound on the relationships to come; -1: no walk; nil: unknown
	cutoff bool                                        // the search gave a walk up only because of length
	macro  func(hop, done int) (bool, error)           // called at the end of a repetition, instead of going on
	free   bool                                        // no uniqueness, whatever the mode

	aim   func() error // called once, when the search has read aimAt relationships; it may set far
	aimAt int

	emit         func(*pattern.Walk) (bool, error)
	reads        int   // relationships read so far
	scratchBytes int64 // charged for the stack
}

// bits64 is a set of numbers that grows as needed.
type bits64 []uint64

func (b *bits64) add(x uint64) {
	for uint64(len(*b)) <= x>>6 {
		*b = append(*b, make([]uint64, max(16, len(*b)))...)
	}
	(*b)[x>>6] |= 1 << (x & 63)
}

func (b bits64) has(x uint64) bool { return x>>6 < uint64(len(b)) && b[x>>6]>>(x&63)&1 != 0 }
func (b bits64) del(x uint64)      { b[x>>6] &^= 1 << (x & 63) }

func newWalker(s *csr.Snapshot, j *pattern.PathJob, g *program, env *pattern.Env) *walker {
	w := &walker{program: g, s: s, job: j, env: env, stop: new(atomic.Bool), length: -1}
	w.vertices, w.rels = make([]csr.VertexID, j.Path.Vertices), make([]csr.EdgeID, j.Path.Edges)
	w.starts = make([]int, len(g.hops)+1)
	return w
}

// run searches from start, the value of the program's first node.
func (w *walker) run(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { w.stop.Store(true) })()
	w.begin(q, start, emit)
	var err error
	if w.onlyCounts() {
		_, err = w.send(w.countWalks(start, 0))
	} else {
		_, err = w.node(0)
	}
	w.end()
	if err == nil {
		err = ctx.Err()
	}
	return err
}

func (w *walker) begin(q *pattern.PathQuery, start csr.VertexID, emit func(*pattern.Walk) (bool, error)) {
	w.q, w.emit = q, emit
	copy(w.vertices, q.Vertices)
	copy(w.rels, q.Edges)
	w.byEnds = w.canGoByEnds()
	w.nodes, w.edges, w.ids = append(w.nodes[:0], start), w.edges[:0], w.ids[:0]
	if w.nodesDiffer() {
		w.usedNode.add(uint64(start))
	}
}

// end clears the marks of begin and of the search.
func (w *walker) end() {
	for _, v := range w.nodes {
		if w.nodesDiffer() {
			w.usedNode.del(uint64(v))
		}
	}
	w.env.Memory.Release(w.scratchBytes)
	w.scratchBytes = 0
	if t := w.env.Tally; t != nil {
		t.Partial.Add(uint64(w.reads))
		w.reads = 0
	}
}

func (w *walker) nodesDiffer() bool { return w.mode >= pattern.SimpleMode && !w.free }
func (w *walker) edgesDiffer() bool { return w.mode >= pattern.TrailMode && !w.free }

// shortWalk is the length up to which the search compares a walk's relationships one by one.
const shortWalk = 16

// canGoByEnds reports whether the ends identify the relationships of a walk.
func (w *walker) canGoByEnds() bool {
	if w.job.Rels || len(w.q.UsedEdges) > 0 || !w.free && w.mode >= pattern.TrailMode && (w.most > shortWalk || !w.uniform()) {
		return false
	}
	for i := range w.hops {
		for j := range w.hops[i].steps {
			if st := &w.hops[i].steps[j]; st.adj.Counts != nil || st.slot >= 0 || len(st.tests) > 0 {
				return false
			}
		}
		if w.listOf(i) != nil {
			return false
		}
	}
	return true
}

// listOf returns the given list of relationships of hop i; nil without one.
func (w *walker) listOf(i int) []csr.EdgeID {
	if len(w.q.Lists) == 0 {
		return nil
	}
	return w.q.Lists[w.hops[i].at]
}

// node tries the last node of the walk as the program's node i and continues from there.
func (w *walker) node(i int) (more bool, err error) {
	n, v := &w.nodes0()[i], w.nodes[len(w.nodes)-1]
	if !w.admits(n, v) {
		return true, nil
	}
	if n.slot >= 0 {
		switch w.vertices[n.slot] {
		case csr.NoVertex:
			w.vertices[n.slot] = v
			defer func() { w.vertices[n.slot] = csr.NoVertex }()
		case v:
		default:
			return true, nil
		}
	}
	if ok, err := w.holds(n.tests); err != nil || !ok {
		return err == nil, err
	}
	w.starts[i] = len(w.nodes) - 1
	if i == len(w.hops) {
		return w.found()
	}
	if w.tooFar(v, i) {
		return true, nil
	}
	h, list := &w.hops[i], w.listOf(i)
	if h.min == 0 && len(list) == 0 {
		if more, err = w.node(i + 1); err != nil || !more {
			return false, err
		}
	}
	if h.max > 0 && (list == nil || len(list) > 0) {
		return w.repeat(i, 0)
	}
	return true, nil
}

func (w *walker) nodes0() []progNode { return w.program.nodes }

func (w *walker) admits(n *progNode, v csr.VertexID) bool {
	return n.labels == nil || n.labels.Admits(w.s.LabelsOf(v))
}

func (w *walker) holds(tests []progTest) (bool, error) {
	for _, t := range tests {
		if w.macro != nil && !t.local {
			continue
		}
		if ok, err := t.fn(w.vertices, w.rels); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// repeat begins repetition done (from 0) of hop i.
func (w *walker) repeat(i, done int) (more bool, err error) {
	n := &w.hops[i].inner[0]
	v := w.nodes[len(w.nodes)-1]
	if !w.admits(n, v) {
		return true, nil
	}
	if n.slot >= 0 {
		was := w.vertices[n.slot]
		w.vertices[n.slot] = v
		defer func() { w.vertices[n.slot] = was }()
	}
	if ok, err := w.holds(n.tests); err != nil || !ok {
		return err == nil, err
	}
	return w.step(i, done, 0)
}

// step takes step j of a repetition of hop i.
func (w *walker) step(i, done, j int) (more bool, err error) {
	if len(w.nodes) > w.length && w.length >= 0 {
		w.cutoff = true
		return true, nil
	}
	if err := w.deepen(); err != nil {
		return false, err
	}
	st, v := &w.hops[i].steps[j], w.nodes[len(w.nodes)-1]
	if list := w.listOf(i); list != nil {
		return w.given(i, done, list, v)
	}
	row := st.adj.Neighbours(v)
	last := w.macro == nil && i == len(w.hops)-1 && j == len(w.hops[i].steps)-1 && done+1 == w.hops[i].max
	if last {
		if end := w.endGiven(); end != csr.NoVertex {
			at, ok := slices.BinarySearch(row, end)
			if !ok {
				return true, nil
			}
			row = row[at : at+1]
		}
	}
	for _, x := range row {
		if w.reads++; w.reads&1023 == 0 && w.stop.Load() {
			return false, nil
		}
		if w.aim != nil && w.reads >= w.aimAt {
			aim := w.aim
			w.aim = nil
			if err = aim(); err != nil {
				return false, err
			}
		}
		if !w.mayVisit(x) {
			continue
		}
		if w.byEnds {
			if w.edgesDiffer() && w.passed(v, x, st.dir) {
				continue
			}
			if more, err = w.take(i, done, j, x, csr.NoEdge); err != nil || !more {
				return false, err
			}
			continue
		}
		from := len(w.ids)
		w.ids = w.s.Relationships(w.ids, v, x, st.types, st.dir)
		for at, to := from, len(w.ids); at < to; at++ {
			if more, err = w.edge(i, done, j, x, w.ids[at]); err != nil || !more {
				return false, err
			}
		}
		w.ids = w.ids[:from]
	}
	return true, nil
}

// endGiven returns the vertex at which the walk must end; NoVertex without one.
func (w *walker) endGiven() csr.VertexID {
	if slot := w.program.nodes[len(w.hops)].slot; slot >= 0 {
		return w.vertices[slot]
	}
	return csr.NoVertex
}

// mayVisit reports whether x may follow.
func (w *walker) mayVisit(x csr.VertexID) bool {
	if len(w.q.UsedNodes) > 0 && slices.Contains(w.q.UsedNodes, x) {
		return false
	}
	if !w.nodesDiffer() {
		return true
	}
	first := w.nodes[0]
	if w.mode == pattern.SimpleMode {
		// A walk that is back at its first node is closed.
		return (len(w.nodes) == 1 || w.nodes[len(w.nodes)-1] != first) && (x == first || !w.usedNode.has(uint64(x)))
	}
	return !w.usedNode.has(uint64(x))
}

// passed reports whether the walk has the relationship from v to x, by its ends.
func (w *walker) passed(v, x csr.VertexID, dir csr.Direction) bool {
	for k := 1; k < len(w.nodes); k++ {
		a, b := w.nodes[k-1], w.nodes[k]
		if a == v && b == x || dir == csr.Both && a == x && b == v {
			return true
		}
	}
	return false
}

// edge takes relationship e to x if the mode and the query admit it.
func (w *walker) edge(i, done, j int, x csr.VertexID, e csr.EdgeID) (more bool, err error) {
	if w.edgesDiffer() {
		if w.most <= shortWalk && slices.Contains(w.edges, e) || w.usedRels.has(uint64(e)) {
			return true, nil
		}
	}
	if slices.Contains(w.q.UsedEdges, e) {
		return true, nil
	}
	if slot := w.hops[i].steps[j].slot; slot >= 0 {
		was := w.rels[slot]
		if was != csr.NoEdge && was != e && w.fixed(i) {
			return true, nil
		}
		w.rels[slot] = e
		defer func() { w.rels[slot] = was }()
	}
	if ok, err := w.holds(w.hops[i].steps[j].tests); err != nil || !ok {
		return err == nil, err
	}
	mark := w.edgesDiffer() && w.most > shortWalk
	if mark {
		w.usedRels.add(uint64(e))
		defer w.usedRels.del(uint64(e))
	}
	return w.take(i, done, j, x, e)
}

// fixed reports whether hop i is a single relationship, whose variable has one value.
func (w *walker) fixed(i int) bool { return !w.job.Path.Hops[w.hops[i].at].Loop }

// take appends x to the walk and continues from there.
func (w *walker) take(i, done, j int, x csr.VertexID, e csr.EdgeID) (more bool, err error) {
	h := &w.hops[i]
	n := &h.inner[j+1]
	if !w.admits(n, x) {
		return true, nil
	}
	if n.slot >= 0 {
		was := w.vertices[n.slot]
		if n.again && was != x {
			return true, nil
		}
		w.vertices[n.slot] = x
		defer func() { w.vertices[n.slot] = was }()
	}
	if ok, err := w.holds(n.tests); err != nil || !ok {
		return err == nil, err
	}
	w.nodes = append(w.nodes, x)
	if !w.byEnds {
		w.edges = append(w.edges, e)
	}
	repeated := false // x is the first node, come back
	if w.nodesDiffer() {
		if repeated = w.usedNode.has(uint64(x)); !repeated {
			w.usedNode.add(uint64(x))
		}
	}
	if j+1 < len(h.steps) {
		more, err = w.step(i, done, j+1)
	} else {
		more, err = w.repeated(i, done+1)
	}
	if w.nodesDiffer() && !repeated {
		w.usedNode.del(uint64(x))
	}
	w.nodes = w.nodes[:len(w.nodes)-1]
	if !w.byEnds {
		w.edges = w.edges[:len(w.edges)-1]
	}
	return more, err
}

// repeated continues after done repetitions of hop i.
func (w *walker) repeated(i, done int) (more bool, err error) {
	if w.macro != nil {
		return w.macro(i, done)
	}
	h, list := &w.hops[i], w.listOf(i)
	if done >= h.min && (list == nil || done == len(list)) {
		if more, err = w.node(i + 1); err != nil || !more {
			return false, err
		}
	}
	if done < h.max && (list == nil || done < len(list)) && !w.tooFar(w.nodes[len(w.nodes)-1], i) {
		return w.repeat(i, done)
	}
	return true, nil
}

// given follows the next relationship of a given list.
func (w *walker) given(i, done int, list []csr.EdgeID, v csr.VertexID) (more bool, err error) {
	if done >= len(list) {
		return true, nil
	}
	e := list[done]
	if w.back {
		e = list[len(list)-1-done]
	}
	st := &w.hops[i].steps[0]
	from, to := w.s.Endpoints(e)
	if st.types != nil && !slices.Contains(st.types, w.s.TypeOf(e)) {
		return true, nil
	}
	for k, x := range [2]csr.VertexID{to, from} {
		near := from
		if k == 1 {
			near = to
		}
		if near != v || st.dir == csr.Out && k == 1 || st.dir == csr.In && k == 0 || k == 1 && from == to && st.dir == csr.Both {
			continue
		}
		if !w.mayVisit(x) {
			continue
		}
		if more, err = w.edge(i, done, 0, x, e); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// send reports n walks by their number alone.
func (w *walker) send(n uint64) (bool, error) {
	if n == 0 {
		return !w.stop.Load(), nil
	}
	w.out = pattern.Walk{Weight: n}
	return w.emit(&w.out)
}

// found sends the walk to emit.
func (w *walker) found() (bool, error) {
	if w.length >= 0 && len(w.nodes)-1 != w.length {
		return true, nil
	}
	w.out = pattern.Walk{Nodes: w.nodes, Edges: w.edges, Starts: w.starts, Weight: 1}
	if w.job.Path.Apart && !w.apart(&w.out) {
		return true, nil
	}
	return w.emit(&w.out)
}

// apart tests Path.Apart on a walk of the program.
func (w *walker) apart(x *pattern.Walk) bool {
	if !w.back {
		return w.job.Path.KeepsApart(x)
	}
	t := pattern.Walk{Nodes: slices.Clone(x.Nodes), Starts: slices.Clone(x.Starts)}
	slices.Reverse(t.Nodes)
	slices.Reverse(t.Starts)
	for i := range t.Starts {
		t.Starts[i] = len(t.Nodes) - 1 - t.Starts[i]
	}
	return w.job.Path.KeepsApart(&t)
}

// deepen charges a long walk's memory on the stack.
func (w *walker) deepen() error {
	const perStep, chunk = 1 << 10, 1 << 10
	n := len(w.nodes)
	if n >= maxWalk {
		return pattern.ErrMemory
	}
	if need := int64(n/chunk) * chunk * perStep; need > w.scratchBytes {
		grow := need - w.scratchBytes
		w.scratchBytes = need
		return w.env.Memory.Charge(grow)
	}
	return nil
}
