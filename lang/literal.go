package lang

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// number reads a number token. A sign before it belongs to it, because the smallest integer has no positive twin.
func (b *builder) number(t lexer.Token, negative bool) *Literal {
	lit := &Literal{Pos: posOf(t)}
	text := t.Value
	switch {
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		lit.Value = b.integer(t, text[2:], 16, negative)
	case strings.HasPrefix(text, "0o"), strings.HasPrefix(text, "0O"):
		lit.Value = b.integer(t, text[2:], 8, negative)
	case strings.Trim(text, "0123456789") == "":
		if len(text) > 1 && text[0] == '0' {
			b.fail(codeNumber, lit.Pos, "a text stands in quotes, '"+shorten(text)+"', and so does the text of a date: date('2024-09-30'); an octal number is written 0o17",
				"an integer does not begin with 0")
		}
		lit.Value = b.integer(t, text, 10, negative)
	default:
		lit.Value = b.float(t, negative)
	}
	return lit
}

const codeNumber = "SyntaxError.InvalidNumberLiteral"

func (b *builder) integer(t lexer.Token, digits string, base int, negative bool) int64 {
	const smallest = uint64(1) << 63 // its magnitude
	n, err := strconv.ParseUint(digits, base, 64)
	switch {
	case err != nil && err.(*strconv.NumError).Err != strconv.ErrRange:
		b.fail(codeNumber, posOf(t), numberHint(t.Value), "%s is not a number", shorten(t.Value))
	case err != nil, negative && n > smallest, !negative && n >= smallest:
		b.fail("SyntaxError.IntegerOverflow", posOf(t), "integers have 64 bits: write a float, such as 1e20, for larger numbers",
			"the integer %s is too large", shorten(t.Value))
	case negative:
		return -int64(n) // also right for smallest, which wraps onto itself
	}
	return int64(n)
}

func (b *builder) float(t lexer.Token, negative bool) float64 {
	f, err := strconv.ParseFloat(t.Value, 64)
	if strings.ContainsAny(t.Value, "_xXpPiInN") { // ParseFloat takes more than the language does
		err = strconv.ErrSyntax
	}
	switch {
	case math.IsInf(f, 0):
		b.fail("SyntaxError.FloatingPointOverflow", posOf(t), "", "the number %s is too large", shorten(t.Value))
	case err != nil:
		b.fail(codeNumber, posOf(t), numberHint(t.Value), "%s is not a number", shorten(t.Value))
	case negative: // -0.0 is not 0.0: it divides 1.0 to -Infinity
		return -f
	}
	return f
}

// escapes are the one-character escapes of strings.
var escapes = map[byte]rune{'\\': '\\', '\'': '\'', '"': '"', '`': '`', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote returns what a string token stands for.
func (b *builder) unquote(t lexer.Token) string {
	q, body := t.Value[:1], t.Value[1:len(t.Value)-1]
	if !strings.Contains(body, `\`) {
		return strings.ReplaceAll(body, q+q, q)
	}
	var out strings.Builder
	for i := 0; i < len(body); {
		switch {
		case body[i] == '\\':
			r, n := b.escape(t, 1+i)
			out.WriteRune(r)
			i += n
		case strings.HasPrefix(body[i:], q+q):
			out.WriteString(q)
			i += 2
		default:
			out.WriteByte(body[i])
			i++
		}
	}
	return out.String()
}

// escape reads the escape at offset at of string token t, and returns its length.
func (b *builder) escape(t lexer.Token, at int) (r rune, n int) {
	rest := t.Value[at : len(t.Value)-1]
	digits := map[byte]int{'u': 4, 'U': 8}[rest[1]]
	if digits == 0 {
		if r, ok := escapes[rest[1]]; ok {
			return r, 2
		}
		_, size := utf8.DecodeRuneInString(rest[1:])
		b.fail("SyntaxError.InvalidStringLiteral", placeInside(t, at, 1+size), `a backslash itself is written \\`,
			"%s is not an escape", rest[:1+size])
	}
	r, ok := hexRune(rest, digits)
	n = 2 + digits
	if ok && digits == 4 && utf16.IsSurrogate(r) { // UTF-16 pairs, as JSON writes them
		var low rune
		if strings.HasPrefix(rest[n:], `\u`) {
			low, _ = hexRune(rest[n:], 4)
		}
		r = utf16.DecodeRune(r, low)
		ok = r != utf8.RuneError
		n += 6
	}
	if !ok || !utf8.ValidRune(r) {
		b.fail("SyntaxError.InvalidUnicodeLiteral", placeInside(t, at, min(2+digits, len(rest))),
			`a character is written \u with four or \U with eight hexadecimal digits`, "this is not a character")
	}
	return r, n
}

// hexRune reads the digits after the first two characters of s.
func hexRune(s string, digits int) (rune, bool) {
	if len(s) < 2+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	return rune(n), err == nil && n <= utf8.MaxRune
}

// placeInside is the place of n bytes at offset at of token t.
func placeInside(t lexer.Token, at, n int) Pos {
	s := scanner{text: t.Value}
	s.pos = lexer.Position{Line: t.Pos.Line, Column: t.Pos.Column}
	s.advance(at)
	return Pos{Offset: t.Pos.Offset + at, Line: s.pos.Line, Column: s.pos.Column, Len: n}
}

// numberHint says how a number with signs in it is written.
func numberHint(text string) string {
	if plain := strings.ReplaceAll(text, "_", ""); plain != text && strings.Trim(plain, "0123456789") == "" {
		return "write " + plain
	}
	if strings.HasPrefix(text, "0") {
		return "write 0x1F in base 16, 0o17 in base 8"
	}
	return "a name that begins with a digit stands in backticks"
}
