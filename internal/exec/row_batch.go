package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// rowBatch collects rows of a stage that holds rows, and emits them in batches. The first batch has one row and the next ones double.
type rowBatch struct {
	out     *outlet
	columns []collectedColumn
	rows    int
	room    int
}

// newRowBatch returns an empty rowBatch for the slots that a stage sets, or nil if the next stage takes rows.
func newRowBatch(out *outlet, slots []int) *rowBatch {
	if out.again || out.x.writes != nil || !takesBatches(out.next) {
		return nil
	}
	b := &rowBatch{out: out, columns: make([]collectedColumn, len(slots)), room: 1}
	for i, slot := range slots {
		b.columns[i].slot = slot
	}
	return b
}

// add adds the current row, mult times.
func (b *rowBatch) add(mult uint64) (more bool, err error) {
	for ; mult > 0; mult-- {
		for i := range b.columns {
			k := &b.columns[i]
			k.add(b.out.x.row[k.slot])
		}
		if b.rows++; b.rows == b.room {
			b.room = min(2*b.room, b.out.x.batchRows)
			if more, err := b.flush(); err != nil || !more {
				return false, err
			}
		}
	}
	return true, nil
}

// flush emits the rows. Whoever gets their columns may keep them.
func (b *rowBatch) flush() (more bool, err error) {
	x, n := b.out.x, b.rows
	clear(x.columns)
	x.mults = nil
	for i := range b.columns {
		k := &b.columns[i]
		x.columns[k.slot] = k.column()
		k.renew(b.room)
	}
	b.rows = 0
	return b.out.emitColumns(n)
}

// emitColumns emits n rows of execution.columns that the stage makes.
func (o *outlet) emitColumns(n int) (more bool, err error) {
	if err := o.x.ctx.Err(); err != nil {
		return false, err
	}
	o.sourceRows += uint64(n)
	mark := o.x.input.Mark()
	more, err = o.emitBatch(n)
	o.x.compiler.Settle(&o.x.input, mark)
	return more, err
}

// renew empties a column that somebody keeps. It makes room for n more values of the same kind.
func (c *collectedColumn) renew(n int) {
	if len(c.values) == 0 {
		c.vertices = make([]csr.VertexID, 0, n)
		return
	}
	c.vertices, c.values = nil, make([]value.Value, 0, n)
}

// emitHeld emits rows that a stage holds, one after the other: next puts the next one into the row and returns how often it occurs, 0
// after the last. slots are those that it sets. Rows before an error are emitted.
func (o *outlet) emitHeld(slots []int, next func() (mult uint64, err error)) (bool, error) {
	b := newRowBatch(o, slots)
	for {
		mult, failed := next()
		more, err := true, error(nil)
		switch {
		case mult > 0 && failed == nil && b != nil:
			more, err = b.add(mult)
		case mult > 0 && failed == nil:
			more, err = o.emitSampled(mult)
		case b != nil && b.rows > 0:
			more, err = b.flush()
		}
		switch {
		case err != nil:
			return false, err
		case !more || mult == 0 && failed == nil:
			return o.flush()
		case failed != nil:
			return false, failed
		}
	}
}
