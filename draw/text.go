package draw

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// latinWidths are the widths of the characters from space to tilde in thousandths of the font size. They are those of DejaVu
// Sans: other common fonts are narrower, so text never takes more room than planned.
var latinWidths = [...]uint16{317, 400, 459, 837, 636, 950, 779, 274, 390, 390, 500, 837, 317, 360, 317, 336, 636, 636, 636, 636, 636, 636, 636, 636, 636, 636,
	336, 336, 837, 837, 837, 530, 1000, 684, 686, 698, 770, 631, 575, 774, 751, 294, 294, 655, 557, 862, 748, 787, 603, 787, 694, 634, 610, 731, 684, 988,
	685, 610, 685, 390, 336, 390, 837, 500, 500, 612, 634, 549, 634, 615, 352, 634, 633, 277, 277, 579, 277, 974, 633, 611, 634, 634, 411, 521, 392, 633,
	591, 817, 591, 591, 524, 636, 336, 636, 837}

// wideScripts have characters as wide as the font is high.
var wideScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi}

// runeWidth returns the width of a character in thousandths of the font size, or somewhat more.
func runeWidth(r rune) int {
	switch {
	case r >= ' ' && int(r-' ') < len(latinWidths):
		return int(latinWidths[r-' '])
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x2000:
		return 760
	case r == '…':
		return 1000
	case r >= 0xff00 && r < 0xff61, r >= 0x1f000, r >= 0x3000 && r < 0x3040, unicode.In(r, wideScripts...):
		return 1050
	}
	return 900
}

// textWidth returns the width of a line at a font size, or somewhat more.
func textWidth(s string, size float64) float64 {
	sum := 0
	for _, r := range s {
		sum += runeWidth(r)
	}
	return float64(sum) * size / 1000
}

// boldFactor is how much wider bold text is.
const boldFactor = 1.12

// cutText shortens a line to a width.
func cutText(s string, size, width float64) string {
	if textWidth(s, size) <= width {
		return s
	}
	width -= textWidth("…", size)
	end := 0
	for i, r := range s {
		if width -= float64(runeWidth(r)) * size / 1000; width < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + "…"
}

// wrapText breaks text into lines of a width. The last of most lines is cut. A word that is too long is broken.
func wrapText(s string, size, width float64, most int) (lines []string) {
	line := ""
	words := strings.Fields(s)
	for len(words) > 0 {
		word := words[0]
		joined := word
		if line != "" {
			joined = line + " " + word
		}
		switch {
		case textWidth(joined, size) <= width:
			line, words = joined, words[1:]
			continue
		case line == "":
			head := strings.TrimSuffix(cutText(word, size, width), "…")
			if head == "" {
				_, n := utf8.DecodeRuneInString(word)
				head = word[:n]
			}
			line, words[0] = head, word[len(head):]
		}
		if len(lines) == most-1 {
			return append(lines, cutText(line+" "+strings.Join(words, " "), size, width))
		}
		lines, line = append(lines, line), ""
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// visible replaces what no picture can show: control characters, direction marks that could reorder other text, and broken UTF-8.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == utf8.RuneError, unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
			return utf8.RuneError
		}
		return r
	}, s)
}

// longText bounds the text of a value, in bytes.
const longText = 300

// valueText writes a value in a line, strings without quotes.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return visible(clip(s))
	}
	return visible(clip(string(appendValue(nil, v, longText, 0))))
}

// fullText writes a value in whole, strings without quotes.
func fullText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(appendValue(nil, v, math.MaxInt, 0))
}

// clip cuts a text to longText bytes at the end of a character.
func clip(s string) string {
	if len(s) <= longText {
		return s
	}
	end := longText
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// appendValue writes a value as queries do. It ends soon after most bytes.
func appendValue(b []byte, v any, most, depth int) []byte {
	if len(b) > most || depth > 64 {
		return append(b, "…"...)
	}
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		if len(v) > most {
			v = clip(v)
		}
		return append(append(append(b, '\''), v...), '\'')
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ", "...)
			}
			if b = appendValue(b, x, most, depth+1); len(b) > most {
				return b
			}
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ", "...)
			}
			if b = appendValue(append(append(b, k...), ": "...), v[k], most, depth+1); len(b) > most {
				return b
			}
		}
		return append(b, '}')
	case motif.Node:
		return append(append(append(b, '('), caption(v.Props, v.ID)...), ')')
	case motif.Relationship:
		return append(append(append(b, "[:"...), v.Type...), ']')
	case motif.Path:
		for i, n := range v.Nodes {
			if i > 0 && i <= len(v.Relationships) {
				b = append(appendValue(append(b, '-'), v.Relationships[i-1], most, depth+1), '-')
			}
			if b = appendValue(b, n, most, depth+1); len(b) > most {
				return b
			}
		}
		return b
	}
	return fmt.Append(b, v)
}
