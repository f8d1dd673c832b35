//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// CountHoms is h.Count: with CountCliques it makes a device a join.Counter. It fails with pattern.ErrOverflow if a number on the way
// does not fit 64 bits or a result 128.
func (d *Device) CountHoms(ctx context.Context, s *csr.Snapshot, h *hom.Counter, env *pattern.Env) ([]pattern.Count128, error) {
	return h.CountBy(func(p *hom.Program) ([]pattern.Count128, error) { return homSums(ctx, d, s, p, env, whole) })
}

// homSums finds the program's sums over a part of the pivots. Those of weights, which take no time, are the first part's.
func homSums(ctx context.Context, d *Device, s *csr.Snapshot, p *hom.Program, env *pattern.Env, of part) (sums []pattern.Count128, err error) {
	err = d.run(ctx, func(t *task) error {
		h := &homs{task: t, ctx: ctx, s: s, p: p, env: env, part: of}
		if err := h.prepare(); err != nil {
			return err
		}
		for i := range p.Passes {
			if err := h.pass(i); err != nil {
				return err
			}
		}
		var err error
		sums, err = h.answers()
		return err
	})
	return sums, err
}

// homs is a program at work. Vertices are named by their places in the sets.
type homs struct {
	*task
	ctx     context.Context
	s       *csr.Snapshot
	p       *hom.Program
	env     *pattern.Env
	part    part // of the pivots
	sets    []placed
	rows    []*homRows
	weights []*homWeight
	outs    [][]homOut // by pass
	beyond  buffer     // a word: some number did not fit
	taken   buffer     // rows gone through by a lane, and by a block
	classes uint64
}

// placed is a set on the device: its vertices, its bitmap, and how many of them lie before each word of that; nothing, for all vertices.
type placed struct {
	n                 int
	list, bits, ranks buffer
}

// homRows are lists of places; there are weights unless all are 1, and then their sums by list.
type homRows struct {
	offsets, targets, weights, lengths buffer
	edges                              uint64
}

// homWeight is 8 bytes for each place; none: 1 for all.
type homWeight struct{ each buffer }

// homOut is what a pass has found: a sum of two words, and numbers by place that are kept.
type homOut struct {
	sum  pattern.Count128
	each buffer
}

// prepare puts the sets on the device.
func (h *homs) prepare() (err error) {
	h.rows, h.weights, h.outs = make([]*homRows, len(h.p.Rows)), make([]*homWeight, len(h.p.Weights)), make([][]homOut, len(h.p.Passes))
	if h.env.Uses(pattern.JoinClasses) {
		h.classes = 1
	}
	if h.beyond, err = h.zeros(1); err != nil {
		return err
	}
	if h.taken, err = h.zeros(4); err != nil {
		return err
	}
	for _, c := range h.p.Sets {
		set, err := h.place(c)
		if err != nil {
			return err
		}
		h.sets = append(h.sets, set)
	}
	return nil
}

// place puts a set on the device.
func (h *homs) place(c *pattern.CandidateSet) (set placed, err error) {
	if c == nil {
		return placed{n: int(h.s.N())}, nil
	}
	set.n = c.Len()
	if set.list, err = upload(h.task, c.List()); err != nil {
		return set, err
	}
	words := c.Bits()
	if set.bits, err = upload(h.task, words); err != nil {
		return set, err
	}
	ranks, err := h.alloc(8 * (2*int64(len(words)) + 1))
	if err != nil {
		return set, err
	}
	set.ranks = ranks
	scan, err := newScan(h.task, 2*int64(len(words)))
	if err != nil {
		return set, err
	}
	return set, scan.sum(set.bits, 2*int64(len(words)), true, ranks, buffer{})
}

// fits fails if some number did not fit. It waits for what was launched.
func (h *homs) fits() error {
	if err := h.d.wait("sums along neighbour lists"); err != nil { // a copy would keep others from stopping the kernel
		return err
	}
	if err := h.ctx.Err(); err != nil {
		return err
	}
	var beyond [1]uint32
	if err := download(h.beyond, beyond[:]); err != nil {
		return err
	}
	if beyond[0] != 0 {
		return pattern.ErrOverflow
	}
	return nil
}

// answers returns the program's sums.
func (h *homs) answers() ([]pattern.Count128, error) {
	sums := make([]pattern.Count128, len(h.p.Sums))
	for i, s := range h.p.Sums {
		if s.Weight < 0 {
			sums[i] = h.outs[s.Pass][s.Out].sum
			continue
		}
		if h.part.at > 0 {
			continue
		}
		set := h.sets[h.p.Weights[s.Weight].Set]
		w, err := h.weight(s.Weight)
		if err != nil {
			return nil, err
		}
		if w.each.at == 0 {
			sums[i] = pattern.Count(uint64(set.n))
			continue
		}
		if sums[i], err = h.sum(w.each, buffer{}, set.n); err != nil {
			return nil, err
		}
	}
	if err := h.fits(); err != nil {
		return nil, err
	}
	var by [2]uint64
	err := download(h.taken, by[:])
	h.env.Took(pattern.JoinClasses, by[0]+by[1])
	return sums, err
}

// sum adds up n numbers, each times another one if there are those.
func (h *homs) sum(each, by buffer, n int) (total pattern.Count128, err error) {
	on, err := h.zeros(4)
	if err != nil {
		return total, err
	}
	if err := h.d.launch("homs_sum", h.d.grid(n, 256), 256, 0, each.arg(), by.arg(), uint64(n), on.arg()); err != nil {
		return total, err
	}
	var words [2]uint64
	err = download(on, words[:])
	return pattern.Count128{Lo: words[0], Hi: words[1]}, err
}

// weight makes a weight.
func (h *homs) weight(i int) (*homWeight, error) {
	if h.weights[i] != nil {
		return h.weights[i], nil
	}
	w, n := &homWeight{}, h.sets[h.p.Weights[i].Set].n
	h.weights[i] = w
	for k := range h.p.Weights[i].Parts {
		if k == 0 {
			var err error
			if w.each, err = h.alloc(8 * int64(n)); err != nil {
				return nil, err
			}
			if err := h.times(w.each, buffer{}, 1, n); err != nil {
				return nil, err
			}
		}
		if err := h.multiply(w, n, &h.p.Weights[i].Parts[k], h.p.Weights[i].Set); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// times multiplies n weights by others, or makes them some number.
func (h *homs) times(each, by buffer, number uint64, n int) error {
	return h.d.launch("homs_times", h.d.grid(n, 256), 256, 0, each.arg(), by.arg(), number, uint64(n), h.beyond.arg())
}

// multiply multiplies a weight by a part.
func (h *homs) multiply(w *homWeight, n int, p *hom.Part, set int) error {
	switch {
	case p.Loops != nil:
		by, err := h.loops(p.Loops, set)
		if err != nil {
			return err
		}
		return h.times(w.each, by, 0, n)
	case p.Pass >= 0:
		return h.times(w.each, h.outs[p.Pass][p.Out].each, 0, n)
	}
	rows, err := h.lists(p.Rows)
	if err != nil {
		return err
	}
	child, err := h.weight(p.Child)
	if err != nil {
		return err
	}
	t := &task{d: h.d} // of what is not needed longer
	defer t.end()
	sums, err := t.zeros(2 * int64(n))
	if err != nil {
		return err
	}
	if err := h.along(rows, n, child.each, buffer{}, sums); err != nil {
		return err
	}
	return h.times(w.each, sums, 0, n)
}

// loops is what the loops of a set's vertices weigh: there are few, so that the host finds them.
func (h *homs) loops(f *pattern.Factor, set int) (buffer, error) {
	view, c := h.s.Adjacency(f.Types, csr.Out), h.p.Sets[set]
	each := make([]uint64, h.sets[set].n)
	for i := range each {
		v := csr.VertexID(i)
		if c != nil {
			v = c.List()[i]
		}
		var err error
		if each[i], err = f.Weight(uint64(view.Count(v, v))); err != nil {
			return buffer{}, err
		}
		if i&4095 == 4095 && h.ctx.Err() != nil {
			return buffer{}, h.ctx.Err()
		}
	}
	return upload(h.task, each)
}
