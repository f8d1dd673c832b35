package testgraph

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// BFS finds each level by asking, for every vertex without a depth, every vertex of the level before whether a
// relationship leads from it. The parent is the first that says yes. t.Variant changes nothing.
func (Brute) BFS(ctx context.Context, s *csr.Snapshot, t *pattern.Traversal, _ *pattern.Env) (*pattern.Levels, error) {
	n := int(s.N())
	l := &pattern.Levels{Depth: slices.Repeat([]int32{-1}, n), Parent: slices.Repeat([]csr.VertexID{csr.NoVertex}, n)}
	free := func(v csr.VertexID) bool { return l.Depth[v] < 0 && (t.Blocked == nil || !t.Blocked(v)) }
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
