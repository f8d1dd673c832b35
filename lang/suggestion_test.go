package lang

import (
	"math/rand/v2"
	"testing"
)

// slowDistance is the definition of editDistance, word for word.
func slowDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	cost := 1
	if a[i] == b[j] {
		cost = 0
	}
	d := min(slowDistance(a[:i], b)+1, slowDistance(a, b[:j])+1, slowDistance(a[:i], b[:j])+cost)
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		d = min(d, slowDistance(a[:i-1], b[:j-1])+1)
	}
	return d
}

func TestEditDistance(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	word := func() []rune {
		w := make([]rune, r.IntN(7))
		for i := range w {
			w[i] = []rune("abcé")[r.IntN(4)]
		}
		return w
	}
	for range 2000 {
		a, b := word(), word()
		if got, want := editDistance(a, b), slowDistance(a, b); got != want {
			t.Fatalf("seed %d: %q and %q are %d apart, want %d", seed, string(a), string(b), got, want)
		}
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"Person", "Company", "KNOWS", "name", "age", "é"}
	for word, want := range map[string]string{
		"Persn": "Person", "person": "Person", "PERSONS": "Person", "Cmopany": "Company", "nmae": "name", "KNOWS": "", "x": "", "": "", "zebra": "",
		"ag": "age", "Perso": "Person", "Prsn": "", "É": "é",
	} {
		if got, ok := Suggest(word, names); got != want || ok != (want != "") {
			t.Errorf("Suggest(%q) = %q, %v; want %q", word, got, ok, want)
		}
	}
	if got, _ := Suggest("DSC", []string{"ASC", "DESC"}); got != "DESC" {
		t.Errorf("DSC: %s", got)
	}
}
