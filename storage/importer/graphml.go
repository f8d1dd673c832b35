package importer

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// graphML is the state of reading one file.
type graphML struct {
	*elements
	dec        *xml.Decoder
	keys       map[[2]string]*graphKey // by what they are for (node or edge) and id
	defaults   map[string][]*graphKey  // for node and edge: the keys with a default, in order
	graphs     int
	others     []external // of the node being read
	dropped    int        // graphs, ports, hyperedges inside elements
	tokens     int
	depth      int // of the elements that are open
	counted    *byteCounter
	undirected bool                         // the graph says so
	root       string                       // the name of the first element
	begin      func(xml.StartElement) error // reads an element outside nodes and edges
}

// readGraphML reads a GraphML file. Relationships are directed as written: from source to target.
func (l *loader) readGraphML(ctx context.Context) error {
	var x *graphML
	err := readXML(l, ctx, "graphml", func(of *graphML) func(xml.StartElement) error {
		x = of
		return x.element
	})
	if err == nil && x.undirected {
		told(l, false)
	}
	return err
}

// readXML reads a file of a format in XML. reader makes what reads the elements outside nodes and edges.
func readXML(l *loader, ctx context.Context, root string, reader func(*graphML) func(xml.StartElement) error) error {
	path := l.Files[0]
	src, err := l.openSource(path)
	if err != nil {
		return err
	}
	l.report.Files++
	defer func() {
		l.done += uint64(src.read.Load())
		src.Close()
	}()
	counted := &byteCounter{r: src, l: l}
	x := &graphML{elements: newElements(l, path), counted: counted, dec: xml.NewDecoder(counted), keys: make(map[[2]string]*graphKey), defaults: make(map[string][]*graphKey), root: root}
	x.begin = reader(x)
	x.dec.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("the text is %s; convert it to UTF-8", charset)
	}
	err = x.read(ctx, func() {
		l.report.Bytes, l.report.Lines = counted.n, counted.lines
		l.progress(readSoFar(l, path, uint64(src.read.Load())))
	})
	if err != nil {
		return x.place(err)
	}
	if x.dropped > 0 {
		what := map[bool]string{true: "colours, positions, times", false: "graphs, ports, hyperedges"}[root == "gexf"]
		l.warn("%s: left out %s inside nodes and edges (%s)", path, plural(uint64(x.dropped), "element", "elements"), what)
	}
	return x.finish()
}

// byteCounter counts what passes. What has passed since the last token is charged: the decoder holds it, in buffers that
// double, and an attribute takes far more than its text.
type byteCounter struct {
	r        io.Reader
	l        *loader
	n, lines uint64
	token    int64 // bytes charged for the token that is being read
}

const (
	tokenWorth = 6   // what the decoder and the load take for a byte of a token
	attrWorth  = 160 // for an attribute
	maxNesting = 1000
)

func (c *byteCounter) Read(p []byte) (int, error) {
	if over(c.l.mem) {
		return 0, c.l.tooMuch("", 1) // place names file and line
	}
	n, err := c.r.Read(p)
	c.n += uint64(n)
	c.lines += uint64(bytes.Count(p[:n], []byte{'\n'}))
	if c.l.mem != nil {
		worth := tokenWorth*int64(n) + attrWorth*int64(bytes.Count(p[:n], []byte{'='}))
		c.token += worth
		c.l.take(worth)
	}
	return n, err
}

// next says that a token was read.
func (c *byteCounter) next() {
	c.l.take(-c.token)
	c.token = 0
}

// place turns an error into an *Error about where the decoder stands.
func (x *graphML) place(err error) error {
	line, column := x.dec.InputPos()
	var e *Error
	if errors.As(err, &e) {
		if e.File == "" {
			e.File, e.Line = x.file, line
		}
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	msg := err.Error()
	var se *xml.SyntaxError
	switch {
	case errors.As(err, &se):
		line, column, msg = se.Line, 0, "this is not XML: "+se.Msg
	case err == io.EOF:
		msg = "found the end of the file inside an element"
	}
	return &Error{File: x.file, Line: line, Column: column, Msg: msg}
}

// next is the next token but for what says nothing.
func (x *graphML) next() (xml.Token, error) {
	for {
		t, err := x.dec.Token()
		if err != nil {
			return nil, err
		}
		x.counted.next()
		switch t.(type) {
		case xml.StartElement:
			if x.depth++; x.depth > maxNesting {
				return nil, fmt.Errorf("found elements that nest deeper than %d", maxNesting)
			}
			return t, nil
		case xml.EndElement:
			x.depth--
			return t, nil
		case xml.CharData:
			return t, nil
		}
	}
}

// skip reads up to the end of the element just begun.
func (x *graphML) skip() error {
	for depth := x.depth; x.depth >= depth; {
		if _, err := x.next(); err != nil {
			return err
		}
	}
	return nil
}

func (x *graphML) read(ctx context.Context, progress func()) error {
	root := false
	for {
		if x.tokens++; x.tokens%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress()
		}
		if over(x.mem) {
			return x.tooMuch("", 1) // place names file and line
		}
		t, err := x.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if !root && start.Name.Local != x.root {
			return fmt.Errorf("found element <%s>, expected <%s>", start.Name.Local, x.root)
		}
		root = true
		if err := x.begin(start); err != nil {
			return err
		}
	}
	if !root {
		return fmt.Errorf("found no <%s> element", x.root)
	}
	progress()
	return nil
}

// element reads an element outside nodes and edges.
func (x *graphML) element(start xml.StartElement) error {
	switch start.Name.Local {
	case "graphml":
		return nil
	case "graph":
		if x.graphs++; x.graphs > 1 {
			return errors.New("found a second <graph>, expected one")
		}
		x.undirected = attr(start, "edgedefault") == "undirected"
		// Motif and Neo4j declare labels. In files of other programs, such as NetworkX, ids are all that a node is known by.
		x.keepID = x.keys[[2]string{"node", labelsKey}] == nil
		return nil
	case "key":
		return x.key(start)
	case "node":
		return x.readNode(start)
	case "edge":
		return x.readEdge(start)
	case "hyperedge":
		return errors.New("found a <hyperedge>: a relationship has two ends here; write it as a node with edges")
	}
	return x.skip() // descriptions and data of the graph itself
}

func attr(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func hasAttr(start xml.StartElement, name string) bool {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return true
		}
	}
	return false
}

// text reads the text of the element just begun.
func (x *graphML) text() (string, error) {
	var b strings.Builder
	for {
		t, err := x.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.EndElement:
			return b.String(), nil
		case xml.StartElement:
			if err := x.skip(); err != nil {
				return "", err
			}
		}
	}
}

// The ids of the keys that hold labels and types, as other programs write them too.
const (
	labelsKey = "labels"
	typeKey   = "label"
)

// graphData is what the <data> elements of a node or an edge say.
type graphData struct {
	props []prop
	set   map[string]bool // names of props
	text  string          // of the key that holds labels or the type
	has   bool            // there is such a text
}

func (d *graphData) add(name string, c csr.Cell) error {
	if d.set[name] {
		return fmt.Errorf("found property %q a second time", name)
	}
	d.set[name] = true
	if c.Kind != 0 {
		d.props = append(d.props, prop{name, c})
	}
	return nil
}

// data reads the <data> of a node or an edge up to its end. special is the text of the key that holds labels or the type.
func (x *graphML) data(what, special string) (*graphData, error) {
	d := &graphData{set: make(map[string]bool)}
	for {
		t, err := x.next()
		if err != nil {
			return nil, err
		}
		if _, ok := t.(xml.EndElement); ok {
			break
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local == "data" {
			err = x.datum(d, what, special, attr(start, "key"))
		} else {
			if start.Name.Local != "desc" {
				x.dropped++
			}
			err = x.skip()
		}
		if err != nil {
			return nil, err
		}
	}
	for _, k := range x.defaults[what] {
		if !d.set[k.name] {
			d.props = append(d.props, prop{k.name, *k.value})
			d.set[k.name] = true
		}
	}
	return d, nil
}

// datum reads one <data> of a key.
func (x *graphML) datum(d *graphData, what, special, id string) error {
	body, err := x.text()
	if err != nil {
		return err
	}
	k := x.keys[[2]string{what, id}]
	if id == special && (k == nil || k.name == special) {
		d.text, d.has = body, true
		if k != nil && k.json {
			d.text = "\x00" + body
		}
		return nil
	}
	if k == nil {
		return fmt.Errorf("found data of key %q, which no <key> for a %s declares", id, what)
	}
	c, err := k.parse(body)
	if err != nil {
		return err
	}
	if k.space != nil {
		if c, err = externalCell(value.OfCell(c)); err == nil {
			x.others = append(x.others, external{*k.space, c})
		}
		return err
	}
	return d.add(k.name, c)
}

// names reads labels: a JSON list, or :A:B.
func names(text string) ([]string, error) {
	if list, ok := strings.CutPrefix(text, "\x00"); ok {
		v, err := value.ParseJSON(list)
		if err != nil {
			return nil, err
		}
		return jsonNames(v)
	}
	var all []string
	for name := range strings.SplitSeq(strings.TrimSpace(text), ":") {
		if name != "" {
			all = append(all, name)
		}
	}
	return all, nil
}

func (x *graphML) readNode(start xml.StartElement) error {
	line, _ := x.dec.InputPos()
	id := attr(start, "id")
	if id == "" {
		return errors.New("found a <node> without id")
	}
	n := nodeItem{id: keyOf([]byte(id))}
	x.others = nil
	d, err := x.data("node", labelsKey)
	if err != nil {
		return err
	}
	if !d.has {
		d.text = attr(start, labelsKey)
	}
	if n.labels, err = names(d.text); err != nil {
		return err
	}
	n.props, n.external = d.props, x.others
	return x.node(&n, line)
}

// externalPrefix begins the names of columns that hold the ids of an id space.
const externalPrefix = "motif.external."

func (x *graphML) readEdge(start xml.StartElement) error {
	line, _ := x.dec.InputPos()
	source, target := attr(start, "source"), attr(start, "target")
	if source == "" || target == "" {
		return errors.New("found an <edge> without source or target")
	}
	r := relItem{from: keyOf([]byte(source)), to: keyOf([]byte(target))}
	if id := attr(start, "id"); id != "" {
		r.id, r.hasID = keyOf([]byte(id)), true
	}
	d, err := x.data("edge", typeKey)
	if err != nil {
		return err
	}
	typ := d.text
	if !d.has {
		typ = attr(start, typeKey)
	}
	if name, ok := strings.CutPrefix(typ, "\x00"); ok {
		v, err := value.ParseJSON(name)
		if err != nil || v.Kind() != value.String {
			return errors.New("found the type of an edge that is no JSON string")
		}
		typ = v.Str()
	}
	r.typ, r.props = typ, d.props
	return x.rel(&r, line)
}
