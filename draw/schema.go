package draw

import (
	"context"
	"fmt"
	"strconv"

	"github.com/motifql/motif"
)

// mostConnections is the number of connections in a picture of a schema.
const mostConnections = 60

// Schema draws the labels of a graph with the number of their nodes, and the relationship types between them with the number of their
// relationships.
func Schema(schema *motif.Schema, opt Options) *Picture {
	p := &Picture{theme: opt.Theme}
	g := &graph{}
	at := map[string]int{}
	label := func(name string, count uint64) int {
		i, ok := at[name]
		if !ok {
			i = len(g.nodes)
			at[name] = i
			shown := visible(name)
			if name == "" {
				shown = "no label"
			}
			v := node{id: strconv.Itoa(i), caption: shown, bare: name == ""}
			if count > 0 {
				v.caption += " (" + quantity(float64(count)) + ")"
				v.props = []property{{"nodes", strconv.FormatUint(count, 10), int64(count)}}
			}
			if name != "" {
				v.labels = []string{shown}
			}
			g.nodes = append(g.nodes, v)
		}
		return i
	}
	for _, l := range schema.Labels {
		if l.Count > 0 {
			label(l.Name, l.Count)
		}
	}
	for i, c := range schema.Connections {
		if i == mostConnections {
			p.notes = append(p.notes, fmt.Sprintf("Only the %d most frequent of %d connections are drawn.", mostConnections, len(schema.Connections)))
			break
		}
		from, to := label(c.From, 0), label(c.To, 0)
		g.edges = append(g.edges, edge{id: strconv.Itoa(i), from: from, to: to, kind: visible(c.Type) + " (" + quantity(float64(c.Count)) + ")",
			props: []property{{"relationships", strconv.FormatUint(c.Count, 10), int64(c.Count)}}})
	}
	if len(g.nodes) == 0 {
		p.notes = append(p.notes, "The graph has no nodes.")
	}
	if len(schema.Labels) > 1 {
		p.notes = append(p.notes, "A node with several labels counts under each of them.")
	}
	p.drawSchema(g)
	return p
}

// schemaStyle is the size of things in a picture of a schema.
var schemaStyle = style{radius: 20, font: 12.5, unit: 190, stroke: 1.4, head: 8, caption: 130}

func (p *Picture) drawSchema(g *graph) {
	for _, e := range g.edges {
		g.nodes[e.from].degree++
		g.nodes[e.to].degree++
	}
	n := &network{graph: g, style: schemaStyle, types: len(g.edges)}
	if len(g.nodes) > 12 {
		n.style.radius, n.style.font, n.style.unit = 14, 11, 170
	}
	_ = n.draw(context.Background()) // which never ends: a schema is small
	p.graph, p.at, p.Nodes, p.Relationships = g, n.at, len(g.nodes), len(g.edges)
	p.tellUnnamed(n)
	p.scene = n.scene
	p.frame(nil, fmt.Sprintf("schema: %s, %s", plural(p.Nodes, "label", "labels"), plural(p.Relationships, "connection", "connections")))
	for i := range p.at {
		p.at[i] = p.at[i].plus(p.shift)
	}
}
