package exec

import (
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// unwind emits a row for every element of a list.
type unwind struct {
	*outlet
	list  eval.Loop
	expr  lang.Expr
	slot  int   // -1: nobody reads them
	at    int   // of the place of an element; -1: nobody reads it
	first int64 // the place of the first
}

func (x *execution) newUnwind(n *planner.Unwind, out *outlet) (stage, error) {
	u := &unwind{outlet: out, slot: -1, at: -1, first: n.First, expr: n.List}
	if n.Slot >= 0 && x.compiler.Live[n.Slot] {
		u.slot = n.Slot
		delete(x.compiler.Live, n.Slot)
	}
	if n.At >= 0 && x.compiler.Live[n.At] {
		u.at = n.At
		delete(x.compiler.Live, n.At)
	}
	out.exact = worksLong(out.next)
	var err error
	u.list, err = x.compiler.Loop(n.List)
	return u, err
}

func (u *unwind) push(mult uint64) (bool, error) {
	v, of, err := u.list(&u.x.input)
	if err != nil || v.IsNull() {
		return err == nil, err
	}
	for i := range of.Len() {
		u.set(of.At(i), i)
		if more, err := u.emitSampled(mult); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func (u *unwind) set(v value.Value, i int) {
	if u.slot >= 0 {
		u.x.row[u.slot] = v
	}
	if u.at >= 0 {
		u.x.row[u.at] = value.OfInt(u.first + int64(i))
	}
}
