//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// lanesK is the most vertices of a clique that a lane searches for alone (LANES_K in cliques_lanes.cu).
const lanesK = 12

// smallHood is the most out-neighbours of a root that a warp counts the cliques of alone.
const smallHood = 32

// CountCliques counts the cliques that c asks for, from 3 vertices on, where all come from one set.
func (d *Device) CountCliques(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env) (total pattern.Count128, err error) {
	return d.cliquesOf(ctx, s, c, env, whole)
}

// cliquesOf counts the cliques of a part of the roots.
func (d *Device) cliquesOf(ctx context.Context, s *csr.Snapshot, c *pattern.Clique, env *pattern.Env, p part) (total pattern.Count128, err error) {
	if c.K < 3 || len(c.Sets) != 1 {
		return total, ErrDeclined
	}
	err = d.run(ctx, func(t *task) error {
		g, err := orientedOf(t, s, c.Types, c.Sets[0])
		if err != nil {
			return err
		}
		q := &cliqueCount{task: t, ctx: ctx, env: env, g: g, k: c.K, part: p}
		total, err = q.count()
		return err
	})
	return total, err
}

// cliqueCount is one count at work.
type cliqueCount struct {
	*task
	ctx   context.Context
	env   *pattern.Env
	g     *oriented
	k     int
	part  part   // of the roots
	next  buffer // 4 bytes: roots taken
	total buffer // 16 bytes
}

func (q *cliqueCount) count() (total pattern.Count128, err error) {
	if q.total, err = q.zeros(4); err != nil {
		return total, err
	}
	if q.next, err = q.zeros(1); err != nil {
		return total, err
	}
	classes := q.classes()
	work := uint64(0)
	for _, c := range classes {
		work += c.work
	}
	q.env.Tally.Units.Add(work)
	for _, c := range classes {
		if err := q.each(c, work); err != nil {
			return total, err
		}
	}
	var sum [2]uint64
	if err := download(q.total, sum[:]); err != nil {
		return total, err
	}
	return pattern.Count128{Lo: sum[0], Hi: sum[1]}, nil
}

// class is a run of roots whose bitmaps have rows of equally many words, or so.
type class struct {
	first, last int
	most        int    // out-neighbours
	work        uint64 // of the part that is counted
}

// classes divides the roots, which come by falling out-degree, by the words of a row: 1 (a warp's), 2, 4, 8 ...
func (q *cliqueCount) classes() (list []class) {
	end := q.g.atLeast(q.k - 1)
	for first := 0; first < end; {
		most := int(q.g.degree[first])
		least := 1
		if most > smallHood {
			least = 32<<(bits.Len(uint((most+31)/32-1))-1) + 1
		}
		c := class{first: first, last: min(end, q.g.atLeast(least)), most: most}
		for i := q.part.from(c.first); i < c.last; i += q.part.of {
			c.work += uint64(q.g.degree[i]) * uint64(q.g.degree[i])
		}
		list = append(list, c)
		first = c.last
	}
	return list
}

// each counts the cliques of a class's roots, in launches that are short beside a person's patience and long beside a launch.
func (q *cliqueCount) each(c class, all uint64) error {
	share := max(all/64, 1<<22)
	for first := q.part.from(c.first); first < c.last; {
		last, work := first, uint64(0)
		for ; last < c.last && work < share; last += q.part.of {
			work += uint64(q.g.degree[last]) * uint64(q.g.degree[last])
		}
		if err := q.launchClass(c, first, min(last, c.last)); err != nil {
			return err
		}
		q.env.Tally.UnitsDone.Add(work)
		if err := q.ctx.Err(); err != nil {
			return err
		}
		first = last
	}
	return nil
}

func (q *cliqueCount) launchClass(c class, first, last int) error {
	if err := fill(q.next, 1, 0); err != nil {
		return err
	}
	args := []uint64{q.g.offsets.arg(), q.g.targets.arg(), q.g.roots.arg(), uint64(first), uint64(last), uint64(q.part.of), uint64(q.k),
		q.next.arg(), q.d.stop.arg(), q.total.arg()}
	roots := q.part.count(first, last)
	what := "counting cliques"
	if c.most <= smallHood && q.env.Uses(pattern.GPUWarp) {
		q.env.Took(pattern.GPUWarp, uint64(roots))
		if err := q.d.launch("cliques_small", min((roots+7)/8, 8*q.d.info.Multiprocessor), 256, 0, args...); err != nil {
			return err
		}
		return q.d.wait(what)
	}
	if q.k >= 5 && q.k <= lanesK && c.most <= 1024 && q.env.Uses(pattern.GPULanes) {
		return q.launchLanes(c, first, last)
	}
	words := (c.most + 31) / 32
	group := min(32, max(q.d.leastGroup, 1<<bits.Len(uint(words-1))))
	threads := max(32, min(256, 32*words))
	room := c.most*words + threads/group*(q.k-2)*words // words
	blocks := min(roots, q.d.info.Multiprocessor*max(1, 2048/threads))
	if 4*room <= q.d.sharedMost && q.env.Uses(pattern.GPUShared) {
		q.env.Took(pattern.GPUShared, uint64(roots))
		if err := q.d.launch("cliques_block", blocks, threads, 4*room, append(args, uint64(group), uint64(c.most), 0, 0)...); err != nil {
			return err
		}
		return q.d.wait(what)
	}
	blocks = min(blocks, 2*q.d.info.Multiprocessor, int(q.d.memory.limit/4/int64(4*room))+1)
	t := &task{d: q.d}
	defer t.end()
	scratch, err := t.alloc(4 * int64(room) * int64(blocks))
	if err != nil {
		return err
	}
	if err := q.d.launch("cliques_block", blocks, threads, 8, append(args, uint64(group), uint64(c.most), scratch.arg(), uint64(room))...); err != nil {
		return err
	}
	return q.d.wait(what)
}

// launchLanes gives every edge of a root's bitmap to a lane.
func (q *cliqueCount) launchLanes(c class, first, last int) error {
	roots := q.part.count(first, last)
	q.env.Took(pattern.GPULanes, uint64(roots))
	words := 2
	for 32*words < c.most {
		words *= 2
	}
	shared := 4 * c.most * (words + 1)
	blocks := min(roots, q.d.info.Multiprocessor*max(1, min(8, q.d.sharedMost/(shared+1024))))
	room := c.most * (c.most - 1) / 2
	t := &task{d: q.d}
	defer t.end()
	edges, err := t.alloc(4 * int64(room) * int64(blocks))
	if err != nil {
		return err
	}
	launch := func(kernel string) error {
		return q.d.launch(kernel, blocks, 256, shared, q.g.offsets.arg(), q.g.targets.arg(), q.g.roots.arg(), uint64(first), uint64(last), uint64(q.part.of),
			uint64(q.k), q.next.arg(), q.d.stop.arg(), q.total.arg(), edges.arg(), uint64(room))
	}
	switch words {
	case 2:
		err = launch("cliques_lanes2")
	case 4:
		err = launch("cliques_lanes4")
	case 8:
		err = launch("cliques_lanes8")
	case 16:
		err = launch("cliques_lanes16")
	default:
		err = launch("cliques_lanes32")
	}
	if err != nil {
		return err
	}
	return q.d.wait("counting cliques")
}
