package lang

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// TokenKind says what a token is for the eye.
type TokenKind uint8

const (
	TokenKeyword TokenKind = iota
	TokenName              // a variable or column
	TokenLabel
	TokenType     // of relationships
	TokenProperty // a property or map key
	TokenFunction
	TokenString
	TokenNumber
	TokenParam
	TokenComment
	TokenOperator // also brackets and separators
	TokenInvalid
)

var tokenKindNames = [...]string{"keyword", "name", "label", "type", "property", "function", "string", "number",
	"parameter", "comment", "operator", "invalid"}

// String returns the kind in lower case.
func (k TokenKind) String() string { return tokenKindNames[k] }

// Token is a stretch of text.
type Token struct {
	Kind TokenKind
	Pos  Pos
}

// Tokens cuts text into tokens for highlighting. It takes any text, also half a query: what is not closed reaches to
// the end. Only blanks stand between the tokens.
func Tokens(text string) []Token {
	s := scanner{text: text, comments: true}
	toks := s.all()
	out := make([]Token, len(toks))
	h := highlighter{start: true}
	for i, t := range toks {
		out[i] = Token{Kind: h.kind(t, following(toks[i+1:])), Pos: posOf(t)}
	}
	return out
}

// following is the first of toks that is not a comment.
func following(toks []lexer.Token) string {
	for _, t := range toks {
		if t.Type != kindComment {
			return t.Value
		}
	}
	return ""
}

// highlighter tells kinds of names apart by the tokens before them. It guesses where a query is not well-formed.
type highlighter struct {
	start    bool   // at the start of a statement
	last     string // the last token, in upper case
	lastKind TokenKind
	mode     bool     // between MATCH and its first pattern
	brackets []string // open ones: "(", "{", "[", "-[" for that of a relationship and "{q" for that of a query
	labels   bool     // after the colon of a label expression
	inner    int      // brackets open inside the label expression
}

func (h *highlighter) kind(t lexer.Token, next string) TokenKind {
	kind := TokenOperator
	switch t.Type {
	case kindComment:
		return TokenComment
	case kindString:
		kind = TokenString
	case kindNumber:
		kind = TokenNumber
	case kindParam:
		kind = TokenParam
	case kindBad:
		if kind = badKind(t.Value); kind == TokenComment {
			return kind
		}
	case kindIdent, kindKeyword, kindOpWord, kindConstant, kindQuoted:
		kind = h.word(t, next)
	default:
		h.operator(t.Value)
	}
	if kind != TokenOperator && !(h.labels && (kind == TokenLabel || kind == TokenType)) {
		h.labels = false
	}
	h.last, h.lastKind = strings.ToUpper(t.Value), kind
	h.start = h.last == ";"
	h.mode = h.last == "MATCH" || h.mode && kind == TokenKeyword
	return kind
}

func badKind(text string) TokenKind {
	switch {
	case strings.HasPrefix(text, "/*"), strings.HasPrefix(text, "//"):
		return TokenComment
	case strings.HasPrefix(text, "'"), strings.HasPrefix(text, `"`):
		return TokenString
	}
	return TokenInvalid
}

func (h *highlighter) in() string {
	if len(h.brackets) == 0 {
		return ""
	}
	return h.brackets[len(h.brackets)-1]
}

// operator keeps track of brackets and label expressions.
func (h *highlighter) operator(op string) {
	switch op {
	case ":":
		h.labels, h.inner = h.in() != "{" || h.lastKind != TokenProperty, 0
	case "|", "&", "!", "%":
	case "(", "[", "{":
		if h.labels && op == "(" && strings.Contains(":|&!(", h.last) {
			h.inner++
			return
		}
		h.labels = false
		if op == "[" && h.last == "-" {
			op = "-["
		}
		if op == "{" && (h.after("EXISTS", "COUNT", "COLLECT", "CALL") || h.last == ")" && h.outside()) {
			op = "{q"
		}
		h.brackets = append(h.brackets, op)
	case ")", "]", "}":
		if h.labels && op == ")" && h.inner > 0 {
			h.inner--
			return
		}
		h.labels = false
		h.brackets = h.brackets[:max(0, len(h.brackets)-1)]
	case ";":
		h.brackets, h.labels = nil, false
	default:
		h.labels = false
	}
}

func (h *highlighter) word(t lexer.Token, next string) TokenKind {
	switch {
	case h.labels && h.lastKind == TokenOperator && h.last != ")":
		if h.in() == "-[" {
			return TokenType
		}
		return TokenLabel
	case h.last == "." && next == "(":
		return TokenFunction
	case h.last == ".", h.in() == "{" && (h.last == "{" || h.last == ","):
		return TokenProperty
	case isReservedWord(t), t.Type == kindIdent && h.isSoftKeyword(strings.ToUpper(t.Value), next):
		return TokenKeyword
	case next == "(":
		return TokenFunction
	}
	return TokenName
}

// isSoftKeyword tells whether a word that is not reserved is a word of the language here.
func (h *highlighter) isSoftKeyword(word, next string) bool {
	switch word {
	case "EXPLAIN", "PROFILE":
		return h.start
	case "REPEATABLE", "DIFFERENT", "INDUCED", "SUBGRAPHS":
		return h.mode && next != "="
	case "ELEMENTS":
		return h.mode && h.last == "REPEATABLE"
	case "NODES", "VERTICES", "RELATIONSHIPS", "EDGES":
		return h.mode && h.last == "DIFFERENT"
	case "CALL":
		return h.clause()
	case "FOREACH":
		return next == "(" && (h.clause() || h.last == "|")
	case "LOAD":
		return strings.EqualFold(next, "CSV") && h.clause()
	case "CSV":
		return h.after("LOAD")
	case "HEADERS":
		return h.after("WITH")
	case "FROM":
		return h.after("CSV", "HEADERS")
	case "FIELDTERMINATOR":
		return h.endsOperand() && strings.HasPrefix(next, "'")
	case "COUNT", "COLLECT":
		return next == "{"
	}
	return h.isPathWord(word, next) || h.isSchemaWord(word, next)
}

// after tells whether the last token is one of these words of the language.
func (h *highlighter) after(words ...string) bool {
	return h.lastKind == TokenKeyword && slices.Contains(words, h.last)
}

// clause tells whether a clause may begin here.
func (h *highlighter) clause() bool {
	return h.outside() && (h.begins() || h.endsOperand())
}

// outside tells whether no brackets are open but those of subqueries.
func (h *highlighter) outside() bool { return h.in() == "" || h.in() == "{q" }

// isPathWord tells whether a word says which paths are wanted.
func (h *highlighter) isPathWord(word, next string) bool {
	if !slices.Contains(pathWords, word) {
		return false
	}
	more := slices.Contains(pathWords, strings.ToUpper(next))
	switch {
	case h.after("UNION"), h.after(pathWords...), h.lastKind == TokenNumber && strings.HasPrefix(word, "GROUP"):
		return true
	case h.mode:
		return next != "="
	}
	return (h.last == "=" || h.last == ",") && h.outside() && (more || next == "(" && word != "ALL" && word != "ANY")
}

// isSchemaWord tells whether a word belongs to a command about indexes and constraints.
func (h *highlighter) isSchemaWord(word, next string) bool {
	switch word {
	case "INDEX", "CONSTRAINT":
		return h.after("CREATE", "DROP", "SHOW") && next != "="
	case "INDEXES", "CONSTRAINTS", "FUNCTIONS", "FUNCTION", "PROCEDURE", "DATABASES", "DATABASE":
		return h.after("SHOW")
	case "DROP":
		return h.begins()
	case "IF":
		return h.in() == "" && (strings.EqualFold(next, "NOT") || strings.EqualFold(next, "EXISTS"))
	case "FOR":
		return h.in() == "" && next == "(" && !h.after("AS")
	case "REQUIRE":
		return h.in() == "" && h.last == ")"
	case "UNIQUE":
		return h.after("IS")
	case "YIELD":
		return h.outside() && (h.last == ")" || h.lastKind == TokenFunction)
	case "SHOW":
		return h.begins()
	case "PROCEDURES":
		return h.lastKind == TokenKeyword && h.last == "SHOW"
	case "OFFSET":
		return h.outside() && h.endsOperand()
	}
	return false
}

// begins tells whether the first clause of a statement may begin here.
func (h *highlighter) begins() bool {
	return h.start || h.after("EXPLAIN", "PROFILE", "UNION", "ALL") || h.last == "{" && h.in() == "{q"
}

// endsOperand tells whether an expression may end with the last token.
func (h *highlighter) endsOperand() bool {
	switch h.lastKind {
	case TokenOperator:
		return strings.Contains(")]}", h.last)
	case TokenKeyword:
		switch h.last {
		case "NULL", "TRUE", "FALSE", "END", "ASC", "ASCENDING", "DESC", "DESCENDING":
			return true
		}
		return false
	}
	return true
}
