package importer

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// gexf reads a GEXF file, versions 1.1 to 1.3, with what reads GraphML.
type gexf struct {
	*graphML
	directed bool
	differs  bool // an edge says another direction than the graph
	timed    int  // values that a later one replaced
}

// readGEXF reads nodes and edges with their attributes as properties; label and weight are properties too.
func readGEXF(l *loader, ctx context.Context) error {
	x := &gexf{}
	err := readXML(l, ctx, "gexf", func(g *graphML) func(xml.StartElement) error {
		x.graphML, g.keepID = g, true
		return x.element
	})
	if x.differs {
		l.warn("%s: some edges say another direction than the graph; all lead from source to target", l.firstFile())
	}
	if x.timed > 0 {
		l.warn("%s: some attributes have several values over time; the last of each was kept", l.firstFile())
	}
	told(l, x.directed)
	return err
}

// element reads an element outside nodes and edges.
func (x *gexf) element(start xml.StartElement) error {
	switch start.Name.Local {
	case "gexf", "nodes", "edges":
		return nil
	case "graph":
		if x.graphs++; x.graphs > 1 {
			return errors.New("found a second <graph>, expected one")
		}
		x.directed = attr(start, "defaultedgetype") == "directed"
		return nil
	case "attributes":
		return x.attributes(attr(start, "class"))
	case "node":
		return x.readNode(start)
	case "edge":
		return x.readEdge(start)
	}
	return x.skip()
}

// gexfKinds are the types of attributes; the text of others is kept.
var gexfKinds = map[string]kind{"integer": kindInt, "long": kindInt, "short": kindInt, "byte": kindInt, "double": kindFloat, "float": kindFloat, "boolean": kindBool}

// attributes reads the <attribute>s that nodes or edges may have.
func (x *gexf) attributes(class string) error {
	for {
		t, err := x.next()
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			if _, end := t.(xml.EndElement); end {
				return nil
			}
			continue
		}
		if start.Name.Local != "attribute" {
			if err := x.skip(); err != nil {
				return err
			}
			continue
		}
		k := &graphKey{name: attr(start, "title"), kind: gexfKinds[attr(start, "type")]}
		id := attr(start, "id")
		if k.name == "" {
			k.name = id
		}
		if id == "" || x.keys[[2]string{class, id}] != nil {
			return fmt.Errorf("found an <attribute> whose id %q is empty or a repetition", id)
		}
		if err := x.readDefault(k); err != nil {
			return err
		}
		if k.value != nil {
			x.defaults[class] = append(x.defaults[class], k)
		}
		x.keys[[2]string{class, id}] = k
	}
}

// values reads the <attvalues> of a node or an edge up to its end.
func (x *gexf) values(class string, d *graphData) error {
	for depth := x.depth; x.depth >= depth; {
		t, err := x.next()
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "attvalues":
		case "attvalue":
			if err := x.attvalue(class, d, start); err != nil {
				return err
			}
		case "nodes", "edges":
			return fmt.Errorf("found <%s> inside a %s; write hierarchies as relationships", start.Name.Local, class)
		default: // viz:color, spells, parents
			x.dropped++
			if err := x.skip(); err != nil {
				return err
			}
		}
	}
	for _, k := range x.defaults[class] {
		if !d.set[k.name] {
			if err := d.add(k.name, *k.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *gexf) attvalue(class string, d *graphData, start xml.StartElement) error {
	id := attr(start, "for")
	if id == "" {
		id = attr(start, "id")
	}
	k := x.keys[[2]string{class, id}]
	if k == nil {
		return fmt.Errorf("found a value of attribute %q, which no <attribute> of a %s declares", id, class)
	}
	c, err := k.parse(attr(start, "value"))
	if err != nil {
		return err
	}
	if d.set[k.name] && (hasAttr(start, "start") || hasAttr(start, "end") || hasAttr(start, "timestamp")) {
		i := slices.IndexFunc(d.props, func(p prop) bool { return p.name == k.name })
		if i >= 0 && c.Kind != 0 {
			x.timed++
			d.props[i].cell = c
			return nil
		}
	}
	return d.add(k.name, c)
}

// named are attributes of an element that become properties.
func (d *graphData) named(start xml.StartElement, kinds map[string]kind) error {
	for _, a := range start.Attr {
		k, ok := kinds[a.Name.Local]
		if !ok || a.Name.Space != "" {
			continue
		}
		c, want := k.parse(a.Value)
		if want != "" {
			return fmt.Errorf("found %s as %s, expected %s", shown([]byte(a.Value)), a.Name.Local, want)
		}
		if err := d.add(a.Name.Local, c); err != nil {
			return err
		}
	}
	return nil
}

func (x *gexf) readNode(start xml.StartElement) error {
	line, _ := x.dec.InputPos()
	id := attr(start, "id")
	if id == "" {
		return errors.New("found a <node> without id")
	}
	d := &graphData{set: make(map[string]bool)}
	if err := d.named(start, map[string]kind{"label": kindString}); err != nil {
		return err
	}
	if err := x.values("node", d); err != nil {
		return err
	}
	return x.node(&nodeItem{id: keyOf([]byte(id)), props: d.props}, line)
}

func (x *gexf) readEdge(start xml.StartElement) error {
	line, _ := x.dec.InputPos()
	source, target := attr(start, "source"), attr(start, "target")
	if source == "" || target == "" {
		return errors.New("found an <edge> without source or target")
	}
	if typ := attr(start, "type"); typ != "" && (typ == "directed") != x.directed {
		x.differs = true
	}
	d := &graphData{set: make(map[string]bool)}
	if err := d.named(start, map[string]kind{"label": kindString, "weight": kindFloat}); err != nil {
		return err
	}
	if err := x.values("edge", d); err != nil {
		return err
	}
	return x.rel(&relItem{typ: strings.TrimSpace(attr(start, "kind")), from: keyOf([]byte(source)), to: keyOf([]byte(target)), props: d.props}, line)
}

// detectGEXF tells GEXF from other XML by its first element.
func detectGEXF(o *opening) string {
	if strings.Contains(string(o.head[:min(len(o.head), 4096)]), "<gexf") && strings.HasPrefix(string(o.first), "<") {
		return "it is XML with <gexf>"
	}
	return ""
}
