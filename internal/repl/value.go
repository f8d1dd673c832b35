package repl

import (
	"bufio"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/lang"
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
		return figures.AppendFloat(b, v)
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
	case motif.Point:
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

// Name writes a label, a type or a property key as queries do, in backticks where it needs them.
func Name(s string) string { return lang.QuoteKey(s) }

// jsonWriter writes values as JSON.
type jsonWriter struct {
	out *bufio.Writer // takes the text of a long value piece by piece; nil: nobody does

	drains int // how often that happened
}

// value appends v, or passes on b with v.
func (w *jsonWriter) value(b []byte, v any) []byte {
	switch v.(type) {
	case []any, map[string]any, motif.Path:
		if w.out == nil {
			break
		}
		w.drains++
		_, _ = w.out.Write(b) // a later Write or Flush reports the error
		_ = motif.WriteJSON(w.out, v)
		return b[:0]
	}
	return motif.AppendJSON(b, v)
}

// jsonPiece is the length of text for which a field keeps its memory.
const jsonPiece = 1 << 16
