package eval

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// Aggregator computes one aggregate of one group. Add takes a value, never null, that occurs mult times.
type Aggregator interface {
	Add(v value.Value, mult uint64) error
	Result() (value.Value, error)
}

// newAggregator returns an aggregate that has no values yet. It charges what it holds to held.
func newAggregator(agg *planner.Agg, s *csr.Snapshot, held *Account) (of Aggregator, err error) {
	switch agg.Func {
	case "count":
		of = &counter{}
	case "sum":
		of = &sum{total: total{account: held}}
	case "avg":
		of = &average{total: total{account: held}}
	case "min":
		of = &extreme{order: value.Ordering{Snapshot: s}, sign: -1}
	case "max":
		of = &extreme{order: value.Ordering{Snapshot: s}, sign: 1}
	case "percentilecont", "percentiledisc":
		of = &percentile{account: held, continuous: agg.Func == "percentilecont"}
	case "stdev", "stdevp":
		of = &deviation{account: held, sample: agg.Func == "stdev"}
	case "collect":
		of = &collector{account: held}
	default:
		return nil, &Error{Code: CodeInternal, Msg: fmt.Sprintf("unknown aggregate %s", agg.Func)}
	}
	return of, nil
}

// counter computes count().
type counter struct{ n uint64 }

func (c *counter) Add(_ value.Value, mult uint64) error {
	if c.n += mult; c.n < mult || c.n > math.MaxInt64 {
		return Overflow("the number of rows in count()")
	}
	return nil
}

func (c *counter) Result() (value.Value, error) { return value.OfInt(int64(c.n)), nil }

// total adds integers in 192 bits and floats in an exactSum. So only a result that does not fit is an error, and the order of rows does
// not matter. One float makes the result a float.
type total struct {
	hi      int64 // of 192 bits, two's complement
	mid     uint64
	lo      uint64
	floats  *exactSum // nil: there was no float
	account *Account
}

func (t *total) add(name string, v value.Value, mult uint64) error {
	switch v.Kind() {
	case value.Int:
		t.addInt(v.Int(), mult)
	case value.Float:
		return t.addFloat(v.Float(), mult)
	default:
		return badArgument(name, "numbers", v)
	}
	return nil
}

func (t *total) addInt(n int64, mult uint64) {
	hi, lo := bits.Mul64(magnitude(n), mult)
	var c uint64
	if n < 0 {
		t.lo, c = bits.Sub64(t.lo, lo, 0)
		t.mid, c = bits.Sub64(t.mid, hi, c)
		t.hi -= int64(c)
		return
	}
	t.lo, c = bits.Add64(t.lo, lo, 0)
	t.mid, c = bits.Add64(t.mid, hi, c)
	t.hi += int64(c)
}

// addOne adds n once.
func (t *total) addOne(n int64) {
	var c uint64
	sign := n >> 63
	t.lo, c = bits.Add64(t.lo, uint64(n), 0)
	t.mid, c = bits.Add64(t.mid, uint64(sign), c)
	t.hi += sign + int64(c)
}

func (t *total) addFloat(x float64, mult uint64) error {
	if t.floats == nil {
		if err := t.account.Charge(exactSumBytes); err != nil {
			return err
		}
		t.floats = new(exactSum)
	}
	return t.floats.add(t.account, x, mult)
}

// int returns the sum of the integers.
func (t *total) int() *big.Int {
	n := big.NewInt(t.hi)
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(t.mid))
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(t.lo))
}

// small returns the sum of the integers if it is an int64.
func (t *total) small() (n int64, ok bool) {
	sign := int64(t.lo) >> 63
	return int64(t.lo), t.hi == sign && t.mid == uint64(sign)
}

// sum computes sum(); 0 for no values.
type sum struct {
	total
	span
}

func (s *sum) Add(v value.Value, mult uint64) error {
	if done, err := s.span.add(v, mult); done {
		return err
	}
	s.numbers = true
	return s.total.add("sum", v, mult)
}

func (s *sum) Result() (value.Value, error) {
	if s.any {
		return s.span.result("sum", 1)
	}
	if s.floats != nil {
		return value.OfFloat(s.floats.float(s.lo, s.mid, s.hi)), nil
	}
	n, ok := s.small()
	if !ok {
		return value.Value{}, Overflow("the sum %v", s.int())
	}
	return value.OfInt(n), nil
}

// average computes avg(); null for no values.
type average struct {
	total
	span
	n counter
}

func (s *average) Add(v value.Value, mult uint64) error {
	if err := s.n.Add(v, mult); err != nil {
		return err
	}
	if done, err := s.span.add(v, mult); done {
		return err
	}
	s.numbers = true
	return s.total.add("avg", v, mult)
}

func (s *average) Result() (value.Value, error) {
	if s.n.n == 0 {
		return value.Value{}, nil
	}
	if s.any {
		return s.span.result("avg", int64(s.n.n))
	}
	return value.OfFloat(s.mean(s.n.n)), nil
}

// mean divides the sum by n. Of integers it rounds once: a large sum would lose digits as a float first.
func (t *total) mean(n uint64) float64 {
	if f := t.floats; f != nil {
		sum := f.float(t.lo, t.mid, t.hi)
		if math.IsInf(sum, 0) && !f.plus && !f.minus {
			return f.mean(t.lo, t.mid, t.hi, n)
		}
		return sum / float64(n)
	}
	if sum, ok := t.small(); ok && magnitude(sum) < 1<<53 {
		return float64(sum) / float64(n)
	}
	mean, _ := new(big.Rat).SetFrac(t.int(), new(big.Int).SetUint64(n)).Float64()
	return mean
}

// extreme computes min() and max() in the order of ORDER BY; null for no values.
type extreme struct {
	order    value.Ordering
	sign     int
	any, int bool  // there is a value, an integer
	n        int64 // the integer
	v        value.Value
}

func (e *extreme) Add(v value.Value, _ uint64) error {
	if v.Kind() == value.Int {
		e.addInt(v.Int())
	} else if !e.any || e.sign*e.order.Compare(v, e.value()) > 0 {
		e.any, e.int, e.v = true, false, v
	}
	return nil
}

func (e *extreme) addInt(n int64) {
	switch {
	case e.int && e.sign > 0:
		e.n = max(e.n, n)
	case e.int:
		e.n = min(e.n, n)
	case !e.any || e.sign*e.order.Compare(value.OfInt(n), e.v) > 0:
		e.any, e.int, e.n, e.v = true, true, n, value.Value{}
	}
}

func (e *extreme) value() value.Value {
	if e.int {
		return value.OfInt(e.n)
	}
	return e.v
}

func (e *extreme) Result() (value.Value, error) { return e.value(), nil }

// collector computes collect().
type collector struct {
	account *Account
	values  []value.Value
}

func (c *collector) Add(v value.Value, mult uint64) error {
	bytes := v.Bytes() - 24
	for ; mult > 0; mult-- {
		c.account.Rows++
		if bytes > 0 {
			if err := c.account.Charge(bytes); err != nil {
				return err
			}
		}
		var err error
		if c.values, err = Append(c.account, c.values, v); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) Result() (value.Value, error) { return value.OfList(c.values), nil }
