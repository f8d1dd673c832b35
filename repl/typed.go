package repl

import (
	"bufio"
	"strconv"

	"github.com/motifql/motif"
)

// typedWriter is a rowWriter that reads a row column by column, so that a row costs no allocation.
type typedWriter interface {
	rowWriter
	typed(r motif.Row) error
}

// integers remembers which columns have held integers only. Those are read without a look at the kind.
type integers struct{ other []bool }

// read returns the integer in column i, if the column has held nothing else.
func (c *integers) read(r motif.Row, i int) (n int64, ok bool) {
	if len(c.other) < r.Len() {
		c.other = make([]bool, r.Len())
	}
	if c.other[i] {
		return 0, false
	}
	n, err := r.Int(i)
	c.other[i] = err != nil
	return n, err == nil
}

// typed writes a row.
func (c *csvWriter) typed(r motif.Row) error {
	b := roomFor(c.w)
	for i := range r.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if n, ok := c.integers.read(r, i); ok {
			b = appendInt(b, n)
			continue
		}
		switch r.Kind(i) {
		case motif.KindInt:
			n, _ := r.Int(i)
			b = appendInt(b, n)
		case motif.KindFloat:
			f, _ := r.Float(i)
			b = appendFloat(b, f)
		case motif.KindString:
			s, _ := r.String(i)
			b = c.text(b, s)
		case motif.KindNode:
			id, _ := r.NodeID(i)
			if cell, ok := c.nodes.find(id); ok {
				b = append(b, cell...)
				continue
			}
			start := len(b)
			b = c.field(b, r.At(i), false)
			c.nodes.keep(id, b[start:])
		default:
			b = c.field(b, r.At(i), r.Len() == 1)
		}
	}
	_, err := c.w.Write(append(b, '\n'))
	return err
}

// typed writes a row.
func (j *jsonRows) typed(r motif.Row) error {
	b := j.begin()
	for i := range r.Len() {
		b = append(b, j.names[i]...)
		if n, ok := j.integers.read(r, i); ok {
			b = appendInt(b, n)
			continue
		}
		switch r.Kind(i) {
		case motif.KindInt:
			n, _ := r.Int(i)
			b = appendInt(b, n)
		case motif.KindString:
			s, _ := r.String(i)
			b = j.json.quote(b, s)
		case motif.KindNode:
			id, _ := r.NodeID(i)
			if text, ok := j.nodes.find(id); ok {
				b = append(b, text...)
				continue
			}
			start, drains := len(b), j.json.drains
			if b = j.json.value(b, r.At(i)); j.json.drains == drains {
				j.nodes.keep(id, b[start:])
			}
		default:
			b = j.json.value(b, r.At(i))
		}
	}
	return j.end(b)
}

// roomFor returns the end of w's buffer, so that a short row is written in place.
func roomFor(w *bufio.Writer) []byte {
	if w.Available() < 1<<10 {
		_ = w.Flush() // a later call reports the error
	}
	return w.AvailableBuffer()
}

// digits has the numbers from 00 to 99.
const digits = "0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// appendInt is strconv.AppendInt, faster for numbers of few digits.
func appendInt(b []byte, n int64) []byte {
	if n < 0 || n >= 1_000_000 {
		return strconv.AppendInt(b, n, 10)
	}
	u := uint32(n)
	if u < 10 {
		return append(b, byte('0'+u))
	}
	if u < 100 {
		return append(b, digits[2*u], digits[2*u+1])
	}
	high, low := u/100, u%100*2
	if u < 10_000 {
		if u < 1000 {
			return append(b, byte('0'+high), digits[low], digits[low+1])
		}
		return append(b, digits[2*high], digits[2*high+1], digits[low], digits[low+1])
	}
	return append(appendInt(b, int64(high)), digits[low], digits[low+1])
}

// nodeTexts keeps the texts of nodes that came lately: the same nodes come in many rows.
type nodeTexts struct {
	entries []nodeText
	bytes   int // of all texts
}

type nodeText struct {
	id   uint64
	text []byte // nil: none
}

// nodeTexts keeps at most so many nodes and bytes, and no text longer than keptText.
const (
	keptNodes = 1 << 16
	keptBytes = 16 << 20
	keptText  = 1 << 10
)

// find returns the text of a node.
func (t *nodeTexts) find(id uint64) ([]byte, bool) {
	if t.entries == nil {
		return nil, false
	}
	e := &t.entries[id%keptNodes]
	return e.text, e.id == id && e.text != nil
}

// keep keeps a copy of the text of a node.
func (t *nodeTexts) keep(id uint64, text []byte) {
	if len(text) > keptText {
		return
	}
	if t.bytes += len(text); t.entries == nil || t.bytes > keptBytes {
		t.entries, t.bytes = make([]nodeText, keptNodes), len(text)
	}
	t.entries[id%keptNodes] = nodeText{id, append([]byte(nil), text...)}
}
