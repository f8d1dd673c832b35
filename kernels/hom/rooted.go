package hom

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Rooted is a graph whose homomorphisms are counted by the value of one vertex, the root.
type Rooted struct {
	weight  *weightPlan // by value of the root; in portions, for the values of the last portion
	product []int       // slots of the other components
	factor  pattern.Count128
	counter *Counter
}

// AddRooted adds g for its numbers by value of vertex root. It returns nil if the counter cannot count it.
func (h *Counter) AddRooted(g Graph, root int) *Rooted {
	x := h.shape(g, root)
	product, ok := x.product()
	if !ok {
		return nil
	}
	clear(x.alive)
	x.mark(root, make([]bool, len(g.Sets)))
	weight, ok := x.rooted()
	if !ok {
		return nil
	}
	h.cost += h.takeStatic(weight) + h.size(weight.set)
	r := &Rooted{weight: weight, product: product, counter: h}
	h.rooted = append(h.rooted, r)
	return r
}

// root computes the numbers of the rooted graphs.
func (r *execution) root() (err error) {
	if r.portion.byRoot() {
		return rootPortion(r)
	}
	sums := r.sums()
	for _, g := range r.rooted {
		if err := r.ready(g.weight); err != nil {
			return err
		}
		if g.factor, err = productOf(sums, g.product); err != nil {
			return err
		}
	}
	return nil
}

// rooted plans the component of the root and returns the root's weight.
func (x *shape) rooted() (*weightPlan, bool) {
	for {
		x.strip()
		left := x.living()
		if len(left) == 1 {
			return rootWeight(x.h, x.sets[x.root], x.parts[x.root]), true
		}
		if x.dropTip(left) {
			continue
		}
		block, joint := x.leafBlock(left)
		if block == nil {
			block, joint = left, x.root
		}
		if !x.fold(block, joint) {
			return nil, false
		}
	}
}

// fold turns the block into a weight of the joint.
func (x *shape) fold(block []int, joint int) bool {
	key, out, ok := x.h.plan(x, block, true, false, []int{joint})
	if !ok {
		return false
	}
	x.parts[joint] = append(x.parts[joint], partPlan{key: "[" + key + "]", block: out, stage: x.h.stageOf(out) + 1})
	for _, v := range block {
		x.alive[v] = v == joint
	}
	return true
}

// At returns the number of homomorphisms that map the root to v, after Count.
func (r *Rooted) At(v csr.VertexID) (pattern.Count128, error) {
	n := r.factor
	if !r.counter.in(r.weight.set, v) {
		return pattern.Count128{}, nil
	}
	if n.Hi != 0 {
		return n, pattern.ErrOverflow
	}
	return n.Mul(r.weight.at(v))
}

// Bytes estimates the memory that Count of h will hold: numbers by vertex, lists that are no view's, and the arrays of a worker for each pass.
func Bytes(h *Counter) (bytes float64) {
	array := 8 * float64(h.s.N())
	for _, w := range h.statics {
		if w.inUse && len(w.parts) > 0 {
			bytes += array
		}
	}
	for _, r := range h.rowsOf {
		if r.inUse && !r.plain(h) {
			bytes += 12*r.edges + 8*h.size(r.from)
			if len(r.tips) > 0 {
				bytes += 24 * r.edges // the numbers of a tip, from both ends
			}
		}
	}
	for _, p := range h.inOrder() {
		for _, o := range p.outs {
			if o.keep {
				bytes += array
			}
		}
		bytes += 1.5 * array * float64(len(p.accs))
		for _, n := range p.nodes {
			if n.dense {
				bytes += array
			}
		}
	}
	return bytes
}
