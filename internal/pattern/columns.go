package pattern

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Columns is a batch of matches, column by column.
type Columns struct {
	Vertices [][]csr.VertexID // by place in what ReadVertices gave
	Starts   [][]uint32       // where a column has runs, a value for several rows: the first row of each; see RunSink
	Edges    [][]csr.EdgeID   // by place in what ReadEdges gave
	Weights  []uint64         // how many matches share the vertices of a row; nil: one
	Len      int              // rows
	Distinct bool             // no other row of the search, here or elsewhere, has the vertices of one of these rows
}

// Make makes room for columns of vertices and edges, unless there is some.
func (c *Columns) Make(vertices, edges int) {
	if c.Vertices == nil {
		c.Vertices = make([][]csr.VertexID, vertices)
	}
	if c.Edges == nil && edges > 0 {
		c.Edges = make([][]csr.EdgeID, edges)
	}
}

// Append adds a row: the match vertices of the query vertices read, and the match edges of the query edges readEdges.
func (c *Columns) Append(read []int, vertices []csr.VertexID, readEdges []int, edges []csr.EdgeID, weight uint64) {
	for i, u := range read {
		c.Vertices[i] = append(c.Vertices[i], vertices[u])
	}
	for i, e := range readEdges {
		c.Edges[i] = append(c.Edges[i], edges[e])
	}
	c.AddRows(1, weight)
}

// AppendRun adds n rows that differ in the query vertex u only. list has its vertices.
func (c *Columns) AppendRun(read []int, vertices []csr.VertexID, u int, list []csr.VertexID, weight uint64) {
	for i, x := range read {
		if x == u {
			c.Vertices[i] = append(c.Vertices[i], list...)
			continue
		}
		c.Vertices[i] = AppendRepeated(c.Vertices[i], vertices[x], len(list))
	}
	c.AddRows(len(list), weight)
}

// AppendRepeated appends v n times.
func AppendRepeated[T any](list []T, v T, n int) []T {
	had := len(list)
	list = slices.Grow(list, n)[:had+n]
	for i := range list[had:] {
		list[had+i] = v
	}
	return list
}

// AddRows counts n rows that share a weight. Their elements are in the columns.
func (c *Columns) AddRows(n int, weight uint64) {
	if weight != 1 && len(c.Weights) == 0 {
		for range c.Len {
			c.Weights = append(c.Weights, 1)
		}
	}
	if weight != 1 || len(c.Weights) > 0 {
		for range n {
			c.Weights = append(c.Weights, weight)
		}
	}
	c.Len += n
}

// CopyOf makes c a copy of d. It reuses the room that c has, but not for runs.
func (c *Columns) CopyOf(d *Columns) {
	if c.Starts = nil; d.Starts != nil {
		c.copyRuns(d)
	} else {
		c.Vertices = copyColumns(c.Vertices, d.Vertices, d.Len)
	}
	c.Edges = copyColumns(c.Edges, d.Edges, d.Len)
	c.Weights, c.Len, c.Distinct = append(c.Weights[:0], d.Weights...), d.Len, d.Distinct
}

// copyRuns copies columns with runs into new lists that lie side by side.
func (c *Columns) copyRuns(d *Columns) {
	values, starts := 0, 0
	for i := range d.Vertices {
		values += len(d.Vertices[i])
		starts += len(d.Starts[i])
	}
	vertices, firsts := make([]csr.VertexID, 0, values), make([]uint32, 0, starts)
	c.Vertices, c.Starts = make([][]csr.VertexID, len(d.Vertices)), make([][]uint32, len(d.Vertices))
	for i := range d.Vertices {
		at := len(vertices)
		vertices = append(vertices, d.Vertices[i]...)
		c.Vertices[i] = vertices[at:len(vertices):len(vertices)]
		if d.Starts[i] != nil {
			at = len(firsts)
			firsts = append(firsts, d.Starts[i]...)
			c.Starts[i] = firsts[at:len(firsts):len(firsts)]
		}
	}
}

// Expand turns runs into rows.
func (c *Columns) Expand() {
	for i, starts := range c.Starts {
		if starts != nil {
			c.Vertices[i] = ExpandRuns(make([]csr.VertexID, c.Len), c.Vertices[i], starts)
		}
	}
	c.Starts = nil
}

// ExpandRuns fills rows with runs of values, each from its start on, and returns them.
func ExpandRuns[T any](rows, values []T, starts []uint32) []T {
	for k, v := range values {
		end := len(rows)
		if k+1 < len(starts) {
			end = min(end, int(starts[k+1]))
		}
		for i := int(starts[k]); i < end; i++ {
			rows[i] = v
		}
	}
	return rows
}

// copyColumns returns a copy of from, in the room of to. Columns are of length n.
func copyColumns[T any](to, from [][]T, n int) [][]T {
	if to == nil && len(from) > 0 {
		to = make([][]T, len(from))
		room := make([]T, len(from)*n)
		for i := range to {
			to[i] = room[i*n : i*n : (i+1)*n]
		}
	}
	for len(to) < len(from) {
		to = append(to, nil)
	}
	to = to[:len(from)]
	for i := range to {
		to[i] = append(to[i][:0], from[i]...)
	}
	return to
}

// Reset drops the rows and keeps the room.
func (c *Columns) Reset() {
	for i := range c.Vertices {
		c.Vertices[i] = c.Vertices[i][:0]
	}
	for i := range c.Edges {
		c.Edges[i] = c.Edges[i][:0]
	}
	c.Starts, c.Weights, c.Len, c.Distinct = nil, c.Weights[:0], 0, false
}

// ColumnSink is a Sink that reads matches column by column. A device that can calls EmitColumns instead of Emit.
type ColumnSink interface {
	Sink
	ReadVertices() []int // query vertices that it reads
	ReadEdges() []int    // query edges that it reads; some only if NeedEdges
	BatchRows() int      // rows that it wants at once
	Repeats() bool       // whether it would rather have a few equal rows than one row with a weight
	EmitColumns(c *Columns) (more bool, err error)
}

// RunSink is a ColumnSink that may take columns with runs. Columns.Vertices[i] then has a value for each run, and Starts[i] the row from
// which on it stands, up to the next one. Starts[i] is nil in a column that has a value for each row.
type RunSink interface {
	ColumnSink
	TakesRuns() bool
}
