package bfs

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// One shortest path between two vertices, by breadth-first searches from both ends (Pohl 1971).
//
// Input: as for Search. What makes it fast: the side with fewer edges in its frontier grows, level by level, until the searches
// meet. Where levels grow, both together read about the square root of what one search reads. The system clears the
// parent arrays page by page, at the first write. One worker.

// ShortestPath returns the vertices of a shortest path from r.From to r.To, both included; nil if there is none. It may call Blocked
// twice for a vertex. It charges its scratch to env.Memory and releases it before it returns.
func ShortestPath(ctx context.Context, s *csr.Snapshot, r *pattern.PathRequest, env *pattern.Env) ([]csr.VertexID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, v := range []csr.VertexID{r.From, r.To} {
		if uint64(v) >= s.N() {
			return nil, fmt.Errorf("shortest path by vertex %d of %d", v, s.N())
		}
	}
	p := &pathSearch{PathRequest: r, env: env}
	switch {
	case !p.open(r.From) || !p.open(r.To):
		return nil, ctx.Err()
	case r.From == r.To:
		return []csr.VertexID{r.From}, ctx.Err()
	}
	bytes := 16 * int64(s.N()) // a parent and a place in the frontier, from both ends
	defer func() { env.Memory.Release(bytes) }()
	if err := env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { p.stop.Store(true) })()
	for side, end := range []struct {
		v   csr.VertexID
		dir csr.Direction
	}{{r.From, r.Direction}, {r.To, r.Direction.Reverse()}} {
		adj, err := s.View(ctx, r.Types, end.dir)
		if err != nil {
			return nil, err
		}
		p.ends[side] = newPathEnd(s, end.v, adj)
	}
	path := p.search()
	return path, ctx.Err()
}

// pathSearch is one search; ends[0] goes along the direction, ends[1] against it.
type pathSearch struct {
	*pattern.PathRequest
	env       *pattern.Env
	ends      [2]*pathEnd
	sincePoll int // neighbours read since the last poll for cancellation
	stop      atomic.Bool
}

// pathEnd is the search from one end.
type pathEnd struct {
	adj    *csr.Adjacency
	parent []uint32 // by vertex: 1 + the neighbour nearer to the end, or to itself at the end; 0 where not reached
	front  []csr.VertexID
	next   []csr.VertexID
	edges  int // of front
}

func newPathEnd(s *csr.Snapshot, v csr.VertexID, adj *csr.Adjacency) *pathEnd {
	e := &pathEnd{adj: adj, parent: make([]uint32, s.N()), front: []csr.VertexID{v}}
	e.parent[v] = uint32(v) + 1
	e.edges = e.adj.Degree(v)
	return e
}

func (p *pathSearch) open(v csr.VertexID) bool {
	return (p.Within == nil || p.Within.Has(v)) && (p.Blocked == nil || !p.Blocked(v))
}

// search grows both ends until they meet. Before they meet, the distance exceeds the sum of their depths. So they first
// meet on a shortest path.
func (p *pathSearch) search() []csr.VertexID {
	both := p.env.Uses(pattern.PathEnds)
	for depth := 0; p.MaxDepth < 0 || depth < p.MaxDepth; depth++ {
		side := 0
		if both && p.ends[1].edges < p.ends[0].edges {
			side = 1
		}
		near, far := p.ends[side], p.ends[1-side]
		if len(near.front) == 0 || p.stop.Load() {
			return nil
		}
		if t := p.env.Tally; t != nil {
			t.Partial.Add(uint64(len(near.front)))
		}
		from, to, met := p.grow(near, far)
		if side == 1 {
			p.env.Took(pattern.PathEnds, uint64(len(near.front)))
		}
		if met {
			if side == 1 {
				from, to = to, from
			}
			path := p.ends[0].back(from)
			slices.Reverse(path)
			return append(path, p.ends[1].back(to)...)
		}
	}
	return nil
}

// grow adds one level to near and stops at the first edge between the two searches.
func (p *pathSearch) grow(near, far *pathEnd) (from, to csr.VertexID, met bool) {
	near.next, near.edges = near.next[:0], 0
	for _, v := range near.front {
		row := near.adj.Neighbours(v)
		if p.sincePoll += len(row); p.sincePoll >= parallel.PollEvery {
			p.sincePoll = 0
			if p.stop.Load() {
				break
			}
		}
		for _, w := range row {
			switch {
			case far.parent[w] != 0:
				near.front, near.next = near.next, near.front
				return v, w, true
			case near.parent[w] == 0 && p.open(w):
				near.parent[w] = uint32(v) + 1
				near.next = append(near.next, w)
				near.edges += near.adj.Degree(w)
			}
		}
	}
	near.front, near.next = near.next, near.front
	return 0, 0, false
}

// back returns the path from v to the end.
func (e *pathEnd) back(v csr.VertexID) []csr.VertexID {
	path := []csr.VertexID{v}
	for u := csr.VertexID(e.parent[v] - 1); u != v; u = csr.VertexID(e.parent[v] - 1) {
		path = append(path, u)
		v = u
	}
	return path
}
