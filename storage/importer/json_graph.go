package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/motifql/motif/internal/value"
)

// jsonGraph reads a graph that is one JSON object: node-link and adjacency data of NetworkX, JSON Graph Format, Cytoscape.
type jsonGraph struct {
	*elements
	directed bool
}

// jsonWorth is what a byte of JSON takes once it is read.
const jsonWorth = 24

func readJSONGraph(l *loader, _ context.Context) error {
	path := l.Files[0]
	src, err := l.openSource(path)
	if err != nil {
		return err
	}
	defer src.Close()
	l.report.Files++
	data, err := readWhole(l, src, path)
	if err != nil {
		return fileError(path, err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	c := &chunk{file: path, line: 1, data: data}
	if _, err := c.checkUTF8(func([]byte) int { return 0 }); err != nil {
		return err
	}
	l.report.Bytes, l.report.Lines = uint64(len(data)), uint64(bytes.Count(data, []byte{'\n'}))
	l.take(jsonWorth * int64(len(data)))
	if err := l.fits(path, 0); err != nil {
		return err
	}
	if len(data) == 0 {
		return emptyFile(path)
	}
	v, err := value.ParseJSON(c.str(0, len(data)))
	if err != nil {
		var je *value.JSONError
		if errors.As(err, &je) {
			return c.errorAt(min(je.Offset, len(data)), "%s", je.Msg)
		}
		return &Error{File: path, Msg: err.Error()}
	}
	x := &jsonGraph{elements: newElements(l, path)}
	x.keepID = true
	if err := x.graph(v); err != nil {
		var e *Error
		if errors.As(err, &e) {
			return err
		}
		return &Error{File: path, Msg: err.Error()}
	}
	told(l, x.directed)
	return x.finish()
}

// graph finds out by its keys which kind of object the file is.
func (x *jsonGraph) graph(v value.Value) error {
	if v.Kind() == value.Map {
		m := v.Map()
		if g, ok := m.Get("graph"); ok && g.Kind() == value.Map && has(g.Map(), "nodes") {
			return x.graph(g) // JSON Graph Format
		}
		if e, ok := m.Get("elements"); ok && e.Kind() == value.Map && has(e.Map(), "nodes") {
			return x.lists(e.Map(), "edges", "data", boolOf(m, "directed", false)) // Cytoscape
		}
		if has(m, "graphs") {
			return errors.New("found several graphs, expected one")
		}
		for _, links := range []string{"links", "edges"} {
			if has(m, "nodes") && has(m, links) {
				return x.lists(m, links, "", boolOf(m, "directed", links == "edges" && !has(m, "multigraph")))
			}
		}
		if has(m, "nodes") && has(m, "adjacency") {
			return x.adjacency(m)
		}
		if has(m, "nodes") {
			return x.lists(m, "links", "", boolOf(m, "directed", false))
		}
	}
	return errors.New(`found JSON that is no graph: expected an object with "nodes" and "links", "edges" or "adjacency" (NetworkX), "graph" (JSON Graph Format) or "elements" (Cytoscape), or JSON Lines in a file that ends in .jsonl`)
}

func has(m *value.MapValue, name string) bool {
	_, ok := m.Get(name)
	return ok
}

func boolOf(m *value.MapValue, name string, otherwise bool) bool {
	if v, ok := m.Get(name); ok && v.Kind() == value.Bool {
		return v.Bool()
	}
	return otherwise
}

// lists reads lists of nodes and of edges. inside is the key of the object that has the attributes, "" if the item itself has them.
func (x *jsonGraph) lists(m *value.MapValue, links, inside string, directed bool) error {
	x.directed = directed
	if err := x.nodeList(m, inside); err != nil {
		return err
	}
	v, _ := m.Get(links)
	if v.IsNull() {
		return nil
	}
	if v.Kind() != value.List {
		return fmt.Errorf("%q must be a list", links)
	}
	for i, e := range v.List() {
		if err := x.fitsAt(i); err != nil {
			return err
		}
		item := attributesOf(e, inside)
		if item == nil {
			return fmt.Errorf("%s[%d] must be an object", links, i)
		}
		if err := x.edge(item); err != nil {
			return fmt.Errorf("%s[%d]: %w", links, i, err)
		}
	}
	return nil
}

// nodeList reads the nodes: a list of objects, or an object of them by id. A node without id has its place in the list as id.
func (x *jsonGraph) nodeList(m *value.MapValue, inside string) error {
	v, _ := m.Get("nodes")
	if v.Kind() == value.Map {
		for i, id := range v.Map().Keys {
			item := attributesOf(v.Map().Values[i], inside)
			if id == "" || item == nil {
				return fmt.Errorf("nodes[%q] must be an object with an id that is not empty", id)
			}
			if err := x.jsonNode(keyOf([]byte(id)), item); err != nil {
				return fmt.Errorf("nodes[%q]: %w", id, err)
			}
		}
		return nil
	}
	if v.Kind() != value.List {
		return errors.New(`"nodes" must be a list or an object`)
	}
	for i, e := range v.List() {
		if err := x.fitsAt(i); err != nil {
			return err
		}
		item := attributesOf(e, inside)
		if item == nil {
			return fmt.Errorf("nodes[%d] must be an object", i)
		}
		id := key{n: int64(i)}
		if given, ok := item.Get("id"); ok {
			var err error
			if id, err = jsonID(given); err != nil {
				return fmt.Errorf("nodes[%d]: %w", i, err)
			}
		}
		if err := x.jsonNode(id, item); err != nil {
			return fmt.Errorf("nodes[%d]: %w", i, err)
		}
	}
	return nil
}

// attributesOf returns the object with the attributes of an item; nil if there is none.
func attributesOf(v value.Value, inside string) *value.MapValue {
	if v.Kind() != value.Map {
		return nil
	}
	if inside == "" {
		return v.Map()
	}
	if v, _ = v.Map().Get(inside); v.Kind() != value.Map {
		return nil
	}
	return v.Map()
}

func (x *jsonGraph) jsonNode(id key, item *value.MapValue) error {
	n := nodeItem{id: id}
	var err error
	if n.labels, err = labelList(item); err != nil {
		return err
	}
	if n.props, err = flatProps(item, "id", "labels"); err != nil {
		return err
	}
	return x.node(&n, 0)
}

// labelList is the list of labels of a node, if it has one.
func labelList(item *value.MapValue) ([]string, error) {
	v, _ := item.Get("labels")
	if v.Kind() != value.List {
		return nil, nil
	}
	return jsonNames(v)
}

func (x *jsonGraph) edge(item *value.MapValue) error {
	r := relItem{}
	for name, end := range map[string]*key{"source": &r.from, "target": &r.to} {
		v, ok := item.Get(name)
		if !ok {
			return fmt.Errorf("an edge needs the key %q", name)
		}
		var err error
		if *end, err = jsonEnd(v); err != nil {
			return err
		}
	}
	if v, _ := item.Get("relation"); v.Kind() == value.String {
		r.typ = v.Str()
	}
	var err error
	if r.props, err = flatProps(item, "source", "target", "relation", "directed"); err != nil {
		return err
	}
	return x.rel(&r, 0)
}

// adjacency reads the neighbours of each node, in the order of the nodes. Of an undirected edge it takes the first of two entries.
func (x *jsonGraph) adjacency(m *value.MapValue) error {
	x.directed = boolOf(m, "directed", false)
	if err := x.nodeList(m, ""); err != nil {
		return err
	}
	lists, _ := m.Get("adjacency")
	if lists.Kind() != value.List || len(lists.List()) != len(x.nodes) {
		return fmt.Errorf(`"adjacency" must have a list for each of the %d nodes`, len(x.nodes))
	}
	for i, list := range lists.List() {
		if err := x.fitsAt(i); err != nil {
			return err
		}
		if list.Kind() != value.List {
			return fmt.Errorf("adjacency[%d] must be a list", i)
		}
		for _, e := range list.List() {
			if err := x.neighbour(i, e); err != nil {
				return fmt.Errorf("adjacency[%d]: %w", i, err)
			}
		}
	}
	return nil
}

func (x *jsonGraph) neighbour(i int, e value.Value) error {
	if e.Kind() != value.Map {
		return errors.New("a neighbour must be an object")
	}
	id, _ := e.Map().Get("id")
	to, err := jsonID(id)
	if err != nil {
		return err
	}
	v, ok := x.ids.get(to)
	if !ok {
		return fmt.Errorf("found neighbour %q, which is no node", to.String())
	}
	if !x.directed && v < x.first+uint32(i) {
		return nil
	}
	props, err := flatProps(e.Map(), "id")
	if err != nil {
		return err
	}
	return x.rel(&relItem{from: x.nodes[i], to: to, props: props}, 0)
}

// flatProps makes properties of an object's keys. Objects inside it give properties whose names have a dot, but "metadata" and
// "properties" give theirs without one.
func flatProps(m *value.MapValue, without ...string) (props []prop, err error) {
	seen := make(map[string]bool)
	var walk func(prefix string, m *value.MapValue, top bool) error
	walk = func(prefix string, m *value.MapValue, top bool) error {
		for i, name := range m.Keys {
			v := m.Values[i]
			if top && slices.Contains(without, name) && (name != "labels" || v.Kind() == value.List) {
				continue
			}
			if v.Kind() == value.Map {
				inner := prefix + name + "."
				if top && (name == "metadata" || name == "properties") {
					inner = ""
				}
				if err := walk(inner, v.Map(), false); err != nil {
					return err
				}
				continue
			}
			c, err := propertyCell(v)
			if err != nil {
				return fmt.Errorf("property %q: %w", prefix+name, err)
			}
			if seen[prefix+name] {
				return fmt.Errorf("found property %q a second time", prefix+name)
			}
			seen[prefix+name] = true
			if c.Kind != 0 {
				props = append(props, prop{prefix + name, c})
			}
		}
		return nil
	}
	err = walk("", m, true)
	return props, err
}

func detectJSONGraph(o *opening) string {
	if (o.first[0] == '{' || o.first[0] == '[') && !looksJSONL(o.first) {
		return "it begins like JSON, " + strconv.Quote(string(o.first[:1]))
	}
	return ""
}
