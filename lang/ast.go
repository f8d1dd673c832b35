// Package lang reads query text: tokens, grammar (participle), syntax tree, name and type check, formatter and
// diagnostics. It knows nothing of graphs but the names a Catalog lists.
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

	source string // the text given to Parse, which positions refer to
}

// Query is a chain of clauses; the further parts of a UNION follow in Unions.
type Query struct {
	Clauses []Clause
	Unions  []*Union
}

// Union is UNION [ALL] clauses.
type Union struct {
	Pos     Pos
	All     bool
	Clauses []Clause
}

// Clause is one of *Match, *Unwind, *With, *Return, *CallClause, *CallSubquery, and of the writing ones *Create, *Merge,
// *Set, *Remove, *Delete, *Foreach and *LoadCSV.
type Clause interface {
	Position() Pos
	clause()
}

// ElementMode is the uniqueness rule of a MATCH clause.
type ElementMode uint8

const (
	DifferentRelationships ElementMode = iota // the default
	RepeatableElements
	DifferentNodes
)

// Match is [OPTIONAL] MATCH [mode] paths [WHERE].
type Match struct {
	Pos               Pos
	Optional          bool
	Mode              ElementMode // DifferentNodes where Subgraphs is set
	Subgraphs         bool        // [DISTINCT] [INDUCED] SUBGRAPHS was written
	Distinct, Induced bool
	Paths             []*PathPattern
	Where             Expr // nil if none
}

// PathPattern is a node, relationship, node, ... chain. len(Nodes) == len(Rels) + 1: where the text has none beside a
// parenthesised path, an anonymous node stands.
type PathPattern struct {
	Pos      Pos
	Name     string // of p = ...; "" if none
	NamePos  Pos
	Mode     PathMode
	Selector Selector
	Function PathFunction
	Nodes    []*NodePattern
	Rels     []*RelPattern
}

// PathMode says what may not repeat inside one path.
type PathMode uint8

const (
	NoPathMode  PathMode = iota // none was written: what the clause's mode says
	WalkMode                    // anything may repeat
	TrailMode                   // no relationship repeats
	SimpleMode                  // no node repeats, but the first may be the last
	AcyclicMode                 // no node repeats
)

// PathFunction is the older spelling of a selector, a function around the path.
type PathFunction uint8

const (
	NoPathFunction   PathFunction = iota
	ShortestPath                  // shortestPath(...)
	AllShortestPaths              // allShortestPaths(...)
)

// Selector is which of the paths between two nodes are wanted: ANY, ALL SHORTEST, SHORTEST k GROUPS ...
type Selector struct {
	Pos  Pos
	Kind SelectorKind
	K    Expr // of AnyPaths, ShortestPaths and ShortestGroups; nil is 1
}

// SelectorKind is the kind of a Selector.
type SelectorKind uint8

const (
	AllPaths       SelectorKind = iota // the default
	AnyPaths                           // ANY [k]
	AllShortest                        // ALL SHORTEST
	ShortestPaths                      // ANY SHORTEST, SHORTEST [k]
	ShortestGroups                     // SHORTEST [k] GROUPS
)

// NodePattern is (name :labels {props} WHERE expr).
type NodePattern struct {
	Pos     Pos    // from bracket to bracket
	Name    string // "" if anonymous
	NamePos Pos
	Labels  *LabelExpr
	Props   Expr // *MapLit, *Param or nil
	Where   Expr
}

// Direction of a relationship pattern as written, from the left node.
type Direction uint8

const (
	Undirected Direction = iota // -- and <-->
	Right                       // -->
	Left                        // <--
)

// RelPattern is -[name :types *m..n {props} WHERE expr]-> with an optional quantifier behind it, or a parenthesised path
// with one (then Group is set, and of the other fields only Pos and Length are). A nil Types admits any.
type RelPattern struct {
	Pos       Pos // from dash to dash
	Name      string
	NamePos   Pos
	Types     []Name     // names joined by |
	TypeExpr  *LabelExpr // what was written where it is more than names joined by |; then Types is nil
	Direction Direction
	Length    *Length // nil: one relationship, or one repetition of the group
	Props     Expr
	Where     Expr
	Group     *Group
}

// Length is *m..n behind the types, or a quantifier {m,n}, + or * behind the relationship or the group. With the former,
// and with no other, the name stands for a list of relationships in the clause itself; a quantifier makes what its
// element binds a group variable, a list too.
type Length struct {
	Pos  Pos
	Star bool  // *m..n was written
	Min  int64 // 1 for * without bounds, as openCypher has it; 0 for the quantifier *
	Max  int64 // -1: none
}

// Group is a parenthesised path: ((a)-[:R]->(b) WHERE expr).
type Group struct {
	Path  *PathPattern
	Where Expr
}

// Name is a name with its place.
type Name struct {
	Pos  Pos
	Text string
}

// LabelOp is an operator of a label expression.
type LabelOp uint8

const (
	LabelName LabelOp = iota
	LabelAny          // %
	LabelNot
	LabelAnd
	LabelOr
)

// LabelExpr is a label expression.
type LabelExpr struct {
	Pos  Pos
	Op   LabelOp
	Name string
	Args []*LabelExpr
}

// CallClause is CALL name(args) [YIELD columns [WHERE]], or SHOW PROCEDURES.
type CallClause struct {
	Pos     Pos
	Show    bool   // SHOW PROCEDURES was written
	Name    string // as Procedures has it, where it does
	NamePos Pos
	Args    []Expr
	Star    bool         // YIELD *, which only a query of nothing else can have
	Yield   []*YieldItem // all columns where Star is set; nil: likewise, which only a query of nothing else can leave open
	Where   Expr         // nil if none
}

// Unwind is UNWIND list AS name.
type Unwind struct {
	Pos  Pos
	List Expr
	As   Name
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
}

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

// YieldItem is a column of a procedure, and the variable that it becomes.
type YieldItem struct {
	Column Name
	As     Name // the column's own name if none was written
}

// Return is RETURN [DISTINCT] items [ORDER BY] [SKIP] [LIMIT].
type Return struct {
	Pos      Pos
	Distinct bool
	Star     bool // RETURN *: every variable in scope, in order of first appearance, before Items
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

// Expr is an expression. The concrete types are the pointers below.
type Expr interface {
	Position() Pos
	expr()
}

// Op is a unary or binary operator as its source text: "+", "=", "<>", "AND", "STARTS WITH", "IN" ...
type Op string

type (
	// Literal is null, true, false, an int64, a float64 or a string.
	Literal struct {
		Pos   Pos
		Value any
	}
	// Param is $name.
	Param struct {
		Pos  Pos
		Name string
	}
	// Var is a variable.
	Var struct {
		Pos  Pos
		Name string
	}
	// Property is of.key.
	Property struct {
		Pos Pos // of the key
		Of  Expr
		Key string
	}
	// Index is of[at].
	Index struct {
		Pos Pos
		Of  Expr
		At  Expr
	}
	// Slice is of[from..to]; From and To may be nil.
	Slice struct {
		Pos      Pos
		Of       Expr
		From, To Expr
	}
	// Unary is NOT x, -x or +x.
	Unary struct {
		Pos Pos
		Op  Op
		X   Expr
	}
	// Binary is l op r: OR XOR AND, = <> < <= > >=, IN, STARTS WITH, ENDS WITH, CONTAINS, =~, + - * / % ^.
	// A chain a < b < c becomes (a < b) AND (b < c).
	Binary struct {
		Pos  Pos // of the operator
		Op   Op
		L, R Expr
	}
	// IsNull is x IS NULL, or with Not x IS NOT NULL.
	IsNull struct {
		Pos Pos
		X   Expr
		Not bool
	}
	// HasLabels is x:Labels as a predicate.
	HasLabels struct {
		Pos    Pos
		X      Expr
		Labels *LabelExpr
	}
	// Call is name(args) or name(DISTINCT arg). Name is lower case for the functions Motif knows.
	Call struct {
		Pos      Pos
		Name     string
		Distinct bool
		Args     []Expr
	}
	// CountStar is count(*).
	CountStar struct{ Pos Pos }
	// ListLit is [a, b].
	ListLit struct {
		Pos   Pos
		Items []Expr
	}
	// MapLit is {k: v}.
	MapLit struct {
		Pos    Pos
		Keys   []Name
		Values []Expr
	}
	// Case is CASE [test] WHEN ... THEN ... [ELSE ...] END.
	Case struct {
		Pos   Pos
		Test  Expr
		Whens []When
		Else  Expr
	}
	// When is one branch of a Case.
	When struct{ Cond, Then Expr }
	// ListComprehension is [x IN list WHERE cond | map]; Where and Map may be nil.
	ListComprehension struct {
		Pos        Pos
		Var        Name
		List       Expr
		Where, Map Expr
	}
	// Quantifier is all(x IN list WHERE cond) and any, none, single: Kind is the word in lower case.
	Quantifier struct {
		Pos   Pos
		Kind  string
		Var   Name
		List  Expr
		Where Expr
	}
	// Reduce is reduce(acc = init, x IN list | step).
	Reduce struct {
		Pos  Pos
		Acc  Name
		Init Expr
		Var  Name
		List Expr
		Step Expr
	}
	// MapProjection is of{.key, .*, key: value, name}.
	MapProjection struct {
		Pos   Pos
		Of    Expr
		Items []MapProjectionItem
	}
	// MapProjectionItem is .* (All), or a key with its value: a Property of Of for .key, a Var for a name.
	MapProjectionItem struct {
		Pos   Pos
		All   bool
		Key   Name
		Value Expr
	}
	// PatternExpr is a path pattern as an expression: true where it has a match; with shortestPath() around it, its path or
	// paths.
	PatternExpr struct {
		Pos  Pos
		Path *PathPattern
	}
	// PatternComprehension is [p = path WHERE cond | map].
	PatternComprehension struct {
		Pos   Pos
		Path  *PathPattern
		Where Expr // nil if none
		Map   Expr
	}
	// Subquery is EXISTS { }, COUNT { } or COLLECT { }: Kind is the word in lower case. What is written as bare patterns with
	// an optional WHERE is a query of one Match.
	Subquery struct {
		Pos   Pos
		Kind  string
		Query *Query
	}
)

func (x *Literal) Position() Pos   { return x.Pos }
func (x *Param) Position() Pos     { return x.Pos }
func (x *Var) Position() Pos       { return x.Pos }
func (x *Property) Position() Pos  { return x.Pos }
func (x *Index) Position() Pos     { return x.Pos }
func (x *Slice) Position() Pos     { return x.Pos }
func (x *Unary) Position() Pos     { return x.Pos }
func (x *Binary) Position() Pos    { return x.Pos }
func (x *IsNull) Position() Pos    { return x.Pos }
func (x *HasLabels) Position() Pos { return x.Pos }
func (x *Call) Position() Pos      { return x.Pos }
func (x *CountStar) Position() Pos { return x.Pos }
func (x *ListLit) Position() Pos   { return x.Pos }
func (x *MapLit) Position() Pos    { return x.Pos }
func (x *Case) Position() Pos      { return x.Pos }

func (x *ListComprehension) Position() Pos    { return x.Pos }
func (x *Quantifier) Position() Pos           { return x.Pos }
func (x *Reduce) Position() Pos               { return x.Pos }
func (x *MapProjection) Position() Pos        { return x.Pos }
func (x *PatternExpr) Position() Pos          { return x.Pos }
func (x *PatternComprehension) Position() Pos { return x.Pos }
func (x *Subquery) Position() Pos             { return x.Pos }

func (*Literal) expr()   {}
func (*Param) expr()     {}
func (*Var) expr()       {}
func (*Property) expr()  {}
func (*Index) expr()     {}
func (*Slice) expr()     {}
func (*Unary) expr()     {}
func (*Binary) expr()    {}
func (*IsNull) expr()    {}
func (*HasLabels) expr() {}
func (*Call) expr()      {}
func (*CountStar) expr() {}
func (*ListLit) expr()   {}
func (*MapLit) expr()    {}
func (*Case) expr()      {}

func (*ListComprehension) expr()    {}
func (*Quantifier) expr()           {}
func (*Reduce) expr()               {}
func (*MapProjection) expr()        {}
func (*PatternExpr) expr()          {}
func (*PatternComprehension) expr() {}
func (*Subquery) expr()             {}

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
func (c *Show) Position() Pos             { return c.Pos }
func (*CreateIndex) command()             {}
func (*CreateConstraint) command()        {}
func (*Drop) command()                    {}
func (*Show) command()                    {}
