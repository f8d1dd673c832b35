package exec

import (
	"fmt"

	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// aggregate groups rows by the values of its keys, equivalent ones together, and computes aggregates of each
// group. Without keys all rows are one group, which is there even if no row is.
type aggregate struct {
	*outlet
	held     *holding
	keys     []eval
	keySlots []int
	aggs     []planner.Agg
	args     []eval // nil for count(*)
	extras   []eval // nil but for percentiles
	byKey    map[string]*group
	groups   []*group // in order of appearance
	values   []value.Value
	key      []byte
	whole    error // of making the one group that there is without keys, after a reset
}

type group struct {
	keys []value.Value
	aggs []aggregator
}

// groupBytes is about what a group takes beside its keys and aggregates.
const groupBytes = setEntry + 64

func (x *execution) newAggregate(n *planner.Aggregate, out *outlet) (*aggregate, error) {
	g := &aggregate{outlet: out, held: x.newHolding("grouping", out), aggs: n.Aggs, byKey: make(map[string]*group)}
	for _, agg := range n.Aggs { // what is read above beside keys and aggregates comes from outside of a subquery
		delete(x.compiler.used, agg.Slot)
	}
	var err error
	if g.keys, g.keySlots, err = x.items(n.Keys); err != nil {
		return nil, err
	}
	g.values = make([]value.Value, len(g.keys))
	for _, agg := range n.Aggs {
		var arg compiled
		if agg.Arg != nil {
			if arg, err = x.compiler.compile(agg.Arg); err != nil {
				return nil, err
			}
		}
		g.args = append(g.args, arg.fn)
		var extra compiled
		if len(agg.More) > 0 {
			if extra, err = x.compiler.compile(agg.More[0]); err != nil {
				return nil, err
			}
		}
		g.extras = append(g.extras, extra.fn)
	}
	if len(g.keys) == 0 {
		_, err = g.add("")
	}
	return g, err
}

// reset forgets all groups.
func (g *aggregate) reset() {
	clear(g.byKey)
	g.groups = g.groups[:0]
	g.held.rows = 0
	g.held.release()
	if len(g.keys) == 0 {
		_, g.whole = g.add("")
	}
}

func (g *aggregate) push(mult uint64) (bool, error) {
	err := g.whole
	if err != nil {
		return false, err
	}
	g.key = g.key[:0]
	for i, fn := range g.keys {
		if g.values[i], err = fn(&g.x.env); err != nil {
			return false, err
		}
		g.key = value.AppendKey(g.key, g.values[i])
	}
	of, ok := g.byKey[string(g.key)]
	if !ok {
		if of, err = g.add(string(g.key)); err != nil {
			return false, err
		}
	}
	for i, fn := range g.args {
		v := value.OfBool(true) // count(*) counts rows
		if fn != nil {
			if v, err = fn(&g.x.env); err != nil {
				return false, err
			}
			if err = g.tune(of, i); err != nil {
				return false, err
			}
			if v.IsNull() { // all aggregates pass over nulls
				continue
			}
		}
		if err = of.aggs[i].add(v, mult); err != nil {
			if g.aggs[i].Arg != nil {
				err = at(g.aggs[i].Arg.Position(), err)
			}
			return false, err
		}
	}
	return true, nil
}

// tune gives a percentile the part that it is asked for.
func (g *aggregate) tune(of *group, i int) error {
	if g.extras[i] == nil {
		return nil
	}
	v, err := g.extras[i](&g.x.env)
	if err != nil {
		return err
	}
	return at(g.aggs[i].More[0].Position(), percentileOf(of.aggs[i]).setPart(v))
}

// add makes the group of the keys in g.values.
func (g *aggregate) add(key string) (*group, error) {
	of := &group{keys: append([]value.Value(nil), g.values...), aggs: make([]aggregator, len(g.aggs))}
	bytes := groupBytes + int64(len(key)) + 64*int64(len(g.aggs))
	for _, v := range of.keys {
		bytes += v.Bytes()
	}
	for i := range g.aggs {
		var err error
		if of.aggs[i], err = g.aggregator(&g.aggs[i]); err != nil {
			return nil, err
		}
	}
	g.byKey[key] = of
	g.groups = append(g.groups, of)
	g.held.rows++
	return of, g.held.grow(bytes)
}

// aggregator makes an empty aggregate.
func (g *aggregate) aggregator(agg *planner.Agg) (of aggregator, err error) {
	switch agg.Func {
	case "count":
		of = &counter{}
	case "sum":
		of = &sum{}
	case "avg":
		of = &average{}
	case "min":
		of = &extreme{order: value.Ordering{Snapshot: g.x.s}, sign: -1}
	case "max":
		of = &extreme{order: value.Ordering{Snapshot: g.x.s}, sign: 1}
	case "percentilecont", "percentiledisc":
		of = &percentile{held: g.held, continuous: agg.Func == "percentilecont"}
	case "stdev", "stdevp":
		of = &deviation{sample: agg.Func == "stdev"}
	case "collect":
		of = &collector{held: g.held}
	default:
		return nil, &Error{Code: codeInternal, Msg: fmt.Sprintf("unknown aggregate %s", agg.Func)}
	}
	if agg.Distinct {
		of = &distinctly{aggregator: of, seen: newSet(g.held)}
	}
	return of, nil
}

func (g *aggregate) flush() (bool, error) {
	for _, of := range g.groups {
		for i, slot := range g.keySlots {
			g.x.row[slot] = of.keys[i]
		}
		for i := range g.aggs {
			v, err := of.aggs[i].result()
			if err != nil {
				return false, at(g.aggs[i].Arg.Position(), err) // a result that fails is one of sum(x)
			}
			g.x.row[g.aggs[i].Slot] = v
		}
		if more, err := g.emitSampled(1); err != nil {
			return false, err
		} else if !more {
			break
		}
	}
	return g.outlet.flush()
}
