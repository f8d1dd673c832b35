package repl

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/motifql/motif"
)

// showSchema runs :schema [NAME]: it shows the names in the graph, or the properties of a label or a type.
func (sh *Shell) showSchema(ctx context.Context, arg string) error {
	schema, err := sh.DB.Schema(ctx)
	if err != nil {
		return err
	}
	if arg != "" {
		return sh.showElements(ctx, schema, arg)
	}
	return PrintSchema(sh.Out, schema)
}

// PrintSchema lists the names in the graph with their counts, and the labels that each type joins.
func PrintSchema(w io.Writer, s *motif.Schema) error {
	var b strings.Builder
	list := func(title string, counts []motif.NameCount, sigil string) {
		fmt.Fprintf(&b, "%s\n", title)
		for _, c := range counts {
			fmt.Fprintf(&b, "  %10d  %s%s\n", c.Count, sigil, Visible(Name(c.Name)))
		}
		if len(counts) == 0 {
			b.WriteString("  none\n")
		}
	}
	list("Labels", s.Labels, ":")
	list("Relationship types", s.Types, ":")
	if len(s.Connections) > 0 {
		b.WriteString("Connections\n")
	}
	for _, c := range s.Connections {
		fmt.Fprintf(&b, "  %10d  (%s)-[:%s]->(%s)\n", c.Count, label(c.From), Visible(Name(c.Type)), label(c.To))
	}
	keys := func(title string, keys []string) {
		if len(keys) > 0 {
			fmt.Fprintf(&b, "%s\n  %s\n", title, Visible(strings.Join(keys, ", ")))
		}
	}
	keys("Properties of nodes", s.NodeKeys)
	keys("Properties of relationships", s.RelationshipKeys)
	_, err := io.WriteString(w, b.String())
	return err
}

func label(s string) string {
	if s == "" {
		return ""
	}
	return ":" + Visible(Name(s))
}
