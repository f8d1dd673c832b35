package lang

import "github.com/alecthomas/participle/v2/lexer"

// The grammar, in struct tags in the language of participle: statements and reading clauses here, the rest in the files
// grammar_*.go. Rules made of the tags (rule.go) read the tokens of a statement into these structs. The grammar is LL(1) but for a
// few looks at the tokens ahead. Once a branch has taken a token it must succeed, so an error is always at the first token that no
// query could have there. Three things keep it so:
//
//   - What would need to look far ahead is decided before parsing, for all brackets in one pass (lookahead.go): which "(" begins a
//     pattern and not an expression in brackets, which "[" a comprehension and not a list, and the like. Such tokens have kinds of
//     their own: ListComp, PatternComp, Pattern, Bar, Subquery, Quantifier, Reduce, Shortest.
//   - Operators are not layered by precedence: an expression is a flat chain of operands and operators, which the
//     builder arranges. That makes deep expressions and long lists some six times as cheap, too.
//   - What a query of openCypher or GQL may hold here and the language does not have is met by a noXxx hook (unsupported_syntax.go),
//     which refuses it at its place.
//
// The fields hold tokens, not text, because the builder needs their places.

type gStatement struct {
	Dialect *gDialect   `parser:"@@?"`
	Explain lexer.Token `parser:"@('EXPLAIN' | 'PROFILE')?"`
	Inner   *gDialect   `parser:"@@?"`
	Show    *gShow      `parser:"( @@"`
	Create  *gDefine    `parser:"| @@"`
	Drop    *gDrop      `parser:"| @@"`
	Using   lexer.Token `parser:"| ( @'USING' 'PERIODIC' 'COMMIT' Number? )?"`
	Query   *gQuery     `parser:"  @@ )"`
}

// gDialect is the prefix CYPHER with a version and options.
type gDialect struct {
	Tokens  []lexer.Token
	Word    lexer.Token `parser:"@'CYPHER'"`
	Version lexer.Token `parser:"@Number?"`
	Options []*gOption  `parser:"( (?= Ident '=') @@ )*"`
}

type gOption struct {
	Name  lexer.Token `parser:"@Ident '='"`
	Value lexer.Token `parser:"@(Ident | Keyword | OpWord | Constant | Number)"`
}

type gQuery struct {
	Clauses []*gClause `parser:"@@+"`
	Unions  []*gUnion  `parser:"@@*"`
	Next    *gNext     `parser:"@@?"`
}

// gNext is NEXT with the query that goes on with the rows of the one before it.
type gNext struct {
	Word  lexer.Token `parser:"@'NEXT'"`
	Query *gQuery     `parser:"@@"`
}

type gUnion struct {
	Op      lexer.Token `parser:"( @('UNION' | 'EXCEPT' | 'INTERSECT')"`
	All     bool        `parser:"  ( @'ALL' | 'DISTINCT' )?"`
	Else    lexer.Token `parser:"| @'OTHERWISE' )"`
	Clauses []*gClause  `parser:"@@+"`
}

type gClause struct {
	Match   *gMatch   `parser:"  (?! 'OPTIONAL' 'CALL') @@"`
	With    *gWith    `parser:"| @@"`
	Return  *gReturn  `parser:"| @@"`
	Unwind  *gUnwind  `parser:"| @@"`
	Call    *gProc    `parser:"| @@"`
	Create  *gCreate  `parser:"| @@"`
	Merge   *gMerge   `parser:"| @@"`
	Set     *gSet     `parser:"| @@"`
	Remove  *gRemove  `parser:"| @@"`
	Delete  *gDelete  `parser:"| @@"`
	Foreach *gForeach `parser:"| @@"`
	Load    *gLoad    `parser:"| @@"`
	Page    *gPage    `parser:"| @@"`
	Let     *gLet     `parser:"| @@"`
	Filter  *gFilter  `parser:"| @@"`
	For     *gFor     `parser:"| @@"`
	Finish  *gFinish  `parser:"| @@"`
	No      *noClause `parser:"| @@"`
}

type gMatch struct {
	Optional lexer.Token `parser:"@'OPTIONAL'?"`
	Match    lexer.Token `parser:"@'MATCH'"`
	Mode     *gMode      `parser:"( (?! (Ident | Quoted) '=') @@ )?"`
	Paths    []*gPath    `parser:"@@ (',' @@)*"`
	Hints    []*gHint    `parser:"@@*"`
	Where    *gExpr      `parser:"('WHERE' @@)?"`
}

// gHint is USING, which tells other engines how to find the pattern.
type gHint struct {
	Tokens []lexer.Token
	Using  lexer.Token `parser:"@'USING'"`
	Index  *gHintIndex `parser:"( ('RANGE' | 'TEXT' | 'POINT' | 'BTREE')? 'INDEX' ( (?! 'SEEK' ':') 'SEEK' )? @@"`
	Scan   *gHintScan  `parser:"| 'SCAN' @@"`
	Join   []*gVar     `parser:"| 'JOIN' 'ON' @@ (',' @@)* )"`
}

type gHintIndex struct {
	Of   gHintScan `parser:"@@"`
	Keys []*gName  `parser:"'(' @@ (',' @@)* ')'"`
}

type gHintScan struct {
	Of    lexer.Token `parser:"@(Ident | Quoted)"`
	Label *gName      `parser:"':' @@"`
}

type gMode struct {
	Repeatable bool        `parser:"  @('REPEATABLE' 'ELEMENTS')"`
	Different  lexer.Token `parser:"| 'DIFFERENT' @('NODES' | 'VERTICES' | 'RELATIONSHIPS' | 'EDGES')"`
	Distinct   bool        `parser:"| @'DISTINCT'?"`
	Induced    bool        `parser:"  @'INDUCED'? 'SUBGRAPHS'"`
}

type gUnwind struct {
	Unwind lexer.Token `parser:"@'UNWIND'"`
	List   *gExpr      `parser:"@@"`
	As     lexer.Token `parser:"'AS' @(Ident | Quoted)"`
}

// gProc is CALL with a procedure or a subquery.
type gProc struct {
	Opt   lexer.Token `parser:"@'OPTIONAL'?"`
	Call  lexer.Token `parser:"@'CALL'"`
	Sub   *gSub       `parser:"( @@ |"`
	Head  lexer.Token `parser:"  @(Ident | Quoted)"`
	Path  []gName     `parser:"  ('.' @@)*"`
	Open  bool        `parser:"  ( @'('"`
	Args  []*gExpr    `parser:"    (@@ (',' @@)*)? ')' )?"`
	Star  lexer.Token `parser:"  ( 'YIELD' ( @'*' |"`
	Yield []*gYield   `parser:"    @@ (',' @@)* )"`
	Where *gExpr      `parser:"    ('WHERE' @@)? )? )"`
}

type gYield struct {
	Column lexer.Token `parser:"@(Ident | Quoted)"`
	As     lexer.Token `parser:"('AS' @(Ident | Quoted))?"`
}

type gSub struct {
	Open    bool    `parser:"( @'('"`
	Star    bool    `parser:"  ( @'*'"`
	Imports []*gVar `parser:"  | @@ (',' @@)* )? ')' )?"`
	Query   *gQuery `parser:"'{' @@ '}'"`

	In         lexer.Token `parser:"( @'IN'"`
	Concurrent lexer.Token `parser:"  ( (Number | Param)? @'CONCURRENT' )? 'TRANSACTIONS'"`
	Rows       *gExpr      `parser:"  ('OF' @@ ('ROW' | 'ROWS'))?"`
	On         lexer.Token `parser:"  ('ON' 'ERROR' @('CONTINUE' | 'BREAK' | 'FAIL'))?"`
	As         lexer.Token `parser:"  ('REPORT' 'STATUS' 'AS' @(Ident | Quoted))? )?"`
}

type gVar struct {
	Token lexer.Token `parser:"@(Ident | Quoted)"`
}

type gReturn struct {
	Return lexer.Token `parser:"@'RETURN'"`
	Body   gProjection `parser:"@@"`
}

type gWith struct {
	With  lexer.Token `parser:"@'WITH'"`
	Body  gProjection `parser:"@@"`
	Where *gExpr      `parser:"('WHERE' @@)?"`
}

type gProjection struct {
	Distinct bool    `parser:"@'DISTINCT'?"`
	Star     bool    `parser:"( @'*'"`
	More     []gItem `parser:"  (',' @@)*"`
	Items    []gItem `parser:"| @@ (',' @@)* )"`
	Order    []gSort `parser:"('ORDER' 'BY' @@ (',' @@)*)?"`
	Skip     *gExpr  `parser:"(('SKIP' | 'OFFSET') @@)?"`
	Limit    *gExpr  `parser:"('LIMIT' @@)?"`
}

type gItem struct {
	Tokens []lexer.Token
	Expr   gExpr       `parser:"@@"`
	As     lexer.Token `parser:"('AS' @(Ident | Quoted))?"`
}

type gSort struct {
	Expr gExpr       `parser:"@@"`
	Dir  lexer.Token `parser:"@('ASC' | 'ASCENDING' | 'DESC' | 'DESCENDING')?"`
}
