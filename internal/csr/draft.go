package csr

import (
	"errors"
	"fmt"
	"slices"
	"sort"
)

// What may be wrong with a change. Errors of a Draft wrap one of them, or say that a limit is passed.
var (
	ErrNotThere = errors.New("does not exist, or no longer")
	ErrHasRels  = errors.New("still has relationships")
	ErrRule     = errors.New("index or constraint")
)

// Draft collects changes on top of a snapshot, which stays as it is. It is for one goroutine.
//
// Its vertices and relationships have the ids of the snapshot under it, which Base returns. Created ones continue behind
// these ids. Snapshot puts the draft onto a new snapshot; the Remap lists the ids that this changes.
type Draft struct {
	base                *Snapshot
	labels, types, keys names
	nodes               map[VertexID]*nodeDraft // vertices of base with changes
	rels                map[EdgeID]*relDraft
	newNodes            []*nodeDraft // created since base, by VertexID - base.N()
	newRels             []*relDraft  // likewise, by EdgeID - base.edgeBound()
	nextNode            NodeID
	nextRel             RelID
	schema              Schema
	changes             []Change
	mark                int // changes that base has
	since               digest
	footprint
	dirty bool // something has changed since base
	remap Remap
	kinds map[*Reads]*kindWatch

	// Kept is what the user of the draft has found out about base and the changes since. It is nil again once base is another or changes
	// were undone.
	Kept any
}

// nodeDraft holds the changes of a vertex, or a new vertex.
type nodeDraft struct {
	id         NodeID
	labels     []LabelID // sorted; those of base unless relabelled
	props      propDrafts
	out, in    []EdgeID // relationships created since base, deleted ones among them
	relabelled bool
	dead       bool
	died       int // with dead, the number of changes before
}

type relDraft struct {
	id       RelID
	typ      TypeID
	src, dst VertexID
	props    propDrafts
	dead     bool
	died     int // likewise
}

// propDraft is a property set; a cell without kind is one removed.
type propDraft struct {
	key  KeyID
	cell Cell
}

// propDrafts holds the properties set of one element.
type propDrafts struct {
	list []propDraft
	at   map[KeyID]int // places in list, once that is long
}

const mostUnindexed = 16 // properties that propDrafts searches without a map

// find returns the place of a key in the list, or -1.
func (p *propDrafts) find(k KeyID) int {
	if p.at != nil {
		if i, ok := p.at[k]; ok {
			return i
		}
		return -1
	}
	for i := range p.list {
		if p.list[i].key == k {
			return i
		}
	}
	return -1
}

func (p *propDrafts) get(k KeyID) (Cell, bool) {
	if i := p.find(k); i >= 0 {
		return p.list[i].cell, true
	}
	return Cell{}, false
}

func (p *propDrafts) set(k KeyID, c Cell) {
	if i := p.find(k); i >= 0 {
		p.list[i].cell = c
		return
	}
	p.list = append(p.list, propDraft{k, c})
	switch {
	case p.at != nil:
		p.at[k] = len(p.list) - 1
	case len(p.list) > mostUnindexed:
		p.at = make(map[KeyID]int, 2*len(p.list))
		for i := range p.list {
			p.at[p.list[i].key] = i
		}
	}
}

// names is a dictionary that is copied before the first name is added.
type names struct {
	*Dict
	own bool
}

func (n *names) add(name string) uint32 {
	if i, ok := n.Lookup(name); ok {
		return i
	}
	if !n.own {
		n.Dict, n.own = NewDict(n.Names()...), true
	}
	return n.Dict.Add(name)
}

// Draft starts a draft on s.
func (s *Snapshot) Draft() *Draft {
	d := &Draft{nextNode: s.NextNode, nextRel: s.NextRel}
	d.stand(s)
	return d
}

// stand puts the draft onto s, with no changes.
func (d *Draft) stand(s *Snapshot) {
	d.base = s
	d.labels, d.types, d.keys = names{Dict: s.Labels}, names{Dict: s.Types}, names{Dict: s.Keys}
	d.nodes, d.rels = make(map[VertexID]*nodeDraft), make(map[EdgeID]*relDraft)
	d.newNodes, d.newRels = nil, nil
	d.schema, d.dirty, d.mark = s.Schema, false, len(d.changes)
	d.since.reset()
	d.Kept, d.kinds = nil, nil
}

// Mark is the number of changes that Base has.
func Mark(d *Draft) int { return d.mark }

// Base is the snapshot that the draft's ids belong to: the one it began with, or the last that Snapshot returned.
func (d *Draft) Base() *Snapshot { return d.base }

// Changes is everything done so far, in order, since the draft began; callers must not change it.
func (d *Draft) Changes() []Change { return d.changes }

// footprint is the memory of a draft's changes.
type footprint struct{ bytes int64 }

// Bytes returns about how much memory the changes take, from the beginning of the draft to a commit. Most of what a change
// takes does not depend on the change: its entry in the list, the element in the draft, and later the same element in the
// snapshot and the change in the log.
func (f footprint) Bytes() int64 { return f.bytes }

// What a change takes beside its properties, and what a property takes beside its text.
const (
	nodeBytes   = 360
	relBytes    = 520
	changeBytes = 280
	propBytes   = 120
)

func (c *Change) memory() int64 {
	n := int64(changeBytes)
	switch c.Kind {
	case CreateNode:
		n = nodeBytes + 32*int64(len(c.Labels))
	case CreateRel:
		n = relBytes
	}
	for i := range c.Props {
		n += propBytes + int64(len(c.Props[i].Value.Str))
	}
	return n
}

// Schema is the indexes and constraints as they stand; callers must not change the lists.
func (d *Draft) Schema() Schema { return d.schema }

// Remap says where the vertices and relationships have gone that the draft had before the last call of Snapshot.
func (d *Draft) Remap() *Remap { return &d.remap }

func (d *Draft) note(c Change) {
	if len(d.changes) == cap(d.changes) { // append would copy a long list more often
		d.changes = slices.Grow(d.changes, max(4, len(d.changes)))
	}
	d.changes = append(d.changes, c)
	d.bytes += c.memory()
	d.dirty = true
	d.since.add(&c)
}

// node is the draft of a vertex that is there, for changing it.
func (d *Draft) node(v VertexID) (*nodeDraft, error) {
	n := d.peek(v)
	switch {
	case n == nil && uint64(v) >= d.base.N(), n != nil && n.dead:
		return nil, fmt.Errorf("node %w", ErrNotThere)
	case n == nil:
		n = &nodeDraft{id: d.base.NodeID(v), labels: d.base.LabelsOf(v)}
		d.nodes[v] = n
	}
	return n, nil
}

// peek is the draft of a vertex, dead or not; nil if it has none.
func (d *Draft) peek(v VertexID) *nodeDraft {
	if n := d.base.N(); uint64(v) >= n {
		if i := uint64(v) - n; i < uint64(len(d.newNodes)) {
			return d.newNodes[i]
		}
		return nil
	}
	return d.nodes[v]
}

// Changed reports whether v is not in d as it is in its Base: it is new, or its labels, properties or relationships may differ.
func Changed(d *Draft, v VertexID) bool { return uint64(v) >= d.base.N() || d.nodes[v] != nil }

func (d *Draft) rel(e EdgeID) (*relDraft, error) {
	r := d.peekRel(e)
	switch {
	case r == nil && !d.base.HasEdge(e), r != nil && r.dead:
		return nil, fmt.Errorf("relationship %w", ErrNotThere)
	case r == nil:
		src, dst := d.base.Endpoints(e)
		r = &relDraft{id: d.base.RelID(e), typ: d.base.TypeOf(e), src: src, dst: dst}
		d.rels[e] = r
	}
	return r, nil
}

func (d *Draft) peekRel(e EdgeID) *relDraft {
	if bound := d.base.edgeBound(); uint64(e) >= bound {
		if i := uint64(e) - bound; i < uint64(len(d.newRels)) {
			return d.newRels[i]
		}
		return nil
	}
	return d.rels[e]
}

// NodeByID returns the vertex with a stable id.
func (d *Draft) NodeByID(id NodeID) (VertexID, bool) {
	i := sort.Search(len(d.newNodes), func(i int) bool { return d.newNodes[i].id >= id })
	if i < len(d.newNodes) && d.newNodes[i].id == id {
		return VertexID(d.base.N() + uint64(i)), !d.newNodes[i].dead
	}
	v, ok := d.base.VertexByNodeID(id)
	return v, ok && d.HasNode(v)
}

// RelByID returns the relationship with a stable id.
func (d *Draft) RelByID(id RelID) (EdgeID, bool) {
	i := sort.Search(len(d.newRels), func(i int) bool { return d.newRels[i].id >= id })
	if i < len(d.newRels) && d.newRels[i].id == id {
		return EdgeID(d.base.edgeBound() + uint64(i)), !d.newRels[i].dead
	}
	e, ok := d.base.EdgeByRelID(id)
	return e, ok && d.HasRel(e)
}

// NodeID returns the stable id of a vertex that exists or was deleted since Base. RelID does so for a relationship.
func (d *Draft) NodeID(v VertexID) NodeID {
	if n := d.peek(v); n != nil {
		return n.id
	}
	return d.base.NodeID(v)
}

func (d *Draft) RelID(e EdgeID) RelID {
	if r := d.peekRel(e); r != nil {
		return r.id
	}
	return d.base.RelID(e)
}

// HasNode and HasRel report whether a vertex or a relationship is there.
func (d *Draft) HasNode(v VertexID) bool {
	if n := d.peek(v); n != nil {
		return !n.dead
	}
	return uint64(v) < d.base.N()
}

func (d *Draft) HasRel(e EdgeID) bool {
	if r := d.peekRel(e); r != nil {
		return !r.dead
	}
	return d.base.HasEdge(e)
}

// Labels are the names of the labels of v, in no special order; none if v is not there.
func (d *Draft) Labels(v VertexID) []string {
	var names []string
	for _, l := range d.labelIDs(v) {
		names = append(names, d.labels.Name(uint32(l)))
	}
	return names
}

func (d *Draft) labelIDs(v VertexID) []LabelID {
	n := d.peek(v)
	switch {
	case n != nil && n.dead:
		return nil
	case n != nil:
		return n.labels
	case uint64(v) < d.base.N():
		return d.base.LabelsOf(v)
	}
	return nil
}

// HasLabel reports whether v carries a label.
func (d *Draft) HasLabel(v VertexID, label string) bool {
	l, ok := d.labels.Lookup(label)
	if !ok {
		return false
	}
	_, ok = slices.BinarySearch(d.labelIDs(v), LabelID(l))
	return ok
}

// NodeProp returns a property of v.
func (d *Draft) NodeProp(v VertexID, key string) (Cell, bool) {
	k, ok := d.keys.Lookup(key)
	if !ok || !d.HasNode(v) {
		return Cell{}, false
	}
	if n := d.peek(v); n != nil {
		if c, set := n.props.get(KeyID(k)); set {
			return c, c.Kind != 0
		}
	}
	if uint64(v) >= d.base.N() {
		return Cell{}, false
	}
	return d.base.VertexProp(v, KeyID(k))
}

// RelProp returns a property of e.
func (d *Draft) RelProp(e EdgeID, key string) (Cell, bool) {
	k, ok := d.keys.Lookup(key)
	if !ok || !d.HasRel(e) {
		return Cell{}, false
	}
	if r := d.peekRel(e); r != nil {
		if c, set := r.props.get(KeyID(k)); set {
			return c, c.Kind != 0
		}
	}
	if uint64(e) >= d.base.edgeBound() {
		return Cell{}, false
	}
	return d.base.EdgeProp(e, KeyID(k))
}

// NodeProps and RelProps list the properties of an element by the number of their key.
func (d *Draft) NodeProps(v VertexID) []Prop {
	return d.props(func(key string) (Cell, bool) { return d.NodeProp(v, key) })
}

func (d *Draft) RelProps(e EdgeID) []Prop {
	return d.props(func(key string) (Cell, bool) { return d.RelProp(e, key) })
}

func (d *Draft) props(get func(key string) (Cell, bool)) (all []Prop) {
	for _, key := range d.keys.Names() {
		if c, ok := get(key); ok {
			all = append(all, Prop{key, c})
		}
	}
	return all
}

// RelType is the type of a relationship that is there, or was deleted since Base.
func (d *Draft) RelType(e EdgeID) string {
	if r := d.peekRel(e); r != nil {
		return d.types.Name(uint32(r.typ))
	}
	return d.types.Name(uint32(d.base.TypeOf(e)))
}

// Endpoints are the source and the target of a relationship that is there, or was deleted since Base.
func (d *Draft) Endpoints(e EdgeID) (src, dst VertexID) {
	if r := d.peekRel(e); r != nil {
		return r.src, r.dst
	}
	return d.base.Endpoints(e)
}

// Rels appends to dst the relationships of v in a direction, a loop once, of the named types or, with nil, of any.
func (d *Draft) Rels(dst []EdgeID, v VertexID, dir Direction, types []string) []EdgeID {
	if !d.HasNode(v) {
		return dst
	}
	set := d.typeSet(types)
	n := d.peek(v)
	if uint64(v) < d.base.N() {
		d.base.incident(v, dir, set, func(e EdgeID) {
			if r := d.rels[e]; r == nil || !r.dead {
				dst = append(dst, e)
			}
		})
	}
	if n == nil {
		return dst
	}
	if dir != In {
		dst = d.live(dst, n.out, set, NoVertex)
	}
	switch dir {
	case In:
		dst = d.live(dst, n.in, set, NoVertex)
	case Both:
		dst = d.live(dst, n.in, set, v) // loops are among the outgoing ones
	}
	return dst
}

// live appends the new relationships of list that were not deleted and whose source is not without.
func (d *Draft) live(dst, list []EdgeID, types TypeSet, without VertexID) []EdgeID {
	for _, e := range list {
		if r := d.peekRel(e); !r.dead && r.src != without && types.Has(r.typ) {
			dst = append(dst, e)
		}
	}
	return dst
}

func (d *Draft) typeSet(types []string) TypeSet {
	if types == nil {
		return nil
	}
	set := TypeSet{}
	for _, name := range types {
		if t, ok := d.types.Lookup(name); ok {
			set = append(set, TypeID(t))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// Degree is the number of relationships of v in a direction, a loop counted once.
func (d *Draft) Degree(v VertexID, dir Direction) int { return len(d.Rels(nil, v, dir, nil)) }

// Between appends to dst the relationships of a type that lead from one vertex to another.
func (d *Draft) Between(dst []EdgeID, from, to VertexID, typ string) []EdgeID {
	t, ok := d.types.Lookup(typ)
	if !ok || !d.HasNode(from) || !d.HasNode(to) {
		return dst
	}
	if n := d.base.N(); uint64(from) < n && uint64(to) < n && int(t) < d.base.Types.Len() {
		first := len(dst)
		dst = d.base.Relationships(dst, from, to, TypeSet{TypeID(t)}, Out)
		kept := dst[:first]
		for _, e := range dst[first:] {
			if d.HasRel(e) {
				kept = append(kept, e)
			}
		}
		dst = kept
	}
	a, b := d.peek(from), d.peek(to)
	if a == nil || b == nil {
		return dst
	}
	list := a.out
	if len(b.in) < len(list) {
		list = b.in
	}
	for _, e := range list {
		if r := d.peekRel(e); !r.dead && r.src == from && r.dst == to && r.typ == TypeID(t) {
			dst = append(dst, e)
		}
	}
	return dst
}
