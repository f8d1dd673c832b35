package lang

import "slices"

// Create is CREATE paths.
type Create struct {
	Pos   Pos
	Paths []*PathPattern
}

// Merge is MERGE path [ON CREATE SET ...] [ON MATCH SET ...].
type Merge struct {
	Pos      Pos
	Path     *PathPattern
	OnCreate []*SetItem
	OnMatch  []*SetItem
}

// Set is SET items.
type Set struct {
	Pos   Pos
	Items []*SetItem
}

// SetItem is one item of SET. Of is a *Var (SetMap, AddMap, SetLabels), or for SetProperty a *Property or an *Index.
type SetItem struct {
	Pos    Pos
	Kind   SetKind
	Of     Expr
	Labels []Name // of SetLabels
	Value  Expr   // of the others
}

// SetKind is the kind of a SetItem.
type SetKind uint8

const (
	SetProperty SetKind = iota // n.k = v
	SetMap                     // n = {...}
	AddMap                     // n += {...}
	SetLabels                  // n:A:B
)

// Remove is REMOVE items: Value is nil, and Kind is SetProperty or SetLabels.
type Remove struct {
	Pos   Pos
	Items []*SetItem
}

// Delete is [DETACH] DELETE exprs.
type Delete struct {
	Pos    Pos
	Detach bool
	Exprs  []Expr
}

// Foreach is FOREACH (name IN list | clauses), of writing clauses only.
type Foreach struct {
	Pos     Pos
	Var     Name
	List    Expr
	Clauses []Clause
}

// LoadCSV is LOAD CSV [WITH HEADERS] FROM expr AS name [FIELDTERMINATOR 'c'].
type LoadCSV struct {
	Pos        Pos
	Headers    bool
	From       Expr
	As         Name
	Terminator string // "" for a comma
}

// Command is a statement about the schema: *CreateIndex, *CreateConstraint, *Drop or *Show.
type Command interface {
	Position() Pos
	command()
}

// CreateIndex is CREATE INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.key), or FOR ()-[r:TYPE]-() ON (r.key).
type CreateIndex struct {
	Pos         Pos
	Name        Name // "" if none
	IfNotExists bool
	Rel         bool // of relationships
	Of          Name // label or type
	Keys        []Name
}

// CreateConstraint is CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR (n:Label) REQUIRE n.key IS UNIQUE or IS NOT NULL.
type CreateConstraint struct {
	Pos         Pos
	Name        Name
	IfNotExists bool
	Rel         bool
	Of          Name
	Keys        []Name
	Unique      bool // else IS NOT NULL
}

// Drop is DROP INDEX or DROP CONSTRAINT name [IF EXISTS].
type Drop struct {
	Pos        Pos
	Constraint bool
	Name       Name
	IfExists   bool
}

// Show is SHOW INDEXES, SHOW CONSTRAINTS or SHOW FUNCTIONS. (SHOW PROCEDURES is a CallClause.)
type Show struct {
	Pos  Pos
	What string // "INDEXES", "CONSTRAINTS", "FUNCTIONS"
}

// Writes reports whether running the statement may change the graph or its schema.
func (s *Statement) Writes() bool {
	if s.Query == nil {
		_, show := s.Command.(*Show)
		return s.Command != nil && !show
	}
	return s.Query.Writes()
}

// Writes reports whether the query may change the graph.
func (q *Query) Writes() bool {
	return slices.ContainsFunc(q.Clauses, Writes) ||
		slices.ContainsFunc(q.Unions, func(u *Union) bool { return slices.ContainsFunc(u.Clauses, Writes) })
}

// Writes reports whether a clause may change the graph.
func Writes(c Clause) bool {
	switch c := c.(type) {
	case *Create, *Merge, *Set, *Remove, *Delete, *Foreach:
		return true
	case *CallSubquery:
		return c.Query.Writes()
	}
	return false
}
