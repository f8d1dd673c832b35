package exporter

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// tableWriter writes the rows of one table.
type tableWriter interface {
	node(id csr.NodeID, cells []csr.Cell) error
	rel(id csr.RelID, from, to csr.NodeID, cells []csr.Cell) error
	close() error
}

// writeTables writes a file for every table. cells that a row does not have are without kind.
func (x *export) writeTables(newWriter func(x *export, t *table, name string) (tableWriter, error)) error {
	names := newNames(x.opt.Format)
	if len(x.nodes) == 0 {
		x.nodes = []*table{{}} // an empty graph is a file without rows
	}
	x.begin("nodes", x.g.s.N())
	for _, t := range x.nodes {
		w, err := newWriter(x, t, names.of("nodes", t.labels))
		if err != nil {
			return err
		}
		cells := make([]csr.Cell, len(t.spaces)+len(t.columns))
		for _, v := range t.vertices {
			if err := x.step(); err != nil {
				return err
			}
			x.nodeCells(t, v, cells)
			if err := w.node(x.g.s.NodeID(v), cells); err != nil {
				return err
			}
			x.report.Nodes++
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	x.begin("relationships", x.g.s.M())
	for _, t := range x.rels {
		w, err := newWriter(x, t, names.of("relationships", []string{t.typ}))
		if err != nil {
			return err
		}
		cells := make([]csr.Cell, len(t.columns))
		for e := range t.edges() {
			if err := x.step(); err != nil {
				return err
			}
			x.relCells(t, e, cells)
			from, to := x.g.s.Endpoints(e)
			if err := w.rel(x.g.s.RelID(e), x.g.s.NodeID(from), x.g.s.NodeID(to), cells); err != nil {
				return err
			}
			x.report.Relationships++
		}
		if err := w.close(); err != nil {
			return err
		}
	}
	return nil
}

// nodeCells puts the external ids of v, then its properties, where their columns are.
func (x *export) nodeCells(t *table, v csr.VertexID, cells []csr.Cell) {
	clear(cells)
	for i, col := range t.spaces {
		if c, ok := x.g.s.External[col.key].IDs.Get(uint64(v)); ok && kindOf(c) == col.kind {
			cells[i] = c
		}
	}
	for i, col := range t.columns {
		if c, ok := x.g.s.VertexProp(v, col.key); ok && t.fits(col, c, x.opt.Format) {
			cells[len(t.spaces)+i] = c
		}
	}
}

func (x *export) relCells(t *table, e csr.EdgeID, cells []csr.Cell) {
	clear(cells)
	for i, col := range t.columns {
		if c, ok := x.g.s.EdgeProp(e, col.key); ok && t.fits(col, c, x.opt.Format) {
			cells[i] = c
		}
	}
}

// fits reports whether col is the column for c, which its property has no other column for.
func (t *table) fits(col *column, c csr.Cell, format string) bool {
	if col.single {
		return true
	}
	return kindIn(format, c) == col.kind
}

// names gives files names that no two share, on file systems that do not tell cases apart too.
type names struct {
	ending string
	taken  map[string]bool
}

func newNames(format string) *names { return &names{"." + format, make(map[string]bool)} }

// of is the file name of a table: what it holds and the names of labels or the type, as far as they suit a file name.
func (n *names) of(what string, words []string) string {
	name := what
	for _, w := range words {
		name += "." + strings.Map(func(r rune) rune {
			if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-') {
				return r
			}
			return '_'
		}, w)
	}
	const most = 120
	name = name[:min(len(name), most)]
	for i, try := 2, name; ; i++ {
		if lower := strings.ToLower(try); !n.taken[lower] {
			n.taken[lower] = true
			return try + n.ending
		}
		try = name + "." + strconv.Itoa(i)
	}
}

// formulaStarts are the characters that begin a formula in some spreadsheet, also in their full width.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// csvTable writes one CSV file.
type csvTable struct {
	out    *output
	t      *table
	labels []byte // the last field of every row
	row    []byte
	safe   bool // see Options.CSVSafe
}

func newCSVTable(x *export, t *table, name string) (tableWriter, error) {
	out, err := x.target.create(name)
	if err != nil {
		return nil, err
	}
	c := &csvTable{out: out, t: t, safe: x.opt.CSVSafe}
	words, special := t.labels, ":LABEL"
	if t.isRel {
		words, special = []string{t.typ}, ":TYPE"
		c.row = append(c.row, ":START_ID(motif),:END_ID(motif),motif.id:IGNORE"...)
	} else {
		c.row = append(c.row, ":ID(motif)"...)
	}
	for _, col := range slices.Concat(t.spaces, t.columns) {
		c.row = c.text(append(c.row, ','), t.title(col))
	}
	text := strings.Join(words, ";")
	if slices.ContainsFunc(words, func(s string) bool { return s == "" || strings.Contains(s, ";") || strings.TrimSpace(s) != s }) {
		special += "{encoding:json}"
		list := make([]value.Value, len(words))
		for i, w := range words {
			list[i] = value.OfString(w)
		}
		b, err := value.AppendJSON(nil, value.OfList(list))
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	c.row = append(append(append(c.row, ','), special...), '\n')
	c.labels = append(c.text([]byte{','}, text), '\n')
	if text == "" {
		c.labels = []byte(",\n")
	}
	_, err = out.Write(c.row)
	return c, err
}

// title is the header of a column.
func (t *table) title(col *column) string {
	if slices.Contains(t.spaces, col) {
		return "motif.external." + col.kind.String() + "." + url.QueryEscape(col.name) + ":IGNORE"
	}
	if !plainName(col.name) {
		return ":" + col.kind.String() + "{name:" + url.QueryEscape(col.name) + "}"
	}
	return col.name + ":" + col.kind.String()
}

// plainName reports whether a header can hold the name as it is.
func plainName(name string) bool {
	return name != "" && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, unicode.IsControl)
}

func (c *csvTable) node(id csr.NodeID, cells []csr.Cell) error {
	c.row = strconv.AppendUint(c.row[:0], uint64(id), 10)
	return c.finish(cells)
}

func (c *csvTable) rel(id csr.RelID, from, to csr.NodeID, cells []csr.Cell) error {
	c.row = append(strconv.AppendUint(c.row[:0], uint64(from), 10), ',')
	c.row = append(strconv.AppendUint(c.row, uint64(to), 10), ',')
	c.row = strconv.AppendUint(c.row, uint64(id), 10)
	return c.finish(cells)
}

func (c *csvTable) finish(cells []csr.Cell) (err error) {
	for i, cell := range cells {
		c.row = append(c.row, ',')
		if cell.Kind == 0 {
			continue
		}
		kd := kindString
		if i -= len(c.t.spaces); i >= 0 {
			kd = c.t.columns[i].kind
		}
		if c.row, err = c.appendCSV(c.row, cell, kd); err != nil {
			return err
		}
	}
	c.row = append(c.row, c.labels...)
	_, err = c.out.Write(c.row)
	return err
}

func (c *csvTable) close() error { return c.out.close() }

// appendCSV appends one field.
func (w *csvTable) appendCSV(dst []byte, c csr.Cell, k kind) ([]byte, error) {
	if c.Kind != csr.KindEncoded {
		if c.Kind == csr.KindString {
			return w.text(dst, c.Str), nil
		}
		return appendScalar(dst, value.OfCell(c)), nil
	}
	v := value.OfCell(c)
	if k > kindJSON {
		return w.text(dst, v.TemporalText()), nil
	}
	if k == kindJSON {
		text, err := value.AppendJSON(nil, v)
		return appendField(dst, string(text)), err
	}
	var text []byte
	words := false
	for i, e := range v.List() {
		if i > 0 {
			text = append(text, ';')
		}
		if e.Kind() == value.String {
			text, words = append(text, e.Str()...), true
		} else {
			text = appendScalar(text, e)
		}
	}
	if words {
		return w.text(dst, string(text)), nil
	}
	return appendField(dst, string(text)), nil
}

// text appends text, so that a spreadsheet shows it as text if the table is safe. It is then in quotes, because some
// spreadsheets also begin a field at a semicolon.
func (w *csvTable) text(dst []byte, s string) []byte {
	if !w.safe {
		return appendField(dst, s)
	}
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formulaStarts, first) {
		s = "'" + s
	}
	return appendQuotes(dst, s)
}

// appendScalar appends a number or a boolean.
func appendScalar(dst []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Int:
		return strconv.AppendInt(dst, v.Int(), 10)
	case value.Bool:
		return strconv.AppendBool(dst, v.Bool())
	}
	switch f := v.Float(); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	default:
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	}
}

// appendField appends text, in quotes where it needs them. The empty text does: an empty field is no property.
func appendField(dst []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\",;|\t\r\n") {
		return append(dst, s...)
	}
	return appendQuotes(dst, s)
}

func appendQuotes(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}
