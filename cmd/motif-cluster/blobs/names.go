package blobs

import (
	"reflect"

	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/storage"
)

// names are the parts of a graph that a query names. They need not be all that it reads, since the rest is fetched when it is read.
type names struct {
	parts              map[string]bool
	types, nodes, rels bool                 // all types, and all properties and ids of nodes, of relationships
	variables          map[string]*elements // of patterns, and those that they are renamed to
}

// elements tell what a variable stands for. Two variables of one name are not told apart.
type elements struct{ nodes, rels bool }

// namesOf finds the names in the text of a query. One that cannot be read has none.
func namesOf(query string) *names {
	n := &names{parts: map[string]bool{}, variables: map[string]*elements{}}
	script, err := lang.Parse(query)
	if err != nil {
		return n
	}
	each(reflect.ValueOf(script), func(x any) bool { n.declare(x); return true })
	for more := true; more; { // a AS b may stand before b AS c, or after it in a subquery
		more = false
		each(reflect.ValueOf(script), func(x any) bool {
			more = n.rename(x) || more
			return true
		})
	}
	each(reflect.ValueOf(script), n.read)
	return n
}

// names reports whether the query names a part.
func (n *names) names(part string) bool {
	is := func(of func(string) string) bool { p := of(""); return len(part) >= len(p) && part[:len(p)] == p }
	switch {
	case n.parts[part]:
		return true
	case is(storage.TypePart):
		return n.types
	case part == storage.NodeIDsPart: // relationships show those of their ends
		return n.nodes || n.rels
	case is(storage.NodePropertyPart):
		return n.nodes
	case is(storage.RelationshipPropertyPart), part == storage.RelationshipIDsPart:
		return n.rels
	}
	return false
}

// each calls visit for the pointers in a tree, parents first, and goes into those for which visit returns true.
func each(v reflect.Value, visit func(x any) bool) {
	switch v.Kind() {
	case reflect.Interface:
		each(v.Elem(), visit)
	case reflect.Pointer:
		if !v.IsNil() && v.CanInterface() && visit(v.Interface()) {
			each(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				each(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			each(v.Index(i), visit)
		}
	}
}

// variable returns what a variable stands for, to be added to.
func (n *names) variable(name string) *elements {
	if n.variables[name] == nil {
		n.variables[name] = &elements{}
	}
	return n.variables[name]
}

// declare notes the variables of a pattern.
func (n *names) declare(x any) {
	switch x := x.(type) {
	case *lang.NodePattern:
		n.variable(x.Name).nodes = true
	case *lang.RelPattern:
		n.variable(x.Name).rels = true
	case *lang.PathPattern:
		*n.variable(x.Name) = elements{true, true}
	}
}

// rename notes that a variable gets another name, and reports whether that was new.
func (n *names) rename(x any) bool {
	item, ok := x.(*lang.ReturnItem)
	if !ok {
		return false
	}
	v, ok := item.Expr.(*lang.Var)
	if !ok || n.variables[v.Name] == nil {
		return false
	}
	from, to := n.variables[v.Name], n.variable(item.Name)
	before := *to
	to.nodes, to.rels = to.nodes || from.nodes, to.rels || from.rels
	return *to != before
}

// read notes what an element of the tree names, and reports whether its parts are to be read, too.
func (n *names) read(x any) bool {
	switch x := x.(type) {
	case *lang.RelPattern:
		n.relationship(x)
	case *lang.NodePattern:
		n.keys(x.Props, &elements{nodes: true})
	case *lang.Property:
		v, ok := x.Of.(*lang.Var)
		n.property(x.Key, n.elements(v))
		return !ok
	case *lang.HasLabels:
		_, ok := x.X.(*lang.Var)
		return !ok
	case *lang.Binary:
		return n.binary(x)
	case *lang.Call:
		return n.call(x)
	case *lang.With:
		n.result(&x.Return, true)
		each(reflect.ValueOf(&x.Where).Elem(), n.read)
		return false
	case *lang.Return:
		n.result(x, false)
		return false
	case *lang.Var:
		if e := n.variables[x.Name]; e != nil { // what others stand for was named where they were made
			n.nodes, n.rels = n.nodes || e.nodes, n.rels || e.rels
		}
	}
	return true
}

// elements tells what a variable stands for: both if no pattern has it.
func (n *names) elements(v *lang.Var) *elements {
	if v != nil && n.variables[v.Name] != nil {
		return n.variables[v.Name]
	}
	return &elements{true, true}
}

func (n *names) property(key string, of *elements) {
	if of.nodes {
		n.parts[storage.NodePropertyPart(key)] = true
	}
	if of.rels {
		n.parts[storage.RelationshipPropertyPart(key)] = true
	}
}

// keys notes the properties in the map of a pattern.
func (n *names) keys(props lang.Expr, of *elements) {
	switch x := props.(type) {
	case nil:
	case *lang.MapLit:
		for _, k := range x.Keys {
			n.property(k.Text, of)
		}
	default: // a parameter has any
		n.nodes, n.rels = n.nodes || of.nodes, n.rels || of.rels
	}
}

func (n *names) relationship(r *lang.RelPattern) {
	n.keys(r.Props, &elements{rels: true})
	for _, t := range r.Types {
		n.parts[storage.TypePart(t.Text)] = true
	}
	if r.Group == nil && r.Types == nil && !n.typeNames(r.TypeExpr) {
		n.types = true
	}
}

// typeNames notes the names of an expression of types, and reports whether no other type fits it.
func (n *names) typeNames(x *lang.LabelExpr) bool {
	switch {
	case x == nil:
		return false
	case x.Op == lang.LabelName:
		n.parts[storage.TypePart(x.Name)] = true
		return true
	case x.Op == lang.LabelAnd, x.Op == lang.LabelOr:
		for _, arg := range x.Args {
			if !n.typeNames(arg) {
				return false
			}
		}
		return true
	}
	return false
}

// binary passes over variables that are compared: that reads their numbers alone.
func (n *names) binary(x *lang.Binary) bool {
	if x.Op != "=" && x.Op != "<>" {
		return true
	}
	for _, side := range []lang.Expr{x.L, x.R} {
		if _, ok := side.(*lang.Var); !ok {
			each(reflect.ValueOf(side), n.read)
		}
	}
	return false
}

// call passes over variables of which a function reads no property.
func (n *names) call(x *lang.Call) bool {
	switch x.Name {
	case "count", "labels", "type", "length", "size":
	case "id", "elementid":
		for _, arg := range x.Args {
			if v, ok := arg.(*lang.Var); ok {
				e := n.elements(v)
				n.parts[storage.NodeIDsPart] = n.parts[storage.NodeIDsPart] || e.nodes
				n.parts[storage.RelationshipIDsPart] = n.parts[storage.RelationshipIDsPart] || e.rels
			}
		}
	case "is_clique":
		n.clique(x)
		return false
	default:
		return true
	}
	for _, arg := range x.Args {
		if _, ok := arg.(*lang.Var); !ok {
			each(reflect.ValueOf(arg), n.read)
		}
	}
	return false
}

// clique notes the types of IS_CLIQUE: all, or those of its second argument.
func (n *names) clique(x *lang.Call) {
	if len(x.Args) < 2 {
		n.types = true
		return
	}
	list := []lang.Expr{x.Args[1]}
	if l, ok := x.Args[1].(*lang.ListLit); ok {
		list = l.Items
	}
	for _, item := range list {
		literal, ok := item.(*lang.Literal)
		name, isText := "", false
		if ok {
			name, isText = literal.Value.(string)
		}
		n.types = n.types || !isText
		n.parts[storage.TypePart(name)] = true
	}
}

// result reads the items of RETURN or WITH. WITH hands variables on as they are.
func (n *names) result(x *lang.Return, with bool) {
	made := map[string]bool{}
	for _, item := range x.Items {
		_, plain := item.Expr.(*lang.Var)
		if !plain || !with {
			each(reflect.ValueOf(item.Expr), n.read)
		}
		made[item.Name] = !plain
	}
	n.nodes, n.rels = n.nodes || x.Star && !with, n.rels || x.Star && !with
	for _, s := range x.Order {
		if v, ok := s.Expr.(*lang.Var); !ok || !made[v.Name] { // else it is the value of an item
			each(reflect.ValueOf(s.Expr), n.read)
		}
	}
	each(reflect.ValueOf([]lang.Expr{x.Skip, x.Limit}), n.read)
}
