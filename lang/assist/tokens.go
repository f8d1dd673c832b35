package assist

import "github.com/motifql/motif/lang"

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
