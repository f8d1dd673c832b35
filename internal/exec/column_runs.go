package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Columns with runs. A search gives the vertices of its first steps once for many rows. Stages that only pass rows on leave them so, and
// whoever reads a batch expands its columns: a program often reads few of them, or none.

// vertex returns the vertex in row i.
func (c *Column) vertex(i int) csr.VertexID {
	if c.Starts == nil {
		return c.Vertices[i]
	}
	return c.Vertices[c.runAt(i)]
}

// runAt returns the run that row i is in.
func (c *Column) runAt(i int) int {
	k, first := slices.BinarySearch(c.Starts, uint32(i))
	if !first {
		k--
	}
	return k
}

// cutRuns leaves rows lo to hi of a column with runs.
func (c *Column) cutRuns(lo, hi int) {
	if lo == hi {
		c.Vertices, c.Starts = nil, nil
		return
	}
	from, to := c.runAt(lo), c.runAt(hi-1)+1
	starts := make([]uint32, to-from)
	for k := range starts {
		starts[k] = max(c.Starts[from+k], uint32(lo)) - uint32(lo)
	}
	c.Vertices, c.Starts = c.Vertices[from:to:to], starts
}

// Expand gives a column of so many rows a value for each row.
func (c *Column) Expand(rows int) {
	if c.Starts != nil {
		c.Vertices, c.Starts = pattern.ExpandRuns(make([]csr.VertexID, rows), c.Vertices, c.Starts), nil
	}
}

// Bytes returns the memory that so many rows take, expanded, without what their values refer to.
func (c *Column) Bytes(rows int) int64 {
	n := 4*int64(len(c.Vertices)+len(c.Starts)) + 8*int64(len(c.Edges)+len(c.Ints)+len(c.Floats)) + 24*int64(len(c.Values))
	if c.Starts != nil {
		n += 4 * int64(rows)
	}
	return n
}

// Expanded returns columns with a value for each of so many rows: the same ones if none has runs.
func Expanded(columns []Column, rows int) []Column {
	if !HaveRuns(columns) {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].Expand(rows)
	}
	return columns
}

// HaveRuns reports whether one of the columns has runs.
func HaveRuns(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Starts != nil })
}

// AppendNodeIDs appends the ids of the nodes in the first rows of a column, with or without runs.
func (c *Column) AppendNodeIDs(ids []uint64, s *csr.Snapshot, rows int) []uint64 {
	if c.Starts == nil {
		return csr.AppendNodeIDs(ids, s, c.Vertices[:rows])
	}
	if rows == 0 {
		return ids
	}
	at, end, runs := len(ids), rows, c.runAt(rows-1)+1
	ids = slices.Grow(ids, rows)[:at+rows]
	to := ids[at:]
	csr.AppendNodeIDs(to[:0], s, c.Vertices[:runs]) // no run's id comes after its first row, so each is read before a row takes its place
	for k := runs - 1; k >= 0; k-- {
		id, first := to[k], int(c.Starts[k])
		for i := first; i < end; i++ {
			to[i] = id
		}
		end = first
	}
	return ids
}
