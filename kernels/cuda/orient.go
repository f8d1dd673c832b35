//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"gorgonia.org/cu"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// orientFrom is how many neighbours there must be for the device to be sooner than one worker of the host: RMAT 12x8, of 53 thousand,
// took an H200 1.2 ms and the host 0.9, RMAT 13x16, of 204 thousand, 1.7 and 2.9, RMAT 20x16 10 and 610. Tests change it.
var orientFrom = uint64(1 << 16)

// orientRounds is after how many rounds a graph is left to the host: paths and grids of many vertices take so many, and few
// of them are looked for cliques. Tests change it.
var orientRounds = 1 << 12

// orienting is an orientation at work (orient.cu).
type orienting struct {
	*task    // for what does not stay
	up       *task
	ctx      context.Context
	vertices int
	a        *adjacent
	g        *oriented
}

// orientHere makes the orientation of the simple graph over types on the device of the neighbours, which may stay, too.
func orientHere(up *task, ctx context.Context, s *csr.Snapshot, types csr.TypeSet, env *pattern.Env) (*oriented, error) {
	n := s.N()
	if n == 0 || n > math.MaxInt32 || s.Adjacency(types, csr.Both).Len() < orientFrom {
		return nil, ErrDeclined
	}
	t := &task{d: up.d}
	defer t.end()
	a, err := adjacencyOf(t, s, types, csr.Both)
	if err != nil {
		return nil, err
	}
	o := &orienting{task: t, up: up, ctx: ctx, vertices: int(n), a: a, g: &oriented{vertices: int(n)}}
	core, degeneracy, err := o.cores(s, types, env)
	if err != nil {
		return nil, err
	}
	if err := o.order(core, degeneracy); err != nil {
		return nil, err
	}
	if err := o.edges(s.Adjacency(types, csr.Both).Loops > 0); err != nil {
		return nil, err
	}
	if err := o.g.sortRoots(up, ctx, degeneracy); err != nil {
		return nil, err
	}
	return o.g, ctx.Err()
}

// cores finds the coreness of all vertices, and the largest.
func (o *orienting) cores(s *csr.Snapshot, types csr.TypeSet, env *pattern.Env) (core buffer, degeneracy uint32, err error) {
	t := &task{d: o.d}
	defer t.end()
	e := *env
	e.Tally = new(pattern.Tally) // what cores take is not what was asked for
	c, err := newCoreSearch(t, o.ctx, s, &pattern.CoreRequest{Types: types, Direction: csr.Both}, &e)
	if err != nil {
		return core, 0, err
	}
	if err := c.decompose(); err != nil {
		return core, 0, err
	}
	if err := o.d.launch("core_finish", o.d.grid(o.vertices, 256), 256, 0, c.core.arg(), uint64(o.vertices)); err != nil {
		return core, 0, err
	}
	t.give(c.core, o.task)
	return c.core, c.degeneracy, nil
}

// order ranks the vertices: g.vertex.
func (o *orienting) order(core buffer, degeneracy uint32) error {
	t := &task{d: o.d}
	defer t.end()
	round, left, last, err := o.rounds(t, core)
	if err != nil {
		return err
	}
	width := bits.Len(uint(last))
	if bits.Len32(degeneracy)+width > 32 {
		return ErrDeclined
	}
	_, list, err := t.sortPairs(o.ctx, left, buffer{}, int64(o.vertices), degeneracy)
	if err != nil {
		return err
	}
	keys, err := t.alloc(4 * int64(o.vertices))
	if err != nil {
		return err
	}
	if err := o.d.launch("orient_keys", o.d.grid(o.vertices, 256), 256, 0, list.arg(), core.arg(), round.arg(), uint64(o.vertices), uint64(width), keys.arg()); err != nil {
		return err
	}
	_, o.g.vertex, err = t.sortPairs(o.ctx, keys, list, int64(o.vertices), degeneracy<<width|uint32(last))
	if err == nil {
		t.give(o.g.vertex, o.up)
	}
	return err
}

// rounds finds in which round each vertex leaves, how many neighbours it has left then, and which round is the last.
func (o *orienting) rounds(t *task, core buffer) (round, left buffer, last int, err error) {
	n, c := int64(o.vertices), rowSegments{vertices: o.vertices}
	s, err := newScan(t, n)
	if err != nil {
		return round, left, 0, err
	}
	if err := c.cut(t, s, o.a.offsets, buffer{}); err != nil {
		return round, left, 0, err
	}
	if left, err = t.zeros(n); err != nil {
		return round, left, 0, err
	}
	sizes, err := t.zeros(2 * int64(orientRounds+2))
	if err != nil {
		return round, left, 0, err
	}
	begins := buffer{sizes.at + cu.DevicePtr(4*(orientRounds+2)), sizes.bytes / 2}
	if round, err = t.alloc(4 * n); err != nil {
		return round, left, 0, err
	}
	queue, err := t.alloc(4 * int64(c.segments))
	if err != nil {
		return round, left, 0, err
	}
	count := func(by buffer) error {
		return o.d.launch("orient_left", o.d.warps(c.segments), 256, 0, o.a.offsets.arg(), o.a.targets.arg(), core.arg(), by.arg(), c.first.arg(), c.owner.arg(),
			uint64(c.segments), left.arg())
	}
	if err := count(buffer{}); err != nil {
		return round, left, 0, err
	}
	err = o.d.launch("orient_first", o.d.grid(o.vertices, 256), 256, 0, core.arg(), left.arg(), uint64(n), c.first.arg(), round.arg(), queue.arg(), sizes.arg())
	if err != nil {
		return round, left, 0, err
	}
	last, err = o.leave(sizes, func(r int) error {
		return o.d.launch("orient_round", o.d.warps(c.segments), 256, 0, o.a.offsets.arg(), o.a.targets.arg(), core.arg(), c.first.arg(), c.owner.arg(), left.arg(),
			round.arg(), queue.arg(), uint64(r), begins.arg(), sizes.arg())
	})
	if err == nil {
		err = fill(left, n, 0)
	}
	if err == nil {
		err = count(round)
	}
	return round, left, last, err
}

// leave launches rounds until nobody is left, and returns which was the last one that somebody left in. sizes counts, by round, the
// segments of their rows.
func (o *orienting) leave(sizes buffer, launch func(r int) error) (last int, err error) {
	for r, batch := 1, 8; ; batch = min(2*batch, 128) {
		batch = min(batch, orientRounds+1-r)
		if batch == 0 {
			return 0, fmt.Errorf("%w: vertices leave in more than %d rounds", ErrDeclined, orientRounds)
		}
		for i := range batch {
			if err := launch(r + i); err != nil {
				return 0, err
			}
		}
		came := make([]uint32, batch)
		if err := download(buffer{sizes.at + cu.DevicePtr(4*(r+1)), 4 * int64(batch)}, came); err != nil {
			return 0, err
		}
		if err := o.ctx.Err(); err != nil {
			return 0, err
		}
		for i, size := range came {
			if size == 0 {
				return r + i, nil
			}
		}
		r += batch
	}
}

// edges writes the lists by rank: g.offsets, g.targets.
func (o *orienting) edges(loops bool) error {
	t := &task{d: o.d}
	defer t.end()
	low, high, n, err := o.unsorted(t)
	if err != nil {
		return err
	}
	if 2*n > o.a.edges || 2*n < o.a.edges && !loops {
		return fmt.Errorf("%w: %d of %d", errLost, n, o.a.edges/2)
	}
	if low, high, err = t.sortPairs(o.ctx, low, high, n, uint32(o.vertices-1)); err != nil {
		return err
	}
	if o.g.offsets, err = o.up.alloc(8 * int64(o.vertices+1)); err != nil {
		return err
	}
	t.give(high, o.up)
	o.g.targets, o.g.edges = high, n
	return o.d.launch("orient_offsets", o.d.grid(o.vertices+1, 256), 256, 0, low.arg(), uint64(n), uint64(o.vertices), o.g.offsets.arg())
}

// unsorted returns the n edges by rising higher end.
func (o *orienting) unsorted(t *task) (low, high buffer, n int64, err error) {
	scratch, c := &task{d: o.d}, rowSegments{vertices: o.vertices}
	defer scratch.end()
	rank, err := scratch.alloc(4 * int64(o.vertices))
	if err != nil {
		return low, high, 0, err
	}
	if err := o.d.launch("orient_ranks", o.d.grid(o.vertices, 256), 256, 0, o.g.vertex.arg(), uint64(o.vertices), rank.arg()); err != nil {
		return low, high, 0, err
	}
	s, err := newScan(scratch, int64(o.vertices))
	if err != nil {
		return low, high, 0, err
	}
	if err := c.cut(scratch, s, o.a.offsets, o.g.vertex); err != nil {
		return low, high, 0, err
	}
	counts, err := scratch.alloc(4 * int64(c.segments))
	if err != nil {
		return low, high, 0, err
	}
	rows := []uint64{o.a.offsets.arg(), o.a.targets.arg(), o.g.vertex.arg(), rank.arg(), c.first.arg(), c.owner.arg(), uint64(c.segments)}
	if err := o.d.launch("orient_before", o.d.warps(c.segments), 256, 0, append(rows, counts.arg())...); err != nil {
		return low, high, 0, err
	}
	places, total, err := scratch.scan(counts, int64(c.segments))
	if err != nil {
		return low, high, 0, err
	}
	if low, err = t.alloc(4 * int64(total)); err != nil {
		return low, high, 0, err
	}
	if high, err = t.alloc(4 * int64(total)); err != nil {
		return low, high, 0, err
	}
	return low, high, int64(total), o.d.launch("orient_edges", o.d.warps(c.segments), 256, 0, append(rows, places.arg(), low.arg(), high.arg())...)
}

// sortRoots lists the ranks by falling out-degree, which is most at most, and counts them by it: g.roots, g.least.
func (g *oriented) sortRoots(up *task, ctx context.Context, most uint32) error {
	t := &task{d: up.d}
	defer t.end()
	keys, err := t.alloc(4 * int64(g.vertices))
	if err != nil {
		return err
	}
	if err := t.d.launch("orient_degrees", t.d.grid(g.vertices, 256), 256, 0, g.offsets.arg(), uint64(g.vertices), uint64(most), keys.arg()); err != nil {
		return err
	}
	if keys, g.roots, err = t.sortPairs(ctx, keys, buffer{}, int64(g.vertices), most); err != nil {
		return err
	}
	t.give(g.roots, up)
	g.least, err = t.leastOf(keys, g.vertices, int(most))
	return err
}

// leastOf tells how many of n rows have at least each degree up to most, which is theirs at most. The keys are most less the degree, and rise.
func (t *task) leastOf(keys buffer, n, most int) ([]uint32, error) {
	at, err := t.alloc(4 * (int64(most) + 1))
	if err != nil {
		return nil, err
	}
	if err := t.d.launch("orient_least", t.d.grid(most+1, 256), 256, 0, keys.arg(), uint64(n), uint64(most), uint64(most), at.arg()); err != nil {
		return nil, err
	}
	least := make([]uint32, most+1)
	return least, download(at, least)
}

// within is the graph among the vertices of a set; the others stay as ranks without edges.
func (g *oriented) within(t *task, ctx context.Context, set *pattern.CandidateSet) (*oriented, error) {
	scratch := &task{d: t.d}
	defer scratch.end()
	in, err := upload(scratch, set.Bits())
	if err != nil {
		return nil, err
	}
	counts, err := scratch.alloc(4 * int64(g.vertices))
	if err != nil {
		return nil, err
	}
	graph := []uint64{g.offsets.arg(), g.targets.arg(), g.vertex.arg(), uint64(g.vertices), in.arg()}
	if err := t.d.launch("orient_within", t.d.warps(g.vertices), 256, 0, append(graph, counts.arg())...); err != nil {
		return nil, err
	}
	some := &oriented{vertices: g.vertices, vertex: g.vertex}
	var total uint64
	if some.offsets, total, err = t.scan(counts, int64(g.vertices)); err != nil {
		return nil, err
	}
	some.edges = int64(total)
	if some.targets, err = t.alloc(4 * some.edges); err != nil {
		return nil, err
	}
	if err := t.d.launch("orient_keep", t.d.warps(g.vertices), 256, 0, append(graph, some.offsets.arg(), some.targets.arg())...); err != nil {
		return nil, err
	}
	return some, some.sortRoots(t, ctx, uint32(g.most()))
}
