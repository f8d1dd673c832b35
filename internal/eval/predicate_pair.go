package eval

import (
	"cmp"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// pairTest compiles the comparison of two properties, such as a.x < b.x, to a single test. It returns nil for other comparisons.
func (c *Predicates) pairTest(b *lang.Binary) pattern.Test {
	l, ok := c.cellReader(b.L)
	if !ok {
		return nil
	}
	r, ok := c.cellReader(b.R)
	if !ok {
		return nil
	}
	compare, wanted := binaryOps[b.Op], outcomes(b.Op)
	return func(vertices []csr.VertexID, edges []csr.EdgeID) (bool, error) {
		x, ok := l.read(vertices, edges)
		if !ok { // null is not true
			return false, nil
		}
		y, ok := r.read(vertices, edges)
		switch {
		case !ok:
			return false, nil
		case x.Kind == csr.KindInt && y.Kind == csr.KindInt:
			return wanted[cmp.Compare(int64(x.Num), int64(y.Num))+1], nil
		}
		v, err := compare(value.OfCell(x), value.OfCell(y))
		return v.Kind() == value.Bool && v.Bool(), err
	}
}

// cellReader reads a property of a vertex or an edge of a match.
type cellReader struct {
	column *csr.Column
	index  int
	edge   bool
}

// cellReader returns false if x is no property of an element, or may be a list, which the budget pays for.
func (c *Predicates) cellReader(x lang.Expr) (r cellReader, ok bool) {
	p, ok := x.(*lang.Property)
	if !ok {
		return r, false
	}
	ref, ok := c.element(p.Of)
	if !ok || ref.kind == inLocal {
		return r, false
	}
	cols := c.columns(p.Key)
	r = cellReader{column: cols.vertices, index: ref.index, edge: ref.kind == inEdge}
	if r.edge {
		r.column = cols.edges
	}
	return r, !r.column.HasEncoded()
}

func (r cellReader) read(vertices []csr.VertexID, edges []csr.EdgeID) (csr.Cell, bool) {
	if r.edge {
		return r.column.Get(uint64(edges[r.index]))
	}
	return r.column.Get(uint64(vertices[r.index]))
}
