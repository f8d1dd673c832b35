package motif

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// Node is a node as a query returns it. ID is what id() gives: assigned once, kept for the node's life.
type Node struct {
	ID     uint64
	Labels []string
	Props  map[string]any
}

// Relationship is a relationship as a query returns it. Start and End are ids of nodes.
type Relationship struct {
	ID         uint64
	Type       string
	Start, End uint64
	Props      map[string]any
}

// Path is a path as a query returns it. Relationships[i] joins Nodes[i] and Nodes[i+1], from either of them to the other:
// there is one node more than relationships.
type Path struct {
	Nodes         []Node
	Relationships []Relationship
}

// fromValue turns a runtime value into what users see: nil, bool, int64, float64, string, []any, map[string]any,
// Node, Relationship, Path or a Temporal.
func fromValue(s *csr.Snapshot, v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.Bool()
	case value.Int:
		return v.Int()
	case value.Float:
		return v.Float()
	case value.String:
		return v.Str()
	case value.List:
		list := make([]any, len(v.List()))
		for i, x := range v.List() {
			list[i] = fromValue(s, x)
		}
		return list
	case value.Map:
		m := v.Map()
		out := make(map[string]any, len(m.Keys))
		for i, k := range m.Keys {
			out[k] = fromValue(s, m.Values[i])
		}
		return out
	case value.Node:
		return nodeOf(s, v.Node())
	case value.Rel:
		return relOf(s, v.Rel())
	case value.Path:
		return pathOf(s, v.Path())
	case value.Deleted:
		return deletedOf(v.Deleted())
	case value.Temporal:
		return fromTemporal(v)
	}
	return nil
}

// deletedOf is what a row shows of an element that its query has deleted: the id and, of a relationship, the type.
func deletedOf(d *value.DeletedValue) any {
	if d.Rel {
		return Relationship{ID: d.ID, Type: d.Type, Props: map[string]any{}}
	}
	return Node{ID: d.ID, Labels: []string{}, Props: map[string]any{}}
}

func pathOf(s *csr.Snapshot, p *value.PathValue) Path {
	out := Path{Nodes: make([]Node, len(p.Nodes)), Relationships: make([]Relationship, len(p.Rels))}
	for i, v := range p.Nodes {
		out.Nodes[i] = nodeOf(s, v)
	}
	for i, e := range p.Rels {
		out.Relationships[i] = relOf(s, e)
	}
	return out
}

func nodeOf(s *csr.Snapshot, v csr.VertexID) Node {
	n := Node{ID: uint64(s.NodeID(v)), Labels: []string{}, Props: map[string]any{}}
	for _, l := range s.LabelsOf(v) {
		n.Labels = append(n.Labels, s.Labels.Name(uint32(l)))
	}
	for k := range s.VertexProps {
		if c, ok := s.VertexProp(v, csr.KeyID(k)); ok {
			n.Props[s.Keys.Name(uint32(k))] = fromValue(s, value.OfCell(c))
		}
	}
	return n
}

func relOf(s *csr.Snapshot, e csr.EdgeID) Relationship {
	from, to := s.Endpoints(e)
	r := Relationship{ID: uint64(s.RelID(e)), Type: s.Types.Name(uint32(s.TypeOf(e))), Props: map[string]any{},
		Start: uint64(s.NodeID(from)), End: uint64(s.NodeID(to))}
	for k := range s.EdgeProps {
		if c, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
			r.Props[s.Keys.Name(uint32(k))] = fromValue(s, value.OfCell(c))
		}
	}
	return r
}

// toValue turns a parameter into a runtime value.
func toValue(x any) (value.Value, error) {
	switch x := x.(type) {
	case nil:
		return value.Value{}, nil
	case bool:
		return value.OfBool(x), nil
	case string:
		return value.OfString(x), nil
	}
	if v, known, err := toTemporal(x); known {
		return v, err
	}
	r := reflect.ValueOf(x)
	switch r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return value.OfInt(r.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if r.Uint() > math.MaxInt64 {
			return value.Value{}, fmt.Errorf("%d does not fit a 64-bit integer", r.Uint())
		}
		return value.OfInt(int64(r.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return value.OfFloat(r.Float()), nil
	case reflect.Bool:
		return value.OfBool(r.Bool()), nil
	case reflect.String:
		return value.OfString(r.String()), nil
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return value.Value{}, nil
		}
		return toValue(r.Elem().Interface())
	case reflect.Slice, reflect.Array:
		return listValue(r)
	case reflect.Map:
		return mapValue(r)
	}
	return value.Value{}, fmt.Errorf("a %T cannot be a query parameter", x)
}

func listValue(r reflect.Value) (value.Value, error) {
	list := make([]value.Value, r.Len())
	for i := range list {
		v, err := toValue(r.Index(i).Interface())
		if err != nil {
			return value.Value{}, fmt.Errorf("element %d: %w", i, err)
		}
		list[i] = v
	}
	return value.OfList(list), nil
}

func mapValue(r reflect.Value) (value.Value, error) {
	if r.Type().Key().Kind() != reflect.String {
		return value.Value{}, fmt.Errorf("a %s cannot be a query parameter: map keys must be strings", r.Type())
	}
	keys := r.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	m := &value.MapValue{}
	for _, k := range keys {
		v, err := toValue(r.MapIndex(k).Interface())
		if err != nil {
			return value.Value{}, fmt.Errorf("key %q: %w", k.String(), err)
		}
		m.Keys = append(m.Keys, k.String())
		m.Values = append(m.Values, v)
	}
	return value.OfMap(m), nil
}
