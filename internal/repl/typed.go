package repl

import (
	"bufio"
	"bytes"
	"strconv"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/figures"
)

// typedWriter is a rowWriter that reads a row column by column, so that a row costs no allocation.
type typedWriter interface {
	rowWriter
	typed(r motif.Row) error
}

// integers says of each column whether it has held something else than an integer. Other columns are read without a look at the kind.
type integers []bool

// of returns c for rows of n columns.
func (c *integers) of(n int) []bool {
	if len(*c) < n {
		*c = make([]bool, n)
	}
	return (*c)[:n]
}

// typed writes a row.
func (c *csvWriter) typed(r motif.Row) error {
	b := roomFor(c.w)
	others := c.others.of(r.Len())
	for i, other := range others {
		if i > 0 {
			b = append(b, ',')
		}
		if !other {
			n, err := r.Int(i)
			if err == nil {
				b = appendInt(b, n)
				continue
			}
			others[i] = true
		}
		switch r.Kind(i) {
		case motif.KindInt:
			n, _ := r.Int(i)
			b = appendInt(b, n)
		case motif.KindFloat:
			f, _ := r.Float(i)
			b = figures.AppendFloat(b, f)
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
	others := j.others.of(r.Len())
	for i, other := range others {
		b = append(b, j.names[i]...)
		if !other {
			n, err := r.Int(i)
			if err == nil {
				b = appendInt(b, n)
				continue
			}
			others[i] = true
		}
		switch r.Kind(i) {
		case motif.KindInt:
			n, _ := r.Int(i)
			b = appendInt(b, n)
		case motif.KindString:
			b = r.AppendJSON(b, i)
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
	entries []nodeText // by the last bits of the id
	bytes   int        // of all texts
	losses  int        // texts that another node's has replaced since entries has this length
}

type nodeText struct {
	id   uint64
	text []byte // nil: none
}

// nodeTexts keeps at most so many nodes and bytes, and no text longer than keptText.
const (
	fewNodes  = 1 << 10
	keptNodes = 1 << 18
	keptBytes = 16 << 20
	keptText  = 1 << 10
)

// find returns the text of a node.
func (t *nodeTexts) find(id uint64) ([]byte, bool) {
	if len(t.entries) == 0 {
		return nil, false
	}
	e := &t.entries[id&uint64(len(t.entries)-1)]
	return e.text, e.id == id && e.text != nil
}

// keep keeps a copy of the text of a node.
func (t *nodeTexts) keep(id uint64, text []byte) {
	if len(text) > keptText {
		return
	}
	t.bytes += len(text)
	switch {
	case t.entries == nil:
		t.entries = make([]nodeText, fewNodes)
	case t.bytes > keptBytes:
		clear(t.entries)
		t.bytes = len(text)
	case t.losses > len(t.entries) && len(t.entries) < keptNodes:
		t.entries, t.bytes, t.losses = make([]nodeText, 4*len(t.entries)), len(text), 0
	}
	e := &t.entries[id&uint64(len(t.entries)-1)]
	if e.text != nil {
		t.losses++
	}
	e.id, e.text = id, bytes.Clone(text)
}
