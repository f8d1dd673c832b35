//go:build cuda && cgo && linux

package cuda

import (
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// lists makes rows.
func (h *homs) lists(i int) (*homRows, error) {
	if h.rows[i] != nil {
		return h.rows[i], nil
	}
	plan := &h.p.Rows[i]
	r, err := h.cut(plan)
	if err == nil && len(plan.Tips) > 0 {
		r, err = h.bear(plan, r)
	}
	h.rows[i] = r
	return r, err
}

// asViewed reports whether rows are a view as it is, but for their tips.
func asViewed(r *hom.Rows, sets []*pattern.CandidateSet) bool {
	return sets[r.From] == nil && sets[r.To] == nil && simple(r)
}

// simple reports whether whoever is a neighbour in the view weighs 1.
func simple(r *hom.Rows) bool {
	f := &r.Factors[0]
	return len(r.Factors) == 1 && f.Unit() && (f.Loops || f.View.Loops == 0)
}

// cut makes rows of a view, cut down to what their sets and factors leave.
func (h *homs) cut(r *hom.Rows) (*homRows, error) {
	f := &r.Factors[0]
	view, err := adjacencyOf(h.task, h.s, f.Types, f.Direction)
	if err != nil {
		return nil, err
	}
	if asViewed(r, h.p.Sets) {
		return &homRows{offsets: view.offsets, targets: view.targets, edges: uint64(view.edges)}, nil
	}
	factors, weighted, err := h.factors(r)
	if err != nil {
		return nil, err
	}
	from, to := h.sets[r.From], h.sets[r.To]
	cut, err := (&candidateView{view: view, rows: from.n, list: from.list, to: to.bits, ranks: to.ranks, factors: factors, weights: weighted, beyond: h.beyond}).cut(h.task)
	out := &homRows{offsets: cut.offsets, targets: cut.targets, weights: cut.weights, edges: cut.edges}
	if err != nil || !weighted {
		return out, err
	}
	out.lengths, err = h.zeros(2 * int64(from.n))
	if err != nil {
		return nil, err
	}
	return out, h.along(out, from.n, buffer{}, buffer{}, out.lengths)
}

// along adds to out, by row, what lies along it (homs_sums in homs_weights.cu).
func (h *homs) along(r *homRows, rows int, child, next, out buffer) error {
	const warps = 8
	return h.d.launch("homs_sums", int((r.edges+warps*viewPart-1)/(warps*viewPart)), 32*warps, 0, r.offsets.arg(), uint64(rows), r.targets.arg(), r.weights.arg(),
		child.arg(), next.arg(), out.arg(), h.beyond.arg())
}

// factors puts on the device what pairs weigh (FACTOR_ in join_slices.cu), and reports whether that is not always 1; nothing, if it
// is so, and whoever is a neighbour stays.
func (h *homs) factors(r *hom.Rows) (on buffer, weighted bool, err error) {
	if simple(r) {
		return buffer{}, false, nil
	}
	words := []uint64{uint64(len(r.Factors))}
	for i := range r.Factors {
		f := &r.Factors[i]
		view, err := adjacencyOf(h.task, h.s, f.Types, f.Direction)
		if err != nil {
			return on, false, err
		}
		counts := buffer{}
		if f.View.Counts != nil {
			if counts, err = countsOf(h.task, h.s, f.Types, f.Direction); err != nil {
				return on, false, err
			}
		}
		loops := uint64(0)
		if f.Loops {
			loops = 1
		}
		words = append(words, uint64(6+len(f.Falls)), view.offsets.arg(), view.targets.arg(), counts.arg(), loops, uint64(len(f.Falls)))
		for _, k := range f.Falls {
			words = append(words, uint64(k))
		}
		weighted = weighted || !f.Unit()
	}
	on, err = upload(h.task, words)
	return on, weighted, err
}

// triangles finds an out that is the number of triangles at each vertex, twice.
func (h *homs) triangles(o *hom.Output, out *homOut) error {
	g, err := rankedOf(h.task, h.s, *o.Fan)
	if err != nil {
		return err
	}
	q := &triangleCount{task: h.task, env: h.env, g: g, part: whole}
	if q.sums, err = h.zeros(4); err != nil {
		return err
	}
	if !o.Keep && (o.Own < 0 || len(h.p.Weights[o.Own].Parts) == 0) { // each has six orders
		if err := q.count(); err != nil {
			return err
		}
		if err := h.fits(); err != nil {
			return err
		}
		var total [1]uint64
		if err := download(q.sums, total[:]); err != nil {
			return err
		}
		out.sum, err = pattern.Count(total[0]).Mul(6)
		return err
	}
	if q.by, err = h.zeros(2 * int64(g.vertices)); err != nil {
		return err
	}
	if err := q.count(); err != nil {
		return err
	}
	n := int(h.s.N())
	if out.each, err = h.alloc(8 * int64(n)); err != nil {
		return err
	}
	if err := h.times(out.each, buffer{}, 2, n); err != nil {
		return err
	}
	if err := h.times(out.each, q.by, 0, n); err != nil {
		return err
	}
	own, err := h.weight(o.Own)
	if err != nil {
		return err
	}
	if out.sum, err = h.sum(out.each, own.each, n); err != nil {
		return err
	}
	return h.fits()
}
