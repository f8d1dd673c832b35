package lang

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Queries with tokens left out, repeated, swapped or put in are read without a panic: either the formatter gives back what
// was parsed, or the error has a place in the text and says what was expected there.
func TestMutations(t *testing.T) {
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	spare := strings.Fields("MATCH WHERE RETURN AND NOT IN AS ORDER BY LIMIT CASE END DISTINCT ( ) [ ] { } - < > , . : | = + * .. ; a 1 'x' $p `q` != && ` ' /* $ INDUCED SUBGRAPHS EXISTS count any CALL YIELD SHOW")
	for range 80 {
		var words []string
		for _, tok := range scan(g.statement().String()) {
			words = append(words, tok.Value)
		}
		if len(words) > maxTrialTokens/2 {
			continue // errors in longer text do without what was expected
		}
		for range 1 + g.IntN(3) {
			i, j := g.IntN(len(words)), g.IntN(len(words))
			switch g.IntN(4) {
			case 0:
				words[i] = ""
			case 1:
				words[i] += " " + words[i]
			case 2:
				words[i], words[j] = words[j], words[i]
			case 3:
				words[i] += " " + pick(g, spare...)
			}
		}
		text := strings.Join(words, " ")
		script, err := Parse(text)
		if err == nil {
			checkRoundTrip(t, seed, script)
			continue
		}
		e := err.(*Error)
		if e.Pos.Offset < 0 || e.Pos.Offset > len(text) || e.Pos.Line < 1 || e.Msg == "" || e.Query != text {
			t.Fatalf("seed %d: %q: %+v", seed, text, e)
		}
		if e.Code != codeSyntax {
			continue
		}
		if strings.HasPrefix(e.Msg, "unexpected ") && !strings.HasPrefix(e.Msg, "unexpected character") && !strings.Contains(e.Msg, ", expected ") {
			t.Errorf("seed %d: %q: %s", seed, text, e.Pretty())
		}
	}
}

func checkRoundTrip(t *testing.T, seed uint64, script *Script) {
	t.Helper()
	text := script.String()
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("seed %d: %q: %v", seed, text, err)
	}
	if d := difference(script, again); d != "" {
		t.Fatalf("seed %d: %q: %s", seed, text, d)
	}
}
