package lang

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
	Hints             []Name // USING INDEX and the like, as they stand in the text; they have no effect
	Where             Expr   // nil if none
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
	From    Expr // in CREATE and MERGE, of :$(x): more labels, a string or a list of strings; nil if none
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
	From      Expr       // in CREATE and MERGE, of :$(x): the type; nil if none
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
	labelFrom // of an expression; only while a tree is built
)

// LabelExpr is a label expression.
type LabelExpr struct {
	Pos  Pos
	Op   LabelOp
	Name string
	Args []*LabelExpr

	from Expr // of labelFrom
	any  bool // of labelFrom: one of the labels will do
}
