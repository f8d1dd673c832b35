package importer

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// dot is the state of reading a file of GraphViz. Its nodes may get attributes anywhere in the file.
type dot struct {
	*scanner
	l        *loader
	directed bool
	quoted   bool // the token was in quotes
	mark     byte // what the token is: 'i' an id, '>' an arrow, 0 the end of the file, else a character
	nodes    map[key]*dotNode
	order    []*dotNode
	rels     []pendingRel
	strict   bool // two nodes have one edge at most
}

// dropRepeats leaves out the edges that a strict graph has already.
func (x *dot) dropRepeats() {
	seen := make(map[[2]key]bool)
	before := len(x.rels)
	x.rels = slices.DeleteFunc(x.rels, func(r pendingRel) bool {
		ends := [2]key{r.from, r.to}
		again := seen[ends] || !x.directed && seen[[2]key{r.to, r.from}]
		seen[ends] = true
		return again
	})
	if n := before - len(x.rels); n > 0 {
		x.l.warn("%s: left out %s of a strict graph", x.src.file, plural(uint64(n), "repeated edge", "repeated edges"))
	}
}

type dotNode struct {
	id    key
	line  int
	names []string
	props map[string]csr.Cell
}

// readDOT reads the nodes and edges of one graph, with their attributes as properties. Attributes of the graph, of subgraphs and
// defaults are about drawing: readDOT leaves them out.
func readDOT(l *loader, _ context.Context) error {
	s, err := newScanner(l)
	if err != nil {
		return err
	}
	defer s.close()
	x := &dot{scanner: s, l: l, nodes: make(map[key]*dotNode)}
	if err := x.file(); err != nil {
		return err
	}
	if x.strict {
		x.dropRepeats()
	}
	told(l, x.directed)
	all := newElements(l, s.src.file)
	all.keepID = true
	for _, n := range x.order {
		item := nodeItem{id: n.id}
		for _, name := range n.names {
			item.props = append(item.props, prop{name, n.props[name]})
		}
		if err := all.node(&item, n.line); err != nil {
			return err
		}
	}
	for i := range x.rels {
		if err := all.rel(&x.rels[i].relItem, x.rels[i].line); err != nil {
			return err
		}
	}
	return all.finish()
}

// file reads [strict] (graph | digraph) [id] { statements }.
func (x *dot) file() error {
	if err := x.scan(); err != nil {
		return err
	}
	if x.strict = x.keyword("strict"); x.strict {
		if err := x.scan(); err != nil {
			return err
		}
	}
	if x.directed = x.keyword("digraph"); !x.directed && !x.keyword("graph") {
		return x.unexpected("graph or digraph")
	}
	if err := x.scan(); err != nil {
		return err
	}
	if x.mark == 'i' {
		if err := x.scan(); err != nil {
			return err
		}
	}
	if x.mark != '{' {
		return x.unexpected("{")
	}
	if _, err := x.statements(1); err != nil {
		return err
	}
	if err := x.scan(); err != nil {
		return err
	}
	if x.mark != 0 {
		return x.unexpected("the end of the file, after one graph")
	}
	return nil
}

func (x *dot) keyword(word string) bool {
	return x.mark == 'i' && !x.quoted && strings.EqualFold(string(x.token), word)
}

func (x *dot) unexpected(want string) error {
	if x.mark == 0 {
		return x.errorAtToken("found the end of the file, expected %s", want)
	}
	return x.errorAtToken("found %s, expected %s", shown(x.token), want)
}

// statements reads up to the closing brace. It returns the nodes of a subgraph, which may be an end of an edge.
func (x *dot) statements(depth int) (met []key, err error) {
	if depth > maxNesting {
		return nil, x.errorAtToken("found subgraphs that nest deeper than %d", maxNesting)
	}
	if err := x.scan(); err != nil {
		return nil, err
	}
	for x.mark != '}' {
		if x.mark == ';' || x.mark == ',' {
			if err := x.scan(); err != nil {
				return nil, err
			}
			continue
		}
		more, err := x.statement(depth)
		if err != nil {
			return nil, err
		}
		if depth > 1 {
			met = append(met, more...)
			x.take(keyBytes * int64(len(more)))
		}
	}
	return met, nil
}

// statement reads one statement and the token behind it.
func (x *dot) statement(depth int) (met []key, err error) {
	if x.keyword("graph") || x.keyword("node") || x.keyword("edge") {
		if err := x.scan(); err != nil {
			return nil, err
		}
		_, err := x.attributes()
		return nil, err
	}
	line := x.at[0]
	first, assigned, err := x.end(depth, true)
	if err != nil || assigned {
		return nil, err
	}
	met = first
	ends := [][]key{first}
	for x.mark == '>' {
		if directed := string(x.token) == "->"; directed != x.directed {
			return nil, x.errorAtToken("found %s in a %s", shown(x.token), map[bool]string{true: "digraph, expected ->", false: "graph, expected --"}[x.directed])
		}
		if err := x.scan(); err != nil {
			return nil, err
		}
		next, _, err := x.end(depth, false)
		if err != nil {
			return nil, err
		}
		ends, met = append(ends, next), append(met, next...)
	}
	attributes, err := x.attributes()
	if err != nil {
		return nil, err
	}
	if len(ends) == 1 && len(first) == 1 {
		x.nodes[first[0]].set(attributes)
	}
	return met, x.relate(ends, attributes, line)
}

// relate adds a relationship from each node of an end to each node of the next.
func (x *dot) relate(ends [][]key, attributes []prop, line int) error {
	for i := 1; i < len(ends); i++ {
		for _, from := range ends[i-1] {
			for _, to := range ends[i] {
				x.rels = append(x.rels, pendingRel{relItem{from: from, to: to, props: attributes}, line})
				x.take(pendingBytes)
			}
			if err := x.l.fits(x.src.file, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *dot) take(n int64) { x.l.take(n) }

func (n *dotNode) set(attributes []prop) {
	for _, p := range attributes {
		if _, ok := n.props[p.name]; !ok {
			n.names = append(n.names, p.name)
		}
		if n.props == nil {
			n.props = make(map[string]csr.Cell)
		}
		n.props[p.name] = p.cell
	}
}

// end reads a node or a subgraph. With first it may be an assignment to an attribute of the graph instead.
func (x *dot) end(depth int, first bool) (nodes []key, assigned bool, err error) {
	if x.mark == '{' || x.keyword("subgraph") {
		nodes, err = x.subgraph(depth + 1)
		return nodes, false, err
	}
	if x.mark != 'i' {
		return nil, false, x.unexpected("a node, a subgraph or }")
	}
	name, line := string(x.token), x.at[0]
	if name == "" {
		return nil, false, x.errorAtToken("found an empty id, expected a node")
	}
	if err := x.scan(); err != nil {
		return nil, false, err
	}
	if x.mark == '=' && first {
		if err = x.scan(); err == nil && x.mark != 'i' {
			err = x.unexpected("a value")
		}
		if err == nil {
			err = x.scan()
		}
		return nil, true, err
	}
	if err := x.ports(); err != nil {
		return nil, false, err
	}
	id := keyOf([]byte(name))
	if x.nodes[id] == nil {
		n := &dotNode{id: id, line: line}
		x.nodes[id], x.order = n, append(x.order, n)
		x.take(pendingBytes + int64(len(name)))
	}
	return []key{id}, false, nil
}

// subgraph reads { statements }, with or without the word subgraph and an id before it, and the token behind it.
func (x *dot) subgraph(depth int) (nodes []key, err error) {
	if x.keyword("subgraph") {
		if err := x.scan(); err != nil {
			return nil, err
		}
		if x.mark == 'i' {
			if err := x.scan(); err != nil {
				return nil, err
			}
		}
		if x.mark != '{' {
			return nil, x.unexpected("{")
		}
	}
	if nodes, err = x.statements(depth); err == nil {
		err = x.scan()
	}
	return nodes, err
}

// ports passes the ports of a node, which are about drawing.
func (x *dot) ports() error {
	for x.mark == ':' {
		err := x.scan()
		if err == nil && x.mark != 'i' {
			err = x.unexpected("a port")
		}
		if err == nil {
			err = x.scan()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attributes reads lists of attributes, if there are any.
func (x *dot) attributes() (props []prop, err error) {
	for x.mark == '[' {
		if err := x.scan(); err != nil {
			return nil, err
		}
		for x.mark != ']' {
			if x.mark == ';' || x.mark == ',' {
				if err := x.scan(); err != nil {
					return nil, err
				}
				continue
			}
			p, err := x.attribute()
			if err != nil {
				return nil, err
			}
			props = append(props, p)
			x.take(propBytes + int64(len(p.name)+len(p.cell.Str)))
		}
		if err := x.scan(); err != nil {
			return nil, err
		}
	}
	return props, nil
}

// attribute reads name = value. A name alone is true.
func (x *dot) attribute() (p prop, err error) {
	if x.mark != 'i' {
		return p, x.unexpected("the name of an attribute or ]")
	}
	p.name, p.cell = string(x.token), csr.BoolCell(true)
	if err := x.scan(); err != nil || x.mark != '=' {
		return p, err
	}
	if err := x.scan(); err != nil {
		return p, err
	}
	if x.mark != 'i' {
		return p, x.unexpected("a value")
	}
	p.cell = csr.StringCell(string(x.token))
	if v, ok := parseNumber(string(x.token)); ok && !x.quoted && v.Kind() != value.String && strings.IndexByte("+-.0123456789", x.token[0]) >= 0 {
		if p.cell, err = v.Cell(); err != nil {
			return p, err
		}
	}
	return p, x.scan()
}

func detectDOT(o *opening) string {
	words := o.words
	if strings.EqualFold(string(words[0]), "strict") && len(words) > 1 {
		words = words[1:]
	}
	first := strings.ToLower(strings.TrimRight(string(words[0]), "{"))
	if (first == "digraph" || first == "graph") && (bytes.IndexByte(o.first, '{') >= 0 || o.second("{")) {
		return "it begins like GraphViz"
	}
	return ""
}
