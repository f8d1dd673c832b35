package paths

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Shortest walks that match a path pattern, for each end or for a given end.
//
// A breadth-first search from the start (reach.go; bfs.Search for a plain pattern) gives a lower bound on the distance of every
// vertex. Then a depth-first search goes from each end to the start, against the pattern. It looks for walks of exactly the least
// possible length, and of one more while they are too few.
//
// What makes it fast: the bounds keep the depth-first search on walks that arrive in time. Conditions on the ends are tested before
// that search. One shortest walk to each end of a plain pattern needs no such search (tree.go).

// NewSearch prepares the search of j on the CPU. It builds the views that j needs, and fails with the context's error.
func NewSearch(ctx context.Context, j *pattern.PathJob, env *pattern.Env) (pattern.PathSearch, error) {
	g, err := newProgram(ctx, j.Snapshot, j.Path, false)
	if err != nil {
		return nil, err
	}
	p := &pathFinder{job: j, env: env, ahead: newWalker(j.Snapshot, j, g, env), before: csr.NoVertex}
	p.tree = newTree(p.ahead)
	for i := range j.Path.Tests {
		if t := &j.Path.Tests[i]; g.readsEnds(t) {
			p.tests = append(p.tests, t.Test)
		}
	}
	if j.Select.Kind == pattern.AllPaths {
		return p, nil
	}
	p.product = newProduct(newWalker(j.Snapshot, j, g, env))
	if j.Select.Kind == pattern.OneEnd {
		return p, nil
	}
	if g, err = newProgram(ctx, j.Snapshot, j.Path, true); err != nil {
		return nil, err
	}
	p.behind = newWalker(j.Snapshot, j, g, env)
	return p, nil
}

// pathFinder is the CPU's pattern.PathSearch.
type pathFinder struct {
	job      *pattern.PathJob
	env      *pattern.Env
	ahead    *walker
	product  *product
	behind   *walker
	tree                    // of the start, where the pattern is plain
	before   csr.VertexID   // start of the query before
	aim      *tree          // of the end against the pattern's direction, for all paths between two vertices
	tests    []pattern.Test // conditions on the ends of the pattern alone
	vertices []csr.VertexID // for tests
	ids      []csr.EdgeID
	q        pattern.PathQuery
	reversal pattern.Walk // a walk of behind, in the direction of the pattern
}

// Run implements pattern.PathSearch.
func (p *pathFinder) Run(ctx context.Context, q *pattern.PathQuery, emit func(*pattern.Walk) (bool, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	start := q.Vertices[p.job.Path.Nodes[0].Var]
	switch p.job.Select.Kind {
	case pattern.AllPaths:
		return p.all(ctx, q, start, emit)
	case pattern.OneEnd:
		return p.ends(ctx, q, start, emit)
	}
	return p.shortest(ctx, q, start, emit)
}

// endOf returns the given end of a query; NoVertex without one.
func (p *pathFinder) endOf(q *pattern.PathQuery) csr.VertexID {
	return q.Vertices[p.job.Path.Nodes[len(p.job.Path.Nodes)-1].Var]
}

// deepSearch is the bound on the length from which package bfs repays its arrays.
const deepSearch = 3

// byTree reports whether the tree of a breadth-first search from start can take the product's place.
func (p *pathFinder) byTree(q *pattern.PathQuery, start csr.VertexID) bool {
	g := p.ahead.program
	if !g.plain() || !p.ahead.ofEnds() || len(q.UsedEdges) > 0 || len(q.UsedNodes) > 0 || p.ahead.listOf0(q) != nil {
		return false
	}
	return g.most >= deepSearch || p.start == start || p.growNearby(start)
}

func (w *walker) listOf0(q *pattern.PathQuery) []csr.EdgeID {
	for _, l := range q.Lists {
		if l != nil {
			return l
		}
	}
	return nil
}

// ends finds every end once.
func (p *pathFinder) ends(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	p.product.q = q
	if !p.product.endsOnly() {
		return p.endsOfAll(ctx, q, start, emit)
	}
	send := func(v csr.VertexID) (bool, error) {
		p.reversal = pattern.Walk{Nodes: append(p.reversal.Nodes[:0], start, v), Weight: 1}
		return emit(&p.reversal)
	}
	least, mode := p.ahead.least, p.ahead.mode
	if p.byTree(q, start) {
		return p.treeEnds(ctx, q, start, send)
	}
	closes := least == 1 && mode != pattern.WalkMode // the way back to the start needs a look of its own
	end := p.endOf(q)
	p.product.arrive = func(v csr.VertexID) (bool, error) {
		if v == start && closes {
			return true, nil
		}
		if ok, err := p.admitsEnds(q, start, v); err != nil || !ok {
			return err == nil, err
		}
		more, err := send(v)
		return more && end == csr.NoVertex, err
	}
	defer p.product.release()
	if err := p.product.reset(q, start); err != nil {
		return err
	}
	more, err := p.product.advance(ctx, p.ahead.most)
	if err == nil && more && closes && p.product.endLength.get(start) >= 0 && mode != pattern.AcyclicMode {
		return p.closed(ctx, q, start, send)
	}
	return err
}

// endsOfAll finds the ends by all matches.
func (p *pathFinder) endsOfAll(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	seen := map[csr.VertexID]bool{}
	end := p.endOf(q)
	return p.all(ctx, q, start, func(w *pattern.Walk) (bool, error) {
		v := w.Nodes[len(w.Nodes)-1]
		if seen[v] {
			return true, nil
		}
		seen[v] = true
		more, err := emit(w)
		return more && end == csr.NoVertex, err
	})
}

// closed sends start if a walk of at least one relationship leads from start to start. The product has found a walk that may repeat
// relationships.
func (p *pathFinder) closed(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, send func(csr.VertexID) (bool, error)) error {
	ok, err := p.admitsEnds(q, start, start)
	if err == nil && !ok {
		return nil
	}
	if p.ahead.hops[0].steps[0].dir != csr.Both { // a shortest directed way back repeats nothing
		if err == nil {
			_, err = send(start)
		}
		return err
	}
	if n, err := p.closedLength(ctx, start); err != nil || n < 0 {
		return err
	}
	query := p.closing(q, start)
	found := false
	err = p.ahead.run(ctx, query, start, func(*pattern.Walk) (bool, error) {
		found = true
		return false, nil
	})
	if err == nil && found {
		_, err = send(start)
	}
	return err
}

// closing returns q with end as its end.
func (p *pathFinder) closing(q *pattern.PathQuery, end csr.VertexID) *pattern.PathQuery {
	p.q = *q
	p.q.Vertices = append(p.q.Vertices[:0:0], q.Vertices...)
	p.q.Vertices[p.job.Path.Nodes[len(p.job.Path.Nodes)-1].Var] = end
	return &p.q
}

// shortest finds the shortest walks.
func (p *pathFinder) shortest(ctx context.Context, q *pattern.PathQuery, start csr.VertexID, emit func(*pattern.Walk) (bool, error)) error {
	end := p.endOf(q)
	if q.Accept == nil && p.job.Select.Kind == pattern.ShortestPaths && p.job.Select.K == 1 && p.byTree(q, start) {
		return p.oneEach(ctx, q, start, end, emit)
	}
	bound, err := p.prepare(ctx, q, start)
	if err != nil {
		return err
	}
	if p.product != nil {
		defer p.product.release()
	}
	if end != csr.NoVertex {
		_, err := p.between(ctx, q, start, end, bound, emit)
		return err
	}
	ends, err := bound.ends(ctx)
	if err != nil {
		return err
	}
	for _, v := range ends {
		if more, err := p.between(ctx, q, start, v, bound, emit); err != nil || !more {
			return err
		}
	}
	return nil
}

// lowerBound gives lower bounds on distances from the start.
type lowerBound interface {
	// reach returns a lower bound on the length of a match that ends at v; -1 if there is none.
	reach(ctx context.Context, v csr.VertexID) (int, error)
	// far returns a lower bound on the length of a walk to v at which a repetition of hop begins or ends; -1 if there is none.
	far(v csr.VertexID, hop int) int32
	// upTo makes far exact up to a length.
	upTo(ctx context.Context, length int) error
	ends(ctx context.Context) ([]csr.VertexID, error)
}

func (p *pathFinder) prepare(ctx context.Context, q *pattern.PathQuery, start csr.VertexID) (lowerBound, error) {
	if p.byTree(q, start) {
		if err := p.grow(ctx, start); err != nil {
			return nil, err
		}
		return &levelBound{pathFinder: p, start: start}, nil
	}
	p.product.arrive = nil
	if err := p.product.reset(q, start); err != nil {
		return nil, err
	}
	return &productBound{p.product}, nil
}

// levelBound takes its bounds from the tree.
type levelBound struct {
	*pathFinder
	start csr.VertexID
}

func (b *levelBound) reach(_ context.Context, v csr.VertexID) (int, error) {
	if v == b.start {
		return b.ahead.least, nil
	}
	return int(b.depth(v)), nil
}
func (b *levelBound) far(v csr.VertexID, _ int) int32 { return b.depth(v) }
func (b *levelBound) upTo(context.Context, int) error { return nil }
func (b *levelBound) ends(ctx context.Context) (all []csr.VertexID, err error) {
	_, err = b.each(ctx, func(v csr.VertexID) (bool, error) {
		all = append(all, v)
		return true, nil
	})
	return all, err
}

// productBound takes its bounds from the product.
type productBound struct{ *product }

func (b *productBound) reach(ctx context.Context, v csr.VertexID) (int, error) {
	for (b.endLength.get(v) < 0 || int(b.endLength.get(v)) > b.level) && !b.exhausted() {
		if _, err := b.advance(ctx, b.level+1); err != nil {
			return -1, err
		}
	}
	return int(b.endLength.get(v)), nil
}

func (b *productBound) far(v csr.VertexID, hop int) int32 {
	d, level := b.bound[hop].get(v), int32(b.level)
	if (d < 0 || d > level) && !b.exhausted() {
		return level // later finds are no nearer
	}
	return d
}

func (b *productBound) upTo(ctx context.Context, length int) error {
	_, err := b.advance(ctx, length)
	return err
}

func (b *productBound) ends(ctx context.Context) ([]csr.VertexID, error) {
	if _, err := b.advance(ctx, b.most); err != nil {
		return nil, err
	}
	return slices.Clone(b.endLength.members), nil
}

// between sends the shortest walks from start to end.
func (p *pathFinder) between(ctx context.Context, q *pattern.PathQuery, start, end csr.VertexID, bound lowerBound, emit func(*pattern.Walk) (bool, error)) (more bool, err error) {
	if ok, err := p.admitsEnds(q, start, end); err == nil && !ok { // the search reports an error if it finds a walk
		return true, nil
	}
	length, err := bound.reach(ctx, end)
	if err != nil || length < 0 {
		return err == nil, err
	}
	if start == end && p.ahead.least > 0 {
		n, err := p.closedLength(ctx, start)
		if err != nil || n < 0 {
			return err == nil, err
		}
		length = max(length, n)
	}
	w := p.behind
	query := p.closing(q, end)
	last := len(w.hops) - 1
	w.far = func(v csr.VertexID, hop int) int32 { return bound.far(v, last-hop) }
	left, more := p.job.Select.K, true
	for length = max(length, p.ahead.least); length <= p.ahead.most && left > 0 && more; length++ {
		if err := bound.upTo(ctx, length+1); err != nil {
			return false, err
		}
		w.length, w.cutoff = length, false
		found := false
		err := w.run(ctx, query, end, func(x *pattern.Walk) (ok bool, err error) {
			t := p.turn(x)
			if q.Accept != nil {
				if ok, err := q.Accept(t); err != nil || !ok {
					return err == nil, err
				}
			}
			found = true
			more, err = emit(t)
			if p.job.Select.Kind == pattern.ShortestPaths {
				left--
			}
			return more && left > 0, err
		})
		if err != nil {
			return false, err
		}
		if found && p.job.Select.Kind == pattern.ShortestGroups {
			left--
		}
		if !w.cutoff {
			break
		}
	}
	return more, nil
}

// turn returns a walk of behind in the direction of the pattern.
func (p *pathFinder) turn(x *pattern.Walk) *pattern.Walk {
	t := &p.reversal
	t.Weight = x.Weight
	t.Nodes, t.Edges, t.Starts = append(t.Nodes[:0], x.Nodes...), append(t.Edges[:0], x.Edges...), append(t.Starts[:0], x.Starts...)
	slices.Reverse(t.Nodes)
	slices.Reverse(t.Edges)
	slices.Reverse(t.Starts)
	for i := range t.Starts {
		t.Starts[i] = len(t.Nodes) - 1 - t.Starts[i]
	}
	return t
}
