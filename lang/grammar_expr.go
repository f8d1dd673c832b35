package lang

import "github.com/alecthomas/participle/v2/lexer"

// gExpr is the operands and operators of an expression as they stand in the text.
type gExpr struct {
	First gOperand `parser:"@@"`
	Rest  []gTail  `parser:"@@*"`
}

type gTail struct {
	Op    lexer.Token   `parser:"( @(Binary | OpWord)"`
	Words []lexer.Token `parser:"  | @(('STARTS' | 'ENDS') 'WITH') )"`
	Right gOperand      `parser:"  @@"`
	Is    []lexer.Token `parser:"| @('IS' 'NOT'?)"`
	Null  lexer.Token   `parser:"  ( @('NULL' | 'UNKNOWN')"`
	Form  lexer.Token   `parser:"  | @('NFC' | 'NFD' | 'NFKC' | 'NFKD')?"`
	Norm  lexer.Token   `parser:"    @'NORMALIZED'"`
	Type  *gType        `parser:"  | (':' ':' | 'TYPED') @@ )"`
}

type gOperand struct {
	Prefix []lexer.Token `parser:"@(('NOT' | '-' | '+')+)?"`
	Atom   gAtom         `parser:"@@"`
	Ops    []*gPostfix   `parser:"@@*"`
	Labels *gLabels      `parser:"@@?"`
}

type gAtom struct {
	Literal  lexer.Token `parser:"  @(Number | String | Param | Constant)"`
	No       *noExpr     `parser:"| @@"`
	Typed    *gTyped     `parser:"| @@"`
	Cast     *gCast      `parser:"| @@"`
	Trim     *gTrim      `parser:"| @@"`
	Name     *gReference `parser:"| @@"`
	Each     *gEach      `parser:"| @@"`
	Pattern  *gPattern   `parser:"| @@"`
	Paren    *gExpr      `parser:"| '(' @@ ')'"`
	List     *gList      `parser:"| @@"`
	Map      *gMap       `parser:"| @@"`
	Case     *gCase      `parser:"| @@"`
	Subquery *gSubquery  `parser:"| @@"`
}

// gTyped is a literal of a type other than strings: DATE '2026-11-22'.
type gTyped struct {
	Word lexer.Token `parser:"(?= ('DATE' | 'DURATION') String) @('DATE' | 'DURATION')"`
	Text lexer.Token `parser:"@String"`
}

// gCast is CAST(x AS TYPE).
type gCast struct {
	Word lexer.Token `parser:"(?= 'CAST' '(') @'CAST' '('"`
	X    *gExpr      `parser:"@@ 'AS'"`
	Type *gType      `parser:"@@ ')'"`
}

// gTrim is trim(BOTH 'x' FROM s).
type gTrim struct {
	Word  lexer.Token `parser:"(?= 'TRIM' '(' ('BOTH' | 'LEADING' | 'TRAILING') (String | Ident | Quoted | Param)) @'TRIM' '('"`
	Side  lexer.Token `parser:"@('BOTH' | 'LEADING' | 'TRAILING')"`
	Chars *gExpr      `parser:"( (?! 'FROM') @@ )?"`
	Of    *gExpr      `parser:"'FROM' @@ ')'"`
}

// gEach is an expression that goes through a list or the matches of a pattern.
type gEach struct {
	List       *gComprehension `parser:"  @@"`
	Pattern    *gPatternComp   `parser:"| @@"`
	Quantifier *gQuantifier    `parser:"| @@"`
	Reduce     *gReduce        `parser:"| @@"`
}

type gComprehension struct {
	Open  lexer.Token `parser:"@ListComp"`
	Var   lexer.Token `parser:"@(Ident | Quoted)"`
	In    *gExpr      `parser:"'IN' @@"`
	Where *gExpr      `parser:"('WHERE' @@)?"`
	Map   *gExpr      `parser:"(Bar @@)? ']'"`
}

type gPatternComp struct {
	Open  lexer.Token `parser:"@PatternComp"`
	Path  *gPath      `parser:"@@"`
	Where *gExpr      `parser:"('WHERE' @@)?"`
	Map   *gExpr      `parser:"Bar @@ ']'"`
}

type gQuantifier struct {
	Word  lexer.Token `parser:"@Quantifier '('"`
	Var   lexer.Token `parser:"@(Ident | Quoted)"`
	In    *gExpr      `parser:"'IN' @@"`
	Where *gExpr      `parser:"'WHERE' @@ ')'"`
}

type gReduce struct {
	Word lexer.Token `parser:"@Reduce '('"`
	Acc  lexer.Token `parser:"@(Ident | Quoted) '='"`
	Init *gExpr      `parser:"@@ ','"`
	Var  lexer.Token `parser:"@(Ident | Quoted)"`
	In   *gExpr      `parser:"'IN' @@"`
	Step *gExpr      `parser:"'|' @@ ')'"`
}

// gPattern is a pattern as an expression.
type gPattern struct {
	Path *gPath `parser:"(?= Pattern | Shortest) @@"`
}

type gSubquery struct {
	Word  lexer.Token `parser:"@Subquery"`
	Round *gQuery     `parser:"( '(' @@ ')'"`
	Query *gQuery     `parser:"| '{' ( (?! (Ident | Quoted) '=') @@"`
	Paths []*gPath    `parser:"  | @@ (',' @@)*"`
	Where *gExpr      `parser:"    ('WHERE' @@)? ) '}' )"`
}

// gReference is a variable, a property of one, a projection of these, or a call of a function, whose name may have dots.
type gReference struct {
	Head lexer.Token `parser:"@(Ident | Quoted)"`
	Path []gName     `parser:"('.' @@)*"`
	Call *gCall      `parser:"( @@"`
	Map  *gMapOf     `parser:"| @@ )?"`
}

type gMapOf struct {
	Open  lexer.Token `parser:"@'{'"`
	Items []*gMapItem `parser:"(@@ (',' @@)*)? '}'"`
}

type gMapItem struct {
	Dot   lexer.Token `parser:"  @'.'"`
	All   lexer.Token `parser:"  ( @'*'"`
	Of    *gName      `parser:"  | @@ )"`
	Key   *gName      `parser:"| @@"`
	Value *gExpr      `parser:"  (':' @@)?"`
}

type gCall struct {
	Open     lexer.Token `parser:"@'('"`
	Star     bool        `parser:"( @'*'"`
	Distinct bool        `parser:"| ( @'DISTINCT' | (?= 'ALL' (Ident | Quoted | Number | Param)) 'ALL' )?"`
	Args     []*gExpr    `parser:"  @@ (',' @@)* )? ')'"`
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
	Entries []gEntry    `parser:"(@@ (',' @@)*)? '}'"`
}

type gEntry struct {
	Key   gName `parser:"@@ ':'"`
	Value gExpr `parser:"@@"`
}

type gCase struct {
	Case  lexer.Token `parser:"@'CASE'"`
	Test  *gExpr      `parser:"@@?"`
	Whens []gWhen     `parser:"@@+"`
	Else  *gExpr      `parser:"('ELSE' @@)? 'END'"`
}

type gWhen struct {
	Tests []*gWhenTest `parser:"'WHEN' @@ (',' @@)*"`
	Then  *gExpr       `parser:"'THEN' @@"`
}

// gWhenTest is a condition, a value, or an operator with its right side, whose left side is what CASE tests.
type gWhenTest struct {
	Tails []gTail `parser:"  (?= '=' | '<' | '>' | '<>' | '<=' | '>=' | '=~' | 'IN' | 'CONTAINS' | 'STARTS' | 'ENDS' | 'IS') @@+"`
	Value *gExpr  `parser:"| @@"`
}
