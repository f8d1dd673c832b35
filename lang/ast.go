// Package lang reads query text. Text goes in; a checked syntax tree comes out, or an error with a place and a hint. It also prints
// trees and lists the functions and procedures. One pass over the tokens decides what needs lookahead. Rules made of the grammar's
// struct tags then read the tokens in linear time, each by one token of lookahead. The package never sees a graph: it knows the names that a Catalog lists.
package lang

// Pos is a place in the source text. Line and Column count from 1, Column in runes; Offset and Len count bytes.
type Pos struct{ Offset, Line, Column, Len int }

// Script is a sequence of statements separated by semicolons.
type Script struct{ Statements []*Statement }

// ExplainMode says whether a statement is to be run, explained or run and profiled.
type ExplainMode uint8

const (
	Run ExplainMode = iota
	Explain
	Profile
)

// Statement is one query or one command. Text is its source, without the semicolon, EXPLAIN or PROFILE included.
type Statement struct {
	Pos     Pos
	Text    string
	Explain ExplainMode
	Query   *Query  // nil for a command
	Command Command // nil for a query

	Dialect  string // CYPHER with a version and options, as it stands in the text; it has no effect
	Periodic bool   // USING PERIODIC COMMIT was written, which has no effect
	usingPos Pos    // of USING

	dialectPos Pos

	source string // the text given to Parse, which positions refer to
}

// Query is a chain of clauses; the further parts of a UNION follow in Unions.
type Query struct {
	Clauses []Clause
	Unions  []*Union
}

// SetOp joins the parts of a query.
type SetOp uint8

const (
	UnionOp     SetOp = iota // the rows of all parts
	ExceptOp                 // the rows of the first part that no other part has
	IntersectOp              // the rows of the first part that all other parts have
	OtherwiseOp              // the rows of the first part that has any
)

var setOps = [...]string{"UNION", "EXCEPT", "INTERSECT", "OTHERWISE"}

// String is the word of the language.
func (o SetOp) String() string { return setOps[o] }

// Union is a further part of a query: UNION [ALL] clauses, or the same with EXCEPT, INTERSECT or OTHERWISE.
type Union struct {
	Pos     Pos
	Op      SetOp
	All     bool
	Clauses []Clause
}

// Clause is one of *Match, *Unwind, *With, *Return, *CallClause, *CallSubquery, and of the writing ones *Create, *Merge,
// *Set, *Remove, *Delete, *Foreach and *LoadCSV.
type Clause interface {
	Position() Pos
	clause()
}

// CallClause is CALL name(args) [YIELD columns [WHERE]], or SHOW with the word for a procedure.
type CallClause struct {
	Pos      Pos
	Show     bool   // SHOW was written
	Name     string // as Procedures has it, where it does
	NamePos  Pos
	Implicit bool // no brackets were written: the arguments are the parameters of their names
	Args     []Expr
	Star     bool         // YIELD *, which only a query of nothing else can have
	Yield    []*YieldItem // all columns where Star is set; nil: likewise, which only a query of nothing else can leave open
	Where    Expr         // nil if none

	found *Procedure // a declared one, which Check has found
}

// Unwind is UNWIND list AS name, or FOR name IN list WITH ORDINALITY at.
type Unwind struct {
	Pos     Pos
	List    Expr
	As      Name
	At      Name // the place of the element; "" if none was written
	Ordinal bool // places count from 1, not from 0
}

// With is WITH items [ORDER BY] [SKIP] [LIMIT] [WHERE].
type With struct {
	Return
	Where Expr
}

// CallSubquery is CALL { query } or CALL (imports) { query }.
type CallSubquery struct {
	Pos     Pos
	Scoped  bool   // brackets were written
	Star    bool   // CALL (*) { }
	Imports []Name // of CALL (a, b); an importing WITH is the first clause of Query
	Query   *Query

	Optional     bool // a row without rows of the subquery goes on, with nulls
	Transactions bool // IN TRANSACTIONS was written, which has no effect where Query only reads
	Rows         Expr // of IN TRANSACTIONS OF rows ROWS; nil if none
	OnError      ErrorRule
	Status       Name // of REPORT STATUS AS name; empty if none

	inPos         Pos // of IN
	concurrentPos Pos // of CONCURRENT
}

// ErrorRule says what an error in CALL { } IN TRANSACTIONS ends.
type ErrorRule uint8

const (
	ErrorFails     ErrorRule = iota // the statement
	ErrorContinues                  // the batch of rows
	ErrorBreaks                     // the batch, and all batches behind it
)

// Finish is FINISH, which ends a query that returns nothing.
type Finish struct{ Pos Pos }

// YieldItem is a column of a procedure, and the variable that it becomes.
type YieldItem struct {
	Column Name
	As     Name // the column's own name if none was written
}

// Return is RETURN [DISTINCT] items [ORDER BY] [SKIP] [LIMIT].
type Return struct {
	Pos      Pos
	Distinct bool
	Star     bool // RETURN *: every variable in scope, by name, before Items
	Items    []*ReturnItem
	Order    []*SortItem
	Skip     Expr
	Limit    Expr
}

// ReturnItem is an expression with the name of its column: the alias, or the source text.
type ReturnItem struct {
	Pos     Pos
	Expr    Expr
	Name    string
	Aliased bool
}

// SortItem is one ORDER BY key.
type SortItem struct {
	Expr       Expr
	Descending bool
}

func (f *Finish) Position() Pos     { return f.Pos }
func (*Finish) clause()             {}
func (m *Match) Position() Pos      { return m.Pos }
func (c *CallClause) Position() Pos { return c.Pos }
func (r *Return) Position() Pos     { return r.Pos }
func (*Match) clause()              {}
func (*CallClause) clause()         {}
func (*Return) clause()             {}

func (c *Unwind) Position() Pos       { return c.Pos }
func (c *CallSubquery) Position() Pos { return c.Pos }
func (c *Create) Position() Pos       { return c.Pos }
func (c *Merge) Position() Pos        { return c.Pos }
func (c *Set) Position() Pos          { return c.Pos }
func (c *Remove) Position() Pos       { return c.Pos }
func (c *Delete) Position() Pos       { return c.Pos }
func (c *Foreach) Position() Pos      { return c.Pos }
func (c *LoadCSV) Position() Pos      { return c.Pos }
func (*Unwind) clause()               {}
func (*CallSubquery) clause()         {}
func (*Create) clause()               {}
func (*Merge) clause()                {}
func (*Set) clause()                  {}
func (*Remove) clause()               {}
func (*Delete) clause()               {}
func (*Foreach) clause()              {}
func (*LoadCSV) clause()              {}

func (c *CreateIndex) Position() Pos      { return c.Pos }
func (c *CreateConstraint) Position() Pos { return c.Pos }
func (c *Drop) Position() Pos             { return c.Pos }
func (*CreateIndex) command()             {}
func (*CreateConstraint) command()        {}
func (*Drop) command()                    {}
