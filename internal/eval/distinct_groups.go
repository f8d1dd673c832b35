package eval

import (
	"slices"

	"github.com/motifql/motif/internal/value"
)

// distinctGroups passes on the first of equivalent values in each group. The groups share a dictionary of the values.
type distinctGroups struct {
	GroupedAggregator
	values  Dictionary
	pairs   PairTable // of groups and values
	numbers []uint32  // scratch
	scratch []uint32
	rows    []int
}

func newDistinctGroups(of GroupedAggregator, held *Account) *distinctGroups {
	return &distinctGroups{GroupedAggregator: of, values: NewDictionary(held), pairs: NewPairTable(held)}
}

func (g *distinctGroups) Add(group uint32, v value.Value, _ uint64) error {
	number, err := g.values.Number(v)
	if err != nil {
		return err
	}
	_, fresh, err := g.pairs.Put(group, number)
	if err != nil || !fresh {
		return err
	}
	g.values.account.Rows++
	return g.GroupedAggregator.Add(group, v, 1)
}

func (g *distinctGroups) AddBatch(of []uint32, b *Operand) error {
	g.numbers = slices.Grow(g.numbers[:0], len(of))[:len(of)]
	if _, err := g.values.Numbers(b, g.numbers); err != nil {
		return err
	}
	g.rows, g.scratch = g.rows[:0], g.scratch[:0]
	numbers := g.numbers[:0]
	for i, group := range of {
		if b.Kinds[i] != 0 {
			g.rows, g.scratch, numbers = append(g.rows, i), append(g.scratch, group), append(numbers, g.numbers[i])
		}
	}
	next := uint32(g.pairs.Len())
	if err := g.pairs.PutBatch(g.scratch, numbers); err != nil {
		return err
	}
	for i, pair := range g.scratch {
		if pair != next { // numbers rise in order of appearance
			continue
		}
		next++
		g.values.account.Rows++
		if err := g.GroupedAggregator.Add(of[g.rows[i]], b.value(g.rows[i]), 1); err != nil {
			return err
		}
	}
	return nil
}
