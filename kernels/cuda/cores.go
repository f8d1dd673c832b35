//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Cores decomposes the graph into cores. The serial way and an order are the CPU's.
func (d *Device) Cores(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (out *pattern.Cores, err error) {
	if r.Variant == pattern.CoreBZ || r.Order || s.N() == 0 || s.N() > math.MaxInt32 {
		return nil, ErrDeclined
	}
	err = d.run(ctx, func(t *task) error {
		c, err := newCoreSearch(t, ctx, s, r, env)
		if err != nil {
			return err
		}
		if err := c.decompose(); err != nil {
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
	r          *pattern.CoreRequest
	env        *pattern.Env
	s          *csr.Snapshot
	vertices   int
	count      *adjacent // the rows whose entries count
	lose       *adjacent // the rows of those who lose one when a vertex goes
	levels     *levelQueue
	core       buffer // degrees, with the top bit for removed vertices (GONE in cores.cu); in the end the coreness
	live       uint64 // how many take part
	degeneracy uint32
	sizes      coreSizes
}

// Flags of the kernels.
const (
	coreRestores = 1 << iota
	coreSkips
	coreShrinks
	coreLists
	coreActivates
)

func newCoreSearch(t *task, ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*coreSearch, error) {
	c := &coreSearch{task: t, r: r, env: env, s: s, vertices: int(s.N())}
	c.chooseSizes()
	var err error
	if c.lose, err = adjacencyOf(t, s, r.Types, r.Direction.Reverse()); err != nil {
		return nil, err
	}
	if c.count, err = adjacencyOf(t, s, r.Types, r.Direction); err != nil {
		return nil, err
	}
	if c.core, err = t.alloc(4 * int64(c.vertices)); err != nil {
		return nil, err
	}
	if c.levels, err = newLevelQueue(t, ctx, env); err != nil {
		return nil, err
	}
	if c.live = s.N(); r.Within != nil {
		c.live = uint64(r.Within.Len())
	}
	c.env.Tally.Units.Add(c.live)
	return c, nil
}

func (c *coreSearch) flags() (flags uint64) {
	for m, bit := range map[pattern.Technique]uint64{pattern.CoreRestore: coreRestores, pattern.CoreSkip: coreSkips, pattern.CoreShrink: coreShrinks,
		pattern.CoreActivate: coreActivates} {
		if c.env.Uses(m) {
			flags |= bit
		}
	}
	if !c.env.Uses(pattern.CoreFlags) {
		flags |= coreLists
	}
	return flags
}

// decompose finds the coreness of all, or with K in peeling those of that core alone.
func (c *coreSearch) decompose() error {
	switch c.r.Variant {
	case pattern.CoreRL:
		return c.byPasses()
	case pattern.CoreES:
		return c.byEstimates()
	}
	return c.byPeeling()
}

// start fills core with degrees; first is what the first launch of the steps finds. Passes need a state for each vertex, too.
func (c *coreSearch) start(first levelState, state buffer) error {
	if err := c.levels.begin(first); err != nil {
		return err
	}
	simple, inside := uint64(1), buffer{}
	if c.r.Within != nil {
		var err error
		if inside, err = upload(c.task, c.r.Within.Bits()); err != nil {
			return err
		}
		simple = 0
	} else if c.s.Adjacency(c.r.Types, c.r.Direction).Loops > 0 {
		simple = 0
	}
	return c.d.launch("core_start", c.d.grid(c.vertices, 64), 256, 0, c.count.offsets.arg(), c.count.targets.arg(), uint64(c.vertices), inside.arg(),
		simple, c.core.arg(), state.arg(), c.levels.ring.arg())
}

// coreSizes are at what sizes work goes other ways.
type coreSizes struct {
	hub   uint64 // from so many edges on a row is left in chunks
	chunk uint64 // edges of a chunk, a warp's work
	room  uint64 // vertices that a block queues for itself
}

// chooseSizes goes by measurements (RMAT 20x16 on an H200: 6.4 ms; with hubs of 512 7.3 ms, with hubs of 128 8.1 ms): a launch more costs
// less than a block alone with long rows. Tests make hubs small, and with them the rest.
func (c *coreSearch) chooseSizes() {
	c.sizes = coreSizes{hub: min(256, c.d.hubDegree), chunk: min(128, c.d.hubDegree), room: min(4096, c.d.hubDegree)}
	if !c.env.Uses(pattern.GPUHubs) {
		c.sizes.hub, c.sizes.chunk = 1<<26, 1<<26 // so that 32 rows together have fewer than 2^32 entries
	}
	if !c.env.Uses(pattern.GPUCascade) {
		c.sizes.room = 0
	}
}

// chunkRoom is how many chunks there may be.
func (c *coreSearch) chunkRoom() int64 {
	return 1 + c.lose.edges/int64(c.sizes.chunk) + min(int64(c.vertices), c.lose.edges/int64(c.sizes.hub))
}

// byPeeling removes the vertices of degree 0, then those of degree 1, and so on. Their degree stays what it was then. With K
// those of less than K go at once.
func (c *coreSearch) byPeeling() error {
	n := int64(c.vertices)
	lists, err := c.alloc(8 * n)
	if err != nil {
		return err
	}
	spill, err := c.alloc(8 * n)
	if err != nil {
		return err
	}
	room := c.chunkRoom()
	chunks, err := c.alloc(16 * room)
	if err != nil {
		return err
	}
	first, last := uint32(0), uint32(math.MaxUint32)
	if c.r.K > 0 {
		first, last = c.r.K-1, c.r.K-1
	}
	if err := c.start(levelState{level: first - 1, size: uint32(n), kept: math.MaxUint32, least: ^first}, buffer{}); err != nil {
		return err
	}
	grid, block := c.peelers()
	return c.levels.run(func(i int, was, now, after buffer) error {
		return c.d.launch("core_peel", grid, block, 0, c.lose.offsets.arg(), c.lose.targets.arg(), c.core.arg(), uint64(n), was.arg(), now.arg(), after.arg(),
			c.d.stop.arg(), lists.arg(), spill.arg(), chunks.arg(), uint64(room), uint64(i&1), uint64(last), c.sizes.room, c.sizes.hub, c.sizes.chunk, c.flags())
	}, func(s levelState) {
		if s.removed > 0 {
			c.degeneracy = s.level
		}
		c.env.Tally.UnitsDone.Add(uint64(s.removed))
		c.env.Took(pattern.CoreSkip, uint64(s.skipped))
		c.env.Took(pattern.CoreShrink, uint64(s.dropped))
		c.env.Took(pattern.CoreRestore, uint64(s.restored))
		c.env.Took(pattern.GPUCascade, uint64(s.cascaded))
		c.env.Took(pattern.GPUHubs, uint64(s.hubs))
	})
}

// peelers is how many blocks peel, and how large they are.
func (c *coreSearch) peelers() (grid, block int) {
	grid, block = 2*c.d.info.Multiprocessor, 512
	switch {
	case c.vertices > 1<<20:
		grid *= 2
	case c.vertices < 1<<14:
		block = 128
	}
	return max(1, min(grid, c.vertices/64)), block
}

// byPasses is RLCore.
func (c *coreSearch) byPasses() error {
	n := int64(c.vertices)
	core, err := c.zeros(n)
	if err != nil {
		return err
	}
	var state, list, chunks buffer
	for b, bytes := range map[*buffer]int64{&state: 4 * n, &list: 4 * n, &chunks: 8 * c.chunkRoom()} {
		if *b, err = c.alloc(bytes); err != nil {
			return err
		}
	}
	if err := c.start(levelState{least: math.MaxUint32}, state); err != nil {
		return err
	}
	hub, chunk := c.sizes.hub, c.sizes.chunk
	degree, flags := c.core, c.flags()
	err = c.levels.run(func(_ int, was, now, after buffer) error {
		err := c.d.launch("core_update", c.d.grid(int(n), 256), 256, 0, c.lose.offsets.arg(), uint64(n), degree.arg(), core.arg(), state.arg(), was.arg(), now.arg(),
			after.arg(), list.arg(), chunks.arg(), hub, chunk, flags)
		if err != nil {
			return err
		}
		return c.d.launch("core_scatter", c.d.grid(int(n), 256), 256, 0, c.lose.offsets.arg(), c.lose.targets.arg(), uint64(n), degree.arg(), state.arg(),
			now.arg(), list.arg(), chunks.arg(), hub, chunk, flags)
	}, func(s levelState) {
		if s.removed > 0 {
			c.degeneracy = s.level - 1
		}
		c.env.Tally.UnitsDone.Add(uint64(s.removed))
		c.env.Took(pattern.CoreSkip, uint64(s.skipped))
		c.env.Took(pattern.GPUHubs, uint64(s.hubs))
		if flags&coreLists == 0 {
			c.env.Took(pattern.CoreFlags, uint64(s.removed))
		}
	})
	c.core = core
	return err
}

// byEstimates is ESCore.
func (c *coreSearch) byEstimates() error {
	n := int64(c.vertices)
	listed, err := c.zeros(n)
	if err != nil {
		return err
	}
	lists := make([]buffer, 2)
	for i := range lists {
		if lists[i], err = c.alloc(4 * n); err != nil {
			return err
		}
	}
	if err := c.start(levelState{kept: uint32(n)}, buffer{}); err != nil {
		return err
	}
	flags := c.flags()
	err = c.levels.run(func(i int, was, now, after buffer) error {
		return c.d.launch("core_estimate", c.d.grid(int(n), 32), 256, 0, c.count.offsets.arg(), c.count.targets.arg(), uint64(n), c.core.arg(), c.lose.offsets.arg(),
			c.lose.targets.arg(), lists[i&1].arg(), lists[1-i&1].arg(), listed.arg(), uint64(i), was.arg(), now.arg(), after.arg(), c.d.stop.arg(), c.sizes.hub, flags)
	}, func(s levelState) {
		c.env.Took(pattern.GPUHubs, uint64(s.hubs))
		if flags&coreActivates != 0 {
			c.env.Took(pattern.CoreActivate, uint64(s.kept))
		}
	})
	if err == nil {
		c.env.Tally.UnitsDone.Add(c.live)
		c.degeneracy = math.MaxUint32
	}
	return err
}

// result takes the coreness to the host, or with K the vertices of that core.
func (c *coreSearch) result() (*pattern.Cores, error) {
	if c.r.K > 0 {
		least := c.r.K
		if c.r.Variant != pattern.CoreRL && c.r.Variant != pattern.CoreES {
			least = 0 // peeling has left the others
		}
		b, err := c.atLeast(c.core, c.vertices, least)
		if err != nil {
			return nil, err
		}
		members, err := c.task.download(b)
		return &pattern.Cores{Members: members}, err
	}
	if err := c.d.launch("core_finish", c.d.grid(c.vertices, 256), 256, 0, c.core.arg(), uint64(c.vertices)); err != nil {
		return nil, err
	}
	core := uncleared[uint32](c.vertices)
	if err := download(c.core, core); err != nil {
		return nil, err
	}
	out := &pattern.Cores{Core: core, Degeneracy: c.degeneracy}
	if c.degeneracy == math.MaxUint32 {
		out.Degeneracy = slices.Max(core)
	}
	return out, nil
}
