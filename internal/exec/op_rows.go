package exec

import (
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Operators that hold no rows, and Distinct, which holds keys.

// filter keeps the rows for which its condition is true.
type filter struct {
	*outlet
	cond eval.Func
	expr lang.Expr
	rows []int // of a batch that pass
}

func (f *filter) push(mult uint64) (bool, error) {
	v, err := f.cond(&f.x.input)
	if err != nil {
		return false, err
	}
	ok, err := eval.Holds(v, f.expr)
	if err != nil || !ok {
		return err == nil, err
	}
	return f.emit(mult)
}

// project computes expressions into slots.
type project struct {
	*outlet
	fns   []eval.Func
	slots []int
	late  []lateColumn // by item, for batches
}

func (p *project) push(mult uint64) (bool, error) {
	for i, fn := range p.fns {
		v, err := fn(&p.x.input)
		if err != nil {
			return false, err
		}
		p.x.row[p.slots[i]] = v
	}
	return p.emit(mult)
}

// distinct passes on the first of equivalent rows.
type distinct struct {
	*outlet
	slots  []int
	values []value.Value
	keys   eval.KeySet
}

func (d *distinct) push(uint64) (bool, error) {
	for i, slot := range d.slots {
		d.values[i] = d.x.row[slot]
	}
	fresh, err := d.keys.Add(d.values...)
	if err != nil || !fresh {
		return err == nil, err
	}
	return d.emit(1)
}

func (d *distinct) reset() { d.keys.Reset() }

// skip drops the first rows.
type skip struct {
	*outlet
	left, n uint64
}

func (s *skip) reset() { s.left = s.n }

func (s *skip) push(mult uint64) (bool, error) {
	n := min(s.left, mult)
	s.left -= n
	if mult -= n; mult == 0 {
		return true, nil
	}
	return s.emit(mult)
}

// limit passes on the first rows and then wants no more.
type limit struct {
	*outlet
	left, n uint64
}

func (l *limit) reset() { l.left = l.n }

func (l *limit) push(mult uint64) (bool, error) {
	n := min(l.left, mult)
	if l.left -= n; n == 0 {
		return false, nil
	}
	more, err := l.emit(n)
	return more && l.left > 0, err
}
