package lang

import (
	"context"
	"fmt"
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

// Variable is a variable that a clause binds.
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
	Columns    []Column   // none where the statement returns nothing
	Variables  []Variable // that patterns and procedures bind, in the order of first appearance
	Parameters []Name     // likewise, each at its first place
	Warnings   []*Error   // names that do not occur in the graph, and the like
	Writes     bool       // whether it may change the graph or its schema
}

// Check looks for errors of meaning: variables that are not defined, wrong types, aggregates in wrong places. It gives
// the first in the order of the text, as an *Error, or what callers want to know of the statement. Names of labels,
// types and properties that do not occur in cat only give warnings; a nil cat knows no names and warns of none.
func Check(stmt *Statement, cat Catalog) (*Info, error) {
	return CheckContext(context.Background(), stmt, cat)
}

// CheckContext is Check that ends with the error of ctx soon after ctx ends.
func CheckContext(ctx context.Context, stmt *Statement, cat Catalog) (info *Info, err error) {
	c := &checker{stmt: stmt, info: &Info{}, scope: newScope(nil), names: newNames(cat), declared: declared(cat), ctx: ctx}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			info, err = nil, e
		case ended:
			info, err = nil, e.err
		default:
			panic(e)
		}
	}()
	switch {
	case stmt == nil || stmt.Command == nil && stmt.Query == nil:
		return nil, &Error{Code: codeSyntax, Msg: "the statement is empty", Hint: "check what Parse returns"}
	case stmt.Command != nil:
		c.command(stmt.Command)
		return c.info, nil
	}
	c.info.Writes = stmt.Query.Writes()
	if stmt.Dialect != "" {
		warnOfNoEffect(c, stmt.dialectPos, "the prefix CYPHER has no effect: there is one dialect and one planner", "leave it out")
	}
	if stmt.Periodic {
		warnOfNoEffect(c, stmt.usingPos, "USING PERIODIC COMMIT has no effect: the statement is one transaction", "write CALL (row) { ... } IN TRANSACTIONS to store the changes in batches")
	}
	if c.info.Writes {
		c.names.created = createdBy(stmt.Query)
	}
	for _, col := range c.query(stmt.Query, wholeQuery) {
		c.info.Columns = append(c.info.Columns, Column{Name: col.Name, Kind: col.kinds.varKind()})
	}
	return c.info, nil
}

// errorAt makes an Error about a place in the statement.
func (s *Statement) errorAt(pos Pos, code, msg string) *Error {
	return &Error{Code: code, Msg: msg, Pos: pos, Query: s.source}
}

// checker fails by panicking with an *Error or ended, which CheckContext recovers.
type checker struct {
	stmt     *Statement
	info     *Info
	scope    *scope
	names    *names
	imports  *scope // what a WITH that begins CALL { } may import
	outside  *scope // around a CALL { } that may not use it
	declared []*Procedure
	dropped  map[string]bool // variables that a WITH did not pass on
	alone    bool            // whether the clause is the whole query
	loads    bool            // a clause before is LOAD CSV
	ctx      context.Context
	polls    int
	params   map[string]bool // in info.Parameters
}

// ended is what the checker panics with when its context has ended.
type ended struct{ err error }

// poll ends the check if the context has ended. It looks at the context once in a while.
func (c *checker) poll() {
	if c.polls++; c.polls%pollEvery == 0 {
		c.pollNow()
	}
}

func (c *checker) pollNow() {
	if c.ctx != nil && c.ctx.Err() != nil {
		panic(ended{c.ctx.Err()})
	}
}

func (c *checker) fail(code string, pos Pos, hint, format string, args ...any) {
	if !strings.Contains(code, ".") {
		code = "SyntaxError." + code
	}
	e := c.stmt.errorAt(pos, code, fmt.Sprintf(format, args...))
	e.Hint = hint
	panic(e)
}

// queryPlace says what a query is a part of.
type queryPlace uint8

const (
	wholeQuery   queryPlace = iota
	existsQuery             // EXISTS { } and COUNT { }
	collectQuery            // COLLECT { }
	callQuery               // CALL { }
)

// query checks the parts of a UNION and returns the columns; nil if it returns nothing.
func (c *checker) query(q *Query, place queryPlace) []*variable {
	around := c.scope
	defer func() { c.scope = around }()
	columns := c.part(q.Clauses, place, around)
	for i, u := range q.Unions {
		checkSetOperation(c, q, u)
		more := c.part(u.Clauses, place, around)
		if !sameNames(columns, more) {
			c.fail("DifferentColumnsInUnion", q.Unions[i].Pos, "name the columns with AS", "the parts of %s return different columns: %s and %s",
				u.Op.withArticle(), columnList(columns), columnList(more))
		}
		for j := range columns {
			if columns[j].kinds != more[j].kinds {
				columns[j].kinds |= more[j].kinds
			}
			columns[j].elems |= more[j].elems
		}
	}
	return columns
}

// withArticle is the word as the subject of a message.
func (o SetOp) withArticle() string {
	if o == UnionOp {
		return "a UNION"
	}
	return "an " + o.String()
}

// checkSetOperation checks that u goes with the other parts of q.
func checkSetOperation(c *checker, q *Query, u *Union) {
	f := q.Unions[0]
	switch {
	case u.Op != f.Op:
		c.fail("InvalidClauseComposition", u.Pos, "write CALL () { ... } around one of them", "%s and %s are not mixed", f.Op, u.Op)
	case u.All != f.All:
		c.fail("InvalidClauseComposition", u.Pos, "write "+u.Op.String()+" ALL everywhere, or nowhere", "%s and %s ALL are not mixed", u.Op, u.Op)
	case u.Op != UnionOp && q.Writes():
		c.fail("InvalidClauseComposition", u.Pos, "change the graph in a statement of its own", "the parts of %s only read", u.Op.withArticle())
	}
}

func sameNames(a, b []*variable) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

func columnList(cols []*variable) string {
	if cols == nil {
		return "none"
	}
	names := make([]string, len(cols))
	for i, col := range cols {
		names[i] = QuoteName(col.Name)
	}
	return strings.Join(names, ", ")
}

// part checks the clauses of one part of a UNION, in a scope inside outer.
func (c *checker) part(clauses []Clause, place queryPlace, outer *scope) (columns []*variable) {
	c.scope = newScope(outer)
	c.composition(clauses, place)
	imports := c.imports
	c.imports = nil
	defer func() { c.imports = imports }()
	for i, clause := range clauses {
		if w, ok := clause.(*With); ok && i == 0 && imports != nil {
			c.importing(w, imports)
			continue
		}
		c.alone = place == wholeQuery && len(clauses) == 1
		columns = c.clause(clause)
	}
	return columns
}

// clause checks one clause and returns the columns of RETURN, or of a CALL that is the whole query.
func (c *checker) clause(clause Clause) []*variable {
	c.poll()
	switch clause := clause.(type) {
	case *Match:
		c.match(clause)
	case *Unwind:
		c.unwind(clause)
	case *With:
		c.withClause(clause)
	case *Return:
		return c.returns(clause)
	case *CallClause:
		return c.procedure(clause)
	case *CallSubquery:
		c.callSubquery(clause)
	case *Finish:
	default:
		c.writing(clause)
	}
	return nil
}

func (c *checker) unwind(u *Unwind) {
	x := exprChecker{checker: c, place: "UNWIND"}
	got, elems := x.kindOf(u.List), c.elements(u.List)
	if got&(kList|kNull) == 0 {
		elems = got
	}
	c.declareNew(u.As)
	c.scope.value(u.As, elems, kAny)
	if u.At.Text != "" {
		c.declareNew(u.At)
		c.scope.value(u.At, kInt, kAny)
	}
}

// declareNew checks that no variable has the name.
func (c *checker) declareNew(name Name) {
	if c.scope.find(name.Text) != nil {
		c.fail("VariableAlreadyBound", name.Pos, "use another name", "the variable `%s` is there already", name.Text)
	}
}

// condition checks an expression after WHERE.
func (c *checker) condition(where Expr) {
	if where == nil {
		return
	}
	x := exprChecker{checker: c, place: "WHERE", predicate: true}
	x.need(where, kBool, "WHERE")
}

// variablesInScope lists the variables in scope for a hint.
func (c *checker) variablesInScope() string {
	all := c.scope.all()
	const most = 8
	switch {
	case len(all) == 0:
		return "no variables are in scope"
	case len(all) > most:
		all = append(all[:most], "...")
	}
	return "variables in scope: " + strings.Join(all, ", ")
}
