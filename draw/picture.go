package draw

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/motifql/motif"
)

// Theme is a choice of colours.
type Theme string

// The themes. Auto follows the viewer where the format can, and is light elsewhere.
const (
	Auto  Theme = ""
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Limits of pictures of rows.
const (
	DefaultMaxNodes = 1_000  // of Options.MaxNodes
	MostNodes       = 20_000 // that a picture may have
	MostRows        = 10_000 // that a picture takes
)

// Options say how to draw. The zero value draws well.
type Options struct {
	// Caption is the property that names nodes. Without it, or where a node lacks it, a property like name or title does, else the id.
	Caption string
	// Theme is the choice of colours.
	Theme Theme
	// MaxNodes is the number of nodes at which a picture is full; 0 is DefaultMaxNodes. A picture has at most three times as many
	// relationships. The rows that do not fit are not drawn, and the picture says so.
	MaxNodes int
	// Between returns the relationships between nodes; see the function Between. Rows calls it, if it is set, for an answer with nodes and
	// without relationships. The picture shows the result in a pale colour.
	Between func(nodes []uint64) ([]motif.Relationship, error)

	cells bool // keep the texts of rows
}

func maxEdges(nodes int) int { return 3 * nodes }

// Formats lists the formats of Picture.Write.
func Formats() []string { return []string{"svg", "png", "html", "dot", "gexf"} }

// Picture is a drawing of an answer, a plan or a schema. It does not change any more.
type Picture struct {
	Nodes         int // that are drawn
	Relationships int // that are drawn
	Rows          int // of the answer, that are drawn

	notes []string // what the picture leaves out
	graph *graph
	at    []point // of the nodes
	shift point   // of what was drawn, to its place in the picture
	scene scene
	theme Theme
	boxes bool // the nodes are boxes of text
}

// Rows draws the nodes, relationships and paths in an answer, each once. It reads the rows until the picture is full, at most MostRows of
// them, and closes them. When ctx ends, it returns the error of ctx.
func Rows(ctx context.Context, rows *motif.Rows, opt Options) (*Picture, error) {
	if opt.MaxNodes == 0 {
		opt.MaxNodes = DefaultMaxNodes
	}
	if opt.MaxNodes < 0 || opt.MaxNodes > MostNodes {
		return nil, fmt.Errorf("a picture has at most %d nodes", MostNodes)
	}
	opt.cells = true
	c := newCollector(opt)
	c.names = rows.Columns()
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		if c.full = len(c.rows) == MostRows; c.full || !c.row(row.Values()) {
			break
		}
	}
	p := &Picture{theme: opt.Theme, Rows: len(c.rows)}
	if err := c.connect(p); err != nil {
		return nil, err
	}
	c.tell(p)
	if err := p.drawGraph(ctx, &c.graph); err != nil {
		return nil, err
	}
	return p, nil
}

// connect adds the relationships between the nodes of an answer that has none itself.
func (c *collector) connect(p *Picture) error {
	if len(c.edges) > 0 || len(c.nodes) < 2 || c.opt.Between == nil {
		return nil
	}
	rels, err := c.opt.Between(c.ids())
	if err != nil {
		return err
	}
	most := maxEdges(c.opt.MaxNodes)
	for _, r := range rels {
		_, from := c.nodeAt[r.Start]
		_, to := c.nodeAt[r.End]
		if from && to && len(c.edges) < most {
			c.addEdge(r, true)
		}
	}
	if len(c.edges) > 0 {
		p.notes = append(p.notes, "The answer has no relationships. Pale lines are all relationships between its nodes; return relationships or paths to draw only those.")
	}
	if len(rels) > len(c.edges) {
		p.notes = append(p.notes, fmt.Sprintf("Only %d relationships between the nodes are drawn; there are more.", len(c.edges)))
	}
	return nil
}

// tell notes what the picture leaves out.
func (c *collector) tell(p *Picture) {
	bare := 0
	for i := range c.nodes {
		if c.nodes[i].bare {
			bare++
		}
	}
	switch {
	case len(c.nodes) == 0 && len(c.rows) == MostRows:
		p.notes = append(p.notes, fmt.Sprintf("The first %d rows have no nodes, relationships or paths. Return them whole: RETURN a, r, b.", MostRows))
	case len(c.rows) == 0 && c.full:
		p.notes = append(p.notes, fmt.Sprintf("The first row alone has more than %d nodes or %d relationships. Nothing is drawn.", c.opt.MaxNodes, maxEdges(c.opt.MaxNodes)))
	case c.full:
		p.notes = append(p.notes, fmt.Sprintf("The first %s: %s. The answer has more; LIMIT or a condition makes it smaller.", plural(len(c.rows), "row is drawn", "rows are drawn"), plural(len(c.nodes), "node", "nodes")))
	case len(c.rows) == 0:
		p.notes = append(p.notes, "The answer has no rows.")
	case len(c.nodes) == 0:
		p.notes = append(p.notes, "The answer has no nodes, relationships or paths. Return them whole: RETURN a, r, b.")
	}
	if bare > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%s as an empty circle: the answer has relationships of it, but not the node itself.", plural(bare, "node is drawn", "nodes are each drawn")))
	}
}

// plural returns n with the words for one thing or for several.
func plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// drawGraph draws the graph of an answer with its legend and notes.
func (p *Picture) drawGraph(ctx context.Context, g *graph) error {
	g.group()
	n, err := drawNetwork(ctx, g)
	if err != nil {
		return err
	}
	p.graph, p.at, p.Nodes, p.Relationships = g, n.at, len(g.nodes), len(g.edges)
	p.tellUnnamed(n)
	p.scene = n.scene
	typed := slices.ContainsFunc(n.edges, func(l line) bool { return !l.showsType })
	p.frame(legendOf(g, typed || len(n.edges) > maxTypes), fmt.Sprintf("%s: %s, %s", plural(p.Rows, "row", "rows"), plural(p.Nodes, "node", "nodes"), plural(p.Relationships, "relationship", "relationships")))
	for i := range p.at {
		p.at[i] = p.at[i].plus(p.shift)
	}
	return nil
}

// tellUnnamed notes how many names have no room.
func (p *Picture) tellUnnamed(n *network) {
	if n.unnamed > 0 {
		p.notes = append(p.notes, fmt.Sprintf("The names of %s have no room; SVG and HTML show them when you point at a node.", plural(n.unnamed, "node", "nodes")))
	}
	if n.untyped > 0 && n.types > maxTypes {
		p.notes = append(p.notes, fmt.Sprintf("The types of %s have no room; SVG and HTML show them when you point at an arrow.", plural(n.untyped, "connection", "connections")))
	}
}

// Write writes the picture in one of Formats.
func (p *Picture) Write(w io.Writer, format string) error {
	write := map[string]func(io.Writer) error{"svg": p.SVG, "png": p.PNG, "html": p.HTML, "dot": p.DOT, "gexf": p.GEXF}[format]
	if write == nil {
		return errors.New("no picture has the format " + format + "; there are " + strings.Join(Formats(), ", "))
	}
	return write(w)
}

// Notes says in sentences what the picture leaves out in a format, and why. SVG, PNG and HTML show the same text.
func (p *Picture) Notes(format string) []string {
	list := slices.Clone(p.notes)
	if format == "png" {
		list = append(list, p.missingLetters()...)
	}
	return list
}
