package planner

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// group plans RETURN with aggregates: columns without any are the grouping keys; in the others every aggregate becomes the
// variable of a slot of its own, and every grouping key that of the key's slot.
func (r *projection) group() error {
	for i := range r.columns {
		if c := &r.columns[i]; !hasAggregate(c.expr) {
			r.key(c)
		}
	}
	for i := range r.columns {
		if c := &r.columns[i]; c.slot == "" {
			if err := r.aggregated(c); err != nil {
				return err
			}
		}
	}
	for i := range r.columns { // only now, so that no column is computed from another
		r.plain[text(r.columns[i].expr)] = r.columns[i].slot
	}
	return nil
}

// aggregate puts the operator over top.
func (r *projection) aggregate(top Node) Node {
	m, ok := top.(*Match)
	if ok && !m.Optional && !r.b.opt.Brute {
		r.countRows(m)
	}
	if ok && !m.Optional && r.countOnly() {
		return r.count(m)
	}
	if p, ok := top.(*Paths); ok && r.countOnly() && p.Select == pattern.AllPaths {
		return r.countPaths(p)
	}
	once := !slices.ContainsFunc(r.aggs, func(a Agg) bool { return !a.Distinct && a.Func != "min" && a.Func != "max" })
	switch {
	case r.b.opt.Brute:
	case once:
		countOnce(top)
	case ok:
		m.Grouped = true
		r.readKeys(m)
	}
	return &Aggregate{Input: top, Keys: r.keys, Aggs: r.aggs}
}

// countRows turns count(x) into count(*) where x is an element of the match, and so never null. Then nobody reads x.
func (r *projection) countRows(m *Match) {
	for i := range r.aggs {
		a := &r.aggs[i]
		v, ok := a.Arg.(*lang.Var)
		if !ok || a.Func != "count" || a.Distinct {
			continue
		}
		slot, known := r.b.slots[v.Name]
		if known && (slices.Contains(m.VertexSlot, slot) || slices.Contains(m.EdgeSlot, slot)) {
			a.Arg = nil
		}
	}
}

// key makes a column a grouping key. Equal expressions are one key.
func (r *projection) key(c *column) {
	slot, ok := r.plain[text(c.expr)]
	if !ok {
		if v := r.variable(c.expr); v != nil {
			slot = v.name
			r.b.slotOf(v)
		} else {
			slot = r.newSlot(c.name)
		}
		r.keys = append(r.keys, Item{Expr: c.expr, Slot: r.b.slots[slot], source: c.source})
	}
	c.slot = slot
	r.plain[text(c.expr)] = slot
}

// aggregated plans a column that holds aggregates.
func (r *projection) aggregated(c *column) error {
	if isAggregate(c.expr) {
		c.slot = r.aggregateSlot(c.expr, c.name).Name
		return nil
	}
	var err error
	x := rewrite(c.expr, func(x lang.Expr) lang.Expr {
		if isAggregate(x) {
			return r.aggregateSlot(x, "")
		}
		if slot, ok := r.plain[text(x)]; ok {
			return &lang.Var{Pos: x.Position(), Name: slot}
		}
		if v, ok := x.(*lang.Var); ok && r.b.vars[v.Name] != nil && !r.b.scope.outer[v.Name] {
			err = &lang.Error{Code: "SyntaxError.AmbiguousAggregationExpression",
				Msg:  "the expression mixes an aggregate with " + v.Name + ", which is no grouping key",
				Hint: "return " + v.Name + " as a column of its own", Pos: v.Pos}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.slot = r.newSlot(c.name)
	r.computed = append(r.computed, Item{Expr: x, Slot: r.b.slots[c.slot], source: c.source})
	return nil
}

// aggregateSlot returns the variable that holds an aggregate's value; equal aggregates share one.
func (r *projection) aggregateSlot(x lang.Expr, name string) *lang.Var {
	slot, ok := r.plain[text(x)]
	if !ok {
		slot = r.newSlot(name)
		r.plain[text(x)] = slot
		a := Agg{Func: "count", Slot: r.b.slots[slot]}
		if c, ok := x.(*lang.Call); ok {
			a.Func, a.Distinct, a.Arg, a.More = c.Name, c.Distinct, c.Args[0], c.Args[1:]
		}
		r.aggs = append(r.aggs, a)
	}
	return &lang.Var{Pos: x.Position(), Name: slot}
}

// countOnly reports whether all that is wanted is how many rows there are.
func (r *projection) countOnly() bool {
	return !r.b.opt.Brute && len(r.keys) == 0 && !slices.ContainsFunc(r.aggs, func(a Agg) bool { return a.Func != "count" || a.Arg != nil })
}

// count makes the match count instead of listing. Without an input it gives the one row that is wanted; else the
// counts of its rows are added up, which gives 0 where there are none.
func (r *projection) count(m *Match) Node {
	m.Count = true
	if m.Input == nil {
		m.CountSlot = r.aggs[0].Slot
		return m
	}
	name := r.newSlot("matches")
	m.CountSlot = r.b.slots[name]
	return &Aggregate{Input: m, Aggs: []Agg{{Func: "sum", Arg: &lang.Var{Pos: r.ret.Pos, Name: name}, Slot: r.aggs[0].Slot}}}
}

// countPaths makes a path operator count instead of listing.
func (r *projection) countPaths(p *Paths) Node {
	name := r.newSlot("paths")
	p.Count, p.CountSlot = true, r.b.slots[name]
	return &Aggregate{Input: p, Aggs: []Agg{{Func: "sum", Arg: &lang.Var{Pos: r.ret.Pos, Name: name}, Slot: r.aggs[0].Slot}}}
}

// countOnce tells the operators from n down that equal rows count once above n. An operator between that makes its rows from one row at a time
// passes it on.
func countOnce(n Node) {
	for {
		switch m := n.(type) {
		case *Filter:
			n = m.Input
		case *Different:
			n = m.Input
		case *Paths:
			if m.Count {
				return
			}
			m.Once, n = true, m.Input
		case *Match:
			if m.Count {
				return
			}
			m.Once, n = true, m.Input
		default:
			return
		}
	}
}
