package lang

// Command is a statement about the schema: *CreateIndex, *CreateConstraint or *Drop. (SHOW is a CallClause.)
type Command interface {
	Position() Pos
	command()
}

// CreateIndex is CREATE INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.key), or FOR ()-[r:TYPE]-() ON (r.key).
type CreateIndex struct {
	Pos         Pos
	Name        Name // "" if none
	IfNotExists bool
	NameParam   *Param  // in place of Name
	Form        Name    // RANGE, TEXT, BTREE, POINT or LOOKUP; "" if none
	Rel         bool    // of relationships
	Of          Name    // label or type
	Keys        []Name  // none for LOOKUP, which has no label or type either
	Options     *MapLit // nil if none
}

// CreateConstraint is CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR (n:Label) REQUIRE n.key IS UNIQUE, or another demand.
type CreateConstraint struct {
	Pos         Pos
	Name        Name
	NameParam   *Param
	IfNotExists bool
	Rel         bool
	Of          Name
	Keys        []Name
	Demand      Demand
	Type        *ValueType // of DemandType
	Options     *MapLit
}

// Demand is what a constraint says of properties.
type Demand uint8

const (
	DemandUnique  Demand = iota // IS UNIQUE
	DemandNotNull               // IS NOT NULL
	DemandKey                   // IS KEY: unique, and none of them is null
	DemandType                  // IS :: TYPE
)

// Drop is DROP INDEX or DROP CONSTRAINT name [IF EXISTS]. Older dialects name no name: Index or Rule then says which.
type Drop struct {
	Pos        Pos
	Constraint bool
	Name       Name
	NameParam  *Param
	Index      *CreateIndex      // of DROP INDEX ON :Label(key)
	Rule       *CreateConstraint // of DROP CONSTRAINT ON (n:Label) ASSERT ...
	IfExists   bool
}

// ValueType is a type of values: a choice of types.
type ValueType struct {
	Pos Pos
	Any []TypeName
}

// TypeName is a type with a name, such as INTEGER or LIST<STRING>. Null is a value of every type without NotNull.
type TypeName struct {
	Name    string     // in upper case, as valueType() writes it
	Of      *ValueType // of the elements of a LIST
	NotNull bool
}
