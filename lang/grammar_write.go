package lang

import "github.com/alecthomas/participle/v2/lexer"

type gCreate struct {
	Create lexer.Token `parser:"@('CREATE' | 'INSERT')"`
	Paths  []*gPath    `parser:"@@ (',' @@)*"`
}

type gMerge struct {
	Merge lexer.Token `parser:"@'MERGE'"`
	Path  *gPath      `parser:"@@"`
	On    []*gOn      `parser:"@@*"`
}

type gOn struct {
	Word  lexer.Token `parser:"'ON' @('CREATE' | 'MATCH')"`
	Items []*gSetItem `parser:"'SET' @@ (',' @@)*"`
}

type gSet struct {
	Set   lexer.Token `parser:"@'SET'"`
	Items []*gSetItem `parser:"@@ (',' @@)*"`
}

type gSetItem struct {
	Of     *gTarget     `parser:"@@"`
	Labels []*gNewLabel `parser:"( (':' @@)+"`
	Add    bool         `parser:"| ( @('+' '=') | '=' )"`
	Value  *gExpr       `parser:"  @@ )"`
}

// gNewLabel is a label, or an expression that gives labels.
type gNewLabel struct {
	Name *gName `parser:"  @@"`
	From *gExpr `parser:"| '$' '(' @@ ')'"`
}

// gTarget is what SET changes.
type gTarget struct {
	Tokens []lexer.Token
	Name   lexer.Token `parser:"( @(Ident | Quoted)"`
	Paren  *gExpr      `parser:"| '(' @@ ')' )"`
	Ops    []*gPostfix `parser:"@@*"`
}

type gRemove struct {
	Remove lexer.Token    `parser:"@'REMOVE'"`
	Items  []*gRemoveItem `parser:"@@ (',' @@)*"`
}

type gRemoveItem struct {
	Of     *gTarget     `parser:"@@"`
	Labels []*gNewLabel `parser:"(':' @@)*"`
}

type gDelete struct {
	Detach lexer.Token `parser:"( @'DETACH' | 'NODETACH' )?"`
	Delete lexer.Token `parser:"@'DELETE'"`
	Exprs  []*gExpr    `parser:"@@ (',' @@)*"`
}

type gForeach struct {
	Foreach lexer.Token `parser:"@'FOREACH'"`
	Var     lexer.Token `parser:"'(' @(Ident | Quoted)"`
	List    *gExpr      `parser:"'IN' @@"`
	Clauses []*gClause  `parser:"'|' @@+ ')'"`
}

type gLoad struct {
	Load       lexer.Token `parser:"@'LOAD' 'CSV'"`
	Headers    bool        `parser:"@('WITH' 'HEADERS')?"`
	From       *gExpr      `parser:"'FROM' @@"`
	As         lexer.Token `parser:"'AS' @(Ident | Quoted)"`
	Terminator lexer.Token `parser:"('FIELDTERMINATOR' @String)?"`
}
