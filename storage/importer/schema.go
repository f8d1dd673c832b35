package importer

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// Schema is what a load found: the labels, the relationship types, and the properties of each, in the order of the files.
type Schema struct {
	Labels []ElementSchema // nodes with several labels count under each; those without one under the name ""
	Types  []ElementSchema
}

// ElementSchema describes the nodes of a label, or the relationships of a type.
type ElementSchema struct {
	Name       string
	Count      uint64
	Ends       []EndSchema // of a type, the most frequent first
	Properties []PropertySchema
}

// EndSchema counts the relationships of a type between two labels; "" stands for nodes without a label.
type EndSchema struct {
	From, To string
	Count    uint64
}

// PropertySchema says how many elements have a property, and the types of its values as headers write them.
type PropertySchema struct {
	Key   string
	Types []string
	Count uint64
}

// mostProperties is how many pairs of a name and a property a Schema describes.
const mostProperties = 1 << 16

// schemaOf describes a graph that was just built.
func schemaOf(s *csr.Data) (schema Schema) {
	schema.Labels = make([]ElementSchema, s.Labels.Len()+1)
	for i := range s.Labels.Len() {
		schema.Labels[i].Name = s.Labels.Name(uint32(i))
	}
	unlabelled := s.Labels.Len()
	nodes := make([]part, 0, len(s.Classes))
	for _, c := range s.Classes {
		p := part{lo: uint64(c.Lo), hi: uint64(c.Hi), of: []int{unlabelled}}
		if len(c.Labels) > 0 {
			p.of = p.of[:0]
		}
		for _, l := range c.Labels {
			p.of = append(p.of, int(l))
		}
		nodes = append(nodes, p)
	}
	describe(s, schema.Labels, nodes, s.VertexProps)
	schema.Labels = slices.DeleteFunc(schema.Labels, func(e ElementSchema) bool { return e.Count == 0 })
	schema.Types = make([]ElementSchema, len(s.Rels))
	var rels []part
	for i := range s.Rels {
		r := &s.Rels[i]
		schema.Types[i].Name = s.Types.Name(uint32(i))
		rels = append(rels, part{uint64(r.First), uint64(r.First) + s.Stats.Types[i].Edges, []int{i}})
	}
	describe(s, schema.Types, rels, s.EdgeProps)
	name := func(l csr.LabelID) string {
		if l == csr.NoLabel {
			return ""
		}
		return s.Labels.Name(uint32(l))
	}
	for _, t := range s.Stats.Triples {
		ends := &schema.Types[t.Type].Ends
		*ends = append(*ends, EndSchema{name(t.Src), name(t.Dst), t.Count})
	}
	for i := range schema.Types {
		slices.SortStableFunc(schema.Types[i].Ends, func(a, b EndSchema) int { return cmp.Compare(b.Count, a.Count) })
	}
	return schema
}

// part is a run of elements, and the names under which they count.
type part struct {
	lo, hi uint64
	of     []int
}

// describe counts elements and their properties.
func describe(s *csr.Data, to []ElementSchema, parts []part, columns []*csr.Column) {
	for _, p := range parts {
		for _, i := range p.of {
			to[i].Count += p.hi - p.lo
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.lo, b.lo) })
	described := 0
	for k, column := range columns {
		if column == nil {
			continue
		}
		found := make(map[int]*PropertySchema)
		for at := range column.NumChunks() {
			chunk := column.Chunk(at)
			if chunk == nil {
				continue
			}
			eachPart(parts, uint64(at)*csr.ChunkLen, func(p part, a, b int) {
				n := present(chunk, a, b)
				if n == 0 {
					return
				}
				types := typesIn(chunk, a, b)
				for _, i := range p.of {
					if found[i] == nil {
						found[i] = &PropertySchema{Key: s.Keys.Name(uint32(k))}
					}
					found[i].add(n, types)
				}
			})
		}
		if described += len(found); described > mostProperties {
			return
		}
		for i, p := range found {
			to[i].Properties = append(to[i].Properties, *p)
		}
	}
}

// eachPart calls visit for each part that has elements in the chunk that begins at lo. Its slots there are from a up to b.
func eachPart(parts []part, lo uint64, visit func(p part, a, b int)) {
	hi := lo + csr.ChunkLen
	first, _ := slices.BinarySearchFunc(parts, lo, func(p part, lo uint64) int {
		if p.hi <= lo {
			return -1
		}
		return 1
	})
	for _, p := range parts[first:] {
		if p.lo >= hi {
			return
		}
		visit(p, int(max(p.lo, lo)-lo), int(min(p.hi, hi)-lo))
	}
}

func (p *PropertySchema) add(n int, types []string) {
	p.Count += uint64(n)
	for _, t := range types {
		if !slices.Contains(p.Types, t) {
			p.Types = append(p.Types, t)
		}
	}
}

// present counts the elements of a chunk from slot a up to b that have a value.
func present(c *csr.Chunk, a, b int) (n int) {
	for w := a >> 6; w<<6 < b; w++ {
		word := c.Present[w]
		if w == a>>6 {
			word &= ^uint64(0) << (a & 63)
		}
		if b < (w+1)<<6 {
			word &= 1<<(b&63) - 1
		}
		n += bits.OnesCount64(word)
	}
	return n
}

// typesIn names the types of the values from slot a up to b, of which there are some. Of encoded values, such as dates, it looks at
// the first; of a chunk with values of several kinds, at all.
func typesIn(c *csr.Chunk, a, b int) (types []string) {
	for slot := a; slot < b; slot++ {
		cell, ok := c.Get(slot)
		if !ok {
			continue
		}
		if t := typeOfCell(cell); !slices.Contains(types, t) {
			types = append(types, t)
		}
		if c.Kind != csr.KindMixed {
			break
		}
	}
	return types
}

func typeOfCell(c csr.Cell) string {
	switch c.Kind {
	case csr.KindInt:
		return "int"
	case csr.KindFloat:
		return "float"
	case csr.KindBool:
		return "boolean"
	case csr.KindString:
		return "string"
	}
	v := value.OfCell(c)
	if v.Kind() == value.List {
		return "list"
	}
	return v.TypeName()
}
