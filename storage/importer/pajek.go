package importer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// eachLine calls use with the bounds of every line of a file, without blanks at its ends.
func eachLine(f *file, use func(c *chunk, lo, hi int) error) error {
	for {
		c, err := f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		head, bad := c.checkUTF8(f.cut)
		for at := 0; at < len(head.data); {
			end := lineEnd(head.data, at)
			lo, hi := trimBlanks(head.data, at, end)
			if err := use(head, lo, hi); err != nil {
				return err
			}
			at = end + 1
		}
		if bad != nil {
			return bad
		}
		f.count(c)
		if err := f.l.fits(c.file, c.line); err != nil {
			return err
		}
		c.done()
	}
}

// pajek is the state of reading a Pajek network.
type pajek struct {
	*loader
	section string // in lower case, without the star
	typ     string // of the relationships of the section
	n       int64  // -1 until *Vertices
	labels  map[uint32]bool
	arcs    bool
	edges   bool
	more    uint64 // fields of vertices that are left out
}

// readPajek reads one network: vertices with labels, and arcs and edges, single or in lists, with weights.
func readPajek(l *loader, _ context.Context) error {
	f, err := l.openFile(l.Files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	p := &pajek{loader: l, n: -1, typ: l.Type, labels: make(map[uint32]bool)}
	err = eachLine(f, func(c *chunk, lo, hi int) error {
		if lo == hi || c.data[lo] == '%' || bytes.HasPrefix(c.data[lo:hi], []byte("/*")) {
			return nil
		}
		return p.line(c, lo, hi)
	})
	if err != nil {
		return err
	}
	if p.n < 0 {
		return &Error{File: f.src.file, Msg: "found no line *Vertices N"}
	}
	if p.more > 0 {
		l.warn("%s: what follows the labels of vertices was left out, on %s", f.src.file, plural(p.more, "line", "lines"))
	}
	if p.arcs && p.edges {
		l.warn("%s: the file has arcs and edges; each is one relationship, from the first end to the second", f.src.file)
	}
	told(l, p.arcs || !p.edges)
	return l.fits(f.src.file, 0)
}

func (p *pajek) line(c *chunk, lo, hi int) error {
	w := lines{c: c, pos: lo}
	w.next()
	if c.data[lo] == '*' {
		return p.begin(&w, hi)
	}
	switch p.section {
	case "vertices":
		return p.vertex(&w, hi)
	case "arcs", "edges":
		return p.pair(&w, hi)
	case "arcslist", "edgeslist":
		for i := 1; i < len(w.words); i++ {
			if err := p.relationship(&w, i, nil); err != nil {
				return err
			}
		}
		return nil
	case "network", "description":
		return nil
	}
	return c.errorAt(lo, "found %s before a section; a Pajek network begins with *Vertices N", shown(c.data[lo:hi]))
}

// begin reads the first line of a section.
func (p *pajek) begin(w *lines, hi int) error {
	name := strings.ToLower(strings.Trim(string(w.text(0)), "*:"))
	p.section = name
	switch name {
	case "network", "description":
		return nil
	case "vertices":
		if p.n >= 0 {
			return w.c.errorAt(w.words[0].lo, "found a second *Vertices, expected one network in the file")
		}
		if len(w.words) < 2 {
			return w.c.errorAt(hi, "found the end of the line, expected the number of vertices")
		}
		n, err := w.int(1, 0, math.MaxUint32-1, "the number of vertices")
		if err != nil {
			return err
		}
		p.n = n
		return p.addVertices(countedIDs{1, int(n)})
	case "arcs", "edges", "arcslist", "edgeslist":
		p.arcs, p.edges = p.arcs || name[0] == 'a', p.edges || name[0] == 'e'
		p.typ = p.Type
		if _, text, ok := strings.Cut(string(w.c.data[w.words[0].lo:hi]), `"`); ok { // *Arcs :1 "likes"
			p.typ, _, _ = strings.Cut(text, `"`)
		}
		if p.n < 0 {
			return w.c.errorAt(w.words[0].lo, "found %s before *Vertices N", shown(w.text(0)))
		}
		return nil
	}
	return w.c.errorAt(w.words[0].lo, "found section %s, expected *Vertices, *Arcs, *Edges, *Arcslist or *Edgeslist", shown(w.text(0)))
}

func (p *pajek) number(w *lines, i int) (uint32, error) {
	n, err := w.int(i, 1, p.n, fmt.Sprintf("a vertex from 1 to %d", p.n))
	return uint32(n - 1), err
}

// vertex reads the number and the label of a vertex.
func (p *pajek) vertex(w *lines, hi int) error {
	v, err := p.number(w, 0)
	if err != nil || len(w.words) < 2 {
		return err
	}
	at := w.words[1].lo
	label, rest := string(w.text(1)), len(w.words) > 2
	if w.c.data[at] == '"' {
		end := bytes.IndexByte(w.c.data[at+1:hi], '"')
		if end < 0 {
			return w.c.errorAt(at, "found a label without its closing quote")
		}
		label, rest = string(w.c.data[at+1:at+1+end]), at+2+end < hi
	}
	if rest {
		p.more++
	}
	if p.labels[v] {
		return w.c.errorAt(w.words[0].lo, "found vertex %d a second time", v+1)
	}
	p.labels[v] = true
	p.take(mapEntry + int64(len(label)) + 16)
	p.b.SetVertex(v, p.b.Key("label"), csr.StringCell(label))
	return nil
}

// pair reads an arc or an edge, with its weight if there is one.
func (p *pajek) pair(w *lines, hi int) error {
	if len(w.words) < 2 {
		return w.c.errorAt(hi, "found the end of the line, expected two vertices")
	}
	var weight *csr.Cell
	if len(w.words) > 2 {
		v, ok := parseNumber(string(w.text(2)))
		if !ok {
			return w.c.errorAt(w.words[2].lo, "found %s, expected a weight", shown(w.text(2)))
		}
		c, err := v.Cell()
		if err != nil {
			return err
		}
		weight = &c
	}
	return p.relationship(w, 1, weight)
}

// relationship adds the relationship from the first word to word i.
func (p *pajek) relationship(w *lines, i int, weight *csr.Cell) error {
	u, err := p.number(w, 0)
	if err != nil {
		return err
	}
	v, err := p.number(w, i)
	if err != nil {
		return err
	}
	e := p.b.AddEdge(u, v, p.b.Type(p.typ))
	if weight != nil {
		p.b.SetEdge(e, p.b.Key("weight"), *weight)
	}
	return nil
}

func detectPajek(o *opening) string {
	switch first := strings.ToLower(string(o.words[0])); first {
	case "*vertices", "*network", "*description":
		return "its first line starts with " + string(o.words[0])
	}
	return ""
}

// readTGF reads the Trivial Graph Format: a node a line, a line with #, and a relationship a line.
func readTGF(l *loader, _ context.Context) error {
	f, err := l.openFile(l.Files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	x := newElements(l, f.src.file)
	x.keepID = true
	nodes := true
	err = eachLine(f, func(c *chunk, lo, hi int) error {
		w := lines{c: c, pos: lo}
		switch w.next(); {
		case lo == hi:
			return nil
		case c.data[lo] == '#':
			if !nodes {
				return c.errorAt(lo, "found a second line #, expected one between nodes and relationships")
			}
			nodes = false
			return nil
		}
		line, _ := c.place(lo)
		if nodes {
			return x.node(&nodeItem{id: keyOf(w.text(0)), props: tgfLabel(&w, 1, hi)}, line)
		}
		if len(w.words) < 2 {
			return c.errorAt(hi, "found the end of the line after one id, expected a second id")
		}
		return x.rel(&relItem{from: keyOf(w.text(0)), to: keyOf(w.text(1)), props: tgfLabel(&w, 2, hi)}, line)
	})
	if err == nil && nodes {
		err = &Error{File: f.src.file, Msg: "found no line # between nodes and relationships"}
	}
	if err != nil {
		return err
	}
	l.report.Direction = "relationships of tgf lead from the first node to the second"
	return x.finish()
}

// tgfLabel is the rest of a line from word i on, as the property label.
func tgfLabel(w *lines, i, hi int) []prop {
	if i >= len(w.words) {
		return nil
	}
	c, _ := value.OfString(string(w.c.data[w.words[i].lo:hi])).Cell()
	return []prop{{"label", c}}
}
