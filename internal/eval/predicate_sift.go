package eval

import (
	"cmp"
	"slices"
	"sync"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// sifter compares two terms of numbers: properties, constants, and +, -, *, / and % of these.
type sifter struct {
	sides [2]term
	op    lang.Op
}

// term is an operand of a sifter: a constant, a property, or two terms with an operator between them.
type term struct {
	constant *Operand // of one row
	cell     cellReader
	op       lang.Op // "": a constant or a property
	sides    []term
	place    int // in the scratch
}

// sift compiles a comparison of numbers to a test of many matches. It returns nil for other conditions.
func (c *Predicates) sift(x lang.Expr) pattern.Sift {
	b, ok := x.(*lang.Binary)
	if !ok || !comparison(b.Op) {
		return nil
	}
	s, places := &sifter{op: b.Op}, 0
	if !c.term(b.L, &s.sides[0], &places) || !c.term(b.R, &s.sides[1], &places) {
		return nil
	}
	pool := &sync.Pool{New: func() any { list := make([]Operand, places); return &list }}
	return func(m *pattern.Alike, keep []bool) bool {
		scratch := pool.Get().(*[]Operand)
		defer pool.Put(scratch)
		return s.run(m, keep, *scratch)
	}
}

// term compiles x to t. It reports false if x is none.
func (c *Predicates) term(x lang.Expr, t *term, places *int) bool {
	t.place = *places
	*places++
	if r, ok := c.cellReader(x); ok {
		t.cell = r
		return true
	}
	if b, ok := x.(*lang.Binary); ok && HasArithmetic(b.Op) {
		t.op, t.sides = b.Op, make([]term, 2)
		return c.term(b.L, &t.sides[0], places) && c.term(b.R, &t.sides[1], places)
	}
	k, err := c.Compile(x)
	if err != nil || !k.Constant {
		return false
	}
	v, err := k.Fn(nil)
	if err != nil || v.Kind() != value.Int && v.Kind() != value.Float {
		return false
	}
	kind, num := OperandOf(v)
	t.constant = &Operand{Kinds: []csr.Kind{kind}, Nums: []uint64{num}}
	return true
}

// run is the Sift.
func (s *sifter) run(m *pattern.Alike, keep []bool, scratch []Operand) bool {
	if !s.sides[0].read(m, scratch) || !s.sides[1].read(m, scratch) {
		return false
	}
	a, b := &scratch[s.sides[0].place], &scratch[s.sides[1].place]
	if !slices.ContainsFunc(a.Kinds, notInt) && !slices.ContainsFunc(b.Kinds, notInt) {
		s.compareInts(a.Nums, b.Nums, keep)
		return true
	}
	for i, k := range a.Kinds {
		if k > csr.KindFloat || b.Kinds[i] > csr.KindFloat {
			return false
		}
	}
	compare := binaryOps[s.op]
	for i, k := range a.Kinds {
		if k == 0 || b.Kinds[i] == 0 { // null is not true
			keep[i] = false
			continue
		}
		v, _ := compare(value.OfCell(csr.Cell{Kind: k, Num: a.Nums[i]}), value.OfCell(csr.Cell{Kind: b.Kinds[i], Num: b.Nums[i]})) // numbers compare
		keep[i] = keep[i] && v.Bool()
	}
	return true
}

func notInt(k csr.Kind) bool { return k != csr.KindInt }

// compareInts clears keep where the comparison of two integers is not true.
func (s *sifter) compareInts(a, b []uint64, keep []bool) {
	wanted := outcomes(s.op)
	for i, x := range a {
		keep[i] = keep[i] && wanted[cmp.Compare(int64(x), int64(b[i]))+1]
	}
}

// read computes the term for all matches. It reports false if that takes more than numbers.
func (t *term) read(m *pattern.Alike, scratch []Operand) bool {
	o, n := &scratch[t.place], len(m.At)
	switch {
	case t.op != "":
		l, r := &t.sides[0], &t.sides[1]
		return l.read(m, scratch) && r.read(m, scratch) && Arithmetic(t.op, &scratch[l.place], &scratch[r.place], o)
	case t.constant != nil:
		o.repeat(t.constant.Kinds[0], t.constant.Nums[0], n)
		return true
	}
	c := &t.cell
	other := !c.edge && m.Others != nil && c.index == m.Other
	if differs := other || !c.edge && c.index == m.Vertex || c.edge && c.index == m.Edge; !differs {
		cell, ok := c.read(m.Vertices, m.Edges)
		if !ok {
			cell = csr.Cell{}
		}
		o.repeat(cell.Kind, cell.Num, n)
		return cell.Kind <= csr.KindFloat
	}
	o.Kinds, o.Nums = slices.Grow(o.Kinds[:0], n)[:n], slices.Grow(o.Nums[:0], n)[:n]
	switch {
	case c.edge:
		csr.Gather(c.column, m.Over, o.Kinds, o.Nums)
	case other:
		csr.Gather(c.column, m.Others, o.Kinds, o.Nums)
	default:
		csr.Gather(c.column, m.At, o.Kinds, o.Nums)
	}
	return true
}

// repeat makes o one number in n rows.
func (b *Operand) repeat(kind csr.Kind, num uint64, n int) {
	b.Kinds, b.Nums = slices.Grow(b.Kinds[:0], n)[:n], slices.Grow(b.Nums[:0], n)[:n]
	for i := range n {
		b.Kinds[i], b.Nums[i] = kind, num
	}
}
