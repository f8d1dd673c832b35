package motif

import (
	"fmt"
	"iter"

	"github.com/motifql/motif/internal/exec"
)

// Batch is some rows of a result that follow one another, for programs that read columns. It stays valid after the rows are closed,
// and several goroutines may read it.
//
// The methods that append take a column from 0 on. They return an error if one of the rows holds something else there, null included,
// or if there is no such column; the list then ends before that row.
type Batch struct {
	batch *batch // nil: no row
}

// Batches yields all rows in batches of one row or more. An error is yielded last, with a Batch without rows. The rows are closed
// when the loop ends.
func (r *Rows) Batches() iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		defer r.Close()
		for r.started() && !r.closed.Load() && r.nextBatch() {
			if !yield(Batch{r.batch}, nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(Batch{}, err)
		}
	}
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
	return Row{batch: b.batch, at: i}
}

// AppendNodeIDs appends the ids of the nodes in column i: what Row.NodeID gives.
func (b Batch) AppendNodeIDs(ids []uint64, i int) ([]uint64, error) {
	if c := b.column(i, exec.NodeColumn); c != nil {
		return b.batch.snap.AppendNodeIDs(ids, c.Vertices[:b.Len()]), nil
	}
	return appendColumn(b, ids, i, Row.NodeID)
}

// AppendRelationshipIDs appends the ids of the relationships in column i: what Row.RelationshipID gives.
func (b Batch) AppendRelationshipIDs(ids []uint64, i int) ([]uint64, error) {
	return appendColumn(b, ids, i, Row.RelationshipID)
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
	if c := b.column(i, exec.FloatColumn); c != nil {
		return append(numbers, c.Floats[:b.Len()]...), nil
	}
	return appendColumn(b, numbers, i, Row.Float)
}

// AppendStrings appends the strings in column i.
func (b Batch) AppendStrings(texts []string, i int) ([]string, error) {
	return appendColumn(b, texts, i, Row.String)
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
	for k := range b.Len() {
		x, err := of(Row{batch: b.batch, at: k}, i)
		if err != nil {
			return list, fmt.Errorf("row %d of the batch: %w", k, err)
		}
		list = append(list, x)
	}
	return list, nil
}
