package value

import (
	"encoding/binary"

	"github.com/motifql/motif/internal/csr"
)

// Values with nodes, relationships and paths, encoded for a process that has the same snapshot. They are numbers of that snapshot.
//
//	10 node         number
//	11 relationship number
//	12 path         count of relationships, numbers of nodes, numbers of relationships
const (
	tagNode byte = iota + 10
	tagRel
	tagPath
)

// AppendElements is Append for values that may hold nodes, relationships and paths.
func AppendElements(dst []byte, v Value) ([]byte, error) {
	return encoder{elements: true}.append(dst, v, 0)
}

// appendElement appends a node, a relationship or a path.
func appendElement(dst []byte, v Value) []byte {
	switch v.Kind() {
	case Node:
		return binary.AppendUvarint(append(dst, tagNode), uint64(v.Node()))
	case Rel:
		return binary.AppendUvarint(append(dst, tagRel), uint64(v.Rel()))
	}
	p := v.Path()
	dst = binary.AppendUvarint(append(dst, tagPath), uint64(len(p.Rels)))
	for _, v := range p.Nodes {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	for _, e := range p.Rels {
		dst = binary.AppendUvarint(dst, uint64(e))
	}
	return dst
}

// DecodeElements reads one value that AppendElements wrote for s, and returns the bytes behind it. Strings share the bytes of text. It never
// panics: bytes that AppendElements cannot have written give ErrEncoding.
func DecodeElements(text string, s *csr.Snapshot) (v Value, rest string, err error) {
	d := decoder{rest: text, elements: s}
	v, err = d.value(0)
	return v, d.rest, err
}

// element reads what appendElement wrote.
func (d *decoder) element(tag byte) (Value, error) {
	switch tag {
	case tagNode:
		v, err := d.node()
		return OfNode(v), err
	case tagRel:
		e, err := d.relationship()
		return OfRel(e), err
	case tagPath:
		n, err := d.count(2)
		if err != nil {
			return Value{}, err
		}
		p := &PathValue{Nodes: make([]csr.VertexID, n+1), Rels: make([]csr.EdgeID, n)}
		for i := range p.Nodes {
			if p.Nodes[i], err = d.node(); err != nil {
				return Value{}, err
			}
		}
		for i := range p.Rels {
			if p.Rels[i], err = d.relationship(); err != nil {
				return Value{}, err
			}
		}
		return OfPath(p), nil
	}
	return Value{}, ErrEncoding
}

func (d *decoder) node() (csr.VertexID, error) {
	n, err := d.uvarint()
	if err != nil || n >= d.elements.N() {
		return 0, ErrEncoding
	}
	return csr.VertexID(n), nil
}

func (d *decoder) relationship() (csr.EdgeID, error) {
	n, err := d.uvarint()
	if err != nil || !d.elements.HasEdge(csr.EdgeID(n)) {
		return 0, ErrEncoding
	}
	return csr.EdgeID(n), nil
}
