package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

func kcore(c *callStage) (source, error) {
	s, r, err := c.coreRequest()
	if err != nil {
		return nil, err
	}
	k, err := c.level(1)
	if err != nil {
		return nil, err
	}
	if k != pattern.KMax {
		r.K = k
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindCores, Snapshot: s, Cores: r})
	if err != nil {
		return nil, err
	}
	cores := a.Cores
	if r.K > 0 {
		return func() (bool, error) {
			return each(len(cores.Members), func(i int) (bool, error) {
				return c.give(value.OfNode(cores.Members[i]), value.OfInt(int64(r.K)))
			})
		}, c.charge(len(cores.Members), 4*int64(len(cores.Members)))
	}
	core := intsOf(func(v csr.VertexID) int64 { return int64(cores.Core[v]) })
	if k != pattern.KMax {
		return vertexRows(c, len(cores.Core), listOf(r.Within), core), c.charge(len(cores.Core), 4*int64(len(cores.Core)))
	}
	g := &graph{s: s, Subgraph: pattern.Subgraph{Within: r.Within}}
	return func() (bool, error) {
		return g.each(func(v csr.VertexID) (bool, error) {
			if cores.Core[v] < cores.Degeneracy {
				return true, nil
			}
			return c.give(value.OfNode(v), value.OfInt(int64(cores.Core[v])))
		})
	}, c.charge(len(cores.Core), 4*int64(len(cores.Core)))
}

// coreRequest reads the options of algo.kcore except k, and returns the snapshot they mean.
func (c *callStage) coreRequest() (*csr.Snapshot, *pattern.CoreRequest, error) {
	g, err := c.graph("OUT", "IN")
	if err != nil {
		return nil, nil, err
	}
	r := &pattern.CoreRequest{Types: g.Types, Within: g.Within, Direction: g.direction}
	word, err := c.word("variant", "auto", "bz", "park", "rlcore", "escore")
	if err == nil && word != "" {
		r.Variant, err = pattern.ParseCoreVariant(word)
	}
	return g.s, r, err
}

func ktruss(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	k, err := c.level(2)
	if err != nil {
		return nil, err
	}
	r := &pattern.TrussRequest{Types: g.Types, Within: g.Within, K: k, Returned: true}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindTrusses, Snapshot: g.s, Trusses: r})
	if err != nil {
		return nil, err
	}
	t := a.Trusses
	c.lent = &t.Loan
	return func() (bool, error) {
		return each(len(t.Truss), func(i int) (bool, error) {
			v, w := t.Source[i], t.Target[i]
			if c.x.s.NodeID(v) > c.x.s.NodeID(w) {
				v, w = w, v
			}
			return c.give(value.OfNode(v), value.OfNode(w), value.OfInt(int64(t.Truss[i])))
		})
	}, c.charge(len(t.Truss), 12*int64(len(t.Truss)))
}

func components(c *callStage) (source, error) {
	g, err := c.graph("OUT")
	if err != nil {
		return nil, err
	}
	r := &pattern.ComponentRequest{Types: g.Types, Within: g.Within, Strong: g.direction == csr.Out}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindComponents, Snapshot: g.s, Components: r})
	if err != nil {
		return nil, err
	}
	found := a.Components
	name := nameComponents(g.s, found)
	return vertexRows(c, len(found.Of), listOf(g.Within), intsOf(func(v csr.VertexID) int64 { return name[found.Of[v]] })),
		c.charge(len(found.Of), 4*int64(len(found.Of))+12*int64(len(name)))
}
