package csr

import (
	"hash/maphash"
	"slices"
)

// distinctKey names an answer of DistinctValues that a snapshot keeps.
type distinctKey struct {
	key     KeyID
	classes string // a byte for each: 1 if its vertices count
}

func (k distinctKey) String() string { return "whether the values of a property differ" }

// DistinctValues reports whether each vertex whose labels admits accepts has a value for key, all of them integers or all of them strings,
// and no two of them the same one. Then vertices differ exactly where their values do. The answer is kept: only the first call for a set of
// labels reads the values.
func DistinctValues(s *Snapshot, key KeyID, admits func(labels []LabelID) bool) bool {
	if int(key) >= len(s.VertexProps) || s.VertexProps[key] == nil {
		return false
	}
	classes := make([]byte, len(s.Classes))
	for i := range s.Classes {
		if c := &s.Classes[i]; !isGap(c) && admits(c.Labels) {
			classes[i] = 1
		}
	}
	return s.Derived(distinctKey{key, string(classes)}, func() any { return distinctValues(s, s.VertexProps[key], classes) }).(bool)
}

func distinctValues(s *Snapshot, column *Column, classes []byte) bool {
	kind, seed := Kind(0), maphash.MakeSeed()
	var values []uint64
	for i := range s.Classes {
		if classes[i] == 0 {
			continue
		}
		for v := s.Classes[i].Lo; v < s.Classes[i].Hi; v++ {
			cell, ok := column.Get(uint64(v))
			if !ok || cell.Kind != KindInt && cell.Kind != KindString || kind != 0 && cell.Kind != kind {
				return false
			}
			if kind = cell.Kind; kind == KindString {
				cell.Num = maphash.String(seed, cell.Str) // equal hashes of different strings would only lose a chance
			}
			values = append(values, cell.Num)
		}
	}
	slices.Sort(values)
	return len(slices.Compact(values)) == len(values)
}
