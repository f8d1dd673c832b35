package eval

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// GraphReader reads nodes and relationships for expressions. A writing clause reads the draft, so that each row sees what
// earlier rows did. Reading what the clause itself deleted is an error.
type GraphReader interface {
	NodeID(v csr.VertexID) csr.NodeID
	RelID(e csr.EdgeID) csr.RelID
	NodeByID(id csr.NodeID) (v csr.VertexID, ok bool)
	Labels(v csr.VertexID) ([]string, error)
	TypeName(e csr.EdgeID) string
	Endpoints(e csr.EdgeID) (from, to csr.VertexID)
	NodeProp(v csr.VertexID, key string) (csr.Cell, error) // the zero Cell: there is no such property
	RelProp(e csr.EdgeID, key string) (csr.Cell, error)
	NodeProps(v csr.VertexID) ([]csr.Prop, error)
	RelProps(e csr.EdgeID) ([]csr.Prop, error)
}

// settled reads a snapshot.
type settled struct{ *csr.Snapshot }

func (s settled) NodeByID(id csr.NodeID) (csr.VertexID, bool) { return s.VertexByNodeID(id) }
func (s settled) TypeName(e csr.EdgeID) string                { return s.Types.Name(uint32(s.TypeOf(e))) }
func (s settled) NodeProps(v csr.VertexID) ([]csr.Prop, error) {
	return s.all(s.VertexProps, uint64(v)), nil
}
func (s settled) RelProps(e csr.EdgeID) ([]csr.Prop, error) {
	return s.all(s.EdgeProps, uint64(e)), nil
}
func (s settled) RelProp(e csr.EdgeID, key string) (csr.Cell, error) {
	return s.get(s.EdgeProps, key, uint64(e)), nil
}
func (s settled) NodeProp(v csr.VertexID, key string) (csr.Cell, error) {
	return s.get(s.VertexProps, key, uint64(v)), nil
}

func (s settled) get(columns []*csr.Column, key string, i uint64) csr.Cell {
	if k, ok := s.Keys.Lookup(key); ok && int(k) < len(columns) {
		return cellOf(columns[k], i)
	}
	return csr.Cell{}
}

// all returns the properties of element i in the order of the key dictionary.
func (s settled) all(columns []*csr.Column, i uint64) (props []csr.Prop) {
	for key, col := range columns {
		if cell, ok := col.Get(i); ok {
			props = append(props, csr.Prop{Key: s.Keys.Name(uint32(key)), Value: cell})
		}
	}
	return props
}

func (s settled) Labels(v csr.VertexID) ([]string, error) {
	ids := s.LabelsOf(v)
	names := make([]string, len(ids))
	for i, l := range ids {
		names[i] = s.Snapshot.Labels.Name(uint32(l))
	}
	return names, nil
}

// codeDeleted marks an error about a deleted element.
const codeDeleted = "EntityNotFound.DeletedEntityAccess"

func Gone(what string) error {
	return &Error{Code: codeDeleted, Msg: what + " of a node or a relationship that this query has deleted",
		Hint: "read it in a WITH before the DELETE"}
}

// Absent reports whether v is null or deleted. A pattern that starts there has no matches, which is no error.
func Absent(v value.Value) bool { return v.IsNull() || v.Kind() == value.Deleted }

// admits evaluates a label expression for an element with these names.
func admits(x *lang.LabelExpr, names []string) bool {
	switch x.Op {
	case lang.LabelName:
		return slices.Contains(names, x.Name)
	case lang.LabelAny:
		return len(names) > 0
	case lang.LabelNot:
		return !admits(x.Args[0], names)
	case lang.LabelAnd:
		return !slices.ContainsFunc(x.Args, func(a *lang.LabelExpr) bool { return !admits(a, names) })
	}
	return slices.ContainsFunc(x.Args, func(a *lang.LabelExpr) bool { return admits(a, names) })
}
