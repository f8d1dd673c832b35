package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// vertexColumn makes a column of what a procedure found of some vertices, which rise.
type vertexColumn func(vertices []csr.VertexID) Column

// firstVertexRows is the size of the first batch. The rows are there: a batch costs as much as this many of them.
const firstVertexRows = 32

// sharedRows is the size of a batch whose columns are parts of arrays that are there, and which nobody computes with.
const sharedRows = 1 << 14

// vertexRows returns a source of a row for each of some vertices: the vertex, then what columns say of it. list nil means 0 to n-1. The rows
// never become values one by one where the next stage takes batches.
func vertexRows(c *callStage, n int, list []csr.VertexID, columns ...vertexColumn) source {
	if list != nil {
		n = len(list)
	}
	return func() (bool, error) {
		if list == nil {
			list = csr.Numbers(c.x.s)
		}
		row := make([]Column, len(c.slots))
		first, most := firstVertexRows, c.x.batchRows
		if most == maxBatchRows && passesOn(c.next) {
			first, most = sharedRows, sharedRows
		}
		room := min(first, most, n)
		for lo := 0; lo < n; lo, room = lo+room, min(2*room, most, n-lo-room) {
			vertices := list[lo : lo+room : lo+room]
			row[0] = Column{Kind: NodeColumn, Vertices: vertices}
			for i, column := range columns {
				if c.slots[i+1] >= 0 {
					row[i+1] = column(vertices)
				}
			}
			if more, err := giveColumns(c, room, row); err != nil || !more {
				return false, err
			}
		}
		return true, nil
	}
}

// passesOn reports whether s and the stages above only hand columns over, which takes no time by row.
func passesOn(s stage) bool {
	switch s := s.(type) {
	case *output:
		return true
	case *project:
		return len(s.subs) == 0 && s.nodes == nil && !slices.ContainsFunc(s.late, func(l lateColumn) bool { return l.from < 0 }) && passesOn(s.next)
	case *skip:
		return passesOn(s.next)
	case *limit:
		return passesOn(s.next)
	}
	return false
}

// giveColumns emits n rows, with one column for each of the procedure; those that nobody reads may be empty.
func giveColumns(c *callStage, n int, columns []Column) (more bool, err error) {
	if c.batch == nil || c.mult != 1 || c.batch.rows > 0 {
		return each(n, func(i int) (bool, error) {
			for j, slot := range c.slots {
				if slot >= 0 {
					c.x.row[slot] = columns[j].Value(c.x.s, i)
				}
			}
			if c.batch != nil {
				return c.batch.add(c.mult)
			}
			return c.emitSampled(c.mult)
		})
	}
	clear(c.x.columns)
	for j, slot := range c.slots {
		if slot >= 0 {
			c.x.columns[slot] = columns[j]
		}
	}
	return c.emitColumns(n)
}

// floatsBy returns a column of floats by vertex. It shares the array where vertices have no gaps.
func floatsBy(values []float64) vertexColumn {
	return func(vertices []csr.VertexID) Column {
		first, n := vertices[0], len(vertices)
		if int(vertices[n-1]-first) == n-1 {
			return Column{Kind: FloatColumn, Floats: values[first : int(first)+n : int(first)+n]}
		}
		return Column{Kind: FloatColumn, Floats: ofEach(vertices, func(v csr.VertexID) float64 { return values[v] })}
	}
}

// floatsOf returns a column of floats that a function makes.
func floatsOf(of func(v csr.VertexID) float64) vertexColumn {
	return func(vertices []csr.VertexID) Column { return Column{Kind: FloatColumn, Floats: ofEach(vertices, of)} }
}

// intsOf returns a column of integers that a function makes.
func intsOf(of func(v csr.VertexID) int64) vertexColumn {
	return func(vertices []csr.VertexID) Column { return Column{Kind: IntColumn, Ints: ofEach(vertices, of)} }
}

func ofEach[T any](vertices []csr.VertexID, of func(v csr.VertexID) T) []T {
	list := make([]T, len(vertices))
	for i, v := range vertices {
		list[i] = of(v)
	}
	return list
}

// nodesOf returns a column of nodes by vertex, null where there is none.
func nodesOf(nodes []csr.VertexID) vertexColumn {
	return func(vertices []csr.VertexID) Column {
		c := Column{Kind: ValueColumn, Values: make([]value.Value, len(vertices))}
		for i, v := range vertices {
			if w := nodes[v]; w != csr.NoVertex {
				c.Values[i] = value.OfNode(w)
			}
		}
		return c
	}
}

// verticesWhere lists the vertices below n of which ok holds, and charges the list. It returns nil if all are there.
func verticesWhere(c *callStage, n int, ok func(v csr.VertexID) bool) ([]csr.VertexID, error) {
	if err := c.account.Charge(4 * int64(n)); err != nil {
		return nil, err
	}
	list := make([]csr.VertexID, 0, n)
	for v := range csr.VertexID(n) {
		if ok(v) {
			list = append(list, v)
		}
	}
	if len(list) == n {
		return nil, nil
	}
	return list, nil
}
