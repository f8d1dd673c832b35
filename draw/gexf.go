package draw

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// GEXF writes the graph of the picture for Gephi and other programs: with labels, types and properties, and with the places and
// colours of the picture.
func (p *Picture) GEXF(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">` + "\n<graph defaultedgetype=\"directed\" mode=\"static\">\n")
	nodes, edges := newColumns("labels"), newColumns("")
	for i := range p.graph.nodes {
		nodes.take(p.graph.nodes[i].props)
	}
	for i := range p.graph.edges {
		edges.take(p.graph.edges[i].props)
	}
	nodes.write(out, "node")
	edges.write(out, "edge")
	out.WriteString("<nodes>\n")
	for i := range p.graph.nodes {
		v := &p.graph.nodes[i]
		fmt.Fprintf(out, `<node id="%s" label="%s"><attvalues>`, escapeXML(v.id), escapeXML(v.caption))
		fmt.Fprintf(out, `<attvalue for="0" value="%s"/>`, escapeXML(strings.Join(v.labels, ":")))
		nodes.values(out, v.props)
		out.WriteString("</attvalues>")
		if i < len(p.at) {
			colour := palette[min(v.group, len(palette)-1)]
			fmt.Fprintf(out, `<viz:color hex="%s"/><viz:position x="%s" y="%s" z="0"/>`, colour, number(p.at[i].x), number(-p.at[i].y))
		}
		out.WriteString("</node>\n")
	}
	out.WriteString("</nodes>\n<edges>\n")
	for i := range p.graph.edges {
		e := &p.graph.edges[i]
		kind := escapeXML(e.kind)
		fmt.Fprintf(out, `<edge id="%d" source="%s" target="%s" label="%s" kind="%[4]s"><attvalues>`, i, escapeXML(p.graph.nodes[e.from].id), escapeXML(p.graph.nodes[e.to].id), kind)
		edges.values(out, e.props)
		out.WriteString("</attvalues></edge>\n")
	}
	out.WriteString("</edges>\n</graph>\n</gexf>\n")
	return out.Flush()
}

// columns are the attributes that GEXF declares: the properties of all nodes, or of all edges.
type columns struct {
	first string            // an attribute that is no property
	types map[string]string // by property
	ids   map[string]int
}

func newColumns(first string) *columns {
	return &columns{first: first, types: map[string]string{}, ids: map[string]int{}}
}

// take notes the types of properties. A property with values of several types is text.
func (c *columns) take(props []property) {
	for _, p := range props {
		kind := "string"
		switch p.value.(type) {
		case int64:
			kind = "long"
		case float64:
			kind = "double"
		case bool:
			kind = "boolean"
		}
		if before, ok := c.types[p.key]; ok && before != kind {
			kind = "string"
		}
		c.types[p.key] = kind
	}
}

// write declares the attributes.
func (c *columns) write(out *bufio.Writer, class string) {
	fmt.Fprintf(out, `<attributes class="%s">`+"\n", class)
	id := 0
	if c.first != "" {
		fmt.Fprintf(out, `<attribute id="0" title="%s" type="string"/>`+"\n", c.first)
		id++
	}
	for _, key := range slices.Sorted(maps.Keys(c.types)) {
		c.ids[key] = id
		fmt.Fprintf(out, `<attribute id="%d" title="%s" type="%s"/>`+"\n", id, escapeXML(key), c.types[key])
		id++
	}
	out.WriteString("</attributes>\n")
}

// values writes the properties of one element.
func (c *columns) values(out *bufio.Writer, props []property) {
	for _, p := range props {
		fmt.Fprintf(out, `<attvalue for="%s" value="%s"/>`, strconv.Itoa(c.ids[p.key]), escapeXML(fullText(p.value)))
	}
}
