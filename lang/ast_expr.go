package lang

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
	// Var is a variable. Check sets Null where it is the word UNKNOWN, and no variable has that name: it stands for null then.
	Var struct {
		Pos  Pos
		Name string
		Null bool
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
	// Binary is l op r: OR XOR AND, = <> < <= > >=, IN, STARTS WITH, ENDS WITH, CONTAINS, =~, + || - * / % ^.
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
	// IsType is x IS :: TYPE, or with Not x IS NOT :: TYPE.
	IsType struct {
		Pos  Pos
		X    Expr
		Type *ValueType
		Not  bool
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
func (x *IsType) Position() Pos    { return x.Pos }
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
func (*IsType) expr()    {}
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
