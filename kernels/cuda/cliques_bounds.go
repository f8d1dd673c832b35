//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// boundsFrom is the size of cliques from which on roots are dropped by bounds: finding the bounds takes as long as counting cliques of four.
const boundsFrom = 5

// noBound is the bound of a root that is not looked at.
const noBound = math.MaxInt32

// thin drops the roots that can begin no clique of k vertices. The bounds of all roots stay with the graph, and so do the roots of k.
func (q *cliqueCount) thin(ctx context.Context, s *csr.Snapshot) error {
	g := q.g
	bounds, err := keep(q.task, s, fmt.Sprintf("clique bounds of orientation %d", g.serial), func(up *task) (buffer, error) {
		return (&cliqueCount{task: up, env: q.env, g: g, k: boundsFrom}).bounds(ctx)
	})
	if err == nil {
		q.g, err = keep(q.task, s, fmt.Sprintf("roots of %d-cliques of orientation %d", q.k, g.serial), func(up *task) (*oriented, error) {
			return g.bounded(up, bounds, q.k)
		})
	}
	if errors.Is(err, errNoRoom) {
		q.g = g // it goes without
		return nil
	}
	if err == nil {
		q.env.Took(pattern.CliqueThin, uint64(g.atLeast(q.k-1)-q.g.atLeast(q.k-1)))
	}
	return err
}

// bounds finds how large a clique each root may begin, by place (clique_bounds.cu). Roots whose bitmap does not fit into shared memory have
// no bound.
func (q *cliqueCount) bounds(ctx context.Context) (buffer, error) {
	classes, g := q.classes(), q.g
	bounds, err := q.filled(int64(g.atLeast(q.k-1)), noBound)
	if err != nil {
		return bounds, err
	}
	scratch := &task{d: q.d}
	defer scratch.end()
	next, err := scratch.zeros(int64(len(classes)))
	if err != nil {
		return bounds, err
	}
	for i, c := range classes {
		args := []uint64{g.offsets.arg(), g.targets.arg(), g.roots.arg(), uint64(c.first), uint64(c.last), next.arg() + 4*uint64(i), q.d.stop.arg()}
		roots, warps := c.last-c.first, warpsOf(c.most)
		own := min(g.most(), 128)
		shared := 4 * (c.most*((c.most+31)/32|1) + c.most + warps*own)
		switch {
		case c.most <= smallHood:
			grid := min((roots+7)/8, 8*q.d.info.Multiprocessor)
			err = q.d.launch("clique_bounds_small", grid, 256, 0, append(args, uint64(q.turn(roots, grid)), bounds.arg())...)
		case shared <= q.d.sharedMost:
			atOnce := q.d.info.Multiprocessor * max(1, min(64/warps, q.d.sharedMost/(shared+1024)))
			err = q.d.launch("clique_bounds_block", min(roots, atOnce), 32*warps, shared, append(args, uint64(c.most), uint64(own), bounds.arg())...)
		}
		if err != nil {
			return bounds, err
		}
	}
	if err := q.d.wait("clique bounds"); err != nil {
		return bounds, err
	}
	return bounds, ctx.Err() // what was stopped halfway does not stay
}

// bounded is the graph with those of its roots only whose bound is at least k, in their order. It shares all but the roots with g.
func (g *oriented) bounded(up *task, bounds buffer, k int) (*oriented, error) {
	some, most := *g, g.most()
	some.roots, some.least = buffer{}, nil
	if g.atLeast(k-1) == 0 {
		return &some, nil
	}
	t := &task{d: up.d}
	defer t.end()
	set, err := t.atLeast(bounds, g.atLeast(k-1), uint32(k))
	if err != nil || set.members == 0 {
		return &some, err
	}
	places, err := t.list(set)
	if err != nil {
		return nil, err
	}
	n := uint64(set.members)
	if some.roots, err = up.alloc(4 * int64(n)); err != nil {
		return nil, err
	}
	keys, err := t.alloc(4 * int64(n))
	if err != nil {
		return nil, err
	}
	err = t.d.launch("clique_roots", t.d.grid(int(n), 256), 256, 0, g.offsets.arg(), g.roots.arg(), places.arg(), n, uint64(most), some.roots.arg(), keys.arg())
	if err != nil {
		return nil, err
	}
	some.least, err = t.leastOf(keys, int(n), most)
	return &some, err
}
