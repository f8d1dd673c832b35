package exec

import (
	"slices"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// rowKeys tells rows apart by the values in some columns: it numbers the tuples of values.
type rowKeys interface {
	// number returns the number of the current row's values, and whether no row before had them. Numbers rise from 0 in order of appearance.
	number() (id uint32, fresh bool, err error)
	// numberBatch is number for n rows of the batch. Before an error, it numbers the rows of done.
	numberBatch(n int) (done []uint32, err error)
	// set passes on the value of each column of a number.
	set(id uint32, set func(column int, v value.Value))
}

// valueKeys are rowKeys for columns of any kind. They number the values of each column, and then the tuples of numbers.
type valueKeys struct {
	x       *execution
	fns     []eval.Func
	late    []lateColumn // by column: how a batch has it
	columns []eval.Dictionary
	pairs   []eval.PairTable // one for each column but the first: the numbers of the tuples up to there
	ids     []uint32         // scratch of numberBatch
	codes   []uint32
	operand eval.Operand
}

// newValueKeys returns valueKeys for columns that fns compute. exprs say what they read.
func newValueKeys(x *execution, exprs []lang.Expr, fns []eval.Func, account *eval.Account) *valueKeys {
	items := make([]planner.Item, len(exprs))
	for i, e := range exprs {
		items[i].Expr = e
	}
	k := &valueKeys{x: x, fns: fns, late: x.late(items)}
	for i := range fns {
		k.columns = append(k.columns, eval.NewDictionary(account))
		if i > 0 {
			k.pairs = append(k.pairs, eval.NewPairTable(account))
		}
	}
	return k
}

// reset forgets all values. The account's owner releases it.
func (k *valueKeys) reset() {
	for i := range k.columns {
		k.columns[i].Reset()
	}
	for i := range k.pairs {
		k.pairs[i].Reset()
	}
}

func (k *valueKeys) number() (id uint32, fresh bool, err error) {
	for i, fn := range k.fns {
		v, err := fn(&k.x.input)
		if err != nil {
			return 0, false, err
		}
		known := k.columns[i].Len()
		code, err := k.columns[i].Number(v)
		if err != nil {
			return 0, false, err
		}
		if i == 0 {
			id, fresh = code, int(code) == known
		} else if id, fresh, err = k.pairs[i-1].Put(id, code); err != nil {
			return 0, false, err
		}
	}
	return id, fresh, nil
}

func (k *valueKeys) numberBatch(n int) (done []uint32, err error) {
	k.ids = slices.Grow(k.ids[:0], n)[:n]
	if n, err = k.numberColumn(0, k.ids); len(k.pairs) == 0 {
		return k.ids[:n], err
	}
	k.codes = slices.Grow(k.codes[:0], n)[:n]
	for i := range k.pairs {
		some, failed := k.numberColumn(i+1, k.codes[:n])
		if failed != nil {
			n, err = some, failed
		}
		if failed := k.pairs[i].PutBatch(k.ids[:n], k.codes[:n]); failed != nil {
			return nil, failed
		}
	}
	return k.ids[:n], err
}

// numberColumn writes the numbers of a column's values into codes, for as many rows of the batch. Before an error, it does so for done rows.
func (k *valueKeys) numberColumn(column int, codes []uint32) (done int, err error) {
	x, d := k.x, &k.columns[column]
	if readOperand(x, &k.late[column], len(codes), &k.operand) {
		return d.Numbers(&k.operand, codes)
	}
	mark := x.input.Mark()
	err = x.eachRow(0, len(codes), func(i int) (bool, error) {
		v, err := k.fns[column](&x.input)
		if err == nil {
			codes[i], err = d.Number(v)
		}
		x.compiler.Settle(&x.input, mark)
		if err == nil {
			done++
		}
		return true, err
	})
	x.compiler.Settle(&x.input, mark)
	return done, err
}

func (k *valueKeys) set(id uint32, set func(column int, v value.Value)) {
	for i := len(k.columns) - 1; i >= 0; i-- {
		code := id
		if i > 0 {
			id, code = k.pairs[i-1].Pair(id)
		}
		set(i, k.columns[i].Value(code))
	}
}

// freshRows appends the rows of a batch whose numbers appear for the first time to rows. known is how many numbers there were before.
func freshRows(rows []int, ids []uint32, known uint32) []int {
	for i, id := range ids {
		if id == known { // numbers rise in order of appearance
			rows = append(rows, i)
			known++
		}
	}
	return rows
}
