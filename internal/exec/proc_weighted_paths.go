package exec

import (
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// distances gives the nodes that can be reached, with the sum of weights on the shortest path.
func distances(c *callStage) (source, error) {
	r := new(pattern.WeightedPathRequest)
	var err error
	if r.Sources, err = c.vertices(0); err != nil {
		return nil, err
	}
	if r.Network, err = c.network(); err != nil {
		return nil, err
	}
	lengths(&r.Network, false)
	a, err := c.askNetwork(&pattern.Request{Kind: pattern.KindDistances, Snapshot: c.x.s, WeightedPath: r})
	if err != nil {
		return nil, err
	}
	d := a.Distances
	if err := c.charge(len(d.Dist), 12*int64(len(d.Dist))); err != nil {
		return nil, err
	}
	list, err := verticesWhere(c, len(d.Dist), func(v csr.VertexID) bool { return !math.IsInf(d.Dist[v], 1) })
	return vertexRows(c, len(d.Dist), list, floatsBy(d.Dist), nodesOf(d.Parent)), err
}

// kShortestPaths gives the paths of the least cost between two nodes.
func kShortestPaths(c *callStage) (source, error) {
	r, err := pathRequest(c)
	if err != nil {
		return nil, err
	}
	k, err := c.number("k", 1, 1)
	if err != nil || r == nil {
		return func() (bool, error) { return true, nil }, err
	}
	r.K = int(min(k, math.MaxInt32))
	return weightedPaths(c, pattern.KindWeightedPaths, r)
}

// pathRequest reads two nodes and the options of a network; nil without a node.
func pathRequest(c *callStage) (r *pattern.WeightedPathRequest, err error) {
	r = new(pattern.WeightedPathRequest)
	for i := range 2 {
		list, err := c.vertices(i)
		switch {
		case err != nil:
			return nil, err
		case len(list) == 0:
			return nil, nil
		case len(list) > 1:
			return nil, eval.At(c.plan.Args[i].Position(), eval.Errorf(eval.CodeArgumentValue, "%s takes one node here, not %d", c.plan.Procedure.Name, len(list)))
		case i == 0:
			r.Sources = list
		default:
			r.Target = list[0]
		}
	}
	if r.Network, err = c.network(); err != nil {
		return nil, err
	}
	lengths(&r.Network, false)
	return r, nil
}

// weightedPaths gives the paths that the device finds, with their costs.
func weightedPaths(c *callStage, kind pattern.RequestKind, r *pattern.WeightedPathRequest) (source, error) {
	a, err := c.askNetwork(&pattern.Request{Kind: kind, Snapshot: c.x.s, WeightedPath: r})
	if err != nil {
		return nil, err
	}
	bytes := int64(0)
	paths := make([]value.Value, len(a.WeightedPaths))
	for i, p := range a.WeightedPaths {
		if paths[i], err = lightest(c.x.s, p.Vertices, &r.Network); err != nil {
			return nil, err
		}
		bytes += paths[i].Bytes()
	}
	return func() (bool, error) {
		return each(len(paths), func(i int) (bool, error) {
			return c.give(paths[i], value.OfFloat(a.WeightedPaths[i].Cost))
		})
	}, c.charge(len(paths), bytes)
}

// lightest joins nodes by relationships of the least weight. Among several the smallest id wins.
func lightest(s *csr.Snapshot, nodes []csr.VertexID, n *pattern.Network) (value.Value, error) {
	p := &value.PathValue{Nodes: nodes}
	var between []csr.EdgeID
	for i := 1; i < len(nodes); i++ {
		between = s.Relationships(between[:0], nodes[i-1], nodes[i], n.Types, n.Direction)
		best, least := csr.NoEdge, math.Inf(1)
		for _, e := range between {
			x := 1.0
			if n.Weight != nil {
				var err error
				if x, err = n.Weight.Of(s, e); err != nil {
					return value.Value{}, err
				}
			}
			if x < least || x == least && s.RelID(e) < s.RelID(best) {
				best, least = e, x
			}
		}
		p.Rels = append(p.Rels, best)
	}
	return value.OfPath(p), nil
}
