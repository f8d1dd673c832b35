package csr

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// serials counts the snapshots that were asked for their number.
var serials atomic.Uint64

// Serial returns the number of a snapshot in this process. Whoever must recognise a snapshot later, and must not keep it in
// memory, keeps its number.
func Serial(s *Snapshot) uint64 {
	if n := s.serial.Load(); n > 0 {
		return n
	}
	s.serial.CompareAndSwap(0, serials.Add(1))
	return s.serial.Load()
}

// Shape is what a plan relies on in a snapshot: the names with their numbers, the indexes and constraints, which types have loops or
// parallel relationships, and every count of nodes or relationships up to a factor of two. Shapes are compared by ==. A Shape keeps
// no snapshot in memory. The zero Shape is that of no snapshot.
type Shape struct {
	labels, types, keys *Dict
	facts               string
}

// mostShaped bounds the names and the triples of labels and types of a snapshot that has a Shape: longer lists take longer to compare
// than a statement to plan.
const mostShaped = 2000

// ShapeOf returns the shape of a snapshot. ok is false if the graph has too many names.
func ShapeOf(s *Snapshot) (shape Shape, ok bool) {
	if x := s.shape.Load(); x != nil {
		return *x, x.labels != nil
	}
	st := s.Stats
	if len(st.LabelCount)+len(st.Types)+len(st.Triples)+len(st.Shared) <= mostShaped {
		shape = Shape{labels: s.Labels, types: s.Types, keys: s.Keys, facts: facts(s)}
	}
	s.shape.Store(&shape)
	return shape, shape.labels != nil
}

// facts writes down all of a Shape but the dictionaries. Of the triples it has the counts only, in order.
func facts(s *Snapshot) string {
	st := s.Stats
	size := func(n uint64) byte { return byte(bits.Len64(n)) }
	b := make([]byte, 0, 64+len(st.LabelCount)+5*len(st.Types)+8*len(st.Shared)+len(st.Triples))
	b = append(b, size(s.N()), size(s.M()))
	for _, n := range st.LabelCount {
		b = append(b, size(n))
	}
	for i := range st.Types {
		t := &st.Types[i]
		b = append(b, size(t.Edges), size(t.Loops), size(t.Sources), size(t.Targets), flags(t.Parallel, t.Reciprocal))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(st.Shared)))
	for _, pair := range st.Shared {
		b = binary.LittleEndian.AppendUint32(b, uint32(pair[0]))
		b = binary.LittleEndian.AppendUint32(b, uint32(pair[1]))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(st.Triples)))
	for i := range st.Triples {
		b = append(b, size(st.Triples[i].Count))
	}
	for _, list := range [][]Rule{s.Schema.Indexes, s.Schema.Constraints} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
		for i := range list {
			r := &list[i]
			b = append(b, byte(r.Kind), flags(r.OnRel, false))
			b = binary.LittleEndian.AppendUint32(b, uint32(len(r.Keys)))
			for _, text := range append([]string{r.Name, r.On, r.Type}, r.Keys...) {
				b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
				b = append(b, text...)
			}
		}
	}
	return string(b)
}

func flags(a, b bool) (f byte) {
	if a {
		f |= 1
	}
	if b {
		f |= 2
	}
	return f
}
