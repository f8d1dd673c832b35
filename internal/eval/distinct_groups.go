package eval

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/value"
)

// distinctGroups passes on the first of equivalent values in each group. The groups share a dictionary of the values, and each has a set of
// numbers: rows of one group often follow each other, and then its set stays in the cache.
//
// Several workers often have no group in common, as where each goes through the neighbours of other vertices. So a merge takes over whole
// sets with the dictionary of their numbers. A set gets the numbers of the own dictionary when its group gets another value.
type distinctGroups struct {
	GroupedAggregator
	account *Account
	values  Dictionary
	sets    []numberSet            // by group
	foreign map[uint32]*Dictionary // by group: of a set that a merge took over
	numbers []uint32               // scratch
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
	if len(g.foreign) > 0 {
		if err := g.own(group); err != nil {
			return err
		}
	}
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
		if len(g.foreign) > 0 {
			if err := g.own(group); err != nil {
				return err
			}
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

// all yields the values of a group.
func (g *distinctGroups) all(group uint32) iter.Seq[value.Value] {
	of := &g.values
	if d := g.foreign[group]; d != nil {
		of = d
	}
	return func(yield func(value.Value) bool) {
		for _, slot := range g.sets[group].slots {
			if slot != 0 && !yield(of.Value(slot-1)) {
				return
			}
		}
	}
}

// takeSets takes over the sets of other for groups that have no values yet. It returns the list into with noGroup for all other groups.
func (g *distinctGroups) takeSets(other *distinctGroups, into []uint32) []uint32 {
	taken := slices.Clone(into)
	for i, group := range into {
		set := &other.sets[i]
		if set.len == 0 || g.sets[group].len > 0 {
			taken[i] = noGroup
			continue
		}
		if g.foreign == nil {
			g.foreign = make(map[uint32]*Dictionary)
		}
		if g.foreign[group] = other.foreign[uint32(i)]; g.foreign[group] == nil {
			g.foreign[group] = &other.values
		}
		g.sets[group] = *set
		g.account.Rows += uint64(set.len)
	}
	return taken
}

// own gives the set of a group the numbers of the own dictionary.
func (g *distinctGroups) own(group uint32) error {
	from := g.foreign[group]
	if from == nil {
		return nil
	}
	delete(g.foreign, group)
	old := g.sets[group]
	g.sets[group] = numberSet{}
	g.account.Rows -= uint64(old.len)
	for _, slot := range old.slots {
		if slot == 0 {
			continue
		}
		number, err := g.values.Number(from.Value(slot - 1))
		if err == nil {
			_, err = g.sets[group].add(g.account, number)
		}
		if err != nil {
			return err
		}
	}
	return g.account.Charge(-4 * int64(len(old.slots)))
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
