package paths

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/parallel"
)

// One shortest walk to each end of a plain pattern: one edge any number of times, with conditions on the ends alone.
//
// Input: a start, and perhaps an end. What makes it fast: one breadth-first search has the walks to all ends, as a tree. A second
// query from the same start reads the tree of the first. The walk back to the start is the shortest cycle through it; a
// breadth-first search finds that one, too.

// oneEach sends one shortest walk to end or, without one, to each vertex.
func (p *pathFinder) oneEach(ctx context.Context, q *pattern.PathQuery, start, end csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	again := p.before == start || p.start == start
	p.before = start
	p.ahead.begin(q, start, nil)
	defer p.ahead.end()
	if end != csr.NoVertex && end != start && !again {
		return p.single(ctx, start, end, emit)
	}
	if err := p.grow(ctx, start); err != nil {
		return err
	}
	if end != csr.NoVertex {
		_, err := p.branch(ctx, start, end, emit)
		return err
	}
	_, err := p.each(ctx, func(v csr.VertexID) (bool, error) { return p.branch(ctx, start, v, emit) })
	return err
}

// branch sends the walk of the tree to v.
func (p *pathFinder) branch(ctx context.Context, start, v csr.VertexID, emit func(*pattern.Walk) (bool, error)) (more bool, err error) {
	if p.depth(v) < 0 {
		return true, nil
	}
	ok, failed := p.ahead.endsAdmit(start, v)
	if failed == nil && !ok {
		return true, nil
	}
	w := &p.reversal
	if v == start {
		if w.Nodes, err = p.closedWalk(ctx, w.Nodes[:0], start); err != nil || len(w.Nodes) == 0 {
			return err == nil, err
		}
	} else {
		w.Nodes = append(w.Nodes[:0], v)
		for u := v; u != start; {
			u = p.parent(u)
			w.Nodes = append(w.Nodes, u)
		}
		slices.Reverse(w.Nodes)
	}
	if failed != nil { // only now it is known that there is a match
		return false, failed
	}
	return p.sendTree(emit)
}

// treeEnds finds the ends by the tree of start.
func (p *pathFinder) treeEnds(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, send func(csr.VertexID) (bool, error)) error {
	g, end := p.ahead.program, p.endOf(q)
	p.ahead.begin(q, start, nil)
	defer p.ahead.end()
	check := func(v csr.VertexID) (bool, error) {
		if ok, err := p.ahead.endsAdmit(start, v); err != nil || !ok {
			return err == nil, err
		}
		return send(v)
	}
	again := p.before == start || p.start == start
	p.before = start
	if end != csr.NoVertex && end != start && !again {
		path, err := p.pair(ctx, start, end)
		if err == nil && path != nil {
			_, err = check(end)
		}
		return err
	}
	if err := p.grow(ctx, start); err != nil {
		return err
	}
	if end == csr.NoVertex {
		more, err := p.each(ctx, func(v csr.VertexID) (bool, error) {
			if v == start {
				return true, nil
			}
			return check(v)
		})
		if err != nil || !more {
			return err
		}
	} else if end != start {
		if p.depth(end) < 0 {
			return nil
		}
		_, err := check(end)
		return err
	}
	ok, failed := p.ahead.endsAdmit(start, start)
	if failed == nil && !ok {
		return nil
	}
	if g.least > 0 {
		if ok, err := p.comesBack(ctx, start); err != nil || !ok {
			return err
		}
	}
	if failed != nil { // only now it is known that there is a match
		return failed
	}
	_, err := send(start)
	return err
}

// single finds one shortest walk between two vertices, from both ends.
func (p *pathFinder) single(ctx context.Context, start, end csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	ok, failed := p.ahead.endsAdmit(start, end)
	if failed == nil && !ok {
		return nil
	}
	path, err := p.pair(ctx, start, end)
	if err != nil || path == nil {
		return err
	}
	if failed != nil { // only now it is known that there is a match
		return failed
	}
	p.reversal.Nodes = append(p.reversal.Nodes[:0], path...)
	_, err = p.sendTree(emit)
	return err
}

// pair returns the vertices of a shortest walk of a plain pattern between two vertices; nil if there is none.
func (p *pathFinder) pair(ctx context.Context, start, end csr.VertexID) ([]csr.VertexID, error) {
	st := &p.ahead.hops[0].steps[0]
	in, pass := parallel.Nested(p.env)
	defer pass()
	return bfs.ShortestPath(ctx, p.job.Snapshot, &pattern.PathRequest{From: start, To: end, Types: st.types, Direction: st.dir, MaxDepth: p.deepest()}, in)
}

// sendTree sends the walk whose vertices are in p.reversal.
func (p *pathFinder) sendTree(emit func(*pattern.Walk) (bool, error)) (bool, error) {
	w, st := &p.reversal, &p.ahead.hops[0].steps[0]
	last := len(w.Nodes) - 1
	w.Edges, w.Weight = w.Edges[:0], 1
	w.Starts = append(w.Starts[:0], 0, last)
	if p.job.Rels {
		for i := 1; i <= last; i++ {
			p.ids = p.job.Snapshot.Relationships(p.ids[:0], w.Nodes[i-1], w.Nodes[i], st.types, st.dir)
			e := p.ids[0]
			if i == 2 && w.Nodes[0] == w.Nodes[2] && st.dir == csr.Both && p.ahead.mode != pattern.WalkMode {
				e = p.ids[1] // there and back by two relationships
			}
			w.Edges = append(w.Edges, e)
		}
	}
	return emit(w)
}

// ofEnds reports whether a pattern of one hop has no conditions but those on its ends. A single relationship may be given, or have a condition.
func (w *walker) ofEnds() bool {
	other := func(t progTest) bool { return !t.ends }
	return !(w.fixed(0) && w.hops[0].steps[0].slot >= 0) && !slices.ContainsFunc(w.program.nodes[0].tests, other) && !slices.ContainsFunc(w.program.nodes[1].tests, other)
}

// endsAdmit reports whether the conditions on the ends of a pattern of one hop hold for two vertices.
func (w *walker) endsAdmit(start, end csr.VertexID) (bool, error) {
	a, b := &w.program.nodes[0], &w.program.nodes[1]
	if !w.admits(a, start) || !w.admits(b, end) {
		return false, nil
	}
	w.vertices[a.slot], w.vertices[b.slot] = start, end
	if ok, err := w.holds(a.tests); err != nil || !ok {
		return false, err
	}
	return w.holds(b.tests)
}

// admitsEnds reports whether the conditions that read nothing but the ends hold for two vertices.
func (p *pathFinder) admitsEnds(q *pattern.PathQuery, start, end csr.VertexID) (bool, error) {
	nodes := p.job.Path.Nodes
	first, last := &nodes[0], &nodes[len(nodes)-1]
	for _, n := range [2]struct {
		*pattern.PathNode
		v csr.VertexID
	}{{first, start}, {last, end}} {
		if n.Labels != nil && !n.Labels.Admits(p.job.Snapshot.LabelsOf(n.v)) {
			return false, nil
		}
	}
	if len(p.tests) == 0 {
		return true, nil
	}
	p.vertices = append(p.vertices[:0], q.Vertices...)
	p.vertices[first.Var], p.vertices[last.Var] = start, end
	for _, t := range p.tests {
		if ok, err := t(p.vertices, q.Edges); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// comesBack reports whether a walk of at least one relationship leads from start to start. The pattern must be plain, and the
// tree that of start.
func (p *pathFinder) comesBack(ctx context.Context, start csr.VertexID) (bool, error) {
	walk, err := p.closedWalk(ctx, nil, start)
	return len(walk) > 0, err
}

// closedWalk appends the vertices of a shortest walk from start to start to dst; it appends nothing if there is none. The pattern must be plain,
// and the tree that of start.
func (p *pathFinder) closedWalk(ctx context.Context, dst []csr.VertexID, start csr.VertexID) ([]csr.VertexID, error) {
	g := p.ahead.program
	st := &g.hops[0].steps[0]
	switch {
	case g.least == 0:
		return append(dst, start), nil
	case g.mode == pattern.AcyclicMode:
		return dst, nil
	case st.dir == csr.Both && g.mode != pattern.WalkMode:
		cycle, err := shortestCycle(ctx, st, start, g.most)
		if err != nil || len(cycle)-1 > g.most {
			return dst, err
		}
		return append(dst, cycle...), nil
	}
	adj, err := p.job.Snapshot.View(ctx, st.types, st.dir.Reverse())
	if err != nil {
		return dst, err
	}
	best := csr.NoVertex
	for _, v := range adj.Neighbours(start) {
		if d := p.depth(v); d >= 0 && int(d) < g.most && (best == csr.NoVertex || d < p.depth(best)) {
			best = v
		}
	}
	if best == csr.NoVertex {
		return dst, nil
	}
	from := len(dst)
	dst = append(dst, start, best)
	for u := best; u != start; {
		u = p.parent(u)
		dst = append(dst, u)
	}
	slices.Reverse(dst[from:])
	return dst, nil
}

// closedLength returns a lower bound on the length of a walk of at least one relationship from start to start; -1 if there is none.
func (p *pathFinder) closedLength(ctx context.Context, start csr.VertexID) (int, error) {
	g := p.ahead.program
	switch {
	case g.mode == pattern.AcyclicMode && g.plain():
		return -1, nil
	case !g.plain() || g.hops[0].steps[0].dir != csr.Both || g.mode == pattern.WalkMode:
		return 1, nil
	}
	cycle, err := shortestCycle(ctx, &g.hops[0].steps[0], start, g.most)
	if err != nil || len(cycle) == 0 || len(cycle)-1 > g.most {
		return -1, err
	}
	return len(cycle) - 1, nil
}

// shortestCycle returns the vertices of a shortest cycle through start, which begins and ends there, for a plain undirected pattern; nil if
// there is none of at most so many relationships. An edge between two branches of a search tree closes a cycle.
func shortestCycle(ctx context.Context, st *progStep, start csr.VertexID, most int) ([]csr.VertexID, error) {
	adj := st.adj
	type place struct {
		branch, parent csr.VertexID
		depth          int
	}
	var twice []csr.VertexID
	for _, v := range adj.Neighbours(start) {
		switch {
		case v == start:
			return []csr.VertexID{start, start}, nil
		case adj.Count(start, v) > 1 && twice == nil:
			twice = []csr.VertexID{start, v, start}
		}
	}
	if twice != nil || most < 3 {
		return twice, nil
	}
	seen := map[csr.VertexID]place{}
	var queue []csr.VertexID
	for _, v := range adj.Neighbours(start) {
		seen[v] = place{v, start, 1}
		queue = append(queue, v)
	}
	best, meet := 0, [2]csr.VertexID{}
	for i := 0; i < len(queue); i++ {
		v := queue[i]
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := seen[v]
		if best > 0 && 2*at.depth >= best || 2*at.depth >= most {
			break
		}
		for _, x := range adj.Neighbours(v) {
			b, there := seen[x]
			switch {
			case x == start || x == v:
			case !there:
				seen[x] = place{at.branch, v, at.depth + 1}
				queue = append(queue, x)
			case b.branch != at.branch:
				if n := at.depth + b.depth + 1; best == 0 || n < best {
					best, meet = n, [2]csr.VertexID{v, x}
				}
			}
		}
	}
	if best == 0 {
		return nil, nil
	}
	return joinBranches(start, meet, func(v csr.VertexID) csr.VertexID { return seen[v].parent }), nil
}

// joinBranches returns the cycle from start along the tree to meet[0], over the edge to meet[1], and along the tree back to start.
func joinBranches(start csr.VertexID, meet [2]csr.VertexID, parent func(csr.VertexID) csr.VertexID) []csr.VertexID {
	cycle := []csr.VertexID{meet[0]}
	for u := meet[0]; u != start; {
		u = parent(u)
		cycle = append(cycle, u)
	}
	slices.Reverse(cycle)
	for u := meet[1]; u != start; u = parent(u) {
		cycle = append(cycle, u)
	}
	return append(cycle, start)
}
