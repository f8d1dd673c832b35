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

// Statement is one query. Text is its source, without the semicolon, EXPLAIN or PROFILE included.
type Statement struct {
	Pos     Pos
	Text    string
	Explain ExplainMode
	Query   *Query

	source string // the text given to Parse, which positions refer to
}

// Query is a chain of clauses, the last one a Return; or a single CallClause.
type Query struct{ Clauses []Clause }

// Clause is *Match, *CallClause or *Return.
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

// Match is MATCH [mode] paths [WHERE].
type Match struct {
	Pos               Pos
	Mode              ElementMode // DifferentNodes where Subgraphs is set
	Subgraphs         bool        // [DISTINCT] [INDUCED] SUBGRAPHS was written
	Distinct, Induced bool
	Paths             []*PathPattern
	Where             Expr // nil if none
}

// PathPattern is a node, relationship, node, ... chain. len(Nodes) == len(Rels) + 1.
type PathPattern struct {
	Pos   Pos
	Nodes []*NodePattern
	Rels  []*RelPattern
}

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

// RelPattern is -[name :types {props} WHERE expr]->. Types is restricted to names joined by | in this version
// of the language; a nil Types admits any.
type RelPattern struct {
	Pos       Pos // from dash to dash
	Name      string
	NamePos   Pos
	Types     []Name
	Direction Direction
	Props     Expr
	Where     Expr
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

func (m *Match) Position() Pos      { return m.Pos }
func (c *CallClause) Position() Pos { return c.Pos }
func (r *Return) Position() Pos     { return r.Pos }
func (*Match) clause()              {}
func (*CallClause) clause()         {}
func (*Return) clause()             {}
