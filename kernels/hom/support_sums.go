package hom

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/hugepages"
	"github.com/motifql/motif/internal/pattern"
)

// Sums over supports in portions. Where only sums read the supports of some pairs, a portion finds those of its own vertices' pairs, and keeps none.
// Otherwise every process that counts portions would find all supports first. Such sums count triangles with parallel relationships, directions
// or labels, with or without something more at their vertices. Input: lists of the pairs without the tip, and what supportSweep reads. What makes
// it fast: if both ends list a pair, the end whose neighbour has the shorter list finds its number. If both see the same number, it adds up for both.

// supportSums adds up sums that read the same pairs.
type supportSums struct {
	tip   *tip
	bare  *rowsPlan // the pairs without the tip
	of    []supportSum
	marks []uint64
}

// supportSum is the sum of one slot: over v and its pairs v, z, the weight of v times that of z, of the pair and of its tips.
type supportSum struct {
	slot  int
	rest  *weightPlan // of v, without the pairs
	child *weightPlan // of z
}

// halfSweep finds the numbers of some pairs v, z from v. They are summed up as pairs of v, of z, or of both.
type halfSweep struct {
	*supportSweep
	forth, back bool
}

// findSupportSums finds the sums whose pairs nothing else reads.
func findSupportSums(h *Counter) (all []*supportSums) {
	sums, byRows := map[*weightPlan]bool{}, map[*rowsPlan]*supportSums{}
	for i := range h.slots {
		if w := h.slots[i].static; w != nil && w.stage == 0 && tippedPart(w) >= 0 {
			sums[w] = true
		}
	}
	read := readRows(h, sums)
	for i := range h.slots {
		w := h.slots[i].static
		if !sums[w] {
			continue
		}
		at := tippedPart(w)
		p := w.parts[at]
		if slices.Contains(read, p.rows) {
			continue
		}
		x := byRows[p.rows]
		if x == nil {
			x = &supportSums{tip: &p.rows.tips[0], bare: bareRows(h, p.rows)}
			byRows[p.rows], all = x, append(all, x)
		}
		rest := slices.Delete(slices.Clone(w.parts), at, at+1)
		x.of = append(x.of, supportSum{i, h.static(w.set, rest), p.child})
		h.slots[i].byPair = true
	}
	return all
}

// tippedPart returns the place of the only part of w whose pairs have tips, if that is one; -1: none.
func tippedPart(w *weightPlan) (at int) {
	at = -1
	for i := range w.parts {
		p := &w.parts[i]
		if p.rows == nil || len(p.rows.tips) == 0 {
			continue
		}
		if at >= 0 || len(p.rows.tips) > 1 {
			return -1
		}
		at = i
	}
	return at
}

// bareRows returns rows without its tip.
func bareRows(h *Counter, rows *rowsPlan) *rowsPlan {
	key := strings.TrimSuffix(rows.key, rows.tips[0].key)
	if h.rowsOf[key] == nil {
		h.rowsOf[key] = &rowsPlan{key: key, from: rows.from, to: rows.to, factors: rows.factors}
	}
	return h.rowsOf[key]
}

// readRows lists the lists that the plan reads, but for some weights.
func readRows(h *Counter, but map[*weightPlan]bool) (all []*rowsPlan) {
	for _, w := range h.statics {
		for i := range w.parts {
			if w.inUse && !but[w] {
				all = append(all, w.parts[i].rows)
			}
		}
	}
	for _, r := range h.rowsOf {
		for i := range r.tips {
			if r.inUse {
				all = append(all, r.tips[i].near, r.tips[i].far)
			}
		}
	}
	for _, p := range h.inOrder() {
		all = append(all, p.second)
		for _, n := range p.nodes {
			all = append(all, n.rows, n.also)
			for i := range n.feeds {
				all = append(all, n.feeds[i].rows)
			}
		}
		for _, a := range p.accs {
			all = append(all, a.rows)
		}
		for _, o := range p.outs {
			if o.cycle == nil {
				continue
			}
			for i := range o.cycle.passes {
				for _, a := range o.cycle.passes[i].arms {
					all = append(all, a.first, a.second)
				}
			}
		}
	}
	return all
}

// supportPortions adds up the portion of all sums over supports.
func supportPortions(r *execution) error {
	if !r.divides() {
		return nil
	}
	for _, x := range r.portion.sums {
		err := x.prepare(r)
		if err == nil {
			err = x.count(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare makes what all portions need.
func (x *supportSums) prepare(r *execution) error {
	t := x.tip
	if !x.bare.ready {
		r.env.Took(pattern.EdgeSupports, 1)
	}
	for _, rows := range []*rowsPlan{x.bare, t.near, t.far} {
		if err := r.build(rows); err != nil {
			return err
		}
	}
	if err := r.ready(t.own); err != nil {
		return err
	}
	for _, s := range x.of {
		for _, w := range []*weightPlan{s.rest, s.child} {
			if err := r.ready(w); err != nil {
				return err
			}
		}
		r.slots[s.slot].value = pattern.Count128{}
	}
	if x.marks == nil && r.portion.lo < r.portion.hi {
		x.marks = hugepages.Make[uint64](r.s.N())
		return r.charge(8 * len(x.marks))
	}
	return nil
}

// sweeps returns sweeps that together find the number of every pair once, as execution.number does.
func (x *supportSums) sweeps(r *execution) []halfSweep {
	t := x.tip
	one := &supportSweep{execution: r, rows: x.bare, near: t.near, far: t.far, own: t.own, ties: always, search: !t.mirror}
	switch {
	case !t.mirror:
		return []halfSweep{{one, true, false}}
	case t.equal:
		one.ties = fromLarger
		return []halfSweep{{one, true, true}}
	}
	other := *one
	other.near, other.far, other.ties = t.far, t.near, never
	return []halfSweep{{one, true, false}, {&other, false, true}}
}

// count adds up what the vertices of the portion have.
func (x *supportSums) count(r *execution) error {
	part, set, sweeps := r.portion, r.sets[x.bare.from], x.sweeps(r)
	for v := part.lo; v < part.hi; v++ {
		if v > part.lo && part.mayEnd() && r.late.Load() && v >= part.least {
			part.end(v-1, v)
			return nil
		}
		if r.stop.Load() {
			return r.ctx.Err()
		}
		if set != nil && !set.Has(v) { // a view's lists go beyond the set
			continue
		}
		for _, p := range sweeps {
			if err := x.vertex(p, v); err != nil {
				return err
			}
		}
	}
	if part.mayEnd() && part.lo < part.hi {
		part.end(part.hi-1, part.hi)
	}
	return nil
}

// vertex adds up the pairs of v whose number is found from there.
func (x *supportSums) vertex(p halfSweep, v csr.VertexID) error {
	from, to := p.rows.list(v)
	if from == to {
		return nil
	}
	lo, hi := p.near.list(v)
	if over := p.mark(v, x.marks); over != 0 {
		return pattern.ErrOverflow
	}
	for i := from; i < to; i++ {
		z := p.rows.targets[i]
		n, ok := p.numberOf(v, z, lo, hi, x.marks)
		if !ok || n == 0 {
			continue
		}
		each, err := pattern.Count(n), error(nil)
		if p.rows.weights != nil {
			each, err = each.Mul(p.rows.weights[i])
		}
		for k := range x.of {
			s := &x.of[k]
			if err == nil && p.forth {
				err = s.add(p.execution, v, z, each)
			}
			if err == nil && p.back && !(p.forth && v == z) {
				err = s.add(p.execution, z, v, each)
			}
		}
		if err != nil {
			return err
		}
	}
	p.unmark(v, x.marks)
	return nil
}

// add adds n times the weights of v and z.
func (s *supportSum) add(r *execution, v, z csr.VertexID, n pattern.Count128) error {
	n, err := n.Mul(s.rest.at(v))
	if err == nil {
		n, err = n.Mul(s.child.at(z))
	}
	if err == nil {
		of := &r.slots[s.slot].value
		*of, err = of.Add(n)
	}
	return err
}
