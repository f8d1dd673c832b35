package planner

import (
	"maps"
	"slices"

	"github.com/motifql/motif/lang"
)

// optional plans OPTIONAL MATCH: its steps stand in one of their own, so that its conditions, and whatever else it needs, say
// what a match is and not which rows go on.
func (b *builder) optional(m *lang.Match) error {
	plain := *m
	plain.Optional = false
	before := b.steps
	b.steps = nil
	known, named := len(b.early), len(b.scope.order)
	if err := b.match(&plain); err != nil {
		return err
	}
	for _, inner := range b.steps {
		switch g := inner.(type) {
		case *group:
			g.optional, g.alone = true, true
		case groupStep:
			g.optional = true
		}
	}
	b.nameGiven(b.scope.order[named:], known)
	b.steps = append(before, &optionalStep{steps: b.steps})
	for _, v := range b.early[known:] {
		b.vars[v.name].nullable = true
	}
	return b.err
}

// nameGiven gives slots to the new names of an OPTIONAL MATCH that stand for elements of earlier clauses alone: a second name of a node, or the
// name of a path. Where there is no match, they must be null, and the elements are not. names are the new ones; the clauses before had
// declared so many variables.
func (b *builder) nameGiven(names []string, before int) {
	compute := &computeStep{b: b}
	for _, name := range slices.Sorted(slices.Values(names)) {
		x := b.scope.names[name]
		elements := []lang.Expr{x}
		if path, ok := call(x, PathFunction); ok {
			elements = path.Args
		}
		given := !slices.ContainsFunc(elements, func(x lang.Expr) bool {
			v, ok := x.(*lang.Var)
			return !ok || b.vars[v.Name] == nil || b.vars[v.Name].serial >= before
		})
		if !given {
			continue
		}
		b.readAll(x)
		v := b.declare(b.fresh(name), ValueSlot, nil, 0)
		compute.vars, compute.items = append(compute.vars, v), append(compute.items, Item{Expr: x, source: text(x)})
		b.scope.names[name] = &lang.Var{Pos: x.Position(), Name: v.name}
	}
	if len(compute.vars) > 0 {
		b.steps = append(b.steps, compute)
	}
}

// optionalStep is OPTIONAL MATCH on its way to a Match of that kind or, where it takes more operators, an Apply.
type optionalStep struct{ steps []step }

func (s *optionalStep) node(input Node) Node {
	var inner Node
	for _, st := range s.steps {
		inner = st.node(inner)
	}
	if m, ok := inner.(*Match); ok && m.Input == nil {
		m.Input, m.Optional = input, true
		return m
	}
	return &Apply{Input: input, Inner: inner, Kind: ApplyOptional, Slots: sets(inner)}
}

// sets lists the slots that the operators of a tree set.
func sets(n Node) (slots []int) {
	add := func(more ...int) {
		for _, s := range more {
			if s >= 0 {
				slots = append(slots, s)
			}
		}
	}
	switch n := n.(type) {
	case nil:
		return nil
	case *Match:
		for u, s := range n.VertexSlot {
			if !n.Pattern.Vertices[u].Bound {
				add(s)
			}
		}
		for e, s := range n.EdgeSlot {
			if !n.Pattern.Edges[e].Bound {
				add(s)
			}
		}
		if n.Count {
			add(n.CountSlot)
		}
	case *Call:
		add(n.Slots...)
	case *Unwind:
		add(n.Slot, n.At)
	case *Project:
		for _, it := range n.Items {
			add(it.Slot)
		}
	case *Aggregate:
		for _, it := range n.Keys {
			add(it.Slot)
		}
		for _, a := range n.Aggs {
			add(a.Slot)
		}
	case Setter:
		add(n.Sets()...)
	}
	for _, in := range n.Inputs() {
		slots = append(slots, sets(in)...)
	}
	return slots
}

// unwind plans UNWIND.
func (b *builder) unwind(u *lang.Unwind) error {
	list := b.rename(u.List)
	b.readAll(list)
	name := b.introduce(u.As.Text)
	v := b.declare(name, ValueSlot, nil, 0)
	v.nullable = true
	s := &unwindStep{b: b, list: list, as: v, source: text(u.List)}
	if u.At.Text != "" {
		s.at, s.first = b.declare(b.introduce(u.At.Text), ValueSlot, nil, 0), 0
		if u.Ordinal {
			s.first = 1
		}
	}
	b.steps = append(b.steps, s)
	return b.err
}

type unwindStep struct {
	b      *builder
	list   lang.Expr
	as     *variable
	at     *variable // the place of the element; or nil
	first  int64     // the place of the first
	source string
}

func (s *unwindStep) node(input Node) Node {
	return &Unwind{Input: input, List: s.list, Slot: s.b.slotOf(s.as), At: s.b.slotOf(s.at), First: s.first, name: s.as.name, source: s.source}
}

// with plans WITH. One that keeps rows as they are is no more than a change of names, so that the MATCH clauses around it
// still share a pattern.
func (b *builder) with(w *lang.With) error {
	if b.opt.Brute || w.Distinct || len(w.Order) > 0 || w.Skip != nil || w.Limit != nil || aggregated(w.Items) {
		return b.barrier(w)
	}
	before := b.scope
	after := before.next()
	if w.Star {
		for _, name := range before.order {
			after.set(name, before.names[name])
		}
	}
	compute := &computeStep{b: b}
	for _, it := range w.Items {
		after.set(it.Name, b.item(compute, it))
	}
	after.reads = before.reads
	if len(compute.vars) > 0 {
		b.steps = append(b.steps, compute)
	}
	return b.narrow(before, after, w.Where)
}

// item is what an item of such a WITH means after it.
func (b *builder) item(compute *computeStep, it *lang.ReturnItem) lang.Expr {
	x := b.rename(it.Expr)
	if name, ok := varName(x); ok && b.vars[name] != nil {
		return x
	}
	if c, ok := call(x, PathFunction); ok {
		return c
	}
	b.readAll(x)
	v := b.declare(b.fresh(it.Name), ValueSlot, nil, 0)
	v.nullable = true
	compute.vars, compute.items = append(compute.vars, v), append(compute.items, Item{Expr: x, source: text(it.Expr)})
	return &lang.Var{Pos: it.Pos, Name: v.name}
}

// narrow applies the WHERE of a WITH, which sees the names from before it, too, and then only those after it are left.
func (b *builder) narrow(before, after *scope, where lang.Expr) error {
	if where == nil {
		b.scope = after
		return b.err
	}
	both := before.inner()
	for _, name := range after.order {
		both.set(name, after.names[name])
	}
	both.reads = after.reads
	b.scope = both
	x := b.rename(where)
	after.reads = both.reads
	b.scope = after
	if g := b.lastGroup(); g != nil && !g.alone {
		return g.conditions(len(g.p.Scopes)-1, conjuncts(x))
	}
	b.readAll(x)
	b.steps = append(b.steps, filterStep{x})
	return b.err
}

func aggregated(items []*lang.ReturnItem) bool {
	for _, it := range items {
		if hasAggregate(it.Expr) {
			return true
		}
	}
	return false
}

// computeStep computes values into slots.
type computeStep struct {
	b     *builder
	vars  []*variable
	items []Item
}

func (s *computeStep) node(input Node) Node {
	for i, v := range s.vars {
		v.read = true
		s.items[i].Slot = s.b.slotOf(v)
	}
	return &Project{Input: input, Items: s.items}
}

type filterStep struct{ cond lang.Expr }

func (s filterStep) node(input Node) Node { return &Filter{Input: input, Cond: s.cond} }

// barrier plans a WITH whose rows are others than those before it: of the variables, it leaves columns.
func (b *builder) barrier(w *lang.With) error {
	before := b.scope
	cols, err := b.project(&w.Return, w.Where)
	if err != nil {
		return err
	}
	after := before.next()
	for _, c := range cols {
		after.set(c.name, &lang.Var{Name: c.slot})
	}
	b.scope = after
	b.settle(cols)
	return nil
}

// settle makes columns the variables of what follows.
func (b *builder) settle(cols []column) {
	for _, c := range cols {
		if b.scope.outer[c.slot] {
			continue // from outside of the frame: it is what it was
		}
		was := b.vars[c.slot]
		v := b.declare(c.slot, ValueSlot, nil, 0)
		v.nullable, v.read = true, true
		if was != nil {
			v.kind, v.nullable = was.kind, was.nullable
		}
	}
}

// union plans the parts of a UNION, each from the names that the frame starts with.
func (b *builder) union(q *lang.Query) ([]column, error) {
	start, top := b.scope, b.top
	u := &Union{Op: q.Unions[0].Op, All: q.Unions[0].All, Writes: q.Writes()}
	var cols []column
	lists := [][]lang.Clause{q.Clauses}
	for _, p := range q.Unions {
		lists = append(lists, p.Clauses)
	}
	for i, clauses := range lists {
		b.scope, b.top, b.eager = start.inner(), top, eagerness{}
		part, err := b.clauses(clauses)
		if err != nil {
			return nil, err
		}
		for _, c := range part {
			if i == 0 {
				slot := b.fresh(c.name)
				v := b.declare(slot, ValueSlot, nil, 0)
				v.nullable, v.read = true, true
				b.slotOf(v)
				cols = append(cols, column{name: c.name, slot: slot})
				u.Slots = append(u.Slots, b.slots[slot])
			}
		}
		start.reads = b.scope.reads
		if b.top, err = b.aligned(cols, part, q); err != nil {
			return nil, err
		}
		u.Parts = append(u.Parts, b.top)
	}
	b.scope, b.top = start, u
	if u.Writes {
		b.hold(true)
	}
	if len(cols) > 0 && !u.All && u.Op != lang.OtherwiseOp {
		b.top = &Distinct{Input: b.top, Slots: u.Slots}
	}
	return cols, nil
}

// aligned puts the columns of a part into the slots of the whole.
func (b *builder) aligned(cols, part []column, q *lang.Query) (Node, error) {
	p := &Project{Input: b.top}
	for _, c := range cols {
		found := false
		for _, d := range part {
			if d.name == c.name {
				p.Items = append(p.Items, Item{Expr: &lang.Var{Name: d.slot}, Slot: b.slots[c.slot]})
				found = true
				break
			}
		}
		if !found || len(part) != len(cols) {
			return nil, &lang.Error{Code: "SyntaxError.DifferentColumnsInUnion", Msg: "the parts of a UNION have different columns",
				Hint: "return the same names in all of them", Pos: q.Unions[0].Pos}
		}
	}
	if len(cols) == 0 {
		return b.top, nil
	}
	return p, nil
}

// call plans CALL { }.
func (b *builder) call(c *lang.CallSubquery) error {
	outer := b.enter()
	switch names := imports(c); {
	case names != nil:
		s := b.scope.next()
		for _, n := range names {
			x := outer.scope.find(n.Text)
			if x == nil {
				return undefined(&lang.Var{Pos: n.Pos}, n.Text)
			}
			s.names[n.Text] = x
		}
		s.base = s.inner().names
		b.scope = s
	case c.Star:
		b.scope.base = b.scope.inner().names
	case importing(c.Query):
		b.scope.order = slices.Sorted(maps.Keys(b.scope.names))
	default:
		b.scope = newScope()
	}
	known := maps.Clone(b.vars)
	cols, err := b.query(c.Query)
	if err != nil {
		return err
	}
	nullable := c.Optional || c.OnError != lang.ErrorFails
	if nullable {
		ownSlots(b, cols, known)
	}
	s := &applyStep{inner: b.top, writes: c.Query.Writes()}
	switch {
	case !returns(c.Query):
		s.kind = ApplyUnit
	case c.Optional:
		s.kind = ApplyOptional
	}
	b.leave(outer)
	for _, col := range cols {
		b.scope.set(col.name, &lang.Var{Name: col.slot})
	}
	b.settle(cols)
	for _, col := range cols {
		if v := b.vars[col.slot]; nullable && v != nil {
			v.nullable = true
		}
	}
	if c.Batches() {
		s.b, s.batch = b, &Batch{Rows: c.Rows, OnError: c.OnError, Status: -1}
		if c.Status.Text != "" {
			s.status = b.declare(b.fresh(c.Status.Text), ValueSlot, nil, 0)
			b.scope.set(c.Status.Text, &lang.Var{Name: s.status.name})
		}
	}
	b.steps = append(b.steps, s)
	return b.err
}

// ownSlots gives slots to the columns of an OPTIONAL CALL that stand for variables from outside, which are in known. Where the subquery
// has no rows, such a column must be null, and the variable is not.
func ownSlots(b *builder, cols []column, known map[string]*variable) {
	compute := &computeStep{b: b}
	for i, col := range cols {
		if known[col.slot] == nil {
			continue
		}
		x := &lang.Var{Name: col.slot}
		b.readAll(x)
		v := b.declare(b.fresh(col.name), ValueSlot, nil, 0)
		compute.vars, compute.items = append(compute.vars, v), append(compute.items, Item{Expr: x, source: col.name})
		cols[i].slot = v.name
	}
	if len(compute.vars) > 0 {
		b.top = compute.node(b.top)
	}
}

// imports lists the variables that CALL (a, b) { } names; nil where it has no brackets, or a star.
func imports(c *lang.CallSubquery) []lang.Name {
	if !c.Scoped || c.Star {
		return nil
	}
	return append([]lang.Name{}, c.Imports...)
}

// importing reports whether a query, or a part of it, begins with a WITH that names what it takes from outside.
func importing(q *lang.Query) bool {
	first := func(clauses []lang.Clause) bool {
		if len(clauses) == 0 {
			return false
		}
		_, ok := clauses[0].(*lang.With)
		return ok
	}
	for _, u := range q.Unions {
		if first(u.Clauses) {
			return true
		}
	}
	return first(q.Clauses)
}

// applyStep is CALL { } on its way to an Apply.
type applyStep struct {
	inner  Node
	kind   ApplyKind
	writes bool
	batch  *Batch
	status *variable // of the map about a batch; nil if none
	b      *builder
}

func (s *applyStep) node(input Node) Node {
	if s.status != nil {
		s.batch.Status = s.b.slotOf(s.status)
	}
	return &Apply{Input: input, Inner: s.inner, Kind: s.kind, Slots: sets(s.inner), Writes: s.writes, Batch: s.batch}
}
