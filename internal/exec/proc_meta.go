package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// namedElements is what apoc.meta says of the elements of one label or one type.
type namedElements struct {
	name  string
	isRel bool
	n     uint64
	uses  []propertyUse // by key
	out   []uint64      // of a label, by type: how many relationships leave the nodes
}

// countElements goes through the graph once.
func countElements(c *callStage) ([]namedElements, error) {
	s := c.x.s
	list := make([]namedElements, s.Labels.Len()+s.Types.Len())
	for i := range list {
		e := &list[i]
		if e.isRel = i >= s.Labels.Len(); e.isRel {
			e.name = s.Types.Name(uint32(i - s.Labels.Len()))
		} else {
			e.name = s.Labels.Name(uint32(i))
		}
		e.uses = make([]propertyUse, s.Keys.Len())
	}
	for i := range s.Classes {
		class := &s.Classes[i]
		for v := class.Lo; v < class.Hi; v++ {
			if v%4096 == 0 && c.x.ctx.Err() != nil {
				return nil, c.x.ctx.Err()
			}
			for _, l := range class.Labels {
				list[l].n++
			}
			for k := range s.Keys.Len() {
				if cell, ok := s.VertexProp(v, csr.KeyID(k)); ok {
					for _, l := range class.Labels {
						list[l].uses[k].note(cell)
					}
				}
			}
		}
	}
	n := 0
	for e := range s.AllEdges() {
		if n++; n%4096 == 0 && c.x.ctx.Err() != nil {
			return nil, c.x.ctx.Err()
		}
		of := &list[s.Labels.Len()+int(s.TypeOf(e))]
		of.n++
		from, _ := s.Endpoints(e)
		for _, l := range s.LabelsOf(from) {
			if list[l].out == nil {
				list[l].out = make([]uint64, s.Types.Len())
			}
			list[l].out[s.TypeOf(e)]++
		}
		for k := range of.uses {
			if cell, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
				of.uses[k].note(cell)
			}
		}
	}
	return slices.DeleteFunc(list, func(e namedElements) bool { return e.n == 0 }), nil
}

// kind is the word of apoc.meta for what e describes.
func (e *namedElements) kind() string {
	if e.isRel {
		return "relationship"
	}
	return "node"
}

// typeOf is the type of the values, ANY if there are several.
func (u *propertyUse) typeOf() string {
	if len(u.types) > 1 {
		return "ANY"
	}
	for name := range u.types {
		return name
	}
	return "NULL"
}

// ends lists the labels that relationships of a type lead to from nodes of a label.
func ends(s *csr.Snapshot, label string, t csr.TypeID) (labels []string) {
	for _, x := range s.Stats.Triples {
		src, dst := labelValue(s, x.Src), labelValue(s, x.Dst)
		if x.Count > 0 && x.Type == t && !src.IsNull() && src.Str() == label && !dst.IsNull() {
			labels = append(labels, dst.Str())
		}
	}
	return labels
}

func metaData(c *callStage) (source, error) {
	list, err := countElements(c)
	s := c.x.s
	return func() (bool, error) {
		return each(len(list), func(i int) (bool, error) {
			e := &list[i]
			for k := range e.uses {
				u := &e.uses[k]
				if u.n == 0 {
					continue
				}
				more, err := c.give(value.OfString(e.name), value.OfString(s.Keys.Name(uint32(k))), value.OfInt(int64(u.n)), value.OfString(u.typeOf()),
					value.OfBool(u.typeOf() == "LIST"), value.OfString(e.kind()), texts(nil))
				if err != nil || !more {
					return more, err
				}
			}
			return each(len(e.out), func(t int) (bool, error) {
				if e.out[t] == 0 {
					return true, nil
				}
				return c.give(value.OfString(e.name), value.OfString(s.Types.Name(uint32(t))), value.OfInt(int64(e.out[t])), value.OfString("RELATIONSHIP"), value.OfBool(true),
					value.OfString(e.kind()), texts(ends(s, e.name, csr.TypeID(t))))
			})
		})
	}, err
}

func metaSchema(c *callStage) (source, error) {
	list, err := countElements(c)
	s := c.x.s
	all := &value.MapValue{}
	for i := range list {
		e := &list[i]
		props, rels := &value.MapValue{}, &value.MapValue{}
		for k := range e.uses {
			u := &e.uses[k]
			if u.n == 0 {
				continue
			}
			key := s.Keys.Name(uint32(k))
			has := func(kinds ...csr.RuleKind) value.Value { return value.OfBool(hasRule(s, e, key, kinds...)) }
			props.Keys = append(props.Keys, key)
			props.Values = append(props.Values, mapOf("type", value.OfString(u.typeOf()), "indexed", has(csr.RuleIndex, csr.RuleUnique, csr.RuleKey),
				"unique", has(csr.RuleUnique, csr.RuleKey), "existence", has(csr.RuleExists, csr.RuleKey)))
		}
		entry := []any{"type", value.OfString(e.kind()), "count", value.OfInt(int64(e.n)), "properties", value.OfMap(props)}
		if !e.isRel {
			for t, n := range e.out {
				if n > 0 {
					rels.Keys = append(rels.Keys, s.Types.Name(uint32(t)))
					rels.Values = append(rels.Values, mapOf("direction", value.OfString("out"), "count", value.OfInt(int64(n)), "labels", texts(ends(s, e.name, csr.TypeID(t)))))
				}
			}
			entry = append(entry, "relationships", value.OfMap(rels))
		}
		all.Keys, all.Values = append(all.Keys, e.name), append(all.Values, mapOf(entry...))
	}
	return func() (bool, error) { return c.give(value.OfMap(all)) }, err
}

// hasRule reports whether an index or a constraint of one of the kinds is on a property alone.
func hasRule(s *csr.Snapshot, e *namedElements, key string, kinds ...csr.RuleKind) bool {
	return slices.ContainsFunc(slices.Concat(s.Schema.Indexes, s.Schema.Constraints), func(r csr.Rule) bool {
		return r.OnRel == e.isRel && r.On == e.name && len(r.Keys) == 1 && r.Keys[0] == key && slices.Contains(kinds, r.Kind)
	})
}
