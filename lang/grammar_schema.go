package lang

import "github.com/alecthomas/participle/v2/lexer"

// gShow is SHOW with what a CALL of its procedure may have, and clauses behind it.
type gShow struct {
	Show    lexer.Token   `parser:"@'SHOW'"`
	Kind    []lexer.Token `parser:"@( 'ALL' | 'BUILT' 'IN' | 'USER' 'DEFINED' | 'RANGE' | 'TEXT' | 'POINT' | 'LOOKUP' | 'FULLTEXT' | 'VECTOR' | ('NODE' | 'RELATIONSHIP' | 'REL')? ('UNIQUE' | 'UNIQUENESS' | 'KEY' | 'EXIST' | 'EXISTENCE' | 'PROPERTY' ('EXIST' | 'EXISTENCE' | 'TYPE')) )?"`
	What    lexer.Token   `parser:"@('PROCEDURES' | 'PROCEDURE' | 'FUNCTIONS' | 'FUNCTION' | 'INDEXES' | 'INDEX' | 'CONSTRAINTS' | 'CONSTRAINT' | 'DATABASES' | 'DATABASE')"`
	By      lexer.Token   `parser:"( @'EXECUTABLE' ('BY' 'CURRENT' 'USER')? )?"`
	Star    lexer.Token   `parser:"( 'YIELD' ( @'*' |"`
	Yield   []*gYield     `parser:"  @@ (',' @@)* )"`
	Order   []gSort       `parser:"  ('ORDER' 'BY' @@ (',' @@)*)?"`
	Skip    *gExpr        `parser:"  (('SKIP' | 'OFFSET') @@)?"`
	Limit   *gExpr        `parser:"  ('LIMIT' @@)? )?"`
	Where   *gExpr        `parser:"('WHERE' @@)?"`
	Clauses []*gClause    `parser:"@@*"`
}

type gDefine struct {
	Create     lexer.Token  `parser:"(?= 'CREATE' ('RANGE' | 'TEXT' | 'BTREE' | 'POINT' | 'LOOKUP')? ('INDEX' | 'CONSTRAINT') (?! '=')) @'CREATE'"`
	Constraint *gConstraint `parser:"( 'CONSTRAINT' @@"`
	Lookup     *gLookup     `parser:"| @@"`
	Form       lexer.Token  `parser:"| @('RANGE' | 'TEXT' | 'BTREE' | 'POINT')?"`
	Index      *gIndexDef   `parser:"  'INDEX' @@ )"`
}

type gSchemaName struct {
	Name  lexer.Token `parser:"( (?! 'IF' 'NOT' | 'FOR' '(') @(Ident | Quoted | Param) )?"`
	IfNot bool        `parser:"@('IF' 'NOT' 'EXISTS')?"`
}

// gElement is n:Label) or )-[r:TYPE]-(), behind the first bracket.
type gElement struct {
	Node  lexer.Token `parser:"  @(Ident | Quoted)"`
	Label *gName      `parser:"  ':' @@ ')'"`
	Left  bool        `parser:"| ')' @'<'? '-'"`
	Rel   lexer.Token `parser:"  '[' @(Ident | Quoted)"`
	Type  *gName      `parser:"  ':' @@ ']' '-' '>'? '(' ')'"`
}

type gKey struct {
	Of  lexer.Token `parser:"@(Ident | Quoted) '.'"`
	Key *gName      `parser:"@@"`
}

type gIndexDef struct {
	Head    *gSchemaName `parser:"@@?"`
	Old     *gLabelKeys  `parser:"( 'ON' @@"`
	Of      *gElement    `parser:"| 'FOR' '(' @@ 'ON'"`
	Keys    []*gKey      `parser:"  ( '(' @@ (',' @@)* ')'"`
	Key     *gKey        `parser:"  | @@ ) )"`
	Options *gOptions    `parser:"@@?"`
}

// gLookup is the index that other engines have of labels and of types.
type gLookup struct {
	Form lexer.Token  `parser:"@'LOOKUP' 'INDEX'"`
	Head *gSchemaName `parser:"@@?"`
	Node lexer.Token  `parser:"'FOR' '(' ( @(Ident | Quoted) ')' 'ON' 'EACH'?"`
	Of   lexer.Token  `parser:"  'LABELS' '(' @(Ident | Quoted) ')'"`
	Rel  lexer.Token  `parser:"| ')' '<'? '-' '[' @(Ident | Quoted) ']' '-' '>'? '(' ')' 'ON' 'EACH'?"`
	Type lexer.Token  `parser:"  'TYPE' '(' @(Ident | Quoted) ')' )"`
}

// gLabelKeys is :Label(key, ...), which dialects before GQL have.
type gLabelKeys struct {
	Label *gName   `parser:"':' @@"`
	Keys  []*gName `parser:"'(' @@ (',' @@)* ')'"`
}

type gOptions struct {
	Word lexer.Token `parser:"@'OPTIONS'"`
	Map  *gMap       `parser:"@@"`
}

type gConstraint struct {
	Head    *gSchemaName `parser:"@@?"`
	Rule    *gDemand     `parser:"('FOR' | 'ON') @@"`
	Options *gOptions    `parser:"@@?"`
}

// gDemand is what a constraint says: of what, and of which properties.
type gDemand struct {
	Of     *gElement `parser:"'(' @@ ('REQUIRE' | 'ASSERT')"`
	Exists *gKey     `parser:"( 'EXISTS' '(' @@ ')'"`
	Keys   []*gKey   `parser:"| ( '(' @@ (',' @@)* ')'"`
	Key    *gKey     `parser:"  | @@ )"`
	Is     *gIs      `parser:"  'IS' @@ )"`
}

type gIs struct {
	Of     lexer.Token `parser:"  @('NODE' | 'RELATIONSHIP' | 'REL')?"`
	Unique lexer.Token `parser:"  @('UNIQUE' | 'KEY')"`
	Null   lexer.Token `parser:"| 'NOT' @'NULL'"`
	Type   *gType      `parser:"| (':' ':' | 'TYPED') @@"`
}

type gDrop struct {
	Drop       lexer.Token `parser:"@'DROP'"`
	Index      lexer.Token `parser:"( @'INDEX'"`
	Old        *gLabelKeys `parser:"  ( 'ON' @@"`
	IndexName  lexer.Token `parser:"  | @(Ident | Quoted | Param) )"`
	Constraint lexer.Token `parser:"| @'CONSTRAINT'"`
	Rule       *gDemand    `parser:"  ( 'ON' @@"`
	Name       lexer.Token `parser:"  | @(Ident | Quoted | Param) ) )"`
	IfExists   bool        `parser:"@('IF' 'EXISTS')?"`
}

// gType is a type of values.
type gType struct {
	Any []*gTypeName `parser:"@@ ('|':Op @@)*"`
}

type gTypeName struct {
	Tokens  []lexer.Token
	List    *gType        `parser:"( (?= ('LIST' | 'ARRAY') '<') ('LIST' | 'ARRAY') '<' @@ '>'"`
	Words   []lexer.Token `parser:"| @( (?= ('LOCAL' | 'ZONED') ('TIME' | 'DATETIME')) ('LOCAL' | 'ZONED') ('TIME' | 'DATETIME') | ('TIME' | 'TIMESTAMP') ((?= ('WITH' | 'WITHOUT') 'TIME' 'ZONE') ('WITH' | 'WITHOUT') 'TIME' 'ZONE')? | (?= 'PROPERTY' 'VALUE') 'PROPERTY' 'VALUE' | 'ANY' 'VALUE'? | (?= 'SIGNED' 'INTEGER') 'SIGNED' 'INTEGER' | 'NULL' | Ident ) )"`
	NotNull bool          `parser:"@('NOT' 'NULL')?"`
}
