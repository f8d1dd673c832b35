package lang

import "github.com/alecthomas/participle/v2/lexer"

// gPath is a path pattern, in clauses and in expressions.
type gPath struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"( (?= (Ident | Quoted) '=') @(Ident | Quoted) '=' )?"`
	Around *gShortest  `parser:"( @@"`
	Prefix *gPrefix    `parser:"| @@?"`
	Chain  *gHops      `parser:"  @@ )"`
}

type gShortest struct {
	Word  lexer.Token `parser:"@Shortest '('"`
	Chain *gHops      `parser:"@@ ')'"`
}

type gPrefix struct {
	Selector *gSelector  `parser:"( @@"`
	Mode     lexer.Token `parser:"  @('WALK' | 'TRAIL' | 'SIMPLE' | 'ACYCLIC')?"`
	Only     lexer.Token `parser:"| @('WALK' | 'TRAIL' | 'SIMPLE' | 'ACYCLIC') )"`
	Paths    bool        `parser:"@('PATH' | 'PATHS')?"`
	Groups   lexer.Token `parser:"@('GROUP' | 'GROUPS')?"`
}

type gSelector struct {
	All      lexer.Token `parser:"  @'ALL'"`
	Shortest bool        `parser:"  @'SHORTEST'?"`
	Any      lexer.Token `parser:"| @'ANY'"`
	Short    bool        `parser:"  ( @'SHORTEST'"`
	AnyK     lexer.Token `parser:"  | @(Number | Param) )?"`
	Word     lexer.Token `parser:"| @'SHORTEST'"`
	K        lexer.Token `parser:"  @(Number | Param)?"`
}

// gHops is the nodes, relationships and parenthesised paths of a pattern. A node stands behind every relationship and may stand beside
// a parenthesised path.
type gHops struct {
	Tokens []lexer.Token
	Head   gFactor `parser:"@@"`
	Hops   []gHop  `parser:"@@*"`
}

type gHop struct {
	Rel   *gRel   `parser:"( @@"`
	To    gFactor `parser:"  @@ )"`
	Group *gGroup `parser:"| (?= '(' ('(' | (Ident | Quoted) '=')) @@"`
}

type gFactor struct {
	Group *gGroup `parser:"  (?= '(' ('(' | (Ident | Quoted) '=')) @@"`
	Node  *gNode  `parser:"| @@"`
}

type gGroup struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'(' ( @(Ident | Quoted) '=' )?"`
	Chain  *gHops      `parser:"@@"`
	Where  *gExpr      `parser:"('WHERE' @@)? ')'"`
	Times  *gTimes     `parser:"@@?"`
	Next   *gNode      `parser:"( (?! '(' ('(' | (Ident | Quoted) '=')) @@ )?"`
}

type gNode struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"'(' @(Ident | Quoted)?"`
	Labels *gLabels    `parser:"( @@"`
	Is     *gLabelOr   `parser:"| 'IS' @@ )?"`
	Props  *gProps     `parser:"@@?"`
	Where  *gExpr      `parser:"('WHERE' @@)? ')'"`
}

type gRel struct {
	Tokens []lexer.Token
	Left   bool     `parser:"@'<'? '-'"`
	Detail *gDetail `parser:"( '[' @@ ']' '-'"`
	Right  bool     `parser:"  @'>'?"`
	Long   bool     `parser:"| '-' @'>'?"`
	Short  bool     `parser:"| @'>' )?"`
	Times  *gTimes  `parser:"@@?"`
}

type gDetail struct {
	Name   lexer.Token `parser:"@(Ident | Quoted)?"`
	Types  *gTypes     `parser:"@@?"`
	Length *gLength    `parser:"@@?"`
	Props  *gProps     `parser:"@@?"`
	Where  *gExpr      `parser:"('WHERE' @@)?"`
}

// gLength is *m..n.
type gLength struct {
	Star lexer.Token `parser:"( @'*'"`
	No   *noSign     `parser:"  @@?"`
	Min  lexer.Token `parser:"  @Number?"`
	Upto bool        `parser:"  ( @'..'"`
	Max  lexer.Token `parser:"    @Number? )?"`
	Bad  *noLength   `parser:"| @@ )"`
}

// gTimes is a quantifier behind a relationship or a parenthesised path.
type gTimes struct {
	Tokens []lexer.Token
	Sign   lexer.Token `parser:"  @('+' | '*' | '?')"`
	Min    lexer.Token `parser:"| '{' @Number?"`
	Comma  bool        `parser:"  ( @','"`
	Max    lexer.Token `parser:"    @Number? )? '}'"`
}

type gTypes struct {
	Of []gLabelAnd `parser:"(':' | 'IS') @@ ('|':Op ':'? @@)*"`
}

// gName is a name where no variable can stand, so that reserved words will do.
type gName struct {
	Token lexer.Token `parser:"@(Ident | Quoted | Keyword | OpWord | Constant)"`
}

type gLabels struct {
	Colons []gLabelOr `parser:"(':' @@)+"`
}

type gLabelOr struct {
	Of []gLabelAnd `parser:"@@ ('|':Op @@)*"`
}

type gLabelAnd struct {
	Of []gLabelNot `parser:"@@ ('&' @@)*"`
}

type gLabelNot struct {
	Not  []lexer.Token `parser:"@('!'+)?"`
	Any  lexer.Token   `parser:"( @'%'"`
	Name *gName        `parser:"| @@"`
	From *gLabelFrom   `parser:"| @@"`
	Of   *gLabelOr     `parser:"| '(' @@ ')' )"`
}

// gLabelFrom is an expression that gives labels or a type.
type gLabelFrom struct {
	Tokens []lexer.Token
	How    lexer.Token `parser:"( @Param | '$' )"`
	From   *gExpr      `parser:"'(' @@ ')'"`
}

type gProps struct {
	Map   *gMap       `parser:"  @@"`
	Param lexer.Token `parser:"| @Param"`
}
