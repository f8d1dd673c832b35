package testgraph

import (
	"context"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// BFS finds each level in turn: for every vertex without a depth it asks every vertex of the level before whether a
// relationship leads there. The first that says yes is the parent. t.Variant changes nothing.
func (Brute) BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, _ *pattern.Env) (*pattern.Levels, error) {
	n := int(s.N())
	l := &pattern.Levels{Depth: slices.Repeat([]int32{-1}, n), Parent: slices.Repeat([]csr.VertexID{csr.NoVertex}, n)}
	free := func(v csr.VertexID) bool {
		return l.Depth[v] < 0 && in(t.Within, v) && (t.Blocked == nil || !t.Blocked(v))
	}
	for _, v := range t.Sources {
		if free(v) {
			l.Depth[v] = 0
		}
	}
	for depth := int32(1); t.MaxDepth < 0 || int(depth) <= t.MaxDepth; depth++ {
		found := false
		for v := range vertices(s) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !free(v) {
				continue
			}
			for u := range vertices(s) {
				if l.Depth[u] == depth-1 && len(s.Relationships(nil, u, v, t.Types, t.Direction)) > 0 {
					l.Depth[v], l.Parent[v], found = depth, u, true
					break
				}
			}
		}
		if !found {
			break
		}
	}
	return l, ctx.Err()
}

// ShortestPath steps back through the parents of a search.
func (b Brute) ShortestPath(ctx context.Context, s *csr.Snapshot, r *pattern.PathRequest, env *pattern.Env) ([]csr.VertexID, error) {
	for _, v := range []csr.VertexID{r.From, r.To} {
		if uint64(v) >= s.N() {
			return nil, fmt.Errorf("shortest path by vertex %d of %d", v, s.N())
		}
	}
	l, err := b.BFS(ctx, s, &pattern.Traversal{Sources: []csr.VertexID{r.From}, Types: r.Types, Direction: r.Direction,
		MaxDepth: r.MaxDepth, Within: r.Within, Blocked: r.Blocked}, env)
	if err != nil {
		return nil, err
	}
	return l.Path(r.To), nil
}

// Diameter searches from every vertex.
func (b Brute) Diameter(ctx context.Context, s *csr.Snapshot, r *pattern.DiameterRequest, env *pattern.Env) (*pattern.Diameter, error) {
	d := &pattern.Diameter{Length: -1, From: csr.NoVertex, To: csr.NoVertex}
	for v := range vertices(s) {
		l, err := b.BFS(ctx, s, &pattern.Traversal{Sources: []csr.VertexID{v}, Types: r.Types, Direction: r.Direction,
			MaxDepth: -1, Within: r.Within}, env)
		if err != nil {
			return nil, err
		}
		for w, depth := range l.Depth {
			if depth > d.Length {
				d.Length, d.From, d.To = depth, v, csr.VertexID(w)
			}
		}
	}
	d.Length = max(d.Length, 0)
	return d, nil
}

// Components searches from every vertex: two are in one component if each reaches the other.
func (b Brute) Components(ctx context.Context, s *csr.Snapshot, r *pattern.ComponentRequest, env *pattern.Env) (*pattern.Components, error) {
	direction := csr.Both
	if r.Strong {
		direction = csr.Out
	}
	depths := make([][]int32, s.N())
	for v := range vertices(s) {
		l, err := b.BFS(ctx, s, &pattern.Traversal{Sources: []csr.VertexID{v}, Types: r.Types, Direction: direction,
			MaxDepth: -1, Within: r.Within}, env)
		if err != nil {
			return nil, err
		}
		depths[v] = l.Depth
	}
	c := &pattern.Components{Of: slices.Repeat([]uint32{pattern.NoComponent}, int(s.N()))}
	for v := range vertices(s) {
		if depths[v][v] < 0 || c.Of[v] != pattern.NoComponent {
			continue
		}
		size := uint32(0)
		for w := v; uint64(w) < s.N(); w++ {
			if depths[v][w] >= 0 && depths[w][v] >= 0 {
				c.Of[w] = uint32(len(c.Size))
				size++
			}
		}
		c.Size = append(c.Size, size)
	}
	return c, nil
}
