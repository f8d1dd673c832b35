//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Trusses returns the trussness of every edge, the edges of the K-truss, or those of the truss of the largest k.
func (d *Device) Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (out *pattern.Trusses, err error) {
	if s.N() == 0 || s.N() > math.MaxInt32 {
		return nil, ErrDeclined
	}
	err = d.run(ctx, func(t *task) error {
		q := &trussSearch{task: t, ctx: ctx, s: s, r: r, env: env}
		if q.a, err = adjacencyOf(t, s, r.Types, csr.Both); err != nil {
			return err
		}
		switch r.K {
		case 0:
			out, err = q.all(2)
		case pattern.KMax:
			out, err = q.largest()
		default:
			out, err = q.around(max(r.K, 2))
		}
		return err
	})
	return out, err
}

// trussSearch is one request at work.
type trussSearch struct {
	*task
	ctx context.Context
	s   *csr.Snapshot
	r   *pattern.TrussRequest
	env *pattern.Env
	a   *adjacent

	ends trussEnds
}

// within is the set of vertices asked about; nil: all, and there are no loops.
func (q *trussSearch) within(t *task) (*bitmap, error) {
	if q.r.Within == nil && q.s.Adjacency(q.r.Types, csr.Both).Loops == 0 {
		return nil, nil
	}
	if q.r.Within == nil {
		zeros, err := t.zeros(int64(q.s.N()))
		if err != nil {
			return nil, err
		}
		return t.atLeast(zeros, int(q.s.N()), 0)
	}
	words, err := upload(t, q.r.Within.Bits())
	if err != nil {
		return nil, err
	}
	b := &bitmap{words: words, n: int(q.s.N()+31) / 32, members: q.r.Within.Len()}
	b.ranks, _, err = t.scanBits(words, int64(b.n))
	return b, err
}

// all returns the edges of at least a trussness with their own.
func (q *trussSearch) all(least uint32) (*pattern.Trusses, error) {
	set, err := q.within(q.task)
	if err != nil {
		return nil, err
	}
	defer q.takeBack()
	p, err := q.peel(q.task, set, least, true)
	if err != nil {
		return nil, err
	}
	if q.ends.loan != nil {
		return p.rest()
	}
	return p.trusses(least)
}

// around looks for the k-truss in the (k-1)-core.
func (q *trussSearch) around(k uint32) (*pattern.Trusses, error) {
	var set *bitmap
	var err error
	if k > 2 && q.env.Uses(pattern.TrussCore) {
		c, err := q.cores(k - 1)
		if err != nil {
			return nil, err
		}
		if set, err = q.atLeast(c.core, c.vertices, 0); err != nil {
			return nil, err
		}
		q.env.Took(pattern.TrussCore, q.s.N()-uint64(set.members))
	} else if set, err = q.within(q.task); err != nil {
		return nil, err
	}
	p, err := q.peel(q.task, set, k, false)
	if err != nil {
		return nil, err
	}
	return p.stayed(k)
}

// cores peels vertices until those of the k-core are left, or with 0 all; what it allocates is q's.
func (q *trussSearch) cores(k uint32) (*coreSearch, error) {
	c, err := newCoreSearch(q.task, q.ctx, q.s, &pattern.CoreRequest{Types: q.r.Types, Direction: csr.Both, Within: q.r.Within, K: k},
		&pattern.Env{Tally: new(pattern.Tally), Without: q.env.Without})
	if err != nil {
		return nil, err
	}
	if err := c.decompose(); err != nil || k > 0 {
		return c, err
	}
	return c, q.d.launch("core_finish", q.d.grid(c.vertices, 256), 256, 0, c.core.arg(), uint64(c.vertices))
}

// largest finds the truss of the largest k: the densest core's own gives a lower bound, from which the rest is looked at.
func (q *trussSearch) largest() (*pattern.Trusses, error) {
	if !q.env.Uses(pattern.TrussBound) {
		return q.top(q.all(2))
	}
	c, err := q.cores(0)
	if err != nil {
		return nil, err
	}
	bound := uint32(2)
	if c.degeneracy >= 2 {
		if bound, err = q.dense(c); err != nil {
			return nil, err
		}
	}
	set, err := q.atLeast(c.core, c.vertices, bound-1)
	if err != nil {
		return nil, err
	}
	q.env.Took(pattern.TrussCore, q.s.N()-uint64(set.members))
	p, err := q.peel(q.task, set, bound, true)
	if err != nil {
		return nil, err
	}
	return p.trusses(p.level + 2)
}

// top keeps the edges of the largest trussness.
func (q *trussSearch) top(all *pattern.Trusses, err error) (*pattern.Trusses, error) {
	if err != nil {
		return nil, err
	}
	top := &pattern.Trusses{KMax: all.KMax}
	for e, k := range all.Truss {
		if k == all.KMax {
			top.Source, top.Target, top.Truss = append(top.Source, all.Source[e]), append(top.Target, all.Target[e]), append(top.Truss, k)
		}
	}
	return top, nil
}

// dense is the largest k of a truss in the densest core. It begins at a share of what the core allows, so that the levels below are
// one, and at a smaller share where that truss is empty.
func (q *trussSearch) dense(c *coreSearch) (uint32, error) {
	for share := uint32(2); ; share *= 4 {
		least := max(2, (c.degeneracy+1)/share)
		k, err := q.denseFrom(c, least)
		if err != nil || k >= least {
			return k, err
		}
	}
}

// denseFrom is the largest k from least on; anything less says that there is none.
func (q *trussSearch) denseFrom(c *coreSearch, least uint32) (uint32, error) {
	t := &task{d: q.d}
	defer t.end()
	set, err := t.atLeast(c.core, c.vertices, c.degeneracy)
	if err != nil {
		return 0, err
	}
	p, err := q.peel(t, set, least, true)
	if err != nil {
		return 0, err
	}
	q.env.Took(pattern.TrussBound, 1)
	return p.level + 2, nil
}

// trussPeeling removes edges by rising support.
type trussPeeling struct {
	*task
	q       *trussSearch
	g       *edgeGraph
	levels  *levelQueue
	state   buffer
	support buffer // once an edge is gone, the level it went at
	matrix  buffer // a row of bits a vertex, if that is worth it
	words   int    // of a row
	level   uint32 // the last one at which an edge went
	gone    int64
	inRows  int64 // edges that the rows hold
}

// peel removes the edges of the subgraph on the set that are not in its least-truss, and with rest all others, level by level.
func (q *trussSearch) peel(t *task, set *bitmap, least uint32, rest bool) (*trussPeeling, error) {
	g, err := induced(t, q.a, set)
	if err != nil {
		return nil, err
	}
	p := &trussPeeling{task: t, q: q, g: g}
	if g.edges == 0 {
		return p, nil
	}
	if q.r.K == 0 {
		if err := p.sendEnds(); err != nil {
			return nil, err
		}
	}
	q.env.Tally.Units.Add(uint64(g.edges))
	if p.support, err = t.zeros(g.edges); err != nil {
		return nil, err
	}
	if p.state, err = t.zeros(g.edges); err != nil {
		return nil, err
	}
	if p.levels, err = newLevelQueue(t, q.ctx, q.env); err != nil {
		return nil, err
	}
	first, last := uint32(0), uint32(math.MaxUint32)
	if least > 2 {
		first = least - 3
	}
	if !rest {
		last = first
		if least == 2 {
			return p, nil
		}
	}
	if err := p.count(first); err != nil {
		return nil, err
	}
	return p, p.run(last)
}

// count finds the support of all edges, and sets what the first round finds.
func (p *trussPeeling) count(first uint32) error {
	g := p.g
	if err := p.levels.begin(levelState{level: first, size: uint32(g.edges), live: uint32(g.edges), kept: math.MaxUint32, chunks: 1}); err != nil {
		return err
	}
	if p.dense() {
		var err error
		if p.matrix, err = p.zeros(int64(g.vertices) * int64(p.words)); err != nil {
			return err
		}
		err = p.d.launch("truss_matrix", p.d.warps(g.vertices), 256, 0, g.rows.arg(), g.ends.arg(), uint64(g.vertices), p.matrix.arg(), uint64(p.words))
		if err != nil {
			return err
		}
		p.q.env.Took(pattern.TrussMarks, uint64(g.vertices))
		return p.recount(p.levels.slot(0), buffer{})
	}
	return g.supports(p.task, p.support)
}

// supports finds the support of all edges, which are 0 before.
func (g *edgeGraph) supports(t *task, support buffer) error {
	next, err := newCounts(t)
	if err != nil {
		return err
	}
	return t.d.launch("truss_support", min(16*t.d.info.Multiprocessor, 1+int(g.edges/128)), 128, 0, g.offsets.arg(), g.high.arg(), g.low.arg(), uint64(g.edges), next.arg(),
		t.d.stop.arg(), support.arg())
}

// dense decides on the matrix: whether the AND of two rows of it is less work than looking one row up in another, at some eight
// words an entry, and it takes no more than a gigabyte.
func (p *trussPeeling) dense() bool {
	p.words = (p.g.vertices + 63) / 64 * 2
	return p.q.env.Uses(pattern.TrussMarks) && p.g.vertices <= 1<<16 && int64(p.words)*int64(p.g.vertices) <= 8*p.g.edges
}

// blocks is how many work on a round, by how many edges there were when the host looked last.
func (p *trussPeeling) blocks() int {
	left := int(p.g.edges - p.gone)
	return max(p.d.grid(left, 1024), min(p.d.info.Multiprocessor, p.d.grid(left, 64)))
}

func (p *trussPeeling) recount(now, lists buffer) error {
	g := p.g
	return p.d.launch("truss_recount", p.blocks(), 256, 0, g.low.arg(), g.high.arg(), uint64(g.edges), p.state.arg(), p.support.arg(), now.arg(), lists.arg(),
		p.matrix.arg(), uint64(p.words), p.d.stop.arg())
}

// Flags of the kernels.
const (
	trussRestores = 1 << iota
	trussSkips
	trussShrinks
	trussZero
	trussLast
	trussRecounts
)

func (p *trussPeeling) flags() (flags uint64) {
	for i, m := range []pattern.Technique{pattern.TrussRestore, pattern.TrussLevels, pattern.TrussCompact, pattern.TrussZero, pattern.TrussLast, pattern.TrussRecount} {
		if p.q.env.Uses(m) {
			flags |= 1 << i
		}
	}
	return flags
}

// run removes the edges, level by level, up to the last one.
func (p *trussPeeling) run(last uint32) error {
	g, m := p.g, p.g.edges
	var queues [2]buffer
	for i := range queues {
		var err error
		if queues[i], err = p.alloc(4 * m); err != nil {
			return err
		}
	}
	lists, err := p.alloc(8 * m)
	if err != nil {
		return err
	}
	flags, words := p.flags(), uint64(p.words)
	p.inRows = m
	p.levels.between = p.compact
	return p.levels.run(func(i int, was, now, after buffer) error {
		before, queue, blocks := queues[1-i&1], queues[i&1], p.blocks()
		err := p.d.launch("truss_turn", blocks, 256, 0, g.low.arg(), g.high.arg(), uint64(m), p.state.arg(), p.support.arg(), was.arg(), now.arg(), after.arg(),
			before.arg(), queue.arg(), lists.arg(), p.matrix.arg(), words, uint64(last), flags)
		if err != nil {
			return err
		}
		err = p.d.launch("truss_round", blocks, 256, 0, g.rows.arg(), g.ends.arg(), g.numbers.arg(), g.low.arg(), g.high.arg(), p.state.arg(), p.support.arg(),
			now.arg(), queue.arg(), before.arg(), p.matrix.arg(), words, p.d.stop.arg(), flags)
		if err != nil || p.matrix.at == 0 {
			return err
		}
		return p.recount(now, lists)
	}, func(s levelState) { p.look(s, flags) })
}

// compact drops the edges that are gone from the rows when they are more than half, if many enough to repay the host's turns.
func (p *trussPeeling) compact() error {
	left := p.g.edges - p.gone
	if left >= p.inRows/2 || p.inRows < int64(p.d.hubDegree) || !p.q.env.Uses(pattern.TrussCompact) {
		return nil
	}
	entries, err := p.g.compact(p.task, p.state)
	if errors.Is(err, errNoRoom) {
		p.inRows = 0 // it goes without
		return nil
	}
	p.q.env.Took(pattern.TrussCompact, uint64(2*p.inRows)-entries)
	p.inRows = int64(entries / 2)
	return err
}

// look notes what a round has done. Of its step, chunks says that the others were counted again, and cascaded how many.
func (p *trussPeeling) look(s levelState, flags uint64) {
	env := p.q.env
	if s.removed > 0 {
		p.level = s.level
	}
	p.gone += int64(s.removed)
	env.Tally.UnitsDone.Add(uint64(s.removed))
	env.Took(pattern.TrussLevels, uint64(s.skipped))
	env.Took(pattern.TrussCompact, uint64(s.dropped))
	env.Took(pattern.TrussRestore, uint64(s.restored))
	switch {
	case s.chunks > 0:
		env.Took(pattern.TrussRecount, uint64(s.removed))
	case s.level == 0 && flags&trussZero != 0:
		env.Took(pattern.TrussZero, uint64(s.removed))
	case s.removed == s.live && flags&trussLast != 0:
		env.Took(pattern.TrussLast, uint64(s.removed))
	}
}
