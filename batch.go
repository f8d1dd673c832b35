package motif

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/value"
)

// Batch is some rows of a result that follow one another, for programs that read columns. It stays valid after the rows are closed,
// and several goroutines may read it.
//
// The methods that append take a column from 0 on. They return an error if one of the rows holds something else there, null included,
// or if there is no such column; the list then ends before that row.
type Batch struct {
	batch *batch // nil: no row
}

// Len returns the number of rows.
func (b Batch) Len() int {
	if b.batch == nil {
		return 0
	}
	return b.batch.rows
}

// Row returns row i, counted from 0, or a Row without columns if there is no row i.
func (b Batch) Row(i int) Row {
	if uint(i) >= uint(b.Len()) {
		return Row{}
	}
	b.batch.expand()
	return Row{batch: b.batch, at: i}
}

// AppendNodeIDs appends the ids of the nodes in column i: what Row.NodeID gives.
func (b Batch) AppendNodeIDs(ids []uint64, i int) ([]uint64, error) {
	if x := b.batch; x != nil && uint(i) < uint(len(x.columns)) && x.columns[i].Kind == exec.NodeColumn {
		return x.columns[i].AppendNodeIDs(ids, x.snap, x.rows), nil
	}
	return appendColumn(b, ids, i, Row.NodeID)
}

// AppendInts appends the integers in column i.
func (b Batch) AppendInts(ints []int64, i int) ([]int64, error) {
	if c := b.column(i, exec.IntColumn); c != nil {
		return append(ints, c.Ints[:b.Len()]...), nil
	}
	return appendColumn(b, ints, i, Row.Int)
}

// AppendFloats appends the numbers in column i: what Row.Float gives.
func (b Batch) AppendFloats(numbers []float64, i int) ([]float64, error) {
	if c := b.Row(0).column(i); c != nil && (c.Kind == exec.FloatColumn || c.Kind == exec.DegreeColumn) {
		return c.AppendFloats(numbers, b.batch.snap, b.Len()), nil
	}
	return appendColumn(b, numbers, i, Row.Float)
}

// column returns column i if it is of a kind that needs no look at each row.
func (b Batch) column(i int, kind exec.ColumnKind) *exec.Column {
	if c := b.Row(0).column(i); c != nil && c.Kind == kind {
		return c
	}
	return nil
}

// appendColumn appends what a method of Row gives for column i of each row.
func appendColumn[T any](b Batch, list []T, i int, of func(Row, int) (T, error)) ([]T, error) {
	if b.batch != nil {
		b.batch.expand()
	}
	for k := range b.Len() {
		x, err := of(Row{batch: b.batch, at: k}, i)
		if err != nil {
			return list, fmt.Errorf("row %d of the batch: %w", k, err)
		}
		list = append(list, x)
	}
	return list, nil
}

// batch is some rows, with the bytes that they take: row by row in values, or column by column.
type batch struct {
	rows, width int
	values      []value.Value
	columns     []exec.Column
	cells       []exec.Column // columns with a value for each row: what a Row reads, after expand
	expanded    sync.Once
	snap        *csr.Snapshot // that nodes and relationships belong to
	room        atomic.Pointer[valuesRoom]
	bytes       int64
	lose        func(error) // if the store is mapped: takes the error of a value that could not be read
}

// expand prepares for reading rows one by one. Several goroutines may call it.
func (b *batch) expand() {
	b.expanded.Do(func() { b.cells = exec.Expanded(b.columns, b.rows) })
}
