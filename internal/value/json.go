package value

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendJSON appends v as JSON that ParseJSON reads back as the same value: integers without a point, floats with a
// point or an exponent, and what JSON has no words for as an object whose only key says the type:
//
//	{"$float": "NaN"}            also Infinity and -Infinity
//	{"$date": "2020-01-31"}      also time, localtime, datetime, localdatetime and duration
//	{"$point": {"x": 1.0, "y": 2.0, "crs": "cartesian"}}
//	{"$$x": ...}                 a map whose only key begins with one dollar sign
//
// Text that is not UTF-8, nodes, relationships and paths are an error.
func AppendJSON(dst []byte, v Value) ([]byte, error) {
	switch k := v.Kind(); k {
	case Null:
		return append(dst, "null"...), nil
	case Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case Int:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case Float:
		return appendJSONFloat(dst, v.Float()), nil
	case String:
		return AppendJSONString(dst, v.Str())
	case List:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = AppendJSON(dst, e); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case Map:
		return appendJSONMap(dst, v.Map())
	case Temporal:
		return append(append(append(append(append(dst, `{"$`...), v.TemporalType()...), `":"`...), v.TemporalText()...), `"}`...), nil
	case Spatial:
		return appendJSONSpatial(dst, v), nil
	default:
		return dst, fmt.Errorf("a %s has no JSON form", k)
	}
}

func appendJSONMap(dst []byte, m *MapValue) (_ []byte, err error) {
	tagged := len(m.Keys) == 1 && strings.HasPrefix(m.Keys[0], "$")
	dst = append(dst, '{')
	for i, key := range m.Keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if tagged {
			key = "$" + key
		}
		if dst, err = AppendJSONString(dst, key); err != nil {
			return dst, err
		}
		if dst, err = AppendJSON(append(dst, ':'), m.Values[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendJSONFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(append(append(dst, `{"$float":"`...), formatFloat(f)...), `"}`...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// AppendJSONString appends s as a JSON string without characters that would end a line.
func AppendJSONString(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return dst, errors.New("the text is not UTF-8")
	}
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < 0x20 || c == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c == 0xe2 && strings.HasPrefix(s[i:], "\u2028"), c == 0xe2 && strings.HasPrefix(s[i:], "\u2029"):
			dst = append(dst, '\\', 'u', '2', '0', '2', '0'+s[i+2]-0xa0)
			i += 2
		case c == 0xef && (strings.HasPrefix(s[i:], "\ufffe") || strings.HasPrefix(s[i:], "\uffff")):
			dst = append(dst, '\\', 'u', 'f', 'f', 'f', hex[0xe|s[i+2]&1])
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"'), nil
}

// jsonEscapes has the escapes of JSON strings that are no code.
var jsonEscapes = [utf8.RuneSelf]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// AppendJSONText appends s as a JSON string. It replaces bytes that are not UTF-8, and escapes what JavaScript takes for the end of a line.
func AppendJSONText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0 // of what is not appended yet
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		code := r < ' ' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError && size == 1
		switch {
		case r < utf8.RuneSelf && jsonEscapes[r] != 0:
			b = append(append(b, s[start:i]...), '\\', jsonEscapes[r])
			start = i + size
		case code:
			b = fmt.Appendf(append(b, s[start:i]...), `\u%04x`, r)
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

// JSONError is a mistake in JSON text.
type JSONError struct {
	Offset int // in bytes
	Msg    string
}

func (e *JSONError) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Msg, e.Offset) }

// ParseJSON reads one JSON value and the blanks around it. The objects that AppendJSON uses for what JSON lacks become
// what they stand for. Strings of the result may share the bytes of s.
// Integers beyond 64 bits, numbers beyond a float, a key that occurs twice in an object, nesting deeper than 64 and
// half a surrogate pair are a *JSONError, as is any text after the value.
func ParseJSON(s string) (Value, error) {
	p := jsonParser{s: s}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.blanks()
	if p.at < len(s) {
		return Value{}, p.fail("found %s after the JSON value", p.shown())
	}
	return v, nil
}

type jsonParser struct {
	s  string
	at int
}

func (p *jsonParser) fail(format string, args ...any) error {
	return &JSONError{p.at, fmt.Sprintf(format, args...)}
}

// shown is what stands at the place of a mistake.
func (p *jsonParser) shown() string {
	if p.at >= len(p.s) {
		return "the end of the text"
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.at:])
	return strconv.QuoteRune(r)
}

func (p *jsonParser) blanks() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *jsonParser) value(depth int) (Value, error) {
	p.blanks()
	if depth > maxDepth {
		return Value{}, p.fail("the JSON value nests deeper than %d", maxDepth)
	}
	if p.at == len(p.s) {
		return Value{}, p.fail("found the end of the text, expected a JSON value")
	}
	for _, word := range []struct {
		text string
		v    Value
	}{{"null", Value{}}, {"true", OfBool(true)}, {"false", OfBool(false)}} {
		if strings.HasPrefix(p.s[p.at:], word.text) {
			p.at += len(word.text)
			return word.v, nil
		}
	}
	switch c := p.s[p.at]; {
	case c == '"':
		s, err := p.str()
		return OfString(s), err
	case c == '[':
		return p.list(depth)
	case c == '{':
		return p.object(depth)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	return Value{}, p.fail("found %s, expected a JSON value", p.shown())
}

func (p *jsonParser) number() (Value, error) {
	start := p.at
	digits := func() bool {
		from := p.at
		for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
			p.at++
		}
		return p.at > from
	}
	take := func(set string) bool {
		if p.at < len(p.s) && strings.IndexByte(set, p.s[p.at]) >= 0 {
			p.at++
			return true
		}
		return false
	}
	take("-")
	if !take("0") && !digits() {
		return Value{}, p.fail("found %s, expected a digit", p.shown())
	}
	whole := true
	if take(".") {
		if whole = false; !digits() {
			return Value{}, p.fail("found %s, expected a digit", p.shown())
		}
	}
	if take("eE") {
		whole = false
		if take("+-"); !digits() {
			return Value{}, p.fail("found %s, expected a digit", p.shown())
		}
	}
	text := p.s[start:p.at]
	if whole {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			p.at = start
			return Value{}, p.fail("found integer %s, which 64 bits cannot hold; write it with a point as a float, or as a string", text)
		}
		return OfInt(n), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.at = start
		return Value{}, p.fail("found number %s, which a float cannot hold", text)
	}
	return OfFloat(f), nil
}

func (p *jsonParser) list(depth int) (Value, error) {
	p.at++
	l := []Value{}
	for p.blanks(); ; {
		if len(l) == 0 && p.took(']') {
			return OfList(l), nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		l = append(l, v)
		if p.blanks(); p.took(']') {
			return OfList(l), nil
		}
		if !p.took(',') {
			return Value{}, p.fail("found %s, expected , or ] in a list", p.shown())
		}
	}
}

func (p *jsonParser) took(c byte) bool {
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *jsonParser) object(depth int) (Value, error) {
	start := p.at
	p.at++
	m := &MapValue{}
	var seen map[string]bool
	for p.blanks(); ; p.blanks() {
		if len(m.Keys) == 0 && p.took('}') {
			return OfMap(m), nil
		}
		if p.at == len(p.s) || p.s[p.at] != '"' {
			return Value{}, p.fail("found %s, expected a key in quotes", p.shown())
		}
		at := p.at
		key, err := p.str()
		if err != nil {
			return Value{}, err
		}
		if seen == nil {
			seen = make(map[string]bool)
		}
		if seen[key] {
			p.at = at
			return Value{}, p.fail("found key %q a second time in one object", key)
		}
		seen[key] = true
		if p.blanks(); !p.took(':') {
			return Value{}, p.fail("found %s, expected : after a key", p.shown())
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		m.Keys, m.Values = append(m.Keys, key), append(m.Values, v)
		if p.blanks(); p.took('}') {
			break
		}
		if !p.took(',') {
			return Value{}, p.fail("found %s, expected , or } in an object", p.shown())
		}
	}
	if len(m.Keys) == 1 && strings.HasPrefix(m.Keys[0], "$$") {
		m.Keys[0] = m.Keys[0][1:]
	} else if len(m.Keys) == 1 && strings.HasPrefix(m.Keys[0], "$") {
		v, what := untag(m.Keys[0][1:], m.Values[0])
		if what != "" {
			p.at = start
			return Value{}, p.fail("%s", what)
		}
		return v, nil
	}
	return OfMap(m), nil
}

// untag returns what {"$tag": v} stands for, or says what is wrong with it.
func untag(tag string, v Value) (_ Value, wrong string) {
	if v.Kind() == String && tag != "float" {
		if t, err := ParseTemporal(tag, v.Str()); err == nil {
			return t, ""
		}
	}
	if tag == "point" && v.Kind() == Map {
		if p, err := PointOf(v.Map()); err == nil && !p.IsNull() {
			return p, ""
		}
	}
	if tag == "float" && v.Kind() == String {
		switch v.Str() {
		case "NaN":
			return OfFloat(math.NaN()), ""
		case "Infinity":
			return OfFloat(math.Inf(1)), ""
		case "-Infinity":
			return OfFloat(math.Inf(-1)), ""
		}
	}
	return Value{}, fmt.Sprintf("found an object with the only key \"$%s\" that stands for no value", tag)
}

// str reads the string at p.at.
func (p *jsonParser) str() (string, error) {
	p.at++
	start := p.at
	var b []byte // the text so far once an escape was seen
	for p.at < len(p.s) {
		switch c := p.s[p.at]; {
		case c == '"':
			text := p.s[start:p.at]
			if b != nil {
				text = string(append(b, text...))
			}
			p.at++
			return text, nil
		case c < 0x20:
			return "", p.fail("found %s inside a string, where it is written as an escape", p.shown())
		case c == '\\':
			if b = append(b, p.s[start:p.at]...); b == nil {
				b = []byte{}
			}
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
			start = p.at
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(p.s[p.at:])
			if r == utf8.RuneError && n == 1 {
				return "", p.fail("found byte 0x%02X, which is not UTF-8 text", c)
			}
			p.at += n
		default:
			p.at++
		}
	}
	return "", p.fail("found the end of the text inside a string")
}

// escape reads what begins with a backslash.
func (p *jsonParser) escape() (rune, error) {
	if p.at+1 >= len(p.s) {
		return 0, p.fail("found the end of the text inside a string")
	}
	c := p.s[p.at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		p.at += 2
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, ok := p.hex(p.at)
	if !ok {
		return 0, p.fail("found an escape that JSON does not have")
	}
	if !utf16.IsSurrogate(r) {
		p.at += 6
		return r, nil
	}
	low, ok := p.hex(p.at + 6)
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, p.fail("found half of a surrogate pair")
	}
	p.at += 12
	return r, nil
}

// hex reads an escape of four hexadecimal digits at i.
func (p *jsonParser) hex(i int) (rune, bool) {
	if i+6 > len(p.s) || p.s[i] != '\\' || p.s[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[i+2:i+6], 16, 16)
	return rune(n), err == nil
}
