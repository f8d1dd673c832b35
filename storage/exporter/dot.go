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
	title := titleOf(n)
	for _, l := range n.labels {
		title += "\n:" + l
	}
	return title
}

// captionNames are the names of properties that name a node, in any case, the best first.
var captionNames = []string{"name", "title", "label", "caption"}

// titleOf returns the text by which people know a node: a property such as name, Name or fullName, its property id, the id that a
// file gave it, or else its id in the store.
func titleOf(n *node) string {
	called := func(is func(name string) bool) (title string, ok bool) {
		for _, p := range n.props {
			if title = plainText(p.cell); is(p.name) && title != "" {
				return title, true
			}
		}
		return "", false
	}
	for _, name := range captionNames {
		if title, ok := called(func(s string) bool { return strings.EqualFold(s, name) }); ok {
			return title
		}
	}
	ends := func(s string) bool {
		s = strings.ToLower(s)
		return strings.HasSuffix(s, "name") || strings.HasSuffix(s, "title")
	}
	if title, ok := called(ends); ok {
		return title
	}
	if title, ok := called(func(s string) bool { return strings.EqualFold(s, "id") }); ok {
		return title
	}
	for _, id := range n.external {
		return plainText(id.cell)
	}
	return "#" + strconv.FormatUint(uint64(n.id), 10)
}

// plainText is a value as a picture shows it: text without quotes.
func plainText(c csr.Cell) string {
	if c.Kind == csr.KindString {
		return c.Str
	}
	return value.OfCell(c).String()
}

// dotEscapes are the characters that a quoted string of GraphViz cannot hold as they are.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\n", `\n`, "\r", "", "\x00", "\uFFFD")

// dotString quotes a text for GraphViz.
func dotString(s string) string { return `"` + dotEscapes.Replace(s) + `"` }
