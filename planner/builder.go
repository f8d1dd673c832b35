package planner

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// New plans a checked statement for one snapshot. The statement is not changed. Errors are *lang.Error, or that of ctx soon after it has
// ended.
func New(ctx context.Context, stmt *lang.Statement, s *csr.Snapshot, opt Options) (_ *Plan, err error) {
	if stmt.Command != nil {
		return command(stmt.Command), nil
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case ended:
			err = e.err
		default:
			panic(e)
		}
	}()
	b := &builder{poller: &poller{ctx: ctx}, snap: s, opt: opt, plan: &Plan{Brute: opt.Brute, Subs: map[lang.Expr]*SubPlan{}}, uniqueNames: &uniqueNames{taken: map[string]bool{}, used: map[string]bool{}, tried: map[string]int{}},
		dict: dictionary{s}, vars: map[string]*variable{}, slots: map[string]int{}, counts: map[string]string{}, frame: &frame{scope: newScope()}}
	b.writes = stmt.Query != nil && stmt.Query.Writes()
	b.reserve(stmt.Query.Clauses)
	q := stmt.Query
	if len(q.Clauses) == 1 && len(q.Unions) == 0 {
		if c, ok := q.Clauses[0].(*lang.CallClause); ok {
			q = &lang.Query{Clauses: []lang.Clause{c, standalone(c)}}
		}
	}
	cols, err := b.query(q)
	if err == nil {
		err = b.err
	}
	if err != nil {
		return nil, err
	}
	b.plan.Again = again(stmt, opt)
	if !returns(q) && (b.plan.Again != nil || finishes(q)) {
		b.top = &Discard{Input: b.top}
	} else if !returns(q) {
		return nil, &lang.Error{Code: "SyntaxError.InvalidClauseComposition", Msg: "the query returns nothing", Hint: "end it with RETURN", Pos: stmt.Pos}
	}
	for _, c := range cols {
		b.plan.Columns = append(b.plan.Columns, c.name)
		b.plan.Out = append(b.plan.Out, b.slots[c.slot])
	}
	b.plan.Root = b.top
	b.estimator().plan(b.top)
	b.plan.placeSubs(b.top)
	b.plan.warnPaths(b.top, s.M() >= largeGraph)
	found, parameters := warnings(b.poller, stmt.Query, s)
	b.plan.Warnings, b.plan.parameters = append(b.plan.Warnings, found...), parameters
	return b.plan, nil
}

// builder makes one plan.
type builder struct {
	*frame
	*uniqueNames
	*poller
	dict   dictionary
	snap   *csr.Snapshot
	opt    Options
	plan   *Plan
	frames int                  // made so far, but for the first
	vars   map[string]*variable // by name in the plan
	early  []*variable          // the first of each name, in order
	slots  map[string]int       // likewise
	counts map[string]string    // by the list of a loop's relationships: the variable for how many they are
	writes bool                 // see Plan.Again: nothing that says which operators there are may depend on the graph
	err    error                // the first met while names were looked up
}

// step is what one or several clauses become.
type step interface {
	node(input Node) Node // called when it is known which variables are read
}

// variable is a node or relationship variable, a column or other value, or an anonymous element that a later operator
// needs.
type variable struct {
	name     string
	kind     SlotKind
	home     *group // where it is bound; nil for a value, and for what has come through an operator that keeps columns only
	index    int    // vertex or edge there
	read     bool   // needs a slot: something outside its home reads it
	nullable bool   // it may be null: a MATCH that starts from it has no matches then
	serial   int    // how many names were declared before this one
}

// estimator returns an estimator for what has been planned.
func (b *builder) estimator() *estimator { return &estimator{b.poller, b.snap, b.opt, b.variables} }

// slot returns the slot of a name, making it at first use.
func (b *builder) slot(name string, kind SlotKind) int {
	if i, ok := b.slots[name]; ok {
		return i
	}
	i := len(b.plan.Slots)
	b.plan.Slots = append(b.plan.Slots, Slot{Name: name, Kind: kind})
	b.slots[name] = i
	b.claim(name)
	return i
}

// declare makes a variable of an element that group home binds.
func (b *builder) declare(name string, kind SlotKind, home *group, index int) *variable {
	b.poll()
	v := &variable{name: name, kind: kind, home: home, index: index, serial: len(b.early)}
	if before := b.vars[name]; before != nil {
		v.serial = before.serial
	} else {
		b.early = append(b.early, v)
	}
	b.vars[name] = v
	b.claim(name)
	return v
}

// slotOf is the slot of a variable, or -1 if nothing needs one.
func (b *builder) slotOf(v *variable) int {
	if v == nil || !v.read {
		return -1
	}
	return b.slot(v.name, v.kind)
}

// query plans a whole query into the frame, whose top it becomes, and returns its columns.
func (b *builder) query(q *lang.Query) ([]column, error) {
	if len(q.Unions) > 0 {
		return b.union(q)
	}
	return b.clauses(q.Clauses)
}

// clauses plans a chain of clauses. Without a RETURN at its end it has no columns.
func (b *builder) clauses(clauses []lang.Clause) (cols []column, err error) {
	for _, c := range clauses {
		b.poll()
		switch c := c.(type) {
		case *lang.Match:
			err = b.match(c)
		case *lang.Unwind:
			err = b.unwind(c)
		case *lang.With:
			err = b.with(c)
		case *lang.CallClause:
			err = b.procedure(c)
		case *lang.CallSubquery:
			err = b.call(c)
		case *lang.Return:
			cols, err = b.project(c, nil)
		case *lang.Finish:
		default:
			err = b.write(c)
		}
		if err == nil {
			err = b.err
		}
		if err != nil {
			return nil, err
		}
	}
	b.finish()
	return cols, nil
}

// finish makes the operators of the steps so far. All that reads what they bind must be known.
func (f *frame) finish() {
	for _, s := range f.steps {
		f.add(s)
	}
	f.steps = nil
}

// match adds a clause: to the last group where the two may share a pattern, else to a new one.
func (b *builder) match(m *lang.Match) error {
	if m.Optional {
		return b.optional(m)
	}
	if slices.ContainsFunc(m.Paths, special) {
		return b.matchPaths(m)
	}
	paths := renamePaths(b, m.Paths)
	alone := b.opt.Brute || m.Distinct || m.Induced
	g := b.lastGroup()
	if g == nil || alone || g.alone || g.binds(paths) {
		g = newGroup(b, alone)
		b.steps = append(b.steps, g)
	}
	return g.clause(m, paths)
}

// lastGroup is the last step if that is a group, or nil.
func (f *frame) lastGroup() *group {
	if len(f.steps) == 0 {
		return nil
	}
	g, _ := f.steps[len(f.steps)-1].(*group)
	return g
}

// placeSubs notes which operators run sub-plans, for EXPLAIN and for the times that PROFILE gives.
func (p *Plan) placeSubs(n Node) {
	if n == nil {
		return
	}
	for _, x := range expressions(n) {
		walk(x, func(x lang.Expr) bool {
			if sub := p.Subs[x]; sub != nil {
				p.place(n, sub)
				p.placeSubs(sub.Root)
			}
			return true
		})
	}
	for _, in := range n.Inputs() {
		p.placeSubs(in)
	}
}

// expressions lists what an operator evaluates.
func expressions(n Node) (xs []lang.Expr) {
	switch n := n.(type) {
	case *Match:
		return n.Exprs
	case *Call:
		return n.Args
	case *Paths:
		return append(slices.Concat(n.Exprs, n.Accept), n.K)
	case *Filter:
		return []lang.Expr{n.Cond}
	case *Unwind:
		return []lang.Expr{n.List}
	case *Project:
		for _, it := range n.Items {
			xs = append(xs, it.Expr)
		}
	case *Aggregate:
		for _, k := range n.Keys {
			xs = append(xs, k.Expr)
		}
		for _, a := range n.Aggs {
			xs = append(append(xs, a.Arg), a.More...)
		}
	case *Sort:
		for _, k := range n.Keys {
			xs = append(xs, k.Expr)
		}
	default:
		return writeExpressions(n)
	}
	return xs
}

// notYet is the error about what the grammar reads and the planner cannot do.
func notYet(what string, pos lang.Pos) error {
	return &lang.Error{Code: "SyntaxError.NotSupported", Msg: what + " is not supported yet", Pos: pos}
}
