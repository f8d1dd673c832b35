package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// meta is the record "meta" of an epoch: the sizes that opening needs before it reads anything else.
type meta struct {
	vertices, edges    uint64
	nextNode, nextRel  uint64
	nodeIDs, relIDs    bool // stable ids are stored; else they are the dense numbers
	types              []typeMeta
	vertexKeys, spaces int // lengths of csr.Data.VertexProps and External
	edgeKeys           int
	blocks             [lastEpochKind + 1]uint64 // blocks of each kind from kindAdjacency on
}

// typeMeta is the shape of the base CSR of one relationship type.
type typeMeta struct {
	lo, offsets uint64 // csr.Rels.Lo and the length of its Offsets
	edges       uint64
}

func newMeta(d *csr.Data) *meta {
	m := &meta{
		vertices: d.Vertices, edges: d.Edges,
		nextNode: uint64(d.NextNode), nextRel: uint64(d.NextRel),
		nodeIDs: d.StoredNodeIDs() != nil, relIDs: d.StoredRelIDs() != nil,
		vertexKeys: len(d.VertexProps), edgeKeys: len(d.EdgeProps), spaces: len(d.External),
	}
	for i := range d.Rels {
		m.types = append(m.types, shapeOf(d.Rels[i].Ready()))
	}
	return m
}

func (m *meta) encode() []byte {
	dst := []byte(nil)
	put := func(xs ...uint64) {
		for _, x := range xs {
			dst = binary.AppendUvarint(dst, x)
		}
	}
	flag := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	put(m.vertices, m.edges, m.nextNode, m.nextRel, flag(m.nodeIDs), flag(m.relIDs))
	put(uint64(m.vertexKeys), uint64(m.edgeKeys), uint64(m.spaces))
	put(m.blocks[kindAdjacency:]...)
	put(uint64(len(m.types)))
	for _, t := range m.types {
		put(t.lo, t.offsets, t.edges)
	}
	return dst
}

func decodeMeta(payload []byte) (*meta, error) {
	c := cursor{b: payload}
	m := &meta{
		vertices: c.limited(csr.MaxVertices, "vertices"), edges: c.uvarint(),
		nextNode: c.uvarint(), nextRel: c.uvarint(),
		nodeIDs: c.limited(1, "flags") == 1, relIDs: c.limited(1, "flags") == 1,
		vertexKeys: int(c.limited(math.MaxUint32, "property keys")), edgeKeys: int(c.limited(math.MaxUint32, "property keys")),
		spaces: int(c.limited(math.MaxUint32, "id spaces")),
	}
	for kind := kindAdjacency; kind <= lastEpochKind; kind++ {
		m.blocks[kind] = c.uvarint()
	}
	m.types = make([]typeMeta, c.count())
	sum := uint64(0)
	for i := range m.types {
		t := typeMeta{lo: c.limited(m.vertices, "vertices"), offsets: c.limited(m.vertices+1, "offsets"), edges: c.limited(m.edges-sum, "relationships")}
		if t.edges > 0 && t.offsets == 0 {
			c.fail(errors.New("relationships without sources"))
		}
		m.types[i] = t
		sum += t.edges
	}
	if sum != m.edges {
		c.fail(fmt.Errorf("%d relationships by type but %d in all", sum, m.edges))
	}
	return m, c.end()
}

// complete sees that as many blocks are there as were written.
func (m *meta) complete(list *contents) error {
	for kind := kindAdjacency; kind <= lastEpochKind; kind++ {
		if list.blocks[kind] != m.blocks[kind] {
			return fmt.Errorf("%d blocks of %s where %d were written", list.blocks[kind], kindWords[kind], m.blocks[kind])
		}
	}
	return nil
}

// plausible sees that the blocks can hold what m announces, before anything is allocated by it: a relationship takes
// at least a byte, a stable id is one of a block of csr.ChunkLen.
func (m *meta) plausible(list *contents) error {
	bytes := list.bytes[kindAdjacency]
	if m.edges > bytes {
		return fmt.Errorf("%d relationships in %d bytes", m.edges, bytes)
	}
	ids := uint64(0)
	if m.nodeIDs {
		ids += m.vertices
	}
	if m.relIDs {
		ids += m.edges
	}
	if columns := list.blocks[kindColumn]; ids > columns*csr.ChunkLen {
		return fmt.Errorf("%d stable ids in %d blocks", ids, columns)
	}
	return m.affordable(list)
}

// A sparse graph takes more memory than its blocks: vertices without relationships and properties take next to none in the store.
// Graphs that take more than sparseBytes, and bytesPerStored times what is stored, are refused: no use of Motif makes them.
const (
	sparseBytes    = 1 << 30
	bytesPerStored = 4096
)

// affordable sees that opening takes no memory out of proportion to the blocks.
func (m *meta) affordable(list *contents) error {
	need := 8 * float64(m.vertices) // queries keep as much now and then
	for _, t := range m.types {
		need += 8 * float64(t.offsets)
	}
	need += 8 * float64(chunks(m.vertices)) * float64(m.spaces)
	for i := range list.refs {
		k := &list.refs[i].blockKey
		if k.kind != kindColumn || i > 0 && list.refs[i-1].kind == kindColumn && list.refs[i-1].column == k.column && list.refs[i-1].group == k.group {
			continue
		}
		switch k.column { // each column is a table of chunks
		case columnVertex:
			need += 8 * float64(chunks(m.vertices))
		case columnEdge:
			need += 8 * float64(chunks(m.edges))
		}
	}
	if most := sparseBytes + bytesPerStored*float64(list.total); need > most {
		return fmt.Errorf("%d nodes with %d columns and %d types would take %.0f MiB of memory, from %d bytes", m.vertices, m.vertexKeys+m.edgeKeys+m.spaces, len(m.types), need/(1<<20), list.total)
	}
	if total := memoryTotal(); total > 0 && need > float64(total) {
		return fmt.Errorf("the graph takes %.0f MiB of memory, this machine has %d MiB", need/(1<<20), total>>20)
	}
	return nil
}

// memoryTotal is the memory of the machine in bytes; 0 where the system does not tell.
func memoryTotal() uint64 {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
			kib, _ := strconv.ParseUint(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

var kindWords = [...]string{kindMeta: "records", kindAdjacency: "relationships", kindColumn: "properties and ids",
	kindLabel: "label bitmaps", kindLookup: "external id lookup", kindExternal: "external ids"}

// encodeDict encodes the record "dict": labels, types, property keys and names of external id spaces.
func encodeDict(d *csr.Data) []byte {
	dst := []byte(nil)
	for _, list := range dictLists(d) {
		dst = binary.AppendUvarint(dst, uint64(len(list)))
		for _, name := range list {
			dst = appendString(dst, name)
		}
	}
	return dst
}

func dictLists(d *csr.Data) [4][]string {
	var spaces []string
	for _, x := range d.External {
		spaces = append(spaces, x.Name)
	}
	return [...][]string{d.Labels.Names(), d.Types.Names(), d.Keys.Names(), spaces}
}

func decodeDict(payload []byte) (*names, error) {
	c := cursor{b: payload}
	var lists [4][]string
	for i := range lists {
		list := make([]string, c.count())
		for j := range list {
			list[j] = c.str()
		}
		lists[i] = list
	}
	n := &names{labels: lists[0], types: lists[1], keys: lists[2], spaces: lists[3]}
	if err := c.end(); err != nil {
		return nil, err
	}
	for _, list := range lists {
		if csr.NewDict(list...).Len() != len(list) {
			return nil, errors.New("a name occurs twice")
		}
	}
	return n, nil
}

// encodeClasses encodes the record "classes": for every class its length and its labels.
func encodeClasses(classes []csr.Class) []byte {
	dst := binary.AppendUvarint(nil, uint64(len(classes)))
	for i := range classes {
		dst = binary.AppendUvarint(dst, uint64(classes[i].Len()))
		dst = binary.AppendUvarint(dst, uint64(len(classes[i].Labels)))
		for _, l := range classes[i].Labels {
			dst = binary.AppendUvarint(dst, uint64(l))
		}
	}
	return dst
}

func decodeClasses(payload []byte) ([]csr.Class, error) {
	c := cursor{b: payload}
	classes := make([]csr.Class, c.count())
	next := csr.VertexID(0)
	for i := range classes {
		hi := next + csr.VertexID(c.limited(csr.MaxVertices-uint64(next), "vertices"))
		labels := make([]csr.LabelID, c.count())
		for j := range labels {
			labels[j] = csr.LabelID(c.limited(math.MaxUint32, "labels"))
		}
		classes[i] = csr.Class{Labels: labels, Range: csr.Range{Lo: next, Hi: hi}}
		next = hi
	}
	return classes, c.end()
}

// encodeStats encodes the record "stats".
func encodeStats(s *csr.Stats) []byte {
	dst := []byte(nil)
	put := func(xs ...uint64) {
		for _, x := range xs {
			dst = binary.AppendUvarint(dst, x)
		}
	}
	put(uint64(s.Degeneracy), uint64(len(s.LabelCount)))
	put(s.LabelCount...)
	put(uint64(len(s.Types)))
	for _, t := range s.Types {
		put(t.Edges, t.Sources, t.Targets, t.MaxOut, t.MaxIn, t.Loops)
		for _, wedges := range [...]float64{t.OutOut, t.InIn, t.InOut} {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(wedges))
		}
		flags := uint64(0)
		if t.Parallel {
			flags |= 1
		}
		if t.Reciprocal {
			flags |= 2
		}
		put(flags)
	}
	put(uint64(len(s.Shared)))
	for _, p := range s.Shared {
		put(uint64(p[0]), uint64(p[1]))
	}
	put(uint64(len(s.Triples)))
	for _, t := range s.Triples {
		put(uint64(t.Src), uint64(t.Type), uint64(t.Dst), t.Count)
	}
	return dst
}

func decodeStats(payload []byte) (*csr.Stats, error) {
	c := cursor{b: payload}
	id := func() uint32 { return uint32(c.limited(math.MaxUint32, "labels or types")) }
	s := &csr.Stats{Degeneracy: id()}
	s.LabelCount = make([]uint64, c.count())
	for i := range s.LabelCount {
		s.LabelCount[i] = c.uvarint()
	}
	s.Types = make([]csr.TypeStat, c.count())
	for i := range s.Types {
		t := &s.Types[i]
		t.Edges, t.Sources, t.Targets = c.uvarint(), c.uvarint(), c.uvarint()
		t.MaxOut, t.MaxIn, t.Loops = c.uvarint(), c.uvarint(), c.uvarint()
		for _, wedges := range [...]*float64{&t.OutOut, &t.InIn, &t.InOut} {
			*wedges = math.Float64frombits(c.uint64())
		}
		flags := c.limited(3, "flags")
		t.Parallel, t.Reciprocal = flags&1 != 0, flags&2 != 0
	}
	for range c.count() {
		s.Shared = append(s.Shared, [2]csr.TypeID{csr.TypeID(id()), csr.TypeID(id())})
	}
	for range c.count() {
		s.Triples = append(s.Triples, csr.Triple{Src: csr.LabelID(id()), Type: csr.TypeID(id()), Dst: csr.LabelID(id()), Count: c.uvarint()})
	}
	return s, c.end()
}
