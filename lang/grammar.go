package lang

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar, as participle reads it off struct tags. It is LL(1) but for one look at a second token (a match mode
// against a path variable), and is read with a lookahead of none: once a branch has taken a token it must succeed, so an
// error is always at the first token that no query could have there. Two things keep it so:
//
//   - Operators are not layered by precedence: an expression is a flat chain of operands and operators, which the
//     builder arranges. That makes deep expressions and long lists some six times as cheap, too.
//   - What a query of openCypher may hold here and this version of the language does not have is met by a noXxx hook
//     (unsupported.go), which refuses it at its place.
//
// The fields hold tokens, not text, because the builder needs their places.

type gStatement struct {
	Explain lexer.Token `parser:"@('EXPLAIN' | 'PROFILE')?"`
	Show    lexer.Token `parser:"( @'SHOW' 'PROCEDURES'"`
	Clauses []*gClause  `parser:"| @@+ )"`
}

type gClause struct {
	Match  *gMatch   `parser:"  @@"`
	Call   *gProc    `parser:"| @@"`
	Return *gReturn  `parser:"| @@"`
	No     *noClause `parser:"| @@"`
}

type gMatch struct {
	Match lexer.Token `parser:"@'MATCH'"`
	Mode  *gMode      `parser:"( (?! (Ident | Quoted) '=') @@ )?"`
	Paths []*gPath    `parser:"@@ (',' @@)*"`
	Where *gExpr      `parser:"('WHERE' @@)?"`
}

type gMode struct {
	Repeatable bool        `parser:"  @('REPEATABLE' 'ELEMENTS')"`
	Different  lexer.Token `parser:"| 'DIFFERENT' @('NODES' | 'VERTICES' | 'RELATIONSHIPS' | 'EDGES')"`
	Distinct   bool        `parser:"| @'DISTINCT'?"`
	Induced    bool        `parser:"  @'INDUCED'? 'SUBGRAPHS'"`
}

type gPath struct {
	Tokens []lexer.Token
	No     *noPath   `parser:"@@?"`
	Head   *gNode    `parser:"@@"`
	Hops   []*gHop   `parser:"@@*"`
	Repeat *noRepeat `parser:"@@?"`
}

type gHop struct {
	Rel  *gRel  `parser:"@@"`
	Node *gNode `parser:"@@"`
}

type gNode struct {
	Tokens []lexer.Token
	No     *noGroup    `parser:"'(' @@?"`
	Name   lexer.Token `parser:"@(Ident | Quoted)?"`
	Labels *gLabels    `parser:"@@?"`
	Props  *gProps     `parser:"@@?"`
	Where  *gExpr      `parser:"('WHERE' @@)? ')'"`
}

type gRel struct {
	Tokens []lexer.Token
	Left   bool          `parser:"@'<'? '-'"`
	Detail *gDetail      `parser:"('[' @@ ']')?"`
	Right  bool          `parser:"'-' @'>'?"`
	No     *noQuantifier `parser:"@@?"`
}

type gDetail struct {
	Name  lexer.Token `parser:"@(Ident | Quoted)?"`
	Types *gTypes     `parser:"@@?"`
	No    *noLength   `parser:"@@?"`
	Props *gProps     `parser:"@@?"`
	Where *gExpr      `parser:"('WHERE' @@)?"`
}

type gTypes struct {
	No    *noTypes `parser:"':' @@?"`
	Names []*gName `parser:"@@ ('|' ':'? @@)*"`
	After *noTypes `parser:"@@?"`
}

// gName is a name where no variable can stand, so that reserved words will do.
type gName struct {
	Token lexer.Token `parser:"@(Ident | Quoted | Keyword | OpWord | Constant)"`
}

type gLabels struct {
	Colons []*gLabelOr `parser:"(':' @@)+"`
}

type gLabelOr struct {
	Pos lexer.Position
	Of  []*gLabelAnd `parser:"@@ ('|' @@)*"`
}

type gLabelAnd struct {
	Pos lexer.Position
	Of  []*gLabelNot `parser:"@@ ('&' @@)*"`
}

type gLabelNot struct {
	Not  []lexer.Token `parser:"@('!'+)?"`
	Any  lexer.Token   `parser:"( @'%'"`
	Name *gName        `parser:"| @@"`
	Of   *gLabelOr     `parser:"| '(' @@ ')' )"`
}

type gProps struct {
	Map   *gMap       `parser:"  @@"`
	Param lexer.Token `parser:"| @Param"`
}

// gProc is CALL with a procedure.
type gProc struct {
	Call  lexer.Token `parser:"@'CALL'"`
	No    *noSubquery `parser:"@@?"`
	Head  lexer.Token `parser:"@(Ident | Quoted)"`
	Path  []*gName    `parser:"('.' @@)* '('"`
	Args  []*gExpr    `parser:"(@@ (',' @@)*)? ')'"`
	Star  lexer.Token `parser:"( 'YIELD' ( @'*' |"`
	Yield []*gYield   `parser:"  @@ (',' @@)* )"`
	Where *gExpr      `parser:"  ('WHERE' @@)? )?"`
}

type gYield struct {
	Column lexer.Token `parser:"@(Ident | Quoted)"`
	As     lexer.Token `parser:"('AS' @(Ident | Quoted))?"`
}

type gReturn struct {
	Return   lexer.Token `parser:"@'RETURN'"`
	Distinct bool        `parser:"@'DISTINCT'?"`
	Star     bool        `parser:"( @'*'"`
	More     []*gItem    `parser:"  (',' @@)*"`
	Items    []*gItem    `parser:"| @@ (',' @@)* )"`
	Order    []*gSort    `parser:"('ORDER' 'BY' @@ (',' @@)*)?"`
	Skip     *gExpr      `parser:"(('SKIP' | 'OFFSET') @@)?"`
	Limit    *gExpr      `parser:"('LIMIT' @@)?"`
}

type gItem struct {
	Tokens []lexer.Token
	Expr   *gExpr      `parser:"@@"`
	As     lexer.Token `parser:"('AS' @(Ident | Quoted))?"`
}

type gSort struct {
	Expr *gExpr      `parser:"@@"`
	Dir  lexer.Token `parser:"@('ASC' | 'ASCENDING' | 'DESC' | 'DESCENDING')?"`
}

// gExpr is an expression. A parser of its own reads it; but long lists are lists of literals, and those need none.
type gExpr struct{ *gChain }

func (g *gExpr) Parse(lx *lexer.PeekingLexer) error {
	if ahead := peek(lx, 2); isLiteral(ahead[0]) && (ahead[1].EOF() || isOp(ahead[1], ",)]}")) {
		g.gChain = &gChain{First: &gOperand{Atom: &gAtom{Literal: ahead[0]}}}
		lx.Next()
		return nil
	}
	start := lx.RawCursor()
	chain, err := expressionParser().ParseFromLexer(lx, participle.AllowTrailing(true))
	if err != nil && lx.RawCursor() == start {
		return participle.NextMatch
	}
	g.gChain = chain
	return err
}

func isLiteral(t lexer.Token) bool {
	switch t.Type {
	case kindNumber, kindString, kindParam, kindConstant:
		return true
	}
	return false
}

// gChain is the operands and operators of an expression as they stand in the text.
type gChain struct {
	First *gOperand `parser:"@@"`
	Rest  []*gTail  `parser:"@@*"`
}

type gTail struct {
	Op    lexer.Token   `parser:"( @(Binary | OpWord)"`
	Words []lexer.Token `parser:"  | @(('STARTS' | 'ENDS') 'WITH') )"`
	Right *gOperand     `parser:"  @@"`
	Is    []lexer.Token `parser:"| @('IS' 'NOT'? 'NULL')"`
}

type gOperand struct {
	Prefix []lexer.Token `parser:"@(('NOT' | '-' | '+')+)?"`
	Atom   *gAtom        `parser:"@@"`
	Ops    []*gPostfix   `parser:"@@*"`
	Labels *gLabels      `parser:"@@?"`
}

type gAtom struct {
	No      *noExpr     `parser:"  @@"`
	Literal lexer.Token `parser:"| @(Number | String | Param | Constant)"`
	Name    *gReference `parser:"| @@"`
	Paren   *gExpr      `parser:"| '(' @@ ')'"`
	List    *gList      `parser:"| @@"`
	Map     *gMap       `parser:"| @@"`
	Case    *gCase      `parser:"| @@"`
}

// gReference is a variable, a property of one, or a call of a function, whose name may have dots.
type gReference struct {
	Head lexer.Token `parser:"@(Ident | Quoted)"`
	Path []*gName    `parser:"('.' @@)*"`
	Call *gCall      `parser:"@@?"`
}

type gCall struct {
	Open     lexer.Token `parser:"@'('"`
	Distinct bool        `parser:"@'DISTINCT'?"`
	Star     bool        `parser:"( @'*'"`
	Args     []*gExpr    `parser:"| @@ (',' @@)* )? ')'"`
}

type gPostfix struct {
	Key   *gName  `parser:"  '.' @@"`
	Index *gIndex `parser:"| @@"`
}

type gIndex struct {
	Open  lexer.Token `parser:"@'['"`
	From  *gExpr      `parser:"( @@"`
	Range bool        `parser:"  ( @'..'"`
	To    *gExpr      `parser:"    @@? )?"`
	Upto  bool        `parser:"| @'..'"`
	End   *gExpr      `parser:"  @@? ) ']'"`
}

type gList struct {
	Open  lexer.Token `parser:"@'['"`
	Items []*gExpr    `parser:"(@@ (',' @@)*)? ']'"`
}

type gMap struct {
	Open    lexer.Token `parser:"@'{'"`
	Entries []*gEntry   `parser:"(@@ (',' @@)*)? '}'"`
}

type gEntry struct {
	Key   *gName `parser:"@@ ':'"`
	Value *gExpr `parser:"@@"`
}

type gCase struct {
	Case  lexer.Token `parser:"@'CASE'"`
	Test  *gExpr      `parser:"@@?"`
	Whens []*gWhen    `parser:"@@+"`
	Else  *gExpr      `parser:"('ELSE' @@)? 'END'"`
}

type gWhen struct {
	Cond *gExpr `parser:"'WHEN' @@"`
	Then *gExpr `parser:"'THEN' @@"`
}

// The parsers: of statements, of expressions in statements and alone, and of label expressions alone.
var (
	statementParser  = sync.OnceValue(buildParser[gStatement])
	expressionParser = sync.OnceValue(buildParser[gChain])
	labelParser      = sync.OnceValue(buildParser[gLabelOr])
)

func buildParser[G any]() *participle.Parser[G] {
	return participle.MustBuild[G](
		participle.Lexer(lexerDef{}),
		participle.CaseInsensitive("Ident", "Keyword", "OpWord", "Constant"),
		participle.UseLookahead(0),
	)
}
