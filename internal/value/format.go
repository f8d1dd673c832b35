package value

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// String writes v as a literal of the query language: quotes inside strings are escaped with a backslash,
// and floats always show a point or an exponent. Nodes and relationships, which have no literal, are
// written as (#7) and [#7] with their dense ids, and paths as (#7)-[#2]-(#3). Temporal values are
// written as calls, such as date('2015-07-21'), and so are points.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v Value) write(b *strings.Builder) {
	switch v.Kind() {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case Int:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case Float:
		b.WriteString(formatFloat(v.Float()))
	case String:
		writeQuoted(b, v.Str())
	case List:
		writeList(b, v.List())
	case Map:
		writeMap(b, v.Map())
	case Node:
		b.WriteString("(#" + strconv.FormatUint(v.num, 10) + ")")
	case Rel:
		b.WriteString("[#" + strconv.FormatUint(v.num, 10) + "]")
	case Deleted:
		b.WriteString("deleted")
	case Path:
		for i, e := range v.Path().Elements() {
			if i > 0 {
				b.WriteByte('-')
			}
			e.write(b)
		}
	case Temporal:
		b.WriteString(v.constructor() + "('" + v.TemporalText() + "')")
	case Spatial:
		p, _ := v.Spatial()
		b.WriteString(p.String())
	}
}

func writeList(b *strings.Builder, l []Value) {
	b.WriteByte('[')
	for i, e := range l {
		if i > 0 {
			b.WriteString(", ")
		}
		e.write(b)
	}
	b.WriteByte(']')
}

func writeMap(b *strings.Builder, m *MapValue) {
	b.WriteByte('{')
	for i, key := range m.Keys {
		if i > 0 {
			b.WriteString(", ")
		}
		writeName(b, key)
		b.WriteString(": ")
		m.Values[i].write(b)
	}
	b.WriteByte('}')
}

// formatFloat writes f as toString() does: the shortest digits that read back as f, with a point or an exponent.
func formatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-5 || a >= 1e15) {
		s := strconv.FormatFloat(f, 'E', -1, 64)
		digits, exp, _ := strings.Cut(s, "E")
		if !strings.Contains(digits, ".") {
			digits += ".0"
		}
		n, _ := strconv.Atoi(exp) // FormatFloat wrote it
		return digits + "E" + strconv.Itoa(n)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func writeQuoted(b *strings.Builder, s string) {
	b.WriteByte('\'')
	for _, r := range s {
		switch r {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if unicode.IsControl(r) {
				b.WriteString(`\u` + strconv.FormatInt(int64(r)+0x10000, 16)[1:])
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
}

// writeName writes a map key, in backquotes where it is not an identifier.
func writeName(b *strings.Builder, name string) {
	if isIdentifier(name) {
		b.WriteString(name)
		return
	}
	b.WriteString("`" + strings.ReplaceAll(name, "`", "``") + "`")
}

func isIdentifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}
