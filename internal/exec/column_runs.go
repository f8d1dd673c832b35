package exec

import (
	"slices"
	"sync"

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

// Runs are the columns with runs of a batch that a program may read.
type Runs struct {
	columns  []Column
	rows     int
	expanded sync.Once
}

// RunsIn returns the runs in columns of so many rows, nil if there are none.
func RunsIn(columns []Column, rows int) *Runs {
	if slices.ContainsFunc(columns, func(c Column) bool { return c.Starts != nil }) {
		return &Runs{columns: columns, rows: rows}
	}
	return nil
}

// Expand gives the columns a value for each row, and returns true. Several goroutines may ask for it, and r may be nil.
func (r *Runs) Expand() bool {
	if r != nil {
		r.expand()
	}
	return true
}

func (r *Runs) expand() {
	r.expanded.Do(func() {
		for i := range r.columns {
			r.columns[i].Expand(r.rows)
		}
	})
}
