package repl

import (
	"os"
	"strings"

	"github.com/motifql/motif/lang"
)

// colours come from the terminal's own palette, so that they suit its background.
var colours = map[lang.TokenKind]string{
	lang.TokenKeyword:  "\x1b[1;34m",
	lang.TokenLabel:    "\x1b[33m",
	lang.TokenType:     "\x1b[33m",
	lang.TokenFunction: "\x1b[36m",
	lang.TokenString:   "\x1b[32m",
	lang.TokenNumber:   "\x1b[35m",
	lang.TokenParam:    "\x1b[35m",
	lang.TokenComment:  "\x1b[2m",
	lang.TokenInvalid:  "\x1b[31m",
}

const noColour = "\x1b[0m"

// highlight colours a query. It returns the text unchanged if the user wants no colours (no-color.org).
func highlight(text string) string {
	if os.Getenv("NO_COLOR") != "" || strings.HasPrefix(strings.TrimSpace(text), ":") {
		return text
	}
	var b strings.Builder
	at := 0
	for _, t := range lang.Tokens(text) {
		c := colours[t.Kind]
		if c == "" {
			continue
		}
		end := t.Pos.Offset + t.Pos.Len
		b.WriteString(text[at:t.Pos.Offset])
		for i, line := range strings.Split(text[t.Pos.Offset:end], "\n") { // the editor draws line by line
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(c + line + noColour)
		}
		at = end
	}
	return b.String() + text[at:]
}
