package motif

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/value"
)

// Rows is a query's result, row by row, while the query runs. Use All, or Batches, or Next, Scan, Err and Close. Close it, or read it
// to the end; both release the query. Only Close, Err and Summary may be called while another goroutine reads the rows. DB.Close
// ends the rows with ErrClosed. Nil Rows have no row, and their error is ErrNoRows.
//
// When a query is cancelled or out of time, its rows end within a tenth of a second. If the query was building an index of the
// graph at that moment, Motif finishes the index in the background, and the next query uses it.
type Rows struct {
	columns []string
	batch   *batch // nil before the first row
	row     Row
	x       *execution
	cancel  context.CancelFunc
	release func()        // lets DB.Close go on
	done    chan struct{} // closed when outcome is set
	outcome outcome
	closed  atomic.Bool
	left    atomic.Pointer[error] // why the rows were left before the query had ended; see receive
	mapped  bool                  // the store may be mapped; see batch.touch
}

// outcome is what the running query leaves behind.
type outcome struct {
	summary Summary
	err     error
}

// grace bounds the wait for a query that must stop.
const grace = 50 * time.Millisecond

// Columns returns the names of the columns.
func (r *Rows) Columns() []string {
	if !r.started() {
		return nil
	}
	return r.columns
}

// started reports whether a query has returned r.
func (r *Rows) started() bool { return r != nil && r.x != nil }

// Next goes on to the next row and reports whether there is one.
func (r *Rows) Next() bool {
	if !r.started() || r.closed.Load() {
		return false
	}
	if r.batch == nil || r.row.at+1 >= r.batch.rows {
		return r.nextBatch()
	}
	r.row.at++
	return true
}

// nextBatch goes on to the first row of the next batch.
func (r *Rows) nextBatch() bool {
	if r.batch != nil {
		r.x.read(r.batch)
	}
	var ok bool
	if r.batch, ok = r.receive(); !ok {
		r.batch = nil
		r.Close()
		return false
	}
	r.batch.width, r.batch.snap = len(r.columns), r.x.shown
	if r.mapped {
		r.batch.lose = func(err error) { r.left.CompareAndSwap(nil, &err) }
		if err := r.batch.touch(); err != nil {
			r.batch.lose(err)
			r.batch = nil
			r.Close()
			return false
		}
	}
	r.row = Row{batch: r.batch}
	return true
}

// touch reads what the rows of b refer to, since methods of Row have no error for damage. What fails later makes a value nil; see show.
func (b *batch) touch() (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer caught(&err, "reading rows", "")
	exec.Touch(b.snap, b.rows, b.columns, b.values)
	return nil
}

// show is fromValue for a value of b. In a mapped store, what cannot be read is nil, and Rows.Err says so.
func (b *batch) show(v value.Value) (x any) {
	if b.lose != nil {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if p := recover(); p != nil {
				b.lose(panicError("reading a row", "", p))
			}
		}()
	}
	return fromValue(b.snap, v)
}

// receive waits for the next rows. When the query's context ends it gives the query a moment to end in order.
func (r *Rows) receive() (b *batch, ok bool) {
	if held := r.x.held; len(held) > 0 {
		b, r.x.held = held[0], held[1:]
		return b, true
	}
	if r.x.whole { // the statement has run to its end
		return nil, false
	}
	select { // most often one waits; the next select takes longer, and may find that the context of a query that is done has ended
	case b, ok = <-r.x.batches:
		return b, ok
	default:
	}
	select {
	case b, ok = <-r.x.batches:
		return b, ok
	case <-r.x.ctx.Done():
	}
	select {
	case b, ok = <-r.x.batches:
		return b, ok
	case <-time.After(grace):
	}
	select { // this goroutine, too, may have been away for longer than that
	case b, ok = <-r.x.batches:
		return b, ok
	default:
		err := r.x.explainEnd(r.x.ctx.Err())
		r.left.Store(&err)
		return b, false
	}
}

// Row returns the current row, which stays valid.
func (r *Rows) Row() Row {
	if r == nil {
		return Row{}
	}
	if r.batch != nil {
		r.batch.expand() // not in Next: a program may only count the rows
	}
	return r.row
}

// Scan copies the current row's values into pointers, one per column; see Row.Scan.
func (r *Rows) Scan(dst ...any) error { return r.Row().Scan(dst...) }

// Err returns the error that ended the rows, if any. It is known once Next has returned false or Close was called.
func (r *Rows) Err() error {
	if !r.started() {
		return errNoRows
	}
	if left := r.left.Load(); left != nil {
		return *left
	}
	select {
	case <-r.done:
		return r.outcome.err
	default:
		return nil
	}
}

// Close stops the query and releases it. It may be called more than once. A query stopped by Close has no error.
func (r *Rows) Close() error {
	if !r.started() || r.closed.Swap(true) {
		return r.Err()
	}
	r.cancel()
	select {
	case <-r.done: // without a timer
		return r.Err()
	default:
	}
	select {
	case <-r.done:
	case <-time.After(grace):
		r.release() // what still runs reads the graph in memory, not the store
	}
	return r.Err()
}

// Summary returns what the query did. Before the query has ended, it returns what is known so far.
func (r *Rows) Summary() Summary {
	if !r.started() {
		return Summary{}
	}
	select {
	case <-r.done:
		return r.outcome.summary
	default:
		return r.x.summary()
	}
}

// All yields every row. An error is yielded last, with a zero Row. The rows are closed when the loop ends.
func (r *Rows) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		defer r.Close()
		for r.Next() {
			if !yield(r.Row(), nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(Row{}, err)
		}
	}
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

// output is the rows of a query on their way to the reader.
type output struct {
	batch   []value.Value
	width   int   // columns
	size    int   // rows the batch still takes: few at first, for a quick first row
	large   int64 // bytes that the values of the batch refer to
	batches chan *batch
	whole   bool          // nobody reads a batch before the statement has ended: it writes, or it has run when start returns
	held    []*batch      // such batches
	unread  atomic.Int64  // bytes in batches, and in the one that is being read
	taken   chan struct{} // says that unread has become less
}

const (
	maxBatch   = 256     // rows
	largeBatch = 1 << 20 // bytes that wait for the reader; a row that is larger waits alone
)

// yield passes on one row.
func (x *execution) yield(row []value.Value) (bool, error) {
	if x.cfg.maxRows > 0 && x.rows.Load() == x.cfg.maxRows {
		return false, errors.Join(x.flush(), ErrRowLimit)
	}
	for _, v := range row {
		if n := v.Bytes() - 24; n > 0 {
			x.large += n
			if err := x.roomToShow(v); err != nil {
				return false, err
			}
		}
	}
	x.rows.Add(1)
	x.batch = append(x.batch, row...)
	if x.size--; x.size > 0 && x.large < largeBatch {
		return true, nil
	}
	return true, x.flush()
}

// yieldBatch passes on many rows at once.
func (x *execution) yieldBatch(b exec.Batch) (bool, error) {
	if err := x.flush(); err != nil {
		return false, err
	}
	rows := b.Len
	if most := x.cfg.maxRows; most > 0 {
		rows = int(min(int64(rows), most-x.rows.Load()))
	}
	bytes := int64(0)
	for i := range b.Columns {
		n, err := x.weigh(&b.Columns[i], rows)
		if err != nil {
			return false, err
		}
		bytes += n
	}
	x.rows.Add(int64(rows))
	if rows > 0 && len(b.Columns) > 0 { // a result without columns has no rows
		if err := x.hand(&batch{rows: rows, columns: b.Columns, bytes: bytes}); err != nil {
			return false, err
		}
	}
	if rows < b.Len {
		return false, ErrRowLimit
	}
	return true, nil
}

// weigh returns the bytes that a column takes. It reports an error if there is no room to show one of its values.
func (x *execution) weigh(c *exec.Column, rows int) (bytes int64, err error) {
	bytes = c.Bytes(rows)
	show := func(v value.Value) error {
		n := v.Bytes() - 24
		if c.Kind == exec.ValueColumn {
			bytes += n
		}
		return x.roomToShow(v)
	}
	switch {
	case c.Kind == exec.ConstantColumn:
		err = show(c.Constant)
	case c.Kind == exec.ValueColumn:
		for _, v := range c.Values[:rows] {
			if err = show(v); err != nil {
				break
			}
		}
	case c.Property != nil && x.cfg.memory > 0 && c.Property.HasText():
		for i := range rows {
			if cell, ok := c.Cell(i); ok && len(cell.Str) > largeValue {
				if err = show(value.OfCell(cell)); err != nil {
					break
				}
			}
		}
	}
	return bytes, err
}

// flush hands the batch over, or gives up when the query has ended. It returns when at most largeBatch bytes wait for the
// reader, so that a slow reader does not make large rows pile up.
func (x *execution) flush() error {
	width := len(x.batch)
	if width == 0 {
		return nil
	}
	b := &batch{rows: width / x.width, values: x.batch, bytes: x.large + 24*int64(cap(x.batch))}
	x.batch, x.large, x.size = make([]value.Value, 0, 2*width), 0, int(min(maxBatch, x.rows.Load()))
	return x.hand(b)
}

// hand passes a batch to the reader.
func (x *execution) hand(b *batch) error {
	if err := x.env.Memory.Charge(b.bytes); err != nil {
		return err
	}
	if x.whole {
		x.held = append(x.held, b)
		return nil
	}
	x.unread.Add(b.bytes)
	select {
	case x.batches <- b:
	case <-x.ctx.Done():
		return x.ctx.Err()
	}
	for x.unread.Load() > largeBatch {
		select {
		case <-x.taken:
		case <-x.ctx.Done():
			return x.ctx.Err()
		}
	}
	return nil
}

// read says that the reader is done with a batch.
func (x *execution) read(b *batch) {
	n := b.bytes
	if b.bytes = 0; n == 0 {
		return
	}
	x.env.Memory.Release(n)
	if x.whole {
		return
	}
	x.unread.Add(-n)
	select {
	case x.taken <- struct{}{}:
	default:
	}
}

// largeValue is the size of a value that is weighed before it is shown.
const largeValue = 1 << 16

// roomToShow reports an error if v is large and there is no room for it as the reader gets it, with its text.
func (x *execution) roomToShow(v value.Value) error {
	if x.cfg.memory <= 0 || v.Bytes()-24 <= largeValue {
		return nil
	}
	n := v.ShownBytes()
	err := x.env.Memory.Charge(n)
	x.env.Memory.Release(n)
	return err
}

// reportProgress calls the query's progress function until the returned function is called.
func (x *execution) reportProgress() (stop func()) {
	if x.cfg.progress == nil {
		return func() {}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				if err := x.tellProgress(); err != nil {
					x.stop(err)
					return
				}
			}
		}
	}()
	return func() {
		close(quit)
		select {
		case <-gone:
		case <-time.After(grace): // the program's function does not return
		}
	}
}

// tellProgress calls the progress function; a panic in it is the error.
func (x *execution) tellProgress() (err error) {
	defer guarded.Recover(&err, "the progress function")
	t := x.env.Tally
	x.cfg.progress(Progress{Elapsed: time.Since(x.start), Rows: x.rows.Load(), PartialMatches: t.Partial.Load(), Done: x.share()})
	return nil
}

// Into yields every row as a T:
//
//   - If T is a struct, each column goes into the field of its name: the name in the field's tag `motif:"name"`, or the field's own
//     name in any letter case. Every column must have a field.
//   - If the query has a single column, and the struct has no field for it, Into scans the value into the struct as Row.Scan does:
//     a node's properties into the fields, for example.
//   - Any other T takes the value of a single column.
func Into[T any](r *Rows) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		columns, err := goTypes.Columns(reflect.TypeFor[T](), r.Columns())
		if !r.started() {
			err = errNoRows
		}
		if err != nil {
			r.Close()
			yield(zero, err)
			return
		}
		for row, err := range r.All() {
			var t T
			for i := 0; i < len(r.columns) && err == nil; i++ {
				err = columns.Store(reflect.ValueOf(&t).Elem(), i, row.At(i))
			}
			if err != nil {
				yield(zero, err)
				return
			}
			if !yield(t, nil) {
				return
			}
		}
	}
}

// One returns the first row as a T, by the rules of Into, and closes the rows. It gives ErrNoRows if the query gives no row.
func One[T any](r *Rows) (T, error) {
	var zero T
	for t, err := range Into[T](r) {
		return t, err
	}
	return zero, ErrNoRows
}
