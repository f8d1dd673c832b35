package eval

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
)

// span sums durations, which no aggregate may mix with numbers.
type span struct {
	any     bool // the group has a duration
	numbers bool // the group has a number
	sum     *temporal.Duration
}

// add reports whether v is a duration, and adds it if so.
func (s *span) add(v value.Value, mult uint64) (done bool, err error) {
	d, ok := v.Duration()
	if !ok {
		return false, nil
	}
	s.any = true
	if d, err = d.Times(new(big.Rat).SetInt(new(big.Int).SetUint64(mult))); err == nil {
		if s.sum == nil {
			s.sum = new(temporal.Duration)
		}
		*s.sum, err = s.sum.Plus(d)
	}
	if err != nil {
		return true, Overflow("the sum of durations")
	}
	return true, nil
}

func (s *span) result(name string, n int64) (value.Value, error) {
	if s.numbers {
		return value.Value{}, Errorf(CodeArgumentType, "%s() cannot add numbers and durations", name)
	}
	return duration(s.sum.Times(big.NewRat(1, n)))
}

// percentile computes percentileCont() and percentileDisc(); null for no values.
type percentile struct {
	account    *Account
	continuous bool
	part       float64
	values     []value.Value
	mults      []uint64
}

// setPercentile tells percentileCont() or percentileDisc() which percentile the query wants, from 0 to 1.
func setPercentile(of Aggregator, v value.Value) error {
	f, ok := number(v)
	if !ok {
		return Errorf(CodeArgumentType, "a percentile is a number from 0 to 1, not %s", Describe(v))
	}
	if !(f >= 0 && f <= 1) {
		return Errorf(codeRange, "a percentile is a number from 0 to 1, not %v", v)
	}
	of.(*percentile).part = f
	return nil
}

func (p *percentile) Add(v value.Value, mult uint64) error {
	if _, ok := number(v); !ok {
		return badArgument(map[bool]string{true: "percentileCont", false: "percentileDisc"}[p.continuous], "numbers", v)
	}
	p.account.Rows++
	err := p.account.Charge(8) // its place in the order of Result
	if err != nil {
		return err
	}
	if p.values, err = Append(p.account, p.values, v); err != nil {
		return err
	}
	p.mults, err = Append(p.account, p.mults, mult)
	return err
}

// order returns the places of the values, the smallest value first.
func (p *percentile) order() []int {
	order := make([]int, len(p.values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(value.Compare(p.values[i], p.values[j]), cmp.Compare(p.values[i].Kind(), p.values[j].Kind()))
	})
	return order
}

// ranks returns the value of each rank from 0 on, and how many ranks there are.
func (p *percentile) ranks() (at func(rank uint64) value.Value, total uint64) {
	if ints := p.ints(); ints != nil {
		slices.Sort(ints)
		n := uint64(len(ints))
		return func(rank uint64) value.Value { return value.OfInt(ints[min(rank, n-1)]) }, n
	}
	order := p.order()
	for _, mult := range p.mults {
		total += mult
	}
	return func(rank uint64) value.Value {
		for _, i := range order {
			if rank < p.mults[i] {
				return p.values[i]
			}
			rank -= p.mults[i]
		}
		return p.values[order[len(order)-1]]
	}, total
}

// ints returns the values if they are integers that occur once, else nil.
func (p *percentile) ints() []int64 {
	ints := make([]int64, len(p.values))
	for i, v := range p.values {
		if v.Kind() != value.Int || p.mults[i] != 1 {
			return nil
		}
		ints[i] = v.Int()
	}
	return ints
}

func (p *percentile) Result() (value.Value, error) {
	if len(p.values) == 0 {
		return value.Value{}, nil
	}
	at, total := p.ranks()
	if !p.continuous {
		rank := math.Ceil(p.part * float64(total))
		return at(uint64(max(rank, 1)) - 1), nil
	}
	place := p.part * float64(total-1)
	low := math.Floor(place)
	x, _ := number(at(uint64(low)))
	if low == place {
		return value.OfFloat(x), nil
	}
	y, _ := number(at(uint64(low) + 1))
	return value.OfFloat(x + (y-x)*(place-low)), nil
}
