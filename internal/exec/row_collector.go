package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// rowCollector collects the rows of a stage that makes them one by one, and emits them in batches to stages that take those. Only a stage
// that holds its rows may wait for them: so nobody gets a row later. The first rows go up one by one. Batches double.
type rowCollector struct {
	out     *outlet
	next    *rowCollector // of a stage above
	slots   []int
	rows    int // that went up one by one
	columns []collectedColumn
	mults   []uint64
	many    bool // a row occurs more than once
	room    int
	bytes   int64 // of the values
}

// collectedColumn is a column of a rowCollector: nodes, or values of which one is no node.
type collectedColumn struct {
	slot     int
	vertices []csr.VertexID
	values   []value.Value
	before   value.Value // scratch of flush
}

// add takes a value and returns its bytes.
func (c *collectedColumn) add(v value.Value) int64 {
	if len(c.values) == 0 {
		if v.Kind() == value.Node {
			c.vertices = append(c.vertices, v.Node())
			return 0
		}
		for _, w := range c.vertices {
			c.values = append(c.values, value.OfNode(w))
		}
		c.vertices = c.vertices[:0]
	}
	c.values = append(c.values, v)
	return v.Bytes()
}

func (c *collectedColumn) column() Column {
	if len(c.values) == 0 {
		return Column{Kind: NodeColumn, Vertices: c.vertices}
	}
	return Column{Kind: ValueColumn, Values: c.values}
}

// singleRows is how many rows go up before batches pay.
var singleRows = 64

// makesRows reports whether the stage of an operator makes rows one by one.
func makesRows(node planner.Node) bool {
	switch node.(type) {
	case *planner.Paths, *planner.Unwind, *planner.Apply, *planner.Match:
		return true
	}
	return false
}

// collectRows gives the stage of out, which makes rows one by one, a rowCollector; not so a Match that starts a plan. live has the slots that
// somebody above reads.
func collectRows(out *outlet, st stage, live []int) {
	if m, ok := st.(*matchStage); ok && !m.inner {
		return
	}
	out.collector = rowCollector{out: out, next: out.x.collectors, slots: append(make([]int, 0, len(live)+1), live...)}
	out.x.collectors = &out.collector
}

// collectsRows reports whether rows for the stage may wait: it takes batches, and gives nothing before the last one.
func collectsRows(x *execution, next stage) bool {
	if x.depth > 0 || x.inBranch || x.writes != nil || !takesBatches(next) {
		return false
	}
	for {
		switch s := next.(type) {
		case *filter:
			next = s.next
		case *project:
			next = s.next
		case *aggregate, *fullSort, *top:
			return true
		default:
			return false
		}
	}
}

// waits reports whether the current row may wait, and counts those that do not.
func (c *rowCollector) waits() bool {
	if c.rows < singleRows {
		c.rows++
		return false
	}
	return true
}

// add takes the current row, which occurs mult times.
func (c *rowCollector) add(mult uint64) (more bool, err error) {
	row := c.out.x.row
	if c.columns == nil {
		c.columns, c.room = make([]collectedColumn, len(c.slots)), min(32, c.out.x.batchRows)
		for i, slot := range c.slots {
			c.columns[i].slot = slot
		}
	}
	for i := range c.columns {
		c.bytes += c.columns[i].add(row[c.columns[i].slot])
	}
	c.mults = append(c.mults, mult)
	c.many = c.many || mult != 1
	if len(c.mults) < c.room && c.bytes < maxBatchBytes {
		return true, nil
	}
	c.room = min(2*c.room, c.out.x.batchRows)
	return c.flush()
}

// flush emits the rows. The stage below may still need the current row.
func (c *rowCollector) flush() (more bool, err error) {
	n := len(c.mults)
	if n == 0 {
		return true, nil
	}
	x := c.out.x
	if err := x.ctx.Err(); err != nil {
		return false, err
	}
	clear(x.columns)
	x.mults = nil
	if c.many {
		x.mults = c.mults
	}
	for i := range c.columns {
		k := &c.columns[i]
		k.before, x.columns[k.slot] = x.row[k.slot], k.column()
	}
	mark := x.input.Mark()
	more, err = c.out.emitBatch(n)
	x.compiler.Settle(&x.input, mark)
	for i := range c.columns {
		k := &c.columns[i]
		x.row[k.slot], k.vertices, k.values = k.before, k.vertices[:0], k.values[:0]
	}
	x.mults, c.mults, c.many, c.bytes = nil, c.mults[:0], false, 0
	return more, err
}

// flushCollectors emits the rows that wait in any stage.
func flushCollectors(x *execution) (more bool, err error) {
	for c := x.collectors; c != nil; c = c.next { // the lowest stage was built last
		if more, err := c.flush(); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}
