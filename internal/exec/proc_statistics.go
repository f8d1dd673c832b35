package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// visualization gives the labels, and the types by the labels that they join.
func visualization(c *callStage) (source, error) {
	s := c.x.s
	return func() (bool, error) {
		var nodes, rels []value.Value
		stats := s.Stats
		for l, n := range stats.LabelCount {
			if n > 0 {
				nodes = append(nodes, mapOf("name", value.OfString(s.Labels.Name(uint32(l))), "count", value.OfInt(int64(n))))
			}
		}
		for _, t := range stats.Triples {
			if t.Count > 0 {
				rels = append(rels, mapOf("name", value.OfString(s.Types.Name(uint32(t.Type))), "from", labelValue(s, t.Src), "to", labelValue(s, t.Dst),
					"count", value.OfInt(int64(t.Count))))
			}
		}
		return c.give(value.OfList(nodes), value.OfList(rels))
	}, nil
}

// labelValue is the name of a label; null for nodes without one.
func labelValue(s *csr.Snapshot, l csr.LabelID) value.Value {
	if int(l) >= s.Labels.Len() {
		return value.Value{}
	}
	return value.OfString(s.Labels.Name(uint32(l)))
}

// mapOf makes a map of keys and values in turn.
func mapOf(of ...any) value.Value {
	m := &value.MapValue{}
	for i := 0; i < len(of); i += 2 {
		m.Keys, m.Values = append(m.Keys, of[i].(string)), append(m.Values, of[i+1].(value.Value))
	}
	return value.OfMap(m)
}

// graphStatistics gives the sizes of the graph. Names count if an element has them.
func graphStatistics(c *callStage) (source, error) {
	s := c.x.s
	return func() (bool, error) {
		labels, types := &value.MapValue{}, &value.MapValue{}
		rels := uint64(0)
		for l, n := range s.Stats.LabelCount {
			if n > 0 {
				labels.Keys, labels.Values = append(labels.Keys, s.Labels.Name(uint32(l))), append(labels.Values, value.OfInt(int64(n)))
			}
		}
		for t := range s.Stats.Types {
			if n := s.Stats.Types[t].Edges; n > 0 {
				rels += n
				types.Keys, types.Values = append(types.Keys, s.Types.Name(uint32(t))), append(types.Values, value.OfInt(int64(n)))
			}
		}
		return c.give(value.OfInt(int64(len(labels.Keys))), value.OfInt(int64(len(types.Keys))), value.OfInt(int64(s.Keys.Len())), value.OfInt(int64(s.N())), value.OfInt(int64(rels)),
			value.OfMap(labels), value.OfMap(types))
	}, nil
}
