package repl

import (
	"iter"

	"github.com/motifql/motif/lang"
)

// token is a token of the language with its text.
type token struct {
	kind       lang.TokenKind
	text       string
	start, end int // bytes
}

// lex returns the tokens of text without comments.
func lex(text string) []token {
	var list []token
	for _, t := range lang.Tokens(text) {
		if t.Kind != lang.TokenComment {
			end := t.Pos.Offset + t.Pos.Len
			list = append(list, token{t.Kind, text[t.Pos.Offset:end], t.Pos.Offset, end})
		}
	}
	return list
}

// statement is one statement of a text, without its semicolon.
type statement struct {
	text   string
	offset int
}

// finder returns where the first statement stands that begins at a byte of a text or later.
type finder func(from int) (lang.Pos, bool)

// statements cuts a text at its semicolons and yields one statement after another. It drops statements that hold only comments. In a
// script it also yields the lines that are no statements.
func statements(text string, script bool, find finder) iter.Seq[statement] {
	return func(yield func(statement) bool) {
		for p, ok := find(0); ok; p, ok = find(p.Offset + p.Len) {
			st := statement{text[p.Offset : p.Offset+p.Len], p.Offset}
			if script && !peel(st, yield) || !script && !yield(st) {
				return
			}
		}
	}
}

// firstWord returns the first token of text, if it begins within the first bytes.
func firstWord(text string) string {
	const most = 4096
	if tokens := lex(text[:min(len(text), most)]); len(tokens) > 0 {
		return tokens[0].text
	}
	return ""
}
