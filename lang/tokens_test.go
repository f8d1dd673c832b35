package lang

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Kinds of tokens, one a line.
func TestTokens(t *testing.T) {
	golden(t, "tokens", "tokens", func(query string) string {
		var out []string
		for _, tok := range Tokens(query) {
			text := strings.ReplaceAll(query[tok.Pos.Offset:tok.Pos.Offset+tok.Pos.Len], "\n", "⏎")
			out = append(out, fmt.Sprintf("%s %s", text, tok.Kind))
		}
		return strings.Join(out, ", ")
	})
}

// checkTokens checks that tokens stand in order and leave out nothing but blanks.
func checkTokens(text string) error {
	at := 0
	for _, tok := range Tokens(text) {
		if tok.Pos.Offset < at || tok.Pos.Len <= 0 || tok.Pos.Offset+tok.Pos.Len > len(text) {
			return fmt.Errorf("token at %+v after %d of %d", tok.Pos, at, len(text))
		}
		if gap := text[at:tok.Pos.Offset]; blanks(gap) != len(gap) {
			return fmt.Errorf("%q is left out", gap)
		}
		at = tok.Pos.Offset + tok.Pos.Len
	}
	if rest := text[at:]; blanks(rest) != len(rest) {
		return fmt.Errorf("%q is left out at the end", rest)
	}
	return nil
}

// Any part of a query is cut into tokens, too.
func TestTokensOfParts(t *testing.T) {
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	for range 200 {
		text := g.statement().String()
		from := g.IntN(len(text) + 1)
		part := text[from : from+g.IntN(len(text)-from+1)]
		if err := checkTokens(part); err != nil {
			t.Fatalf("seed %d: %q: %v", seed, part, err)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"MATCH (a:A|B {x: 'y'})-[r:T]->() RETURN a.b, f($p) // c", "'", "`", "/*", "$", "\xff", "a\x00b", "'\\", "'\\\xf0", "1e+", "0x", "\ufeff;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := checkTokens(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		Complete(text)
		for _, s := range SplitStatements(text) {
			if !strings.Contains(text, s) {
				t.Errorf("%q is not a part of %q", s, text)
			}
		}
	})
}
