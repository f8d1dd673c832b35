package exec

import (
	"math"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// similar gives the nodes that are most similar to each node.
func similar(c *callStage) (source, error) {
	r := new(pattern.SimilarityRequest)
	var err error
	if r.Network, err = c.network(); err != nil {
		return nil, err
	}
	k, err := c.number("topK", 1, 10)
	if err != nil {
		return nil, err
	}
	r.TopK = int(min(k, math.MaxInt32))
	if r.Cutoff, err = c.float("cutoff", 0, 0, 1); err != nil {
		return nil, err
	}
	if o := c.option("sources"); o != nil {
		if r.Sources, err = c.nodesOf(o.value, "the option `sources`"); err != nil {
			return nil, eval.At(o.pos, err)
		}
		if r.Sources == nil {
			r.Sources = []csr.VertexID{} // nil means all
		}
	}
	word, err := c.word("metric", "jaccard", "overlap", "cosine")
	if err == nil && word != "" {
		r.Metric, err = pattern.ParseMetric(word)
	}
	if err != nil {
		return nil, err
	}
	a, err := c.askNetwork(&pattern.Request{Kind: pattern.KindSimilarity, Snapshot: c.x.s, Similarity: r})
	if err != nil {
		return nil, err
	}
	found := a.Similarities
	return func() (bool, error) {
		return each(len(found.Score), func(i int) (bool, error) {
			return c.give(value.OfNode(found.Source[i]), value.OfNode(found.Target[i]), value.OfFloat(found.Score[i]))
		})
	}, c.charge(len(found.Score), 16*int64(len(found.Score)))
}

// clustering divides the triangles of every node by the pairs of its neighbours.
func clustering(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	triangles, err := c.trianglesByVertex(g)
	if err != nil {
		return nil, err
	}
	r := &pattern.ScoreRequest{Network: pattern.Network{Types: g.Types, Direction: csr.Both, Within: g.Within}}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindDegree, Snapshot: g.s, Scores: r})
	if err != nil {
		return nil, err
	}
	coefficient := floatsOf(func(v csr.VertexID) float64 {
		pairs := a.Scores[v] * (a.Scores[v] - 1) / 2
		if pairs == 0 {
			return 0
		}
		return triangles(v) / pairs
	})
	return vertexRows(c, len(a.Scores), listOf(g.Within), coefficient), c.charge(len(a.Scores), 16*int64(len(a.Scores)))
}

// trianglesByVertex counts the triangles at every vertex of g.
func (c *callStage) trianglesByVertex(g *graph) (func(v csr.VertexID) float64, error) {
	if g.Within == nil {
		r := &pattern.TriangleRequest{Types: g.Types, PerNode: true}
		a, err := c.ask(&pattern.Request{Kind: pattern.KindTriangles, Snapshot: g.s, Triangles: r})
		return func(v csr.VertexID) float64 { return float64(a.ByVertex[v]) }, err
	}
	if !g.holds(3) {
		return func(csr.VertexID) float64 { return 0 }, nil
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindCliquesPerVertex, Snapshot: g.s, Clique: g.Clique(3)})
	return func(v csr.VertexID) float64 { return float64(a.Counts[v].Lo) }, err
}
