package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// The hooks in this file stand in the grammar where openCypher or GQL has something that the language does not have. They refuse it by
// name; without them the user would read of an unexpected token somewhere inside it.
type (
	noClause struct{} // at the start of a clause
	noLength struct{} // where the "*" of *m..n stands
	noSign   struct{} // behind it
	noExpr   struct{} // at the start of an operand
)

// unsupported describes a construct of openCypher or GQL that is not there.
type unsupported struct{ what, hint string }

var unsupportedClauses = map[string]unsupported{
	"USE": {"USE", "a store has one graph: leave it out"},
}

// hook is a part of the grammar that reads nothing. The refusal of what stands there is nil if there is nothing to refuse.
type hook interface {
	refusal(next []lexer.Token) *Error
}

func (*noClause) refusal(next []lexer.Token) *Error {
	if len(next) == 0 || !isWord(next[0]) {
		return nil
	}
	if u, ok := unsupportedClauses[strings.ToUpper(next[0].Value)]; ok {
		return u.refuse(next[0])
	}
	return nil
}

const codeRelationship = "SyntaxError.InvalidRelationshipPattern"

func (*noLength) refusal(next []lexer.Token) *Error {
	if len(next) == 0 || next[0].Value != ".." {
		return nil
	}
	return &Error{Code: codeRelationship, Msg: "a range of lengths begins with *", Hint: "write *.. or *1..3", Pos: posOf(next[0])}
}

func (*noSign) refusal(next []lexer.Token) *Error {
	if len(next) == 0 || next[0].Value != "-" {
		return nil
	}
	return &Error{Code: codeRelationship, Msg: "a length is not negative", Hint: "write *1..3", Pos: posOf(next[0])}
}

func (*noExpr) refusal(next []lexer.Token) *Error {
	if len(next) < 4 || next[0].Type != kindIdent || next[1].Value != "(" || !isVariable(next[2]) || !isIn(next[3]) {
		return nil
	}
	switch strings.ToUpper(next[0].Value) {
	case "FILTER":
		return unsupported{"filter()", "write [x IN list WHERE ...]"}.refuse(next[0])
	case "EXTRACT":
		return unsupported{"extract()", "write [x IN list | ...]"}.refuse(next[0])
	}
	return nil
}

func isVariable(t lexer.Token) bool { return t.Type == kindIdent || t.Type == kindQuoted }

// refuse returns the error at a token.
func (u unsupported) refuse(t lexer.Token) *Error {
	return &Error{Code: codeNotSupported, Msg: u.what + " is not supported", Hint: u.hint, Pos: posOf(t)}
}
