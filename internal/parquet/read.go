package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/motifql/motif/internal/value"
)

const (
	maxPage   = 256 << 20 // bytes of a page, unpacked
	maxFooter = 256 << 20
	// A row of a column that repeats one value takes next to nothing, so the rows of a file are bounded by its size
	// only loosely. More than this is taken for damage.
	rowsPerByte = 1 << 14
	maxElements = 1 << 24 // of lists, in the rows read at once

	footerWorth = 24 // bytes of memory for a byte of the footer
	entryWorth  = 32 // of a dictionary
)

// Reader reads a Parquet file.
type Reader struct {
	r       io.ReaderAt
	size    int64
	columns []*leaf
	skipped []string
	groups  []item
	rows    int64
	next    int   // row group
	left    int64 // rows of the present group not yet read
	done    int64 // rows read
	readers []*columnReader
	buffers int // how many columns have their buffers charged
	charge  func(n int64) error
}

// leaf is a column of the file.
type leaf struct {
	name     string
	index    int // among all leaves, as row groups list them
	phys     int64
	length   int // of fixed-length values
	logical  logical
	list     bool
	maxDef   int
	maxRep   int
	outerDef int // of a list: the definition level of one that is there
}

// NewReader reads the footer of a file of size bytes.
//
// charge, if it is not nil, is told of every n bytes that the Reader is about to hold, or -n that it no longer holds. Its
// error ends the reading.
func NewReader(r io.ReaderAt, size int64, charge func(n int64) error) (*Reader, error) {
	if charge == nil {
		charge = func(int64) error { return nil }
	}
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("this is not a Parquet file: it is too short")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	if string(tail[4:]) != magic {
		if string(tail[4:]) == "PARE" {
			return nil, errors.New("this Parquet file is encrypted")
		}
		return nil, errors.New("this is not a whole Parquet file: it does not end as one")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 || n > maxFooter {
		return nil, damaged("its footer has a length of %d", n)
	}
	if err := charge(footerWorth * n); err != nil {
		return nil, err
	}
	t := thriftReader{r: bufio.NewReader(io.NewSectionReader(r, size-8-n, n)), budget: 64*int(n) + 1024}
	meta, err := t.structure(0)
	if err != nil {
		return nil, err
	}
	x := &Reader{r: r, size: size, charge: charge, groups: meta.field(4).list, rows: meta.field(3).num}
	total := int64(0)
	for _, g := range x.groups {
		rows := g.field(3).num
		if rows < 0 || rows > size*rowsPerByte || total > size*rowsPerByte {
			return nil, damaged("a row group of %d rows in a file of %d bytes", rows, size)
		}
		total += rows
	}
	if x.rows != total {
		return nil, damaged("%d rows, but row groups of %d", x.rows, total)
	}
	return x, x.schema(meta.field(2).list)
}

// schema finds the columns in the list that a tree was written as.
func (x *Reader) schema(all []item) error {
	if len(all) == 0 {
		return damaged("it has no columns")
	}
	at, leaves := 1, 0
	for range all[0].field(5).num {
		if at >= len(all) {
			return damaged("its schema ends too early")
		}
		name := all[at].field(4).bytes
		first := at
		l := &leaf{name: name, index: leaves}
		ok, err := l.walk(all, &at, &leaves, 0)
		if err != nil {
			return err
		}
		if !ok || leaves != l.index+1 || l.maxRep > 1 || at-first > 3 {
			x.skipped = append(x.skipped, name)
			continue
		}
		x.columns = append(x.columns, l)
	}
	return nil
}

// walk goes through the element at *at and those below it; ok is false if it is more than a leaf or a list of leaves.
func (l *leaf) walk(all []item, at, leaves *int, depth int) (ok bool, err error) {
	if *at >= len(all) || depth > 16 {
		return false, damaged("its schema ends too early")
	}
	e := all[*at]
	*at++
	switch e.field(3).num {
	case optional:
		l.maxDef++
	case repeated:
		l.outerDef = l.maxDef
		l.maxDef++
		l.maxRep++
		l.list = true
	}
	n := e.field(5).num
	if n == 0 && e.has(1) {
		*leaves++
		l.phys, l.length = e.field(1).num, int(e.field(2).num)
		if l.logical = logicalOf(e); l.logical.kind == unsigned && l.phys == physInt32 {
			l.logical.kind = unsigned32
		}
		if l.phys == physFixed && (l.length <= 0 || l.length > 1<<20) {
			return false, damaged("a value of %d bytes", l.length)
		}
		return l.phys >= physBool && l.phys <= physFixed, nil
	}
	ok = n == 1
	if depth == 0 && e.field(3).num != repeated && ok {
		// one child: a list only if that is repeated
		ok = *at < len(all) && all[*at].field(3).num == repeated
	}
	for range n {
		below, err := l.walk(all, at, leaves, depth+1)
		if err != nil {
			return false, err
		}
		ok = ok && below
	}
	return ok, nil
}

// Columns are the names of the columns that rows have.
func (x *Reader) Columns() []string {
	names := make([]string, len(x.columns))
	for i, l := range x.columns {
		names[i] = l.name
	}
	return names
}

// Skipped are the names of columns that are structures, maps or lists of lists, and so left out.
func (x *Reader) Skipped() []string { return x.skipped }

// Rows is how many rows there are.
func (x *Reader) Rows() int64 { return x.rows }

// Read returns up to n further rows as columns: a slice of values for each. At the end there is none, and io.EOF.
func (x *Reader) Read(n int) ([][]value.Value, error) {
	for x.left == 0 {
		if x.next == len(x.groups) {
			return nil, io.EOF
		}
		if err := x.group(x.groups[x.next]); err != nil {
			return nil, err
		}
		x.next++
	}
	n = int(min(int64(n), x.left))
	batch := make([][]value.Value, len(x.columns))
	for i, c := range x.readers {
		var err error
		if batch[i], err = c.read(n); err != nil {
			return nil, fmt.Errorf("column %q: %w", x.columns[i].name, err)
		}
	}
	x.left -= int64(n)
	x.done += int64(n)
	return batch, nil
}

// Done is how many rows were read.
func (x *Reader) Done() int64 { return x.done }

// group begins a row group.
func (x *Reader) group(g item) error {
	chunks := g.field(1).list
	for _, c := range x.readers {
		if err := c.hold(-c.page - c.kept); err != nil {
			return err
		}
	}
	x.readers = x.readers[:0]
	if err := x.charge(40 << 10 * int64(len(x.columns)-x.buffers)); err != nil { // for buffers
		return err
	}
	x.buffers = len(x.columns)
	for _, l := range x.columns {
		if l.index >= len(chunks) {
			return damaged("a row group without column %q", l.name)
		}
		ch := chunks[l.index]
		if ch.has(1) && ch.field(1).bytes != "" {
			return fmt.Errorf("column %q is in another file, %q", l.name, ch.field(1).bytes)
		}
		meta := ch.field(3)
		start, size := meta.field(9).num, meta.field(7).num
		if d := meta.field(11).num; meta.has(11) && d > 0 && d < start {
			start = d
		}
		if start < 4 || size < 0 || start > x.size || size > x.size-start {
			return damaged("column %q lies at %d with %d bytes", l.name, start, size)
		}
		if meta.field(1).num != l.phys {
			return damaged("column %q changes its type", l.name)
		}
		x.readers = append(x.readers, &columnReader{leaf: l, hold: x.charge, codec: meta.field(4).num,
			pages: bufio.NewReaderSize(io.NewSectionReader(x.r, start, size), 32<<10), rows: g.field(3).num})
	}
	x.left = g.field(3).num
	return nil
}

// columnReader reads a column chunk.
type columnReader struct {
	*leaf
	codec  int64
	pages  *bufio.Reader
	rows   int64 // of the row group
	values int64 // of the page, not yet read
	rep    levels
	def    levels
	dict   []value.Value
	source func() (value.Value, error) // the page's values
	peeked bool                        // a value's levels were read ahead
	r, d   int                         // these levels
	held   int                         // elements of lists in the rows being read

	hold func(n int64) error
	page int64 // bytes charged for the page
	kept int64 // for the dictionary
}

// levels reads repetition or definition levels.
type levels struct {
	runs hybrid
	max  int
}

func (l *levels) next() (int, error) {
	if l.max == 0 {
		return 0, nil
	}
	n, err := l.runs.next()
	if err == nil && int(n) > l.max {
		err = damaged("level %d of at most %d", n, l.max)
	}
	return int(n), err
}

// peek reads the levels of the next value; io.EOF at the end of the chunk.
func (c *columnReader) peek() error {
	if c.peeked {
		return nil
	}
	for c.values == 0 {
		if err := c.nextPage(); err != nil {
			return err
		}
	}
	var err error
	if c.r, err = c.rep.next(); err == nil {
		c.d, err = c.def.next()
	}
	c.values--
	c.peeked = err == nil
	return err
}

// read returns the values of n rows.
func (c *columnReader) read(n int) ([]value.Value, error) {
	out := make([]value.Value, 0, min(n, 1<<16))
	c.held = 0
	for range n {
		v, err := c.row()
		if err == io.EOF {
			err = damaged("it ends before its %d rows", c.rows)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (c *columnReader) row() (value.Value, error) {
	if err := c.peek(); err != nil {
		return value.Value{}, err
	}
	c.peeked = false
	if c.r != 0 {
		return value.Value{}, damaged("a row begins inside a list")
	}
	if !c.list {
		return c.element()
	}
	if c.d < c.outerDef {
		return value.Value{}, nil
	}
	elements := []value.Value{}
	if c.d == c.outerDef {
		return value.OfList(elements), nil
	}
	for {
		v, err := c.element()
		if err != nil {
			return v, err
		}
		elements = append(elements, v)
		if c.held++; c.held > maxElements {
			return v, fmt.Errorf("the lists of neighbouring rows have more than %d elements", maxElements)
		}
		if err := c.peek(); err == io.EOF || err == nil && c.r == 0 {
			return value.OfList(elements), nil
		} else if err != nil {
			return v, err
		}
		c.peeked = false
	}
}

// element is the value whose levels were just read.
func (c *columnReader) element() (value.Value, error) {
	if c.d < c.maxDef {
		return value.Value{}, nil
	}
	return c.source()
}

// nextPage begins the next data page; io.EOF if there is none.
func (c *columnReader) nextPage() error {
	for {
		if _, err := c.pages.Peek(1); err != nil {
			return io.EOF
		}
		t := thriftReader{r: c.pages, budget: 1 << 20}
		head, err := t.structure(0)
		if err != nil {
			return err
		}
		plain, packed := head.field(2).num, head.field(3).num
		if plain < 0 || packed < 0 || plain > maxPage || packed > maxPage {
			return damaged("a page of %d bytes, %d packed", plain, packed)
		}
		before := c.page
		c.page = plain + packed
		if err := c.hold(c.page - before); err != nil {
			return err
		}
		data, err := readFull(c.pages, packed)
		if err != nil {
			return err
		}
		switch head.field(1).num {
		case pageDictionary:
			err = c.dictionary(head.field(7), data, plain)
		case pageData:
			return c.dataPage(head.field(5), data, plain)
		case pageDataV2:
			return c.dataPageV2(head.field(8), data, plain)
		}
		if err != nil {
			return err
		}
	}
}
