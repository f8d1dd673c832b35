package importer

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// weightedGraph is a random graph as every format below can write it: nodes with ids and labels, relationships with weights.
type weightedGraph struct {
	directed bool
	ids      []string
	labels   []string // "" for none
	rels     []weightedRel
}

type weightedRel struct {
	from, to int
	weight   int64 // 0 for none
}

func newWeightedGraph(rng *rand.Rand, text bool) *weightedGraph {
	g := &weightedGraph{directed: rng.IntN(2) == 0}
	names := []string{"", "Ann", "Ann & Bob", "two words", "é日本", "x<y>", "it's", "a;b,c"}
	for i := range rng.IntN(8) + 1 {
		id := fmt.Sprint(i + 1)
		if text && rng.IntN(2) == 0 {
			id = string(rune('a'+i)) + "é"
		}
		g.ids, g.labels = append(g.ids, id), append(g.labels, names[rng.IntN(len(names))])
	}
	for range rng.IntN(12) {
		g.rels = append(g.rels, weightedRel{rng.IntN(len(g.ids)), rng.IntN(len(g.ids)), int64(rng.IntN(5) - 1)})
	}
	return g
}

// want is what dump prints of the graph.
func (g *weightedGraph) want(weight func(int64) string) string {
	number := func(i int) string { return fmt.Sprint(i) }
	quote := func(id string) string { return "'" + id + "'" }
	if !slices.ContainsFunc(g.ids, func(id string) bool { return !unicode.IsDigit(rune(id[0])) }) {
		number, quote = func(i int) string { return g.ids[i] }, func(id string) string { return id }
	}
	var b strings.Builder
	for i, id := range g.ids {
		fmt.Fprintf(&b, "(%s {id: %s", number(i), quote(id))
		if g.labels[i] != "" {
			fmt.Fprintf(&b, ", label: '%s'", strings.ReplaceAll(g.labels[i], "'", `\'`))
		}
		b.WriteString("})\n")
	}
	var rels []string
	for _, r := range g.rels {
		w := ""
		if r.weight != 0 {
			w = " {weight: " + weight(r.weight) + "}"
		}
		rels = append(rels, fmt.Sprintf("(%s)-[:EDGE%s]->(%s)\n", number(r.from), w, number(r.to)))
	}
	slices.Sort(rels)
	return b.String() + strings.Join(rels, "")
}

var wholeNumber, decimal = func(n int64) string { return fmt.Sprint(n) }, func(n int64) string { return fmt.Sprintf("%d.0", n) }

// smallFormats write a graph, and say how its weights come back.
var smallFormats = []struct {
	format string
	text   bool // ids may be text
	weight func(int64) string
	write  func(g *weightedGraph) string
}{
	{FormatGML, false, wholeNumber, func(g *weightedGraph) string {
		var b strings.Builder
		fmt.Fprintf(&b, "graph [\n directed %d\n", map[bool]int{true: 1}[g.directed])
		escape := strings.NewReplacer("&", "&amp;", "<", "&lt;")
		for i, id := range g.ids {
			fmt.Fprintf(&b, "node [ id %s", id)
			if g.labels[i] != "" {
				fmt.Fprintf(&b, " label \"%s\"", escape.Replace(g.labels[i]))
			}
			b.WriteString("]\n")
		}
		for _, r := range g.rels {
			fmt.Fprintf(&b, "edge [ source %s target %s", g.ids[r.from], g.ids[r.to])
			if r.weight != 0 {
				fmt.Fprintf(&b, "\n weight %d", r.weight)
			}
			b.WriteString(" ]\n")
		}
		return b.String() + "]"
	}},
	{FormatGEXF, true, decimal, func(g *weightedGraph) string {
		var b strings.Builder
		escape := strings.NewReplacer("&", "&amp;", "<", "&lt;")
		fmt.Fprintf(&b, "<gexf><graph defaultedgetype=\"%s\"><nodes>\n", map[bool]string{true: "directed", false: "undirected"}[g.directed])
		for i, id := range g.ids {
			fmt.Fprintf(&b, "<node id=\"%s\"", id)
			if g.labels[i] != "" {
				fmt.Fprintf(&b, " label=\"%s\"", escape.Replace(g.labels[i]))
			}
			b.WriteString("/>")
		}
		b.WriteString("</nodes><edges>\n")
		for i, r := range g.rels {
			fmt.Fprintf(&b, "<edge id=\"%d\" source=\"%s\" target=\"%s\"", i, g.ids[r.from], g.ids[r.to])
			if r.weight != 0 {
				fmt.Fprintf(&b, " weight=\"%d\"", r.weight)
			}
			b.WriteString("/>")
		}
		return b.String() + "</edges></graph></gexf>"
	}},
	{FormatJSON, true, wholeNumber, func(g *weightedGraph) string { return g.json(false) }},
	{FormatJSON, true, wholeNumber, func(g *weightedGraph) string { return g.json(true) }},
	{FormatDOT, true, wholeNumber, func(g *weightedGraph) string {
		var b strings.Builder
		arrow := map[bool]string{true: "->", false: "--"}[g.directed]
		fmt.Fprintf(&b, "%s {\n", map[bool]string{true: "digraph", false: "graph"}[g.directed])
		for i, id := range g.ids {
			fmt.Fprintf(&b, "\"%s\"", id)
			if g.labels[i] != "" {
				fmt.Fprintf(&b, " [label=\"%s\"]", g.labels[i])
			}
			b.WriteString("\n")
		}
		for _, r := range g.rels {
			fmt.Fprintf(&b, "%s%s%s", g.ids[r.from], arrow, g.ids[r.to])
			if r.weight != 0 {
				fmt.Fprintf(&b, "[weight=%d]", r.weight)
			}
			b.WriteString(";")
		}
		return b.String() + "}"
	}},
}

// json writes the graph as NetworkX does: lists of nodes and links, or as JSON Graph Format.
func (g *weightedGraph) json(jgf bool) string {
	id := func(i int) any {
		if n := g.ids[i]; unicode.IsDigit(rune(n[0])) && !jgf {
			return json.Number(n)
		}
		return g.ids[i]
	}
	nodes, links := []map[string]any{}, []map[string]any{}
	for i := range g.ids {
		n := map[string]any{"id": id(i)}
		if g.labels[i] != "" {
			n["label"] = g.labels[i]
		}
		nodes = append(nodes, n)
	}
	for _, r := range g.rels {
		l := map[string]any{"source": id(r.from), "target": id(r.to)}
		if w := map[string]any{"weight": r.weight}; r.weight != 0 && jgf {
			l["metadata"] = w
		} else if r.weight != 0 {
			l["weight"] = r.weight
		}
		links = append(links, l)
	}
	m := map[string]any{"directed": g.directed, "multigraph": true, "nodes": nodes, "links": links}
	if jgf {
		m = map[string]any{"graph": map[string]any{"directed": g.directed, "nodes": nodes, "edges": links}}
	}
	data, _ := json.Marshal(m)
	return string(data)
}

// TestRandomOtherFormats writes random graphs in each format, reads them by detection and compares.
func TestRandomOtherFormats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range smallFormats {
		for range 300 {
			g := newWeightedGraph(rng, f.text)
			text := f.write(g)
			s, r, err := loadChunks(Spec{Files: []string{"f"}, Workers: 2, FS: memory(map[string]string{"f": text})}, 7)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got, want := dump(s), g.want(f.weight); got != want || r.Format != f.format || r.Directed != g.directed {
				t.Fatalf("%s as %s, directed %t, gives\n%swant\n%s", text, r.Format, r.Directed, got, want)
			}
		}
	}
}

// TestRandomMatrixMarket compares random matrices with what the rule of undirected loads makes of them.
func TestRandomMatrixMarket(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		n, symmetric, field := 1+rng.IntN(5), rng.IntN(2) == 0, []string{"pattern", "integer", "real"}[rng.IntN(3)]
		g := &plainGraph{directed: !symmetric}
		for i := range n {
			g.ids = append(g.ids, fmt.Sprint(i+1))
		}
		var entries []string
		for range rng.IntN(8) {
			u, v := 1+rng.IntN(n), 1+rng.IntN(n)
			e, props, line := plainEdge{fmt.Sprint(u), fmt.Sprint(v), EdgeType, ""}, "", fmt.Sprintf("%d %d", u, v)
			if w := rng.IntN(9) - 4; field == "integer" {
				props, line = fmt.Sprintf(" {weight: %d}", w), fmt.Sprintf("%s %d", line, w)
			} else if field == "real" {
				props, line = fmt.Sprintf(" {weight: %d.5}", max(w, 0)), fmt.Sprintf("%s %d.5", line, max(w, 0))
			}
			e.props = props
			g.edges, entries = append(g.edges, e), append(entries, line)
		}
		text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate %s %s\n%% c\n\n%d %d %d\n%s\n", field, map[bool]string{true: "symmetric", false: "general"}[symmetric], n, n, len(entries), strings.Join(entries, "\n"))
		ends := ends{}
		for _, e := range g.edges {
			ends.add(uint32(e.u[0]), uint32(e.v[0]), true)
		}
		g.directed = g.directed && !reciprocal(ends)
		want, loops, duplicates := g.finish()
		s, r, err := loadChunks(Spec{Files: []string{"f"}, Workers: 2, FS: memory(map[string]string{"f": text})}, 7)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := dump(s); got != want && (field == "pattern" || duplicates == 0) || r.Loops != loops || r.Duplicates != duplicates || r.Directed != g.directed || s.N() != uint64(n) {
			t.Fatalf("%s gives\n%s%+v\nwant\n%s", text, got, r, want)
		}
	}
}

// TestOtherFormats reads what only one format has.
func TestOtherFormats(t *testing.T) {
	for name, test := range map[string]struct{ format, text, want string }{
		"Pajek": {FormatPajek, "*Vertices 3 2\r\n1 \"Ann Lee\" ellipse\n*Arcs :2 \"likes\"\n1 2 0.5\n*Edgeslist\n3 1 2\n",
			"(0 {id: 1, label: 'Ann Lee'})\n(1 {id: 2})\n(2 {id: 3})\n(0)-[:likes {weight: 0.5}]->(1)\n(2)-[:EDGE]->(0)\n(2)-[:EDGE]->(1)\n"},
		"TGF":            {FormatTGF, "1 a b\n2\n#\n1 2 x\n", "(1 {id: 1, label: 'a b'})\n(2 {id: 2})\n(1)-[:EDGE {label: 'x'}]->(2)\n"},
		"adjacency":      {FormatJSON, `{"directed": false, "nodes": [{"id": "a"}, {"id": "b"}], "adjacency": [[{"id": "b", "w": 1}], [{"id": "a", "w": 1}]]}`, "(0 {id: 'a'})\n(1 {id: 'b'})\n(0)-[:EDGE {w: 1}]->(1)\n"},
		"Cytoscape":      {FormatJSON, `{"elements": {"nodes": [{"data": {"id": "a"}, "position": {"x": 1}}], "edges": [{"data": {"source": "a", "target": "a"}}]}}`, "(0 {id: 'a'})\n(0)-[:EDGE]->(0)\n"},
		"JGF":            {FormatJSON, `{"graph": {"nodes": {"7": {"label": "x", "metadata": {"id": 1, "y": {"z": 2}}}}, "edges": [{"source": "7", "target": "7", "relation": "R"}]}}`, "(7 {id: 1, label: 'x', y.z: 2})\n(7)-[:R]->(7)\n"},
		"d3, by place":   {FormatJSON, `{"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 0, "target": 1}]}`, "(0 {id: 0, name: 'a'})\n(1 {id: 1, name: 'b'})\n(0)-[:EDGE]->(1)\n"},
		"DOT, subgraphs": {FormatDOT, "strict graph \"g\" {a -- {b; c [x]} -- subgraph s {d}\n e:p:n\n\"a\"+\"1\" [t=<<i>>, n=-2.5e1]; y=z}", "(0 {id: 'a'})\n(1 {id: 'b'})\n(2 {id: 'c', x: true})\n(3 {id: 'd'})\n(4 {id: 'e'})\n(5 {id: 'a1', n: -25.0, t: '<<i>>'})\n(0)-[:EDGE]->(1)\n(0)-[:EDGE]->(2)\n(1)-[:EDGE]->(3)\n(2)-[:EDGE]->(3)\n"},
		"GML, lists":     {FormatGML, "# c\nVersion 1\ngraph [ node [ id 1 g [ a [ b 1 ] ] x 1 x \"2\" ] node [ id 0 ] edge [ target 1 source 0 ] ]\n", "(0 {id: 0})\n(1 {id: 1, x: [1, '2']})\n(0)-[:EDGE]->(1)\n"},
	} {
		s, _, err := loadChunks(Spec{Files: []string{"f"}, Format: test.format, FS: memory(map[string]string{"f": test.text})}, 5)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := dump(s); got != test.want {
			t.Errorf("%s gives\n%swant\n%s", name, got, test.want)
		}
	}
}

func TestOtherFormatsMalformed(t *testing.T) {
	banner := "%%MatrixMarket matrix coordinate "
	for _, test := range []struct{ format, text, want string }{
		{FormatMTX, "1 1 1\n", `f.x:1:1: found a first line that is no banner of Matrix Market, expected "%%MatrixMarket matrix coordinate FIELD SYMMETRY"`},
		{FormatMTX, "%%MatrixMarket matrix array real general\n", `f.x:1:1: found a matrix of format "array", expected coordinate: a line an entry`},
		{FormatMTX, banner + "complex general\n", `f.x:1:1: found entries of kind "complex", expected pattern, integer or real`},
		{FormatMTX, banner + "real hermitian\n", `f.x:1:1: found symmetry "hermitian", expected general or symmetric`},
		{FormatMTX, banner + "real general\n2 3 0\n", `f.x:2:1: found 2 rows and 3 columns: a graph's matrix is square; write one between two kinds of things as an edge list, with ids such as r1 c1`},
		{FormatMTX, banner + "pattern general\n2 2 2\n1 2\n", `f.x:2: the sizes say 2 entries, but the lines after them have 1`},
		{FormatMTX, banner + "pattern general\n2 2 1\n1 3\n", `f.x:3:3: found "3", expected a column from 1 to 2`},
		{FormatMTX, banner + "real general\n2 2 1\n1 2 x\n", `f.x:3:5: found "x", expected a number`},
		{FormatMTX, banner + "pattern general\n2 2 1\n1 2 3\n", `f.x:3:1: found 3 words, expected 2 in an entry`},
		{FormatGML, "graph [ node [ label \"x\" ] ]", `f.x:1: found a node without id`},
		{FormatGML, "graph [ node [ id 1 ] node [ id 1 ] ]", `f.x:1: found node id "1" a second time`},
		{FormatGML, "graph [\n edge [ source 1 target 2 ] ]", `f.x:2: found a relationship of node "1", which the file does not have`},
		{FormatGML, "graph [\n node [ id 1 ", `f.x:2:14: found the end of the file inside a list, expected ]`},
		{FormatGML, "graph [ node [ id 1 label \"x ] ]", `f.x:1:27: found a string without its closing quote`},
		{FormatGML, "x 1\n", `f.x: found no graph [ ... ]`},
		{FormatGML, "graph [ node [ id 1 ] ]\ngraph [ ]", `f.x:2:1: found a second graph, expected one`},
		{FormatGEXF, "<gexf><graph><nodes><node/></nodes></graph></gexf>", `f.x:1:28: found a <node> without id`},
		{FormatPajek, "1 2\n", `f.x:1:1: found "1 2" before a section; a Pajek network begins with *Vertices N`},
		{FormatPajek, "*Vertices 1\n*Arcs\n1 2\n", `f.x:3:3: found "2", expected a vertex from 1 to 1`},
		{FormatPajek, "*Vertices 1\n*Matrix\n", `f.x:2:1: found section "*Matrix", expected *Vertices, *Arcs, *Edges, *Arcslist or *Edgeslist`},
		{FormatTGF, "1\n2\n", `f.x: found no line # between nodes and relationships`},
		{FormatTGF, "1\n#\n1\n", `f.x:3:2: found the end of the line after one id, expected a second id`},
		{FormatJSON, `{"nodes": [{"id": 1}], "links": [{"source": 1}]}`, `f.x: links[0]: an edge needs the key "target"`},
		{FormatJSON, "{\"nodes\": [\n1]}", `f.x: nodes[0] must be an object`},
		{FormatJSON, "{\"nodes\"\n", `f.x:2:1: found the end of the text, expected : after a key`},
		{FormatDOT, "graph { a -> b }", `f.x:1:11: found "->" in a graph, expected --`},
		{FormatDOT, "digraph { a [x=\"y ] }", `f.x:1:16: found a text without its closing quote`},
		{FormatDOT, "digraph { a ", `f.x:1:13: found the end of the file, expected a node, a subgraph or }`},
	} {
		_, _, err := loadChunks(Spec{Files: []string{"f.x"}, Format: test.format, FS: memory(map[string]string{"f.x": test.text})}, 5)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: got\n%v\nwant\n%s", test.text, err, test.want)
		}
	}
}
