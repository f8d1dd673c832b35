package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// write replaces degrees, which read the rows of the graph, by numbers.
func (c *Column) write(s *csr.Snapshot, rows int) {
	if c.Kind == DegreeColumn {
		*c = Column{Kind: FloatColumn, Floats: c.AppendFloats(nil, s, rows)}
	}
}

// Touch reads what a batch of rows refers to in the graph, column by column or row by row: what is decoded late is decoded then, and damage is found. The
// caller turns panics into errors.
func Touch(s *csr.Snapshot, rows int, columns []Column, values []value.Value) {
	for i := range columns {
		columns[i].write(s, rows)
		for at := range rows {
			if c := &columns[i]; c.Kind == NodePropertyColumn || c.Kind == RelPropertyColumn {
				c.Cell(at)
			}
			touch(s, columns[i].Value(s, at))
		}
	}
	for _, v := range values {
		touch(s, v)
	}
}

// touch reads the ids, the ends and the properties of the elements in v.
func touch(s *csr.Snapshot, v value.Value) {
	switch v.Kind() {
	case value.List:
		for _, x := range v.List() {
			touch(s, x)
		}
	case value.Map:
		for _, x := range v.Map().Values {
			touch(s, x)
		}
	case value.Node:
		touchNode(s, v.Node())
	case value.Rel:
		touchRel(s, v.Rel())
	case value.Path:
		for _, n := range v.Path().Nodes {
			touchNode(s, n)
		}
		for _, e := range v.Path().Rels {
			touchRel(s, e)
		}
	}
}

func touchNode(s *csr.Snapshot, v csr.VertexID) {
	s.NodeID(v)
	for k := range s.VertexProps {
		s.VertexProp(v, csr.KeyID(k))
	}
}

func touchRel(s *csr.Snapshot, e csr.EdgeID) {
	s.RelID(e)
	src, dst := s.Endpoints(e)
	s.NodeID(src)
	s.NodeID(dst)
	for k := range s.EdgeProps {
		s.EdgeProp(e, csr.KeyID(k))
	}
}
