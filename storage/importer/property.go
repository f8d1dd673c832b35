package importer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// properties is the state of a property graph load.
type properties struct {
	*loader
	split  string // array delimiter
	spaces []*space
	groups []idGroup
	relIDs []int64 // stable ids of relationships
}

// stableSpace is the id space whose ids are Motif's own: they become the stable ids, which id() shows.
const stableSpace = "motif"

// idGroup is the ids of the vertices of one node file group, from first on.
type idGroup struct {
	space *space
	col   column
	first uint32
	ids   []key
	why   string // said of a repeated id, if the header did not name the column
}

// space is an id space: node ids that relationship files refer to.
type space struct {
	name     string
	ints     map[int64]uint32
	texts    map[string]uint32
	asText   bool // a header says id-type: string
	unstable bool // an id is below 0 or very large
}

// readProperties reads Nodes, then Rels, in the order given.
func (l *loader) readProperties(ctx context.Context) error {
	l.report.Format = "property graph"
	p := &properties{loader: l, split: string(cmp.Or(l.ArrayDelimiter, ';'))}
	for _, f := range l.Nodes {
		if err := p.readNodes(ctx, f); err != nil {
			return err
		}
	}
	p.setIDs()
	for _, f := range l.Rels {
		if err := p.readRels(ctx, f); err != nil {
			return err
		}
	}
	if id, ok := repeated(p.relIDs); ok {
		return &Error{File: p.Rels[0].Path, Msg: fmt.Sprintf("relationship id %d occurs twice in the columns motif.id of the relationship files", id)}
	}
	return nil
}

// parts splits the path of a file group. A file whose name has commas is taken as it stands.
func (l *loader) parts(path string) []string {
	if !strings.Contains(path, ",") {
		return []string{path}
	}
	if r, _, err := l.open(path); err == nil {
		r.Close()
		return []string{path}
	}
	return strings.Split(path, ",")
}

// readGroup reads the files of one group. start is called with the header, parse in workers and use here.
func readGroup[T any](ctx context.Context, p *properties, path string, nodes bool, start func(*header) error, parse func(*records) (T, error), use func(*chunk, T) error) error {
	var h *header
	for _, part := range p.parts(path) {
		err := func() error {
			f, err := p.openFile(part)
			if err != nil {
				return err
			}
			defer f.Close()
			if h == nil {
				if h, err = p.readHeader(f, nodes); err == nil {
					err = start(h)
				}
			} else {
				err = p.skipHeader(f, h)
			}
			if err != nil {
				return err
			}
			f.quoted, f.delim = true, h.delim
			return inOrder(ctx, p.Workers, f.next, func(c *chunk) (T, error) {
				return parseUTF8(c, f.cut, func(c *chunk) (T, error) { return parse(&records{c: c, delim: h.delim}) })
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
	case have < want:
		return false, r.c.errorAt(r.start+len(r.line()), "found %s, expected %d (the next is %q)", plural(uint64(have), "field", "fields"), want, h.columns[have].title())
	case have > want:
		return false, r.c.errorAt(r.fields[want].lo, "found %d fields, expected %d; the delimiter is %q", have, want, h.delim)
	}
	return true, nil
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
	for i := range h.columns {
		col := &h.columns[i]
		if col.role != roleProperty {
			continue
		}
		cell, ok, err := col.cell(r, r.fields[i], split)
		if err != nil {
			return to[:before], err
		}
		if ok && col.shared && slices.ContainsFunc(to[before:], func(c cellAt) bool { return c.key == col.key }) {
			return to[:before], r.c.errorAt(r.fields[i].lo, "found a second value of property %q in one row", col.name)
		}
		if ok {
			to = append(to, cellAt{row, col.key, cell})
		}
	}
	return to, nil
}

// nodeRows is what a worker made of a chunk of nodes.
type nodeRows struct {
	rows   int
	ids    []key // empty if the file has no ID column
	at     []int // where each id stands
	labels [][]string
	cells  []cellAt
	others []externalAt
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
			p.groups = append(p.groups, idGroup{space: p.space(&h.columns[i]), col: h.columns[i], first: uint32(p.b.Vertices())})
			group = &p.groups[len(p.groups)-1]
			if h.plain {
				group.why = "; no column of the header has a type, so the first was taken for the id (write name:ID for another, or name:string if there is none)"
			}
		}
		return nil
	}
	if isParquet(nf.Path) {
		return p.parquetNodes(ctx, p.parts(nf.Path), start, func(at errorPlace, rows *nodeRows) error { return p.addNodes(at, rows, labels, group) })
	}
	return readGroup(ctx, p, nf.Path, true, start, func(r *records) (nodeRows, error) {
		return p.parseNodes(h, r)
	}, func(c *chunk, rows nodeRows) error {
		return p.addNodes(c, &rows, labels, group)
	})
}

func newSpace(name string) *space {
	return &space{name: name, ints: make(map[int64]uint32), texts: make(map[string]uint32)}
}

// space returns the id space of an ID column.
func (p *properties) space(col *column) *space {
	i := slices.IndexFunc(p.spaces, func(s *space) bool { return s.name == col.space })
	if i < 0 {
		i = len(p.spaces)
		p.spaces = append(p.spaces, newSpace(col.space))
	}
	p.spaces[i].asText = p.spaces[i].asText || col.ids == "string"
	return p.spaces[i]
}

func (p *properties) parseNodes(h *header, r *records) (rows nodeRows, err error) {
	id, label := h.find(roleID), h.find(roleLabel)
	for {
		ok, err := h.row(r)
		if err != nil || !ok {
			return rows, err
		}
		if id >= 0 {
			b, err := r.id(id)
			if err != nil {
				return rows, err
			}
			k := keyOf(b)
			if h.columns[id].ids == "int" && k.isText() {
				return rows, r.c.errorAt(r.fields[id].lo, "found id %s, expected an integer as the header says", shown(b))
			}
			rows.ids, rows.at = append(rows.ids, k), append(rows.at, r.fields[id].lo)
		}
		if label >= 0 {
			names, err := p.labels(h, r)
			if err != nil {
				return rows, err
			}
			rows.labels = append(rows.labels, names)
		}
		if rows.others, err = h.externals(r, rows.rows, rows.others); err != nil {
			return rows, err
		}
		if rows.cells, err = h.cells(r, rows.rows, p.split, rows.cells); err != nil {
			return rows, err
		}
		rows.rows++
	}
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
			if !group.space.put(rows.ids[i], v) {
				if !p.SkipBad {
					return c.errorAt(rows.at[i], "found id %q a second time in %s%s", rows.ids[i].String(), group.space, group.why)
				}
				p.report.Skipped++
				skipped[i] = true
				continue
			}
			group.ids = append(group.ids, rows.ids[i])
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
func (p *properties) setIDs() {
	stable := !slices.ContainsFunc(p.groups, func(g idGroup) bool { return !g.space.stable() })
	for _, g := range p.groups {
		if stable {
			for i, k := range g.ids {
				p.b.SetNodeID(g.first+uint32(i), csr.NodeID(k.n))
			}
		}
		for i, k := range g.ids {
			if g.col.name == "" && stable {
				break
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
	p.groups = nil
}

// stable reports whether the ids of s become stable ids.
func (s *space) stable() bool {
	return s.name == stableSpace && len(s.texts) == 0 && !s.asText && !s.unstable
}

// relRows is what a worker made of a chunk of relationships.
type relRows struct {
	ends
	types   []string // nil if the file has no TYPE column
	ids     []int64  // stable ids, empty if the file has none
	cells   []cellAt
	skipped uint64
}

func (p *properties) readRels(ctx context.Context, rf RelFile) error {
	var h *header
	var from, to *space
	start := func(first *header) (err error) {
		h = first
		if from, err = p.declared(h, roleStart); err == nil {
			to, err = p.declared(h, roleEnd)
		}
		if err == nil && rf.Type == "" && h.find(roleType) < 0 {
			err = h.c.errorAt(0, "found no relationship type; give one (TYPE=FILE) or a :TYPE column")
		}
		return err
	}
	if isParquet(rf.Path) {
		return p.parquetRels(ctx, p.parts(rf.Path), rf.Type, start, func() (*space, *space) { return from, to }, func(rows *relRows) { p.addRels(rows, rf.Type) })
	}
	return readGroup(ctx, p, rf.Path, false, start, func(r *records) (relRows, error) {
		return p.parseRels(h, r, from, to, rf.Type)
	}, func(_ *chunk, rows relRows) error {
		p.addRels(&rows, rf.Type)
		return nil
	})
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
	start, end, typ, stable := h.find(roleStart), h.find(roleEnd), h.find(roleType), h.find(roleStable)
	for {
		ok, err := h.row(r)
		if err != nil || !ok {
			return rows, err
		}
		u, known, err := p.resolve(r, start, from)
		if err != nil {
			return rows, err
		}
		v, also, err := p.resolve(r, end, to)
		if err != nil {
			return rows, err
		}
		if !known || !also {
			rows.skipped++
			continue
		}
		if typ >= 0 {
			t, err := r.typeName(typ, h.columns[typ].json)
			if err != nil {
				return rows, err
			}
			if t == "" && name == "" {
				return rows, r.c.errorAt(r.fields[typ].lo, "found an empty :TYPE, expected a relationship type")
			}
			rows.types = append(rows.types, t)
		}
		if stable >= 0 {
			n, ok := parseInt(r.bytes(r.fields[stable]))
			if !ok || n < 0 || n >= maxStable {
				return rows, r.c.errorAt(r.fields[stable].lo, "found %s as motif.id, expected an integer from 0 on", shown(r.bytes(r.fields[stable])))
			}
			rows.ids = append(rows.ids, n)
		}
		if rows.cells, err = h.cells(r, len(rows.src), p.split, rows.cells); err != nil {
			return rows, err
		}
		rows.add(u, v, true)
	}
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

// resolve looks up the id in field i; ok is false if the row is to be skipped.
func (p *properties) resolve(r *records, i int, s *space) (v uint32, ok bool, err error) {
	b, err := r.id(i)
	if err != nil {
		return 0, false, err
	}
	if v, ok = s.find(b); ok || p.SkipBad {
		return v, ok, nil
	}
	also := ""
	for _, other := range p.spaces {
		if _, there := other.find(b); there {
			also = "; " + other.String() + " has it"
			break
		}
	}
	return 0, false, r.c.errorAt(r.fields[i].lo, "found id %s, which no node of %s has%s", shown(b), s, also)
}

// addRels adds the relationships of a chunk; name is the type of those that have none of their own.
func (p *properties) addRels(rows *relRows, name string) {
	p.report.Skipped += rows.skipped
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
	for _, at := range rows.cells {
		p.b.SetEdge(first+uint64(at.row), at.key, at.cell)
	}
}

func (s *space) String() string {
	if s.name == "" {
		return "the id space without a name"
	}
	return "id space " + s.name
}

// find looks up an id as a file has it.
func (s *space) find(b []byte) (uint32, bool) {
	if n, ok := parseInt(b); ok {
		v, ok := s.ints[n]
		return v, ok
	}
	v, ok := s.texts[string(b)]
	return v, ok
}

// put adds an id; false if the space has it already.
func (s *space) put(k key, v uint32) bool {
	if k.isText() {
		if _, ok := s.texts[k.text]; ok {
			return false
		}
		s.texts[k.text] = v
		return true
	}
	if _, ok := s.ints[k.n]; ok {
		return false
	}
	s.ints[k.n], s.unstable = v, s.unstable || !k.stable()
	return true
}

// cell is the id as a property: an integer if all ids of the space are.
func (s *space) cell(k key) csr.Cell {
	if len(s.texts) == 0 && !s.asText {
		return csr.IntCell(k.n)
	}
	return csr.StringCell(k.String())
}
