package exec

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// lateColumn says how an item of a Project becomes a column without a value for each row: as the values of the slot from, as
// their id, or as a property of theirs. Readers of numbers also have arithmetic of such columns, and constants.
type lateColumn struct {
	from            int // -1: the item needs a value for each row
	id, property    bool
	large           bool // a value may be a list, which the budget must pay for before it is read
	vertices, edges *csr.Column

	sides    []lateColumn // of the operator op
	op       lang.Op
	operands []eval.Operand // scratch: the sides in a batch
	constant *value.Value
	memo     *memoColumn // computes it where nothing else reads it; or nil
}

// late plans how the items become columns.
func (x *execution) late(items []planner.Item) []lateColumn {
	columns := make([]lateColumn, len(items))
	for i := range items {
		columns[i] = lateOf(x, items[i].Expr)
	}
	return columns
}

// lateOf plans how an expression becomes a column.
func lateOf(x *execution, of lang.Expr) lateColumn {
	c := lateColumn{from: -1}
	switch e := of.(type) {
	case *lang.Property:
		c.property, of = true, e.Of
		c.vertices, c.edges = x.compiler.PropertyColumns(e.Key)
		c.large = c.vertices.HasEncoded() || c.edges.HasEncoded()
	case *lang.Call:
		if c.id = e.Name == "id" && len(e.Args) == 1; c.id {
			of = e.Args[0]
		}
	case *lang.Binary:
		if eval.HasArithmetic(e.Op) {
			c.op, c.sides, c.operands = e.Op, []lateColumn{lateOf(x, e.L), lateOf(x, e.R)}, make([]eval.Operand, 2)
		}
	case *lang.Literal, *lang.Param:
		if k, err := x.compiler.Compile(of); err == nil && k.Constant {
			if v, err := k.Fn(&x.input); err == nil {
				c.constant = &v
			}
		}
	}
	if v, ok := of.(*lang.Var); ok {
		c.from = x.compiler.Slot(v.Name)
	}
	return c
}

// memoise plans how to compute the expression e, which fn computes, once for each value of the property that it reads.
func (l *lateColumn) memoise(x *execution, e lang.Expr, fn eval.Func, account *eval.Account) {
	if e != nil && !l.readable() {
		l.memo = planMemo(x, e, fn, account)
	}
}

// readable reports whether a batch may have the expression.
func (l *lateColumn) readable() bool {
	return l.from >= 0 || l.constant != nil || l.op != "" && l.sides[0].readable() && l.sides[1].readable()
}

// of returns the column that l makes of c; ok is false if it needs values.
func (l *lateColumn) of(c Column) (_ Column, ok bool) {
	switch {
	case !l.id && !l.property:
		return c, c.Kind != ConstantColumn
	case l.large:
		return c, false
	case c.Kind == NodeColumn && l.id:
		c.Kind = NodeIDColumn
	case c.Kind == NodeColumn:
		c.Kind, c.Property = NodePropertyColumn, l.vertices
	case c.Kind == RelColumn && l.id:
		c.Kind = RelIDColumn
	case c.Kind == RelColumn:
		c.Kind, c.Property = RelPropertyColumn, l.edges
	default:
		return c, false
	}
	return c, true
}

// readOperand reads an expression for n rows of the batch into o. It reports whether the batch has the values without computing any.
func readOperand(x *execution, l *lateColumn, n int, o *eval.Operand) bool {
	o.Codes = nil
	switch {
	case l.memo != nil:
		return l.memo.read(x, n, o)
	case l.constant != nil:
		kind, num := eval.OperandOf(*l.constant)
		o.Kinds, o.Nums = append(o.Kinds[:0], slices.Repeat([]csr.Kind{kind}, n)...), append(o.Nums[:0], slices.Repeat([]uint64{num}, n)...)
		o.Value = func(int) value.Value { return *l.constant }
		return true
	case l.op != "":
		a, b := &l.operands[0], &l.operands[1]
		return readOperand(x, &l.sides[0], n, a) && readOperand(x, &l.sides[1], n, b) && eval.Arithmetic(l.op, a, b, o)
	case l.from < 0:
		return false
	}
	c, ok := l.of(x.columns[l.from])
	if !ok {
		return false
	}
	o.Kinds, o.Nums = slices.Grow(o.Kinds[:0], n)[:n], slices.Grow(o.Nums[:0], n)[:n]
	o.Value = func(i int) value.Value { return c.Value(x.s, i) }
	switch c.Kind {
	case NodePropertyColumn:
		csr.Gather(c.Property, c.Vertices[:n], o.Kinds, o.Nums)
	case RelPropertyColumn:
		csr.Gather(c.Property, c.Edges[:n], o.Kinds, o.Nums)
	case NodeIDColumn:
		for i, v := range c.Vertices[:n] {
			o.Kinds[i], o.Nums[i] = csr.KindInt, uint64(x.s.NodeID(v))
		}
	case RelIDColumn:
		for i, e := range c.Edges[:n] {
			o.Kinds[i], o.Nums[i] = csr.KindInt, uint64(x.s.RelID(e))
		}
	case ValueColumn:
		for i, v := range c.Values[:n] {
			o.Kinds[i], o.Nums[i] = eval.OperandOf(v)
		}
	case IntColumn:
		for i, x := range c.Ints[:n] {
			o.Kinds[i], o.Nums[i] = csr.KindInt, uint64(x)
		}
	case FloatColumn:
		for i, x := range c.Floats[:n] {
			o.Kinds[i], o.Nums[i] = csr.KindFloat, math.Float64bits(x)
		}
	case DegreeColumn:
		for i, v := range c.Vertices[:n] {
			o.Kinds[i], o.Nums[i] = csr.KindFloat, math.Float64bits(c.Degrees.Of(v))
		}
	default: // nodes or relationships
		for i := range o.Kinds {
			o.Kinds[i] = csr.KindMixed
		}
	}
	return true
}
