package hom

import (
	"math/bits"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// Rooted graphs in portions. What all values of a root need is computed once: the weights and the numbers of passes below it. A portion
// then computes the last step alone, for some values of the roots: the passes whose numbers only roots have, and the weights of the roots
// themselves. The numbers of one value are complete, so portions need not be added up.

// DivideRoots limits the next Count of h, which has rooted graphs alone, to the values [lo, hi) of the roots. At until, unless that is
// zero, it may end at another value, after one at least, and Counted tells where. An empty range computes what all values need.
func DivideRoots(h *Counter, lo, hi csr.VertexID, until time.Time) {
	if h.portion == nil {
		h.portion = &portion{roots: true, fresh: true}
		markLast(h)
	}
	h.portion.lo, h.portion.hi, h.portion.until, h.portion.least = lo, hi, until, 0
}

// byRoot reports whether the values of p are those of roots.
func (p *portion) byRoot() bool { return p != nil && p.roots }

// lasts reports whether the portion runs pass q now for its own values of the roots.
func (p *portion) lasts(q *passPlan) bool { return p.byRoot() && p.ready && q.last }

// markLast finds the numbers from arrays that only roots need. Plans that were tried may have left weights that nobody reads, which count here as
// readers.
func markLast(h *Counter) {
	for _, p := range h.passes {
		for _, o := range p.outs {
			o.last = p.second == nil && o.arrays() && o.keep && !readWider(h, o)
			p.last = p.last || o.last
		}
	}
}

// readWider reports whether a weight that not only roots have has the numbers of o.
func readWider(h *Counter, o *outputPlan) bool {
	for _, w := range h.statics {
		if w.wider && slices.ContainsFunc(w.parts, func(p partPlan) bool { return p.block == o }) {
			return true
		}
	}
	return false
}

// rootPortion computes the numbers of the rooted graphs for the portion.
func rootPortion(r *execution) error {
	p := r.portion
	if !p.ready {
		if err := prepareRoots(r); err != nil {
			return err
		}
		p.ready = true
	}
	if p.lo >= p.hi {
		return nil
	}
	for _, q := range r.inOrder() {
		if q.last {
			if err := r.pass(q); err != nil {
				return err
			}
		}
	}
	done := map[*weightPlan]bool{}
	for _, g := range r.rooted {
		if w := g.weight; !w.wider && !done[w] {
			done[w] = true
			if err := weighPortion(r, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepareRoots computes what the weights of the roots are made of, and the weights that something else has, too.
func prepareRoots(r *execution) (err error) {
	sums := r.sums()
	for _, g := range r.rooted {
		w := g.weight
		if g.factor, err = productOf(sums, g.product); err != nil {
			return err
		}
		if w.wider {
			err = r.ready(w)
		} else if w.each == nil && len(w.parts) > 0 {
			if err = r.charge(8 * int(r.s.N())); err == nil {
				w.each = hugepages.Make[uint64](r.s.N())
			}
			for i := range w.parts {
				if err == nil {
					_, _, err = r.part(&w.parts[i])
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// weighPortion computes the weights of a root for the values of the portion.
func weighPortion(r *execution, w *weightPlan) error {
	for i := range w.parts {
		part, _, err := r.part(&w.parts[i])
		if err != nil {
			return err
		}
		value := part()
		for v := range r.valuesIn(w.set, r.portion.lo, r.portion.hi) {
			x, err := value(v)
			if err != nil {
				return err
			}
			if i > 0 {
				var over uint64
				if over, x = bits.Mul64(w.each[v], x); over != 0 {
					return pattern.ErrOverflow
				}
			}
			if w.each[v] = x; v%1024 == 0 && r.stop.Load() {
				return r.ctx.Err()
			}
		}
	}
	return nil
}

// makeNumbers makes room for the numbers of o. A portion of roots uses the room of the one before.
func makeNumbers(r *execution, p *passPlan, o *outputPlan) error {
	if r.portion.lasts(p) && o.each != nil {
		clear(o.each[min(uint64(r.portion.lo), r.s.N()):min(uint64(r.portion.hi), r.s.N())])
		return nil
	}
	if err := r.charge(8 * int(r.s.N())); err != nil {
		return err
	}
	o.each = hugepages.Make[uint64](r.s.N())
	return nil
}
