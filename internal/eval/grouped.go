package eval

import (
	"math"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// GroupedAggregator computes one aggregate for many groups, which have numbers from 0. It charges its account for what it holds.
type GroupedAggregator interface {
	// AddGroup adds the group with the next number.
	AddGroup() error
	// Add gives a value, never null, that occurs mult times to a group.
	Add(group uint32, v value.Value, mult uint64) error
	// AddBatch gives the value in each row of a batch to the group of the row.
	AddBatch(groups []uint32, b *Operand) error
	// SetPercentile tells percentileCont() or percentileDisc() of a group which percentile the query wants.
	SetPercentile(group uint32, v value.Value) error
	Result(group uint32) (value.Value, error)
}

// Operand is a column of values that aggregates read: integers and floats in an array, others one by one.
type Operand struct {
	Kinds []csr.Kind              // by row: 0 is null; csr.KindInt and csr.KindFloat say what Nums has
	Nums  []uint64                // by row
	Value func(i int) value.Value // of a row of another kind
	Mults []uint64                // how often each row occurs; nil: once
	Codes []uint32                // rows with one code have one value, and codes are few; or nil
}

// mult returns how often row i occurs.
func (b *Operand) mult(i int) uint64 {
	if b.Mults == nil {
		return 1
	}
	return b.Mults[i]
}

// value returns the value in row i, which is not null.
func (b *Operand) value(i int) value.Value {
	switch b.Kinds[i] {
	case csr.KindInt:
		return value.OfInt(int64(b.Nums[i]))
	case csr.KindFloat:
		return value.OfFloat(math.Float64frombits(b.Nums[i]))
	}
	return b.Value(i)
}

// OperandOf returns an integer or a float as an Operand has it, kind 0 for null, and csr.KindMixed for other values.
func OperandOf(v value.Value) (csr.Kind, uint64) {
	switch v.Kind() {
	case value.Null:
		return 0, 0
	case value.Int:
		return csr.KindInt, uint64(v.Int())
	case value.Float:
		return csr.KindFloat, math.Float64bits(v.Float())
	}
	return csr.KindMixed, 0
}

// NewGroupedAggregator returns an aggregate without groups.
func NewGroupedAggregator(agg *planner.Agg, s *csr.Snapshot, held *Account) (GroupedAggregator, error) {
	if agg.Distinct {
		plain := *agg
		plain.Distinct = false
		of, err := NewGroupedAggregator(&plain, s, held)
		return newDistinctGroups(of, held), err
	}
	switch agg.Func {
	case "count":
		return &countGroups{groups[counter, *counter]{account: held}}, nil
	case "sum":
		return &sumGroups{groups[sum, *sum]{account: held, first: sum{total: total{account: held}}}}, nil
	case "avg":
		return &averageGroups{groups[average, *average]{account: held, first: average{total: total{account: held}}}}, nil
	case "min", "max":
		sign := 1
		if agg.Func == "min" {
			sign = -1
		}
		return &extremeGroups{groups[extreme, *extreme]{account: held, first: extreme{order: value.Ordering{Snapshot: s}, sign: sign}}}, nil
	}
	return newBoxedGroups(agg, s, held)
}

// groups holds the aggregates of all groups side by side, in chunks: an aggregate never moves, and no array is copied as groups come.
type groups[T any, P interface {
	*T
	Aggregator
	merge(other *T) error
}] struct {
	account *Account
	chunks  [][]T // each but the last has groupsPerChunk
	first   T     // the state of a group without values
}

// groupsPerChunk is nextCap of a smaller number, so that the first chunk grows to just that.
const groupsPerChunk = 256

// at returns the state of a group.
func (g *groups[T, P]) at(group uint32) P {
	return &g.chunks[group/groupsPerChunk][group%groupsPerChunk]
}

func (g *groups[T, P]) AddGroup() (err error) {
	last := len(g.chunks) - 1
	switch {
	case last < 0:
		g.chunks = make([][]T, 1)
		last = 0
	case len(g.chunks[last]) == groupsPerChunk:
		if err := g.account.Charge(int64(unsafe.Sizeof(g.first)) * groupsPerChunk); err != nil {
			return err
		}
		g.chunks = append(g.chunks, make([]T, 0, groupsPerChunk))
		last++
	}
	g.chunks[last], err = Append(g.account, g.chunks[last], g.first)
	return err
}

func (g *groups[T, P]) Add(group uint32, v value.Value, mult uint64) error {
	return g.at(group).Add(v, mult)
}

func (g *groups[T, P]) AddBatch(of []uint32, b *Operand) error {
	for i, group := range of {
		if b.Kinds[i] == 0 {
			continue
		}
		if err := g.Add(group, b.value(i), b.mult(i)); err != nil {
			return err
		}
	}
	return nil
}

func (g *groups[T, P]) SetPercentile(uint32, value.Value) error { return nil }

func (g *groups[T, P]) Result(group uint32) (value.Value, error) { return g.at(group).Result() }

// countGroups computes count().
type countGroups struct{ groups[counter, *counter] }

func (g *countGroups) AddBatch(of []uint32, b *Operand) error {
	if b.Mults != nil {
		return g.groups.AddBatch(of, b)
	}
	for i, group := range of {
		if b.Kinds[i] != 0 {
			g.at(group).n++
		}
	}
	return nil
}

// AddRows counts rows. mults says how often each occurs; nil means once.
func (g *countGroups) AddRows(of []uint32, mults []uint64) error {
	if mults == nil {
		for _, group := range of {
			g.at(group).n++
		}
		return nil
	}
	for i, group := range of {
		if err := g.at(group).Add(value.Value{}, mults[i]); err != nil {
			return err
		}
	}
	return nil
}

// AddRows gives the rows of a batch to count(*).
func AddRows(of GroupedAggregator, groups []uint32, mults []uint64) error {
	return of.(*countGroups).AddRows(groups, mults)
}

// intRun adds up the integers of the rows from i on that are of one group and occur once. It ends before a large one, so that the sum fits.
func (b *Operand) intRun(of []uint32, i int) (end int, sum int64) {
	if b.Mults != nil {
		return i, 0
	}
	group := of[i]
	for end = i; end < len(of) && end < i+1<<10 && of[end] == group && b.Kinds[end] == csr.KindInt; end++ {
		n := int64(b.Nums[end])
		if uint64(n+1<<50) >= 1<<51 {
			break
		}
		sum += n
	}
	return end, sum
}

// sumGroups computes sum().
type sumGroups struct{ groups[sum, *sum] }

func (g *sumGroups) AddBatch(of []uint32, b *Operand) error {
	for i := 0; i < len(of); i++ {
		var err error
		s := g.at(of[i])
		if end, sum := b.intRun(of, i); end > i {
			s.numbers = true
			s.addOne(sum)
			i = end - 1
			continue
		}
		switch b.Kinds[i] {
		case 0:
		case csr.KindInt:
			s.numbers = true
			s.addInt(int64(b.Nums[i]), b.mult(i))
		case csr.KindFloat:
			s.numbers = true
			err = s.addFloat(math.Float64frombits(b.Nums[i]), b.mult(i))
		default:
			err = s.Add(b.Value(i), b.mult(i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// averageGroups computes avg().
type averageGroups struct{ groups[average, *average] }

func (g *averageGroups) AddBatch(of []uint32, b *Operand) error {
	for i := 0; i < len(of); i++ {
		s := g.at(of[i])
		if end, sum := b.intRun(of, i); end > i {
			s.n.n += uint64(end - i)
			s.numbers = true
			s.addOne(sum)
			i = end - 1
			continue
		}
		mult := b.mult(i)
		var err error
		switch b.Kinds[i] {
		case 0:
		case csr.KindInt, csr.KindFloat:
			if err = s.n.Add(value.Value{}, mult); err != nil {
				return err
			}
			if s.numbers = true; b.Kinds[i] == csr.KindInt {
				s.addInt(int64(b.Nums[i]), mult)
			} else {
				err = s.addFloat(math.Float64frombits(b.Nums[i]), mult)
			}
		default:
			err = s.Add(b.Value(i), mult)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extremeGroups computes min() and max().
type extremeGroups struct{ groups[extreme, *extreme] }

func (g *extremeGroups) AddBatch(of []uint32, b *Operand) error {
	for i := 0; i < len(of); i++ {
		group := of[i]
		switch b.Kinds[i] {
		case 0:
		case csr.KindInt:
			best := int64(b.Nums[i])
			for ; i+1 < len(of) && of[i+1] == group && b.Kinds[i+1] == csr.KindInt; i++ { // the run of the group
				if n := int64(b.Nums[i+1]); g.first.sign < 0 {
					best = min(best, n)
				} else {
					best = max(best, n)
				}
			}
			g.at(group).addInt(best)
		default:
			_ = g.at(group).Add(b.value(i), 1) // which cannot fail
		}
	}
	return nil
}
