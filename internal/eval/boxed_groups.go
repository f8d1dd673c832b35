package eval

import (
	"math"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// boxedGroups holds aggregates that have memory of their own.
type boxedGroups struct {
	agg      *planner.Agg
	snapshot *csr.Snapshot
	account  *Account
	list     []boxed
}

func newBoxedGroups(agg *planner.Agg, s *csr.Snapshot, held *Account) (*boxedGroups, error) {
	g := &boxedGroups{agg: agg, snapshot: s, account: held}
	_, err := newAggregator(agg, s, held)
	return g, err
}

// boxed is an aggregate of boxedGroups.
type boxed interface {
	Aggregator
	merge(other Aggregator) error
	// state returns what the aggregate knows. addState gives the values behind a state to another one.
	state() []value.Value
	addState(state []value.Value) error
}

// boxBytes is roughly what one of them takes before it has values, and deviationBytes what a deviation takes.
const (
	boxBytes       = 96
	deviationBytes = int64(unsafe.Sizeof(deviation{}))
)

func (g *boxedGroups) AddGroup() error {
	of, err := newAggregator(g.agg, g.snapshot, g.account)
	if err == nil {
		bytes := int64(boxBytes)
		if _, ok := of.(*deviation); ok {
			bytes = deviationBytes
		}
		err = g.account.Charge(bytes)
	}
	if err == nil {
		g.list, err = Append(g.account, g.list, of.(boxed))
	}
	return err
}

func (g *boxedGroups) Add(group uint32, v value.Value, mult uint64) error {
	return g.list[group].Add(v, mult)
}

func (g *boxedGroups) AddBatch(of []uint32, b *Operand) error {
	for i, group := range of {
		if b.Kinds[i] == 0 {
			continue
		}
		if err := g.list[group].Add(b.value(i), b.mult(i)); err != nil {
			return err
		}
	}
	return nil
}

func (g *boxedGroups) SetPercentile(group uint32, v value.Value) error {
	return setPercentile(g.list[group], v)
}

func (g *boxedGroups) Result(group uint32) (value.Value, error) { return g.list[group].Result() }

func (g *boxedGroups) merge(other GroupedAggregator, into []uint32) error {
	for i, group := range into {
		if group == noGroup {
			continue
		}
		if err := g.list[group].merge(other.(*boxedGroups).list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (g *boxedGroups) state(group uint32) []value.Value { return g.list[group].state() }

func (g *boxedGroups) addState(group uint32, state []value.Value) error {
	return g.list[group].addState(state)
}

// part returns the percentile that a group is asked for; nil if it is asked for something else.
func (g *boxedGroups) part(group uint32) *float64 {
	if p, ok := g.list[group].(*percentile); ok {
		return &p.part
	}
	return nil
}

func (p *percentile) merge(other Aggregator) error {
	from := other.(*percentile)
	if len(from.values) > 0 {
		p.part = from.part
	}
	for i, v := range from.values {
		if err := p.Add(v, from.mults[i]); err != nil {
			return err
		}
	}
	return nil
}

// state lists the values, each once with how often it occurs: there are often few different ones.
func (p *percentile) state() []value.Value {
	state := []value.Value{value.OfFloat(p.part)}
	for at, i := range p.order() {
		v, last := p.values[i], len(state)-1
		if n := int64(p.mults[i]); at > 0 && state[last-1] == v && state[last].Int() <= math.MaxInt64-n {
			state[last] = value.OfInt(state[last].Int() + n)
		} else {
			state = append(state, v, value.OfInt(n))
		}
	}
	return state
}

func (p *percentile) addState(state []value.Value) error {
	if len(state)%2 == 0 || state[0].Kind() != value.Float {
		return errState
	}
	if len(state) > 1 {
		p.part = state[0].Float()
	}
	for i := 1; i < len(state); i += 2 {
		if state[i+1].Kind() != value.Int {
			return errState
		}
		if err := p.Add(state[i], uint64(state[i+1].Int())); err != nil {
			return err
		}
	}
	return nil
}

// merge puts the values of other behind those of c.
func (c *collector) merge(other Aggregator) error { return c.addState(other.(*collector).values) }

func (c *collector) state() []value.Value { return c.values }

func (c *collector) addState(state []value.Value) error {
	for _, v := range state {
		if err := c.Add(v, 1); err != nil {
			return err
		}
	}
	return nil
}
