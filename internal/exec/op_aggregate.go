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
	byKey    rowKeys                  // finds the group; nil without keys
	any      *valueKeys               // for keys of all kinds
	later    *vertexKeys              // what byKey will be after more rows; or nil
	rows     float64                  // pushed before that
	whole    error                    // from adding the one group without keys in reset
	ids      []uint32                 // scratch of pushBatch: the group of each row
	operand  eval.Operand
	streams  *groupStream    // of groups that come one a row; or nil
	unlike   []*distinctKeys // by aggregate with DISTINCT: tells whether its values differ anyway in a group; or nil
	once     []bool          // by aggregate: each row counts once, as its values differ anyway
	begun    bool            // there was a batch
	kept     bool            // a unit takes the groups, so that flush has none to give
	boxed    []int           // aggregates whose arguments a batch computes row by row
}

func (x *execution) newAggregate(n *planner.Aggregate, out *outlet) (*aggregate, error) {
	x.newAccount("grouping", out)
	if aggs := countDistinct(x, n); len(aggs) > 0 {
		simpler := *n
		simpler.Aggs, n = aggs, &simpler
	}
	g := &aggregate{outlet: out, aggs: n.Aggs}
	for _, agg := range n.Aggs { // other slots live above come from outside of a subquery
		delete(x.compiler.Live, agg.Slot)
	}
	var err error
	if g.keys, g.keySlots, err = x.items(n.Keys); err != nil {
		return nil, err
	}
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
	for i := range g.late {
		g.late[i].memoise(x, n.Aggs[i].Arg, g.args[i], out.account)
	}
	g.planOnce(n)
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
	g.streams = newGroupStream(x, n, exprs, out)
	nodes, err := newVertexKeys(x, exprs, g.keys, n.Input, out.account)
	if nodes != nil {
		g.byKey = nodes
		return g, err
	}
	g.any = newValueKeys(x, exprs, g.keys, out.account)
	g.byKey, g.later = g.any, planVertexKeys(x, exprs, g.keys, out.account)
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
	if g.any != nil {
		g.any.reset()
		g.byKey, g.later = g.any, nil
	}
	g.begun = false
	clear(g.once)
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
	nodes := g.later
	if err := nodes.start(); err != nil {
		return err
	}
	values := make([]value.Value, len(g.keys))
	for id := range uint32(g.groups) {
		g.any.set(id, func(column int, v value.Value) { values[column] = v })
		if _, _, err := nodes.add(values); err != nil {
			return err
		}
	}
	g.byKey, g.later = nodes, nil
	g.any.reset()
	return nil
}

// group returns the group of the current row.
func (g *aggregate) group() (uint32, error) {
	if g.byKey == nil {
		return 0, nil
	}
	id, fresh, err := g.byKey.number()
	if fresh && err == nil {
		err = g.addGroup()
	}
	return id, err
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
	if done, more, err := g.stream(n); done {
		return more, err
	}
	if err := g.expect(n); err != nil {
		return false, err
	}
	if err := g.chooseOnce(); err != nil {
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
		case g.countsOnce(i) && g.aggs[i].Func == "count" && g.unlike[i].valued(g.aggs[i].Arg):
			err = eval.AddRows(of, ids, nil)
		case g.extras[i] == nil && readOperand(g.x, &g.late[i], n, &g.operand):
			if g.operand.Mults = g.x.mults; g.countsOnce(i) {
				g.operand.Mults = nil
			}
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
			mult := multOf(g.x, row)
			if g.countsOnce(i) {
				mult = 1
			}
			if err := g.feed(i, ids[row], mult); err != nil {
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
	if g.byKey == nil {
		g.ids = slices.Grow(g.ids[:0], n)[:n]
		clear(g.ids)
		return g.ids, nil
	}
	if ids, err = g.byKey.numberBatch(n); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if int(id) == g.groups { // numbers rise in order of appearance
			if err := g.addGroup(); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

func (g *aggregate) canMerge() bool {
	return !slices.ContainsFunc(g.aggs, func(a planner.Agg) bool { return eval.InOrder(&a) })
}

func (g *aggregate) held() int { return g.groups }

// merge takes over the groups of other.
func (g *aggregate) merge(other holder) error {
	o := other.(*aggregate)
	if err := g.agreeOnce(o); err != nil {
		return err
	}
	into := make([]uint32, o.groups)
	values := make([]value.Value, len(g.keys))
	for id := range into {
		if g.byKey == nil {
			break
		}
		o.byKey.set(uint32(id), func(column int, v value.Value) { values[column] = v })
		group, fresh, err := g.byKey.add(values)
		if fresh && err == nil {
			err = g.addGroup()
		}
		if err != nil {
			return err
		}
		into[id] = group
	}
	for i, of := range g.of {
		if err := eval.Merge(of, o.of[i], into); err != nil {
			if arg := g.aggs[i].Arg; arg != nil {
				err = eval.At(arg.Position(), err)
			}
			return err
		}
	}
	g.account.TakeOver(o.account) // the groups may keep what o's hold
	return nil
}

func (g *aggregate) flush() (bool, error) {
	if g.kept {
		return true, nil
	}
	slots := slices.Clone(g.keySlots)
	for i := range g.aggs {
		slots = append(slots, g.aggs[i].Slot)
	}
	id := uint32(0)
	return g.emitHeld(slots, func() (uint64, error) {
		if int(id) == g.groups {
			return 0, nil
		}
		if g.byKey != nil {
			g.byKey.set(id, func(column int, v value.Value) { g.x.row[g.keySlots[column]] = v })
		}
		for i := range g.aggs {
			v, err := g.of[i].Result(id)
			if err != nil {
				return 0, eval.At(g.aggs[i].Arg.Position(), err) // only results such as sum(x) can fail
			}
			g.x.row[g.aggs[i].Slot] = v
		}
		id++
		return 1, nil
	})
}
