package lang

import (
	"math/rand/v2"
	"testing"
)

// With and without the shortcuts, the parser gives the same tree, or the same error, for statements that lack a token or have
// one twice, too.
func TestShortcuts(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	g := generator{rng}
	texts := []string{benchQuery, "MATCH (a)", "MATCH (a:", "MATCH (a:A)-[r:R]-", "MATCH (a:A)-[r:R]", "MATCH (a)<--(b) RETURN a.b.c, a.b", "RETURN a.", "RETURN a:",
		"MATCH (a)-[:R]->(b)<-[]-(c)-[*]-(d) RETURN *", "MATCH (a)-[r:R|S]->{2}(b) RETURN a.b AS c", "MATCH (:`x y`)-[`r`:all]->(:match) RETURN 1"}
	for range 10 {
		text := g.statement().String()
		texts = append(texts, text)
		for range 2 {
			toks := scan(text)
			at := toks[rng.IntN(len(toks))]
			end := endOf(at)
			if rng.IntN(2) == 0 {
				texts = append(texts, text[:at.Pos.Offset]+" "+text[end:])
			} else {
				texts = append(texts, text[:end]+" "+at.Value+text[end:])
			}
		}
	}
	defer func() { shortcuts = true }()
	for _, text := range texts {
		shortcuts = true
		got, err := Parse(text)
		shortcuts = false
		want, wrong := Parse(text)
		switch {
		case (err == nil) != (wrong == nil), err != nil && err.(*Error).Pretty() != wrong.(*Error).Pretty():
			t.Fatalf("seed %d: %s\n%v\nand without shortcuts\n%v", seed, text, err, wrong)
		case err != nil:
			continue
		}
		for i := range want.Statements {
			if diff := difference(want.Statements[i], got.Statements[i]); diff != "" {
				t.Fatalf("seed %d: %s\n%s", seed, text, diff)
			}
		}
	}
}
