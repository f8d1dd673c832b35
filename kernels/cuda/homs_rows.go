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
