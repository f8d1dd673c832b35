package exec

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
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
	nodes    *vertexKeys // nil: byKey finds the group
	later    *vertexKeys // what nodes will be after more rows; or nil
	rows     float64     // pushed before that
	counts   []uint64    // with nodes, by group: rows
	counting bool        // with nodes: all aggregates are count(*), and there are no groups
	whole    error       // from adding the one group without keys in reset
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
		return g, err
	}
	exprs := make([]lang.Expr, len(n.Keys))
	for i := range n.Keys {
		exprs[i] = n.Keys[i].Expr
	}
	g.nodes, err = newVertexKeys(x, exprs, g.keys, n.Input, out.account)
	if g.nodes == nil && err == nil {
		g.later = planVertexKeys(x, exprs, g.keys, out.account)
	}
	g.counting = !slices.ContainsFunc(g.args, func(fn eval.Func) bool { return fn != nil })
	return g, err
}

// reset forgets all groups.
func (g *aggregate) reset() {
	g.nodes, g.later, g.counts = nil, nil, nil
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
	if g.later != nil {
		if g.rows++; payVertexKeys(g.x, g.rows) {
			if err := g.numberGroups(); err != nil {
				return false, err
			}
		}
	}
	if g.nodes != nil {
		return g.pushNumbered(mult)
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
	return g.feed(of, mult)
}

// numberGroups goes over to numbers of nodes.
func (g *aggregate) numberGroups() error {
	g.nodes, g.later = g.later, nil
	if err := g.nodes.start(); err != nil {
		return err
	}
	for _, of := range g.groups {
		if err := g.nodes.add(of.keys); err != nil {
			return err
		}
		n := uint64(0)
		if g.counting && len(of.aggs) > 0 {
			v, err := of.aggs[0].Result()
			if err != nil {
				return err
			}
			n = uint64(v.Int())
		}
		var err error
		if g.counts, err = eval.Append(g.account, g.counts, n); err != nil {
			return err
		}
	}
	return nil
}

// pushNumbered is push for keys of nodes.
func (g *aggregate) pushNumbered(mult uint64) (bool, error) {
	id, fresh, err := g.nodes.number()
	if err != nil {
		return false, err
	}
	if fresh {
		if g.counts, err = eval.Append(g.account, g.counts, 0); err != nil {
			return false, err
		}
		g.account.Rows++
		if !g.counting {
			of, err := g.newGroup(0)
			if g.groups = append(g.groups, of); err != nil {
				return false, err
			}
		}
	}
	if !g.counting {
		return g.feed(g.groups[id], mult)
	}
	if g.counts[id] += mult; g.counts[id] < mult || g.counts[id] > math.MaxInt64 {
		return false, eval.Overflow("the number of rows in count()")
	}
	return true, nil
}

// feed gives the current row to the aggregates of a group.
func (g *aggregate) feed(of *group, mult uint64) (bool, error) {
	var err error
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
	bytes := int64(len(key))
	for _, v := range g.values {
		bytes += v.Bytes()
	}
	of, err := g.newGroup(bytes)
	if of == nil {
		return nil, err
	}
	of.keys = append([]value.Value(nil), g.values...)
	g.byKey[key] = of
	g.groups = append(g.groups, of)
	g.account.Rows++
	return of, err
}

// newGroup makes a group whose keys take some bytes. It returns nil if an aggregate cannot be made.
func (g *aggregate) newGroup(keys int64) (*group, error) {
	of := &group{aggs: make([]eval.Aggregator, len(g.aggs))}
	for i := range g.aggs {
		var err error
		if of.aggs[i], err = eval.NewAggregator(&g.aggs[i], g.x.s, g.account); err != nil {
			return nil, err
		}
	}
	return of, g.account.Charge(groupBytes + keys + 64*int64(len(g.aggs)))
}

func (g *aggregate) flush() (bool, error) {
	if g.nodes != nil {
		return g.flushNumbered()
	}
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

// flushNumbered is flush for keys of nodes.
func (g *aggregate) flushNumbered() (bool, error) {
	set := func(column int, v value.Value) { g.x.row[g.keySlots[column]] = v }
	for id, count := range g.counts {
		g.nodes.set(uint32(id), set)
		for i := range g.aggs {
			v, err := value.OfInt(int64(count)), error(nil)
			if !g.counting {
				v, err = g.groups[id].aggs[i].Result()
			}
			if err != nil {
				return false, eval.At(g.aggs[i].Arg.Position(), err)
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
