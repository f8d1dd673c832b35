package exec

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
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
	// add is number for given values.
	add(values []value.Value) (id uint32, fresh bool, err error)
}

// valueKeys are rowKeys for columns of any kind. They number the values of each column, and then the tuples of numbers.
type valueKeys struct {
	x       *execution
	fns     []eval.Func
	late    []lateColumn // by column: how a batch has it
	columns []eval.Dictionary
	pairs   []eval.PairTable // one for each column but the first: the numbers of the tuples up to there
	account *eval.Account
	own     map[uint32][]value.Value // the values of a tuple that its columns' dictionaries show otherwise: 1 as 1.0
	boxed   bool                     // such tuples may occur: batches are numbered row by row
	ids     []uint32                 // scratch of numberBatch
	codes   []uint32
	values  []value.Value  // scratch of number
	operand []eval.Operand // by column
}

// newValueKeys returns valueKeys for columns that fns compute. exprs say what they read.
func newValueKeys(x *execution, exprs []lang.Expr, fns []eval.Func, account *eval.Account) *valueKeys {
	items := make([]planner.Item, len(exprs))
	for i, e := range exprs {
		items[i].Expr = e
	}
	k := &valueKeys{x: x, fns: fns, late: x.late(items), account: account, values: make([]value.Value, len(fns)), operand: make([]eval.Operand, len(fns))}
	for i := range fns {
		k.late[i].memoise(x, exprs[i], fns[i], account)
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
	k.own, k.boxed = nil, false
}

func (k *valueKeys) number() (id uint32, fresh bool, err error) {
	for i, fn := range k.fns {
		v, err := fn(&k.x.input)
		if err != nil {
			return 0, false, err
		}
		k.values[i] = v
	}
	return k.numberValues()
}

// numberValues is number for the values in k.values.
func (k *valueKeys) numberValues() (id uint32, fresh bool, err error) {
	for i, v := range k.values {
		switch v.Kind() {
		case value.Float, value.List, value.Map: // see readBatch
			k.boxed = true
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
	if fresh && len(k.pairs) > 0 {
		err = k.remember(id)
	}
	return id, fresh, err
}

func (k *valueKeys) add(values []value.Value) (id uint32, fresh bool, err error) {
	copy(k.values, values)
	return k.numberValues()
}

// remember keeps the values of a new tuple if the dictionaries have equivalent ones that look different.
func (k *valueKeys) remember(id uint32) error {
	same := true
	k.setShared(id, func(column int, v value.Value) { same = same && looksAlike(v, k.values[column]) })
	if same {
		return nil
	}
	if k.own == nil {
		k.own = make(map[uint32][]value.Value)
	}
	k.own[id] = slices.Clone(k.values)
	bytes := int64(eval.EntryBytes)
	for _, v := range k.values {
		bytes += v.Bytes()
	}
	return k.account.Charge(bytes)
}

// looksAlike reports whether equivalent values are surely the same.
func looksAlike(a, b value.Value) bool {
	switch a.Kind() {
	case value.Float:
		return b.Kind() == value.Float && math.Signbit(a.Float()) == math.Signbit(b.Float())
	case value.List, value.Map:
		return false
	}
	return a.Kind() == b.Kind()
}

// readBatch reads the columns of a batch. It reports false if some must be computed, or have values that may be equivalent to others
// without looking like them.
func (k *valueKeys) readBatch(n int) bool {
	for j := range k.late {
		o := &k.operand[j]
		if !readOperand(k.x, &k.late[j], n, o) {
			return false
		}
		for i, kind := range o.Kinds {
			switch kind {
			case csr.KindFloat:
				if f := math.Float64frombits(o.Nums[i]); f == math.Trunc(f) {
					return false
				}
			case csr.KindMixed, csr.KindEncoded:
				if v := o.Value(i).Kind(); v == value.List || v == value.Map || v == value.Float {
					return false
				}
			}
		}
	}
	return true
}

// numberRows is numberBatch row by row.
func (k *valueKeys) numberRows(n int) (done []uint32, err error) {
	x, mark := k.x, k.x.input.Mark()
	k.ids = k.ids[:0]
	err = x.eachRow(0, n, func(int) (bool, error) {
		id, _, err := k.number()
		if err == nil {
			k.ids = append(k.ids, id)
		}
		x.compiler.Settle(&x.input, mark)
		return true, err
	})
	x.compiler.Settle(&x.input, mark)
	return k.ids, err
}

func (k *valueKeys) numberBatch(n int) (done []uint32, err error) {
	if len(k.pairs) > 0 {
		if k.boxed = k.boxed || !k.readBatch(n); k.boxed {
			return k.numberRows(n)
		}
	}
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
	if readOperand(x, &k.late[column], len(codes), &k.operand[column]) {
		return d.Numbers(&k.operand[column], codes)
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
	if own := k.own[id]; own != nil {
		for i, v := range own {
			set(i, v)
		}
		return
	}
	k.setShared(id, set)
}

// setShared passes on the values of the dictionaries.
func (k *valueKeys) setShared(id uint32, set func(column int, v value.Value)) {
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
