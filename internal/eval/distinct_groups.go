package eval

import (
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/value"
)

// distinctGroups passes on the first of equivalent values in each group. The groups share a dictionary of the values, and each has a set of
// numbers: rows of one group often follow each other, and then its set stays in the cache.
type distinctGroups struct {
	GroupedAggregator
	account *Account
	values  Dictionary
	sets    []numberSet // by group
	numbers []uint32    // scratch
}

func newDistinctGroups(of GroupedAggregator, held *Account) *distinctGroups {
	return &distinctGroups{GroupedAggregator: of, account: held, values: NewDictionary(held)}
}

func (g *distinctGroups) AddGroup() (err error) {
	if g.sets, err = Append(g.account, g.sets, numberSet{}); err != nil {
		return err
	}
	return g.GroupedAggregator.AddGroup()
}

func (g *distinctGroups) Add(group uint32, v value.Value, _ uint64) error {
	number, err := g.values.Number(v)
	if err != nil {
		return err
	}
	fresh, err := g.sets[group].add(g.account, number)
	if err != nil || !fresh {
		return err
	}
	return g.GroupedAggregator.Add(group, v, 1)
}

func (g *distinctGroups) AddBatch(of []uint32, b *Operand) error {
	g.numbers = slices.Grow(g.numbers[:0], len(of))[:len(of)]
	if _, err := g.values.Numbers(b, g.numbers); err != nil {
		return err
	}
	for i, group := range of {
		if b.Kinds[i] == 0 {
			continue
		}
		fresh, err := g.sets[group].add(g.account, g.numbers[i])
		if err == nil && fresh {
			err = g.GroupedAggregator.Add(group, b.value(i), 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numberSet is a set of numbers.
type numberSet struct {
	slots []uint32 // 1 more than a number; 0: free
	len   int
}

// add adds a number and reports whether it is new.
func (s *numberSet) add(h *Account, n uint32) (fresh bool, err error) {
	if 2*s.len >= len(s.slots) {
		if err := s.grow(h); err != nil {
			return false, err
		}
	}
	at := s.find(n)
	if s.slots[at] != 0 {
		return false, nil
	}
	s.slots[at] = n + 1
	s.len++
	h.Rows++
	return true, nil
}

// find returns the slot of a number, or the free one where it belongs.
func (s *numberSet) find(n uint32) uint32 {
	last := uint32(len(s.slots) - 1)
	at := n * 0x9e3779b1 >> bits.LeadingZeros32(last)
	for s.slots[at] != 0 && s.slots[at] != n+1 {
		at = (at + 1) & last
	}
	return at
}

// grow doubles the table.
func (s *numberSet) grow(h *Account) error {
	old := s.slots
	n := max(4, 2*len(old))
	if err := h.Charge(4 * int64(n)); err != nil {
		return err
	}
	s.slots = make([]uint32, n)
	for i, slot := range old {
		if err := h.poll(i); err != nil {
			return err
		}
		if slot != 0 {
			s.slots[s.find(slot-1)] = slot
		}
	}
	return h.Charge(-4 * int64(len(old)))
}
