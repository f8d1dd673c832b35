package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/motifql/motif"
)

// Formats lists the names of the output formats, the default first.
var Formats = []string{"table", "csv", "json", "jsonl", "markdown"}

// rowWriter prints the rows of one result. Only table holds rows back, at most tableBlock of them.
type rowWriter interface {
	row(values []any) error
	flush() error // writes what can be shown already
	close() error // ends the output, also after an error
}

// newRowWriter starts the output of a result. If width > 0, tables are cut to width columns. "csv-safe" is csv without formulas.
func newRowWriter(format string, w io.Writer, columns []string, width int) (rowWriter, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	switch format {
	case "table":
		return &tableWriter{w: w, columns: columns, width: width}, nil
	case "csv", csvSafe:
		c := &csvWriter{w: out, safe: format == csvSafe}
		head := make([]any, len(columns))
		for i, name := range columns {
			head[i] = name
		}
		return c, c.row(head)
	case "json", jsonLine:
		_, err := out.WriteString("[")
		j := newJSONRows(out, columns)
		j.array, j.line = true, format == jsonLine
		return j, err
	case "jsonl":
		return newJSONRows(out, columns), nil
	case "markdown":
		m := &markdownWriter{w: out}
		return m, m.head(columns)
	}
	return nil, fmt.Errorf("no output format %q; there are %s", format, strings.Join(Formats, ", "))
}

// WriteRows writes the rest of an answer in one of Formats, also the rows before an error. In CSV, no spreadsheet runs a field as a formula.
func WriteRows(w io.Writer, rows *motif.Rows, format string) error {
	if format == "csv" {
		format = csvSafe
	}
	out, err := newRowWriter(format, w, rows.Columns(), 0)
	if err != nil {
		return err
	}
	for row, rowErr := range rows.All() {
		if rowErr == nil {
			rowErr = out.row(row.Values())
		}
		if err = rowErr; err != nil {
			break
		}
	}
	return errors.Join(err, out.close())
}

// csvWriter writes RFC 4180 records, ended by \n. Null is an empty field, the empty string a quoted one. A lone null is
// quoted too, because many readers skip empty lines.
type csvWriter struct {
	w    *bufio.Writer
	json *jsonWriter
	safe bool // no spreadsheet runs a field as a formula
	buf  []byte

	scratch []byte // the JSON of a field

	others integers
	nodes  nodeTexts
}

// formulaStarts are the characters that begin a formula in some spreadsheet, also in their full width.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// csvSafe is csv with Session.CSVSafe; jsonLine is json with Session.JSONLines.
const (
	csvSafe  = "csv-safe"
	jsonLine = "json-line"
)

func (c *csvWriter) row(values []any) error {
	b := c.buf[:0]
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.field(b, v, len(values) == 1)
	}
	c.buf = append(b, '\n')
	_, err := c.w.Write(c.buf)
	return err
}

// field writes one field. Nodes, relationships, paths, lists and maps become JSON.
func (c *csvWriter) field(b []byte, v any, lone bool) []byte {
	switch v := v.(type) {
	case nil:
		if lone {
			return append(b, `""`...)
		}
		return b
	case string:
		return c.text(b, v)
	case motif.Temporal:
		return c.text(b, v.String())
	case motif.Point:
		return c.text(b, v.String())
	case []any, map[string]any, motif.Node, motif.Relationship, motif.Path:
		if c.json == nil {
			c.json = &jsonWriter{}
		}
		c.scratch = c.json.value(c.scratch[:0], v)
		b = c.text(b, unsafe.String(unsafe.SliceData(c.scratch), len(c.scratch)))
		if cap(c.scratch) > jsonPiece {
			c.scratch = nil
		}
		return b
	}
	return appendText(b, v)
}

// text appends text, so that a spreadsheet shows it as text if the writer is safe. It is then in quotes, because some
// spreadsheets also begin a field at a semicolon.
func (c *csvWriter) text(b []byte, s string) []byte {
	if !c.safe {
		return appendField(b, s)
	}
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formulaStarts, first) {
		s = "'" + s
	}
	return appendQuotes(b, s)
}

func appendField(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return append(b, s...)
	}
	return appendQuotes(b, s)
}

func appendQuotes(b []byte, s string) []byte {
	b = append(b, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			return append(append(b, s...), '"')
		}
		b = append(append(b, s[:i]...), `""`...)
		s = s[i+1:]
	}
}

func (c *csvWriter) flush() error { return c.w.Flush() }
func (c *csvWriter) close() error { return c.w.Flush() }

// jsonRows writes one object for each row: as lines, or as one array.
type jsonRows struct {
	w     *bufio.Writer
	names [][]byte // of the columns, with what stands around them
	json  *jsonWriter
	array bool
	line  bool // the array stands on one line
	some  bool
	buf   []byte

	others integers
	nodes  nodeTexts
}

func newJSONRows(out *bufio.Writer, columns []string) *jsonRows {
	j := &jsonRows{w: out, json: &jsonWriter{out: out}}
	for i, c := range columns {
		start := ","
		if i == 0 {
			start = "{"
		}
		j.names = append(j.names, append(motif.AppendJSON([]byte(start), c), ':'))
	}
	return j
}

func (j *jsonRows) row(values []any) error {
	b := j.begin()
	for i, v := range values {
		b = j.json.value(append(b, j.names[i]...), v)
	}
	return j.end(b)
}

// begin returns what stands before the next row.
func (j *jsonRows) begin() []byte {
	b := j.buf[:0]
	switch {
	case j.line && j.some:
		b = append(b, ", "...)
	case j.line:
	case j.array && j.some:
		b = append(b, ",\n "...)
	case j.array:
		b = append(b, "\n "...)
	}
	j.some = true
	return b
}

// end writes a row whose last value is at the end of b.
func (j *jsonRows) end(b []byte) error {
	b = append(b, '}')
	if !j.array {
		b = append(b, '\n')
	}
	j.buf = b
	_, err := j.w.Write(b)
	return err
}

func (j *jsonRows) flush() error { return j.w.Flush() }

func (j *jsonRows) close() error {
	if j.array {
		end := "]\n"
		if j.some && !j.line {
			end = "\n]\n"
		}
		_, _ = j.w.WriteString(end) // Flush reports the error
	}
	return j.w.Flush()
}

// markdownWriter writes a Markdown table row by row, hence without padding.
type markdownWriter struct {
	w   *bufio.Writer
	buf []byte
}

var markdownEscape = strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>", "\r", "<br>")

func (m *markdownWriter) head(columns []string) error {
	head, rule := make([]any, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		head[i], rule[i] = c, "---"
	}
	if err := m.row(head); err != nil {
		return err
	}
	return m.row(rule)
}

func (m *markdownWriter) row(values []any) error {
	b := append(m.buf[:0], '|')
	for _, v := range values {
		cell := string(appendText(nil, v))
		b = append(b, ' ')
		b = append(b, Visible(markdownEscape.Replace(cell))...)
		b = append(b, " |"...)
	}
	m.buf = append(b, '\n')
	_, err := m.w.Write(m.buf)
	return err
}

func (m *markdownWriter) flush() error { return m.w.Flush() }
func (m *markdownWriter) close() error { return m.w.Flush() }

// tableBlock is the largest number of rows in one table. A longer result becomes several tables, so it needs no more
// memory and its first rows come early.
const tableBlock = 1000

// A table cuts a cell after cellRunes characters, and it ends early when its cells have tableBytes. Every line of a table is as
// long as its longest cell.
const (
	cellRunes  = 100_000
	tableBytes = 1 << 20
)

// cellText returns the text of a cell.
func cellText(v any) string {
	s, ok := v.(string)
	if !ok {
		s = string(appendUpTo(nil, v, 4*cellRunes))
	}
	if len(s) > cellRunes && utf8.RuneCountInString(s[:min(len(s), 4*cellRunes+4)]) > cellRunes {
		at := 0
		for range cellRunes {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
		}
		s = s[:at] + "…"
	}
	return Visible(s)
}

// tableWriter draws boxes.
type tableWriter struct {
	w       io.Writer
	columns []string
	width   int
	rows    [][]string
	bytes   int    // of rows
	numeric []bool // all values of the column so far are numbers or null
	drawn   bool
	layout  string // one of Layouts; "" is table
	lines   bool   // the first block was drawn as lines, so the others are, too
	shown   int    // rows drawn as lines
	cuts    int    // cells that were cut to the width
}

func (t *tableWriter) row(values []any) error {
	if len(t.rows) == tableBlock || t.bytes > tableBytes {
		if err := t.draw(); err != nil {
			return err
		}
	}
	if t.numeric == nil {
		t.numeric = make([]bool, len(values))
		for i := range t.numeric {
			t.numeric[i] = true
		}
	}
	cells := make([]string, len(values))
	for i, v := range values {
		switch v.(type) {
		case int64, float64, nil:
		default:
			t.numeric[i] = false
		}
		cells[i] = cellText(v)
		t.bytes += len(cells[i])
	}
	t.rows = append(t.rows, cells)
	return nil
}

func (t *tableWriter) flush() error { return nil }

func (t *tableWriter) close() error {
	if t.drawn && len(t.rows) == 0 {
		return nil
	}
	return t.draw()
}

func (t *tableWriter) draw() error {
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = cellText(c)
	}
	widths := t.fit(heads)
	if t.lines = t.lines || !t.drawn && len(t.rows) > 0 && t.wantsLines(heads, widths); t.lines {
		err := t.drawLines(heads)
		t.rows, t.bytes, t.numeric, t.drawn = t.rows[:0], 0, nil, true
		return err
	}
	box := table.NewWriter()
	box.SetStyle(table.StyleRounded)
	box.Style().Format.Header = text.FormatDefault
	configs := make([]table.ColumnConfig, len(heads))
	for i := range configs {
		configs[i].Number = i + 1
		if t.numeric != nil && t.numeric[i] {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	box.SetColumnConfigs(configs)
	head, _ := cut(heads, widths)
	box.AppendHeader(head)
	for _, r := range t.rows {
		row, cuts := cut(r, widths)
		box.AppendRow(row)
		t.cuts += cuts
	}
	t.rows, t.bytes, t.numeric, t.drawn = t.rows[:0], 0, nil, true
	_, err := io.WriteString(t.w, box.Render()+"\n")
	return err
}

// fit gives each column its natural width. If the sum exceeds the terminal's width, it cuts the widest columns to one
// common width.
func (t *tableWriter) fit(heads []string) []int {
	widths := t.naturalWidths(heads)
	total, most := 1, 0
	for _, w := range widths {
		total += w + 3
		most = max(most, w)
	}
	const least = 4
	for t.width > 0 && total > t.width && most > least {
		total, most = 1, most-1
		for i := range widths {
			widths[i] = min(widths[i], most)
			total += widths[i] + 3
		}
	}
	return widths
}

// naturalWidths returns the width of the widest cell of each column.
func (t *tableWriter) naturalWidths(heads []string) []int {
	widths := make([]int, len(heads))
	for i, h := range heads {
		widths[i] = text.StringWidth(h)
		for _, r := range t.rows {
			widths[i] = max(widths[i], text.StringWidth(r[i]))
		}
	}
	return widths
}

// cut cuts the cells of a row to the widths of their columns, and counts those it cuts.
func cut(cells []string, widths []int) (row table.Row, cuts int) {
	row = make(table.Row, len(cells))
	for i, c := range cells {
		if text.StringWidth(c) > widths[i] {
			c = text.Snip(c, widths[i], "…")
			cuts++
		}
		row[i] = c
	}
	return row, cuts
}
