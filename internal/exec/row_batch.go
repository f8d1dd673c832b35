package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// rowBatch collects rows of a stage that holds rows, and emits them in batches. The first batch has one row and the next ones double.
type rowBatch struct {
	out    *outlet
	slots  []int
	values [][]value.Value // by place in slots
	rows   int
	room   int
}

// newRowBatch returns an empty rowBatch for the slots that a stage sets, or nil if the next stage takes rows.
func newRowBatch(out *outlet, slots []int) *rowBatch {
	if out.again || out.x.writes != nil || !takesBatches(out.next) {
		return nil
	}
	return &rowBatch{out: out, slots: slots, values: make([][]value.Value, len(slots)), room: 1}
}

// add adds the current row, mult times.
func (b *rowBatch) add(mult uint64) (more bool, err error) {
	for ; mult > 0; mult-- {
		for i, slot := range b.slots {
			b.values[i] = append(b.values[i], b.out.x.row[slot])
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

// flush emits the rows.
func (b *rowBatch) flush() (more bool, err error) {
	x, n := b.out.x, b.rows
	if err := x.ctx.Err(); err != nil {
		return false, err
	}
	clear(x.columns)
	x.mults = nil
	for i, slot := range b.slots {
		x.columns[slot] = columnOf(b.values[i])
		b.values[i] = make([]value.Value, 0, b.room)
	}
	b.rows = 0
	b.out.sourceRows += uint64(n)
	mark := x.input.Mark()
	more, err = b.out.emitBatch(n)
	x.compiler.Settle(&x.input, mark)
	return more, err
}

// columnOf returns a column of values, which are often nodes only.
func columnOf(values []value.Value) Column {
	for _, v := range values {
		if v.Kind() != value.Node {
			return Column{Kind: ValueColumn, Values: values}
		}
	}
	c := Column{Kind: NodeColumn, Vertices: make([]csr.VertexID, len(values))}
	for i, v := range values {
		c.Vertices[i] = v.Node()
	}
	return c
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
