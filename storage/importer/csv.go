package importer

import (
	"bytes"

	"github.com/motifql/motif/internal/csr"
)

// field is one field of a CSV record: the offsets of its content in the chunk, without the quotes.
type field struct {
	lo, hi  int
	quoted  bool
	escaped bool // holds doubled quotes
}

// records walks over the CSV records of a chunk (RFC 4180). A quote that is not the first character of a field
// stands for itself, as neo4j-admin has it. Blank lines are skipped.
type records struct {
	c         *chunk
	delim     byte
	pos       int  // start of the next record
	start     int  // start of this record
	broken    bool // the record after the last cannot be told
	fields    []field
	temporals map[string]csr.Cell // dates and times that columns without a type had
	filled    map[csr.KeyID]int   // by a property with several columns: the last record with a value of it
}

// firstOf notes that the record has a value of a property; false if it has one already.
func (r *records) firstOf(k csr.KeyID) bool {
	if r.filled == nil {
		r.filled = make(map[csr.KeyID]int)
	}
	if r.filled[k] == r.pos {
		return false
	}
	r.filled[k] = r.pos
	return true
}

// next scans the next record; it reports false at the end of the chunk.
func (r *records) next() (bool, error) {
	data := r.c.data
	for r.pos < len(data) && (data[r.pos] == '\n' || data[r.pos] == '\r' && r.pos+1 < len(data) && data[r.pos+1] == '\n') {
		r.pos++
	}
	r.start, r.fields = r.pos, r.fields[:0]
	if r.pos == len(data) {
		return false, nil
	}
	for i := r.pos; ; {
		f, end, err := r.field(i)
		if err != nil {
			r.broken = true
			return false, err
		}
		r.fields = append(r.fields, f)
		if end == len(data) || data[end] == '\n' {
			r.pos = min(end+1, len(data))
			return true, nil
		}
		i = end + 1
	}
}

// field scans the field at i and returns the position of the delimiter or line end after it.
func (r *records) field(i int) (field, int, error) {
	data := r.c.data
	if i < len(data) && data[i] == '"' {
		return r.quotedField(i)
	}
	end := i
	for end < len(data) && data[end] != r.delim && data[end] != '\n' {
		end++
	}
	hi := end
	if hi > i && data[hi-1] == '\r' && (end == len(data) || data[end] == '\n') {
		hi--
	}
	return field{lo: i, hi: hi}, end, nil
}

func (r *records) quotedField(i int) (field, int, error) {
	data := r.c.data
	end := closeQuote(data, i+1)
	if end < 0 {
		return field{}, 0, r.c.errorAt(i, "found a quoted field without its closing quote").
			hint("a field that only begins with a quote is written \"\"\"so\"")
	}
	f := field{lo: i + 1, hi: end - 1, quoted: true}
	f.escaped = bytes.IndexByte(data[f.lo:f.hi], '"') >= 0
	if end < len(data) && data[end] == '\r' && (end+1 == len(data) || data[end+1] == '\n') {
		end++
	}
	if end < len(data) && data[end] != r.delim && data[end] != '\n' {
		return f, 0, r.c.errorAt(end, "found %s after a closing quote, expected the delimiter %q or the end of the line (a quote inside a quoted field is written twice)",
			shown(data[end:min(end+8, lineEnd(data, end))]), r.delim)
	}
	return f, end, nil
}

// bytes is the content of f.
func (r *records) bytes(f field) []byte {
	b := r.c.data[f.lo:f.hi]
	if f.escaped {
		return bytes.ReplaceAll(b, []byte(`""`), []byte(`"`))
	}
	return b
}

// str is the content of f as a string, which shares the chunk's memory where it can.
func (r *records) str(f field) string {
	if f.escaped {
		return string(r.bytes(f))
	}
	return r.c.str(f.lo, f.hi)
}

// line is the text of the record without its line end.
func (r *records) line() []byte { return bytes.TrimRight(r.c.data[r.start:r.pos], "\r\n") }
