package exporter

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// graph reads the elements of a snapshot.
type graph struct {
	s       *csr.Snapshot
	order   []csr.VertexID // by rising stable id
	tableOf map[string]*table
	last    struct { // the table of the vertex before
		labels []csr.LabelID
		table  *table
	}
}

// prop is a property of an element.
type prop struct {
	name string
	cell csr.Cell
}

type node struct {
	id       csr.NodeID
	labels   []string
	props    []prop
	external []prop // by id space
}

type rel struct {
	id       csr.RelID
	typ      string
	from, to csr.NodeID
	props    []prop
}

// table is the nodes of one label set, or the relationships of one type.
type table struct {
	isRel    bool
	labels   []string // sorted
	typ      string
	rows     uint64
	columns  []*column // by name, then kind
	keys     []csr.KeyID
	spaces   []*column // external ids, by name
	vertices []csr.VertexID
	runs     [][2]csr.EdgeID // of relationships, one behind the other
}

// column is a property key and one kind that its values have in a table.
type column struct {
	key    csr.KeyID
	name   string
	kind   kind
	single bool // the property has no other column in the table
}

// edges yields the relationships of the table.
func (t *table) edges() iter.Seq[csr.EdgeID] {
	return func(yield func(csr.EdgeID) bool) {
		for _, r := range t.runs {
			for e := r[0]; e < r[1]; e++ {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// scan looks at every element once: which tables there are and which columns they have.
func (x *export) scan() error {
	g := x.g
	g.order = make([]csr.VertexID, g.s.N())
	for v := range g.order {
		g.order[v] = csr.VertexID(v)
	}
	slices.SortFunc(g.order, func(a, b csr.VertexID) int {
		if g.s.NodeID(a) < g.s.NodeID(b) {
			return -1
		}
		return 1
	})
	g.tableOf = make(map[string]*table)
	x.begin("scan", g.s.N()+g.s.M())
	for _, v := range g.order {
		if err := x.step(); err != nil {
			return err
		}
		t, err := x.nodeTable(g.s.LabelsOf(v))
		if err != nil {
			return err
		}
		t.rows++
		if x.format.Folder {
			t.vertices = append(t.vertices, v)
		}
		if err := x.scanNode(t, v); err != nil {
			return err
		}
	}
	if err := x.scanRels(); err != nil {
		return err
	}
	for _, t := range slices.Concat(x.nodes, x.rels) {
		t.arrange()
	}
	slices.SortFunc(x.nodes, func(a, b *table) int { return slices.Compare(a.labels, b.labels) })
	return nil
}

// setKey is a label set as a map's key.
func setKey(labels []csr.LabelID) string {
	var id []byte
	for _, l := range labels {
		id = append(id, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return string(id)
}

// nodeTable is the table of a label set.
func (x *export) nodeTable(labels []csr.LabelID) (*table, error) {
	last := &x.g.last
	if last.table != nil && slices.Equal(last.labels, labels) {
		return last.table, nil
	}
	id := setKey(labels)
	t := x.g.tableOf[id]
	if t == nil {
		t = &table{}
		for _, l := range labels {
			name := x.g.s.Labels.Name(uint32(l))
			if !utf8.ValidString(name) {
				return nil, fmt.Errorf("label %q is not UTF-8 text, which no format can hold", name)
			}
			t.labels = append(t.labels, name)
		}
		slices.Sort(t.labels)
		x.g.tableOf[id] = t
		x.nodes = append(x.nodes, t)
	}
	last.labels, last.table = labels, t
	return t, nil
}

func (x *export) scanNode(t *table, v csr.VertexID) error {
	for k := range uint32(x.g.s.Keys.Len()) {
		if c, ok := x.g.s.VertexProp(v, csr.KeyID(k)); ok {
			if err := x.see(t, csr.KeyID(k), c); err != nil {
				return fmt.Errorf("node %d: %w", x.g.s.NodeID(v), err)
			}
		}
	}
	for i, space := range x.g.s.External {
		c, ok := space.IDs.Get(uint64(v))
		if !ok {
			continue
		}
		kd := kindOf(c)
		if kd != kindLong && kd != kindString {
			return fmt.Errorf("node %d has an external id that is neither an integer nor text", x.g.s.NodeID(v))
		}
		if !slices.ContainsFunc(t.spaces, func(col *column) bool { return col.name == space.Name && col.kind == kd }) {
			t.spaces = append(t.spaces, &column{key: csr.KeyID(i), name: space.Name, kind: kd})
		}
	}
	return nil
}

func (x *export) scanRels() error {
	byType := make(map[csr.TypeID]*table)
	for e := range x.g.s.AllEdges() {
		if err := x.step(); err != nil {
			return err
		}
		typ := x.g.s.TypeOf(e)
		t := byType[typ]
		if t == nil {
			t = &table{isRel: true, typ: x.g.s.Types.Name(uint32(typ))}
			if !utf8.ValidString(t.typ) {
				return fmt.Errorf("relationship type %q is not UTF-8 text, which no format can hold", t.typ)
			}
			byType[typ] = t
			x.rels = append(x.rels, t)
		}
		if n := len(t.runs); n > 0 && t.runs[n-1][1] == e {
			t.runs[n-1][1]++
		} else {
			t.runs = append(t.runs, [2]csr.EdgeID{e, e + 1})
		}
		t.rows++
		for k := range uint32(x.g.s.Keys.Len()) {
			if c, ok := x.g.s.EdgeProp(e, csr.KeyID(k)); ok {
				if err := x.see(t, csr.KeyID(k), c); err != nil {
					return fmt.Errorf("relationship %d: %w", x.g.s.RelID(e), err)
				}
			}
		}
	}
	slices.SortFunc(x.rels, func(a, b *table) int { return strings.Compare(a.typ, b.typ) })
	return nil
}

// see notes that an element of t has a property of c's kind.
func (x *export) see(t *table, k csr.KeyID, c csr.Cell) error {
	kd := kindIn(x.opt.Format, c)
	for _, col := range t.columns {
		if col.key == k && col.kind == kd {
			return checkText(c, col.name)
		}
	}
	name := x.g.s.Keys.Name(uint32(k))
	if !utf8.ValidString(name) {
		return fmt.Errorf("property %q: the name is not UTF-8 text, which no format can hold", name)
	}
	t.columns = append(t.columns, &column{key: k, name: name, kind: kd})
	return checkText(c, name)
}

// checkText sees that text can be written: other bytes than UTF-8 no format holds.
func checkText(c csr.Cell, name string) error {
	if c.Kind == csr.KindString && !utf8.ValidString(c.Str) || c.Kind == csr.KindEncoded && !validText(value.OfCell(c)) {
		return fmt.Errorf("property %q holds bytes that are not UTF-8 text, which no format can hold; set it to text or remove it first", name)
	}
	return nil
}

func validText(v value.Value) bool {
	switch v.Kind() {
	case value.String:
		return utf8.ValidString(v.Str())
	case value.List:
		return !slices.ContainsFunc(v.List(), func(e value.Value) bool { return !validText(e) })
	case value.Map:
		m := v.Map()
		for i, k := range m.Keys {
			if !utf8.ValidString(k) || !validText(m.Values[i]) {
				return false
			}
		}
	}
	return true
}

// arrange sorts the columns.
func (t *table) arrange() {
	slices.SortFunc(t.columns, func(a, b *column) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return int(a.kind) - int(b.kind)
	})
	for i, col := range t.columns {
		before := i > 0 && t.columns[i-1].key == col.key
		after := i+1 < len(t.columns) && t.columns[i+1].key == col.key
		col.single = !before && !after
		if !before {
			t.keys = append(t.keys, col.key)
		}
	}
	slices.SortFunc(t.spaces, func(a, b *column) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return int(a.kind) - int(b.kind)
	})
}

// node fills n with what v is.
func (g *graph) node(v csr.VertexID, n *node) {
	labels := g.s.LabelsOf(v)
	t := g.last.table
	if !slices.Equal(g.last.labels, labels) || t == nil {
		t = g.tableOf[setKey(labels)]
		g.last.labels, g.last.table = labels, t
	}
	*n = node{id: g.s.NodeID(v), labels: t.labels, props: n.props[:0], external: n.external[:0]}
	for _, k := range t.keys {
		if c, ok := g.s.VertexProp(v, k); ok {
			n.props = append(n.props, prop{g.s.Keys.Name(uint32(k)), c})
		}
	}
	for i, col := range t.spaces {
		if i > 0 && t.spaces[i-1].key == col.key {
			continue
		}
		if c, ok := g.s.External[col.key].IDs.Get(uint64(v)); ok {
			n.external = append(n.external, prop{col.name, c})
		}
	}
}

// rel fills r with what e, of table t, is.
func (g *graph) rel(e csr.EdgeID, t *table, r *rel) {
	from, to := g.s.Endpoints(e)
	*r = rel{id: g.s.RelID(e), typ: t.typ, from: g.s.NodeID(from), to: g.s.NodeID(to), props: r.props[:0]}
	for _, k := range t.keys {
		if c, ok := g.s.EdgeProp(e, k); ok {
			r.props = append(r.props, prop{g.s.Keys.Name(uint32(k)), c})
		}
	}
}
