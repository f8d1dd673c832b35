package exec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// batchedApply is an apply that runs its chain for some rows at a time, and commits what that has changed. If the chain fails for one of
// them, the changes of all of them are undone.
type batchedApply struct {
	apply
	plan    *planner.Batch
	most    uint64 // rows of a batch
	in, out heldRows
	number  int  // of batches so far
	broken  bool // no further batch runs
}

const defaultBatchRows = 1000

// heldRows holds the values of some slots, row by row.
type heldRows struct {
	x     *execution
	slots []int
	rows  []value.Value
	n     int
	kept  bool // somebody may want rows back as they are
}

func (h *heldRows) add(account *eval.Account) error {
	bytes, err := int64(0), error(nil)
	for _, slot := range h.slots {
		v := h.x.row[slot]
		if h.rows, err = eval.Append(account, h.rows, v); err != nil {
			return err
		}
		bytes += v.Bytes() - 24
	}
	h.n++
	account.Rows++
	return account.Charge(bytes)
}

// set makes row i the current row.
func (h *heldRows) set(i int) {
	for j, slot := range h.slots {
		h.x.row[slot] = h.rows[i*len(h.slots)+j]
	}
}

func (h *heldRows) clear() { h.rows, h.n = nil, 0 }

func (h *heldRows) renumber(f func(value.Value) value.Value) error {
	if h.kept {
		h.rows, h.kept = slices.Clone(h.rows), false
	}
	for i, v := range h.rows {
		h.rows[i] = f(v)
	}
	return nil
}

func (h *heldRows) keep() (end func(undo bool)) {
	rows := h.rows
	h.kept = true
	return func(undo bool) {
		if h.kept = false; undo {
			h.rows = rows
		}
	}
}

func newBatchedApply(x *execution, n *planner.Apply, out *outlet) (stage, error) {
	a := &batchedApply{apply: apply{outlet: out, kind: n.Kind, writes: true}, plan: n.Batch, most: defaultBatchRows}
	if n.Batch.Rows != nil {
		var err error
		if a.most, err = x.compiler.Count(n.Batch.Rows, "IN TRANSACTIONS OF"); err != nil {
			return nil, err
		}
		if a.most == 0 {
			return nil, &eval.Error{Code: eval.CodeNegative, Msg: "IN TRANSACTIONS OF needs an integer of 1 or more, not 0", Pos: n.Batch.Rows.Position()}
		}
	}
	live := func() (slots []int) {
		for slot := range x.row {
			if x.compiler.Live[slot] && slot != n.Batch.Status {
				slots = append(slots, slot)
			}
		}
		return slots
	}
	a.out = heldRows{x: x, slots: live()}
	for _, slot := range n.Slots {
		if x.compiler.Live[slot] {
			a.slots = append(a.slots, slot)
		}
	}
	delete(x.compiler.Live, n.Batch.Status)
	var err error
	if a.chain, err = x.innerChain(n.Inner, &port{a.give}, n.Slots); err != nil {
		return nil, err
	}
	out.inner = []*chain{a.chain}
	k := x.point(n)
	a.chain.find = func(p *planner.Plan) planner.Node { return p.Points()[k].(*planner.Apply).Inner }
	a.in = heldRows{x: x, slots: live()}
	a.slots = slices.DeleteFunc(a.slots, func(slot int) bool { return slices.Contains(a.in.slots, slot) }) // a variable from outside, which the chain passes on
	x.newAccount("a batch of rows", out)
	return a, nil
}

// give takes a row of the chain.
func (a *batchedApply) give(mult uint64) (bool, error) {
	a.found = true
	if a.kind == planner.ApplyUnit {
		return true, nil
	}
	for ; mult > 0; mult-- {
		if err := a.out.add(a.account); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (a *batchedApply) push(mult uint64) (bool, error) {
	for ; mult > 0; mult-- {
		if a.in.n == 0 {
			a.x.writes.hold(&a.in)
		}
		if err := a.in.add(a.account); err != nil {
			return false, err
		}
		if uint64(a.in.n) < a.most {
			continue
		}
		if more, err := a.runBatch(); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func (a *batchedApply) flush() (bool, error) {
	if a.in.n > 0 {
		if more, err := a.runBatch(); err != nil || !more {
			return more, err
		}
	}
	return a.outlet.flush()
}

// runBatch runs the chain for the rows of the batch and emits what comes of it.
func (a *batchedApply) runBatch() (more bool, err error) {
	var failed error
	a.number++
	started := !a.broken
	if started {
		w := a.x.writes
		end := func(bool) error { return nil }
		if a.plan.OnError != lang.ErrorFails {
			if end, err = w.savepoint(); err != nil {
				return false, err
			}
		}
		w.hold(&a.out)
		failed = a.attempt()
		switch {
		case failed == nil:
			if err = end(false); err == nil {
				err = w.commitBatch(a.in.n)
			}
			w.release(&a.out)
		case !a.survives(failed):
			return false, failed
		default:
			err = end(true)
			a.chain.snap, a.broken = nil, a.plan.OnError == lang.ErrorBreaks
			a.out.clear()
		}
		if err != nil {
			return false, err
		}
	}
	more, err = a.emitBatch(started, failed)
	a.x.writes.release(&a.in)
	a.in.clear()
	a.out.clear()
	a.account.Release()
	a.account.Rows = 0
	return more, err
}

// attempt runs the chain for each row of the batch, and checks the constraints.
func (a *batchedApply) attempt() error {
	w := a.x.writes
	since := len(w.draft.Changes())
	for i := range a.in.n {
		a.in.set(i)
		a.found = false
		mark := a.x.input.Mark()
		if err := a.chain.refresh(); err != nil {
			return err
		}
		if err := a.chain.run(); err != nil {
			a.x.compiler.Settle(&a.x.input, mark)
			return err
		}
		a.in.set(i)
		if a.kind == planner.ApplyOptional && !a.found {
			a.setNulls()
			a.found = true
		} else if a.kind != planner.ApplyUnit {
			continue
		}
		if err := a.out.add(a.account); err != nil {
			return err
		}
	}
	return w.checkConstraints(since)
}

func (a *batchedApply) setNulls() {
	for _, slot := range a.slots {
		a.x.row[slot] = value.Value{}
	}
}

// survives reports whether the statement goes on after an error in a batch: not after what concerns the whole query.
func (a *batchedApply) survives(err error) bool {
	var e *eval.Error
	return a.plan.OnError != lang.ErrorFails && errors.As(err, &e) && a.x.ctx.Err() == nil && e.Code != eval.CodeInternal && e.Code != codeLimit && !errors.Is(err, pattern.ErrMemory)
}

// emitBatch emits the rows of a batch that ended well, or else each input row once.
func (a *batchedApply) emitBatch(started bool, failed error) (more bool, err error) {
	rows, ok := &a.out, started && failed == nil
	if !ok {
		rows = &a.in
	}
	var status value.Value
	if a.plan.Status >= 0 {
		status = a.status(started, failed)
	}
	for i := range rows.n {
		rows.set(i)
		if !ok {
			a.setNulls()
		}
		if a.plan.Status >= 0 {
			a.x.row[a.plan.Status] = status
		}
		if more, err := a.emitSampled(1); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// status is what REPORT STATUS reports.
func (a *batchedApply) status(started bool, failed error) value.Value {
	id, msg := value.Value{}, value.Value{}
	if started {
		id = value.OfString(fmt.Sprint("batch-", a.number))
	}
	if failed != nil {
		msg = value.OfString(failed.Error())
	}
	return value.OfMap(&value.MapValue{Keys: []string{"started", "committed", "transactionId", "errorMessage"},
		Values: []value.Value{value.OfBool(started), value.OfBool(started && failed == nil), id, msg}})
}

// commitBatch stores what a batch of rows has changed, and renumbers the rows that are held.
func (w *writing) commitBatch(rows int) error {
	if w.commit == nil {
		return nil
	}
	if w.mark != len(w.draft.Changes()) {
		if err := w.advance(); err != nil {
			return err
		}
	}
	if err := w.commit(w.x.ctx); err != nil {
		return err
	}
	w.batches, w.batchRows = w.batches+1, w.batchRows+rows
	w.mark, w.began = csr.Mark(w.draft), len(w.draft.Changes())
	return w.charge(nil)
}

// Tell adds to an error how many batches were committed before it, and how many rows they had; fewer than none: nobody knows.
func Tell(err error, batches, rows int) error {
	if err == nil || batches == 0 {
		return err
	}
	text := "; stored before: " + Stored(batches, rows)
	var e *eval.Error
	if errors.As(err, &e) {
		told := *e
		told.Msg += text
		return &told
	}
	return fmt.Errorf("%w%s", err, text)
}

// Stored says how many batches were committed, and how many rows they had.
func Stored(batches, rows int) string {
	text := howMany(batches, "batch", "batches")
	if rows >= 0 {
		text += " of " + howMany(rows, "row", "rows")
	}
	return text
}

func howMany(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// BatchesInside is the error of a statement that commits batches, in a transaction that others end. pos says where IN TRANSACTIONS is.
func BatchesInside(pos lang.Pos) error {
	return &eval.Error{Code: "TransactionError.BatchesInTransaction", Pos: pos, Msg: "CALL { } IN TRANSACTIONS commits each batch, which a statement in a transaction cannot do",
		Hint: "run it by itself: by DB.Exec in a program, after COMMIT or ROLLBACK in the shell, without --single-transaction in a script"}
}

// savepoint marks the state of the statement. end(true) goes back to it.
func (w *writing) savepoint() (end func(undo bool) error, err error) {
	if w.mark != len(w.draft.Changes()) {
		if err := w.advance(); err != nil {
			return nil, err
		}
	}
	x, p := w.x, w.draft.Savepoint()
	s, mark, changes, holders := x.s, w.mark, w.changes, slices.Clone(w.holders)
	row := slices.Clone(x.row)
	ends := make([]func(bool), len(holders))
	for i, h := range holders {
		ends[i] = h.keep()
	}
	return func(undo bool) error {
		for _, f := range ends {
			f(undo)
		}
		if !undo {
			return nil
		}
		x.s, w.mark, w.changes, w.holders = s, mark, changes, holders
		copy(x.row, row)
		clear(w.deadNodes)
		clear(w.deadRels)
		return w.draft.Restore(p)
	}, nil
}
