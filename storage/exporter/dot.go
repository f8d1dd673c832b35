package exporter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// writeDOT writes a picture for GraphViz: a caption a node, and the type of each relationship.
func (x *export) writeDOT() error {
	out, err := x.target.create("")
	if err != nil {
		return err
	}
	if _, err = out.WriteString("digraph motif {\n"); err != nil {
		return err
	}
	err = x.eachNode(func(n *node) error {
		_, err := fmt.Fprintf(out, "  n%d [label=%s];\n", n.id, dotString(caption(n)))
		return err
	})
	if err != nil {
		return err
	}
	err = x.eachRel(func(r *rel) error {
		_, err := fmt.Fprintf(out, "  n%d -> n%d [label=%s];\n", r.from, r.to, dotString(r.typ))
		return err
	})
	if err != nil {
		return err
	}
	if _, err = out.WriteString("}\n"); err != nil {
		return err
	}
	return out.close()
}

// caption names a node by a property that names it, else by its id, and by its labels.
func caption(n *node) string {
	title := "#" + strconv.FormatUint(uint64(n.id), 10)
named:
	for _, name := range []string{"name", "title", "label", "id"} {
		for _, p := range n.props {
			if p.name == name {
				if title = value.OfCell(p.cell).String(); p.cell.Kind == csr.KindString {
					title = p.cell.Str
				}
				break named
			}
		}
	}
	for _, l := range n.labels {
		title += "\n:" + l
	}
	return title
}

// dotEscapes are the characters that a quoted string of GraphViz cannot hold as they are.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\n", `\n`, "\r", "", "\x00", "\uFFFD")

// dotString quotes a text for GraphViz.
func dotString(s string) string { return `"` + dotEscapes.Replace(s) + `"` }
