package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// shortestPath finds one path between the two nearest of the nodes given. Among targets equally near it takes the one
// with the smallest id.
func shortestPath(c *callStage) (source, error) {
	t, err := c.traversal()
	if err != nil {
		return nil, err
	}
	targets, err := c.vertices(1)
	if err != nil {
		return nil, err
	}
	l, err := c.x.device.BFS(c.x.ctx, c.x.s, t, &c.env)
	if err != nil {
		return nil, err
	}
	best := csr.NoVertex
	for _, v := range targets {
		if d := l.Depth[v]; d >= 0 && (best == csr.NoVertex || d < l.Depth[best] || d == l.Depth[best] && c.x.s.NodeID(v) < c.x.s.NodeID(best)) {
			best = v
		}
	}
	if best == csr.NoVertex {
		return func() (bool, error) { return true, nil }, nil
	}
	p := c.path(l.Path(best), t)
	return func() (bool, error) { return c.give(p, value.OfInt(int64(l.Depth[best]))) }, c.hold(1, p.Bytes())
}

// path joins nodes by relationships that t can follow: of several, that with the smallest id.
func (c *callStage) path(nodes []csr.VertexID, t *pattern.Traversal) value.Value {
	p := &value.PathValue{Nodes: nodes}
	var between []csr.EdgeID
	for i := 1; i < len(nodes); i++ {
		between = c.x.s.Relationships(between[:0], nodes[i-1], nodes[i], t.Types, t.Direction)
		best := between[0]
		for _, e := range between[1:] {
			if c.x.s.RelID(e) < c.x.s.RelID(best) {
				best = e
			}
		}
		p.Rels = append(p.Rels, best)
	}
	return value.OfPath(p)
}
