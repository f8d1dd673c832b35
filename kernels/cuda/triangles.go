//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// Triangles counts triangles, and those of each vertex if perNode is set.
func (d *Device) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (total uint64, by []uint64, err error) {
	return d.trianglesOf(ctx, s, types, perNode, env, whole)
}

// trianglesOf counts the triangles of a part of the roots.
func (d *Device) trianglesOf(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env, p part) (total uint64, by []uint64, err error) {
	err = d.run(ctx, func(t *task) error {
		g, err := orientedOf(t, s, types, nil)
		if err != nil {
			return err
		}
		sums, err := t.zeros(4) // the total and the counter
		if err != nil {
			return err
		}
		var perRank buffer
		if perNode {
			if perRank, err = t.zeros(2 * int64(g.vertices)); err != nil {
				return err
			}
		}
		last := g.atLeast(2)
		first := p.from(0)
		roots := p.count(first, last)
		env.Tally.Units.Add(uint64(roots))
		err = d.launch("triangles", min((roots+3)/4, 16*d.info.Multiprocessor), 128, 0, g.offsets.arg(), g.targets.arg(), g.roots.arg(),
			uint64(first), uint64(last), uint64(p.of), sums.arg()+8, d.stop.arg(), sums.arg(), perRank.arg())
		if err != nil {
			return err
		}
		var sum [1]uint64
		if err := download(sums, sum[:]); err != nil {
			return err
		}
		env.Tally.UnitsDone.Add(uint64(roots))
		total = sum[0]
		if perNode {
			ranks := make([]uint64, g.vertices)
			if err := download(perRank, ranks); err != nil {
				return err
			}
			by = make([]uint64, g.vertices)
			for r, v := range kernels.Orientation(s, types).Vertex {
				by[v] = ranks[r]
			}
		}
		return nil
	})
	return total, by, err
}
