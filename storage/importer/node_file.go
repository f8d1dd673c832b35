package importer

import (
	"context"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// idGroup is the ids of the vertices of one node file group, from first on.
type idGroup struct {
	space *space
	col   column
	first uint32
	ids   []key
	from  *NodeFile
	why   string // said of a repeated id, if the header did not name the column
}

// repeated says what to do about an id that the space has already.
func (g *idGroup) repeated(id key) string {
	if v, ok := g.space.get(id); ok && v < g.first {
		return "; an earlier file has it, too (if each file counts for itself, name an id space in each header, as in id:ID(Person), " +
			"and in the files of relationships, as in :START_ID(Person))"
	}
	return g.why
}

// nodeRows is what a worker made of a chunk of nodes.
type nodeRows struct {
	rows   int
	ids    []key // empty if the file has no ID column
	at     []int // where each id stands
	labels [][]string
	cells  []cellAt
	others []externalAt
	starts []int // of the records, if they are to be listed
	bad    []BadRow
}

func (rows nodeRows) bytes() int64 {
	size := int64(cap(rows.ids))*keyBytes + 8*int64(cap(rows.at)) + 24*int64(cap(rows.labels)) + 72*int64(cap(rows.others)) + cellBytes(rows.cells) + 8*int64(cap(rows.starts)) + badBytes(rows.bad)
	for _, names := range rows.labels {
		size += 16 * int64(cap(names))
	}
	return size
}

// externalAt is an external id of a chunk's row.
type externalAt struct {
	row, at int
	id      external
}

func (p *properties) readNodes(ctx context.Context, nf NodeFile) error {
	var h *header
	var labels []csr.LabelID
	for _, name := range nf.Labels {
		labels = append(labels, p.b.Label(name))
	}
	var group *idGroup
	start := func(first *header) error {
		h = first
		if i := h.find(roleID); i >= 0 {
			p.groups = append(p.groups, idGroup{space: p.space(&h.columns[i]), col: h.columns[i], first: uint32(p.b.Vertices()), from: &nf})
			group = &p.groups[len(p.groups)-1]
			if group.unsure() {
				group.why = "; Motif made a node of each line, as " + nf.guess
			} else if h.plain && !h.told {
				group.why = "; the header names no id, so the first column was taken for it (write name:ID for another, or name:string if there is none)"
			}
		}
		return nil
	}
	if isParquet(nf.Paths[0]) {
		return p.parquetNodes(ctx, nf.Paths, start, func(at errorPlace, rows *nodeRows) error {
			p.takeText(rows.cells)
			return p.addNodes(at, rows, labels, group)
		})
	}
	return readGroup(ctx, p, nf.Paths, true, start, func(r *records) (nodeRows, error) {
		return p.parseNodes(h, r)
	}, func(c *chunk, rows nodeRows) error {
		p.keepText(c, rows.cells)
		return p.addNodes(c, &rows, labels, group)
	})
}

// space returns the id space of an ID column.
func (p *properties) space(col *column) *space {
	i := slices.IndexFunc(p.spaces, func(s *space) bool { return s.name == col.space })
	if i < 0 {
		i = len(p.spaces)
		p.spaces = append(p.spaces, p.newSpace(col.space))
	}
	p.spaces[i].asText = p.spaces[i].asText || col.ids == "string"
	return p.spaces[i]
}

func (p *properties) parseNodes(h *header, r *records) (rows nodeRows, err error) {
	id, label := h.find(roleID), h.find(roleLabel)
	for {
		ok, err := h.row(r)
		if err == nil && !ok {
			return rows, nil
		}
		before := rows
		if err == nil {
			err = p.parseNode(h, r, id, label, &rows)
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

// parseNode adds the record of r.
func (p *properties) parseNode(h *header, r *records, id, label int, rows *nodeRows) error {
	if id >= 0 {
		b, err := r.idOf(id)
		if err != nil {
			return err
		}
		k := keyOf(b)
		if h.columns[id].ids == "int" && k.isText() {
			return r.c.errorAt(r.fields[id].lo, "found id %s, expected an integer as the header says", shown(b))
		}
		rows.ids, rows.at = append(rows.ids, k), append(rows.at, r.fields[id].lo)
		if p.SkipBad {
			rows.starts = append(rows.starts, r.start)
		}
	}
	if label >= 0 {
		names, err := p.labels(h, r)
		if err != nil {
			return err
		}
		rows.labels = append(rows.labels, names)
	}
	var err error
	if rows.others, err = h.externals(r, rows.rows, rows.others); err != nil {
		return err
	}
	if rows.cells, err = h.cells(r, rows.rows, p.split, rows.cells); err != nil {
		return err
	}
	rows.rows++
	return nil
}

// labels are the names in the :LABEL columns of a record.
func (p *properties) labels(h *header, r *records) (names []string, err error) {
	for i, col := range h.columns {
		if col.role != roleLabel {
			continue
		}
		if col.json {
			list, err := r.jsonNames(i)
			if err != nil {
				return nil, err
			}
			names = append(names, list...)
			continue
		}
		for name := range strings.SplitSeq(r.str(r.fields[i]), p.split) {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// jsonNames reads field i as a JSON list of names.
func (r *records) jsonNames(i int) ([]string, error) {
	v, err := value.ParseJSON(r.str(r.fields[i]))
	var names []string
	if err == nil {
		names, err = jsonNames(v)
	}
	if err != nil {
		return nil, r.c.errorAt(r.fields[i].lo, "found %s, expected a JSON list of strings", shown(r.bytes(r.fields[i])))
	}
	return names, nil
}

// externals appends the external ids of a record.
func (h *header) externals(r *records, row int, to []externalAt) ([]externalAt, error) {
	for i := range h.columns {
		col := &h.columns[i]
		f := r.fields[i]
		if col.role != roleExternal || f.lo == f.hi {
			continue
		}
		cell, want := col.kind.parse(r.str(f))
		if want != "" {
			return to, r.c.errorAt(f.lo, "found external id %s, expected %s", shown(r.bytes(f)), want)
		}
		to = append(to, externalAt{row, f.lo, external{col.space, cell}})
	}
	return to, nil
}

// errorPlace makes errors about the place with a number in a part of a file: a byte of a chunk, a row of a batch.
type errorPlace interface {
	errorAt(off int, format string, args ...any) *Error
}

// addNodes adds the vertices of a chunk.
func (p *properties) addNodes(c errorPlace, rows *nodeRows, labels []csr.LabelID, group *idGroup) error {
	vertices := make([]uint32, rows.rows)
	skipped := make([]bool, rows.rows)
	for i := range vertices {
		v := uint32(p.b.Vertices())
		if group != nil {
			if _, known := p.guessedInStore(group, rows.ids[i]); known {
				return group.changes(c, rows.ids[i], rows.at[i])
			}
			if !group.space.put(rows.ids[i], v) {
				if !p.SkipBad || group.unsure() {
					return group.again(c, rows.ids[i], rows.at[i])
				}
				row := BadRow{Error: c.errorAt(rows.at[i], "found id %q a second time in %s", rows.ids[i].String(), group.space)}
				if rows.starts != nil {
					row.Row = rowAt(c, rows.starts[i])
				}
				rows.bad, skipped[i] = append(rows.bad, row), true
				continue
			}
			group.ids = append(group.ids, rows.ids[i])
			p.take(keyBytes * 3 / 2)
		}
		all := labels
		if rows.labels != nil {
			all = slices.Clone(labels)
			for _, name := range rows.labels[i] {
				all = append(all, p.b.Label(name))
			}
		}
		vertices[i] = p.b.AddVertex(all...)
	}
	leaveOut(p.loader, rows.bad)
	for _, at := range rows.cells {
		if !skipped[at.row] {
			p.b.SetVertex(vertices[at.row], at.key, at.cell)
		}
	}
	for _, at := range rows.others {
		if !skipped[at.row] && !p.setExternal(at.id, vertices[at.row]) {
			return c.errorAt(at.at, "found external id %s of id space %q a second time", value.OfCell(at.id.cell), at.id.space)
		}
	}
	return nil
}

// setIDs records the external ids, and as properties those of columns with a name, once it is known which
// spaces hold integers only.
func (p *properties) setIDs() error {
	if len(p.groups) > 0 {
		enter(p.loader, stageNumber)
	}
	stable := !slices.ContainsFunc(p.groups, func(g idGroup) bool { return !g.space.stable() })
	if stable && len(p.groups) > 0 {
		p.given.stable, p.given.space = true, stableSpace
	}
	for _, g := range p.groups {
		if g.col.name != "" {
			p.given.names = append(p.given.names, g.col.name)
		}
		if stable {
			for i, k := range g.ids {
				p.b.SetNodeID(g.first+uint32(i), csr.NodeID(k.n))
			}
		}
		for i, k := range g.ids {
			if g.col.name == "" && stable {
				break
			}
			if err := p.fitsAt(i); err != nil {
				return err
			}
			v, cell := g.first+uint32(i), g.space.cell(k)
			if !stable {
				p.b.External(g.space.name, v, cell)
			}
			if g.col.name != "" {
				p.b.SetVertex(v, g.col.key, cell)
			}
		}
	}
	for _, g := range p.groups {
		p.take(-keyBytes * 3 / 2 * int64(len(g.ids)))
	}
	p.groups = nil
	return p.fits(p.firstFile(), 0)
}
