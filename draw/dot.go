package draw

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// DOT writes the graph of the picture for GraphViz, without places: dot or neato finds its own.
func (p *Picture) DOT(w io.Writer) error {
	out := bufio.NewWriter(w)
	shape := "circle"
	if p.boxes {
		shape = "box"
	}
	fmt.Fprintf(out, "digraph motif {\n  node [shape=%s, style=filled, fontname=\"sans-serif\", fontsize=10];\n  edge [fontname=\"sans-serif\", fontsize=9, color=\"#7c838c\"];\n", shape)
	for i := range p.graph.nodes {
		v := &p.graph.nodes[i]
		fill := palette[min(v.group, len(palette)-1)]
		if v.bare || p.boxes {
			fill = "#ffffff"
		}
		fmt.Fprintf(out, "  n%d [label=%s, tooltip=%s, fillcolor=\"%s\"];\n", i, quoteDOT(v.caption), quoteDOT(v.tip()), fill)
	}
	for i := range p.graph.edges {
		e := &p.graph.edges[i]
		style := ""
		if e.added {
			style = `, style=dotted`
		}
		fmt.Fprintf(out, "  n%d -> n%d [label=%s, tooltip=%s%s];\n", e.from, e.to, quoteDOT(e.kind), quoteDOT(e.tip()), style)
	}
	out.WriteString("}\n")
	return out.Flush()
}

var dotEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ", "\x00", "\ufffd")

// quoteDOT writes a text as a string of DOT.
func quoteDOT(s string) string {
	return `"` + dotEscape.Replace(strings.ToValidUTF8(s, "\ufffd")) + `"`
}
