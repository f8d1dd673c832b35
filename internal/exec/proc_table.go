package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// procedures holds the code of every procedure in lang.Procedures.
var procedures = map[string]procedure{
	"db.labels":               names(func(s *csr.Snapshot) *csr.Dict { return s.Labels }),
	"db.relationshipTypes":    names(func(s *csr.Snapshot) *csr.Dict { return s.Types }),
	"db.propertyKeys":         names(func(s *csr.Snapshot) *csr.Dict { return s.Keys }),
	"db.procedures":           listProcedures,
	"db.functions":            listFunctions,
	"db.indexes":              indexes,
	"db.constraints":          constraints,
	"db.databases":            databases,
	"dbms.components":         programVersion,
	"apoc.meta.data":          metaData,
	"apoc.meta.schema":        metaSchema,
	"apoc.load.json":          loadJSON,
	"apoc.path.subgraphNodes": subgraphNodes,
	"apoc.neighbors.tohop":    nodesToHop,

	"db.awaitIndexes":              nothing,
	"db.resampleIndex":             nothing,
	"db.schema.visualization":      visualization,
	"apoc.meta.stats":              graphStatistics,
	"db.schema.nodeTypeProperties": nodeTypeProperties,
	"db.schema.relTypeProperties":  relTypeProperties,

	"algo.kcore":         kcore,
	"algo.ktruss":        ktruss,
	"algo.triangleCount": triangleCount,
	"algo.motifs":        motifs,
	"algo.orbits":        orbits,

	"algo.pageRank":    score(pattern.KindPageRank, 1e-10),
	"algo.articleRank": score(pattern.KindArticleRank, 1e-10),
	"algo.eigenvector": score(pattern.KindEigenvector, 1e-10),
	"algo.degree":      score(pattern.KindDegree, 1),
	"algo.closeness":   nearness,
	"algo.betweenness": betweenness,

	"algo.dijkstra":              distances,
	"algo.kShortestPaths":        kShortestPaths,
	"algo.aStar":                 aStar,
	"algo.nodeSimilarity":        similar,
	"algo.clusteringCoefficient": clustering,

	"algo.labelPropagation": communities(pattern.KindLabels, false),
	"algo.louvain":          communities(pattern.KindLouvain, true),

	"algo.connectedComponents": components,
	"algo.bfs":                 bfs,
	"algo.shortestPath":        shortestPath,
	"algo.diameter":            diameter,
	"algo.cliqueCount":         cliqueCount,
	"algo.cliques":             cliques,
	"algo.maximalCliques":      maximalCliques,
	"algo.maximumClique":       maximumClique,
}

// nothing passes its input on.
func nothing(c *callStage) (source, error) { return func() (bool, error) { return c.give() }, nil }

// names returns a procedure that lists a dictionary.
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
			return c.give(value.OfString(p.Name), value.OfString(p.Brief), value.OfString(p.TypedSignature()), value.OfString("READ"), value.OfBool(false))
		})
	}, nil
}

// each calls row for 0 to n-1 until row returns false.
func each(n int, row func(i int) (more bool, err error)) (more bool, err error) {
	for i := range n {
		if more, err = row(i); err != nil || !more {
			return false, err
		}
	}
	return true, nil
}

func triangleCount(c *callStage) (source, error) {
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	if g.Within != nil { // the kernel for triangles sees all vertices
		return c.cliquesOf(g, 3)
	}
	r := &pattern.TriangleRequest{Types: g.Types, PerNode: c.perNode()}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindTriangles, Snapshot: g.s, Triangles: r})
	if err != nil {
		return nil, err
	}
	by := a.ByVertex
	if !c.perNode() {
		n, err := c.count("triangles", a.Count)
		return func() (bool, error) { return c.give(n) }, err
	}
	if len(by) > 0 {
		if _, err := c.count("triangles", pattern.Count(slices.Max(by))); err != nil {
			return nil, err
		}
	}
	return vertexRows(c, len(by), nil, intsOf(func(v csr.VertexID) int64 { return int64(by[v]) })), c.charge(len(by), 8*int64(len(by)))
}

// count returns a count as an integer of the language. Its error for one that does not fit names what was counted.
func (c *callStage) count(what string, total pattern.Count128) (value.Value, error) {
	n, ok := total.Int64()
	if !ok {
		err := eval.Overflow("the number of %s, %v,", what, total).(*eval.Error)
		err.Pos, err.Hint = c.plan.Pos, "count a part of the graph, with the options label and types"
		return value.Value{}, err
	}
	return value.OfInt(n), nil
}
