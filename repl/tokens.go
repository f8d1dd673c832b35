package repl

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

// statement is one statement of a text, without its semicolon.
type statement struct {
	text   string
	offset int
}

// split cuts a text at its semicolons. It drops statements that hold only comments.
func split(text string) []statement {
	var list []statement
	for _, p := range lang.StatementPlaces(text) {
		list = append(list, statement{text[p.Offset : p.Offset+p.Len], p.Offset})
	}
	return list
}

// firstWord returns the first token of text, if it begins within the first bytes.
func firstWord(text string) string {
	const most = 4096
	if tokens := lex(text[:min(len(text), most)]); len(tokens) > 0 {
		return tokens[0].text
	}
	return ""
}
