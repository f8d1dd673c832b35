package planner

import (
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// callStep is a CALL clause on its way to a Call operator.
type callStep struct {
	b      *builder
	proc   *lang.Procedure
	pos    lang.Pos
	args   []lang.Expr
	yields []*variable
	column []int // of the procedure, by yield
	where  lang.Expr
}

// procedure adds a CALL. The MATCH clauses after it begin a new pattern, because its rows come between.
func (b *builder) procedure(c *lang.CallClause) error {
	p := c.Procedure()
	if p == nil {
		return &lang.Error{Code: "ProcedureError.ProcedureNotFound", Msg: "there is no procedure " + c.Name, Pos: c.NamePos}
	}
	s := &callStep{b: b, proc: p, pos: c.NamePos, args: b.renameAll(c.Args)}
	for _, x := range s.args {
		b.readAll(x)
	}
	for i, name := range yielded(p, c) {
		column := i
		if c.Yield != nil {
			column = p.Column(c.Yield[i].Column.Text)
		}
		if column < 0 {
			return undefined(&lang.Var{Pos: c.Yield[i].Column.Pos}, name)
		}
		s.yield(b.introduce(name), column)
	}
	b.steps = append(b.steps, s)
	s.where = b.rename(c.Where)
	b.readAll(s.where)
	return b.err
}

// yielded lists the variables that c makes.
func yielded(p *lang.Procedure, c *lang.CallClause) (names []string) {
	for _, y := range c.Yield {
		names = append(names, y.As.Text)
	}
	if c.Yield == nil {
		for _, col := range p.Given() {
			names = append(names, col.Name)
		}
	}
	return names
}

func (s *callStep) yield(name string, column int) {
	kind := ValueSlot
	if s.proc.Columns[column].Kind() == lang.NodeVar {
		kind = NodeSlot
	}
	v := s.b.declare(name, kind, nil, 0)
	v.nullable = s.proc.Columns[column].Nullable
	s.yields, s.column = append(s.yields, v), append(s.column, column)
}

// readAll marks the variables that x reads.
func (b *builder) readAll(x lang.Expr) {
	for _, name := range b.variables(x) {
		b.vars[name].read = true
	}
}

// node makes the Call operator over an input, and a Filter for its WHERE.
func (s *callStep) node(input Node) Node {
	c := &Call{Input: input, Procedure: s.proc, Pos: s.pos, Args: s.args, Columns: s.column}
	for _, v := range s.yields {
		c.Slots = append(c.Slots, s.b.slotOf(v))
		c.names = append(c.names, v.name)
	}
	if s.where == nil {
		return c
	}
	return &Filter{Input: c, Cond: s.where}
}

// standalone is the RETURN that a CALL without one stands for: all its columns.
func standalone(c *lang.CallClause) *lang.Return {
	ret := &lang.Return{Pos: c.Pos}
	p := c.Procedure()
	if p == nil {
		return ret
	}
	if len(p.Columns) == 0 { // it passes its rows on, but gives none
		ret.Limit = &lang.Literal{Pos: c.Pos, Value: int64(0)}
	}
	for _, name := range yielded(p, c) {
		ret.Items = append(ret.Items, &lang.ReturnItem{Pos: c.Pos, Name: name, Expr: &lang.Var{Pos: c.Pos, Name: name}})
	}
	return ret
}

// outside takes conditions of scope s that a pattern cannot decide: those that need a sub-plan. Those that read nothing of
// the pattern are decided before it is matched, the others after.
func (g *group) outside(s int, x lang.Expr) (bool, error) {
	names := g.variables(x)
	planned := g.b.planned(x)
	if !planned && !slices.ContainsFunc(names, g.fromRow) {
		return false, nil
	}
	inner := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !g.has(name) })
	if len(inner) == 0 {
		g.b.readAll(x)
		g.consts = append(g.consts, x)
		return true, nil
	}
	if !planned {
		return false, nil
	}
	if g.p.Scopes[s].Distinct {
		return true, &lang.Error{Code: "SyntaxError.NotSupported", Pos: x.Position(),
			Msg:  "in MATCH DISTINCT SUBGRAPHS a condition cannot join the pattern with a subquery",
			Hint: "leave DISTINCT out, or put the condition behind a WITH"}
	}
	for _, name := range inner {
		g.exported(name)
	}
	g.b.readAll(x)
	g.after = append(g.after, x)
	return true, nil
}

// fromRow reports whether a name in a condition means a value of the row: not an element that the pattern binds or may start
// from.
func (g *group) fromRow(name string) bool {
	v := g.b.vars[name]
	if v == nil || g.has(name) {
		return false
	}
	return v.kind == ValueSlot || v.nullable || v.kind == RelSlot && (v.home == nil || v.home.frame != g.frame)
}

// variables lists what a condition reads, elements without a name of their own included.
func (g *group) variables(x lang.Expr) []string {
	return g.b.names(x, func(name string) bool { return g.b.vars[name] != nil || g.has(name) })
}

// has reports whether a name means an element of the pattern.
func (g *group) has(name string) bool {
	_, vertex := g.vertex[name]
	_, edge := g.edge[name]
	return vertex || edge
}

// exported makes the element called name, which may be an anonymous one with a made-up name, a variable.
func (g *group) exported(name string) {
	if g.b.vars[name] != nil {
		return
	}
	if u, ok := g.vertex[name]; ok {
		g.export(u)
	} else if e, ok := g.edge[name]; ok {
		g.edgeVar[e] = g.b.declare(name, RelSlot, g, e)
		g.edgeVar[e].nullable = g.optional
	}
}

// Inputs, Notes, Describe and Estimate of Call.
func (c *Call) Inputs() []Node    { return inputs(c.Input) }
func (c *Call) Notes() []string   { return []string{c.Procedure.Brief} }
func (c *Call) Estimate() float64 { return c.Est }

// Describe shows the call as the query has it.
func (c *Call) Describe() (op, detail string) {
	args := make([]string, len(c.Args))
	for i, x := range c.Args {
		args[i] = text(x)
	}
	columns := make([]string, len(c.Columns))
	for i, col := range c.Columns {
		if columns[i] = c.Procedure.Columns[col].Name; columns[i] != c.names[i] {
			columns[i] += " as " + c.names[i]
		}
	}
	return "Call", c.Procedure.Name + "(" + strings.Join(args, ", ") + "): " + strings.Join(columns, ", ")
}
