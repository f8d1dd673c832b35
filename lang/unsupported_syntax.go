package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The hooks in this file stand in the grammar where openCypher or GQL has something that the language does not have. They refuse it by
// name; without them the user would read of an unexpected token somewhere inside it. A hook that refuses takes a token first, because
// participle tries no other branch after that.
type (
	noClause struct{} // at the start of a clause
	noLength struct{} // where the "*" of *m..n stands
	noSign   struct{} // behind it
	noExpr   struct{} // at the start of an operand
)

// unsupported describes a construct of openCypher or GQL that is not there.
type unsupported struct{ what, hint string }

var unsupportedClauses = map[string]unsupported{
	"INSERT": {"INSERT", "write CREATE (n:Label {key: value})"},
	"USE":    {"USE", "a store has one graph: leave it out"},
	"LET":    {"LET", "write WITH *, x AS name"},
	"FILTER": {"FILTER", "write the condition as WITH * WHERE ..."},
	"FOR":    {"FOR", "write UNWIND list AS name"},
	"FINISH": {"FINISH", "a query that writes needs nothing at its end"},
}

func (*noClause) Parse(lx *lexer.PeekingLexer) error {
	t := lx.Peek()
	if !isWord(*t) {
		return participle.NextMatch
	}
	if u, ok := unsupportedClauses[strings.ToUpper(t.Value)]; ok {
		return u.refuse(lx)
	}
	return participle.NextMatch
}

const codeRelationship = "SyntaxError.InvalidRelationshipPattern"

func (*noLength) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != ".." {
		return participle.NextMatch
	}
	t := lx.Next()
	return &Error{Code: codeRelationship, Msg: "a range of lengths begins with *", Hint: "write *.. or *1..3", Pos: posOf(*t)}
}

func (*noSign) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != "-" {
		return participle.NextMatch
	}
	t := lx.Next()
	return &Error{Code: codeRelationship, Msg: "a length is not negative", Hint: "write *1..3", Pos: posOf(*t)}
}

func (*noExpr) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Type != kindIdent {
		return participle.NextMatch
	}
	ahead := peek(lx, maxPeek)
	word := strings.ToUpper(ahead[0].Value)
	if ahead[0].Type != kindIdent || ahead[1].Value != "(" || !isVariable(ahead[2]) || !isIn(ahead[3]) {
		return participle.NextMatch
	}
	switch word {
	case "FILTER":
		return unsupported{"filter()", "write [x IN list WHERE ...]"}.refuse(lx)
	case "EXTRACT":
		return unsupported{"extract()", "write [x IN list | ...]"}.refuse(lx)
	}
	return participle.NextMatch
}

func isVariable(t lexer.Token) bool { return t.Type == kindIdent || t.Type == kindQuoted }

// maxPeek is how far peek looks at most.
const maxPeek = 4

// peek returns the next n tokens without taking them; the end repeats.
func peek(lx *lexer.PeekingLexer, n int) (ahead [maxPeek]lexer.Token) {
	defer lx.LoadCheckpoint(lx.MakeCheckpoint())
	for i := range n {
		ahead[i] = *lx.Next()
	}
	return ahead
}

// refuse takes a token and returns the error.
func (u unsupported) refuse(lx *lexer.PeekingLexer) error {
	t := lx.Next()
	return &Error{Code: codeNotSupported, Msg: u.what + " is not supported", Hint: u.hint, Pos: posOf(*t)}
}
