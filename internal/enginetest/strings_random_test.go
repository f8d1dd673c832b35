package enginetest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// stripped takes the runes that strip says from the beginning, from the end, or from both.
func stripped(s string, left, right bool, strip func(rune) bool) string {
	runes := []rune(s)
	for left && len(runes) > 0 && strip(runes[0]) {
		runes = runes[1:]
	}
	for right && len(runes) > 0 && strip(runes[len(runes)-1]) {
		runes = runes[:len(runes)-1]
	}
	return string(runes)
}

// TestRandomTrims compares the functions of strings that newer dialects have with loops over their characters.
func TestRandomTrims(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 19))
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	alphabet := []rune("ab AB\t é ßж\u00a0\u2003xX")
	draw := func(n int) string {
		s := ""
		for range r.IntN(n) {
			s += string(alphabet[r.IntN(len(alphabet))])
		}
		return s
	}
	each := func(s string, fn func(rune) rune) string {
		var out []rune
		for _, c := range s {
			out = append(out, fn(c))
		}
		return string(out)
	}
	for range 500 {
		s, chars := draw(9), draw(4)
		one := string(alphabet[r.IntN(len(alphabet))])
		in := func(c rune) bool { return strings.ContainsRune(chars, c) }
		same := func(c rune) bool { return string(c) == one }
		for text, want := range map[string]any{
			"upper($s)":                     each(s, unicode.ToUpper),
			"lower($s)":                     each(s, unicode.ToLower),
			"char_length($s)":               int64(utf8.RuneCountInString(s)),
			"character_length($s)":          int64(utf8.RuneCountInString(s)),
			"btrim($s)":                     stripped(s, true, true, unicode.IsSpace),
			"btrim($s, $chars)":             stripped(s, true, true, in),
			"ltrim($s, $chars)":             stripped(s, true, false, in),
			"rtrim($s, $chars)":             stripped(s, false, true, in),
			"trim(BOTH $one FROM $s)":       stripped(s, true, true, same),
			"trim(LEADING $one FROM $s)":    stripped(s, true, false, same),
			"trim(TRAILING $one FROM $s)":   stripped(s, false, true, same),
			"trim(TRAILING FROM $s)":        stripped(s, false, true, unicode.IsSpace),
			"$s || $chars || $one":          s + chars + one,
			"size($s || $chars) + 0 * $two": int64(utf8.RuneCountInString(s + chars)),
		} {
			params := motif.Params{"s": s, "chars": chars, "one": one, "two": 2}
			for name := range params {
				if !strings.Contains(text, "$"+name) {
					delete(params, name)
				}
			}
			rows, err := db.Query(t.Context(), "RETURN "+text+" AS x", params)
			if err != nil {
				t.Fatalf("seed %d: %s of %q: %v", seed, text, params, err)
			}
			if got, err := motif.One[any](rows); err != nil || got != want {
				t.Fatalf("seed %d: %s of %q is %q, want %q, %v", seed, text, params, got, want, err)
			}
		}
	}
}

// TestRandomNormalForms puts texts together from characters whose normal forms are known.
func TestRandomNormalForms(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 20))
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Each character as it may be written, then in NFC, NFD, NFKC and NFKD.
	table := [][5]string{
		{"a", "a", "a", "a", "a"},
		{"\u00e9", "\u00e9", "e\u0301", "\u00e9", "e\u0301"},
		{"e\u0301", "\u00e9", "e\u0301", "\u00e9", "e\u0301"},
		{"u\u0308\u0301", "\u01d8", "u\u0308\u0301", "\u01d8", "u\u0308\u0301"},
		{"\u212b", "\u00c5", "A\u030a", "\u00c5", "A\u030a"},
		{"\ufb01", "\ufb01", "\ufb01", "fi", "fi"},
		{"\u2460", "\u2460", "\u2460", "1", "1"},
		{"\uac00", "\uac00", "\u1100\u1161", "\uac00", "\u1100\u1161"},
	}
	for range 300 {
		var text [5]string
		for range r.IntN(6) {
			for i, s := range table[r.IntN(len(table))] {
				text[i] += s
			}
		}
		for i, form := range []string{"NFC", "NFD", "NFKC", "NFKD"} {
			query := "RETURN normalize($s, " + form + ") AS x, $s IS " + form + " NORMALIZED AS normal, $s IS NOT " + form + " NORMALIZED AS isNot, " +
				"normalize(normalize($s, " + form + "), " + form + ") IS " + form + " NORMALIZED AS again"
			rows := allRowsWith(t, db, query, motif.Params{"s": text[0]})
			want, same := text[i+1], text[0] == text[i+1]
			if row := rows[0]; row[0] != want || row[1] != same || row[2] != !same || row[3] != true {
				t.Fatalf("seed %d: %s of %q: %v, want %q", seed, form, text[0], row, want)
			}
		}
	}
}
