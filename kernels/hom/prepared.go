package hom

import (
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/cyclic"
	"github.com/motifql/motif/kernels/triangle"
)

// Counters of several goroutines that count portions of the same graphs. All portions need the same lists, weights and numbers of whole passes. One
// counter makes them, in a portion without values, and the others adopt them. Each has its own arrays for the work itself.

// Prepared is what all portions of a counter need. Nobody writes to it any more.
type Prepared struct {
	plan    string // as Describe has it
	rows    map[string]rowsPlan
	weights map[string]weightPlan
	numbers map[numberKey]outputPlan
	ranks   *ranking
	fans    []*pattern.Clique
	cyclic  map[int]*cyclic.Portions
	held    int64 // bytes
}

// numberKey names a number by its pass and its own key there.
type numberKey struct{ pass, number string }

// PreparedBy returns what h has prepared, whose only Count so far was divided and had no values.
func PreparedBy(h *Counter) *Prepared {
	p := &Prepared{plan: Describe(h), rows: map[string]rowsPlan{}, weights: map[string]weightPlan{}, numbers: map[numberKey]outputPlan{},
		ranks: h.ranks, cyclic: map[int]*cyclic.Portions{}, held: h.portion.held}
	for key, r := range h.rowsOf {
		if r.ready {
			p.rows[key] = *r
		}
	}
	for key, w := range h.statics {
		if w.ready {
			p.weights[key] = *w
		}
	}
	for _, q := range h.passes {
		for key, o := range q.outOf {
			if h.portion.roots && !o.last || !h.portion.roots && o.done && q.whole(o) {
				p.numbers[numberKey{q.key, key}] = *o
			}
		}
	}
	for i, x := range h.portion.cyclic {
		p.cyclic[i] = x
	}
	for _, c := range h.portion.fans {
		p.fans = append(p.fans, triangle.Beside(c))
	}
	return p
}

// Adopt has h use what another counter of the same graphs has prepared. h is divided in the same way and has counted nothing yet. Each Count of h
// is charged as if h had prepared it. Adopt reports false, and changes nothing, if the two have different plans.
func Adopt(h *Counter, p *Prepared) bool {
	if Describe(h) != p.plan {
		return false
	}
	for key, r := range h.rowsOf {
		if x, ok := p.rows[key]; ok {
			r.ready, r.lo, r.offsets, r.targets, r.weights, r.lengths, r.heaviest, r.byRank = true, x.lo, x.offsets, x.targets, x.weights, x.lengths, x.heaviest, x.byRank
		}
	}
	for key, w := range h.statics {
		if x, ok := p.weights[key]; ok {
			w.ready, w.each, w.most = true, x.each, x.most
		}
	}
	for _, q := range h.passes {
		for key, o := range q.outOf {
			if x, ok := p.numbers[numberKey{q.key, key}]; ok {
				o.done, o.each, o.total = true, x.each, x.total
			}
		}
	}
	h.ranks, h.portion.held, h.portion.fresh = p.ranks, p.held, false
	for _, c := range p.fans {
		h.portion.fans = append(h.portion.fans, triangle.Beside(c))
	}
	h.portion.cyclic = map[int]*cyclic.Portions{}
	for i, x := range p.cyclic {
		h.portion.cyclic[i] = x.Beside()
	}
	return true
}

// Fresh reports whether h, which is divided, has not counted yet, nor adopted what another counter has prepared.
func Fresh(h *Counter) bool { return h.portion.fresh }
