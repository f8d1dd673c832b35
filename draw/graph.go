package draw

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif"
)

// graph is what a picture shows: nodes and edges, each once.
type graph struct {
	nodes                  []node
	edges                  []edge
	rows                   []row    // of the answer that the graph came from
	names                  []string // of the columns of rows
	nodeGroups, edgeGroups []group
}

// node is a node of the picture.
type node struct {
	id      string
	caption string
	labels  []string
	group   int // in nodeGroups
	props   []property
	bare    bool // only its id is known
	degree  int
}

// edge is a relationship of the picture.
type edge struct {
	id       string
	from, to int
	kind     string
	group    int // in edgeGroups
	props    []property
	added    bool // it joins nodes of the answer, but the answer does not have it
}

// property is a property as text, with its value for formats that have types.
type property struct {
	key, text string
	value     any
}

// row is a row of the answer: the elements it shows, and the texts of its values.
type row struct {
	nodes, edges []int
	cells        []string
}

// group is what a line of the legend explains: nodes with the same labels, or relationships of the same type.
type group struct {
	name  string
	count int
}

// propertiesOf lists properties by their keys.
func propertiesOf(m map[string]any) []property {
	list := make([]property, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, property{visible(k), valueText(m[k]), m[k]})
	}
	return list
}

// captionKeys are the properties that name a thing, best first.
var captionKeys = []string{"name", "title", "label", "fullname", "full_name", "username", "caption", "code", "key", "id"}

// caption returns the text that names a node: a property that sounds like a name, else the shortest text, else the id.
func caption(props map[string]any, id uint64) string {
	best := ""
	rank := len(captionKeys)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		if i := slices.Index(captionKeys, strings.ToLower(k)); i >= 0 && i < rank && props[k] != nil && props[k] != "" {
			best, rank = k, i
		}
	}
	if best != "" {
		return valueText(props[best])
	}
	for _, k := range slices.Sorted(maps.Keys(props)) {
		if s, ok := props[k].(string); ok && s != "" && (best == "" || len(s) < len(best)) {
			best = s
		}
	}
	if best != "" && len(best) <= 60 {
		return valueText(best)
	}
	return "#" + strconv.FormatUint(id, 10)
}

// collector makes the graph of an answer.
type collector struct {
	graph
	opt    Options
	nodeAt map[uint64]int
	edgeAt map[uint64]int
	known  map[uint64]bool // nodes that the answer has itself, not only as an end
	full   bool            // the picture takes no more nodes or relationships
}

func newCollector(opt Options) *collector {
	return &collector{opt: opt, nodeAt: map[uint64]int{}, edgeAt: map[uint64]int{}, known: map[uint64]bool{}}
}

// row takes the elements of a row, whole or not at all. It reports whether there was room.
func (c *collector) row(values []any) bool {
	nodes, edges := map[uint64]bool{}, map[uint64]bool{}
	for _, v := range values {
		c.news(v, nodes, edges)
	}
	if len(c.nodes)+len(nodes) > c.opt.MaxNodes || len(c.edges)+len(edges) > maxEdges(c.opt.MaxNodes) {
		c.full = true
		return false
	}
	var r row
	for _, v := range values {
		c.add(v, &r)
		if c.opt.cells {
			r.cells = append(r.cells, valueText(v))
		}
	}
	slices.Sort(r.nodes)
	slices.Sort(r.edges)
	r.nodes, r.edges = slices.Compact(r.nodes), slices.Compact(r.edges)
	c.rows = append(c.rows, r)
	return true
}

// news lists the elements of a value that the graph lacks.
func (c *collector) news(v any, nodes, edges map[uint64]bool) {
	node := func(id uint64) {
		if _, ok := c.nodeAt[id]; !ok {
			nodes[id] = true
		}
	}
	walk(v, func(n motif.Node) { node(n.ID) }, func(r motif.Relationship) {
		node(r.Start)
		node(r.End)
		if _, ok := c.edgeAt[r.ID]; !ok {
			edges[r.ID] = true
		}
	})
}

// walk calls functions for the nodes and relationships in a value.
func walk(v any, node func(motif.Node), rel func(motif.Relationship)) {
	switch v := v.(type) {
	case motif.Node:
		node(v)
	case motif.Relationship:
		rel(v)
	case motif.Path:
		for _, n := range v.Nodes {
			node(n)
		}
		for _, r := range v.Relationships {
			rel(r)
		}
	case []any:
		for _, x := range v {
			walk(x, node, rel)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walk(v[k], node, rel)
		}
	}
}

// add takes the elements of a value.
func (c *collector) add(v any, r *row) {
	walk(v, func(n motif.Node) { r.nodes = append(r.nodes, c.addNode(n)) }, func(rel motif.Relationship) {
		r.edges = append(r.edges, c.addEdge(rel, false))
		r.nodes = append(r.nodes, c.nodeAt[rel.Start], c.nodeAt[rel.End])
	})
}

func (c *collector) addNode(n motif.Node) int {
	i, ok := c.nodeAt[n.ID]
	if !ok {
		i = c.end(n.ID)
	}
	if c.known[n.ID] {
		return i
	}
	c.known[n.ID] = true
	to := &c.nodes[i]
	to.bare, to.props = false, propertiesOf(n.Props)
	for _, l := range n.Labels {
		to.labels = append(to.labels, visible(l))
	}
	if v, ok := n.Props[c.opt.Caption]; ok && c.opt.Caption != "" {
		to.caption = valueText(v)
	} else {
		to.caption = caption(n.Props, n.ID)
	}
	return i
}

// end returns the node at an end of a relationship, of which nothing else may be known.
func (c *collector) end(id uint64) int {
	i, ok := c.nodeAt[id]
	if !ok {
		i = len(c.nodes)
		c.nodeAt[id] = i
		text := strconv.FormatUint(id, 10)
		c.nodes = append(c.nodes, node{id: text, caption: "#" + text, bare: true})
	}
	return i
}

func (c *collector) addEdge(r motif.Relationship, added bool) int {
	if i, ok := c.edgeAt[r.ID]; ok {
		return i
	}
	i := len(c.edges)
	c.edgeAt[r.ID] = i
	from, to := c.end(r.Start), c.end(r.End)
	c.edges = append(c.edges, edge{id: strconv.FormatUint(r.ID, 10), from: from, to: to, kind: visible(r.Type), props: propertiesOf(r.Props), added: added})
	return i
}

// ids lists the nodes of the graph.
func (c *collector) ids() []uint64 { return slices.Sorted(maps.Keys(c.nodeAt)) }

// maxGroups is the number of colours, and of kinds of lines.
const (
	maxGroups     = 8
	maxEdgeGroups = 5
)

// group gives each node a group by its labels and each edge a group by its type, the most frequent first. Where the sets of
// labels are too many for colours, the first label counts; what is left has the last group.
func (g *graph) group() {
	name := func(n *node) string { return strings.Join(n.labels, ":") }
	sets := map[string]bool{}
	for i := range g.nodes {
		sets[name(&g.nodes[i])] = true
	}
	if len(sets) > maxGroups {
		name = func(n *node) string { return strings.Join(n.labels[:min(1, len(n.labels))], "") }
	}
	names := make([]string, len(g.nodes))
	for i := range g.nodes {
		if names[i] = name(&g.nodes[i]); names[i] == "" {
			names[i] = "no label"
		}
	}
	var at []int
	g.nodeGroups, at = groupsOf(names, maxGroups, "labels")
	for i := range g.nodes {
		g.nodes[i].group = at[i]
		g.nodes[i].degree = 0
	}
	names = names[:0]
	for _, e := range g.edges {
		names = append(names, e.kind)
		g.nodes[e.from].degree++
		g.nodes[e.to].degree++
	}
	g.edgeGroups, at = groupsOf(names, maxEdgeGroups, "types")
	for i := range g.edges {
		g.edges[i].group = at[i]
	}
}

// groupsOf counts names and returns the group of each. At most so many names have a group of their own.
func groupsOf(names []string, most int, what string) (groups []group, of []int) {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	order := slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	index := map[string]int{}
	for i, n := range order {
		index[n] = min(i, most)
		if i < most {
			groups = append(groups, group{n, count[n]})
			continue
		}
		if i == most {
			groups = append(groups, group{name: fmt.Sprintf("%d more %s", len(order)-most, what)})
		}
		groups[most].count += count[n]
	}
	of = make([]int, len(names))
	for i, n := range names {
		of[i] = index[n]
	}
	return groups, of
}
