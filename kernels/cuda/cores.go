//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cores decomposes the undirected graph into cores. The serial way, a direction, and an order are the CPU's.
func (d *Device) Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (out *pattern.Cores, err error) {
	if r.Direction != csr.Both || r.Variant == pattern.CoreBZ || r.Order || s.N() == 0 {
		return nil, ErrDeclined
	}
	err = d.run(ctx, func(t *task) error {
		c, err := newCoreSearch(t, ctx, s, r, env)
		if err != nil {
			return err
		}
		switch r.Variant {
		case pattern.CorePark:
			err = c.byPeeling()
		case pattern.CoreES:
			err = c.byEstimates()
		default: // passes measured fastest: RMAT-20 48 ms, peeling 114, estimates 289
			err = c.byPasses()
		}
		if err != nil {
			return err
		}
		out, err = c.result()
		return err
	})
	return out, err
}

// coreSearch is a decomposition at work.
type coreSearch struct {
	*task
	ctx    context.Context
	r      *pattern.CoreRequest
	env    *pattern.Env
	g      *adjacent
	inside buffer // a word a vertex, or nothing where all take part
	set    []uint32
	degree buffer // and then, but in passes, the coreness
	core   buffer // of passes
	counts counts
	hubs   buffer // of peeling: vertices that the whole grid removes
	left   int
}

func newCoreSearch(t *task, ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*coreSearch, error) {
	g, err := adjacencyOf(t, s, r.Types, csr.Both)
	if err != nil {
		return nil, err
	}
	c := &coreSearch{task: t, ctx: ctx, r: r, env: env, g: g}
	if r.Within != nil {
		c.set = make([]uint32, g.vertices)
		for v := range c.set {
			if r.Within.Has(csr.VertexID(v)) {
				c.set[v] = 1
			}
		}
		if c.inside, err = upload(t, c.set); err != nil {
			return nil, err
		}
	}
	if c.degree, err = t.alloc(4 * int64(g.vertices)); err != nil {
		return nil, err
	}
	if c.counts, err = newCounts(t); err != nil {
		return nil, err
	}
	err = c.d.launch("core_degrees", c.d.grid(g.vertices, 8), 256, 0, g.offsets.arg(), g.targets.arg(), uint64(g.vertices), c.inside.arg(),
		c.degree.arg(), c.counts.arg())
	if err != nil {
		return nil, err
	}
	counts, err := c.counts.read()
	c.left = int(counts[0])
	c.env.Tally.Units.Add(uint64(c.left))
	return c, err
}

// gone notes that n vertices have their coreness.
func (c *coreSearch) gone(n int) error {
	c.left -= n
	c.env.Tally.UnitsDone.Add(uint64(n))
	return c.ctx.Err()
}

// byPeeling removes the vertices of degree 0, then those of degree 1, and so on. Their degree stays what it was then.
func (c *coreSearch) byPeeling() error {
	n := c.g.vertices
	var queue, spill, kept, list buffer
	for _, b := range []*buffer{&queue, &spill, &kept, &c.hubs} {
		var err error
		if *b, err = c.alloc(4 * int64(n)); err != nil {
			return err
		}
	}
	size, shrunk := n, c.left
	for level := uint32(0); c.left > 0; {
		if err := c.counts.clear(); err != nil {
			return err
		}
		err := c.d.launch("core_scan", c.d.grid(size, 256), 256, 0, list.arg(), uint64(size), c.inside.arg(), c.degree.arg(), uint64(level), queue.arg(), c.counts.arg())
		if err != nil {
			return err
		}
		if err := c.peel(level, queue, c.counts.arg(), spill, c.left); err != nil {
			return err
		}
		counts, err := c.counts.read()
		if err != nil {
			return err
		}
		removed, next := int(counts[0]+counts[4]), level+1
		if counts[0] == 0 {
			if next = counts[1]; c.env.Uses(pattern.CoreSkip) {
				c.env.Took(pattern.CoreSkip, uint64(next-level-1))
			} else {
				next = level + 1
			}
		}
		for in, out := spill, queue; counts[2] > 0; in, out = out, in { // a block's queue was too short
			spilled := counts[2]
			removed += int(spilled)
			if err := uploadTo(c.counts.buffer, []uint32{spilled, 0, 0, counts[3], 0, 0}); err != nil {
				return err
			}
			if err := c.peel(level, in, c.counts.arg(), out, int(spilled)); err != nil {
				return err
			}
			if counts, err = c.counts.read(); err != nil {
				return err
			}
			removed += int(counts[4])
		}
		c.env.Took(pattern.CoreRestore, uint64(counts[3]))
		c.env.Took(pattern.GPUHubs, uint64(counts[5]))
		if err := c.gone(removed); err != nil {
			return err
		}
		if c.left < shrunk/2 && c.left > 0 && c.env.Uses(pattern.CoreShrink) {
			if list, kept, err = c.shrink(list, size, level, kept); err != nil {
				return err
			}
			c.env.Took(pattern.CoreShrink, uint64(size-c.left))
			size, shrunk = c.left, c.left
		}
		level = next
	}
	return nil
}

func (c *coreSearch) peel(level uint32, queue buffer, size uint64, spill buffer, most int) error {
	limit := c.d.hubDegree
	if !c.env.Uses(pattern.GPUHubs) {
		limit = 1 << 26 // so that 32 rows together have fewer than 2^32 entries
	}
	err := c.d.launch("core_peel", c.d.grid(most, 256), 256, 0, c.g.offsets.arg(), c.g.targets.arg(), c.degree.arg(), uint64(level),
		queue.arg(), size, spill.arg(), c.hubs.arg(), limit, c.counts.arg())
	if err != nil {
		return err
	}
	return c.d.launch("core_hubs", 2*c.d.info.Multiprocessor, 256, 0, c.g.offsets.arg(), c.g.targets.arg(), c.degree.arg(), uint64(level),
		c.hubs.arg(), spill.arg(), c.counts.arg())
}

// shrink lists what is left in kept, and returns that and memory for the next time.
func (c *coreSearch) shrink(list buffer, size int, level uint32, kept buffer) (now, spare buffer, err error) {
	if err := c.counts.clear(); err != nil {
		return list, kept, err
	}
	err = c.d.launch("core_shrink", c.d.grid(size, 256), 256, 0, list.arg(), uint64(size), c.inside.arg(), c.degree.arg(), uint64(level), kept.arg(), c.counts.arg())
	if err != nil {
		return list, kept, err
	}
	if list.at == 0 {
		list, err = c.alloc(4 * int64(c.g.vertices))
	}
	return kept, list, err
}

// byPasses is RLCore.
func (c *coreSearch) byPasses() error {
	n := int64(c.g.vertices)
	var err error
	if c.core, err = c.zeros(n); err != nil {
		return err
	}
	state, err := c.zeros(n)
	if err != nil {
		return err
	}
	if c.set != nil {
		outside := make([]uint32, n)
		for v, in := range c.set {
			outside[v] = 2 * (1 - in)
		}
		if err := uploadTo(state, outside); err != nil {
			return err
		}
	}
	for k := uint32(1); c.left > 0; {
		if err := c.counts.clear(); err != nil {
			return err
		}
		err := c.d.launch("core_update", c.d.grid(int(n), 256), 256, 0, uint64(n), c.degree.arg(), c.core.arg(), state.arg(), uint64(k), c.counts.arg())
		if err != nil {
			return err
		}
		counts, err := c.counts.read()
		if err != nil {
			return err
		}
		if counts[0] == 0 {
			next := k + 1
			if c.env.Uses(pattern.CoreSkip) {
				next = counts[1] + 1
				c.env.Took(pattern.CoreSkip, uint64(next-k-1))
			}
			k = next
			continue
		}
		c.env.Took(pattern.CoreFlags, uint64(counts[0]))
		err = c.d.launch("core_scatter", c.d.grid(int(n), 256), 256, 0, c.g.offsets.arg(), c.g.targets.arg(), uint64(n), c.degree.arg(), state.arg())
		if err != nil {
			return err
		}
		if err := c.gone(int(counts[0])); err != nil {
			return err
		}
	}
	return nil
}

// byEstimates is ESCore.
func (c *coreSearch) byEstimates() error {
	n := int64(c.g.vertices)
	listed, err := c.zeros(n)
	if err != nil {
		return err
	}
	var next, active, spare buffer
	for _, b := range []*buffer{&next, &spare} {
		if *b, err = c.alloc(4 * n); err != nil {
			return err
		}
	}
	size := int(n)
	for pass := uint32(1); size > 0; pass++ {
		if err := c.counts.clear(); err != nil {
			return err
		}
		err := c.d.launch("core_estimate", c.d.grid(size, 8), 256, 0, c.g.offsets.arg(), c.g.targets.arg(), c.inside.arg(), c.degree.arg(), active.arg(),
			uint64(size), next.arg(), listed.arg(), uint64(pass), c.counts.arg())
		if err != nil {
			return err
		}
		counts, err := c.counts.read()
		if err != nil {
			return err
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if !c.env.Uses(pattern.CoreActivate) {
			if size = int(n); counts[2] == 0 {
				size = 0
			}
			continue
		}
		c.env.Took(pattern.CoreActivate, uint64(counts[0]))
		size = int(counts[0])
		if active.at == 0 {
			active = spare
		}
		active, next = next, active
	}
	return c.gone(c.left)
}

func (c *coreSearch) result() (*pattern.Cores, error) {
	core := make([]uint32, c.g.vertices)
	from := c.degree
	if c.core.at != 0 {
		from = c.core
	}
	if err := download(from, core); err != nil {
		return nil, err
	}
	out := &pattern.Cores{Core: core, Degeneracy: slices.Max(core)}
	if c.r.K > 0 {
		for v, x := range core {
			if x >= c.r.K {
				out.Members = append(out.Members, csr.VertexID(v))
			}
		}
		return &pattern.Cores{Members: out.Members, Degeneracy: cmp.Or(out.Degeneracy, 0)}, nil
	}
	return out, nil
}
