package importer

import (
	"context"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// relRows is what a worker made of a chunk of relationships.
type relRows struct {
	ends
	types   []string // nil if the file has no TYPE column
	ids     []int64  // stable ids, empty if the file has none
	cells   []cellAt
	skipped uint64 // of a Parquet file
	bad     []BadRow
}

func (rows relRows) bytes() int64 {
	return rows.ends.bytes() + 16*int64(cap(rows.types)) + 8*int64(cap(rows.ids)) + cellBytes(rows.cells) + badBytes(rows.bad)
}

func (p *properties) readRels(ctx context.Context, rf RelationshipFile) error {
	var h *header
	var from, to *space
	start := func(first *header) (err error) {
		h = first
		if from, err = p.declared(h, roleStart); err == nil {
			to, err = p.declared(h, roleEnd)
		}
		if err == nil && h.plain && !h.added && !isParquet(rf.Paths[0]) {
			err = h.checkEnds(from, to)
		}
		if err == nil && rf.Type == "" && h.find(roleType) < 0 {
			err = h.c.errorAt(0, "found no relationship type; give one (TYPE=FILE) or a :TYPE column").hint("--rels TYPE=%s gives all its relationships the type TYPE", rf.Paths[0])
		}
		return err
	}
	before, skipped := p.b.Relationships(), p.report.Skipped
	listed := len(p.report.BadRows)
	if err := p.readRelRows(ctx, rf, start, &h, &from, &to); err != nil {
		return err
	}
	if rows := p.report.Skipped - skipped; rows > 0 && p.b.Relationships() == before {
		var bad *BadRow
		if listed < len(p.report.BadRows) {
			bad = &p.report.BadRows[listed]
		}
		return p.noneLoaded(h, rf.Paths[0], bad, rows)
	}
	return nil
}

// readRelRows reads the rows of the files of rf. start sets h, from and to at the header.
func (p *properties) readRelRows(ctx context.Context, rf RelationshipFile, start func(*header) error, h **header, from, to **space) error {
	if isParquet(rf.Paths[0]) {
		return p.parquetRels(ctx, rf.Paths, rf.Type, start, func() (*space, *space) { return *from, *to }, func(rows *relRows) {
			p.takeText(rows.cells)
			p.addRels(rows, rf.Type)
		})
	}
	return readGroup(ctx, p, rf.Paths, false, start, func(r *records) (relRows, error) {
		return p.parseRels(*h, r, *from, *to, rf.Type)
	}, func(c *chunk, rows relRows) error {
		p.keepText(c, rows.cells)
		p.addRels(&rows, rf.Type)
		return nil
	})
}

// checkEnds refuses a plain header that names nodes: it is a relationship.
func (h *header) checkEnds(from, to *space) error {
	r := records{c: h.c, delim: h.delim}
	if ok, err := r.next(); err != nil || !ok {
		return err
	}
	i, j := h.find(roleStart), h.find(roleEnd)
	_, known := from.find(r.bytes(r.fields[i]))
	_, also := to.find(r.bytes(r.fields[j]))
	if known && also {
		return h.noHeader(i, false, "which is the id of a node and not a column's name")
	}
	return nil
}

// declared returns the id space that a START_ID or END_ID column names, which node files must have declared.
func (p *properties) declared(h *header, r role) (*space, error) {
	col := h.columns[h.find(r)]
	var names []string
	for _, s := range p.spaces {
		if s.name == col.space {
			return s, nil
		}
		names = append(names, s.String())
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil, h.c.errorAt(col.at, "found a :%s column, but no node file has an :ID column", r)
	}
	missing := space{name: col.space}
	return nil, h.c.errorAt(col.at, "found %s in :%s, which no node file declares; there are: %s", missing.String(), r, listed(names))
}

func (p *properties) parseRels(h *header, r *records, from, to *space, name string) (rows relRows, err error) {
	x := relParser{properties: p, h: h, from: from, to: to, name: name, typ: h.find(roleType), stable: h.find(roleStable)}
	x.start, x.end = h.find(roleStart), h.find(roleEnd)
	for {
		ok, err := h.row(r)
		if err == nil && !ok {
			return rows, nil
		}
		before := rows
		if err == nil {
			err = x.row(r, &rows)
		}
		if err != nil {
			if !p.skips(r, err) {
				return rows, err
			}
			before.bad = p.listBad(r, err, before.bad)
			rows = before
		}
	}
}

// relParser knows the columns of a relationship file.
type relParser struct {
	*properties
	h                       *header
	from, to                *space
	name                    string // the type of rows that have none
	start, end, typ, stable int
}

// row adds the record of r.
func (x *relParser) row(r *records, rows *relRows) error {
	u, err := x.resolve(r, x.start, x.from)
	if err != nil {
		return x.h.explain(err)
	}
	v, err := x.resolve(r, x.end, x.to)
	if err != nil {
		return x.h.explain(err)
	}
	if x.typ >= 0 {
		t, err := r.typeName(x.typ, x.h.columns[x.typ].json)
		if err != nil {
			return err
		}
		if t == "" && x.name == "" {
			return r.c.errorAt(r.fields[x.typ].lo, "found an empty :TYPE, expected a relationship type")
		}
		rows.types = append(rows.types, t)
	}
	if x.stable >= 0 {
		n, ok := parseInt(r.bytes(r.fields[x.stable]))
		if !ok || n < 0 || n >= maxStable {
			return r.c.errorAt(r.fields[x.stable].lo, "found %s as motif.id, expected an integer from 0 on", shown(r.bytes(r.fields[x.stable])))
		}
		rows.ids = append(rows.ids, n)
	}
	if rows.cells, err = x.h.cells(r, len(rows.src), x.split, rows.cells); err != nil {
		return err
	}
	rows.add(u, v, true)
	return nil
}

// typeName is the relationship type in field i.
func (r *records) typeName(i int, json bool) (string, error) {
	if !json {
		return strings.TrimSpace(r.str(r.fields[i])), nil
	}
	names, err := r.jsonNames(i)
	if err == nil && len(names) != 1 {
		err = r.c.errorAt(r.fields[i].lo, "found %d types, expected one", len(names))
	}
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// resolve looks up the id in field i.
func (p *properties) resolve(r *records, i int, s *space) (uint32, error) {
	b, err := r.idOf(i)
	if err != nil {
		return 0, err
	}
	if v, ok := s.find(b); ok {
		return v, nil
	}
	also := ""
	for _, other := range p.spaces {
		if _, there := other.find(b); there {
			also = "; " + other.String() + " has it"
			break
		}
	}
	return 0, r.c.errorAt(r.fields[i].lo, "found id %s, %s%s", shown(b), p.nowhere(s), also).hint(skipHint)
}

// knows reports whether a node has an id.
func (p *properties) knows(id []byte) bool {
	return p.part && p.store.knows(id) || slices.ContainsFunc(p.spaces, func(s *space) bool {
		_, ok := s.find(id)
		return ok
	})
}

// nowhere says in an error where an id is missing: in an id space, unless it is the only one and has no name.
func (p *properties) nowhere(s *space) string {
	of, stores := "", ""
	if s.name != "" || len(p.spaces) > 1 {
		of = " of " + s.String()
	}
	if p.part {
		stores = ", neither in the files nor in the store"
	}
	return "which no node" + of + " has" + stores
}

// addRels adds the relationships of a chunk. Relationships without a type of their own get the type name.
func (p *properties) addRels(rows *relRows, name string) {
	p.report.Skipped += rows.skipped
	leaveOut(p.loader, rows.bad)
	first := p.b.Relationships()
	if rows.types == nil && name != "" {
		p.b.AddEdges(p.b.Type(name), rows.src, rows.dst)
	}
	for i, t := range rows.types {
		if t == "" {
			t = name
		}
		p.b.AddEdge(rows.src[i], rows.dst[i], p.b.Type(t))
	}
	for i, id := range rows.ids {
		p.b.SetRelID(first+uint64(i), csr.RelID(id))
	}
	p.relIDs = append(p.relIDs, rows.ids...)
	p.take(12 * int64(len(rows.ids)))
	for _, at := range rows.cells {
		p.b.SetEdge(first+uint64(at.row), at.key, at.cell)
	}
}
