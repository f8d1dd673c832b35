package exporter

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// graphML writes one GraphML file.
type graphML struct {
	*export
	out        *output
	ids        map[graphKey]string // of keys
	jsonLabels bool
	jsonTypes  bool
	row        []byte
}

// graphKey is what a <key> stands for.
type graphKey struct {
	what string // node, edge, or space: an id space of nodes
	name string
	kind kind
}

// graphTypes are the types of keys; those of lists are their elements'.
var graphTypes = [...]string{kindLong: "long", kindDouble: "double", kindBoolean: "boolean", kindString: "string",
	kindLongs: "long", kindDoubles: "double", kindBooleans: "boolean", kindStrings: "string", kindJSON: "string"}

// writeGraphML writes nodes with their labels as data "labels" and relationships with their type as data "label".
func (x *export) writeGraphML() error {
	out, err := x.target.create("")
	if err != nil {
		return err
	}
	g := &graphML{export: x, out: out, ids: make(map[graphKey]string)}
	if err := g.head(); err != nil {
		return err
	}
	if err := x.eachNode(g.node); err != nil {
		return err
	}
	if err := x.eachRel(g.rel); err != nil {
		return err
	}
	if _, err := out.WriteString("</graph>\n</graphml>\n"); err != nil {
		return err
	}
	return out.close()
}

// head declares the keys.
func (g *graphML) head() error {
	var keys []graphKey
	add := func(k graphKey) {
		if _, ok := g.ids[k]; !ok {
			g.ids[k] = ""
			keys = append(keys, k)
		}
	}
	for _, t := range slices.Concat(g.nodes, g.rels) {
		what := map[bool]string{true: "edge", false: "node"}[t.isRel]
		for _, col := range t.spaces {
			add(graphKey{"space", col.name, col.kind})
		}
		for _, col := range t.columns {
			add(graphKey{what, col.name, col.kind})
		}
		g.jsonLabels = g.jsonLabels || slices.ContainsFunc(t.labels, func(l string) bool {
			return l == "" || strings.Contains(l, ":") || strings.TrimSpace(l) != l || !xmlText(l)
		})
		g.jsonTypes = g.jsonTypes || !xmlText(t.typ)
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">` + "\n")
	encoding := map[bool]string{true: ` attr.encoding="json"`}
	fmt.Fprintf(&b, `<key id="labels" for="node" attr.name="labels" attr.type="string"%s/>`+"\n", encoding[g.jsonLabels])
	fmt.Fprintf(&b, `<key id="label" for="edge" attr.name="label" attr.type="string"%s/>`+"\n", encoding[g.jsonTypes])
	for i, k := range keys {
		g.ids[k] = k.what[:1] + strconv.Itoa(i)
		what, name, extra := k.what, k.name, encoding[k.kind == kindJSON]
		if what == "space" {
			what, name = "node", "external."+url.QueryEscape(k.name)
			extra += ` attr.space="` + url.QueryEscape(k.name) + `"`
		}
		if !xmlText(name) {
			text, err := value.AppendJSONString(nil, name)
			if err != nil {
				return err
			}
			name, extra = string(text), extra+` name.encoding="json"`
		}
		if k.kind >= kindLongs && k.kind <= kindStrings {
			extra += ` attr.list="` + graphTypes[k.kind] + `"`
		}
		typ := graphTypes[k.kind]
		if k.kind >= kindLongs {
			typ = "string"
		}
		fmt.Fprintf(&b, `<key id="%s" for="%s" attr.name="%s" attr.type="%s"%s/>`+"\n", g.ids[k], what, appendXML(nil, name), typ, extra)
	}
	b.WriteString(`<graph id="G" edgedefault="directed">` + "\n")
	_, err := g.out.WriteString(b.String())
	return err
}

func (g *graphML) node(n *node) (err error) {
	g.row = append(strconv.AppendUint(append(g.row[:0], `<node id="`...), uint64(n.id), 10), `">`...)
	if len(n.labels) > 0 {
		text := ":" + strings.Join(n.labels, ":")
		if g.jsonLabels {
			list := make([]value.Value, len(n.labels))
			for i, l := range n.labels {
				list[i] = value.OfString(l)
			}
			b, err := value.AppendJSON(nil, value.OfList(list))
			if err != nil {
				return err
			}
			text = string(b)
		}
		g.data("labels", text)
	}
	for _, p := range n.external {
		if err := g.prop("space", p.name, p.cell); err != nil {
			return err
		}
	}
	for _, p := range n.props {
		if err := g.prop("node", p.name, p.cell); err != nil {
			return err
		}
	}
	_, err = g.out.Write(append(g.row, "</node>\n"...))
	return err
}

func (g *graphML) rel(r *rel) (err error) {
	g.row = append(strconv.AppendUint(append(g.row[:0], `<edge id="`...), uint64(r.id), 10), `" source="`...)
	g.row = append(strconv.AppendUint(g.row, uint64(r.from), 10), `" target="`...)
	g.row = append(strconv.AppendUint(g.row, uint64(r.to), 10), `">`...)
	text := []byte(r.typ)
	if g.jsonTypes {
		if text, err = value.AppendJSONString(nil, r.typ); err != nil {
			return err
		}
	}
	g.data("label", string(text))
	for _, p := range r.props {
		if err := g.prop("edge", p.name, p.cell); err != nil {
			return err
		}
	}
	_, err = g.out.Write(append(g.row, "</edge>\n"...))
	return err
}

// data appends a <data> element.
func (g *graphML) data(key, text string) {
	g.row = append(append(append(g.row, `<data key="`...), key...), `">`...)
	g.row = append(appendXML(g.row, text), "</data>"...)
}

func (g *graphML) prop(what, name string, c csr.Cell) error {
	k := kindIn(GraphML, c)
	v := value.OfCell(c)
	text := ""
	switch k {
	case kindString:
		text = c.Str
	case kindDouble:
		if f := v.Float(); math.IsInf(f, 0) {
			text = map[bool]string{true: "INF", false: "-INF"}[f > 0]
			break
		}
		fallthrough
	case kindLong, kindBoolean:
		text = string(appendScalar(nil, v))
	default:
		b, err := value.AppendJSON(nil, v)
		if err != nil {
			return err
		}
		text = string(b)
	}
	g.data(g.ids[graphKey{what, name, k}], text)
	return nil
}

// appendXML appends text that must be xmlText.
func appendXML(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\t', '\n', '\r':
			dst = append(dst, "&#x"+strconv.FormatUint(uint64(c), 16)+";"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
