package exec

import (
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// nameComponents names every component by the smallest id of its nodes, which does not depend on the algorithm.
func nameComponents(s *csr.Snapshot, c *pattern.Components) []int64 {
	name := make([]int64, len(c.Size))
	for i := range name {
		name[i] = -1
	}
	for v, i := range c.Of {
		if id := int64(s.NodeID(csr.VertexID(v))); i != pattern.NoComponent && (name[i] < 0 || id < name[i]) {
			name[i] = id
		}
	}
	return name
}

// communities returns a procedure that gives every node its community and, with modularity, that of the division.
func communities(kind pattern.RequestKind, modularity bool) procedure {
	return func(c *callStage) (source, error) {
		r := new(pattern.CommunityRequest)
		var err error
		if r.Network, err = c.network(); err != nil {
			return nil, err
		}
		if r.Resolution, err = c.float("resolution", 1, 0, 1e6); err != nil {
			return nil, err
		}
		n, err := c.number("maxIterations", 1, 1000)
		if err != nil {
			return nil, err
		}
		r.MaxIterations, r.Unsettled = int(min(n, math.MaxInt32)), c.option("maxIterations") != nil
		seed, err := c.number("seed", 0, 0)
		if err != nil {
			return nil, err
		}
		r.Seed = uint64(seed)
		a, err := c.askNetwork(&pattern.Request{Kind: kind, Snapshot: c.x.s, Community: r})
		if err != nil {
			return nil, err
		}
		found := a.Communities
		name := nameComponents(c.x.s, &found.Components)
		columns := []vertexColumn{intsOf(func(v csr.VertexID) int64 { return name[found.Of[v]] })}
		if modularity {
			columns = append(columns, floatsOf(func(csr.VertexID) float64 { return found.Modularity }))
		}
		return vertexRows(c, len(found.Of), listOf(r.Within), columns...), c.charge(len(found.Of), 4*int64(len(found.Of))+12*int64(len(name)))
	}
}
