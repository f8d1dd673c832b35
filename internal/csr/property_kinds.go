package csr

import "slices"

// KindSet is a set of kinds of property values.
type KindSet uint8

// Has reports whether k is in the set.
func (s KindSet) Has(k Kind) bool { return s>>k&1 == 1 }

// kindsKey names a KindSet that a snapshot keeps.
type kindsKey struct {
	label LabelID
	key   KeyID
	rel   bool
}

func (k kindsKey) String() string { return "kinds of property values" }

// NodeKinds returns the kinds of the values that the vertices with a label have for a property, and of all vertices for
// NoLabel. It may name kinds of deleted values, but omits none that a vertex has. It reads no values where a chunk has one kind.
func (s *Snapshot) NodeKinds(label LabelID, key KeyID) KindSet {
	if int(key) >= len(s.VertexProps) || s.VertexProps[key] == nil {
		return 0
	}
	return s.Derived(kindsKey{label: label, key: key}, func() any {
		var set KindSet
		for i := range s.Classes {
			c := &s.Classes[i]
			if label == NoLabel || slices.Contains(c.Labels, label) {
				set |= s.VertexProps[key].kinds(uint64(c.Lo), uint64(c.Hi))
			}
		}
		return set
	}).(KindSet)
}

// RelationshipKinds is NodeKinds of all relationships.
func (s *Snapshot) RelationshipKinds(key KeyID) KindSet {
	if int(key) >= len(s.EdgeProps) || s.EdgeProps[key] == nil {
		return 0
	}
	return s.Derived(kindsKey{key: key, rel: true}, func() any {
		c := s.EdgeProps[key]
		return c.kinds(0, uint64(c.NumChunks())*ChunkLen)
	}).(KindSet)
}

// kinds returns the kinds of the cells of the elements from lo to hi, without hi.
func (c *Column) kinds(lo, hi uint64) (set KindSet) {
	if c.drafts != nil {
		return ^KindSet(0) // still being set: nothing is known
	}
	for at := lo / ChunkLen; at < uint64(len(c.chunks)) && at*ChunkLen < hi; at++ {
		kind, first := c.kindOf(int(at)), at*ChunkLen
		if kind == 0 || kind != KindMixed && set.Has(kind) {
			continue
		}
		from, to := max(lo, first)-first, min(hi-first, ChunkLen)
		set |= c.Chunk(int(at)).kinds(int(from), int(to))
	}
	return set
}

// kinds returns the kinds of the cells from slot from to slot to, without to.
func (c *Chunk) kinds(from, to int) (set KindSet) {
	for slot := from; slot < to; slot++ {
		if slot&63 == 0 && c.Present[slot>>6] == 0 {
			slot += 63
			continue
		}
		if c.Present[slot>>6]>>(slot&63)&1 == 0 {
			continue
		}
		if c.Kind != KindMixed {
			return 1 << c.Kind
		}
		cell, _ := c.Get(slot)
		set |= 1 << cell.Kind
	}
	return set
}
