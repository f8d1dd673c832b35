package importer

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/value"
)

// jsonItem is one line: a node or a relationship.
type jsonItem struct {
	line int
	node *nodeItem
	rel  *relItem
}

// jsonItems are the lines of a chunk.
type jsonItems []jsonItem

func (all jsonItems) bytes() int64 {
	size := 32 * int64(cap(all))
	for i := range all {
		if n := all[i].node; n != nil {
			size += 128 + 16*int64(cap(n.labels)) + propBytes*int64(cap(n.props)+cap(n.external))
		} else if r := all[i].rel; r != nil {
			size += pendingBytes + propBytes*int64(cap(r.props))
		}
	}
	return size
}

// keepsText reports whether properties use the text of the chunk.
func (all jsonItems) keepsText() bool {
	has := func(p prop) bool { return p.cell.Str != "" }
	return slices.ContainsFunc(all, func(it jsonItem) bool {
		return it.node != nil && slices.ContainsFunc(it.node.props, has) || it.rel != nil && slices.ContainsFunc(it.rel.props, has)
	})
}

// readJSONL reads a file of JSON objects, one a line.
func (l *loader) readJSONL(ctx context.Context) error {
	f, err := l.openFile(l.Files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	x := newElements(l, f.src.file)
	x.shares = true
	f.separators = ",:[{\n"
	err = inOrder(ctx, l, l.Workers, f.next, func(c *chunk) (jsonItems, error) {
		return parseUTF8(c, f.cut, parseJSONLines)
	}, func(c *chunk, items jsonItems) error {
		f.count(c)
		c.kept = items.keepsText() || len(x.pending) > 0
		for _, it := range items {
			var err error
			if it.node != nil {
				err = x.node(it.node, it.line)
			} else {
				err = x.rel(it.rel, it.line)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return x.finish()
}

func parseJSONLines(c *chunk) (items jsonItems, err error) {
	line := c.line
	for lo := 0; lo < len(c.data); line++ {
		hi := lineEnd(c.data, lo)
		text := c.str(lo, hi)
		if strings.TrimSpace(text) != "" {
			it, err := parseJSONLine(text)
			if err != nil {
				at := 0
				var je *value.JSONError
				msg := err.Error()
				if errors.As(err, &je) {
					at, msg = je.Offset, je.Msg
				}
				e := c.errorAt(lo+min(at, hi-lo), "%s", msg)
				if errors.Is(err, errNoElement) {
					return items, e.hint("CSV of plain objects loads: jq -r '[.from, .to] | @csv' %s > table.csv", c.file)
				}
				return items, e
			}
			it.line = line
			items = append(items, it)
		}
		lo = hi + 1
	}
	return items, nil
}

// errNoElement is the error about an object that is neither a node nor a relationship.
var errNoElement = errors.New(`expected the key "type" to be "node" or "relationship"`)

func parseJSONLine(text string) (it jsonItem, err error) {
	v, err := value.ParseJSON(text)
	if err != nil {
		return it, err
	}
	if v.Kind() != value.Map {
		return it, errors.New(`expected an object {"type":"node",...} or {"type":"relationship",...} on every line`)
	}
	m := v.Map()
	kind, _ := m.Get("type")
	switch {
	case kind.Kind() == value.String && kind.Str() == "node":
		it.node, err = jsonNode(m)
	case kind.Kind() == value.String && kind.Str() == "relationship":
		it.rel, err = jsonRel(m)
	default:
		err = errNoElement
	}
	return it, err
}

func jsonNode(m *value.MapValue) (*nodeItem, error) {
	n := &nodeItem{}
	hasID := false
	for i, name := range m.Keys {
		v := m.Values[i]
		var err error
		switch name {
		case "type":
		case "id":
			hasID = true
			n.id, err = jsonID(v)
		case "labels":
			n.labels, err = jsonNames(v)
		case "properties":
			n.props, err = jsonProps(v)
		case "external":
			n.external, err = jsonExternal(v)
		default:
			err = errors.New("a node has no key " + shown([]byte(name)) + "; its keys are type, id, labels, properties and external")
		}
		if err != nil {
			return nil, err
		}
	}
	if !hasID {
		return nil, errors.New(`a node needs the key "id"`)
	}
	return n, nil
}

func jsonRel(m *value.MapValue) (*relItem, error) {
	r := &relItem{}
	ends := 0
	for i, name := range m.Keys {
		v := m.Values[i]
		var err error
		switch name {
		case "type":
		case "id":
			r.hasID = true
			r.id, err = jsonID(v)
		case "label":
			if v.Kind() != value.String {
				return nil, errors.New(`"label" must be a string: the relationship's type`)
			}
			r.typ = v.Str()
		case "properties":
			r.props, err = jsonProps(v)
		case "start":
			ends++
			r.from, err = jsonEnd(v)
		case "end":
			ends++
			r.to, err = jsonEnd(v)
		default:
			err = errors.New("a relationship has no key " + shown([]byte(name)) + "; its keys are type, id, label, start, end and properties")
		}
		if err != nil {
			return nil, err
		}
	}
	if ends < 2 {
		return nil, errors.New(`a relationship needs the keys "start" and "end"`)
	}
	return r, nil
}

// jsonEnd reads a node's id, or an object that has it as id.
func jsonEnd(v value.Value) (key, error) {
	if v.Kind() == value.Map {
		v, _ = v.Map().Get("id")
	}
	return jsonID(v)
}

func jsonID(v value.Value) (key, error) {
	switch {
	case v.Kind() == value.Int:
		return key{n: v.Int()}, nil
	case v.Kind() == value.String && v.Str() != "":
		return keyOf([]byte(v.Str())), nil
	}
	return key{}, errors.New("an id must be an integer or a string that is not empty")
}

func jsonNames(v value.Value) (names []string, err error) {
	if v.Kind() == value.List {
		for _, e := range v.List() {
			if e.Kind() != value.String {
				return nil, errors.New(`"labels" must be a list of strings`)
			}
			names = append(names, e.Str())
		}
		return names, nil
	}
	if v.IsNull() {
		return nil, nil
	}
	return nil, errors.New(`"labels" must be a list of strings`)
}

func jsonProps(v value.Value) (props []prop, err error) {
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind() != value.Map {
		return nil, errors.New(`"properties" must be an object`)
	}
	m := v.Map()
	for i, name := range m.Keys {
		c, err := propertyCell(m.Values[i])
		if err != nil {
			return nil, errors.New("property " + shown([]byte(name)) + ": " + err.Error())
		}
		if c.Kind != 0 {
			props = append(props, prop{name, c})
		}
	}
	return props, nil
}

func jsonExternal(v value.Value) (all []external, err error) {
	if v.Kind() != value.Map {
		return nil, errors.New(`"external" must be an object of ids by id space`)
	}
	m := v.Map()
	for i, name := range m.Keys {
		c, err := externalCell(m.Values[i])
		if err != nil {
			return nil, err
		}
		all = append(all, external{name, c})
	}
	return all, nil
}

// looksJSONL recognises a line of JSON Lines.
func looksJSONL(row []byte) bool {
	row = bytes.TrimSpace(row)
	return len(row) > 1 && row[0] == '{' && (bytes.Contains(row, []byte(`"node"`)) || bytes.Contains(row, []byte(`"relationship"`)))
}

// severalObjects reports whether the first two lines of a text are JSON objects of nodes or relationships, as apoc.export.json of Neo4j
// writes them.
func severalObjects(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	first, rest, _ := bytes.Cut(head, []byte{'\n'})
	return looksJSONL(first) && bytes.HasSuffix(bytes.TrimSpace(first), []byte("}")) && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`{"type":`))
}
