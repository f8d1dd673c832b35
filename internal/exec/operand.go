package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
)

// multOf returns how often row i of the batch occurs.
func multOf(x *execution, i int) uint64 {
	if x.mults == nil {
		return 1
	}
	return x.mults[i]
}

// takesWeights reports whether a stage takes batches whose rows occur more than once.
func takesWeights(s stage) bool {
	switch s := s.(type) {
	case *aggregate, *distinct, *fullSort, *top:
		return true
	case *filter:
		return takesWeights(s.next)
	case *project:
		return takesWeights(s.next)
	}
	return false
}

// readOperand reads an expression for n rows of the batch into o. It reports whether the batch has the values without computing any.
func readOperand(x *execution, l *lateColumn, n int, o *eval.Operand) bool {
	if l.from < 0 {
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
	default: // nodes or relationships
		for i := range o.Kinds {
			o.Kinds[i] = csr.KindMixed
		}
	}
	return true
}
