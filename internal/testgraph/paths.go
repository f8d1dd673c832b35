package testgraph

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// PathSearch follows the definition of pattern.Path to the letter. It tries every walk from the start and every way to cut
// it, and tests all conditions for each. Then it selects among all results.
func (Brute) PathSearch(_ context.Context, j *pattern.PathJob, env *pattern.Env) (pattern.PathSearch, error) {
	return &brutePaths{job: j, env: env}, nil
}

type brutePaths struct {
	job   *pattern.PathJob
	env   *pattern.Env
	q     *pattern.PathQuery
	ctx   context.Context
	nodes []csr.VertexID
	edges []csr.EdgeID
	all   []pattern.Walk
	tried int
}

// Run implements pattern.PathSearch.
func (b *brutePaths) Run(ctx context.Context, q *pattern.PathQuery, emit func(*pattern.Walk) (bool, error)) error {
	b.ctx, b.q, b.all, b.edges = ctx, q, nil, nil
	b.nodes = []csr.VertexID{q.Vertices[b.job.Path.Nodes[0].Var]}
	if err := b.extend(b.longest()); err != nil {
		return err
	}
	for _, w := range b.selected() {
		if more, err := emit(&w); err != nil || !more {
			return err
		}
	}
	return nil
}

// longest returns the length that no match exceeds.
func (b *brutePaths) longest() int {
	n := 0
	for i, h := range b.job.Path.Hops {
		most := h.Max
		if most < 0 {
			most = max(h.Min, int(b.job.Snapshot.M()))
			if b.job.Path.Mode == pattern.WalkMode { // only shortest ones matter: states, and some more
				most = h.Min + int(b.job.Snapshot.N()) + b.job.Select.K
			}
		}
		if b.q.Lists != nil && b.q.Lists[i] != nil {
			most = len(b.q.Lists[i])
		}
		n += most * len(h.Steps)
	}
	return n
}

// extend tries the walk as it is, and every walk that continues it.
func (b *brutePaths) extend(left int) error {
	if b.tried++; b.tried%256 == 0 && b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	if !b.allowed() {
		return nil
	}
	if err := b.cut(); err != nil || left == 0 {
		return err
	}
	s, v := b.job.Snapshot, b.nodes[len(b.nodes)-1]
	for e := range s.AllEdges() {
		from, to := s.Endpoints(e)
		for turn, ends := range [2][2]csr.VertexID{{from, to}, {to, from}} {
			if ends[0] != v || turn == 1 && from == to {
				continue
			}
			b.nodes, b.edges = append(b.nodes, ends[1]), append(b.edges, e)
			err := b.extend(left - 1)
			b.nodes, b.edges = b.nodes[:len(b.nodes)-1], b.edges[:len(b.edges)-1]
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// allowed reports whether the walk repeats nothing that it may not, and avoids what is used.
func (b *brutePaths) allowed() bool {
	mode := b.job.Path.Mode
	for i, e := range b.edges {
		if slices.Contains(b.q.UsedEdges, e) || mode >= pattern.TrailMode && slices.Contains(b.edges[:i], e) {
			return false
		}
	}
	for i, v := range b.nodes {
		if i > 0 && slices.Contains(b.q.UsedNodes, v) {
			return false
		}
		for k := range i {
			closes := mode == pattern.SimpleMode && k == 0 && i == len(b.nodes)-1
			if mode >= pattern.SimpleMode && b.nodes[k] == v && !closes {
				return false
			}
		}
	}
	return true
}

// cut tries every way to cut the walk into hops, that is, every number of repetitions of each.
func (b *brutePaths) cut() error {
	reps := make([]int, len(b.job.Path.Hops))
	var try func(hop, at int) error
	try = func(hop, at int) error {
		if hop == len(reps) {
			if at != len(b.edges) {
				return nil
			}
			return b.check(reps)
		}
		h := &b.job.Path.Hops[hop]
		for n := h.Min; (h.Max < 0 || n <= h.Max) && at+n*len(h.Steps) <= len(b.edges); n++ {
			reps[hop] = n
			if err := try(hop+1, at+n*len(h.Steps)); err != nil {
				return err
			}
		}
		return nil
	}
	return try(0, 0)
}

// check keeps the walk, cut in this way, if it satisfies the whole pattern.
func (b *brutePaths) check(reps []int) error {
	p := b.job.Path
	c := &pathCut{b: b, vertices: slices.Clone(b.q.Vertices), edges: slices.Clone(b.q.Edges)}
	starts, at := []int{0}, 0
	if !c.node(p.Nodes[0], b.nodes[0], false) {
		return nil
	}
	for i, h := range p.Hops {
		for rep := range reps[i] {
			if !c.repetition(i, rep, at) {
				return nil
			}
			at += len(h.Steps)
			if ok, err := b.holds(i, c.vertices, c.edges); err != nil || !ok {
				return err
			}
		}
		if b.q.Lists != nil && b.q.Lists[i] != nil && len(b.q.Lists[i]) != reps[i] {
			return nil
		}
		starts = append(starts, at)
		if !c.node(p.Nodes[i+1], b.nodes[at], false) {
			return nil
		}
	}
	if ok, err := b.holds(-1, c.vertices, c.edges); err != nil || !ok {
		return err
	}
	w := pattern.Walk{Nodes: slices.Clone(b.nodes), Edges: slices.Clone(b.edges), Starts: starts, Weight: 1}
	if p.Apart && !p.KeepsApart(&w) {
		return nil
	}
	if b.q.Accept != nil {
		if ok, err := b.q.Accept(&w); err != nil || !ok {
			return err
		}
	}
	b.all = append(b.all, w)
	return b.env.Memory.Charge(0)
}

// pathCut is the walk, cut in one way, with the variables that it binds.
type pathCut struct {
	b        *brutePaths
	vertices []csr.VertexID
	edges    []csr.EdgeID
}

// node reports whether v can be n, and binds n's variable. A fresh variable may change its vertex.
func (c *pathCut) node(n pattern.PathNode, v csr.VertexID, fresh bool) bool {
	if !n.Labels.Admits(c.b.job.Snapshot.LabelsOf(v)) {
		return false
	}
	if n.Var < 0 {
		return true
	}
	same := fresh || c.vertices[n.Var] == csr.NoVertex || c.vertices[n.Var] == v
	c.vertices[n.Var] = v
	return same
}

// repetition reports whether the walk from place at on can be repetition rep of hop i, and binds its variables.
func (c *pathCut) repetition(i, rep, at int) bool {
	h, seen := &c.b.job.Path.Hops[i], map[int]bool{}
	for k := 0; k <= len(h.Steps); k++ {
		if k > 0 {
			st := h.Steps[k-1]
			if !c.b.fits(st, at+k-1) || !c.b.listed(i, rep, at) {
				return false
			}
			if e := c.b.edges[at+k-1]; st.Var >= 0 {
				if !h.Loop && c.edges[st.Var] != csr.NoEdge && c.edges[st.Var] != e {
					return false
				}
				c.edges[st.Var] = e
			}
		}
		if h.Inner == nil {
			continue
		}
		n := h.Inner[k]
		if !c.node(n, c.b.nodes[at+k], !seen[n.Var]) {
			return false
		}
		seen[n.Var] = true
	}
	return true
}

func (b *brutePaths) listed(hop, rep, at int) bool {
	return b.q.Lists == nil || b.q.Lists[hop] == nil || rep < len(b.q.Lists[hop]) && b.q.Lists[hop][rep] == b.edges[at]
}

// fits reports whether a step admits the relationship at a place of the walk.
func (b *brutePaths) fits(st pattern.PathStep, at int) bool {
	s, e := b.job.Snapshot, b.edges[at]
	from, to := s.Endpoints(e)
	out := from == b.nodes[at] && to == b.nodes[at+1]
	in := to == b.nodes[at] && from == b.nodes[at+1]
	return (st.Types == nil || slices.Contains(st.Types, s.TypeOf(e))) && (out && st.Direction != csr.In || in && st.Direction != csr.Out)
}

func (b *brutePaths) holds(hop int, vertices []csr.VertexID, edges []csr.EdgeID) (bool, error) {
	for _, t := range b.job.Path.Tests {
		if t.Hop != hop {
			continue
		}
		if ok, err := t.Test(vertices, edges); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// selected selects among all matches, by their ends.
func (b *brutePaths) selected() []pattern.Walk {
	if b.job.Select.Kind == pattern.AllPaths {
		return b.all
	}
	slices.SortStableFunc(b.all, func(x, y pattern.Walk) int { return len(x.Nodes) - len(y.Nodes) })
	type tally struct{ n, length int }
	byEnd := map[csr.VertexID]tally{}
	var out []pattern.Walk
	for _, w := range b.all {
		end := w.Nodes[len(w.Nodes)-1]
		t := byEnd[end]
		switch b.job.Select.Kind {
		case pattern.OneEnd:
			t.n++
			if t.n > 1 {
				continue
			}
		case pattern.ShortestPaths:
			t.n++
			if t.n > b.job.Select.K {
				continue
			}
		case pattern.ShortestGroups:
			if t.length != len(w.Nodes) {
				t = tally{t.n + 1, len(w.Nodes)}
			}
			if t.n > b.job.Select.K {
				continue
			}
		}
		byEnd[end] = t
		out = append(out, w)
	}
	return out
}
