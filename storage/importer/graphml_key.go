package importer

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// graphKey is a <key> of a GraphML file: the property that <data> elements with its id set.
type graphKey struct {
	name  string
	kind  kind
	list  bool    // attr.list: the text is a JSON list
	json  bool    // attr.encoding="json": the text is the value in JSON
	space *string // attr.space: the data is an id of this id space, not a property
	value *csr.Cell
}

// key reads a <key>.
func (x *graphML) key(start xml.StartElement) error {
	id, what := attr(start, "id"), attr(start, "for")
	if id == "" {
		return errors.New("found a <key> without id")
	}
	k, err := newGraphKey(start, id)
	if err != nil {
		return err
	}
	if err := x.readDefault(k); err != nil {
		return err
	}
	for _, f := range []string{"node", "edge"} {
		if what == f || what == "all" || what == "" {
			if x.keys[[2]string{f, id}] != nil {
				return fmt.Errorf("found a second <key> with id %q", id)
			}
			x.keys[[2]string{f, id}] = k
			if k.value != nil && k.value.Kind != 0 && k.space == nil {
				x.defaults[f] = append(x.defaults[f], k)
			}
		}
	}
	return nil
}

// newGraphKey reads the attributes of a <key>.
func newGraphKey(start xml.StartElement, id string) (*graphKey, error) {
	k := &graphKey{name: attr(start, "attr.name"), json: attr(start, "attr.encoding") == "json"}
	typ := attr(start, "attr.type")
	if k.name == "" && !hasAttr(start, "attr.name") {
		k.name = id
	}
	if attr(start, "name.encoding") == "json" {
		v, err := value.ParseJSON(k.name)
		if err != nil || v.Kind() != value.String {
			return nil, fmt.Errorf("found name %s of key %q, expected a JSON string", shown([]byte(k.name)), id)
		}
		k.name = v.Str()
	}
	if list := attr(start, "attr.list"); list != "" {
		k.list, typ = true, list
	}
	switch typ {
	case "boolean":
		k.kind = kindBool
	case "int", "long":
		k.kind = kindInt
	case "float", "double":
		k.kind = kindFloat
	case "string", "":
		k.kind = kindString
	default:
		return nil, fmt.Errorf("found type %q of key %q, expected boolean, int, long, float, double or string", typ, id)
	}
	if hasAttr(start, "attr.space") {
		space, err := url.QueryUnescape(attr(start, "attr.space"))
		if err != nil {
			return nil, fmt.Errorf("found attr.space %q of key %q, expected a name as in a URL", attr(start, "attr.space"), id)
		}
		k.space, k.name = &space, externalPrefix+space
	}
	return k, nil
}

// readDefault reads the element of a key up to its end and sets the value of its <default>, if there is one.
func (x *graphML) readDefault(k *graphKey) error {
	text, has, err := x.defaultOf()
	if err != nil || !has {
		return err
	}
	c, err := k.parse(text)
	if err == nil {
		k.value = &c
	}
	return err
}

// defaultOf reads a key up to its end and returns the text of its <default>.
func (x *graphML) defaultOf() (text string, has bool, err error) {
	for {
		t, err := x.next()
		if err != nil {
			return "", false, err
		}
		switch t := t.(type) {
		case xml.EndElement:
			return text, has, nil
		case xml.StartElement:
			if t.Name.Local != "default" {
				if err := x.skip(); err != nil {
					return "", false, err
				}
				continue
			}
			if text, err = x.text(); err != nil {
				return "", false, err
			}
			has = true
		}
	}
}

// parse reads the text of a <data> of this key.
func (k *graphKey) parse(text string) (csr.Cell, error) {
	if k.json || k.list {
		v, err := value.ParseJSON(text)
		if err == nil && k.list && v.Kind() != value.List && !v.IsNull() {
			err = errors.New("expected a JSON list")
		}
		var c csr.Cell
		if err == nil {
			c, err = propertyCell(v)
		}
		if err != nil {
			return csr.Cell{}, fmt.Errorf("found %s as %q: %w", shown([]byte(text)), k.name, err)
		}
		return c, nil
	}
	if k.kind == kindBool && (text == "0" || text == "1") { // booleans of XML Schema
		return csr.BoolCell(text == "1"), nil
	}
	c, want := k.kind.parse(text)
	if want != "" {
		return csr.Cell{}, fmt.Errorf("found %s as %q, expected %s", shown([]byte(text)), k.name, want)
	}
	return c, nil
}
