//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// tipNumbers are the numbers of a tip by entry, of 8 or of 4 bytes: one is the zero buffer.
type tipNumbers struct{ wide, narrow buffer }

// bear multiplies the weights of rows by the numbers of their tips, and drops the entries that weigh 0.
func (h *homs) bear(plan *hom.Rows, r *homRows) (*homRows, error) {
	t := &task{d: h.d} // of what is not needed longer
	defer t.end()
	rows := h.sets[plan.From].n
	words := int64(r.edges+31) / 32
	bits, err := t.zeros(words + 1)
	if err != nil {
		return nil, err
	}
	weights, err := t.alloc(8 * int64(r.edges))
	if err != nil {
		return nil, err
	}
	before := r.weights
	for i := 0; i < len(plan.Tips); {
		power := i + 1
		for power < len(plan.Tips) && plan.Tips[power] == plan.Tips[i] {
			power++
		}
		x, err := h.tip(t, plan, r, &plan.Tips[i])
		if err != nil {
			return nil, err
		}
		err = h.d.launch("homs_bear", h.d.grid(int(r.edges), 1024), 256, 0, r.edges, before.arg(), x.wide.arg(), x.narrow.arg(), uint64(power-i), weights.arg(), bits.arg(),
			h.beyond.arg())
		if err != nil {
			return nil, err
		}
		before, i = weights, power
	}
	ranks, left, err := t.scanBits(bits, words)
	if err != nil {
		return nil, err
	}
	out := &homRows{edges: left}
	for _, x := range []struct {
		to    *buffer
		bytes int64
	}{{&out.offsets, 8 * int64(rows+1)}, {&out.targets, 4 * int64(left)}, {&out.weights, 8 * int64(left)}} {
		if *x.to, err = h.alloc(x.bytes); err != nil {
			return nil, err
		}
	}
	err = h.d.launch("homs_keep", h.d.grid(max(int(r.edges), rows+1), 1024), 256, 0, r.offsets.arg(), uint64(rows), r.targets.arg(), weights.arg(), r.edges, bits.arg(),
		ranks.arg(), out.offsets.arg(), out.targets.arg(), out.weights.arg())
	if err != nil {
		return nil, err
	}
	h.env.Took(pattern.EdgeSupports, 1)
	if out.lengths, err = h.zeros(2 * int64(rows)); err != nil {
		return nil, err
	}
	return out, h.along(out, rows, buffer{}, buffer{}, out.lengths)
}

// tip finds the numbers of a tip.
func (h *homs) tip(t *task, plan *hom.Rows, r *homRows, tip *hom.Tip) (x tipNumbers, err error) {
	if h.triangular(plan, tip) {
		x.narrow, err = supportsOf(h.task, h.ctx, h.s, plan.Factors[0].Types)
		return x, err
	}
	near, err := h.lists(tip.Near)
	if err != nil {
		return x, err
	}
	far, err := h.lists(tip.Far)
	if err != nil {
		return x, err
	}
	own, err := h.weight(tip.Own)
	if err != nil {
		return x, err
	}
	if x.wide, err = t.zeros(2 * int64(r.edges)); err != nil {
		return x, err
	}
	return x, h.d.launch("homs_tips", int((r.edges+8*viewPart-1)/(8*viewPart)), 256, 0, r.offsets.arg(), uint64(h.sets[plan.From].n), r.targets.arg(), near.offsets.arg(),
		near.targets.arg(), near.weights.arg(), far.offsets.arg(), far.targets.arg(), far.weights.arg(), own.each.arg(), x.wide.arg(), h.d.stop.arg(), h.beyond.arg())
}

// triangular reports whether the number of a tip is that of the triangles at a pair, in a simple view as it is.
func (h *homs) triangular(plan *hom.Rows, tip *hom.Tip) bool {
	types := typesName(plan.Factors[0].Types)
	for _, r := range []*hom.Rows{plan, &h.p.Rows[tip.Near], &h.p.Rows[tip.Far]} {
		f := &r.Factors[0]
		if r != plan && len(r.Tips) > 0 || !asViewed(r, h.p.Sets) || f.Direction != csr.Both || f.View.Loops > 0 || typesName(f.Types) != types {
			return false
		}
	}
	return len(h.p.Weights[tip.Own].Parts) == 0
}

// supportsOf returns the triangles at each entry of a view in both directions without loops, which stay.
func supportsOf(t *task, ctx context.Context, s *csr.Snapshot, types csr.TypeSet) (buffer, error) {
	return keep(t, s, "supports "+typesName(types), func(up *task) (buffer, error) {
		own := &task{d: t.d}
		defer own.end()
		a, err := adjacencyOf(t, s, types, csr.Both)
		if err != nil {
			return buffer{}, err
		}
		g, err := induced(own, a, nil)
		if err != nil {
			return buffer{}, err
		}
		support, err := own.zeros(g.edges)
		if err != nil {
			return buffer{}, err
		}
		if err := g.supports(own, support); err != nil {
			return buffer{}, err
		}
		each, err := up.alloc(4 * a.edges)
		if err != nil {
			return buffer{}, err
		}
		err = t.d.launch("homs_supports", t.d.grid(int(a.edges), 1024), 256, 0, g.numbers.arg(), uint64(a.edges), support.arg(), each.arg())
		if err != nil {
			return buffer{}, err
		}
		if err := t.d.wait("counting the triangles at each edge"); err != nil {
			return buffer{}, err
		}
		return each, ctx.Err() // what was stopped does not stay
	})
}
