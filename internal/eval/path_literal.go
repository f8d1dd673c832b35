package eval

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// pathOf compiles a path of alternating nodes and relationships; a null among them makes it null. A list of relationships
// may stand for one of them.
func (c *Compiler) pathOf(x *lang.Call) (Closure, error) {
	fns, _, err := c.CompileAll(x.Args)
	if err != nil {
		return Closure{}, err
	}
	rt := c.Runtime
	return Closure{Fn: func(e *Input) (value.Value, error) {
		p := &value.PathValue{Nodes: make([]csr.VertexID, 0, len(fns)/2+1), Rels: make([]csr.EdgeID, 0, len(fns)/2)}
		for i, fn := range fns {
			v, err := fn(e)
			switch {
			case err != nil || v.IsNull():
				return value.Value{}, err
			case i == 0 && v.Kind() == value.Node:
				p.Nodes = append(p.Nodes, v.Node())
			case i%2 == 0 && v.Kind() == value.Node: // the relationship led here
			case i%2 == 1 && v.Kind() == value.Rel:
				rt.follow(p, v.Rel())
			case i%2 == 1 && v.Kind() == value.List:
				for _, r := range v.List() {
					if r.Kind() != value.Rel {
						return value.Value{}, At(x.Pos, Gone("a path"))
					}
					rt.follow(p, r.Rel())
				}
			case v.Kind() == value.Deleted:
				return value.Value{}, At(x.Pos, Gone("a path"))
			default:
				return value.Value{}, At(x.Pos, Errorf(CodeArgumentType, "%s cannot be part of a path", Describe(v)))
			}
		}
		return value.OfPath(p), nil
	}}, nil
}

// follow extends a path from its last node along a relationship.
func (rt *Runtime) follow(p *value.PathValue, e csr.EdgeID) {
	from, to := rt.graph().Endpoints(e)
	if from != p.Nodes[len(p.Nodes)-1] {
		to = from
	}
	p.Nodes, p.Rels = append(p.Nodes, to), append(p.Rels, e)
}
