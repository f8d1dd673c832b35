package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// Part is what units of one plan have made: a number, groups, or rows. Parts of disjoint units add up, in any order.
type Part struct {
	Boxes       []Box            // the units, disjoint
	Plus, Minus pattern.Count128 // of a count, undivided: the second is to be subtracted
	groups      []pattern.Signed // the numbers of groups that are counted by formulas, in their order; nil: all 0
	segments    []segment
	enough      int // rows of segments that are to be merged; 0: compactRows
}

// segment is the rows, or the groups, that one unit has made.
type segment struct {
	at     Box // of the unit: segments are read in the order of their units
	values []value.Value
	mults  []uint64
}

// Errors of parts.
var (
	ErrTwice   = errors.New("some of the work is in both parts")
	ErrMissing = errors.New("parts are missing")
	ErrBadPart = errors.New("not a part of this job")
)

func (p *Part) add(plus, minus pattern.Count128) (err error) {
	if p.Plus, err = p.Plus.Add(plus); err == nil {
		p.Minus, err = p.Minus.Add(minus)
	}
	return err
}

// addGroups adds the numbers of groups.
func (p *Part) addGroups(numbers []pattern.Signed) (err error) {
	if len(numbers) == 0 {
		return nil
	}
	if len(p.groups) == 0 {
		p.groups = make([]pattern.Signed, len(numbers))
	}
	if len(p.groups) != len(numbers) {
		return ErrBadPart
	}
	sums := make([]pattern.Signed, len(numbers)) // whoever else has p's keeps them
	for i := range sums {
		if sums[i], err = p.groups[i].Add(numbers[i]); err != nil {
			return err
		}
	}
	p.groups = sums
	return nil
}

// Merge adds p to into. It fails with ErrTwice if they have work in common, and leaves into as it was then.
func (v *Division) Merge(ctx context.Context, into, p *Part) error {
	if overlap(into.Boxes, p.Boxes) {
		return ErrTwice
	}
	sum := Part{Plus: into.Plus, Minus: into.Minus, groups: into.groups}
	if err := sum.add(p.Plus, p.Minus); err != nil {
		return explain(err)
	}
	if err := sum.addGroups(p.groups); err != nil {
		return explain(err)
	}
	sum.Boxes = joined(append(slices.Clip(into.Boxes), p.Boxes...))
	sum.segments, sum.enough = append(slices.Clip(into.segments), p.segments...), into.enough
	if v.groups != nil && !v.ordered && sum.rows() > max(sum.enough, compactRows) {
		if err := v.compact(ctx, &sum); err != nil {
			return explain(err)
		}
	}
	*into = sum
	return nil
}

// rows is how many rows or groups the segments have.
func (p *Part) rows() (n int) {
	for i := range p.segments {
		n += len(p.segments[i].mults)
	}
	return n
}

// compactRows is how many rows segments have at least before those of one group are merged. Fewer take little memory, and Finish merges them, too.
const compactRows = 1 << 16

// compact merges groups of the same keys. If that leaves more than half of them, the next time comes later.
func (v *Division) compact(ctx context.Context, p *Part) error {
	before := p.rows()
	x := v.newExecution(ctx)
	defer release(x)
	g, _, err := v.aggregate(x, &port{})
	if err != nil {
		return err
	}
	for _, s := range p.segments {
		if err := g.addSegment(ctx, &s); err != nil {
			return err
		}
	}
	s := g.segment()
	s.at = p.segments[0].at // any box will do for their order, but it must be one: a reader refuses a part without
	p.segments, p.enough = []segment{s}, 2*len(s.mults)
	if len(s.mults) > before/2 {
		p.enough = 4 * before
	}
	return nil
}

// aggregate builds the stages from the Aggregate up.
func (v *Division) aggregate(x *execution, last stage) (*aggregate, *chain, error) {
	clear(x.compiler.Live)
	for _, slot := range v.plan.Out {
		x.compiler.Live[slot] = true
	}
	c, err := x.makeChain(v.plan.Root, last, below(v.groups))
	if err != nil {
		return nil, nil, err
	}
	g, ok := c.entry.(*aggregate)
	if !ok { // LIMIT 0 stands above
		return nil, c, nil
	}
	return g, c, nil
}

// addSegment adds the groups of s.
func (g *aggregate) addSegment(ctx context.Context, s *segment) error {
	keys, width := len(g.keys), len(g.keys)+len(g.of)
	if len(s.values) != width*len(s.mults) {
		return ErrBadPart
	}
	for row := range s.mults {
		if row%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		values := s.values[row*width : (row+1)*width]
		group := uint32(0)
		if g.byKey != nil {
			id, fresh, err := g.byKey.add(values[:keys])
			if fresh && err == nil {
				err = g.addGroup()
			}
			if err != nil {
				return err
			}
			group = id
		}
		for i, of := range g.of {
			if err := eval.AddState(of, group, values[keys+i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish runs what stands above the units. It fails with ErrMissing if p has not all of them. yield is as for Run.
func (v *Division) Finish(ctx context.Context, p *Part, yield func(row []value.Value) (bool, error)) error {
	if err := v.complete(p); err != nil {
		return err
	}
	x := v.newExecution(ctx)
	defer func() { release(x) }()
	last := &output{x: x, slots: v.plan.Out, row: make([]value.Value, len(v.plan.Out)), yield: yield}
	switch {
	case v.leaf.Count:
		return explain(v.finishCount(x, p, last))
	case v.Scheme.Route == pattern.RouteGroups:
		return explain(v.finishGroups(x, p, last))
	case v.groups != nil:
		g, c, err := v.aggregate(x, last)
		if err != nil || g == nil {
			return explain(err)
		}
		x.main = c
		for _, s := range v.inOrder(p) {
			if err := g.addSegment(ctx, &s); err != nil {
				return explain(err)
			}
		}
		_, err = g.flush()
		return explain(err)
	}
	return explain(v.finishRows(x, p, last))
}

// finishCount gives the number of matches to the stages above the Match.
func (v *Division) finishCount(x *execution, p *Part, last stage) error {
	c, err := v.aboveLive(x, last)
	if err != nil {
		return err
	}
	x.main = c
	total, ok := p.Plus.Sub(p.Minus)
	if !ok {
		return fmt.Errorf("exec: the parts have %v - %v matches", p.Plus, p.Minus)
	}
	n, left := total.Div(v.Scheme.Divisor)
	if left != 0 {
		return fmt.Errorf("exec: the parts have %v matches, not a multiple of %d automorphisms", total, v.Scheme.Divisor)
	}
	number, ok := n.Int64()
	if !ok {
		return eval.Overflow("the number of matches, %v,", n)
	}
	if c.noRows {
		return nil
	}
	x.row[v.leaf.CountSlot] = value.OfInt(number)
	if _, err := c.entry.push(1); err != nil {
		return err
	}
	_, err = c.entry.flush()
	return err
}

// finishGroups has the Match give its groups, whose numbers p has, to the stages above it.
func (v *Division) finishGroups(x *execution, p *Part, last stage) error {
	clear(x.compiler.Live)
	for _, slot := range v.plan.Out {
		x.compiler.Live[slot] = true
	}
	c, err := x.makeChain(v.plan.Root, last, nil)
	if err != nil || c.noRows {
		return err
	}
	x.main = c
	m := c.outlets[0].match
	if err := m.prepare(); err != nil {
		return err
	}
	m.ready, m.batches = true, m.givesBatches()
	m.job.Share = &pattern.Share{Scheme: v.Scheme, Groups: p.groups}
	_, err = c.drive(1)
	return err
}

// finishRows gives the rows to the stages above the units, in the order of the units.
func (v *Division) finishRows(x *execution, p *Part, last stage) error {
	c, err := v.aboveLive(x, last)
	if err != nil || c.noRows {
		return err
	}
	x.main = c
	slots := v.rowSlots(x)
	for _, s := range v.inOrder(p) {
		if len(s.values) != len(slots)*len(s.mults) {
			return ErrBadPart
		}
		for row, mult := range s.mults {
			if row%1024 == 0 && x.ctx.Err() != nil {
				return x.ctx.Err()
			}
			for k, slot := range slots {
				x.row[slot] = s.values[row*len(slots)+k]
			}
			more, err := c.entry.push(mult)
			if err != nil {
				return err
			}
			if !more {
				_, err = c.entry.flush()
				return err
			}
		}
	}
	_, err = c.entry.flush()
	return err
}

// inOrder returns the segments of p in the order of their units.
func (v *Division) inOrder(p *Part) []segment {
	segments := slices.Clone(p.segments)
	slices.SortStableFunc(segments, func(a, b segment) int { return v.compare(a.at, b.at) })
	return segments
}

// rowSlots lists the slots of the rows of parts. The stages above the units have just been built.
func (v *Division) rowSlots(x *execution) (slots []int) {
	for slot, live := range x.compiler.Live {
		if live {
			slots = append(slots, slot)
		}
	}
	slices.Sort(slots)
	return slots
}

// compare orders boxes as a search goes through them.
func (v *Division) compare(a, b Box) int {
	order := v.Scheme.Order
	if v.Scheme.Route != pattern.RouteSearch {
		order = []int{0}
	}
	for _, u := range order {
		x, y := a.bound(u), b.bound(u)
		if c := cmp.Compare(x.Lo, y.Lo); c != 0 {
			return c
		}
	}
	return 0
}

// bound returns the bound of vertex u.
func (b Box) bound(u int) pattern.Bound {
	if i := slices.IndexFunc(b, func(x pattern.Bound) bool { return x.Vertex == u }); i >= 0 {
		return b[i]
	}
	return pattern.Bound{Vertex: u, Lo: 0, Hi: csr.NoVertex}
}

// meets reports whether two boxes have work in common.
func (b Box) meets(c Box) bool {
	for _, x := range b {
		if y := c.bound(x.Vertex); x.Hi <= y.Lo || y.Hi <= x.Lo {
			return false
		}
	}
	return true
}

// overlap reports whether a box of one list meets one of the other.
func overlap(a, b []Box) bool {
	return slices.ContainsFunc(a, func(x Box) bool { return slices.ContainsFunc(b, x.meets) })
}

// inside returns the box of what inner leaves of outer.
func inside(sc *pattern.Scheme, outer Box, inner []pattern.Bound) Box {
	box := Box(slices.Clone(inner))
	for _, b := range outer {
		i := slices.IndexFunc(box, func(x pattern.Bound) bool { return x.Vertex == b.Vertex })
		if i < 0 {
			box = append(box, b)
			continue
		}
		box[i].Lo, box[i].Hi = max(box[i].Lo, b.Lo), min(box[i].Hi, b.Hi)
	}
	slices.SortFunc(box, func(a, b pattern.Bound) int {
		return cmp.Compare(slices.Index(sc.Order, a.Vertex), slices.Index(sc.Order, b.Vertex))
	})
	return box
}

// without returns disjoint boxes that are box less rest, whose boxes lie inside of it.
func without(sc *pattern.Scheme, box Box, rest []Box) []Box {
	left := []Box{box}
	for _, r := range rest {
		var next []Box
		for _, b := range left {
			next = append(next, b.less(sc, r)...)
		}
		left = next
	}
	return joined(left)
}

// less returns disjoint boxes that are b less c.
func (b Box) less(sc *pattern.Scheme, c Box) (out []Box) {
	if !b.meets(c) {
		return []Box{b}
	}
	for _, y := range c {
		x := b.bound(y.Vertex)
		x.Hi = min(x.Hi, csr.VertexID(sc.Domain))
		lo, hi := max(x.Lo, y.Lo), min(x.Hi, y.Hi)
		if x.Lo < lo {
			out = append(out, inside(sc, b, []pattern.Bound{{Vertex: y.Vertex, Lo: x.Lo, Hi: lo}}))
		}
		if hi < x.Hi {
			out = append(out, inside(sc, b, []pattern.Bound{{Vertex: y.Vertex, Lo: hi, Hi: x.Hi}}))
		}
		b = inside(sc, b, []pattern.Bound{{Vertex: y.Vertex, Lo: lo, Hi: hi}})
	}
	return out
}

// joined joins boxes of one bound that lie side by side.
func joined(boxes []Box) []Box {
	var flat, deep []Box
	for _, b := range boxes {
		if len(b) == 1 {
			flat = append(flat, b)
		} else {
			deep = append(deep, b)
		}
	}
	slices.SortFunc(flat, func(a, b Box) int {
		return cmp.Or(cmp.Compare(a[0].Vertex, b[0].Vertex), cmp.Compare(a[0].Lo, b[0].Lo))
	})
	out := flat[:0]
	for _, b := range flat {
		if n := len(out); n > 0 && out[n-1][0].Vertex == b[0].Vertex && out[n-1][0].Hi == b[0].Lo {
			out[n-1] = Box{{Vertex: b[0].Vertex, Lo: out[n-1][0].Lo, Hi: b[0].Hi}}
			continue
		}
		out = append(out, b)
	}
	return append(out, deep...)
}

// complete reports ErrMissing unless the boxes of p, which are disjoint, are everything.
func (v *Division) complete(p *Part) error {
	n := new(big.Int).SetUint64(v.Scheme.Domain)
	vertices := 1
	if v.Scheme.Route == pattern.RouteSearch {
		vertices = len(v.leaf.Pattern.Vertices)
	}
	all, sum := new(big.Int).Exp(n, big.NewInt(int64(vertices)), nil), new(big.Int)
	for _, b := range p.Boxes {
		size := new(big.Int).Exp(n, big.NewInt(int64(vertices-len(b))), nil)
		for _, x := range b {
			size.Mul(size, new(big.Int).SetUint64(uint64(x.Hi-x.Lo)))
		}
		sum.Add(sum, size)
	}
	if sum.Cmp(all) != 0 {
		share := new(big.Rat)
		if all.Sign() > 0 {
			share.SetFrac(new(big.Int).Mul(sum, big.NewInt(100)), all)
		}
		return fmt.Errorf("%w: units with %s %% of the vertex numbers have been merged", ErrMissing, share.FloatString(3))
	}
	return nil
}
