package exec

import (
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// aggregate groups rows by the values of its keys and computes aggregates of each group. Equivalent keys are one group.
// Without keys all rows are one group, which exists even without rows.
type aggregate struct {
	*outlet
	keys     []eval.Func
	keySlots []int
	aggs     []planner.Agg
	args     []eval.Func // nil for count(*)
	extras   []eval.Func // set for percentiles only
	byKey    map[string]*group
	groups   []*group // in order of appearance
	values   []value.Value
	key      []byte
	whole    error // from adding the one group without keys in reset
}

type group struct {
	keys []value.Value
	aggs []eval.Aggregator
}

// groupBytes is roughly what a group takes beside its keys and aggregates.
const groupBytes = eval.EntryBytes + 64

func (x *execution) newAggregate(n *planner.Aggregate, out *outlet) (*aggregate, error) {
	x.newAccount("grouping", out)
	g := &aggregate{outlet: out, aggs: n.Aggs, byKey: make(map[string]*group)}
	for _, agg := range n.Aggs { // other slots live above come from outside of a subquery
		delete(x.compiler.Live, agg.Slot)
	}
	var err error
	if g.keys, g.keySlots, err = x.items(n.Keys); err != nil {
		return nil, err
	}
	g.values = make([]value.Value, len(g.keys))
	for _, agg := range n.Aggs {
		var arg eval.Closure
		if agg.Arg != nil {
			if arg, err = x.compiler.Compile(agg.Arg); err != nil {
				return nil, err
			}
		}
		g.args = append(g.args, arg.Fn)
		var extra eval.Closure
		if len(agg.More) > 0 {
			if extra, err = x.compiler.Compile(agg.More[0]); err != nil {
				return nil, err
			}
		}
		g.extras = append(g.extras, extra.Fn)
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
	g.account.Rows = 0
	g.account.Release()
	if len(g.keys) == 0 {
		_, g.whole = g.add("")
	}
}

func (g *aggregate) push(mult uint64) (bool, error) {
	err := g.whole
	if err != nil {
		return false, err
	}
	for i, fn := range g.keys {
		if g.values[i], err = fn(&g.x.input); err != nil {
			return false, err
		}
	}
	if g.key, err = eval.AppendKeys(g.account, g.key[:0], g.values); err != nil {
		return false, err
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
			if v, err = fn(&g.x.input); err != nil {
				return false, err
			}
			if err = g.tune(of, i); err != nil {
				return false, err
			}
			if v.IsNull() { // every aggregate ignores null
				continue
			}
		}
		if err = of.aggs[i].Add(v, mult); err != nil {
			if g.aggs[i].Arg != nil {
				err = eval.At(g.aggs[i].Arg.Position(), err)
			}
			return false, err
		}
	}
	return true, nil
}

// tune tells a percentile which part it computes.
func (g *aggregate) tune(of *group, i int) error {
	if g.extras[i] == nil {
		return nil
	}
	v, err := g.extras[i](&g.x.input)
	if err != nil {
		return err
	}
	return eval.At(g.aggs[i].More[0].Position(), eval.SetPercentile(of.aggs[i], v))
}

// add adds a group with the keys in g.values.
func (g *aggregate) add(key string) (*group, error) {
	of := &group{keys: append([]value.Value(nil), g.values...), aggs: make([]eval.Aggregator, len(g.aggs))}
	bytes := groupBytes + int64(len(key)) + 64*int64(len(g.aggs))
	for _, v := range of.keys {
		bytes += v.Bytes()
	}
	for i := range g.aggs {
		var err error
		if of.aggs[i], err = eval.NewAggregator(&g.aggs[i], g.x.s, g.account); err != nil {
			return nil, err
		}
	}
	g.byKey[key] = of
	g.groups = append(g.groups, of)
	g.account.Rows++
	return of, g.account.Charge(bytes)
}

func (g *aggregate) flush() (bool, error) {
	for _, of := range g.groups {
		for i, slot := range g.keySlots {
			g.x.row[slot] = of.keys[i]
		}
		for i := range g.aggs {
			v, err := of.aggs[i].Result()
			if err != nil {
				return false, eval.At(g.aggs[i].Arg.Position(), err) // only results such as sum(x) can fail
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
