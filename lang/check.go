package lang

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Catalog lists the names that occur in a graph.
type Catalog interface {
	Labels() []string
	Types() []string
	Keys() []string
}

// VarKind says what a variable or column holds.
type VarKind uint8

const (
	NodeVar  VarKind = iota // nodes
	RelVar                  // relationships
	ValueVar                // anything, also a node or relationship where that is not known before the query runs
)

// String returns "node", "relationship" or "value".
func (k VarKind) String() string { return [...]string{"node", "relationship", "value"}[k] }

// Variable is a variable that MATCH or CALL binds.
type Variable struct {
	Name string
	Kind VarKind
	Pos  Pos // where it appears first
}

// Column is a column of the result.
type Column struct {
	Name string
	Kind VarKind
}

// Info is what Check finds out about a statement.
type Info struct {
	Columns    []Column
	Variables  []Variable // in the order of first appearance
	Parameters []string   // likewise
	Warnings   []*Error   // names that do not occur in the graph, and the like
}

// Check looks for errors of meaning: variables that are not defined, wrong types, aggregates in wrong places. It gives
// the first in the order of the text, as an *Error, or what callers want to know of the statement. Names of labels,
// types and properties that do not occur in cat only give warnings; a nil cat knows no names and warns of none.
func Check(stmt *Statement, cat Catalog) (info *Info, err error) {
	c := &checker{stmt: stmt, info: &Info{}, vars: map[string]VarKind{}, exact: map[string]kinds{}, names: newNames(cat)}
	defer func() {
		if e, ok := recover().(*Error); ok {
			info, err = nil, e
		}
	}()
	c.composition()
	for _, clause := range stmt.Query.Clauses {
		switch clause := clause.(type) {
		case *Match:
			c.match(clause)
		case *CallClause:
			c.procedure(clause)
		case *Return:
			c.returns(clause)
		}
	}
	return c.info, nil
}

// errorAt makes an Error about a place in the statement.
func (s *Statement) errorAt(pos Pos, code, msg string) *Error {
	return &Error{Code: code, Msg: msg, Pos: pos, Query: s.source}
}

// checker fails by panicking with an *Error, which Check recovers.
type checker struct {
	stmt  *Statement
	info  *Info
	vars  map[string]VarKind // the variables in scope; info.Variables has them in order
	exact map[string]kinds   // what is known of values among them
	names *names
}

func (c *checker) fail(code string, pos Pos, hint, format string, args ...any) {
	e := c.stmt.errorAt(pos, "SyntaxError."+code, fmt.Sprintf(format, args...))
	e.Hint = hint
	panic(e)
}

// composition checks that RETURN stands at the end, and nowhere else. A CALL alone does without.
func (c *checker) composition() {
	clauses := c.stmt.Query.Clauses
	if _, isCall := clauses[0].(*CallClause); isCall && len(clauses) == 1 {
		return
	}
	for i, clause := range clauses {
		_, isReturn := clause.(*Return)
		switch last := i == len(clauses)-1; {
		case last && !isReturn:
			c.fail("InvalidClauseComposition", clause.Position(), "end the query with RETURN", "the query does not end with RETURN")
		case !last && isReturn:
			c.fail("InvalidClauseComposition", clauses[i+1].Position(), "", "nothing can follow RETURN")
		}
	}
}

// match declares the variables of the clause, then checks its expressions, which may use all of them.
func (c *checker) match(m *Match) {
	rels := map[string]bool{} // bound in this clause
	for _, p := range m.Paths {
		for i, n := range p.Nodes {
			if i > 0 {
				c.declareRel(p.Rels[i-1], m.Mode, rels)
			}
			c.declare(n.Name, n.NamePos, NodeVar)
		}
	}
	for _, p := range m.Paths {
		for i, n := range p.Nodes {
			if i > 0 {
				r := p.Rels[i-1]
				c.names.types(c, r.Types)
				c.element(r.Props, r.Where)
			}
			c.names.labels(c, n.Labels)
			c.element(n.Props, n.Where)
		}
	}
	c.condition(m.Where)
}

func (c *checker) declare(name string, pos Pos, kind VarKind) {
	if name == "" {
		return
	}
	was, bound := c.vars[name]
	if bound && was != kind {
		c.fail("VariableTypeConflict", pos, "use another name", "`%s` is a %s and cannot be a %s as well", name, was, kind)
	}
	if !bound {
		c.vars[name] = kind
		c.info.Variables = append(c.info.Variables, Variable{Name: name, Kind: kind, Pos: pos})
	}
}

func (c *checker) declareRel(r *RelPattern, mode ElementMode, bound map[string]bool) {
	c.declare(r.Name, r.NamePos, RelVar)
	if bound[r.Name] {
		code, why := "RelationshipUniquenessViolation", "the relationships of a MATCH are all different"
		if mode == RepeatableElements {
			code, why = "VariableAlreadyBound", "use another name, and compare the two in WHERE"
		}
		c.fail(code, r.NamePos, why, "the relationship `%s` stands twice in one MATCH", r.Name)
	}
	bound[r.Name] = r.Name != ""
}

// element checks the properties and the condition inside a node or relationship pattern.
func (c *checker) element(props, where Expr) {
	switch p := props.(type) {
	case *Param:
		c.fail("InvalidParameterUse", p.Pos, "write the properties one by one: {key: $"+quoteParam(p.Name)+".key}",
			"a parameter cannot stand for the whole property map of a pattern")
	case *MapLit:
		for _, k := range p.Keys {
			c.names.key(c, k)
		}
		x := exprChecker{checker: c, place: "a pattern"}
		x.kindOf(p)
	}
	c.condition(where)
}

// condition checks an expression after WHERE.
func (c *checker) condition(where Expr) {
	if where == nil {
		return
	}
	x := exprChecker{checker: c, place: "WHERE"}
	x.need(where, kBool, "WHERE")
}

// variablesInScope lists the variables in scope for a hint.
func (c *checker) variablesInScope(more map[string]kinds) string {
	all := slices.Sorted(maps.Keys(more))
	for _, v := range c.info.Variables {
		if _, twice := more[v.Name]; !twice {
			all = append(all, v.Name)
		}
	}
	const most = 8
	switch {
	case len(all) == 0:
		return "no variables are in scope"
	case len(all) > most:
		all = append(all[:most], "...")
	}
	return "variables in scope: " + strings.Join(all, ", ")
}
