package exec

import (
	"cmp"
	"context"
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
	"algo.bfs":             bfs,
	"algo.cliqueCount":     cliqueCount,
	"algo.cliques":         cliques,
}

// names lists a dictionary.
func names(of func(*csr.Snapshot) *csr.Dict) procedure {
	return func(c *callStage, _ value.Value) (source, error) {
		list := of(c.x.s).Names()
		return func() (bool, error) {
			return each(len(list), func(i int) (bool, error) { return c.give(value.OfString(list[i])) })
		}, nil
	}
}

func listProcedures(c *callStage, _ value.Value) (source, error) {
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

func kcore(c *callStage, _ value.Value) (source, error) {
	types, err := c.types()
	if err != nil {
		return nil, err
	}
	core, _, err := c.x.device.Cores(c.x.ctx, c.x.s, types, &c.env)
	if err != nil {
		return nil, err
	}
	return func() (bool, error) {
		return each(len(core), func(v int) (bool, error) {
			return c.give(value.OfNode(csr.VertexID(v)), value.OfInt(int64(core[v])))
		})
	}, c.hold(len(core), 4*int64(len(core)))
}

func ktruss(c *callStage, _ value.Value) (source, error) {
	types, err := c.types()
	if err != nil {
		return nil, err
	}
	k, err := c.truss()
	if err != nil {
		return nil, err
	}
	t, err := c.x.device.Trusses(c.x.ctx, c.x.s, types, k, &c.env)
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

func bfs(c *callStage, start value.Value) (source, error) {
	t := &pattern.Traversal{}
	var err error
	if t.Sources, err = c.vertices(start); err != nil {
		return nil, err
	}
	if t.Types, err = c.types(); err != nil {
		return nil, err
	}
	if t.Direction, err = c.direction(); err != nil {
		return nil, err
	}
	depth, err := c.number("maxDepth", 0, -1)
	if err != nil {
		return nil, err
	}
	t.MaxDepth = int(depth)
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

// clique reads the options of the clique procedures; nil where the graph has too few nodes for one.
func (c *callStage) clique() (*pattern.Clique, error) {
	types, err := c.types()
	if err != nil {
		return nil, err
	}
	size, err := c.number("size", 1, 0)
	if err == nil && size == 0 {
		err = at(c.plan.Args[0].Position(), fail(codeArgumentType, "%s needs the option `size`, which is null", c.plan.Procedure.Name))
	}
	if err != nil {
		return nil, err
	}
	set, err := c.labelled()
	if err != nil || uint64(size) > c.x.s.N() || set != nil && int(size) > set.Len() {
		return nil, err
	}
	return &pattern.Clique{K: int(size), Types: types, Sets: []*pattern.CandidateSet{set}, Sizes: []int{int(size)}}, nil
}

// labelled is the set of vertices that have the label of the option label; nil without one.
func (c *callStage) labelled() (*pattern.CandidateSet, error) {
	o := c.option("label")
	if o == nil {
		return nil, nil
	}
	if o.value.Kind() != value.String {
		return nil, o.wrong("a string", o.value)
	}
	var list []csr.VertexID
	if label, ok := c.x.s.Labels.Lookup(o.value.Str()); ok {
		for _, class := range c.x.s.Classes {
			if !slices.Contains(class.Labels, csr.LabelID(label)) {
				continue
			}
			for v := class.Lo; v < class.Hi; v++ {
				list = append(list, v)
			}
		}
	}
	return pattern.NewCandidateSet(c.x.s.N(), list), nil
}

func cliqueCount(c *callStage, _ value.Value) (source, error) {
	clique, err := c.clique()
	if err != nil {
		return nil, err
	}
	var total pattern.Count128
	if clique != nil {
		if total, err = c.x.device.CountCliques(c.x.ctx, c.x.s, clique, &c.env); err != nil {
			return nil, err
		}
	}
	n, ok := total.Int64()
	if !ok {
		return nil, overflow("the number of cliques, %v,", total)
	}
	return func() (bool, error) { return c.give(value.OfInt(n)) }, nil
}

// cliques sends them over as they are found, so that whoever has had enough stops the search.
func cliques(c *callStage, _ value.Value) (source, error) {
	clique, err := c.clique()
	if err != nil {
		return nil, err
	}
	if clique == nil {
		return func() (bool, error) { return true, nil }, nil
	}
	return func() (bool, error) {
		s := &stream{}
		return s.run(c.x.ctx, 2*max(1, c.env.Workers), func(ctx context.Context, s *stream) error {
			return explain(s.cliques(ctx, c, clique))
		}, func(p *packet) (bool, error) {
			return each(len(p.vertices)/clique.K, func(i int) (bool, error) {
				return c.give(c.nodes(p.vertices[i*clique.K : (i+1)*clique.K]))
			})
		})
	}, nil
}

// cliques sends the cliques in packets, small ones first, for a quick first row.
func (s *stream) cliques(ctx context.Context, c *callStage, clique *pattern.Clique) error {
	p, size := newPacket(), 1
	err := c.x.device.ListCliques(ctx, c.x.s, clique, &c.env, func(found []csr.VertexID) (bool, error) {
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
