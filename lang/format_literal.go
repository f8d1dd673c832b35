package lang

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

func literalText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quoteString(v)
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") && !math.IsInf(v, 0) && !math.IsNaN(v) {
			text += ".0"
		}
		return text
	}
	return fmt.Sprint(v)
}

// quoteString writes s as a string of the language.
func quoteString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch short := strings.IndexRune("\b\f\n\r\t'\\", r); {
		case short >= 0:
			b.WriteString(`\` + `bfnrt'\`[short:short+1])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// QuoteName writes the name of a variable, with backticks if it needs them.
func QuoteName(name string) string {
	if isReserved(name) {
		return backticks(name)
	}
	return QuoteKey(name)
}

// QuoteKey writes the name of a label, type or property, which may be a word of the language.
func QuoteKey(name string) string {
	for i, r := range name {
		if i == 0 && !isNameStart(r) || !isNamePart(r) {
			return backticks(name)
		}
	}
	if name == "" {
		return backticks(name)
	}
	return name
}

func quoteParam(name string) string {
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return name
	}
	return QuoteKey(name)
}

func backticks(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
