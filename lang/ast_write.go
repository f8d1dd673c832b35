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
	Value  Expr   // of SetLabels, a string or a list of strings: more labels; nil if none
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

// Writes reports whether running the statement may change the graph or its schema.
func (s *Statement) Writes() bool {
	if s.Query == nil {
		return s.Command != nil
	}
	return s.Query.Writes()
}

// Batches reports whether the statement commits batches of rows, by CALL { } IN TRANSACTIONS, and where it first says so.
func (s *Statement) Batches() (Pos, bool) {
	if s.Query == nil {
		return Pos{}, false
	}
	for _, clause := range s.Query.Clauses {
		if c, ok := clause.(*CallSubquery); ok && c.Batches() {
			return c.inPos, true
		}
	}
	return Pos{}, false
}

// Batches reports whether the changes that the subquery makes are committed in batches of rows.
func (c *CallSubquery) Batches() bool { return c.Transactions && c.Query.Writes() }

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
	case *CallClause:
		p := FindProcedure(c.Name)
		return p != nil && p.Writes
	}
	return false
}
