// Package jsontext writes values of rows as JSON, a long value piece by piece.
package jsontext

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/motifql/motif/internal/figures"
	"github.com/motifql/motif/internal/value"
)

// Writer writes values as JSON.
type Writer struct {
	Out io.Writer // takes the text of a long value piece by piece; nil: nobody does
	Err error     // of Out, or of a value without JSON

	// Declared appends a value of a type of package motif, and reports false for other types.
	Declared func(w *Writer, b []byte, v any) ([]byte, bool)

	own   bool // the text so far is in memory of the Writer
	depth int  // lists and maps around the value
}

// deepest is how deep the lists and maps of a value may nest. One that contains itself has no other end.
const deepest = 10_000

// piece is the length of the pieces that a long text is written in.
const piece = 1 << 16

// drain passes a long text on.
func (w *Writer) drain(b []byte) []byte {
	if w.Out == nil || len(b) < piece {
		return b
	}
	if w.Err == nil {
		_, w.Err = w.Out.Write(b)
	}
	if !w.own { // b may be the end of the writer's buffer
		b, w.own = make([]byte, 0, 2*piece), true
	}
	return b[:0]
}

// Value appends v to b. What drain has passed on is missing in the result.
func (w *Writer) Value(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return AppendFloat(b, v)
	case string:
		return value.AppendJSONText(b, v)
	case []any:
		return List(w, b, v)
	case map[string]any:
		return w.Object(b, v)
	}
	if b, ok := w.Declared(w, b, v); ok {
		return b
	}
	data, err := json.Marshal(v)
	if w.Err == nil {
		w.Err = err
	}
	return append(b, data...)
}

// enter goes into a list or a map, and reports whether it may.
func (w *Writer) enter() bool {
	if w.depth++; w.depth > deepest && w.Err == nil {
		w.Err = fmt.Errorf("a value nests deeper than %d levels", deepest)
	}
	return w.Err == nil
}

// List appends a list of values.
func List[T any](w *Writer, b []byte, list []T) []byte {
	b = append(b, '[')
	if !w.enter() {
		return b
	}
	for i, x := range list {
		b = w.drain(b)
		if i > 0 {
			b = append(b, ',')
		}
		if b = w.Value(b, x); w.Err != nil {
			return b
		}
	}
	w.depth--
	return append(b, ']')
}

// Object appends a map, its keys in order.
func (w *Writer) Object(b []byte, m map[string]any) []byte {
	b = append(b, '{')
	if !w.enter() {
		return b
	}
	for i, k := range slices.Sorted(maps.Keys(m)) {
		b = w.drain(b)
		if i > 0 {
			b = append(b, ',')
		}
		b = append(value.AppendJSONText(b, k), ':')
		if b = w.Value(b, m[k]); w.Err != nil {
			return b
		}
	}
	w.depth--
	return append(b, '}')
}

// AppendFloat appends f with a point or an exponent. Floats that JSON lacks become strings.
func AppendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(figures.AppendFloat(append(b, '"'), f), '"')
	}
	return figures.AppendFloat(b, f)
}
