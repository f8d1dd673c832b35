package repl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif"
)

// appendText writes v as people read it: strings as they are, null as "null", a node as (:Person {name: "Ann"}), a
// relationship as [:KNOWS {since: 2010}]. A path is its nodes with the relationships and arrows between them.
func appendText(b []byte, v any) []byte {
	if s, ok := v.(string); ok {
		return append(b, s...)
	}
	return appendQuoted(b, v)
}

// appendQuoted writes v with strings in quotes, as inside lists, maps and properties.
func appendQuoted(b []byte, v any) []byte { return appendUpTo(b, v, math.MaxInt) }

// appendUpTo is appendQuoted for a reader who wants only so many bytes: it stops somewhere behind them.
func appendUpTo(b []byte, v any, most int) []byte {
	if len(b) > most {
		return b
	}
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return strconv.AppendQuote(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if len(b) > most {
				break
			}
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendUpTo(b, x, most)
		}
		return append(b, ']')
	case map[string]any:
		return appendMap(b, v, most)
	case motif.Node:
		b = append(b, '(')
		for _, l := range v.Labels {
			b = append(append(b, ':'), Name(l)...)
		}
		return append(appendProps(b, v.Props, len(v.Labels) > 0, most), ')')
	case motif.Relationship:
		b = append(append(b, "[:"...), Name(v.Type)...)
		return append(appendProps(b, v.Props, true, most), ']')
	case motif.Path:
		return appendPath(b, v, most)
	case motif.Temporal:
		return append(b, v.String()...)
	}
	panic("repl: a value of a type that rows do not hold")
}

func appendPath(b []byte, p motif.Path, most int) []byte {
	for i, n := range p.Nodes {
		if len(b) > most {
			break
		}
		if i > 0 {
			r := p.Relationships[i-1]
			before, after := "-", "->"
			if r.Start != p.Nodes[i-1].ID {
				before, after = "<-", "-"
			}
			b = append(appendUpTo(append(b, before...), r, most), after...)
		}
		b = appendUpTo(b, n, most)
	}
	return b
}

func appendProps(b []byte, m map[string]any, blank bool, most int) []byte {
	if len(m) == 0 {
		return b
	}
	if blank {
		b = append(b, ' ')
	}
	return appendMap(b, m, most)
}

func appendMap(b []byte, m map[string]any, most int) []byte {
	b = append(b, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if len(b) > most {
			break
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, Name(k)...), ": "...)
		b = appendUpTo(b, m[k], most)
	}
	return append(b, '}')
}

// appendFloat writes f so that it never looks like an integer.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	start := len(b)
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if !bytes.ContainsAny(b[start:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}

// Name writes a label, a type or a property key as queries do, in backticks where it needs them.
func Name(s string) string {
	if plainName(s) {
		return s
	}
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

func plainName(s string) bool {
	for i, r := range s {
		if !isNameRune(r) || i == 0 && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc) {
			return false
		}
	}
	return s != ""
}

// jsonWriter writes values as JSON. Encoding strings goes through encoding/json, the rest is written here because the
// order of columns must be kept and because rows are many.
type jsonWriter struct {
	out *bufio.Writer // takes the text of a long value piece by piece; nil: nobody does
	str bytes.Buffer
	enc *json.Encoder

	drains int // how often that happened
}

func newJSONWriter(out *bufio.Writer) *jsonWriter {
	w := &jsonWriter{out: out}
	w.enc = json.NewEncoder(&w.str)
	w.enc.SetEscapeHTML(false)
	return w
}

func (w *jsonWriter) quote(b []byte, s string) []byte {
	if plainJSON(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	w.str.Reset()
	if err := w.enc.Encode(s); err != nil {
		panic(err) // a string can always be encoded and a buffer always be written
	}
	return append(b, bytes.TrimSuffix(w.str.Bytes(), []byte{'\n'})...)
}

// plainJSON reports whether s stands in JSON as it is.
func plainJSON(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// value writes v. Nodes are {"id", "labels", "properties"}, relationships {"id", "type", "start", "end", "properties"},
// paths {"nodes", "relationships"};
// numbers that JSON does not have are the strings "NaN", "Infinity" and "-Infinity".
func (w *jsonWriter) value(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return w.quote(b, v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(appendFloat(append(b, '"'), v), '"')
		}
	case []any:
		return jsonList(w, b, v)
	case map[string]any:
		return w.object(b, v)
	case motif.Node:
		b = strconv.AppendUint(append(b, `{"id":`...), v.ID, 10)
		b = append(b, `,"labels":[`...)
		for i, l := range v.Labels {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.quote(b, l)
		}
		b = append(b, `],"properties":`...)
		return append(w.object(b, v.Props), '}')
	case motif.Relationship:
		b = strconv.AppendUint(append(b, `{"id":`...), v.ID, 10)
		b = w.quote(append(b, `,"type":`...), v.Type)
		b = strconv.AppendUint(append(b, `,"start":`...), v.Start, 10)
		b = strconv.AppendUint(append(b, `,"end":`...), v.End, 10)
		b = append(b, `,"properties":`...)
		return append(w.object(b, v.Props), '}')
	case motif.Temporal:
		return w.quote(b, v.String())
	case motif.Path:
		b = jsonList(w, append(b, `{"nodes":`...), v.Nodes)
		return append(jsonList(w, append(b, `,"relationships":`...), v.Relationships), '}')
	}
	return appendQuoted(b, v)
}

// jsonPiece is the length of the pieces that a long text is written in.
const jsonPiece = 1 << 16

// drain passes a long text on.
func (w *jsonWriter) drain(b []byte) []byte {
	if w.out == nil || len(b) < jsonPiece {
		return b
	}
	w.drains++
	_, _ = w.out.Write(b) // a later Write or Flush reports the error
	return b[:0]
}

func jsonList[T any](w *jsonWriter, b []byte, list []T) []byte {
	b = append(b, '[')
	for i, x := range list {
		b = w.drain(b)
		if i > 0 {
			b = append(b, ',')
		}
		b = w.value(b, x)
	}
	return append(b, ']')
}

func (w *jsonWriter) object(b []byte, m map[string]any) []byte {
	b = append(b, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		b = w.drain(b)
		if i > 0 {
			b = append(b, ',')
		}
		b = append(w.quote(b, k), ':')
		b = w.value(b, m[k])
	}
	return append(b, '}')
}
