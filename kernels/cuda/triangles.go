//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// tableSlots is the size of the hash table of a block (slots of triangles_block).
const tableSlots = 1024

// topRanks is how many ranks a block keeps counts of, where those of vertices are wanted (16 KiB of shared memory).
const topRanks = 4096

// Triangles counts triangles, and those of each vertex if perNode is set.
func (d *Device) Triangles(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env) (total uint64, by []uint64, err error) {
	return trianglesOf(ctx, d, s, types, perNode, env, whole)
}

// trianglesOf counts the triangles of a part of the roots.
func trianglesOf(ctx context.Context, d *Device, s *csr.Snapshot, types csr.TypeSet, perNode bool, env *pattern.Env, p part) (total uint64, by []uint64, err error) {
	err = d.run(ctx, func(t *task) error {
		g, err := rankedOf(t, s, types)
		if err != nil {
			return err
		}
		q := &triangleCount{task: t, env: env, g: g, part: p}
		if q.sums, err = t.zeros(4); err != nil {
			return err
		}
		if perNode {
			if q.by, err = t.zeros(2 * int64(g.vertices)); err != nil {
				return err
			}
		}
		env.Tally.Units.Add(uint64(g.small + g.larger))
		if err := q.count(); err != nil {
			return err
		}
		var sum [1]uint64
		if err := download(q.sums, sum[:]); err != nil {
			return err
		}
		env.Tally.UnitsDone.Add(uint64(g.small + g.larger))
		total = sum[0]
		if perNode {
			by = make([]uint64, g.vertices)
			return download(q.by, by)
		}
		return nil
	})
	return total, by, err
}

// triangleCount is one count at work.
type triangleCount struct {
	*task
	env  *pattern.Env
	g    *ranked
	part part
	sums buffer // the total, in 8 bytes; roots taken of each class
	by   buffer // or nothing
}

// count launches the large roots, which take longest, and then the small ones.
func (q *triangleCount) count() error {
	g, d := q.g, q.d
	hubs, slots := g.hubs, d.triangles.slots
	if !q.env.Uses(pattern.HubBits) {
		hubs = 0
	}
	if hubs > 0 {
		q.env.Took(pattern.HubBits, uint64(g.larger))
	}
	rowsTo := hubs // rows are of ranks below
	if !q.env.Uses(pattern.DenseRows) {
		rowsTo = 0
	} else if hubs > 0 && g.larger+g.small > 0 {
		q.env.Took(pattern.DenseRows, uint64(g.bitmaps))
	}
	tops := 0
	if q.by.at != 0 && q.env.Uses(pattern.HubCounts) {
		tops = min(d.triangles.tops, g.ranks)
		q.env.Took(pattern.HubCounts, uint64(tops))
	}
	block := func(first, last int, next uint64) error {
		if first == last {
			return nil
		}
		return d.launch("triangles_block", min(last-first, 8*d.info.Multiprocessor), 256, hubs/8+4*slots+4*tops, g.start.arg(), g.size.arg(), g.list.arg(),
			g.row.arg(), g.rows.arg(), g.vertex.arg(), g.roots.arg(), uint64(first), uint64(last), uint64(q.part.at), uint64(q.part.of), uint64(hubs),
			uint64(rowsTo), uint64(slots), uint64(tops),
			uint64(d.triangles.most), q.sums.arg()+next, d.stop.arg(), q.sums.arg(), q.by.arg())
	}
	if err := block(g.ranks-g.larger, g.ranks, 8); err != nil {
		return err
	}
	if !q.env.Uses(pattern.GPUWarp) {
		return block(0, g.small, 12)
	}
	q.env.Took(pattern.GPUWarp, uint64(g.small))
	return d.launch("triangles_warp", min((g.small+3)/4, 16*d.info.Multiprocessor), 128, 0, g.start.arg(), g.size.arg(), g.list.arg(), g.row.arg(),
		g.rows.arg(), g.vertex.arg(), g.roots.arg(), 0, uint64(g.small), uint64(q.part.at), uint64(q.part.of), uint64(rowsTo), q.sums.arg()+12,
		d.stop.arg(), q.sums.arg(), q.by.arg())
}
