package hom

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// The plan of a cycle of four. Every homomorphism belongs to the vertex of the cycle whose value ranks highest, the top. Only the vertex
// opposite of the top may have the same value, since its neighbours differ from it. Then the earlier one of the two is the top. So
// there are four cases, of which those are counted together that ask for the same.

// cyclePlan is a cycle of four vertices, counted by ordered wedges.
type cyclePlan struct {
	passes []cyclePass
	spans  [][2]*rowsPlan // all rows, with the same pairs from their other end
}

// cyclePass is the cases of one cycle that ask for the same.
type cyclePass struct {
	set           int // of the top
	arms          [2]cycleArm
	top, opposite *weightPlan
	strict, tied  shares // of the homomorphisms whose opposite vertex ranks below the top, and of those where it is the same
}

// cycleArm is a way from the top to the opposite vertex.
type cycleArm struct {
	key           string
	first, second *rowsPlan
	own           *weightPlan // of the vertex between
}

// shares says how many cases a pass stands for: all of them, and by where the root is.
type shares struct {
	all, top, opposite uint64
	arms               [2]uint64
}

// wedgeCost is the cost of adding to the number of an ordered wedge's end, relative to summing one up.
const wedgeCost = 1.5

// doubtful is how much more an estimated wedge counts than one that was counted: sets whose vertices have many neighbours have more wedges
// than their share of the vertices.
const doubtful = 4

// Tests raise the gains, so that small graphs take what has been chosen for large ones.
var cycleGain, tipGain = 1.0, 1.0

// planCycle adds vs to a pass if it is a cycle of four whose ordered wedges cost less than the limit. The root of a kept number is pivots[0].
func (h *Counter) planCycle(x *shape, vs []int, keep bool, pivots []int, limit float64) (key string, out *outputPlan, ok bool) {
	if h.without.Has(pattern.OrderedWedges) || len(vs) != 4 {
		return "", nil, false
	}
	round := x.around(vs)
	if round == nil || !x.long(vs, limit*cycleGain) {
		return "", nil, false
	}
	root := -1
	if keep {
		root = pivots[0]
	}
	key = x.cycleKey(round, root)
	t := h.trial(x, vs, vs[0], -1)
	if old := t.outOf[key]; old != nil {
		return key, old, true
	}
	p := x.cyclePlan(round, root)
	price := x.cyclePrice(p)
	if price >= limit*cycleGain {
		return "", nil, false
	}
	h.cost += price
	for _, rows := range p.spans {
		h.take(rows[0])
		h.take(rows[1])
	}
	for i := range p.passes {
		for _, w := range []*weightPlan{p.passes[i].top, p.passes[i].opposite, p.passes[i].arms[0].own, p.passes[i].arms[1].own} {
			h.takeStatic(w)
		}
	}
	out = &outputPlan{own: h.static(x.sets[vs[0]], nil), keep: keep, cycle: p}
	t.outs = append(t.outs, out)
	t.outOf[key] = out
	return key, out, true
}

// around returns vs in the order of their cycle, nil if they are none or two neighbours may have the same value.
func (x *shape) around(vs []int) []int {
	round := []int{vs[0]}
	for len(round) < 4 {
		last := round[len(round)-1]
		i := slices.IndexFunc(vs, func(v int) bool {
			return v != last && len(x.pairs[last][v]) > 0 && !slices.Contains(round, v)
		})
		if i < 0 {
			return nil
		}
		round = append(round, vs[i])
	}
	for i, v := range round {
		if len(x.pairs[v][round[(i+1)%4]]) == 0 || len(x.pairs[v][round[(i+2)%4]]) > 0 {
			return nil
		}
		for _, f := range x.rows(v, round[(i+1)%4]).factors {
			if f.Loops && f.view.Loops > 0 {
				return nil
			}
		}
	}
	return round
}

// ownBeside returns the weight of v, which is 1 for the root.
func (x *shape) ownBeside(v, root int) *weightPlan {
	if v == root {
		return x.h.static(x.sets[v], nil)
	}
	return x.own(v)
}

// cycleKey returns a key of the cycle that does not depend on where it begins.
func (x *shape) cycleKey(round []int, root int) string {
	least := ""
	for i := range 4 {
		if root >= 0 && round[i] != root {
			continue
		}
		for _, step := range []int{1, 3} {
			key := ""
			for k := range 4 {
				v, w := round[(i+k*step)%4], round[(i+(k+1)*step)%4]
				key += x.ownBeside(v, root).key + x.rows(v, w).key
			}
			if least == "" || key < least {
				least = key
			}
		}
	}
	return fmt.Sprint("cycle ", root >= 0, least)
}

// cyclePlan plans the passes.
func (x *shape) cyclePlan(round []int, root int) *cyclePlan {
	p, keys := &cyclePlan{}, []string{}
	for i, v := range round {
		next, opposite, before := round[(i+1)%4], round[(i+2)%4], round[(i+3)%4]
		p.spans = append(p.spans, [2]*rowsPlan{x.rows(v, next), x.rows(next, v)})
		arm := func(y int) cycleArm {
			a := cycleArm{first: x.rows(v, y), second: x.rows(y, opposite), own: x.ownBeside(y, root)}
			a.key = a.first.key + a.own.key + a.second.key
			return a
		}
		one := cyclePass{set: x.sets[v], arms: [2]cycleArm{arm(next), arm(before)}, top: x.ownBeside(v, root), opposite: x.ownBeside(opposite, root)}
		at := [2]int{next, before}
		if strings.Compare(one.arms[0].key, one.arms[1].key) > 0 {
			one.arms[0], one.arms[1] = one.arms[1], one.arms[0]
			at[0], at[1] = at[1], at[0]
		}
		key := one.top.key + one.arms[0].key + "&" + one.arms[1].key + one.opposite.key
		k := slices.Index(keys, key)
		if k < 0 {
			k = len(keys)
			keys, p.passes = append(keys, key), append(p.passes, one)
		}
		share := func(s *shares) {
			s.all++
			s.top += bit(v == root)
			s.opposite += bit(opposite == root)
			s.arms[0] += bit(at[0] == root)
			s.arms[1] += bit(at[1] == root)
		}
		share(&p.passes[k].strict)
		if i < 2 { // of the two opposite vertices with one value, the earlier one is the top
			share(&p.passes[k].tied)
		}
	}
	return p
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// alike reports whether both arms ask for the same.
func (p *cyclePass) alike() bool { return p.arms[0].key == p.arms[1].key }

// cyclePrice estimates the cost of p.
func (x *shape) cyclePrice(p *cyclePlan) float64 {
	h, price := x.h, 0.0
	var seen []*rowsPlan
	for _, span := range p.spans {
		for _, r := range span {
			if !slices.Contains(seen, r) {
				seen = append(seen, r)
				price += r.price(h) + h.size(r.from)
			}
		}
	}
	for i := range p.passes {
		q := &p.passes[i]
		wedges := x.wedges(&q.arms[0])
		if !q.alike() {
			wedges += x.wedges(&q.arms[1])
		}
		if q.strict.arms != [2]uint64{} {
			wedges *= 2
		}
		price += wedgeCost*wedges + h.size(q.set)
	}
	return price
}

// wedges estimates the number of ordered wedges along an arm: exact where both lists are those of one view, and less where sets have only
// a part of all vertices.
func (x *shape) wedges(a *cycleArm) float64 {
	n := max(1, float64(x.h.s.N()))
	share := x.h.size(a.first.from) / n * x.h.size(a.first.to) / n * x.h.size(a.second.to) / n
	least := math.Inf(1)
	for _, r := range []*rowsPlan{a.first, a.second} {
		for i := range r.factors {
			wedges, _ := r.factors[i].view.RankedWork()
			least = min(least, wedges)
		}
	}
	if share < 1 {
		share *= doubtful
	}
	return least * share
}

// priceOf is the price of counting triangles, if types says that these are counted.
func priceOf(types *csr.TypeSet, price float64) float64 {
	if types == nil {
		return math.Inf(1)
	}
	return price
}
