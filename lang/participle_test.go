package lang

import (
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// participle reads the same grammar here. The rules are compared with it.
var (
	statementParser  = sync.OnceValue(buildParser[gStatement])
	expressionParser = sync.OnceValue(buildParser[gExpr])
	labelParser      = sync.OnceValue(buildParser[gLabelOr])
	typeParser       = sync.OnceValue(buildParser[gType])
)

func buildParser[G any]() *participle.Parser[G] {
	return participle.MustBuild[G](
		participle.Lexer(lexerDef{}),
		participle.CaseInsensitive("Ident", "Keyword", "OpWord", "Constant", "Subquery", "Quantifier", "Reduce", "Shortest"),
		participle.UseLookahead(0),
	)
}

func runParser[G any](p *participle.Parser[G], toks []lexer.Token, end lexer.Position) (*G, error) {
	peeking, err := lexer.Upgrade(&tokenLexer{toks: toks, end: end})
	if err != nil {
		return nil, err
	}
	return p.ParseFromLexer(peeking)
}

// failedAt is the index of the token that participle could not take: len(toks) if it wanted more or was content, and -1
// if a hook refused what it read.
func failedAt(err error, toks []lexer.Token) int {
	if err == nil {
		return len(toks)
	}
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return -1
	}
	at, _ := slices.BinarySearchFunc(toks, unexpected.Unexpected.Pos.Offset, func(t lexer.Token, offset int) int {
		return t.Pos.Offset - offset
	})
	return at
}

func (*noClause) Parse(lx *lexer.PeekingLexer) error { return parseHook((*noClause)(nil), lx) }
func (*noLength) Parse(lx *lexer.PeekingLexer) error { return parseHook((*noLength)(nil), lx) }
func (*noSign) Parse(lx *lexer.PeekingLexer) error   { return parseHook((*noSign)(nil), lx) }
func (*noExpr) Parse(lx *lexer.PeekingLexer) error   { return parseHook((*noExpr)(nil), lx) }

func parseHook(h hook, lx *lexer.PeekingLexer) error {
	next := peek(lx)
	if err := h.refusal(next[:]); err != nil {
		lx.Next() // participle tries no other branch after that
		return err
	}
	return participle.NextMatch
}

// peek returns the next tokens without taking them; the end repeats.
func peek(lx *lexer.PeekingLexer) (ahead [4]lexer.Token) {
	defer lx.LoadCheckpoint(lx.MakeCheckpoint())
	for i := range ahead {
		ahead[i] = *lx.Next()
	}
	return ahead
}

// tokenLexer gives participle a slice of tokens, then the end at pos.
type tokenLexer struct {
	toks []lexer.Token
	end  lexer.Position
}

func (l *tokenLexer) Next() (lexer.Token, error) {
	if len(l.toks) == 0 {
		return lexer.EOFToken(l.end), nil
	}
	t := l.toks[0]
	l.toks = l.toks[1:]
	return t, nil
}

// lexerDef is the scanner as participle knows it.
type lexerDef struct{}

func (lexerDef) Symbols() map[string]lexer.TokenType {
	symbols := maps.Clone(tokenKinds)
	symbols["EOF"] = lexer.EOF
	return symbols
}

func (lexerDef) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	s := scanner{text: string(b)}
	return &tokenLexer{toks: lookAhead(s.all()), end: s.end()}, nil
}
