package csr

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/motifql/motif/internal/workgroup"
)

// Indexes find the vertices of a label by a property. A snapshot makes one when it is first asked, and the snapshots
// after it go on with it: what has changed since is sorted into small parts beside it, merged so that there are few. An
// entry says that a node had a value at some time; whether it has it still is looked up in the snapshot.

// LookupOp is how an index is asked.
type LookupOp uint8

const (
	LookupEqual LookupOp = iota + 1
	LookupLess           // at most, that is: the index does not tell numbers apart that are one as float64
	LookupGreater
	LookupPrefix // strings that start with one
)

type indexKey struct {
	label LabelID
	key   KeyID
}

// index is the part that one snapshot holds of an index.
type index struct {
	once  workgroup.Once
	parts []*indexPart // nil until made
}

// indexPart is entries by value, each list sorted.
type indexPart struct {
	numbers entries[float64]
	strings entries[string]
	bools   [2][]NodeID
	n       int
}

type entries[T float64 | string] []entry[T]

type entry[T float64 | string] struct {
	value T
	id    NodeID
}

func (p *indexPart) add(c Cell, id NodeID) {
	switch c.Kind {
	case KindInt, KindFloat:
		if f := c.number(); f == f { // NaN equals nothing
			p.numbers = append(p.numbers, entry[float64]{f, id})
		}
	case KindString:
		p.strings = append(p.strings, entry[string]{c.Str, id})
	case KindBool:
		p.bools[c.Num&1] = append(p.bools[c.Num&1], id)
	default:
		return
	}
	p.n++
}

func (c Cell) number() float64 {
	if c.Kind == KindInt {
		return float64(int64(c.Num))
	}
	return math.Float64frombits(c.Num)
}

func (l entries[T]) sort() {
	slices.SortFunc(l, func(a, b entry[T]) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return compare(a.id, b.id)
	})
}

func (p *indexPart) sort() *indexPart {
	p.numbers.sort()
	p.strings.sort()
	return p
}

// merged is the entries of both.
func (p *indexPart) merged(o *indexPart) *indexPart {
	out := &indexPart{numbers: slices.Concat(p.numbers, o.numbers), strings: slices.Concat(p.strings, o.strings), n: p.n + o.n}
	for i := range out.bools {
		out.bools[i] = slices.Concat(p.bools[i], o.bools[i])
	}
	return out.sort()
}

// between is the entries from the first that is not below lo to the last for which in holds.
func (l entries[T]) between(lo T, in func(T) bool) entries[T] {
	l = l[sort.Search(len(l), func(i int) bool { return l[i].value >= lo }):]
	return l[:sort.Search(len(l), func(i int) bool { return !in(l[i].value) })]
}

// find appends the ids of the entries for which an operation holds.
func (p *indexPart) find(ids []NodeID, op LookupOp, c Cell) []NodeID {
	switch c.Kind {
	case KindInt, KindFloat:
		x, lo := c.number(), c.number()
		if op == LookupLess {
			lo = math.Inf(-1)
		}
		for _, e := range p.numbers.between(lo, func(f float64) bool { return op == LookupGreater || f <= x }) {
			ids = append(ids, e.id)
		}
	case KindString:
		lo := c.Str
		if op == LookupLess {
			lo = ""
		}
		for _, e := range p.strings.between(lo, func(s string) bool { return c.admitsString(op, s) }) {
			ids = append(ids, e.id)
		}
	case KindBool:
		ids = append(ids, p.bools[c.Num&1]...)
	}
	return ids
}

func (c Cell) admitsString(op LookupOp, s string) bool {
	switch op {
	case LookupEqual:
		return s == c.Str
	case LookupLess:
		return s <= c.Str
	case LookupGreater:
		return s >= c.Str
	}
	return strings.HasPrefix(s, c.Str)
}

// admits reports whether a property's cell answers the comparison with c.
func (c Cell) admits(op LookupOp, have Cell) bool {
	switch {
	case c.Kind == KindString:
		return have.Kind == KindString && c.admitsString(op, have.Str)
	case c.Kind == KindBool:
		return have == c
	case have.Kind != KindInt && have.Kind != KindFloat:
		return false
	}
	x, y := c.number(), have.number()
	return x == y || op == LookupLess && y < x || op == LookupGreater && y > x
}

// answerable reports whether indexes can be asked for c.
func (c Cell) answerable(op LookupOp) bool {
	switch c.Kind {
	case KindInt, KindFloat:
		return op != LookupPrefix
	case KindString:
		return true
	}
	return c.Kind == KindBool && op == LookupEqual
}

// Indexed reports whether there is an index, or a constraint that needs one, on a property of the nodes of a label.
func (s *Snapshot) Indexed(label LabelID, key KeyID) bool {
	if int(label) >= s.Labels.Len() || int(key) >= s.Keys.Len() {
		return false
	}
	on, name := s.Labels.Name(uint32(label)), s.Keys.Name(uint32(key))
	is := func(r Rule) bool {
		return !r.OnRel && r.Kind != RuleExists && r.Kind != RuleType && r.On == on && slices.Contains(r.Keys, name)
	}
	return slices.ContainsFunc(s.Schema.Indexes, is) || slices.ContainsFunc(s.Schema.Constraints, is)
}

// Lookup uses an index. It returns, rising, the vertices of a label whose property compares with c as op says. It does not
// tell numbers apart that are equal as float64, and its "less" and "greater" include equal values. ok is false if there is
// no such index, if an index cannot answer for such a value, or if it may find more than atMost vertices.
func (s *Snapshot) Lookup(label LabelID, key KeyID, op LookupOp, c Cell, atMost int) (list []VertexID, ok bool) {
	if !c.answerable(op) || !s.Indexed(label, key) {
		return nil, false
	}
	if c.Kind == KindFloat && c.number() != c.number() {
		return nil, true // NaN
	}
	var ids []NodeID
	for _, p := range s.index(indexKey{label, key}) {
		if ids = p.find(ids, op, c); len(ids) > 2*atMost {
			return nil, false
		}
	}
	for _, id := range ids {
		v, there := s.VertexByNodeID(id)
		if !there || !s.HasLabel(v, label) {
			continue
		}
		if have, has := s.VertexProp(v, key); has && c.admits(op, have) {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return list, len(list) <= atMost
}

// index returns the parts of an index, made on demand.
func (s *Snapshot) index(key indexKey) []*indexPart {
	s.mu.Lock()
	if s.indexes == nil {
		s.indexes = make(map[indexKey]*index)
	}
	x := s.indexes[key]
	if x == nil {
		x = &index{}
		s.indexes[key] = x
	}
	s.mu.Unlock()
	x.once.Do(func() {
		defer s.Deriving("index on :" + s.Labels.Name(uint32(key.label)) + "(" + s.Keys.Name(uint32(key.key)) + ")")()
		part := &indexPart{}
		for i := range s.Classes {
			c := &s.Classes[i]
			if _, has := slices.BinarySearch(c.Labels, key.label); !has {
				continue
			}
			for v := c.Lo; v < c.Hi; v++ {
				if cell, ok := s.VertexProp(v, key.key); ok {
					part.add(cell, s.NodeID(v))
				}
			}
		}
		s.mu.Lock()
		x.parts = []*indexPart{part.sort()}
		s.mu.Unlock()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return x.parts
}

// indexes hands the indexes of the base on to its successor s, with what has changed. The draft still stands on the
// base; m says where its vertices are in s.
func (d *Draft) indexes(s *Snapshot, m *Remap) {
	b := d.base
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, x := range b.indexes {
		if x.parts == nil || !s.Indexed(key.label, key.key) {
			continue
		}
		part := &indexPart{}
		note := func(v VertexID, n *nodeDraft) {
			at, ok := m.Vertex(v)
			if !ok || !s.HasLabel(at, key.label) {
				return
			}
			cell, set := n.props.get(key.key)
			if !set {
				cell, _ = s.VertexProp(at, key.key)
			}
			part.add(cell, n.id)
		}
		for v, n := range d.nodes {
			if n.relabelled || n.props.find(key.key) >= 0 { // else it is in the index as it is
				note(v, n)
			}
		}
		for i, n := range d.newNodes {
			note(VertexID(b.N()+uint64(i)), n)
		}
		next := &index{parts: x.parts}
		next.once.Do(func() {})
		if part.n > 0 {
			part.sort()
			at := len(x.parts)
			for at > 0 && x.parts[at-1].n < 2*part.n {
				at--
				part = x.parts[at].merged(part)
			}
			next.parts = append(slices.Clone(x.parts[:at]), part)
		}
		if s.indexes == nil {
			s.indexes = make(map[indexKey]*index)
		}
		s.indexes[key] = next
	}
}
