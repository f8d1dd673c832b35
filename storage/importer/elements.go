package importer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// maxStable is the largest id of a file that is kept as a stable id; new nodes get larger ones.
const maxStable = 1 << 62

// elements adds the nodes and relationships of a file that names nodes by ids and may list them in any order.
type elements struct {
	*loader
	file    string
	ids     space
	nodes   []key // by vertex, those of this file from first on
	first   uint32
	relIDs  []key // of relationships, as long as all have one
	edges   uint64
	pending []pendingRel
	named   []bool // by node: it has a property id itself
	keepID  bool   // every id becomes the property id, a stable one too
	shares  bool   // plain strings lie in chunks, which are charged
}

func newElements(l *loader, file string) *elements {
	return &elements{loader: l, file: file, ids: *l.newSpace(""), first: uint32(l.b.Vertices()), edges: l.b.Relationships()}
}

// prop is a property as a file has it; of a null one there is no cell.
type prop struct {
	name string
	cell csr.Cell
}

// external is an id in an id space.
type external struct {
	space string
	cell  csr.Cell
}

type nodeItem struct {
	id       key
	labels   []string
	props    []prop
	external []external
}

type relItem struct {
	id       key
	hasID    bool
	typ      string
	from, to key
	props    []prop
}

// pendingRel is a relationship that came before one of its ends.
type pendingRel struct {
	relItem
	line int
}

func (x *elements) errorAt(line int, format string, args ...any) *Error {
	return &Error{File: x.file, Line: line, Msg: fmt.Sprintf(format, args...)}
}

// node adds a node that a line of the file describes.
func (x *elements) node(n *nodeItem, line int) error {
	v := uint32(x.b.Vertices())
	if !x.ids.put(n.id, v) {
		return x.errorAt(line, "found node id %q a second time", n.id.String())
	}
	labels := make([]csr.LabelID, 0, len(n.labels)+1)
	if x.Label != "" {
		labels = append(labels, x.b.Label(x.Label))
	}
	for _, name := range n.labels {
		labels = append(labels, x.b.Label(name))
	}
	x.b.AddVertex(labels...)
	x.nodes, x.named = append(x.nodes, n.id), append(x.named, false)
	x.take(2 * keyBytes)
	x.takeProps(n.props)
	for _, p := range n.props {
		x.b.SetVertex(v, x.b.Key(p.name), p.cell)
		if p.name == "id" {
			x.named[len(x.named)-1] = true
		}
	}
	for _, e := range n.external {
		if !x.setExternal(e, v) {
			return x.errorAt(line, "found external id %s of id space %q a second time", value.OfCell(e.cell), e.space)
		}
	}
	return nil
}

// setExternal records an external id; false if another node has it.
func (l *loader) setExternal(e external, v uint32) bool {
	if l.external == nil {
		l.external = make(map[string]*space)
	}
	s := l.external[e.space]
	if s == nil {
		s = l.newSpace(e.space)
		l.external[e.space] = s
	}
	k := key{n: int64(e.cell.Num)}
	if e.cell.Kind == csr.KindString {
		k = key{text: e.cell.Str}
	}
	if !s.put(k, v) {
		return false
	}
	l.b.External(e.space, v, e.cell)
	return true
}

// externalCell is the cell of an id in an id space: an integer or text.
func externalCell(v value.Value) (csr.Cell, error) {
	if v.Kind() == value.Int || v.Kind() == value.String && v.Str() != "" {
		return v.Cell()
	}
	return csr.Cell{}, errors.New("an external id must be an integer or a string that is not empty")
}

// rel adds a relationship, or keeps it until its ends are known.
func (x *elements) rel(r *relItem, line int) error {
	if r.typ == "" {
		r.typ = x.Type
	}
	from, ok := x.ids.get(r.from)
	to, also := x.ids.get(r.to)
	if !ok || !also {
		x.pending = append(x.pending, pendingRel{*r, line})
		x.take(2*pendingBytes + int64(cap(r.props))*propBytes + int64(len(r.typ)))
		x.takeProps(r.props)
		return nil
	}
	x.takeProps(r.props)
	x.add(r, from, to)
	return nil
}

func (x *elements) add(r *relItem, from, to uint32) {
	i := x.b.AddEdge(from, to, x.b.Type(r.typ))
	for _, p := range r.props {
		x.b.SetEdge(i, x.b.Key(p.name), p.cell)
	}
	if r.hasID && uint64(len(x.relIDs)) == i-x.edges {
		x.relIDs = append(x.relIDs, r.id)
		x.take(2 * keyBytes)
	}
}

// What the lists of elements take for an item.
const (
	keyBytes     = 24
	propBytes    = 48
	pendingBytes = 160
)

// takeProps charges the text of properties, which the Builder does not charge.
func (x *elements) takeProps(props []prop) {
	for i := range props {
		if c := &props[i].cell; c.Str != "" && (!x.shares || c.Kind != csr.KindString) {
			x.take(int64(len(c.Str)) + 16)
		}
	}
}

// finish adds what waited for its ends and decides what the ids are: integers from 0 on are stable ids, others
// the id space without a name and the property id.
func (x *elements) finish() error {
	for i := range x.pending {
		if err := x.fitsAt(i); err != nil {
			return err
		}
		r := &x.pending[i]
		if x.part {
			for _, k := range []key{r.from, r.to} {
				if _, ok := x.ids.get(k); ok {
					continue
				}
				if err := x.node(&nodeItem{id: k}, r.line); err != nil {
					return err
				}
				x.named[len(x.named)-1] = true // the store's node keeps its property id
				x.given.made = append(x.given.made, madeNode{"", k, x.file, r.line})
				x.take(2 * keyBytes)
			}
		}
		from, ok := x.ids.get(r.from)
		to, also := x.ids.get(r.to)
		if !ok || !also {
			missing := r.from
			if ok {
				missing = r.to
			}
			return x.errorAt(r.line, "found a relationship of node %q, which the file does not have", missing.String())
		}
		x.add(&r.relItem, from, to)
	}
	if err := x.nodeIDs(); err != nil {
		return err
	}
	if err := x.setRelIDs(); err != nil {
		return err
	}
	return x.fits(x.file, 0)
}

func (x *elements) nodeIDs() error {
	if len(x.ids.texts) == 0 && !slices.ContainsFunc(x.nodes, func(k key) bool { return !k.stable() }) {
		x.given.stable = true
		for i, k := range x.nodes {
			x.b.SetNodeID(x.first+uint32(i), csr.NodeID(k.n))
		}
		if !x.keepID || len(x.nodes) == 0 {
			return nil
		}
		return x.setIDProps()
	}
	for i, k := range x.nodes {
		x.b.External("", x.first+uint32(i), x.ids.cell(k))
	}
	if len(x.nodes) == 0 {
		return nil
	}
	return x.setIDProps()
}

// setIDProps sets the property id of the nodes that have none themselves.
func (x *elements) setIDProps() error {
	id := x.b.Key("id")
	for i, k := range x.nodes {
		if err := x.fitsAt(i); err != nil {
			return err
		}
		if !x.named[i] {
			x.b.SetVertex(x.first+uint32(i), id, x.ids.cell(k))
		}
	}
	return nil
}

func (x *elements) setRelIDs() error {
	if uint64(len(x.relIDs)) != x.b.Relationships()-x.edges || slices.ContainsFunc(x.relIDs, func(k key) bool { return !k.stable() }) {
		return nil
	}
	if err := x.room(8 * int64(len(x.relIDs))); err != nil {
		return err
	}
	ids := make([]int64, len(x.relIDs))
	for i, k := range x.relIDs {
		ids[i] = k.n
		x.b.SetRelID(x.edges+uint64(i), csr.RelID(k.n))
	}
	if id, ok := repeated(ids); ok {
		return &Error{File: x.file, Msg: fmt.Sprintf("relationship id %d occurs twice; leave the ids of relationships out or make them different", id)}
	}
	return nil
}

// repeated returns an id that occurs twice, if one does; it sorts ids.
func repeated(ids []int64) (int64, bool) {
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			return ids[i], true
		}
	}
	return 0, false
}

// stable reports whether k can be a stable id.
func (k key) stable() bool { return !k.isText() && k.n >= 0 && k.n < maxStable }

// propertyCell is the cell of a property's value, which null has none of and a map cannot be.
func propertyCell(v value.Value) (c csr.Cell, err error) {
	if v.IsNull() {
		return csr.Cell{}, nil
	}
	if hasMap(v) {
		return csr.Cell{}, fmt.Errorf("a property cannot be a map or hold one")
	}
	return v.Cell()
}

func hasMap(v value.Value) bool {
	switch v.Kind() {
	case value.Map:
		return true
	case value.List:
		return slices.ContainsFunc(v.List(), hasMap)
	}
	return false
}
