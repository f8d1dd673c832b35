package lang

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The hooks in this file stand in the grammar where openCypher or GQL has something that this version of the language
// does not have. They refuse it by name; without them the user would read of an unexpected token somewhere inside it.
// A hook that refuses takes a token first, because participle tries no other branch after that.
type (
	noClause     struct{} // at the start of a clause
	noSubquery   struct{} // after CALL
	noPath       struct{} // at the start of a path pattern
	noGroup      struct{} // after the "(" of a node pattern
	noRepeat     struct{} // after a path pattern
	noLength     struct{} // after the types of a relationship pattern
	noQuantifier struct{} // after a relationship pattern
	noTypes      struct{} // after the ":" of a relationship pattern, and after its types
	noExpr       struct{} // at the start of an operand
)

// unsupported describes a construct of openCypher or GQL that is not there.
type unsupported struct{ what, hint string }

const (
	hintImport  = "queries only read: a graph is loaded by an import"
	hintSpellIt = "write the relationships out one by one"
)

var unsupportedClauses = map[string]unsupported{
	"OPTIONAL": {"OPTIONAL MATCH", ""},
	"WITH":     {"WITH", "MATCH clauses may follow each other; aggregate, sort and cut in RETURN"},
	"UNWIND":   {"UNWIND", "test whether a value is in a list with IN"},
	"UNION":    {"UNION", "run the queries one after the other"},
	"CREATE":   {"CREATE", hintImport},
	"INSERT":   {"INSERT", hintImport},
	"MERGE":    {"MERGE", hintImport},
	"SET":      {"SET", hintImport},
	"DELETE":   {"DELETE", hintImport},
	"DETACH":   {"DETACH DELETE", hintImport},
	"REMOVE":   {"REMOVE", hintImport},
	"FOREACH":  {"FOREACH", hintImport},
	"LOAD":     {"LOAD CSV", hintImport},
	"USE":      {"USE", ""},
	"LET":      {"LET", ""},
	"FILTER":   {"FILTER", "write the condition as WHERE after MATCH"},
	"FOR":      {"FOR", ""},
	"FINISH":   {"FINISH", ""},
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

func (*noSubquery) Parse(lx *lexer.PeekingLexer) error {
	if v := lx.Peek().Value; v != "{" && v != "(" {
		return participle.NextMatch
	}
	return unsupported{"a subquery in CALL", "CALL runs a procedure: CALL name(arguments)"}.refuse(lx)
}

var unsupportedPaths = map[string]unsupported{
	"WALK":     {"the path mode WALK", ""},
	"TRAIL":    {"the path mode TRAIL", "relationships differ anyway unless MATCH REPEATABLE ELEMENTS says otherwise"},
	"SIMPLE":   {"the path mode SIMPLE", "MATCH DIFFERENT NODES makes all nodes differ"},
	"ACYCLIC":  {"the path mode ACYCLIC", "MATCH DIFFERENT NODES makes all nodes differ"},
	"ANY":      {"a path search with ANY", ""},
	"ALL":      {"a path search with ALL", ""},
	"SHORTEST": {"a path search with SHORTEST", ""},
}

func (*noPath) Parse(lx *lexer.PeekingLexer) error {
	ahead := peek(lx, 2)
	switch word := strings.ToUpper(ahead[0].Value); {
	case !isVariable(ahead[0]):
		return participle.NextMatch
	case ahead[1].Value == "=":
		return unsupported{"a path variable", "name the nodes and relationships, and return those"}.refuse(lx)
	case isShortestPath(ahead):
		return unsupported{ahead[0].Value + "()", ""}.refuse(lx)
	case ahead[0].Type == kindIdent && unsupportedPaths[word].what != "":
		return unsupportedPaths[word].refuse(lx)
	}
	return participle.NextMatch
}

func (*noGroup) Parse(lx *lexer.PeekingLexer) error {
	if lx.Peek().Value != "(" {
		return participle.NextMatch
	}
	return unsupported{"a path pattern in parentheses", hintSpellIt}.refuse(lx)
}

func (*noRepeat) Parse(lx *lexer.PeekingLexer) error {
	if ahead := peek(lx, 2); ahead[0].Value != "(" || ahead[1].Value != "(" {
		return participle.NextMatch
	}
	return unsupported{"a path pattern in parentheses", hintSpellIt}.refuse(lx)
}

func (*noLength) Parse(lx *lexer.PeekingLexer) error {
	switch t := lx.Peek(); t.Value {
	case "*":
		return unsupported{"a relationship of variable length", hintSpellIt}.refuse(lx)
	case "..":
		lx.Next()
		return &Error{Code: "SyntaxError.InvalidRelationshipPattern", Pos: posOf(*t),
			Msg: "a range of lengths begins with *, and is not supported in this version", Hint: hintSpellIt}
	}
	return participle.NextMatch
}

func (*noQuantifier) Parse(lx *lexer.PeekingLexer) error {
	switch lx.Peek().Value {
	case "*", "+", "?", "{":
		return unsupported{"a quantifier", hintSpellIt}.refuse(lx)
	}
	return participle.NextMatch
}

func (*noTypes) Parse(lx *lexer.PeekingLexer) error {
	hint := "types may be joined by |: -[:A|B]->"
	switch op := lx.Peek().Value; op {
	case "%":
		hint = "leave the type out: -[]-> admits any"
		fallthrough
	case "!", "&", "(":
		return unsupported{"the operator " + op + " in the types of a relationship", hint}.refuse(lx)
	}
	return participle.NextMatch
}

func (*noExpr) Parse(lx *lexer.PeekingLexer) error {
	t := lx.Peek()
	switch {
	case t.Value == "(":
		if isPattern(lx) {
			return unsupported{"a pattern inside an expression", "write the pattern into MATCH"}.refuse(lx)
		}
	case t.Value == "[":
		if isComprehension(lx) {
			return unsupported{"a list comprehension", "for a list of one boolean write [(x IN list)]"}.refuse(lx)
		}
	case t.Type == kindIdent, t.Type == kindKeyword:
		if ahead := peek(lx, maxPeek); isOp(ahead[1], "({") {
			if u, ok := unsupportedWord(ahead); ok {
				return u.refuse(lx)
			}
		}
	}
	return participle.NextMatch
}

// unsupportedWord looks at the first four tokens of an operand that begins with a word.
func unsupportedWord(ahead [maxPeek]lexer.Token) (u unsupported, ok bool) {
	word, next := strings.ToUpper(ahead[0].Value), ahead[1].Value
	variable := next == "(" && isVariable(ahead[2])
	overList := variable && strings.EqualFold(ahead[3].Value, "IN")
	switch {
	case word == "EXISTS" && next == "(":
		return unsupported{"exists()", "write x.key IS NOT NULL"}, true
	case ahead[0].Type == kindKeyword && word != "EXISTS":
		return u, false
	case next == "{" && (word == "EXISTS" || word == "COUNT" || word == "COLLECT"):
		return unsupported{"a subquery with " + word + " { }", ""}, true
	case next == "{":
		return unsupported{"a map projection", "write {key: " + ahead[0].Value + ".key}"}, true
	case isShortestPath(ahead):
		return unsupported{ahead[0].Value + "()", ""}, true
	case overList && (word == "ALL" || word == "ANY" || word == "NONE" || word == "SINGLE"):
		return unsupported{"the list predicate " + strings.ToLower(word) + "()", ""}, true
	case overList && (word == "FILTER" || word == "EXTRACT"), variable && word == "REDUCE" && ahead[3].Value == "=":
		return unsupported{strings.ToLower(word) + "()", ""}, true
	}
	return u, false
}

func isShortestPath(ahead [maxPeek]lexer.Token) bool {
	word := strings.ToLower(ahead[0].Value)
	return (word == "shortestpath" || word == "allshortestpaths") && ahead[1].Value == "("
}

// isPattern tells whether an operand that begins with "(" is a node pattern with an arrow after it.
func isPattern(lx *lexer.PeekingLexer) bool {
	defer lx.LoadCheckpoint(lx.MakeCheckpoint())
	lx.Next() // the bracket
	if isVariable(*lx.Peek()) {
		lx.Next()
	}
	if lx.Peek().Value == "{" { // properties, unless more of an expression follows them
		lx.Next()
		skipBracket(lx, nil)
		if v := lx.Peek().Value; v != ")" && !strings.EqualFold(v, "WHERE") {
			return false
		}
	}
	switch t := lx.Peek(); {
	case t.Value == ")":
		lx.Next()
	case t.Value == ":", strings.EqualFold(t.Value, "WHERE"):
		skipBracket(lx, nil)
	default:
		return false
	}
	if lx.Peek().Value == "<" {
		lx.Next()
	}
	if lx.Next().Value != "-" {
		return false
	}
	switch lx.Next().Value {
	case "[":
		skipBracket(lx, nil)
		return lx.Peek().Value == "-"
	case "-":
		if lx.Peek().Value == ">" {
			lx.Next()
		}
		return lx.Peek().Value == "("
	}
	return false
}

// isComprehension tells whether an operand that begins with "[" is [x IN list], [x IN list WHERE p] or
// [x IN list | y]. [x IN list, y] is a list.
func isComprehension(lx *lexer.PeekingLexer) bool {
	defer lx.LoadCheckpoint(lx.MakeCheckpoint())
	lx.Next() // the bracket
	if !isVariable(*lx.Next()) || !strings.EqualFold(lx.Next().Value, "IN") {
		return false
	}
	return skipBracket(lx, func(t *lexer.Token) bool { return t.Value == "," }).Value != ","
}

// skipBracket goes past the bracket that closes the one just read and returns the last token taken. It stops early
// outside of inner brackets where stop says so, and at the end.
func skipBracket(lx *lexer.PeekingLexer, stop func(*lexer.Token) bool) *lexer.Token {
	for depth := 1; ; {
		t := lx.Next()
		switch {
		case t.EOF(), depth == 1 && stop != nil && stop(t):
			return t
		case isOp(*t, "([{"):
			depth++
		case isOp(*t, ")]}"):
			if depth--; depth == 0 {
				return t
			}
		}
	}
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
	return &Error{Code: codeNotSupported, Msg: u.what + " is not supported in this version", Hint: u.hint, Pos: posOf(*t)}
}
