package exec

import (
	"cmp"
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// cliqueCount counts the cliques of one size, or of every size.
func cliqueCount(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	size, err := c.number("size", 1, 0)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		if c.perNode() {
			return nil, c.needs("size")
		}
		return c.everySize(g)
	}
	return c.cliquesOf(g, size)
}

// perNode reports whether the procedure gives a row for each node.
func (c *callStage) perNode() bool { return c.plan.Procedure.Column("node") >= 0 }

// needs returns the error for an option that is null.
func (c *callStage) needs(option string) error {
	return eval.At(c.plan.Args[len(c.plan.Args)-1].Position(),
		eval.Errorf(eval.CodeArgumentType, "%s needs the option `%s`, which is null", c.plan.Procedure.Name, option))
}

// everySize counts cliques up to the largest one, or up to the option maxSize.
func (c *callStage) everySize(g *graph) (source, error) {
	most, err := c.number("maxSize", 1, 0)
	if err != nil {
		return nil, err
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindCliqueSizes, Snapshot: g.s, Subgraph: &g.Subgraph, Size: int(min(most, int64(c.x.s.N())))})
	if err != nil {
		return nil, err
	}
	counts := a.Counts
	return func() (bool, error) {
		return each(max(0, len(counts)-1), func(i int) (bool, error) {
			n, err := c.count("cliques", counts[i+1])
			if err != nil {
				return false, err
			}
			return c.give(value.OfInt(int64(i+1)), n)
		})
	}, c.charge(len(counts), 16*int64(len(counts)))
}

// cliquesOf counts the cliques of a size, in all or for each node of g. Its rows have the procedure's columns among node,
// size and count.
func (c *callStage) cliquesOf(g *graph, size int64) (source, error) {
	if c.perNode() {
		return c.cliquesPerNode(g, size)
	}
	var total pattern.Count128
	if g.holds(size) {
		a, err := c.ask(&pattern.Request{Kind: pattern.KindCliqueCount, Snapshot: g.s, Clique: g.Clique(int(size))})
		if err != nil {
			return nil, err
		}
		total = a.Count
	}
	n, err := c.count("cliques", total)
	return func() (bool, error) {
		if c.plan.Procedure.Column("size") < 0 {
			return c.give(n)
		}
		return c.give(value.OfInt(size), n)
	}, err
}

func (c *callStage) cliquesPerNode(g *graph, size int64) (source, error) {
	by := make([]pattern.Count128, g.s.N())
	if g.holds(size) {
		a, err := c.ask(&pattern.Request{Kind: pattern.KindCliquesPerVertex, Snapshot: g.s, Clique: g.Clique(int(size))})
		if err != nil {
			return nil, err
		}
		by = a.Counts
	}
	return func() (bool, error) {
		return g.each(func(v csr.VertexID) (bool, error) {
			n, err := c.count("cliques", by[v])
			if err != nil {
				return false, err
			}
			if c.plan.Procedure.Column("size") < 0 {
				return c.give(value.OfNode(v), n)
			}
			return c.give(value.OfNode(v), value.OfInt(size), n)
		})
	}, c.charge(len(by), 16*int64(len(by)))
}

// cliques sends cliques over as it finds them, so that a consumer with enough of them stops the search.
func cliques(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	size, err := c.number("size", 1, 0)
	if err == nil && size == 0 {
		err = c.needs("size")
	}
	if err != nil {
		return nil, err
	}
	if !g.holds(size) {
		return func() (bool, error) { return true, nil }, nil
	}
	return c.sets(&pattern.Request{Kind: pattern.KindCliqueList, Snapshot: g.s, Clique: g.Clique(int(size))}), nil
}

func maximalCliques(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	size, err := c.number("minSize", 1, 1)
	if err != nil {
		return nil, err
	}
	if !g.holds(size) {
		return func() (bool, error) { return true, nil }, nil
	}
	return c.sets(&pattern.Request{Kind: pattern.KindMaximalCliques, Snapshot: g.s, Subgraph: &g.Subgraph, Size: int(size)}), nil
}

func maximumClique(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindMaximumClique, Snapshot: g.s, Subgraph: &g.Subgraph})
	found := a.Vertices
	if err != nil || len(found) == 0 {
		return func() (bool, error) { return true, nil }, err
	}
	return func() (bool, error) { return c.giveSet(found) }, c.charge(1, 4*int64(len(found)))
}

// sets gives a row for every vertex set that the device sends for r.
func (c *callStage) sets(r *pattern.Request) source {
	if c.streams(); c.recording {
		_, _ = c.ask(r)
	}
	list := func(ctx context.Context, emit func([]csr.VertexID) (bool, error)) error {
		one := *r
		one.Emit = emit
		_, err := c.x.device.Answer(ctx, &one, &c.env)
		return err
	}
	return func() (bool, error) {
		s := &stream{}
		return s.run(c.x.ctx, 2*max(1, c.env.Workers), func(ctx context.Context, s *stream) error {
			return explain(s.sets(ctx, list))
		}, func(p *packet) (bool, error) {
			at := 0
			return each(len(p.weights), func(i int) (bool, error) {
				set := p.vertices[at : at+int(p.weights[i])]
				at += len(set)
				return c.giveSet(set)
			})
		})
	}
}

// sets sends vertex sets in packets, small ones first so that the first row comes soon. Their sizes are the weights.
func (s *stream) sets(ctx context.Context, list func(context.Context, func([]csr.VertexID) (bool, error)) error) error {
	p, size := newPacket(), 1
	err := list(ctx, func(found []csr.VertexID) (bool, error) {
		p.vertices, p.weights = append(p.vertices, found...), append(p.weights, uint64(len(found)))
		if len(p.weights) < size {
			return true, nil
		}
		full := p
		p, size = newPacket(), min(2*size, packetOf)
		return s.send(full, uint64(len(full.weights))), nil
	})
	if err == nil {
		s.send(p, uint64(len(p.weights)))
	}
	return err
}

// giveSet gives a list of nodes by rising id, and its length if the procedure has a column for it.
func (c *callStage) giveSet(vertices []csr.VertexID) (bool, error) {
	nodes := value.Value{}
	if c.slots[0] >= 0 {
		slices.SortFunc(vertices, func(v, w csr.VertexID) int { return cmp.Compare(c.x.s.NodeID(v), c.x.s.NodeID(w)) })
		list := make([]value.Value, len(vertices))
		for i, v := range vertices {
			list[i] = value.OfNode(v)
		}
		nodes = value.OfList(list)
	}
	return c.give([]value.Value{nodes, value.OfInt(int64(len(vertices)))}[:len(c.slots)]...)
}
