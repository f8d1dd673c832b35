package exec

import (
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
	args     []eval.Func  // nil for count(*)
	extras   []eval.Func  // set for percentiles only
	late     []lateColumn // of the arguments, for batches
	groups   int
	of       []eval.GroupedAggregator // by aggregate
	byKey    map[string]uint32
	held     []value.Value // the keys of all groups, in order of appearance
	values   []value.Value
	key      []byte
	nodes    *vertexKeys // nil: byKey finds the group
	later    *vertexKeys // what nodes will be after more rows; or nil
	rows     float64     // pushed before that
	whole    error       // from adding the one group without keys in reset
	ids      []uint32    // scratch of pushBatch: the group of each row
	operand  eval.Operand
	boxed    []int // aggregates whose arguments a batch computes row by row
}

func (x *execution) newAggregate(n *planner.Aggregate, out *outlet) (*aggregate, error) {
	x.newAccount("grouping", out)
	g := &aggregate{outlet: out, aggs: n.Aggs, byKey: make(map[string]uint32)}
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
	g.late = lateArguments(x, n.Aggs)
	if err = g.start(); err != nil {
		return nil, err
	}
	if len(g.keys) == 0 {
		return g, g.addGroup()
	}
	exprs := make([]lang.Expr, len(n.Keys))
	for i := range n.Keys {
		exprs[i] = n.Keys[i].Expr
	}
	g.nodes, err = newVertexKeys(x, exprs, g.keys, n.Input, out.account)
	if g.nodes == nil && err == nil {
		g.later = planVertexKeys(x, exprs, g.keys, out.account)
	}
	return g, err
}

// lateArguments plans how the arguments of aggregates become columns.
func lateArguments(x *execution, aggs []planner.Agg) []lateColumn {
	items := make([]planner.Item, len(aggs))
	for i := range aggs {
		items[i].Expr = aggs[i].Arg
	}
	return x.late(items)
}

// start makes the aggregates, without groups.
func (g *aggregate) start() (err error) {
	g.groups, g.of = 0, make([]eval.GroupedAggregator, len(g.aggs))
	for i := range g.aggs {
		if g.of[i], err = eval.NewGroupedAggregator(&g.aggs[i], g.x.s, g.account); err != nil {
			return err
		}
	}
	return nil
}

// reset forgets all groups.
func (g *aggregate) reset() {
	g.nodes, g.later = nil, nil
	clear(g.byKey)
	g.held = nil
	g.account.Rows = 0
	g.account.Release()
	g.whole = g.start()
	if len(g.keys) == 0 && g.whole == nil {
		g.whole = g.addGroup()
	}
}

func (g *aggregate) push(mult uint64) (bool, error) {
	if err := g.expect(1); err != nil {
		return false, err
	}
	group, err := g.group()
	if err != nil {
		return false, err
	}
	for i := range g.args {
		if err := g.feed(i, group, mult); err != nil {
			return false, err
		}
	}
	return true, nil
}

// expect goes over to numbers of nodes if so many rows have come that these pay.
func (g *aggregate) expect(rows int) error {
	if g.whole != nil || g.later == nil {
		return g.whole
	}
	if g.rows += float64(rows); !payVertexKeys(g.x, g.rows) {
		return nil
	}
	g.nodes, g.later = g.later, nil
	if err := g.nodes.start(); err != nil {
		return err
	}
	for i := range g.groups {
		if err := g.nodes.add(g.held[i*len(g.keys) : (i+1)*len(g.keys)]); err != nil {
			return err
		}
	}
	return nil
}

// group returns the group of the current row.
func (g *aggregate) group() (uint32, error) {
	switch {
	case len(g.keys) == 0:
		return 0, nil
	case g.nodes != nil:
		id, fresh, err := g.nodes.number()
		if fresh && err == nil {
			err = g.addGroup()
		}
		return id, err
	}
	var err error
	for i, fn := range g.keys {
		if g.values[i], err = fn(&g.x.input); err != nil {
			return 0, err
		}
	}
	if g.key, err = eval.AppendKeys(g.account, g.key[:0], g.values); err != nil {
		return 0, err
	}
	id, ok := g.byKey[string(g.key)]
	if ok {
		return id, nil
	}
	return g.add(string(g.key))
}

// add adds a group with the keys in g.values.
func (g *aggregate) add(key string) (uint32, error) {
	bytes := int64(eval.EntryBytes + len(key))
	for _, v := range g.values {
		bytes += v.Bytes() - 24
	}
	if err := g.account.Charge(bytes); err != nil {
		return 0, err
	}
	var err error
	if g.held, err = eval.Append(g.account, g.held, g.values...); err != nil {
		return 0, err
	}
	id := uint32(g.groups)
	g.byKey[key] = id
	return id, g.addGroup()
}

// addGroup adds a group without values.
func (g *aggregate) addGroup() error {
	g.groups++
	g.account.Rows++
	for _, of := range g.of {
		if err := of.AddGroup(); err != nil {
			return err
		}
	}
	return nil
}

// feed gives the current row to aggregate i of a group.
func (g *aggregate) feed(i int, group uint32, mult uint64) error {
	fn := g.args[i]
	if fn == nil { // count(*) counts rows
		return g.of[i].Add(group, value.OfBool(true), mult)
	}
	v, err := fn(&g.x.input)
	if err != nil {
		return err
	}
	if g.extras[i] != nil { // which part a percentile computes
		part, err := g.extras[i](&g.x.input)
		if err == nil {
			err = eval.At(g.aggs[i].More[0].Position(), g.of[i].SetPercentile(group, part))
		}
		if err != nil {
			return err
		}
	}
	if v.IsNull() { // every aggregate ignores null
		return nil
	}
	return eval.At(g.aggs[i].Arg.Position(), g.of[i].Add(group, v, mult))
}

func (g *aggregate) takesBatches() bool { return len(g.subs) == 0 && g.x.writes == nil }

func (g *aggregate) pushBatch(n int) (bool, error) {
	if err := g.expect(n); err != nil {
		return false, err
	}
	ids, err := g.groupsOf(n)
	if err != nil {
		return false, err
	}
	g.boxed = g.boxed[:0]
	for i, of := range g.of {
		switch {
		case g.args[i] == nil:
			err = eval.AddRows(of, ids, g.x.mults)
		case g.extras[i] == nil && readOperand(g.x, &g.late[i], n, &g.operand):
			g.operand.Mults = g.x.mults
			err = eval.At(g.aggs[i].Arg.Position(), of.AddBatch(ids, &g.operand))
		default:
			g.boxed = append(g.boxed, i)
		}
		if err != nil {
			return false, err
		}
	}
	if len(g.boxed) == 0 {
		return true, nil
	}
	mark := g.x.input.Mark()
	err = g.x.eachRow(0, n, func(row int) (bool, error) {
		for _, i := range g.boxed {
			if err := g.feed(i, ids[row], multOf(g.x, row)); err != nil {
				return false, err
			}
		}
		g.x.compiler.Settle(&g.x.input, mark)
		return true, nil
	})
	g.x.compiler.Settle(&g.x.input, mark)
	return err == nil, err
}

// groupsOf returns the groups of n rows of the batch.
func (g *aggregate) groupsOf(n int) (ids []uint32, err error) {
	g.ids = slices.Grow(g.ids[:0], n)[:n]
	switch {
	case len(g.keys) == 0:
		clear(g.ids)
		return g.ids, nil
	case g.nodes != nil:
		ids, err := g.nodes.numberBatch(n)
		for _, id := range ids {
			if int(id) == g.groups && err == nil { // numbers rise in order of appearance
				err = g.addGroup()
			}
		}
		return ids, err
	}
	mark := g.x.input.Mark()
	err = g.x.eachRow(0, n, func(i int) (_ bool, err error) {
		g.ids[i], err = g.group()
		g.x.compiler.Settle(&g.x.input, mark)
		return true, err
	})
	g.x.compiler.Settle(&g.x.input, mark)
	return g.ids, err
}

func (g *aggregate) flush() (bool, error) {
	set := func(column int, v value.Value) { g.x.row[g.keySlots[column]] = v }
	for id := range uint32(g.groups) {
		if g.nodes != nil {
			g.nodes.set(id, set)
		} else {
			for i, v := range g.held[int(id)*len(g.keys) : (int(id)+1)*len(g.keys)] {
				set(i, v)
			}
		}
		for i := range g.aggs {
			v, err := g.of[i].Result(id)
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
