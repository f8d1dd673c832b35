package lang

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// oracle is the scanner once more, as regular expressions that are tried in this order.
var oracle = []struct {
	kind lexer.TokenType
	re   *regexp.Regexp
}{
	{kindComment, regexp.MustCompile(`^(//[^\n]*|/\*(?s:.*?)\*/)`)},
	{kindString, regexp.MustCompile(`^('(?s:[^'\\]|\\.|'')*'|"(?s:[^"\\]|\\.|"")*")`)},
	{kindNumber, regexp.MustCompile(`^(?:\d+\.\d+|\.\d+|\d+)(?:[eE][-+]?\d+)?[\pL\p{Nl}\p{Pc}\p{Nd}\p{Mn}\p{Mc}]*`)},
	{kindParam, regexp.MustCompile("^\\$(?:[\\pL\\p{Nl}\\p{Pc}][\\pL\\p{Nl}\\p{Pc}\\p{Nd}\\p{Mn}\\p{Mc}]*|`(?:[^`]|``)*`)")},
	{kindQuoted, regexp.MustCompile("^`(?:[^`]|``)*`")},
	{kindIdent, regexp.MustCompile(`^[\pL\p{Nl}\p{Pc}][\pL\p{Nl}\p{Pc}\p{Nd}\p{Mn}\p{Mc}]*`)},
	{kindOp, regexp.MustCompile(`^(?:\.\.|<>|<=|>=|=~|\|\||[-+*/%^=<>(){}\[\],.:;|&!?])`)},
}

var oracleBlanks = regexp.MustCompile(`^[\s\x{0b}\x{85}\x{a0}\p{Z}\x{feff}]+`)

// scanByOracle returns the tokens up to the first that is none.
func scanByOracle(text string) (toks []string, kinds []lexer.TokenType, complete bool) {
next:
	for {
		text = text[len(oracleBlanks.FindString(text)):]
		if text == "" {
			return toks, kinds, true
		}
		if strings.HasPrefix(text, "$(") { // a label from an expression
			toks, kinds, text = append(toks, "$"), append(kinds, kindOp), text[1:]
			continue
		}
		for _, o := range oracle {
			if strings.HasPrefix(text, "/*") && o.kind != kindComment {
				continue // an operator only where no comment is meant
			}
			if m := o.re.FindString(text); m != "" {
				if end := m[len(m)-1:]; len(m) > 1 && strings.Contains("'\"`", end) && strings.HasPrefix(text[len(m):], end) {
					return toks, kinds, false // a doubled quote: the string goes on, and does not end
				}
				if o.kind != kindComment {
					toks, kinds = append(toks, m), append(kinds, o.kind)
				}
				text = text[len(m):]
				continue next
			}
		}
		return toks, kinds, false
	}
}

// The scanner agrees with regular expressions on random text, up to the first character that is not part of a token.
func TestScanOracle(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	pieces := []string{"MATCH", "a", "ñ", "é́", "名", "_1", "x9", "12", "0x1F", "1.5", ".5", "1e-3", "1e", "1..2", "..", "'", `"`, "\\", "`", "``",
		"$", "$p", "$0", "-", "->", "<-", "<", "<=", "<>", "=~", "(", ")", "[", "]", "{", "}", ":", ";", ",", "|", "&", "!", "%", "//", "/*", "*/", "*",
		"\n", " ", "\t", "\u00a0", "\u3000", "\ufeff", "#", "§", "\u200b"}
	for range 30000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		want, kinds, complete := scanByOracle(text)
		got := scan(text)
		if complete != (len(got) == len(want)) && len(got) < len(want) {
			t.Fatalf("seed %d: %q: %d tokens, want %d: %q", seed, text, len(got), len(want), want)
		}
		for i, w := range want {
			kind := got[i].Type
			switch {
			case isReservedWord(got[i]):
				kind = kindIdent
			case kind == kindBinary:
				kind = kindOp
			}
			if got[i].Value != w || kind != kinds[i] {
				t.Fatalf("seed %d: %q: token %d is %q of kind %d, want %q of kind %d", seed, text, i, got[i].Value, got[i].Type, w, kinds[i])
			}
		}
		if !complete && (len(got) == len(want) || got[len(want)].Type != kindBad && got[len(want)].Type != kindParam) {
			t.Fatalf("seed %d: %q: %q and then no bad token", seed, text, want)
		}
	}
}

// Places count lines and runes from 1 and bytes from 0.
func TestPositions(t *testing.T) {
	toks := scan("a\n  é b\r\n\n'x\ny' z")
	want := []Pos{{0, 1, 1, 1}, {4, 2, 3, 2}, {7, 2, 5, 1}, {11, 4, 1, 5}, {17, 5, 4, 1}}
	for i, w := range want {
		if got := posOf(toks[i]); got != w {
			t.Errorf("token %d is at %+v, want %+v", i, got, w)
		}
	}
}

func TestStrings(t *testing.T) {
	for text, want := range map[string]string{
		`''`: "", `'a'`: "a", `"a"`: "a", `'it''s'`: "it's", `"a""b"`: `a"b`, `'"'`: `"`, `"'"`: "'", `''''`: "'", `'\''`: "'",
		`'\\'`: `\`, `'\b\f\n\r\t'`: "\b\f\n\r\t", `'\u00e9'`: "é", `'\u00E9'`: "é", `'\U0001F9D0'`: "🧐", `'\ud83e\uddd0'`: "🧐",
		`'\uFFFD'`: "\uFFFD", "'a\nb'": "a\nb", "'`'": "`", `'--//;/*'`: "--//;/*", `'\''''`: "''",
	} {
		x, err := ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := x.(*Literal).Value; got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]any{
		"0": int64(0), "42": int64(42), "-42": int64(-42), "- 42": int64(-42), "0x1F": int64(31), "0XfF": int64(255), "0o17": int64(15), "-0x8000000000000000": int64(-1 << 63),
		"9223372036854775807": int64(1<<63 - 1), "-9223372036854775808": int64(-1 << 63), "-0o1000000000000000000000": int64(-1 << 63),
		"1.5": 1.5, ".5": 0.5, "1e3": 1000.0, "1E+3": 1000.0, "1.5e-3": 0.0015, "-.5": -0.5, "-0.0": math.Copysign(0, -1), "-.0e3": math.Copysign(0, -1), "1e-999": 0.0, "00.5": 0.5,
	} {
		x, err := ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := x.(*Literal).Value; got != want || fmt.Sprint(got) != fmt.Sprint(want) { // -0.0 == 0.0
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}
