package csr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/motifql/motif/internal/spool"
)

// Builder collects vertices, relationships and properties in any order and builds a Snapshot of them. Callers refer to a
// vertex or a relationship by its index in order of addition; the index of a vertex becomes its NodeID. A Builder is not
// safe for concurrent use, and Build consumes it. Build reports mistakes of the caller, such as a relationship to a vertex
// that was never added.
type Builder struct {
	labels, types, keys *Dict
	labelled            int               // labels charged to the budget
	sets                map[string]uint32 // label set -> index in setLabels
	setLabels           [][]LabelID
	setOf               []uint32 // by vertex
	rels                []relList
	edges               uint64
	last                TypeID // type of the last relationship added
	vertexProps         []*Column
	edgeProps           []*Column
	external            []ExternalSpace
	spaces              map[string]int
	nodeIDs             []NodeID  // by vertex, given by SetNodeID
	relIDs              []RelID   // by relationship, given by SetRelID
	given               [2]uint64 // how many nodes and relationships were given an id
	budget              Budget
	spill               spill
	err                 error // the first mistake
}

// relList is the relationships of one type in order of addition.
type relList struct {
	src, dst []uint32
	runs     []run
	simple   bool // drop loops and repeats

	spilled *spool.List // source<<32 | target of those that stand before all in src and dst; nil: none do
	marks   *spool.List // the runs before all in runs: position, index
}

// run says that the relationships from position pos on have the consecutive indices from index on.
type run struct{ pos, index uint64 }

// Dropped counts the relationships that Build left out of types for which DropRepeats was asked. Differing are the Duplicates that
// had other properties than the relationship that stays.
type Dropped struct{ Loops, Duplicates, Differing uint64 }

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder {
	return &Builder{
		labels: NewDict(), types: NewDict(), keys: NewDict(),
		sets: make(map[string]uint32), spaces: make(map[string]int), last: TypeID(math.MaxUint32),
	}
}

// Label returns the number of a label name.
func (b *Builder) Label(name string) LabelID {
	l := b.labels.Add(name)
	if int(l) == b.labelled {
		b.labelled++
		b.charge(nameBytes + int64(len(name)))
	}
	return LabelID(l)
}

// Type returns the number of a relationship type name.
func (b *Builder) Type(name string) TypeID {
	t := b.types.Add(name)
	if int(t) == len(b.rels) {
		b.rels = append(b.rels, relList{})
		b.charge(nameBytes + int64(len(name)) + 2*int64(unsafe.Sizeof(relList{})))
	}
	return TypeID(t)
}

// Key returns the number of a property key.
func (b *Builder) Key(name string) KeyID {
	k := b.keys.Add(name)
	if int(k) == len(b.vertexProps) {
		b.vertexProps, b.edgeProps = append(b.vertexProps, nil), append(b.edgeProps, nil)
		b.charge(nameBytes + int64(len(name)))
	}
	return KeyID(k)
}

// Vertices and Relationships are how many were added.
func (b *Builder) Vertices() uint64      { return uint64(len(b.setOf)) }
func (b *Builder) Relationships() uint64 { return b.edges }

// Labels, Types and Keys are how many names were numbered.
func (b *Builder) Labels() int { return b.labels.Len() }
func (b *Builder) Types() int  { return b.types.Len() }
func (b *Builder) Keys() int   { return b.keys.Len() }

// AddVertex adds a vertex and returns its index.
func (b *Builder) AddVertex(labels ...LabelID) uint32 { return b.AddVertices(1, labels...) }

// AddVertices adds n vertices with the same labels and returns the index of the first.
func (b *Builder) AddVertices(n int, labels ...LabelID) (first uint32) {
	set := b.labelSet(labels)
	first = uint32(len(b.setOf))
	if uint64(n) > MaxVertices-uint64(len(b.setOf)) {
		b.fail(fmt.Errorf("more than %d vertices", MaxVertices))
		return first
	}
	if b.setOf = grow(b, b.setOf, n); b.err != nil {
		return first
	}
	for range n {
		b.setOf = append(b.setOf, set)
	}
	return first
}

func (b *Builder) labelSet(labels []LabelID) uint32 {
	var space [64]byte
	name := space[:0]
	for i, l := range labels {
		if int(l) >= b.labels.Len() {
			b.fail(fmt.Errorf("label %d was never named", l))
			return b.labelSet(nil)
		}
		if i > 0 && l <= labels[i-1] {
			labels = slices.Compact(slices.Sorted(slices.Values(labels)))
			return b.labelSet(labels)
		}
		name = append(name, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	if set, ok := b.sets[string(name)]; ok {
		return set
	}
	b.charge(nameBytes + 2*int64(len(name)))
	set := uint32(len(b.setLabels))
	b.setLabels = append(b.setLabels, slices.Clone(labels))
	b.sets[string(name)] = set
	return set
}

// SetLabels replaces the labels of vertex v.
func (b *Builder) SetLabels(v uint32, labels ...LabelID) {
	if b.known(v) {
		b.setOf[v] = b.labelSet(labels)
	}
}

// LabelsOf returns the sorted labels of vertex v; callers must not change it.
func (b *Builder) LabelsOf(v uint32) []LabelID { return b.setLabels[b.setOf[v]] }

func (b *Builder) known(v uint32) bool {
	if uint64(v) >= uint64(len(b.setOf)) {
		b.fail(fmt.Errorf("vertex %d of %d", v, len(b.setOf)))
		return false
	}
	return true
}

func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// SetVertex sets a property of vertex v; a cell without kind removes it.
func (b *Builder) SetVertex(v uint32, k KeyID, c Cell) {
	if b.known(v) {
		b.set(b.vertexProps, k, uint64(v), c)
	}
}

// SetEdge sets a property of the relationship with index i.
func (b *Builder) SetEdge(i uint64, k KeyID, c Cell) {
	if i >= b.edges {
		b.fail(fmt.Errorf("relationship %d of %d", i, b.edges))
		return
	}
	b.set(b.edgeProps, k, i, c)
}

func (b *Builder) set(columns []*Column, k KeyID, i uint64, c Cell) {
	if b.err != nil {
		return
	}
	if int(k) >= len(columns) {
		b.fail(fmt.Errorf("property key %d was never named", k))
		return
	}
	if c.Kind >= KindMixed {
		b.fail(fmt.Errorf("property value of unknown kind %d", c.Kind))
		return
	}
	if columns[k] == nil {
		columns[k] = NewColumn(0)
	}
	if grown := columns[k].put(i, c); grown != 0 {
		b.charge(grown)
	}
}

// AddEdge adds a relationship and returns its index. Its ends may be added later.
func (b *Builder) AddEdge(src, dst uint32, t TypeID) uint64 {
	r := b.list(t, 1)
	if r == nil {
		return b.edges
	}
	if b.Spilled() {
		b.spillEdges(r, []uint32{src}, []uint32{dst})
		return b.edges - 1
	}
	if len(r.src) == cap(r.src) || len(r.dst) == cap(r.dst) {
		if r.src, r.dst = grow(b, r.src, 1), grow(b, r.dst, 1); b.err != nil {
			return b.edges
		}
	}
	r.src, r.dst = append(r.src, src), append(r.dst, dst)
	b.edges++
	return b.edges - 1
}

// AddEdges adds relationships of one type, src[i] -> dst[i], and copies the slices. Their indices continue
// those given out before.
func (b *Builder) AddEdges(t TypeID, src, dst []uint32) {
	if len(src) != len(dst) {
		b.fail(errors.New("as many sources as targets are needed"))
		return
	}
	if len(src) == 0 {
		return
	}
	r := b.list(t, len(src))
	if r == nil {
		return
	}
	if b.Spilled() {
		b.spillEdges(r, src, dst)
		return
	}
	if r.src, r.dst = grow(b, r.src, len(src)), grow(b, r.dst, len(dst)); b.err != nil {
		return
	}
	r.src, r.dst = append(r.src, src...), append(r.dst, dst...)
	b.edges += uint64(len(src))
}

// list returns the list of t, ready for the next n indices; nil after an error.
func (b *Builder) list(t TypeID, n int) *relList {
	if int(t) >= len(b.rels) {
		b.fail(fmt.Errorf("relationship type %d was never named", t))
		return nil
	}
	b.pace(edgeBytes * n)
	r := &b.rels[t]
	if t != b.last {
		b.begin(r)
		b.last = t
	}
	if b.Spilled() && b.err != nil {
		return nil
	}
	return r
}

// DropRepeats makes Build leave out loops of type t and all but the first relationship of each (source, target).
func (b *Builder) DropRepeats(t TypeID) {
	if int(t) >= len(b.rels) {
		b.fail(fmt.Errorf("relationship type %d was never named", t))
		return
	}
	b.rels[t].simple = true
}

// External records the id that a source of data gave vertex v in one of its id spaces.
func (b *Builder) External(space string, v uint32, c Cell) {
	if !b.known(v) || b.err != nil {
		return
	}
	i, ok := b.spaces[space]
	if !ok {
		i = len(b.external)
		b.spaces[space] = i
		b.external = append(b.external, ExternalSpace{space, NewColumn(0)})
	}
	if grown := b.external[i].IDs.put(uint64(v), c); grown != 0 {
		b.charge(grown)
	}
}

// SetNodeID gives vertex v a stable id other than its index. These count only if every vertex is given one, once;
// else all keep their index. That ids are distinct Build checks.
func (b *Builder) SetNodeID(v uint32, id NodeID) {
	if !b.known(v) {
		return
	}
	if b.nodeIDs = reach(b, b.nodeIDs, uint64(v)); b.err != nil {
		return
	}
	b.nodeIDs[v] = id
	b.given[0]++
}

// SetRelID does for the relationship with index i what SetNodeID does for a vertex.
func (b *Builder) SetRelID(i uint64, id RelID) {
	if i >= b.edges {
		b.fail(fmt.Errorf("relationship %d of %d", i, b.edges))
		return
	}
	if b.relIDs = reach(b, b.relIDs, i); b.err != nil {
		return
	}
	b.relIDs[i] = id
	b.given[1]++
}
