package importer

import (
	"context"
	"fmt"
	"strings"
)

// QueryGraph is a pattern read from a t/v/e file.
type QueryGraph struct {
	Vertices []QueryVertex // by rising id
	Edges    []QueryEdge
}

// QueryVertex is one v line.
type QueryVertex struct {
	ID    int64
	Label string // "L<n>", as Load names labels
}

// QueryEdge is one e line, undirected.
type QueryEdge struct {
	From, To int    // indices of Vertices
	Type     string // "E<n>", or "" if the line has no label: any type. A data graph with one edge label has EdgeType instead
}

// ReadPattern reads a t/v/e file, also a compressed one, as a query graph. What is wrong with it gives an *Error.
func ReadPattern(path string) (*QueryGraph, error) {
	return readPattern(path, openPath)
}

func readPattern(path string, open opener) (*QueryGraph, error) {
	l := newLoader(Spec{Files: []string{path}, Format: FormatTVE, Workers: 1}, open, nil)
	g, err := l.parseTVE(context.Background())
	if err != nil {
		return nil, err
	}
	q := &QueryGraph{}
	for v, id := range g.ids.ids {
		q.Vertices = append(q.Vertices, QueryVertex{id, fmt.Sprintf("L%d", g.labels[v])})
	}
	for i, label := range g.edgeLabels {
		e := QueryEdge{From: int(g.ends[2*i]), To: int(g.ends[2*i+1])}
		if label != noLabel {
			e.Type = fmt.Sprintf("E%d", label)
		}
		q.Edges = append(q.Edges, e)
	}
	return q, nil
}

// Query prints g as a MATCH clause that finds its embeddings: injective, not induced, each automorphism of its own.
//
//	MATCH DIFFERENT NODES (u0:L1), (u2:L5), (u0)-[:E3|EDGE]-(u2)
//
// An edge label is also looked for as EdgeType, the name that Load gives to the only label of a graph.
func (g *QueryGraph) Query() string {
	if g == nil {
		return ""
	}
	parts := make([]string, 0, len(g.Vertices)+len(g.Edges))
	for _, v := range g.Vertices {
		parts = append(parts, fmt.Sprintf("(%s:%s)", v.name(), v.Label))
	}
	for _, e := range g.Edges {
		link := "--"
		if e.Type != "" {
			link = "-[:" + e.Type + "|" + EdgeType + "]-"
		}
		parts = append(parts, fmt.Sprintf("(%s)%s(%s)", g.Vertices[e.From].name(), link, g.Vertices[e.To].name()))
	}
	return "MATCH DIFFERENT NODES " + strings.Join(parts, ", ")
}

func (v QueryVertex) name() string {
	if v.ID < 0 {
		return fmt.Sprintf("u_%d", -uint64(v.ID))
	}
	return fmt.Sprintf("u%d", v.ID)
}
