package exec

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// procedures has the code of every procedure in lang.Procedures.
var procedures = map[string]procedure{
	"db.labels":            names(func(s *csr.Snapshot) *csr.Dict { return s.Labels }),
	"db.relationshipTypes": names(func(s *csr.Snapshot) *csr.Dict { return s.Types }),
	"db.propertyKeys":      names(func(s *csr.Snapshot) *csr.Dict { return s.Keys }),
	"db.procedures":        listProcedures,
	"algo.kcore":           kcore,
	"algo.ktruss":          ktruss,
	"algo.triangleCount":   triangleCount,
	"algo.bfs":             bfs,
	"algo.shortestPath":    shortestPath,
	"algo.cliqueCount":     cliqueCount,
	"algo.cliques":         cliques,
}

// names lists a dictionary.
func names(of func(*csr.Snapshot) *csr.Dict) procedure {
	return func(c *callStage) (source, error) {
		list := of(c.x.s).Names()
		return func() (bool, error) {
			return each(len(list), func(i int) (bool, error) { return c.give(value.OfString(list[i])) })
		}, nil
	}
}

func listProcedures(c *callStage) (source, error) {
	return func() (bool, error) {
		return each(len(lang.Procedures), func(i int) (bool, error) {
			p := &lang.Procedures[i]
			return c.give(value.OfString(p.Name), value.OfString(p.Signature()), value.OfString(p.Help))
		})
	}, nil
}

// each calls row for 0 to n-1, until no more are wanted.
func each(n int, row func(i int) (more bool, err error)) (more bool, err error) {
	for i := range n {
		if more, err = row(i); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func kcore(c *callStage) (source, error) {
	types, err := c.types()
	if err != nil {
		return nil, err
	}
	cores, err := c.x.device.Cores(c.x.ctx, c.x.s, &pattern.CoreRequest{Types: types, Direction: csr.Both}, &c.env)
	if err != nil {
		return nil, err
	}
	core := cores.Core
	return func() (bool, error) {
		return each(len(core), func(v int) (bool, error) {
			return c.give(value.OfNode(csr.VertexID(v)), value.OfInt(int64(core[v])))
		})
	}, c.hold(len(core), 4*int64(len(core)))
}

func ktruss(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	k, err := c.truss()
	if err != nil {
		return nil, err
	}
	t, err := c.x.device.Trusses(c.x.ctx, g.s, &pattern.TrussRequest{Types: g.types, K: k}, &c.env)
	if err != nil {
		return nil, err
	}
	return func() (bool, error) {
		return each(len(t.Truss), func(i int) (bool, error) {
			v, w := t.Source[i], t.Target[i]
			if c.x.s.NodeID(v) > c.x.s.NodeID(w) {
				v, w = w, v
			}
			return c.give(value.OfNode(v), value.OfNode(w), value.OfInt(int64(t.Truss[i])))
		})
	}, c.hold(len(t.Truss), 12*int64(len(t.Truss)))
}

// traversal reads what the procedures that follow relationships have in common: where from, and the options.
func (c *callStage) traversal() (t *pattern.Traversal, err error) {
	t = &pattern.Traversal{}
	if t.Sources, err = c.vertices(0); err != nil {
		return nil, err
	}
	if t.Types, err = c.types(); err != nil {
		return nil, err
	}
	if t.Direction, err = c.direction(); err != nil {
		return nil, err
	}
	if t.Blocked, err = c.blocked(); err != nil {
		return nil, err
	}
	depth, err := c.number("maxDepth", 0, -1)
	t.MaxDepth = int(min(depth, math.MaxInt32))
	return t, err
}

func bfs(c *callStage) (source, error) {
	t, err := c.traversal()
	if err != nil {
		return nil, err
	}
	l, err := c.x.device.BFS(c.x.ctx, c.x.s, t, &c.env)
	if err != nil {
		return nil, err
	}
	return func() (bool, error) {
		return each(len(l.Depth), func(v int) (bool, error) {
			if l.Depth[v] < 0 {
				return true, nil
			}
			parent := value.Value{}
			if p := l.Parent[v]; p != csr.NoVertex {
				parent = value.OfNode(p)
			}
			return c.give(value.OfNode(csr.VertexID(v)), value.OfInt(int64(l.Depth[v])), parent)
		})
	}, c.hold(len(l.Depth), 8*int64(len(l.Depth)))
}

func triangleCount(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	perNode := c.plan.Procedure.Column("node") >= 0
	total, by, err := c.x.device.Triangles(c.x.ctx, g.s, g.types, perNode, &c.env)
	if err != nil {
		return nil, err
	}
	if !perNode {
		n, err := c.count("triangles", pattern.Count(total))
		return func() (bool, error) { return c.give(n) }, err
	}
	return func() (bool, error) {
		return each(len(by), func(v int) (bool, error) {
			n, err := c.count("triangles", pattern.Count(by[v]))
			if err != nil {
				return false, err
			}
			return c.give(value.OfNode(csr.VertexID(v)), n)
		})
	}, c.hold(len(by), 8*int64(len(by)))
}

// count is a number as an integer of the language; of what, an error says if it does not fit.
func (c *callStage) count(what string, total pattern.Count128) (value.Value, error) {
	n, ok := total.Int64()
	if !ok {
		err := overflow("the number of %s, %v,", what, total).(*Error)
		err.Pos, err.Hint = c.plan.Pos, "count a part of the graph, with the options label and types"
		return value.Value{}, err
	}
	return value.OfInt(n), nil
}

// clique reads the options of the clique procedures; nil where the graph has too few nodes for one.
func (c *callStage) clique() (*graph, *pattern.Clique, error) {
	g, err := c.graph()
	if err != nil {
		return nil, nil, err
	}
	size, err := c.number("size", 1, 0)
	if err == nil && size == 0 {
		err = at(c.plan.Args[0].Position(), fail(codeArgumentType, "%s needs the option `size`, which is null", c.plan.Procedure.Name))
	}
	if err != nil {
		return nil, nil, err
	}
	set, err := c.labelled()
	if err != nil || uint64(size) > g.s.N() || set != nil && int(size) > set.Len() {
		return nil, nil, err
	}
	return g, &pattern.Clique{K: int(size), Types: g.types, Sets: []*pattern.CandidateSet{set}, Sizes: []int{int(size)}}, nil
}

func cliqueCount(c *callStage) (source, error) {
	g, clique, err := c.clique()
	if err != nil {
		return nil, err
	}
	var total pattern.Count128
	if clique != nil {
		if total, err = c.x.device.CountCliques(c.x.ctx, g.s, clique, &c.env); err != nil {
			return nil, err
		}
	}
	n, err := c.count("cliques", total)
	return func() (bool, error) { return c.give(n) }, err
}

// cliques sends them over as they are found, so that whoever has had enough stops the search.
func cliques(c *callStage) (source, error) {
	g, clique, err := c.clique()
	if err != nil {
		return nil, err
	}
	if clique == nil {
		return func() (bool, error) { return true, nil }, nil
	}
	return func() (bool, error) {
		s := &stream{}
		return s.run(c.x.ctx, 2*max(1, c.env.Workers), func(ctx context.Context, s *stream) error {
			return explain(s.cliques(ctx, c, g, clique))
		}, func(p *packet) (bool, error) {
			return each(len(p.vertices)/clique.K, func(i int) (bool, error) {
				return c.give(c.nodes(p.vertices[i*clique.K : (i+1)*clique.K]))
			})
		})
	}, nil
}

// cliques sends the cliques in packets, small ones first, for a quick first row.
func (s *stream) cliques(ctx context.Context, c *callStage, g *graph, clique *pattern.Clique) error {
	p, size := newPacket(), 1
	err := c.x.device.ListCliques(ctx, g.s, clique, &c.env, func(found []csr.VertexID) (bool, error) {
		p.vertices = append(p.vertices, found...)
		if len(p.vertices) < size*clique.K {
			return true, nil
		}
		full := p
		p, size = newPacket(), min(2*size, packetOf)
		return s.send(full, uint64(len(full.vertices)/clique.K)), nil
	})
	if err == nil {
		s.send(p, uint64(len(p.vertices)/clique.K))
	}
	return err
}

// nodes is a list of nodes, by rising id.
func (c *callStage) nodes(vertices []csr.VertexID) value.Value {
	if c.slots[0] < 0 {
		return value.Value{}
	}
	slices.SortFunc(vertices, func(v, w csr.VertexID) int { return cmp.Compare(c.x.s.NodeID(v), c.x.s.NodeID(w)) })
	list := make([]value.Value, len(vertices))
	for i, v := range vertices {
		list[i] = value.OfNode(v)
	}
	return value.OfList(list)
}
