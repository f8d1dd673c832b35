package lang

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMayHoldValue compares a look at the bytes of a text with its tokens: where a literal may be lifted, the bytes must tell.
func TestMayHoldValue(t *testing.T) {
	pieces := []string{":", "=", "<", ">", "<=", ">=", "<>", "1", "23", ".5", "1.5", "'a'", "\"b\"", "`7`", "a", "L12", ",", ")", "}", "{", "-", " ", "\n", "\v", "\f",
		"\u00a0", "\uFEFF", "// c\n", "/* c */", "AND", "IN", "é", "MATCH", "$p", ";", "RETURN"}
	rng := rand.New(rand.NewPCG(16, 1))
	held := 0
	for round := range 50000 {
		var text strings.Builder
		for range 1 + rng.IntN(8) {
			text.WriteString(pieces[rng.IntN(len(pieces))])
		}
		toks := scan(text.String())
		for i := 1; i < len(toks); i++ {
			if !mayLift(toks, i) {
				continue
			}
			held++
			if !mayHoldValue(text.String()) {
				t.Fatalf("round %d: %q holds a literal, the bytes say no", round, text.String())
			}
		}
	}
	if held < 1000 {
		t.Errorf("only %d literals", held)
	}
	if text := "MATCH DIFFERENT NODES (a:`15`)--(b:L2) RETURN count(*) LIMIT 10"; mayHoldValue(text) {
		t.Errorf("%q is scanned", text)
	}
}
