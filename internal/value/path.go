package value

import (
	"cmp"
	"encoding/binary"

	"github.com/motifql/motif/internal/csr"
)

// PathValue is a walk: Rels[i] joins Nodes[i] and Nodes[i+1], in whichever direction it has, so that there is one node more
// than relationships.
type PathValue struct {
	Nodes []csr.VertexID
	Rels  []csr.EdgeID
}

// OfPath takes ownership of p.
func OfPath(p *PathValue) Value { return Value{0, p} }

// Path is for values of kind Path only.
func (v Value) Path() *PathValue { return v.ref.(*PathValue) }

// Elements are the nodes and relationships by turns, as openCypher compares paths.
func (p *PathValue) Elements() []Value {
	list := make([]Value, 0, len(p.Nodes)+len(p.Rels))
	for i, v := range p.Nodes {
		if i > 0 {
			list = append(list, OfRel(p.Rels[i-1]))
		}
		list = append(list, OfNode(v))
	}
	return list
}

// comparePaths orders as lists of the elements are ordered, without making them.
func (o Ordering) comparePaths(a, b *PathValue) int {
	for i := range min(len(a.Nodes), len(b.Nodes)) {
		if i > 0 {
			if c := o.Compare(OfRel(a.Rels[i-1]), OfRel(b.Rels[i-1])); c != 0 {
				return c
			}
		}
		if c := o.Compare(OfNode(a.Nodes[i]), OfNode(b.Nodes[i])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.Nodes), len(b.Nodes))
}

func appendPathKey(dst []byte, p *PathValue) []byte {
	dst = binary.AppendUvarint(append(dst, keyPath), uint64(len(p.Nodes)))
	for i, v := range p.Nodes {
		if i > 0 {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(p.Rels[i-1]))
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return dst
}
