package exec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// wholeGraph is the name of the type, or the label, that stands for any.
const wholeGraph = "__ALL__"

// projectionPart is a part of the stored graph that a projection takes, under a name.
type projectionPart struct {
	name, of   string // of is the label or type; "*" means any
	properties []property
	aggregate  string
	mutual     bool // UNDIRECTED
	reverse    bool
}

// property is a property that a projection takes.
type property struct {
	name, of, aggregate string
	missing             float64 // in place of none; NaN: none
}

// choice reads a projection of nodes or relationships: '*', a name, a list of names, or a map from names to what they stand for.
func (c *gdsCall) choice(what string, v value.Value) (list []projectionPart, err error) {
	bad := func(v value.Value) error {
		return c.bad("the "+what+" of a projection are '*', a name, a list of names, or a map of names, not "+eval.Describe(v), "such as {KNOWS: {orientation: 'UNDIRECTED'}}")
	}
	switch v.Kind() {
	case value.String:
		if v.Str() == "*" {
			return []projectionPart{{name: wholeGraph, of: "*"}}, nil
		}
		return []projectionPart{{name: v.Str(), of: v.Str()}}, nil
	case value.List:
		for _, one := range v.List() {
			if one.Kind() == value.List {
				return nil, bad(one)
			}
			more, err := c.choice(what, one)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	case value.Map:
		for i, name := range v.Map().Keys {
			one := projectionPart{name: name, of: name}
			switch of := v.Map().Values[i]; of.Kind() {
			case value.String:
				one.of = of.Str()
			case value.Map:
				if err := c.describe(&one, of.Map()); err != nil {
					return nil, err
				}
			default:
				return nil, bad(of)
			}
			list = append(list, one)
		}
		return list, nil
	}
	return nil, bad(v)
}

// bad is an error of the arguments of the call.
func (c *gdsCall) bad(msg, hint string) error {
	return &eval.Error{Code: eval.CodeArgumentValue, Msg: msg, Hint: hint, Pos: c.plan.Pos}
}

// describe reads what a projection says of one name.
func (c *gdsCall) describe(one *projectionPart, m *value.MapValue) (err error) {
	for i, key := range m.Keys {
		v := m.Values[i]
		if key == "properties" {
			if one.properties, err = c.properties(v); err != nil {
				return err
			}
			continue
		}
		if v.Kind() != value.String {
			return c.bad(fmt.Sprintf("the key `%s` of a projection is a string, not %s", key, eval.Describe(v)), "")
		}
		switch key {
		case "label", "type":
			one.of = v.Str()
		case "orientation":
			switch strings.ToUpper(v.Str()) {
			case "NATURAL":
			case "UNDIRECTED":
				one.mutual = true
			case "REVERSE":
				one.reverse = true
			default:
				return c.bad(fmt.Sprintf("the orientation of a projection is 'NATURAL', 'REVERSE' or 'UNDIRECTED', not %v", v), "")
			}
		case "aggregation":
			if one.aggregate, err = c.aggregation(v.Str()); err != nil {
				return err
			}
		default:
			return c.bad(fmt.Sprintf("a projection has no key `%s`", key), "its keys: label, type, orientation, aggregation, properties")
		}
	}
	return nil
}

// aggregation reads how parallel relationships become one; "" keeps them.
func (c *gdsCall) aggregation(word string) (string, error) {
	switch word = strings.ToUpper(word); word {
	case "NONE", "DEFAULT":
		return "", nil
	case "SINGLE", "SUM", "MIN", "MAX", "COUNT":
		return word, nil
	}
	return "", c.bad("the aggregation of a projection is 'NONE', 'SINGLE', 'SUM', 'MIN', 'MAX' or 'COUNT', not '"+word+"'", "")
}

// properties reads which properties a projection takes: a name, a list of names, or a map from names to what they stand for.
func (c *gdsCall) properties(v value.Value) (list []property, err error) {
	plain := func(name string) property { return property{name: name, of: name, missing: math.NaN()} }
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.String:
		return []property{plain(v.Str())}, nil
	case value.List:
		for _, one := range v.List() {
			more, err := c.properties(one)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	case value.Map:
		for i, name := range v.Map().Keys {
			p := plain(name)
			switch of := v.Map().Values[i]; of.Kind() {
			case value.String:
				p.of = of.Str()
			case value.Map:
				if err := c.property(&p, of.Map()); err != nil {
					return nil, err
				}
			default:
				return nil, c.bad("a property of a projection is a name or a map, not "+eval.Describe(of), "such as {cost: {property: 'price', defaultValue: 1}}")
			}
			list = append(list, p)
		}
		return list, nil
	}
	return nil, c.bad("the properties of a projection are names, not "+eval.Describe(v), "")
}

// property reads what a projection says of one property.
func (c *gdsCall) property(p *property, m *value.MapValue) (err error) {
	for i, key := range m.Keys {
		v := m.Values[i]
		text := v.Kind() == value.String
		switch {
		case key == "property" && text:
			p.of = v.Str()
		case key == "aggregation" && text:
			if p.aggregate, err = c.aggregation(v.Str()); err != nil {
				return err
			}
		case key == "defaultValue" || key == "default": // the second spelling stands in public guides
			if p.missing, err = c.asNumber("`"+key+"`", v); err != nil {
				return err
			}
		default:
			return c.bad(fmt.Sprintf("a property of a projection has no key `%s`, or it is no string", key), "its keys: property, defaultValue, aggregation")
		}
	}
	return nil
}

// asNumber returns a number as a float; NaN for null.
func (c *gdsCall) asNumber(what string, v value.Value) (float64, error) {
	switch v.Kind() {
	case value.Null:
		return math.NaN(), nil
	case value.Int:
		return float64(v.Int()), nil
	case value.Float:
		return v.Float(), nil
	}
	return 0, c.bad(what+" of a projection is a number, not "+eval.Describe(v), "")
}

// projectStored makes a projection of parts of the stored graph.
func projectStored(c *gdsCall, name string, nodes, rels value.Value) (*pattern.Projection, error) {
	p, err := c.newProjecting()
	if err != nil {
		return nil, err
	}
	labels, err := c.choice("nodes", nodes)
	if err != nil {
		return nil, err
	}
	types, err := c.choice("relationships", rels)
	if err != nil {
		return nil, err
	}
	more := func(option string, list []projectionPart) error {
		if o := c.option(option); o != nil {
			all, err := c.properties(o.value)
			for i := range list {
				list[i].properties = append(list[i].properties, all...)
			}
			return err
		}
		return nil
	}
	if err := more("nodeProperties", labels); err != nil {
		return nil, err
	}
	if err := more("relationshipProperties", types); err != nil {
		return nil, err
	}
	for i := range labels {
		if err := p.storedNodes(&labels[i]); err != nil {
			return nil, err
		}
		p.noteOf("nodes", labels[i].name)
	}
	for i := range types {
		if err := p.storedRelationships(&types[i]); err != nil {
			return nil, err
		}
		p.noteOf("relationships", types[i].name)
	}
	return p.done(name)
}

func (p *projecting) noteOf(what, name string) {
	n := p.note[what]
	n.Names = append(n.Names, name)
	p.note[what] = n
}

// storedNodes adds the nodes of a label.
func (p *projecting) storedNodes(of *projectionPart) error {
	s := p.c.x.s
	l, ok := s.Labels.Lookup(of.of)
	if !ok && of.of != "*" {
		return p.c.bad("no node has the label "+lang.QuoteKey(of.of), "CALL db.labels() lists the labels")
	}
	for i := range s.Classes {
		class := &s.Classes[i]
		if of.of != "*" && !slices.Contains(class.Labels, csr.LabelID(l)) {
			continue
		}
		for v := class.Lo; v < class.Hi; v++ {
			if v%4096 == 0 && p.c.x.ctx.Err() != nil {
				return p.c.x.ctx.Err()
			}
			n, err := p.node(v, p.labelOf(of)...)
			if err != nil {
				return err
			}
			for _, q := range of.properties {
				x := value.OfFloat(q.missing)
				if k, ok := s.Keys.Lookup(q.of); ok {
					if cell, ok := s.VertexProp(v, csr.KeyID(k)); ok {
						x = value.OfCell(cell)
					}
				}
				if err := p.number(n, q.name, x); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// labelOf is the label that nodes get: none where all nodes are taken.
func (p *projecting) labelOf(of *projectionPart) []string {
	if of.name == wholeGraph {
		return nil
	}
	return []string{of.name}
}

// storedRelationships adds the relationships of a type whose ends are there.
func (p *projecting) storedRelationships(of *projectionPart) error {
	s := p.c.x.s
	t, ok := s.Types.Lookup(of.of)
	if !ok && of.of != "*" {
		return p.c.bad("no relationship has the type "+lang.QuoteKey(of.of), "CALL db.relationshipTypes() lists the types")
	}
	a := p.arrowsOf(of)
	n, values := 0, make([]float64, len(of.properties))
	for e := range s.AllEdges() {
		if n++; n%4096 == 0 && p.c.x.ctx.Err() != nil {
			return p.c.x.ctx.Err()
		}
		if of.of != "*" && s.TypeOf(e) != csr.TypeID(t) {
			continue
		}
		from, to := s.Endpoints(e)
		if p.at[from] == 0 || p.at[to] == 0 {
			continue
		}
		if of.reverse {
			from, to = to, from
		}
		if err := p.weigh(e, of, values); err != nil {
			return err
		}
		if err := a.add(p.c.account, p.at[from]-1, p.at[to]-1, s.RelID(e), values); err != nil {
			return err
		}
		if of.mutual {
			if err := a.add(p.c.account, p.at[to]-1, p.at[from]-1, s.RelID(e), values); err != nil {
				return err
			}
		}
	}
	p.mutual[of.name] = of.mutual
	return p.relationships(a)
}

// arrowsOf begins the relationships of a type.
func (p *projecting) arrowsOf(of *projectionPart) *arrows {
	a := &arrows{name: of.name, values: make([][]float64, len(of.properties)), single: of.aggregate != ""}
	for _, q := range of.properties {
		how := q.aggregate
		if how == "" {
			how = of.aggregate
		}
		a.keys, a.merge, a.single = append(a.keys, q.name), append(a.merge, how), a.single || how != ""
	}
	return a
}

// weigh reads the properties of a stored relationship.
func (p *projecting) weigh(e csr.EdgeID, of *projectionPart, values []float64) (err error) {
	s := p.c.x.s
	for i, q := range of.properties {
		values[i] = q.missing
		if k, ok := s.Keys.Lookup(q.of); ok {
			if cell, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
				if values[i], err = p.c.asNumber("the property `"+q.of+"`", value.OfCell(cell)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
