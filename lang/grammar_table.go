package lang

import "github.com/alecthomas/participle/v2/lexer"

// gPage is ORDER BY, SKIP and LIMIT as a clause of their own.
type gPage struct {
	Tokens []lexer.Token
	Order  []gSort `parser:"( 'ORDER' 'BY' @@ (',' @@)*"`
	Skip   *gExpr  `parser:"  (('SKIP' | 'OFFSET') @@)?"`
	Limit  *gExpr  `parser:"  ('LIMIT' @@)?"`
	From   *gExpr  `parser:"| ('SKIP' | 'OFFSET') @@"`
	To     *gExpr  `parser:"  ('LIMIT' @@)?"`
	Most   *gExpr  `parser:"| 'LIMIT' @@ )"`
}

type gLet struct {
	Let   lexer.Token   `parser:"@'LET'"`
	Items []*gLetColumn `parser:"@@ (',' @@)*"`
}

type gLetColumn struct {
	Name  lexer.Token `parser:"@(Ident | Quoted) '='"`
	Value *gExpr      `parser:"@@"`
}

type gFilter struct {
	Filter lexer.Token `parser:"@'FILTER' 'WHERE'?"`
	Cond   *gExpr      `parser:"@@"`
}

type gFor struct {
	For  lexer.Token `parser:"@'FOR'"`
	Var  lexer.Token `parser:"@(Ident | Quoted)"`
	List *gExpr      `parser:"'IN' @@"`
	With lexer.Token `parser:"( (?= 'WITH' ('ORDINALITY' | 'OFFSET') (Ident | Quoted)) 'WITH' @('ORDINALITY' | 'OFFSET')"`
	At   lexer.Token `parser:"  @(Ident | Quoted) )?"`
}

type gFinish struct {
	Finish lexer.Token `parser:"@'FINISH'"`
}
