package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Rows in runs. A search changes the vertices of its last steps often and those of its first steps seldom. So most columns of a batch
// repeat a vertex in many rows. A sink that takes runs gets such a vertex once, with the row from which on it stands. A match then costs
// as much as the vertices in which it differs from the one before.

// rowRuns are the runs of a batch that a worker fills. Their columns are as long as the batch at most.
type rowRuns struct {
	room    int            // runs in a column
	values  []csr.VertexID // column i begins at i*room
	starts  []uint32       // the first rows of the runs
	lengths []int          // runs by column
	lists   [][]uint32     // the parts of starts, for the sink
	loose   bool           // the last row is none of the worker's match, so that each of its vertices may differ
	rows    uint64         // rows written, for the tally
}

// runRooms are the sizes of batches for which there is room before there is room for the largest.
var runRooms = [...]int{16, 128}

// begin makes room for a batch of so many rows. most bounds those of later batches.
func (x *rowRuns) begin(columns, rows, most int) {
	if x.loose = true; len(x.lengths) == columns && x.room >= rows {
		clear(x.lengths)
		return
	}
	x.room = max(most, rows)
	for _, n := range runRooms {
		if rows <= n {
			x.room = n
			break
		}
	}
	if n := x.room * columns; cap(x.values) < n {
		x.values, x.starts = make([]csr.VertexID, n), make([]uint32, n)
	}
	x.values, x.starts = x.values[:cap(x.values)], x.starts[:cap(x.values)]
	x.lengths = append(x.lengths[:0], make([]int, columns)...)
}

// put says that column i has v from row on.
func (x *rowRuns) put(i, row int, v csr.VertexID) {
	n := x.lengths[i]
	at := i*x.room + n
	if n > 0 && x.values[at-1] == v {
		return
	}
	x.values[at], x.starts[at] = v, uint32(row)
	x.lengths[i] = n + 1
}

// putAll says that column i has the vertices of list from row on, one in each row.
func (x *rowRuns) putAll(i, row int, list []csr.VertexID) {
	at := i*x.room + x.lengths[i]
	copy(x.values[at:at+len(list)], list)
	for k := range x.starts[at : at+len(list)] {
		x.starts[at+k] = uint32(row + k)
	}
	x.lengths[i] += len(list)
}

// columns puts the runs into c, which knows the number of rows.
func (x *rowRuns) columns(c *pattern.Columns) {
	n := len(x.lengths)
	if len(c.Vertices) != n {
		c.Vertices = make([][]csr.VertexID, n)
	}
	if len(x.lists) != n {
		x.lists = make([][]uint32, n)
	}
	c.Starts = x.lists
	for i, runs := range x.lengths {
		at := i * x.room
		c.Vertices[i], c.Starts[i] = x.values[at:at+runs], nil
		if runs < c.Len {
			c.Starts[i] = x.starts[at : at+runs]
		}
	}
	x.rows += uint64(c.Len)
}

// planRuns finds out whether the sink gets runs.
func (r *run) planRuns() {
	sink, ok := r.sink.(pattern.RunSink)
	if !ok || !sink.TakesRuns() || !r.env.Uses(pattern.RowRuns) || r.enumerate || len(r.readEdges) > 0 || len(r.read) == 0 || len(r.steps) > 64 {
		return
	}
	r.columnOf = make([]int, len(r.p.Vertices))
	for u := range r.columnOf {
		r.columnOf[u] = -1
	}
	for i, u := range r.read {
		r.columnOf[u] = i
	}
}

// addRow adds a row of vertices, any of which may differ from those of the row before.
func (o *output) addRow(r *run, vertices []csr.VertexID, weight uint64) {
	x, c := &o.runs, &o.columns
	if c.Len == 0 {
		x.begin(len(r.read), o.full+1, r.batchRows)
	}
	for i, u := range r.read {
		x.put(i, c.Len, vertices[u])
	}
	x.loose = true
	c.AddRows(1, weight)
	o.flushFull(r)
}

// addRun adds rows that differ in the query vertex u only: list has its vertices. The others are those of match. w.changed names the steps
// whose vertices may not be those of the row before.
func (o *output) addRun(w *worker, match []csr.VertexID, u int, list []csr.VertexID, weight uint64) {
	if w.columnOf == nil {
		o.columns.AppendRun(w.read, match, u, list, weight)
		o.flushFull(w.run)
		return
	}
	x, c := &o.runs, &o.columns
	for len(list) > 0 {
		part := list[:min(len(list), o.room())]
		list = list[len(part):]
		if c.Len == 0 {
			x.begin(len(w.read), o.full+1, w.batchRows)
		}
		if changed := w.changed; x.loose {
			x.loose = false
			for i, of := range w.read {
				if of != u {
					x.put(i, c.Len, match[of])
				}
			}
		} else {
			for changed &^= 1 << (w.pos[u] & 63); changed != 0; changed &= changed - 1 {
				of := w.steps[bits.TrailingZeros64(changed)].u
				if i := w.columnOf[of]; i >= 0 {
					x.put(i, c.Len, match[of])
				}
			}
		}
		w.changed = 0
		if i := w.columnOf[u]; i >= 0 {
			x.putAll(i, c.Len, part)
		}
		c.AddRows(len(part), weight)
		o.flushFull(w.run)
	}
}
