package importer

import (
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/value"
)

// gml is the state of reading a GML file: keys with a number, a string or a list of keys each.
type gml struct {
	*scanner
	*elements
	graphs   int
	directed bool
	lists    uint64 // lists inside nodes and edges, which are left out
}

// gmlPair is a key with a value that is no list.
type gmlPair struct {
	name string
	v    value.Value
}

// readGML reads the nodes and edges of a GML file, with their attributes as properties.
func readGML(l *loader, _ context.Context) error {
	s, err := newScanner(l)
	if err != nil {
		return err
	}
	defer s.close()
	x := &gml{scanner: s, elements: newElements(l, s.src.file)}
	x.keepID = true
	err = x.pairs(0, func(name string) error {
		if name != "graph" {
			return x.leaveOut(0)
		}
		if x.graphs++; x.graphs > 1 {
			return x.errorAtToken("found a second graph, expected one")
		}
		return x.list(0, x.graph)
	})
	if err != nil {
		return err
	}
	if x.graphs == 0 {
		return &Error{File: s.src.file, Msg: "found no graph [ ... ]"}
	}
	if x.lists > 0 {
		l.warn("%s: left out %s inside nodes and edges", s.src.file, plural(x.lists, "list", "lists"))
	}
	told(l, x.directed)
	return x.finish()
}

// told reports what a file of a complete format says of its direction.
func told(l *loader, directed bool) {
	l.report.Directed = directed
	l.report.Direction = l.firstFile() + " says so"
}

func (x *gml) graph(name string) error {
	switch name {
	case "directed":
		v, err := x.value()
		x.directed = v.Kind() == value.Int && v.Int() != 0
		return err
	case "node":
		return x.node()
	case "edge":
		return x.edge()
	}
	return x.leaveOut(1)
}

func (x *gml) node() error {
	line := x.line
	all, err := x.attributes()
	if err != nil {
		return err
	}
	n := nodeItem{}
	for _, p := range all {
		if p.name == "id" {
			if n.id, err = jsonID(p.v); err != nil {
				return &Error{File: x.file, Line: line, Msg: err.Error()}
			}
		}
	}
	if len(all) == 0 || n.id == (key{}) && !hasPair(all, "id") {
		return &Error{File: x.file, Line: line, Msg: "found a node without id"}
	}
	if n.props, err = gmlProps(all, "id"); err != nil {
		return &Error{File: x.file, Line: line, Msg: err.Error()}
	}
	return x.elements.node(&n, line)
}

func (x *gml) edge() error {
	line := x.line
	all, err := x.attributes()
	if err != nil {
		return err
	}
	if !hasPair(all, "source") || !hasPair(all, "target") {
		return &Error{File: x.file, Line: line, Msg: "found an edge without source or target"}
	}
	r := relItem{}
	for _, p := range all {
		end := map[string]*key{"source": &r.from, "target": &r.to}[p.name]
		if end == nil {
			continue
		}
		if *end, err = jsonID(p.v); err != nil {
			return &Error{File: x.file, Line: line, Msg: err.Error()}
		}
	}
	if r.props, err = gmlProps(all, "source", "target"); err != nil {
		return &Error{File: x.file, Line: line, Msg: err.Error()}
	}
	return x.rel(&r, line)
}

func hasPair(all []gmlPair, name string) bool {
	for _, p := range all {
		if p.name == name {
			return true
		}
	}
	return false
}

// gmlProps makes properties of pairs. A key that occurs several times is a list.
func gmlProps(all []gmlPair, without ...string) (props []prop, err error) {
	var names []string
	values := make(map[string][]value.Value)
	for _, name := range without {
		values[name] = nil
	}
	for _, p := range all {
		if _, known := values[p.name]; !known {
			names = append(names, p.name)
		}
		values[p.name] = append(values[p.name], p.v)
	}
	for _, name := range names {
		v := values[name][0]
		if len(values[name]) > 1 {
			v = value.OfList(values[name])
		}
		c, err := v.Cell()
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		props = append(props, prop{name, c})
	}
	return props, nil
}

// attributes reads the list of a node or an edge.
func (x *gml) attributes() (all []gmlPair, err error) {
	held := int64(0)
	defer func() { x.take(-held) }()
	err = x.list(1, func(name string) error {
		b, err := x.blanks()
		if err != nil {
			return err
		}
		if b == '[' {
			x.lists++
			return x.leaveOut(2)
		}
		v, err := x.value()
		if err != nil {
			return err
		}
		all = append(all, gmlPair{name, v})
		more := int64(96 + len(name) + len(x.token))
		x.take(more)
		held += more
		return x.fits(x.file, x.line)
	})
	return all, err
}

// list reads [ ... ] and calls pair with every key; pair reads the value.
func (x *gml) list(depth int, pair func(name string) error) error {
	b, err := x.blanks()
	if err != nil {
		return err
	}
	if b != '[' {
		return x.errorHere("expected [ and a list")
	}
	x.skip()
	if err := x.pairs(depth+1, pair); err != nil {
		return err
	}
	b, err = x.peek()
	if err == nil && b != ']' {
		err = x.errorHere("found the end of the file inside a list, expected ]")
	}
	x.skip()
	return err
}

// pairs reads keys up to the end of the list, or of the file at depth 0.
func (x *gml) pairs(depth int, pair func(name string) error) error {
	if depth > maxNesting {
		return x.errorHere("found lists that nest deeper than %d", maxNesting)
	}
	for {
		b, err := x.blanks()
		if err != nil || b == 0 || b == ']' && depth > 0 {
			return err
		}
		if err := x.begin(); err != nil {
			return err
		}
		if err := x.while(func(b byte) bool { return isWordByte(b) }); err != nil {
			return err
		}
		if len(x.token) == 0 || x.token[0] >= '0' && x.token[0] <= '9' {
			return x.errorAtToken("found %s, expected a key", shown(append(x.token, b)))
		}
		name, err := x.scanner.text()
		if err == nil {
			err = pair(name)
		}
		if err != nil {
			return err
		}
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// blanks passes blanks and comments and returns the next byte; 0 at the end of the file.
func (x *gml) blanks() (byte, error) {
	for {
		b, err := x.peek()
		switch {
		case err != nil || b == 0:
			return 0, err
		case b == '#' && x.column == 1:
			for b != '\n' && b != 0 {
				x.skip()
				if b, err = x.peek(); err != nil {
					return 0, err
				}
			}
		case b == '\n' || blank[b]:
			x.skip()
		default:
			return b, nil
		}
	}
}

// leaveOut passes a value.
func (x *gml) leaveOut(depth int) error {
	b, err := x.blanks()
	if err == nil && b == '[' {
		return x.list(depth, func(string) error { return x.leaveOut(depth + 1) })
	}
	if err == nil {
		_, err = x.value()
	}
	return err
}

// value reads a number or a string.
func (x *gml) value() (value.Value, error) {
	b, err := x.blanks()
	if err == nil {
		err = x.begin()
	}
	if err != nil {
		return value.Value{}, err
	}
	if b == '"' {
		x.skip()
		if err := x.while(func(b byte) bool { return b != '"' }); err != nil {
			return value.Value{}, err
		}
		if b, err := x.peek(); err != nil || b == 0 {
			if err == nil {
				err = x.errorAtToken("found a string without its closing quote")
			}
			return value.Value{}, err
		}
		x.skip()
		s, err := x.scanner.text()
		return value.OfString(html.UnescapeString(s)), err
	}
	if err := x.while(func(b byte) bool { return b == '+' || b == '-' || b == '.' || isWordByte(b) }); err != nil {
		return value.Value{}, err
	}
	if v, ok := parseNumber(string(x.token)); ok {
		return v, nil
	}
	return value.Value{}, x.errorAtToken("found %s, expected a number, a string in quotes or a list", shown(x.token))
}

// parseNumber reads an integer or a float.
func parseNumber(s string) (value.Value, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return value.OfInt(n), true
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "_xX") {
		return value.Value{}, false
	}
	return value.OfFloat(x), true
}

// detectGML tells GML by its first key and the bracket behind it.
func detectGML(o *opening) string {
	first := strings.ToLower(string(o.words[0]))
	switch {
	case (first == "creator" || first == "version") && len(o.words) > 1 && strings.Contains(string(o.head), "graph"),
		first == "graph[", first == "graph" && (len(o.words) == 1 && o.second("[") || len(o.words) > 1 && o.words[1][0] == '['):
		return "it begins like GML"
	}
	return ""
}
