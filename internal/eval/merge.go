package eval

import (
	"math"
	"math/bits"

	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// Merging. Several workers aggregate rows each on its own; then the groups of one take over those of the others.

// InOrder reports whether the result of an aggregate depends on the order of its values, as the list of collect() does. Groups of all others
// can be merged in any order.
func InOrder(agg *planner.Agg) bool { return agg.Func == "collect" }

// Merge gives the values of each group of other, which has the same aggregate, to a group of g. The list into has the group of g for each
// group of other. g may keep parts of other.
func Merge(g, other GroupedAggregator, into []uint32) error { return g.(merger).merge(other, into) }

// merger is a GroupedAggregator that can be merged.
type merger interface {
	merge(other GroupedAggregator, into []uint32) error
}

// noGroup stands in a list of groups for one that is not merged.
const noGroup = math.MaxUint32

func (g *groups[T, P]) mergeGroups(other *groups[T, P], into []uint32) error {
	for i, group := range into {
		if group == noGroup {
			continue
		}
		if err := g.at(group).merge(other.at(uint32(i))); err != nil {
			return err
		}
	}
	return nil
}

func (g *countGroups) merge(other GroupedAggregator, into []uint32) error {
	return g.mergeGroups(&other.(*countGroups).groups, into)
}

func (g *sumGroups) merge(other GroupedAggregator, into []uint32) error {
	return g.mergeGroups(&other.(*sumGroups).groups, into)
}

func (g *averageGroups) merge(other GroupedAggregator, into []uint32) error {
	return g.mergeGroups(&other.(*averageGroups).groups, into)
}

func (g *extremeGroups) merge(other GroupedAggregator, into []uint32) error {
	return g.mergeGroups(&other.(*extremeGroups).groups, into)
}

func (g *distinctGroups) merge(other GroupedAggregator, into []uint32) error {
	o := other.(*distinctGroups)
	if p, ok := o.GroupedAggregator.(*boxedGroups); ok {
		mine := g.GroupedAggregator.(*boxedGroups)
		for i, group := range into {
			if from := p.part(uint32(i)); from != nil && o.sets[i].len > 0 {
				*mine.part(group) = *from
			}
		}
	}
	whole := g.takeSets(o, into)
	if err := g.GroupedAggregator.(merger).merge(o.GroupedAggregator, whole); err != nil {
		return err
	}
	for i, group := range into {
		if whole[i] != noGroup {
			continue
		}
		for v := range o.all(uint32(i)) {
			if err := g.Add(group, v, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *counter) merge(other *counter) error {
	if other.n == 0 {
		return nil
	}
	return c.Add(value.Value{}, other.n)
}

func (e *extreme) merge(other *extreme) error {
	if !other.any {
		return nil
	}
	return e.Add(other.value(), 1)
}

func (s *sum) merge(other *sum) error {
	if err := s.span.merge(&other.span); err != nil {
		return err
	}
	return s.total.merge(&other.total)
}

func (s *average) merge(other *average) error {
	if err := s.n.merge(&other.n); err != nil {
		return err
	}
	if err := s.span.merge(&other.span); err != nil {
		return err
	}
	return s.total.merge(&other.total)
}

func (s *span) merge(other *span) (err error) {
	s.any, s.numbers = s.any || other.any, s.numbers || other.numbers
	if other.sum == nil {
		return nil
	}
	if s.sum == nil {
		s.sum = new(temporal.Duration)
	}
	if *s.sum, err = s.sum.Plus(*other.sum); err != nil {
		return Overflow("the sum of durations")
	}
	return nil
}

func (t *total) merge(other *total) error {
	var c uint64
	t.lo, c = bits.Add64(t.lo, other.lo, 0)
	t.mid, c = bits.Add64(t.mid, other.mid, c)
	t.hi += other.hi + int64(c)
	if other.floats == nil {
		return nil
	}
	if t.floats == nil {
		if err := t.account.Charge(exactSumBytes); err != nil {
			return err
		}
		t.floats = new(exactSum)
	}
	return t.floats.merge(t.account, other.floats)
}

// merge adds another sum, whose digits it changes.
func (s *exactSum) merge(h *Account, other *exactSum) error {
	s.nan, s.plus, s.minus = s.nan || other.nan, s.plus || other.plus, s.minus || other.minus
	if len(other.digits) == 0 {
		return nil
	}
	if len(s.digits) > 0 {
		if err := s.carry(h); err != nil {
			return err
		}
	}
	if err := other.carry(h); err != nil {
		return err
	}
	if err := s.widen(h, other.base, len(other.digits)); err != nil {
		return err
	}
	for i, d := range other.digits {
		s.digits[other.base-s.base+i] += d
	}
	s.adds = 2 // as many numbers of small digits
	return nil
}
