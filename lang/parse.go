package lang

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// Limits that keep hostile input from exhausting the stack: of the parser, and of whoever walks the tree. No query that
// a person or a sensible program writes comes near them.
const (
	maxNesting   = 300     // brackets and CASE inside each other; and so for prefix operators
	maxOperators = 100_000 // binary operators, properties and indexes in one statement: a chain is a tree as deep
)

const operatorsHint = "a long list of values is better given as a parameter"

// Parse reads a script: statements separated by semicolons. Empty statements are left out. The error, an *Error, is the
// first in the order of the text.
func Parse(text string) (*Script, error) { return ParseContext(context.Background(), text, 0) }

// ErrTokens says that a text has more tokens than ParseContext may read.
var ErrTokens = errors.New("the text has too many words and signs")

// ParseContext is Parse of a text of at most so many tokens; 0 means any number. Each token takes about a kilobyte while the
// text is read. ParseContext ends with the error of ctx soon after ctx ends.
func ParseContext(ctx context.Context, text string, most int) (*Script, error) {
	room := tokenRooms.Get().(*[]lexer.Token)
	s := scanner{text: text, most: most, ctx: ctx, room: *room}
	toks := s.all()
	defer func() {
		if clear(toks); cap(toks) <= maxTokenRoom {
			*room = toks[:0]
			tokenRooms.Put(room)
		}
	}()
	if ctx != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if most > 0 && len(toks) > most {
		return nil, ErrTokens
	}
	script, err := parseScript(&s, toks)
	if err != nil && ctx != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return script, err
}

// tokenRooms has room for the tokens of texts. A statement keeps none of its tokens.
var tokenRooms = sync.Pool{New: func() any { return new([]lexer.Token) }}

// maxTokenRoom is how many tokens a room that is kept holds at most: a quarter of a megabyte.
const maxTokenRoom = 1 << 12

func parseScript(s *scanner, toks []lexer.Token) (*Script, error) {
	text := s.text
	script := &Script{}
	for len(toks) > 0 {
		src := source{text: text, toks: toks, end: s.end(), ctx: s.ctx}
		if n := slices.IndexFunc(toks, isSemicolon); n >= 0 {
			src.toks, src.end, toks = toks[:n], toks[n].Pos, toks[n+1:]
		} else {
			toks = nil
		}
		if len(src.toks) == 0 {
			continue
		}
		src.toks = lookAhead(src.toks)
		stmt, err := src.statement()
		if err != nil {
			return nil, err
		}
		script.Statements = append(script.Statements, stmt)
	}
	return script, nil
}

// ParseExpr reads a single expression, such as the value of a parameter.
func ParseExpr(text string) (Expr, error) {
	s := scanner{text: text}
	src := source{text: text, toks: lookAhead(s.all()), end: s.end()}
	g, err := parseTokens[gExpr](&src)
	if err != nil {
		return nil, err
	}
	b := builder{text: text}
	return built(&b, func() Expr { return b.expr(g) })
}

// ParseLabels reads a label expression that stands alone, without a colon, such as the option label of a procedure.
func ParseLabels(text string) (*LabelExpr, error) {
	s := scanner{text: text}
	src := source{text: text, toks: s.all(), end: s.end()}
	g, err := parseTokens[gLabelOr](&src)
	if err != nil {
		return nil, err
	}
	b := builder{text: text}
	return built(&b, func() *LabelExpr {
		l := b.labelOr(g)
		noLabelsFrom(&b, l)
		return l
	})
}

// SplitStatements cuts a script at its semicolons, without reading the statements. Those that hold nothing but blanks
// and comments are left out.
func SplitStatements(text string) []string {
	var out []string
	for p, ok := NextStatement(context.Background(), text, 0); ok; p, ok = NextStatement(context.Background(), text, p.Offset+p.Len) {
		out = append(out, text[p.Offset:p.Offset+p.Len])
	}
	return out
}

// NextStatement returns where the first statement of SplitStatements stands that begins at byte from or later. It keeps no list of
// tokens, since scripts may be long. It reports false behind the last statement, or when ctx ends. A comment that cannot be read,
// because it is not closed or not UTF-8, is no comment, so that it is not left out but refused by Parse.
func NextStatement(ctx context.Context, text string, from int) (place Pos, found bool) {
	var first, last lexer.Token
	from = max(0, min(from, len(text)))
	s := scanner{text: text[from:], ctx: ctx}
	s.each(func(t lexer.Token) bool {
		switch {
		case isSemicolon(t):
			return !found
		case !found:
			first, found = t, true
		}
		last = t
		return true
	})
	if !found || ctx != nil && ctx.Err() != nil {
		return Pos{}, false
	}
	place = span(first, last)
	place.Offset += from
	return place, true
}

// Complete tells whether text ends a statement: whether its last token is a semicolon, one that is not inside
// a string, a quoted name or a comment. A shell reads lines until it does.
func Complete(text string) bool {
	ended := false
	s := scanner{text: text}
	s.each(func(t lexer.Token) bool { // without a list of the tokens, as in NextStatement
		ended = isSemicolon(t) || ended && isClosedComment(t.Value) // a comment that is not UTF-8
		return true
	})
	return ended
}

// TokenPlaces yields where the tokens of text stand, without comments. Unlike Tokens it keeps no list of them.
func TokenPlaces(text string) iter.Seq[Pos] {
	return func(yield func(Pos) bool) {
		s := scanner{text: text}
		s.each(func(t lexer.Token) bool { return yield(posOf(t)) })
	}
}

func isSemicolon(t lexer.Token) bool { return isOp(t, ";") }

// source is the tokens of one statement, and where they end, in the text that they come from.
type source struct {
	text string
	toks []lexer.Token
	end  lexer.Position
	ctx  context.Context // nil: reading does not stop
}

func (src *source) statement() (*Statement, error) {
	g, err := parseTokens[gStatement](src)
	if err != nil {
		return nil, err
	}
	first, last := src.toks[0], src.toks[len(src.toks)-1]
	b := builder{text: src.text}
	return built(&b, func() *Statement {
		stmt := b.statement(g)
		stmt.Pos = span(first, last)
		stmt.Text = src.text[first.Pos.Offset:endOf(last)]
		stmt.source = src.text
		return stmt
	})
}

// parseTokens reads a G. Its error is one that a person can read.
func parseTokens[G any](src *source) (*G, error) {
	if err := checkNesting(src); err != nil {
		return nil, err
	}
	g, stop := readByRules[G](src.ctx, src.toks)
	switch {
	case g != nil:
		return g, nil
	case src.ctx != nil && src.ctx.Err() != nil:
		return nil, src.ctx.Err()
	}
	return nil, src.explain(stop, func(toks []lexer.Token) int {
		_, stop := readByRules[G](src.ctx, toks)
		return stop.at
	})
}

// checkNesting refuses brackets and CASEs so deep that reading them might exhaust the stack. It also refuses a text with too
// many operators before the parser spends seconds on it; the builder counts the operators that are no others' signs.
func checkNesting(src *source) error {
	depth, operators := 0, 0
	for i, t := range src.toks {
		if t.Type == kindBinary && strings.Contains("+/%^", t.Value) {
			if operators++; operators > maxOperators {
				return &Error{Code: codeTooLarge, Pos: posOf(t), Query: src.text, Hint: operatorsHint,
					Msg: fmt.Sprintf("the query has more than %d operators", maxOperators)}
			}
		}
		switch {
		case isOp(t, "([{"), t.Type == kindKeyword && strings.EqualFold(t.Value, "CASE"):
			depth++
		case isOp(t, ")]}"), t.Type == kindKeyword && strings.EqualFold(t.Value, "END"):
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return tooDeep(src.text, src.toks[i])
		}
	}
	return nil
}

func tooDeep(text string, t lexer.Token) *Error {
	return &Error{Code: codeTooLarge, Pos: posOf(t), Query: text,
		Msg: fmt.Sprintf("the query is nested more than %d levels deep here", maxNesting)}
}

func posOf(t lexer.Token) Pos {
	return Pos{Offset: t.Pos.Offset, Line: t.Pos.Line, Column: t.Pos.Column, Len: len(t.Value)}
}

func endOf(t lexer.Token) int { return t.Pos.Offset + len(t.Value) }

// span is the place from one token to another.
func span(first, last lexer.Token) Pos {
	p := posOf(first)
	p.Len = endOf(last) - p.Offset
	return p
}
