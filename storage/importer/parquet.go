package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/parquet"
	"github.com/motifql/motif/internal/value"
)

// parquetBatch is how many rows are read at once.
const parquetBatch = 4096

// valueWorth is about what the value of a row in a column takes while a batch is read.
const valueWorth = 128

// batch is how many rows to read at once: fewer if there are many columns, or little memory.
func (f *parquetFile) batch() int {
	cells := int64(parquetBatch * 1024)
	if f.l.Memory > 0 {
		cells = min(cells, f.l.Memory/(4*valueWorth))
	}
	return int(min(parquetBatch, max(1, cells/int64(len(f.h.columns)))))
}

// readWhole reads a file that cannot be read at any place.
func readWhole(l *loader, r io.Reader, path string) ([]byte, error) {
	var b bytes.Buffer
	for {
		before := b.Cap()
		n, err := io.CopyN(&b, r, 1<<20)
		l.take(int64(b.Cap() - before))
		if err := l.fits(path, 0); err != nil {
			return nil, err
		}
		if err == io.EOF || n == 0 && err == nil {
			return b.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// isParquet goes by the name: a Parquet file cannot be read from its beginning.
func isParquet(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".parquet") }

// parquetFile is an open Parquet file with what its columns are for.
type parquetFile struct {
	*parquet.Reader
	l      *loader
	file   string
	stored io.Closer
	size   int64
	h      *header
	row    int64 // of the batch's first row, from 1
}

// errorAt names a row of the batch, which off counts from 0.
func (f *parquetFile) errorAt(off int, format string, args ...any) *Error {
	return &Error{File: f.file, Msg: fmt.Sprintf("row %d: ", f.row+int64(off)) + fmt.Sprintf(format, args...)}
}

func (l *loader) openParquet(path string, nodes bool) (_ *parquetFile, err error) {
	stored, size, err := l.open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	f := &parquetFile{l: l, file: path, stored: stored, size: size, row: 1}
	defer func() {
		if err != nil {
			stored.Close()
			err = fileError(path, err)
		}
	}()
	at, ok := stored.(io.ReaderAt)
	if !ok {
		data, err := readWhole(l, stored, path)
		if err != nil {
			return nil, err
		}
		at, size = bytes.NewReader(data), int64(len(data))
	}
	charge := func(n int64) error {
		l.take(n)
		if over(l.mem) && n > 0 {
			return l.tooMuch(path, 0)
		}
		return l.ctx.Err()
	}
	if f.Reader, err = parquet.NewReader(at, size, charge); err != nil {
		return nil, err
	}
	l.report.Files++
	for _, name := range f.Skipped() {
		l.warn("%s: column %q was left out; it holds structures, maps or lists of lists", path, name)
	}
	f.h, err = l.parquetHeader(path, f.Columns(), nodes)
	return f, err
}

func (f *parquetFile) close() {
	f.l.done += uint64(max(0, f.size))
	f.stored.Close()
}

// parquetHeader makes of the column names what a CSV file's header would be. A name is a property's as it stands
// unless what follows its last colon is a type or a role of headers.
func (l *loader) parquetHeader(path string, columns []string, nodes bool) (*header, error) {
	var line []byte
	for i, name := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		if text := strings.TrimSpace(name); !special(name) && (text != name || name == "" || strings.ContainsAny(name, ":\n\r{")) {
			name = ":string{name:" + url.QueryEscape(name) + "}"
		}
		line = append(line, '"')
		line = append(line, strings.ReplaceAll(name, `"`, `""`)...)
		line = append(line, '"')
	}
	if len(columns) == 0 {
		return nil, errors.New("found no column that can be read")
	}
	h := &header{c: &chunk{file: path, line: 1, lines: 1, data: append(line, '\n')}, line: line, delim: ','}
	r := records{c: h.c, delim: ','}
	if _, err := r.next(); err != nil {
		return nil, err
	}
	if err := h.parse(&r, nodes, nil, tableHead{}); err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Line, e.Column = 0, 0
		}
		return nil, err
	}
	for i := range h.columns {
		if col := &h.columns[i]; col.hasName() {
			col.key = l.b.Key(col.name)
		}
	}
	if h.plain {
		l.warnHeader(path, h, nodes)
	}
	return h, nil
}

// special reports whether a column's name says more than the name of a property.
func special(name string) bool {
	i := strings.LastIndexByte(name, ':')
	if j := strings.IndexByte(name, '{'); j >= 0 && strings.HasSuffix(name, "}") {
		i = strings.LastIndexByte(name[:j], ':')
		name = name[:j]
	}
	if i < 0 {
		return false
	}
	typ, _, _ := strings.Cut(name[i+1:], "(")
	_, isKind := kinds[strings.ToLower(strings.TrimSuffix(typ, "[]"))]
	_, isRole := roleNames[typ]
	return isKind || isRole
}

// each reads all rows batch by batch.
func (f *parquetFile) each(ctx context.Context, use func(columns [][]value.Value, rows int) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		columns, err := f.Read(f.batch())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fileError(f.file, err)
		}
		n := len(columns[0])
		held := int64(n) * int64(len(columns)) * valueWorth
		f.l.take(held)
		if err := use(columns, n); err != nil {
			return err
		}
		f.row += int64(n)
		if err := f.l.fits(f.file, 0); err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.Msg = fmt.Sprintf("row %d: ", f.row-1) + e.Msg
			}
			return err
		}
		f.l.take(-held)
		f.l.report.Lines += uint64(n)
		done := uint64(float64(f.size) * float64(f.Done()) / float64(max(f.Rows(), 1)))
		f.l.progress(readSoFar(f.l, f.file, done))
	}
}

// cell is the value of a property column; one without kind stands for none.
func (f *parquetFile) cell(col *column, v value.Value, row int) (c csr.Cell, err error) {
	if col.kind == kindJSON && v.Kind() == value.String {
		v, err = value.ParseJSON(v.Str())
	}
	if _, ok := temporals[col.kind]; (ok || col.kind == kindPoint) && v.Kind() == value.String {
		c, want := col.parse(v.Str())
		if want != "" {
			return c, f.errorAt(row, "found %s in column %q, expected %s", shown([]byte(v.Str())), col.name, want)
		}
		return c, nil
	}
	if err == nil {
		c, err = propertyCell(v)
	}
	if err != nil {
		return c, f.errorAt(row, "property %q: %v", col.name, err)
	}
	return c, nil
}

// cells appends the properties of a row.
func (f *parquetFile) cells(columns [][]value.Value, row int, to []cellAt) ([]cellAt, error) {
	before := len(to)
	for i := range f.h.columns {
		col := &f.h.columns[i]
		if col.role != roleProperty || columns[i][row].IsNull() {
			continue
		}
		c, err := f.cell(col, columns[i][row], row)
		if err != nil {
			return to, err
		}
		if col.shared && slices.ContainsFunc(to[before:], func(c cellAt) bool { return c.key == col.key }) {
			return to, f.errorAt(row, "found a second value of property %q", col.name)
		}
		if c.Kind != 0 {
			to = append(to, cellAt{row, col.key, c})
		}
	}
	return to, nil
}

// id is the node id that a row has in a column.
func (f *parquetFile) id(columns [][]value.Value, i, row int) (key, error) {
	switch v := columns[i][row]; {
	case v.Kind() == value.Int:
		return key{n: v.Int()}, nil
	case v.Kind() == value.String && v.Str() != "":
		return keyOf([]byte(v.Str())), nil
	default:
		return key{}, f.errorAt(row, "found %s as id, expected an integer or text that is not empty", v.String())
	}
}

// names are the labels, or the type, in a column: a list of them, or text with delimiters.
func (f *parquetFile) names(v value.Value, row int, split string) (all []string, err error) {
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.String:
		for name := range strings.SplitSeq(v.Str(), split) {
			if name = strings.TrimSpace(name); name != "" {
				all = append(all, name)
			}
		}
		return all, nil
	case value.List:
		if all, err = jsonNames(v); err == nil {
			return all, nil
		}
	}
	return nil, f.errorAt(row, "found %s as labels, expected text or a list of texts", v.String())
}

// parquetNodes reads Parquet files of nodes.
func (p *properties) parquetNodes(ctx context.Context, paths []string, start func(*header) error, use func(errorPlace, *nodeRows) error) error {
	for _, path := range paths {
		if err := p.parquetNodeFile(ctx, path, start, use); err != nil {
			return err
		}
	}
	return nil
}

func (p *properties) parquetNodeFile(ctx context.Context, path string, start func(*header) error, use func(errorPlace, *nodeRows) error) error {
	f, err := p.openParquet(path, true)
	if err != nil {
		return err
	}
	defer f.close()
	if err := start(f.h); err != nil {
		return err
	}
	id := f.h.find(roleID)
	return f.each(ctx, func(columns [][]value.Value, n int) error {
		rows := nodeRows{rows: n}
		for row := range n {
			if id >= 0 {
				k, err := f.id(columns, id, row)
				if err != nil {
					return err
				}
				rows.ids, rows.at = append(rows.ids, k), append(rows.at, row)
			}
			if err := f.nodeRow(columns, row, p.split, &rows); err != nil {
				return err
			}
		}
		return use(f, &rows)
	})
}

// nodeRow adds labels, external ids and properties of a row.
func (f *parquetFile) nodeRow(columns [][]value.Value, row int, split string, rows *nodeRows) (err error) {
	var labels []string
	for i, col := range f.h.columns {
		switch col.role {
		case roleLabel:
			names, err := f.names(columns[i][row], row, split)
			if err != nil {
				return err
			}
			labels = append(labels, names...)
		case roleExternal:
			if columns[i][row].IsNull() {
				continue
			}
			c, err := externalCell(columns[i][row])
			if err != nil {
				return f.errorAt(row, "%v", err)
			}
			rows.others = append(rows.others, externalAt{row, row, external{col.space, c}})
		}
	}
	if f.h.find(roleLabel) >= 0 {
		rows.labels = append(rows.labels, labels)
	}
	rows.cells, err = f.cells(columns, row, rows.cells)
	return err
}

// parquetRels reads Parquet files of relationships.
func (p *properties) parquetRels(ctx context.Context, paths []string, name string, start func(*header) error, spaces func() (from, to *space), use func(*relRows)) error {
	for _, path := range paths {
		if err := p.parquetRelFile(ctx, path, name, start, spaces, use); err != nil {
			return err
		}
	}
	return nil
}

func (p *properties) parquetRelFile(ctx context.Context, path, name string, start func(*header) error, spaces func() (from, to *space), use func(*relRows)) error {
	f, err := p.openParquet(path, false)
	if err != nil {
		return err
	}
	defer f.close()
	if err := start(f.h); err != nil {
		return err
	}
	from, to := spaces()
	return f.each(ctx, func(columns [][]value.Value, n int) error {
		var rows relRows
		for row := range n {
			if err := p.parquetRel(f, columns, row, from, to, name, &rows); err != nil {
				return err
			}
		}
		use(&rows)
		return nil
	})
}

func (p *properties) parquetRel(f *parquetFile, columns [][]value.Value, row int, from, to *space, name string, rows *relRows) error {
	var ends [2]uint32
	for i, s := range []*space{from, to} {
		k, err := f.id(columns, f.h.find([]role{roleStart, roleEnd}[i]), row)
		if err != nil {
			return err
		}
		v, ok := s.get(k)
		if !ok && p.SkipBad {
			rows.skipped++
			return nil
		}
		if !ok {
			return f.errorAt(row, "found id %q, %s", k.String(), p.nowhere(s))
		}
		ends[i] = v
	}
	if i := f.h.find(roleType); i >= 0 {
		v, typ := columns[i][row], name
		switch {
		case v.Kind() == value.String && v.Str() != "":
			typ = v.Str()
		case !v.IsNull() && v.Kind() != value.String:
			return f.errorAt(row, "found %s as relationship type, expected text", v.String())
		}
		if typ == "" {
			return f.errorAt(row, "found an empty :TYPE, expected a relationship type")
		}
		rows.types = append(rows.types, typ)
	}
	if i := f.h.find(roleStable); i >= 0 {
		v := columns[i][row]
		if v.Kind() != value.Int || v.Int() < 0 || v.Int() >= maxStable {
			return f.errorAt(row, "found %s as motif.id, expected an integer from 0 on", v.String())
		}
		rows.ids = append(rows.ids, v.Int())
	}
	n := len(rows.src)
	before := len(rows.cells)
	var err error
	if rows.cells, err = f.cells(columns, row, rows.cells); err != nil {
		return err
	}
	for i := range rows.cells[before:] {
		rows.cells[before+i].row = n
	}
	rows.add(ends[0], ends[1], true)
	return nil
}
