//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// Trusses returns the trussness of every edge, the edges of the K-truss, or those of the truss of the largest k.
func (d *Device) Trusses(ctx context.Context, s *csr.Snapshot, r *pattern.TrussRequest, env *pattern.Env) (out *pattern.Trusses, err error) {
	if s.N() == 0 || len(kernels.Orientation(s, r.Types).Targets) > math.MaxInt32 {
		return nil, ErrDeclined
	}
	err = d.run(ctx, func(t *task) error {
		q := &trussSearch{task: t, ctx: ctx, s: s, r: r, env: env}
		switch r.K {
		case 0:
			out, err = q.peel(r.Within, 2, true)
		case pattern.KMax:
			out, err = q.largest()
		default:
			out, err = q.around(max(r.K, 2))
		}
		return err
	})
	return out, err
}

// errLost says that a kernel gave back another number of edges than went in: the device or its driver is broken.
var errLost = errors.New("edges were lost on the device")

// trussSearch is one request at work.
type trussSearch struct {
	*task
	ctx context.Context
	s   *csr.Snapshot
	r   *pattern.TrussRequest
	env *pattern.Env
}

// around looks for the k-truss in the (k-1)-core.
func (q *trussSearch) around(k uint32) (*pattern.Trusses, error) {
	within := q.r.Within
	if k > 2 && q.env.Uses(pattern.TrussCore) {
		core, err := q.cores()
		if err != nil {
			return nil, err
		}
		within = atLeastCore(q.s, core.Core, k-1)
		q.env.Took(pattern.TrussCore, q.s.N()-uint64(within.Len()))
	}
	return q.peel(within, k, false)
}

func (q *trussSearch) cores() (*pattern.Cores, error) {
	t := &task{d: q.d}
	defer t.end()
	c, err := newCoreSearch(t, q.ctx, q.s, &pattern.CoreRequest{Types: q.r.Types, Direction: csr.Both, Within: q.r.Within},
		&pattern.Env{Tally: new(pattern.Tally), Without: q.env.Without})
	if err != nil {
		return nil, err
	}
	if err := c.decompose(); err != nil {
		return nil, err
	}
	return c.result()
}

func atLeastCore(s *csr.Snapshot, core []uint32, k uint32) *pattern.CandidateSet {
	var list []csr.VertexID
	for v, c := range core {
		if c >= k {
			list = append(list, csr.VertexID(v))
		}
	}
	return pattern.NewCandidateSet(s.N(), list)
}

// largest finds the truss of the largest k: the densest core's own gives a lower bound, from which the rest is looked at.
func (q *trussSearch) largest() (*pattern.Trusses, error) {
	core, err := q.cores()
	if err != nil {
		return nil, err
	}
	bound := uint32(2)
	if core.Degeneracy >= 2 && q.env.Uses(pattern.TrussBound) {
		dense, err := q.peel(atLeastCore(q.s, core.Core, core.Degeneracy), 2, true)
		if err != nil {
			return nil, err
		}
		bound = max(2, dense.KMax)
		q.env.Took(pattern.TrussBound, 1)
	}
	all, err := q.peel(atLeastCore(q.s, core.Core, bound-1), bound, true)
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

// peeling removes edges by rising support.
type peeling struct {
	*task
	q                      *trussSearch
	o                      kernels.Oriented
	low                    []uint32 // lower end of each edge
	offsets, targets, lows buffer   // oriented
	rows, ends, edges      buffer   // undirected
	state, support         buffer
	counts                 counts
	queue, next, before    buffer
	list, kept             buffer // the edges that levels scan, where they are fewer than all; memory for the next list
	size, left             int    // edges scanned, edges left
}

// peel returns the edges of the graph among within that lie in its least-truss, with their trussness, or without rest with
// that k.
func (q *trussSearch) peel(within *pattern.CandidateSet, least uint32, rest bool) (*pattern.Trusses, error) {
	o := kernels.Orientation(q.s, q.r.Types)
	if within != nil {
		o = o.Induced(within)
	}
	p := &peeling{task: &task{d: q.d}, q: q, o: o, size: len(o.Targets), left: len(o.Targets)}
	defer p.end()
	if p.left == 0 {
		return &pattern.Trusses{}, nil
	}
	q.env.Tally.Units.Add(uint64(p.left))
	if err := p.upload(); err != nil {
		return nil, err
	}
	if err := p.countSupport(); err != nil {
		return nil, err
	}
	gone := 0
	if least > 2 { // all that is not in the least-truss goes at once
		removed, _, err := p.level(least - 3)
		if err != nil {
			return nil, err
		}
		gone = removed
	}
	if rest {
		if err := p.run(least - 2); err != nil {
			return nil, err
		}
	}
	return p.result(least, rest, gone)
}

// upload puts the graph on the device, both ways.
func (p *peeling) upload() error {
	n, m := len(p.o.Offsets)-1, len(p.o.Targets)
	rows := make([]uint64, n+1)
	p.low = make([]uint32, m)
	for u := range n {
		for e := p.o.Offsets[u]; e < p.o.Offsets[u+1]; e++ {
			p.low[e] = uint32(u)
			rows[u+1]++
			rows[p.o.Targets[e]+1]++
		}
	}
	for u := range n {
		rows[u+1] += rows[u]
	}
	ends, edges, at := make([]uint32, 2*m), make([]uint32, 2*m), append([]uint64(nil), rows[:n]...)
	put := func(u, v, e uint32) {
		ends[at[u]], edges[at[u]] = v, e
		at[u]++
	}
	for e, v := range p.o.Targets { // lower ends first, which come in order; then the higher ones
		put(v, p.low[e], uint32(e))
	}
	for e, v := range p.o.Targets {
		put(p.low[e], v, uint32(e))
	}
	var err error
	for _, x := range []struct {
		to   *buffer
		list []uint32
	}{{&p.targets, p.o.Targets}, {&p.lows, p.low}, {&p.ends, ends}, {&p.edges, edges}} {
		if *x.to, err = upload(p.task, x.list); err != nil {
			return err
		}
	}
	if p.offsets, err = upload(p.task, p.o.Offsets); err != nil {
		return err
	}
	if p.rows, err = upload(p.task, rows); err != nil {
		return err
	}
	for _, to := range []*buffer{&p.state, &p.support, &p.queue, &p.next, &p.before} {
		if *to, err = p.zeros(int64(m)); err != nil {
			return err
		}
	}
	p.counts, err = newCounts(p.task)
	return err
}

func (p *peeling) countSupport() error {
	roots := make([]uint32, 0, len(p.o.Offsets)-1)
	for r := range len(p.o.Offsets) - 1 {
		if p.o.Offsets[r+1]-p.o.Offsets[r] > 1 {
			roots = append(roots, uint32(r))
		}
	}
	list, err := upload(p.task, roots)
	if err != nil {
		return err
	}
	err = p.d.launch("truss_support", min((len(roots)+3)/4, 16*p.d.info.Multiprocessor), 128, 0, p.offsets.arg(), p.targets.arg(), list.arg(), 0,
		uint64(len(roots)), p.counts.arg(), p.d.stop.arg(), p.support.arg())
	if err != nil {
		return err
	}
	return p.d.wait("counting support")
}

// run removes all edges, level by level, beginning with this one.
func (p *peeling) run(level uint32) error {
	for p.left > 0 {
		removed, least, err := p.level(level)
		if err != nil {
			return err
		}
		if level++; removed == 0 && p.q.env.Uses(pattern.TrussLevels) {
			p.q.env.Took(pattern.TrussLevels, uint64(least-level))
			level = least
		}
		if p.left < p.size/2 && p.q.env.Uses(pattern.TrussCompact) {
			if err := p.shrink(); err != nil {
				return err
			}
		}
	}
	return nil
}

// level removes the edges whose support is at most level, and all that fall to it by that. least is the smallest support that
// was above it at first.
func (p *peeling) level(level uint32) (removed int, least uint32, err error) {
	if p.left == 0 {
		return 0, 0, nil
	}
	if err := p.counts.clear(); err != nil {
		return 0, 0, err
	}
	err = p.d.launch("truss_scan", p.d.grid(p.size, 256), 256, 0, p.list.arg(), uint64(p.size), p.state.arg(), p.support.arg(), uint64(level), p.queue.arg(), p.counts.arg())
	if err != nil {
		return 0, 0, err
	}
	counts, err := p.counts.read()
	if err != nil {
		return 0, 0, err
	}
	least = counts[1]
	for size, before := int(counts[0]), 0; size > 0 || before > 0; {
		err := p.d.launch("truss_turn", p.d.grid(max(size, before), 256), 256, 0, p.before.arg(), uint64(before), p.queue.arg(), uint64(size),
			p.state.arg(), p.support.arg(), uint64(level))
		if err != nil {
			return removed, least, err
		}
		removed += size
		p.left -= size
		p.q.env.Tally.UnitsDone.Add(uint64(size))
		next := 0
		switch {
		case size == 0:
		case p.left == 0 && p.q.env.Uses(pattern.TrussLast):
			p.q.env.Took(pattern.TrussLast, uint64(size))
		case level == 0 && p.q.env.Uses(pattern.TrussZero):
			p.q.env.Took(pattern.TrussZero, uint64(size))
		default:
			if next, err = p.round(level, size); err != nil {
				return removed, least, err
			}
		}
		p.before, p.queue, p.next = p.queue, p.next, p.before
		before, size = size, next
	}
	return removed, least, p.q.ctx.Err()
}

// shrink lists the edges that are left, for the next levels to scan.
func (p *peeling) shrink() (err error) {
	if p.kept.at == 0 {
		if p.kept, err = p.alloc(4 * int64(p.left)); err != nil {
			return err
		}
	}
	if err := p.counts.clear(); err != nil {
		return err
	}
	err = p.d.launch("truss_shrink", p.d.grid(p.size, 256), 256, 0, p.list.arg(), uint64(p.size), p.state.arg(), p.kept.arg(), p.counts.arg())
	p.q.env.Took(pattern.TrussCompact, uint64(p.size-p.left))
	p.list, p.kept, p.size = p.kept, p.list, p.left
	return err
}

func (p *peeling) round(level uint32, size int) (next int, err error) {
	if err := p.counts.clear(); err != nil {
		return 0, err
	}
	err = p.d.launch("truss_round", p.d.grid(size, 8), 256, 0, p.rows.arg(), p.ends.arg(), p.edges.arg(), p.lows.arg(), p.targets.arg(), p.state.arg(),
		p.support.arg(), uint64(level), p.queue.arg(), uint64(size), p.next.arg(), p.counts.arg())
	if err != nil {
		return 0, err
	}
	counts, err := p.counts.read()
	if err == nil {
		err = p.q.ctx.Err()
	}
	return int(counts[0]), err
}

// result lists the edges that were not removed at once. After run, the support of an edge is the level it left at.
func (p *peeling) result(least uint32, rest bool, gone int) (*pattern.Trusses, error) {
	m := len(p.o.Targets)
	state, support := make([]uint32, m), make([]uint32, m)
	if err := download(p.state, state); err != nil {
		return nil, err
	}
	if err := download(p.support, support); err != nil {
		return nil, err
	}
	out := &pattern.Trusses{}
	for e := range m {
		k := support[e] + 2
		if !rest {
			if state[e] != 0 {
				continue
			}
			k = least
		} else if k < least {
			continue
		}
		u, v := p.o.Vertex[p.low[e]], p.o.Vertex[p.o.Targets[e]]
		out.Source, out.Target, out.Truss = append(out.Source, min(u, v)), append(out.Target, max(u, v)), append(out.Truss, k)
		out.KMax = max(out.KMax, k)
	}
	if len(out.Source) != m-gone {
		return nil, errLost
	}
	return out, nil
}
