package importer

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
	"unsafe"

	"github.com/motifql/motif/internal/pattern"
)

const (
	defaultChunk = 1 << 20
	sample       = 64 << 10 // bytes that detect sees
	maxLine      = 1 << 30  // a longer line or quoted field is taken for a broken file
)

// text cuts one file into chunks at line ends, or, if quoted, at ends of CSV records.
type text struct {
	src    *source
	size   int // bytes a chunk should have
	quoted bool
	delim  byte   // read if quoted
	rest   []byte // read from src, not yet handed out
	line   int    // number of rest's first line
	eof    bool

	mem        *pattern.Memory
	held       int64  // bytes of rest's array, as charged
	separators string // bytes that stand between values
}

// chunk is a run of whole lines of one file. Its data is not written to again.
type chunk struct {
	file  string
	line  int // number of its first line
	lines int // a last one without a line end included
	data  []byte

	at, newlines int // the place asked for last, and the line ends before it

	from *text
	held int64 // bytes charged for data's array
	kept bool  // values go on using data
}

// done gives back what was charged for a chunk, unless its text is kept.
func (c *chunk) done() {
	if c.from != nil && !c.kept {
		c.from.mem.Release(c.held)
	}
}

// separatorBytes is the most that a value between two separators takes while a record is parsed.
const separatorBytes = 96

// mostValues is the most that the values of a very long record take; 0 for a chunk of ordinary size.
func (c *chunk) mostValues() int64 {
	if c.from == nil || len(c.data) <= 2*c.from.size {
		return 0
	}
	n := len(c.data)
	for i := range len(c.from.separators) {
		n += separatorBytes * bytes.Count(c.data, []byte{c.from.separators[i]})
	}
	return int64(n)
}

func newText(src *source, size int, mem *pattern.Memory) (*text, error) {
	t := &text{src: src, size: size, line: 1, mem: mem, separators: " \t\n"}
	if err := t.fill(sample); err != nil {
		return nil, err
	}
	t.rest = bytes.TrimPrefix(t.rest, []byte("\xef\xbb\xbf"))
	if i := bytes.IndexByte(t.rest, '\r'); i >= 0 && i+1 < len(t.rest) && bytes.IndexByte(t.rest, '\n') < 0 && bytes.IndexByte(t.rest, 0) < 0 {
		return nil, &Error{File: src.file, Line: 1, Msg: "found lines that end in CR alone, expected LF or CRLF", Hint: fmt.Sprintf("tr '\\r' '\\n' < %s > lf.csv converts it", src.file)}
	}
	return t, nil
}

// fill reads until rest has want bytes or the file ends.
func (t *text) fill(want int) error {
	if cap(t.rest) < want && !t.eof {
		before := t.held
		t.held = int64(want)
		_ = t.mem.Charge(t.held)
		if over(t.mem) && want > t.size {
			return limitError(t.src.file, t.line, t.mem.Limit, fmt.Sprintf("for a line, or a quoted field, of more than %s", byteSize(int64(len(t.rest)))))
		}
		t.rest = append(make([]byte, 0, want), t.rest...)
		t.mem.Release(before)
	}
	for len(t.rest) < want && !t.eof {
		n, err := t.src.Read(t.rest[len(t.rest):want])
		t.rest = t.rest[:len(t.rest)+n]
		if err == io.EOF {
			t.eof = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// next returns the next chunk, or io.EOF.
func (t *text) next() (*chunk, error) {
	for want := t.size; ; want *= 2 {
		if err := t.need(want); err != nil {
			return nil, err
		}
		if t.eof && len(t.rest) <= want {
			break
		}
		if cut := t.cut(t.rest[:want]); cut > 0 {
			return t.take(cut), nil
		}
	}
	if len(t.rest) == 0 {
		return nil, io.EOF
	}
	return t.take(len(t.rest)), nil
}

// need is fill with a limit, for what should be one line.
func (t *text) need(want int) error {
	if want > maxLine {
		return &Error{File: t.src.file, Line: t.line, Msg: fmt.Sprintf("no end of the line (or of a quoted field) within %d MiB", maxLine>>20)}
	}
	return t.fill(want)
}

// takeLine returns the next line as a chunk of its own, or io.EOF. Formats with a header read it so.
func (t *text) takeLine() (*chunk, error) {
	for {
		if i := bytes.IndexByte(t.rest, '\n'); i >= 0 {
			return t.take(i + 1), nil
		}
		if t.eof {
			break
		}
		if err := t.need(2 * max(len(t.rest), t.size)); err != nil {
			return nil, err
		}
	}
	if len(t.rest) == 0 {
		return nil, io.EOF
	}
	return t.take(len(t.rest)), nil
}

func (t *text) take(n int) *chunk {
	c := &chunk{file: t.src.file, line: t.line, data: t.rest[:n:n], from: t}
	c.lines = bytes.Count(c.data, []byte{'\n'})
	t.line += c.lines
	if c.data[n-1] != '\n' {
		c.lines++
	}
	if n < 4096 { // a header line: keep the buffer
		t.rest = t.rest[n:]
	} else {
		c.held, t.held = t.held, int64(max(t.size, len(t.rest)-n))
		_ = t.mem.Charge(t.held)
		t.rest = append(make([]byte, 0, t.held), t.rest[n:]...)
	}
	return c
}

// cut returns where the last whole record of data ends, 0 if none does.
func (t *text) cut(data []byte) int {
	if t.quoted {
		return cutRecords(data, t.delim)
	}
	return bytes.LastIndexByte(data, '\n') + 1
}

// cutRecords returns where the last record that certainly ends inside data does. A quote opens a field only at
// the field's start, as the scanner has it.
func cutRecords(data []byte, delim byte) int {
	end := 0
	for i := 0; ; {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			q = len(data) - i
		}
		if nl := bytes.LastIndexByte(data[i:i+q], '\n'); nl >= 0 {
			end = i + nl + 1
		}
		q += i
		if q == len(data) {
			return end
		}
		i = q + 1
		if q > 0 && data[q-1] != '\n' && data[q-1] != delim {
			continue // a quote inside an unquoted field
		}
		if i = closeQuote(data, i); i < 0 {
			return end
		}
	}
}

// closeQuote returns the position after the quote that closes the field whose content starts at i, or -1 if it
// is not in data. A quote in data's last byte counts as closing.
func closeQuote(data []byte, i int) int {
	for {
		k := bytes.IndexByte(data[i:], '"')
		if k < 0 {
			return -1
		}
		i += k + 1
		if i == len(data) || data[i] != '"' {
			return i
		}
		i++
	}
}

// errorAt makes an Error about the byte at off.
func (c *chunk) errorAt(off int, format string, args ...any) *Error {
	line, column := c.place(off)
	return &Error{File: c.file, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// place is the line and column of the byte at off. Parsers keep offsets only; lines are counted when asked for.
func (c *chunk) place(off int) (line, column int) {
	before := c.data[:off]
	start := bytes.LastIndexByte(before, '\n') + 1
	if off < c.at {
		c.at, c.newlines = 0, 0
	}
	c.newlines += bytes.Count(before[c.at:], []byte{'\n'})
	c.at = off
	return c.line + c.newlines, utf8.RuneCount(before[start:]) + 1
}

// str is data[lo:hi] as a string that shares the chunk's memory.
func (c *chunk) str(lo, hi int) string {
	if lo == hi {
		return ""
	}
	return unsafe.String(&c.data[lo], hi-lo)
}

// checkUTF8 reports the first byte that is not UTF-8. head is what stands before the record with that byte: its
// mistakes, if it has any, come first.
func (c *chunk) checkUTF8(cut func([]byte) int) (head *chunk, err error) {
	if utf8.Valid(c.data) {
		return c, nil
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(c.data[i:])
		if r == utf8.RuneError && n == 1 {
			e := c.errorAt(i, "found byte 0x%02X, which is not UTF-8 text; convert the file to UTF-8 first", c.data[i])
			e.hint("if the text is Latin-1 or Windows-1252, %s", convertHint("WINDOWS-1252", c.file))
			return &chunk{file: c.file, line: c.line, data: c.data[:cut(c.data[:i])], from: c.from}, e
		}
		i += n
	}
}

// convertHint says how to convert a file to UTF-8.
func convertHint(from, file string) string {
	return fmt.Sprintf("iconv -f %s -t UTF-8 %s > utf8.csv converts it", from, file)
}

// parseUTF8 parses a chunk that has to be UTF-8.
func parseUTF8[T any](c *chunk, cut func([]byte) int, parse func(*chunk) (T, error)) (T, error) {
	head, bad := c.checkUTF8(cut)
	v, err := parse(head)
	if err == nil {
		err = bad
	}
	return v, err
}
