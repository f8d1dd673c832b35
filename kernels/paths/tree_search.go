package paths

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/parallel"
)

// tree is the tree of a breadth-first search along one edge of a pattern. It stays for the next query from the same start.
type tree struct {
	snapshot *csr.Snapshot
	env      *pattern.Env
	step     *progStep
	most     int // relationships of a walk

	start  csr.VertexID    // NoVertex without a tree
	near   nearby          // the tree
	levels *pattern.Levels // the same where near gave up; else nil
	found  []csr.VertexID  // of near, in order
}

func newTree(w *walker) tree {
	return tree{snapshot: w.s, env: w.env, step: &w.hops[0].steps[0], most: w.most, start: csr.NoVertex}
}

// grow makes the tree of start: what it reaches, with depths and parents.
func (t *tree) grow(ctx context.Context, start csr.VertexID) error {
	if t.start == start || t.growNearby(start) {
		return nil
	}
	in, pass := parallel.Nested(t.env)
	defer pass()
	levels, err := bfs.Search(ctx, t.snapshot, &pattern.Traversal{Sources: []csr.VertexID{start}, Types: t.step.types, Direction: t.step.dir, MaxDepth: t.deepest()}, in)
	if err == nil {
		t.levels, t.start = levels, start
	}
	return err
}

// growNearby makes the tree of start if it is small.
func (t *tree) growNearby(start csr.VertexID) bool {
	t.levels, t.start = nil, csr.NoVertex
	if !t.near.search(t.step.adj, start, t.most) {
		return false
	}
	t.start = start
	return true
}

// depth returns the depth of v in the tree; -1 if it is not there.
func (t *tree) depth(v csr.VertexID) int32 {
	if t.levels != nil {
		return t.levels.Depth[v]
	}
	depth, _ := t.near.get(v)
	return depth
}

// parent returns the parent of v, which is in the tree and not its root.
func (t *tree) parent(v csr.VertexID) csr.VertexID {
	if t.levels != nil {
		return t.levels.Parent[v]
	}
	_, parent := t.near.get(v)
	return parent
}

// each calls f with every vertex of the tree, in order.
func (t *tree) each(ctx context.Context, f func(csr.VertexID) (bool, error)) (more bool, err error) {
	if t.levels == nil {
		t.found = t.found[:0]
		for _, x := range t.near.places {
			t.found = append(t.found, x.v)
		}
		slices.Sort(t.found)
		for _, v := range t.found {
			if more, err := f(v); err != nil || !more {
				return false, err
			}
		}
		return true, ctx.Err()
	}
	for v, d := range t.levels.Depth {
		if v&1023 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if d < 0 {
			continue
		}
		if more, err := f(csr.VertexID(v)); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

// deepest returns the bound on the length of a walk for package bfs.
func (t *tree) deepest() int {
	if t.most > int(t.snapshot.N()) {
		return -1
	}
	return t.most
}
