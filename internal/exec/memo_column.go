package exec

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// memoColumn computes an expression that reads one property, such as CASE WHEN e.w < 20 THEN 'low' ELSE 'high' END, once for each value of
// the property. Many rows have few values.
type memoColumn struct {
	arg     lateColumn // the property
	fn      eval.Func
	account *eval.Account
	inputs  eval.Dictionary // integers, texts and null: an integer and the float equal to it would share a number
	results []value.Value   // by number of the input
	kinds   []csr.Kind
	nums    []uint64
	rows    int
	off     bool // it does not pay, or there was an error, which comes again row by row
	in      eval.Operand
	codes   []uint32
}

// memoRows is how many values there may be before they have to occur so many times on average.
const memoRows, memoUses = 1024, 4

// planMemo returns a memoColumn for e, which fn computes; nil if e reads something else than one property.
func planMemo(x *execution, e lang.Expr, fn eval.Func, account *eval.Account) *memoColumn {
	property := onlyProperty(x, e)
	if property == nil || fn == nil || property == e {
		return nil
	}
	m := &memoColumn{arg: lateOf(x, property), fn: fn, account: account, inputs: eval.NewDictionary(account)}
	if m.arg.from < 0 || m.arg.large {
		return nil
	}
	return m
}

// onlyProperty returns the property of a variable that e reads, if it reads just that one and gives the same value for the same property.
func onlyProperty(x *execution, e lang.Expr) *lang.Property {
	var found *lang.Property
	sole := true
	lang.Walk(e, func(e lang.Expr) bool {
		switch e := e.(type) {
		case *lang.Property:
			of, ok := e.Of.(*lang.Var)
			if !ok {
				return true
			}
			if found == nil {
				found = e
			}
			sole = sole && e.Key == found.Key && of.Name == found.Of.(*lang.Var).Name && x.plan.Subs[e] == nil
			return false
		case *lang.Var:
			sole = false
		case *lang.Call:
			sole = sole && !slices.ContainsFunc(lang.Functions, func(f lang.Function) bool { return f.Volatile && strings.EqualFold(f.Name, e.Name) })
		}
		sole = sole && x.plan.Subs[e] == nil
		return sole
	})
	if !sole {
		return nil
	}
	return found
}

// read is readOperand for the expression.
func (m *memoColumn) read(x *execution, n int, o *eval.Operand) bool {
	if m.off || !readOperand(x, &m.arg, n, &m.in) {
		return false
	}
	for i, kind := range m.in.Kinds {
		if kind != 0 && kind != csr.KindInt && (kind != csr.KindString || m.in.Value(i).Kind() != value.String) {
			return false
		}
	}
	m.codes = slices.Grow(m.codes[:0], n)[:n]
	if _, err := m.inputs.Numbers(&m.in, m.codes); err != nil {
		m.off = true
		return false
	}
	o.Kinds, o.Nums = slices.Grow(o.Kinds[:0], n)[:n], slices.Grow(o.Nums[:0], n)[:n]
	for i, code := range m.codes {
		if int(code) == len(m.results) && !m.compute(x, i) {
			return false
		}
		o.Kinds[i], o.Nums[i] = m.kinds[code], m.nums[code]
	}
	o.Codes, o.Value = m.codes, func(i int) value.Value { return m.results[m.codes[i]] }
	m.count(n)
	return true
}

// count gives the memo up if values come up too rarely.
func (m *memoColumn) count(rows int) {
	m.rows += rows
	m.off = len(m.results) > memoRows && m.rows < memoUses*len(m.results)
}

// compute computes the result for row i of the batch, whose input has the next number.
func (m *memoColumn) compute(x *execution, i int) bool {
	x.load(i)
	mark := x.input.Mark()
	v, err := m.fn(&x.input)
	if err == nil {
		err = m.account.Charge(32 + v.Bytes())
	}
	x.compiler.Settle(&x.input, mark)
	if err != nil {
		m.off = true
		return false
	}
	kind, num := eval.OperandOf(v)
	m.results, m.kinds, m.nums = append(m.results, v), append(m.kinds, kind), append(m.nums, num)
	return true
}

// at returns the result for row i of the batch. It reports false if that has to be computed.
func (m *memoColumn) at(x *execution, i int) (value.Value, bool) {
	if m.off {
		return value.Value{}, false
	}
	c, ok := m.arg.of(x.columns[m.arg.from])
	if !ok {
		return value.Value{}, false
	}
	in := c.Value(x.s, i)
	if k := in.Kind(); k != value.Int && k != value.String && k != value.Null {
		return value.Value{}, false
	}
	code, err := m.inputs.Number(in)
	if err != nil {
		m.off = true
		return value.Value{}, false
	}
	if int(code) == len(m.results) && !m.compute(x, i) {
		return value.Value{}, false
	}
	m.count(1)
	return m.results[code], true
}
