package eval

import (
	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
)

// States. What an aggregate knows of a group is a list of values, so that another process can go on with it. Only aggregates that can be
// merged have states: all have. Those of collect() are to be added in the order of the rows (InOrder).

// State returns what g knows of a group.
func State(g GroupedAggregator, group uint32) value.Value {
	if c, ok := g.(*countGroups); ok { // most are counts, and a number needs no list
		return value.OfInt(int64(c.at(group).n))
	}
	return value.OfList(g.(stater).state(group))
}

// AddState gives the values behind a state to a group of g, which has the same aggregate. It fails for what State did not return.
func AddState(g GroupedAggregator, group uint32, state value.Value) error {
	if c, ok := g.(*countGroups); ok {
		if state.Kind() != value.Int || state.Int() < 0 {
			return errState
		}
		return c.at(group).merge(&counter{n: uint64(state.Int())})
	}
	if state.Kind() != value.List {
		return errState
	}
	return g.(stater).addState(group, state.List())
}

// errState says that a state is none.
var errState = &Error{Code: CodeInternal, Msg: "the part of an aggregate is not one that Motif wrote"}

// stater is a GroupedAggregator whose groups have states.
type stater interface {
	state(group uint32) []value.Value
	addState(group uint32, state []value.Value) error
}

func (g *sumGroups) state(group uint32) []value.Value {
	s := g.at(group)
	return s.total.append(s.span.append(nil))
}

func (g *sumGroups) addState(group uint32, state []value.Value) error {
	r := stateReader{rest: state}
	other := sum{span: r.span(), total: r.total(g.account)}
	if r.failed {
		return errState
	}
	return g.at(group).merge(&other)
}

func (g *averageGroups) state(group uint32) []value.Value {
	s := g.at(group)
	return s.total.append(s.span.append([]value.Value{value.OfInt(int64(s.n.n))}))
}

func (g *averageGroups) addState(group uint32, state []value.Value) error {
	r := stateReader{rest: state}
	n := r.int()
	other := average{n: counter{n: uint64(n)}, span: r.span(), total: r.total(g.account)}
	if r.failed || n < 0 {
		return errState
	}
	return g.at(group).merge(&other)
}

func (g *extremeGroups) state(group uint32) []value.Value {
	if e := g.at(group); e.any {
		return []value.Value{e.value()}
	}
	return nil
}

func (g *extremeGroups) addState(group uint32, state []value.Value) error {
	if len(state) == 0 {
		return nil
	}
	return g.at(group).Add(state[0], 1)
}

// state returns the values of the group, and before them what percentiles know beside their values. Those of collect() keep their order.
func (g *distinctGroups) state(group uint32) []value.Value {
	part := value.Value{}
	if of, ok := g.GroupedAggregator.(*boxedGroups); ok {
		if p := of.part(group); p != nil {
			part = value.OfFloat(*p)
		} else if c, ok := of.list[group].(*collector); ok {
			return append([]value.Value{part}, c.values...)
		}
	}
	state := []value.Value{part}
	for v := range g.all(group) {
		state = append(state, v)
	}
	return state
}

func (g *distinctGroups) addState(group uint32, state []value.Value) error {
	if len(state) == 0 {
		return errState
	}
	if of, ok := g.GroupedAggregator.(*boxedGroups); ok && len(state) > 1 && state[0].Kind() == value.Float {
		if p := of.part(group); p != nil {
			*p = state[0].Float()
		}
	}
	for _, v := range state[1:] {
		if err := g.Add(group, v, 1); err != nil {
			return err
		}
	}
	return nil
}

func (s *span) append(state []value.Value) []value.Value {
	length := value.Value{}
	if s.sum != nil {
		length = value.OfDuration(*s.sum)
	}
	return append(state, value.OfBool(s.any), value.OfBool(s.numbers), length)
}

// append appends the integers of t and the digits of its floats.
func (t *total) append(state []value.Value) []value.Value {
	state = append(state, value.OfInt(t.hi), value.OfInt(int64(t.mid)), value.OfInt(int64(t.lo)))
	f := t.floats
	if f == nil {
		return state
	}
	state = append(state, value.OfInt(int64(f.base)), value.OfBool(f.nan), value.OfBool(f.plus), value.OfBool(f.minus))
	for _, d := range f.digits {
		state = append(state, value.OfInt(d))
	}
	return state
}

// stateReader reads the values of a state one after the other.
type stateReader struct {
	rest   []value.Value
	failed bool
}

func (r *stateReader) next(kind value.Kind) (v value.Value) {
	if len(r.rest) == 0 || r.rest[0].Kind() != kind {
		r.failed = true
		return v
	}
	v, r.rest = r.rest[0], r.rest[1:]
	return v
}

func (r *stateReader) int() int64 {
	if v := r.next(value.Int); !r.failed {
		return v.Int()
	}
	return 0
}

func (r *stateReader) bool() bool {
	v := r.next(value.Bool)
	return !r.failed && v.Bool()
}

func (r *stateReader) span() (s span) {
	s.any, s.numbers = r.bool(), r.bool()
	if r.failed || len(r.rest) == 0 {
		r.failed = true
		return s
	}
	if length, ok := r.rest[0].Duration(); ok {
		s.sum = new(temporal.Duration)
		*s.sum = length
	}
	r.rest = r.rest[1:]
	return s
}

func (r *stateReader) total(h *Account) (t total) {
	t.account = h
	t.hi, t.mid, t.lo = r.int(), uint64(r.int()), uint64(r.int())
	if len(r.rest) == 0 {
		return t
	}
	f := &exactSum{base: int(r.int()), nan: r.bool(), plus: r.bool(), minus: r.bool()}
	for len(r.rest) > 0 && !r.failed {
		f.digits = append(f.digits, r.int())
	}
	if f.base < 0 || f.base+len(f.digits) > maxDigits {
		r.failed = true
	}
	f.adds, t.floats = maxAdds-1, f // its digits may be large
	return t
}
