package repl

import (
	"iter"

	"github.com/motifql/motif/lang"
)

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
	text = text[:min(len(text), most)]
	for _, t := range lang.Tokens(text) {
		if t.Kind != lang.TokenComment {
			return text[t.Pos.Offset : t.Pos.Offset+t.Pos.Len]
		}
	}
	return ""
}
