package core

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/parallel"
)

// Decompose returns the coreness of every vertex of s or, if r.K is set, the vertices of the K-core only. For one K it removes
// vertices of degree below K until none is left, which takes time in proportion to what it removes. It charges its scratch to
// env.Memory, and not the result. It fails with pattern.ErrMemory or the context's error.
func Decompose(ctx context.Context, s *csr.Snapshot, r *pattern.CoreRequest, env *pattern.Env) (*pattern.Cores, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &coreSearch{CoreRequest: r, env: env, n: int(s.N()), workers: max(1, env.Workers)}
	defer c.release()
	if err := c.charge(coreBytes * int64(c.n)); err != nil {
		return nil, err
	}
	var err error
	if c.view, err = s.View(ctx, r.Types, r.Direction); err != nil {
		return nil, err
	}
	if c.reverse, err = s.View(ctx, r.Types, r.Direction.Reverse()); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()
	if env.Tally != nil {
		env.Tally.Units.Add(uint64(c.size()))
	}
	c.start()
	if r.K > 0 {
		members := c.members()
		return &pattern.Cores{Members: members}, ctx.Err()
	}
	if r.Variant == pattern.CoreES {
		if err := c.charge(8 * int64(c.largest()) * int64(c.workers)); err != nil { // counts by estimate
			return nil, err
		}
	}
	c.decompose()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &pattern.Cores{Core: c.core, Degeneracy: c.largest()}
	if r.Order {
		if c.order == nil {
			c.orderByCore(out.Degeneracy)
		}
		out.Order = c.order
	}
	return out, ctx.Err()
}

// coreBytes is the memory of the costliest algorithm, by vertex: core, order, position and bin, or estimates and two lists.
const coreBytes = 16

// coreSearch is one decomposition. During the run core[v] is the remaining degree of v or an estimate; at the end it is the
// coreness.
type coreSearch struct {
	*pattern.CoreRequest
	env           *pattern.Env
	n, workers    int
	view, reverse *csr.Adjacency // a degree is the length of a row of view; a removal lowers the neighbours in reverse
	core          []uint32
	order         []csr.VertexID // of removal; nil where none was kept
	charges       int64
	stop          atomic.Bool
}

func (c *coreSearch) charge(n int64) error {
	c.charges += n
	return c.env.Memory.Charge(n)
}

func (c *coreSearch) release() { c.env.Memory.Release(c.charges) }

// has reports whether v is in the set of the request.
func (c *coreSearch) has(v csr.VertexID) bool { return c.Within == nil || c.Within.Has(v) }

// size returns how many vertices the set of the request has.
func (c *coreSearch) size() int {
	if c.Within != nil {
		return c.Within.Len()
	}
	return c.n
}

// start fills core with degrees.
func (c *coreSearch) start() {
	c.core = hugepages.Make[uint32](c.n)
	const chunk = 1 << 12
	parallel.For(c.workers, c.n, chunk, &c.stop, func(_, lo, hi int) {
		for v := csr.VertexID(lo); v < csr.VertexID(hi); v++ {
			switch {
			case !c.has(v):
			case c.Within != nil:
				c.core[v] = c.inside(v)
			default:
				c.core[v] = uint32(c.view.Degree(v))
				if c.view.Loops > 0 && c.view.Has(v, v) {
					c.core[v]--
				}
			}
		}
	})
}

// inside counts the neighbours of v in the set.
func (c *coreSearch) inside(v csr.VertexID) (n uint32) {
	for _, w := range c.view.Neighbours(v) {
		if w != v && c.Within.Has(w) {
			n++
		}
	}
	return n
}

// largest returns the largest degree or estimate; at the end, the largest coreness.
func (c *coreSearch) largest() (top uint32) {
	for _, k := range c.core {
		top = max(top, k)
	}
	return top
}

// all lists the vertices of the request.
func (c *coreSearch) all() []csr.VertexID {
	if c.Within != nil {
		return slices.Clone(c.Within.List())
	}
	list := hugepages.Make[csr.VertexID](c.n)
	for v := range list {
		list[v] = csr.VertexID(v)
	}
	return list
}

func (c *coreSearch) decompose() {
	v := c.Variant
	if v == pattern.CoreAuto {
		v = chooseCoreVariant()
	}
	switch v {
	case pattern.CoreBZ:
		c.byBins()
	case pattern.CoreRL:
		c.byPasses()
	case pattern.CoreES:
		c.byEstimates()
	default:
		c.byRounds()
	}
}

// chooseCoreVariant chooses for CoreAuto: always rounds. Measured with one worker on soc-Slashdot0902 (504 k edges)
// and a Kronecker graph of scale 18 (3.8 M edges): rounds 3.3 and 23 ms, bins 5.5 and 34 ms, passes 14 and 75 ms, estimates
// 95 ms and 1 s. With more workers rounds stay ahead: their short queues cost no more than with one. No measured size
// or shape favours another algorithm. The others serve as references, and for devices of many lanes.
func chooseCoreVariant() pattern.CoreVariant { return pattern.CorePark }

// done reports n more vertices with their coreness to the tally.
func (c *coreSearch) done(n int) {
	if c.env.Tally != nil {
		c.env.Tally.UnitsDone.Add(uint64(n))
	}
}

// members is the K-core: vertices are removed in rounds at one level.
func (c *coreSearch) members() []csr.VertexID {
	p := newCoreRounds(c)
	p.level = c.K - 1
	p.scan()
	p.cascade()
	p.count()
	c.done(c.size() - p.head)
	return p.live[:p.keep()]
}

// orderByCore makes a degeneracy order from coreness alone. It removes vertices by rising coreness k, and a vertex of coreness k as
// soon as it has at most k neighbours left.
func (c *coreSearch) orderByCore(degeneracy uint32) {
	c.order = make([]csr.VertexID, 0, c.n)
	left := hugepages.Make[uint32](c.n) // by vertex: how many neighbours the order lacks
	shells := make([][]csr.VertexID, degeneracy+1)
	looked := 0
	for _, v := range c.all() {
		if looked += c.view.Degree(v); looked >= parallel.PollEvery {
			looked = 0
			if c.stop.Load() {
				return
			}
		}
		for _, w := range c.view.Neighbours(v) {
			if w != v && c.has(w) && c.core[w] >= c.core[v] {
				left[v]++
			}
		}
		shells[c.core[v]] = append(shells[c.core[v]], v)
	}
	const gone = ^uint32(0)
	for k, shell := range shells {
		head := len(c.order)
		take := func(v csr.VertexID) {
			left[v] = gone
			c.order = append(c.order, v)
		}
		for _, v := range shell {
			if left[v] <= uint32(k) {
				take(v)
			}
		}
		for ; head < len(c.order) && !c.stop.Load(); head++ {
			v := c.order[head]
			for _, w := range c.reverse.Neighbours(v) {
				if c.core[w] == uint32(k) && left[w] != gone && w != v && c.has(w) {
					if left[w]--; left[w] <= uint32(k) {
						take(w)
					}
				}
			}
		}
	}
}
