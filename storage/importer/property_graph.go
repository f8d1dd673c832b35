package importer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"unsafe"

	"github.com/motifql/motif/internal/csr"
)

// properties is the state of a property graph load.
type properties struct {
	*loader
	split  string // array delimiter
	spaces []*space
	groups []idGroup
	relIDs []int64 // stable ids of relationships
}

// readProperties reads Nodes, then Relationships, in the order given.
func (l *loader) readProperties(ctx context.Context) error {
	l.report.Format = "property graph"
	l.report.Directed, l.report.Direction, l.report.Fixed = true, "node and relationship files are", true
	l.known = nil
	p := &properties{loader: l, split: string(cmp.Or(l.ArrayDelimiter, ';'))}
	for _, f := range l.Nodes {
		if err := p.readNodes(ctx, f); err != nil {
			return err
		}
	}
	if len(l.Nodes) > 0 || l.part {
		l.known = p.knows
	}
	if len(l.Nodes) == 0 || l.part {
		if err := makeNodes(ctx, p); err != nil {
			return err
		}
	}
	if err := p.setIDs(); err != nil {
		return err
	}
	for _, f := range l.Relationships {
		if err := p.readRels(ctx, f); err != nil {
			return err
		}
	}
	if err := p.types.check(); err != nil {
		return err
	}
	if id, ok := repeated(p.relIDs); ok {
		return &Error{File: p.Relationships[0].Paths[0], Msg: fmt.Sprintf("relationship id %d occurs twice in the columns motif.id of the relationship files", id)}
	}
	return nil
}

// readGroup reads the files of one group. start is called with the header, parse in workers and use here.
func readGroup[T sized](ctx context.Context, p *properties, paths []string, nodes bool, start func(*header) error, parse func(*records) (T, error), use func(*chunk, T) error) error {
	var h *header
	var held int64 // by the header, while its files are read
	defer func() { p.take(-held) }()
	for _, path := range paths {
		err := func() error {
			f, err := p.openFile(path)
			if err != nil {
				return err
			}
			defer f.Close()
			if h == nil {
				if h, err = p.readHeader(f, nodes); err == nil {
					held = int64(cap(h.columns)) * int64(unsafe.Sizeof(column{}))
					p.take(held)
					err = start(h)
				}
			} else {
				err = p.skipHeader(f, h)
			}
			if err != nil {
				return err
			}
			if !h.settled {
				if err = p.infer(ctx, f, h, paths); err != nil {
					return err
				}
			}
			f.quoted, f.delim, f.separators = true, h.delim, string(rune(h.delim))+"\n"
			return inOrder(ctx, p.loader, p.Workers, f.next, func(c *chunk) (T, error) {
				return parseUTF8(c, f.cut, func(c *chunk) (T, error) { return parse(h.records(c)) })
			}, func(c *chunk, v T) error {
				f.count(c)
				return use(c, v)
			})
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// skipHeader leaves out the first line of a later file of a group if it repeats the header.
func (p *properties) skipHeader(f *file, h *header) error {
	first := f.rest[:lineEnd(f.rest, 0)]
	if strings.TrimRight(string(first), "\r") != string(h.line) {
		return nil
	}
	c, err := f.takeLine()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		f.count(c)
		p.warn("%s: its first line repeats the header and was left out", f.src.file)
	}
	return err
}

// cellAt is one property of a chunk's row.
type cellAt struct {
	row  int
	key  csr.KeyID
	cell csr.Cell
}

// row scans the next record and checks its length; false at the end of the chunk.
func (h *header) row(r *records) (bool, error) {
	ok, err := r.next()
	if err != nil || !ok {
		return false, err
	}
	have, want := len(r.fields), len(h.columns)
	switch {
	case h.repeated(r):
		return false, r.c.errorAt(r.start, "found the header line a second time").hint(skipHint)
	case have < want:
		return false, r.c.errorAt(r.start+len(r.line()), "found %s, expected %d (the next is %q)", plural(uint64(have), "field", "fields"), want, h.columns[have].title()).hint(skipHint)
	case have > want:
		return false, r.c.errorAt(r.fields[want].lo, "found %d fields, expected %d; the delimiter is %q", have, want, h.delim).
			hint("text that holds the delimiter stands in quotes, \"Roe, Ann\"; " + skipHint)
	}
	return true, nil
}

// skipHint says how to load the other rows.
const skipHint = "--skip-bad leaves such rows out, and --bad-rows FILE lists them too"

// repeated reports whether a record is the header line again.
func (h *header) repeated(r *records) bool {
	n := r.pos - r.start - len(h.line)
	return n >= 0 && n <= 2 && !h.added && len(h.columns) > 1 && bytes.Equal(r.line(), h.line)
}

func (col *column) title() string {
	if col.role == roleProperty {
		return col.name
	}
	return col.name + ":" + col.role.String()
}

// cells appends the properties of a record.
func (h *header) cells(r *records, row int, split string, to []cellAt) ([]cellAt, error) {
	before := len(to)
	if to == nil {
		to = make([]cellAt, 0, len(h.columns))
	}
	for i := range h.columns {
		col := &h.columns[i]
		if col.role != roleProperty {
			continue
		}
		cell, ok, err := col.cell(r, r.fields[i], split)
		if err != nil {
			return to[:before], err
		}
		if ok && col.shared && !r.firstOf(col.key) {
			return to[:before], r.c.errorAt(r.fields[i].lo, "found a second value of property %q in one row", col.name)
		}
		if ok {
			to = append(to, cellAt{row, col.key, cell})
		}
	}
	return to, nil
}
