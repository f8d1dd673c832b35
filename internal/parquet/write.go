package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/klauspost/compress/s2"
	"github.com/motifql/motif/internal/value"
)

const (
	groupRows  = 1 << 17  // rows of a row group at most
	groupBytes = 16 << 20 // bytes of a row group, about
)

// Writer writes a Parquet file row by row: row groups of some 16 MiB, a page a column, compressed with Snappy.
type Writer struct {
	w       io.Writer
	offset  int64
	columns []*columnWriter
	rows    int64 // of this group
	held    int   // bytes of this group
	total   int64
	groups  []groupInfo
}

// groupInfo is what the footer says of a row group.
type groupInfo struct {
	rows   int64
	chunks []chunkInfo
}

type chunkInfo struct {
	offset, packed, plain, values int64
}

// columnWriter collects a column of a row group.
type columnWriter struct {
	Column
	rep, def []byte // levels
	data     []byte // values in plain encoding
	bools    int    // how many bits of data are in use
	values   int64
}

// NewWriter begins a file.
func NewWriter(w io.Writer, columns []Column) (*Writer, error) {
	x := &Writer{w: w}
	for _, c := range columns {
		x.columns = append(x.columns, &columnWriter{Column: c})
	}
	return x, x.write([]byte(magic))
}

func (x *Writer) write(b []byte) error {
	n, err := x.w.Write(b)
	x.offset += int64(n)
	return err
}

// Row adds a row, a value a column.
func (x *Writer) Row(row Row) error {
	for i, c := range x.columns {
		before := len(c.data)
		if err := c.add(row[i]); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		x.held += len(c.data) - before + 1
	}
	x.rows++
	if x.rows >= groupRows || x.held >= groupBytes {
		return x.flush()
	}
	return nil
}

// add appends the levels and values of one row.
func (c *columnWriter) add(v value.Value) error {
	switch {
	case v.IsNull() && c.Required:
		return fmt.Errorf("a value is missing")
	case v.IsNull():
		c.level(0, 0)
		return nil
	case !c.List:
		c.level(0, 1)
		return c.put(v)
	case v.Kind() != value.List:
		return fmt.Errorf("found a %s, expected a list", v.Kind())
	}
	l := v.List()
	if len(l) == 0 {
		c.level(0, c.listDef())
		return nil
	}
	for i, e := range l {
		if e.IsNull() {
			return fmt.Errorf("found null in a list")
		}
		c.level(byte(min(i, 1)), c.listDef()+1)
		if err := c.put(e); err != nil {
			return err
		}
	}
	return nil
}

// listDef is the definition level of a list that is there but empty.
func (c *columnWriter) listDef() byte {
	if c.Required {
		return 0
	}
	return 1
}

func (c *columnWriter) level(rep, def byte) {
	c.values++
	if c.List {
		c.rep = append(c.rep, rep)
	}
	if c.List || !c.Required {
		c.def = append(c.def, def)
	}
}

func (c *columnWriter) put(v value.Value) error {
	want := map[Type]value.Kind{Bool: value.Bool, Int: value.Int, Float: value.Float, String: value.String, JSON: value.String}[c.Type]
	if v.Kind() != want {
		return fmt.Errorf("found a %s, expected a %s", v.Kind(), want)
	}
	switch c.Type {
	case Bool:
		if c.bools%8 == 0 {
			c.data = append(c.data, 0)
		}
		if v.Bool() {
			c.data[c.bools/8] |= 1 << (c.bools % 8)
		}
		c.bools++
	case Int:
		c.data = binary.LittleEndian.AppendUint64(c.data, uint64(v.Int()))
	case Float:
		c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(v.Float()))
	default:
		if len(v.Str()) > maxPage/2 {
			return fmt.Errorf("found text of %d bytes; Parquet pages here hold %d", len(v.Str()), maxPage/2)
		}
		c.data = append(binary.LittleEndian.AppendUint32(c.data, uint32(len(v.Str()))), v.Str()...)
	}
	return nil
}

// flush writes the rows collected as a row group.
func (x *Writer) flush() error {
	if x.rows == 0 {
		return nil
	}
	g := groupInfo{rows: x.rows}
	for _, c := range x.columns {
		page := c.page()
		packed := s2.EncodeSnappy(nil, page)
		var t thriftWriter
		t.begin()
		t.i32(1, pageData)
		t.i32(2, int32(len(page)))
		t.i32(3, int32(len(packed)))
		t.structure(5)
		t.i32(1, int32(c.values))
		t.i32(2, encPlain)
		t.i32(3, encRLE)
		t.i32(4, encRLE)
		t.end()
		t.end()
		g.chunks = append(g.chunks, chunkInfo{x.offset, int64(len(t.b) + len(packed)), int64(len(t.b) + len(page)), c.values})
		if err := x.write(t.b); err != nil {
			return err
		}
		if err := x.write(packed); err != nil {
			return err
		}
		*c = columnWriter{Column: c.Column, rep: c.rep[:0], def: c.def[:0], data: c.data[:0]}
	}
	x.groups = append(x.groups, g)
	x.total += x.rows
	x.rows, x.held = 0, 0
	return nil
}

// page is the content of a data page.
func (c *columnWriter) page() []byte {
	var page []byte
	if c.List {
		page = appendLevels(page, c.rep, 1)
	}
	if top := c.topDef(); top > 0 {
		page = appendLevels(page, c.def, bits.Len8(top))
	}
	return append(page, c.data...)
}

func (c *columnWriter) topDef() byte {
	if c.List {
		return c.listDef() + 1
	}
	return c.listDef()
}

// appendLevels appends runs of equal levels behind their length.
func appendLevels(dst, levels []byte, width int) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for i := 0; i < len(levels); {
		j := i
		for j < len(levels) && levels[j] == levels[i] {
			j++
		}
		if j-i >= 8 || j == len(levels) {
			dst = append(binary.AppendUvarint(dst, uint64(j-i)<<1), levels[i])
			i = j
			continue
		}
		// a stretch of packed groups of eight, up to the next long run
		end := i
		for end < len(levels) && !longRun(levels[end:]) {
			end += 8
		}
		groups := (min(end, len(levels)) - i + 7) / 8
		dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
		for g := range groups {
			var word uint64
			for k := range 8 {
				if at := i + 8*g + k; at < len(levels) {
					word |= uint64(levels[at]) << (k * width)
				}
			}
			for b := range width {
				dst = append(dst, byte(word>>(8*b)))
			}
		}
		i += 8 * groups
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// longRun reports whether at least 16 equal levels begin here.
func longRun(levels []byte) bool {
	if len(levels) < 16 {
		return false
	}
	for _, l := range levels[1:16] {
		if l != levels[0] {
			return false
		}
	}
	return true
}

// Close writes what is left and the footer.
func (x *Writer) Close() error {
	if err := x.flush(); err != nil {
		return err
	}
	var t thriftWriter
	t.begin()
	t.i32(1, 2)
	x.schema(&t)
	t.i64(3, x.total)
	t.list(4, thriftStruct, len(x.groups))
	for _, g := range x.groups {
		x.group(&t, g)
	}
	t.string(6, "Motif")
	t.end()
	size := len(t.b)
	t.b = append(binary.LittleEndian.AppendUint32(t.b, uint32(size)), magic...)
	return x.write(t.b)
}

// schema writes the tree of columns.
func (x *Writer) schema(t *thriftWriter) {
	n := 1 + len(x.columns)
	for _, c := range x.columns {
		if c.List {
			n += 2
		}
	}
	t.list(2, thriftStruct, n)
	t.begin()
	t.string(4, "schema")
	t.i32(5, int32(len(x.columns)))
	t.end()
	for _, c := range x.columns {
		rep := int32(optional)
		if c.Required {
			rep = required
		}
		if !c.List {
			c.leaf(t, rep, c.Name)
			continue
		}
		t.begin()
		t.i32(3, rep)
		t.string(4, c.Name)
		t.i32(5, 1)
		t.i32(6, convList)
		t.structure(10)
		t.structure(3)
		t.end()
		t.end()
		t.end()
		t.begin()
		t.i32(3, repeated)
		t.string(4, "list")
		t.i32(5, 1)
		t.end()
		c.leaf(t, required, "element")
	}
}

var physical = [...]int32{Bool: physBool, Int: physInt64, Float: physDouble, String: physBytes, JSON: physBytes}

func (c *columnWriter) leaf(t *thriftWriter, rep int32, name string) {
	t.begin()
	t.i32(1, physical[c.Type])
	t.i32(3, rep)
	t.string(4, name)
	switch c.Type {
	case String:
		t.i32(6, convUTF8)
		t.structure(10)
		t.structure(1)
		t.end()
		t.end()
	case JSON:
		t.i32(6, convJSON)
		t.structure(10)
		t.structure(12)
		t.end()
		t.end()
	}
	t.end()
}

func (x *Writer) group(t *thriftWriter, g groupInfo) {
	t.begin()
	t.list(1, thriftStruct, len(g.chunks))
	size := int64(0)
	for i, ch := range g.chunks {
		c := x.columns[i]
		size += ch.plain
		t.begin()
		t.i64(2, ch.offset)
		t.structure(3)
		t.i32(1, physical[c.Type])
		t.list(2, thriftI32, 2)
		t.b = binary.AppendVarint(binary.AppendVarint(t.b, encPlain), encRLE)
		path := []string{c.Name}
		if c.List {
			path = append(path, "list", "element")
		}
		t.list(3, thriftBinary, len(path))
		for _, p := range path {
			t.text(p)
		}
		t.i32(4, codecSnappy)
		t.i64(5, ch.values)
		t.i64(6, ch.plain)
		t.i64(7, ch.packed)
		t.i64(9, ch.offset)
		t.end()
		t.end()
	}
	t.i64(2, size)
	t.i64(3, g.rows)
	t.end()
}
