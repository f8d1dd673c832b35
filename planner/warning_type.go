package planner

import (
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// kinds is a set of kinds of values that an expression may have, beside null. Values of different kinds are never equal, and
// no comparison between them is true.
type kinds uint16

const (
	numberKind kinds = 1 << iota
	stringKind
	boolKind
	listKind
	mapKind
	temporalKind
	nodeKind
	relKind
	pathKind
	pointKind

	anyKind kinds = 1<<iota - 1
)

var kindNames = []struct {
	kinds kinds
	name  string
}{
	{numberKind, "a number"}, {stringKind, "a string"}, {boolKind, "a boolean"}, {temporalKind, "a date or time"}, {listKind, "a list"},
	{mapKind, "a map"}, {nodeKind, "a node"}, {relKind, "a relationship"}, {pathKind, "a path"}, {pointKind, "a point"},
}

// String names the kinds: "a number or a string".
func (k kinds) String() string {
	var list []string
	for _, n := range kindNames {
		if k&n.kinds != 0 {
			list = append(list, n.name)
		}
	}
	if len(list) == 0 {
		return "null"
	}
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// callKinds are the kinds of the values of some functions.
var callKinds = map[string]kinds{
	"date": temporalKind, "datetime": temporalKind, "localdatetime": temporalKind, "time": temporalKind, "localtime": temporalKind, "duration": temporalKind,
	"tointeger": numberKind, "tofloat": numberKind, "tostring": stringKind, "toboolean": boolKind, "tolower": stringKind, "toupper": stringKind, "trim": stringKind,
	"size": numberKind, "length": numberKind, "count": numberKind, "id": numberKind, "elementid": stringKind, "type": stringKind, "labels": listKind, "keys": listKind,
	"nodes": listKind, "relationships": listKind, "collect": listKind, "range": listKind, "split": listKind, "properties": mapKind, "timestamp": numberKind,
	"point": pointKind, "distance": numberKind, "point.distance": numberKind, "point.withinbbox": boolKind, "startnode": nodeKind, "endnode": nodeKind,
}

// kindsOf is what an expression may be, beside null.
func (w *warner) kindsOf(x lang.Expr) kinds {
	switch x := x.(type) {
	case *lang.Literal:
		return literalKinds(x)
	case *lang.Var:
		if v := w.find(x.Name); v != nil {
			return v.kinds
		}
	case *lang.Property:
		if v, ok := x.Of.(*lang.Var); ok {
			return w.propertyKinds(w.find(v.Name), x.Key)
		}
	case *lang.Call:
		if k, ok := callKinds[x.Name]; ok {
			return k
		}
	case *lang.ListLit, *lang.ListComprehension, *lang.PatternComprehension:
		return listKind
	case *lang.MapLit, *lang.MapProjection:
		return mapKind
	case *lang.CountStar:
		return numberKind
	case *lang.HasLabels, *lang.IsNull, *lang.IsType, *lang.Quantifier:
		return boolKind
	case *lang.Subquery:
		return map[string]kinds{"exists": boolKind, "count": numberKind, "collect": listKind}[x.Kind]
	case *lang.Unary:
		if x.Op == "NOT" {
			return boolKind
		}
		return numberKind
	case *lang.Binary:
		return w.binaryKinds(x)
	}
	return anyKind
}

func literalKinds(x *lang.Literal) kinds {
	switch x.Value.(type) {
	case bool:
		return boolKind
	case int64, float64:
		return numberKind
	case string:
		return stringKind
	}
	return anyKind // null: there is a warning of its own
}

func (w *warner) binaryKinds(x *lang.Binary) kinds {
	switch x.Op {
	case "+":
		l, r := w.kindsOf(x.L), w.kindsOf(x.R)
		switch {
		case (l|r)&^numberKind == 0:
			return numberKind
		case (l|r)&^(numberKind|stringKind) == 0 && (l == stringKind || r == stringKind):
			return stringKind
		}
		return anyKind
	case "||":
		return stringKind | listKind
	case "-", "*", "/", "%", "^":
		if w.kindsOf(x.L) == numberKind && w.kindsOf(x.R) == numberKind {
			return numberKind
		}
		return numberKind | temporalKind
	}
	return boolKind
}

// storedKinds is what the values of a csr.Kind are.
var storedKinds = map[csr.Kind]kinds{csr.KindInt: numberKind, csr.KindFloat: numberKind, csr.KindBool: boolKind, csr.KindString: stringKind,
	csr.KindEncoded: listKind | mapKind | temporalKind | pointKind}

// propertyKinds is what a property of a variable may be in this graph; anyKind if that is not known, or if nothing has it.
func (w *warner) propertyKinds(v *known, key string) kinds {
	id, ok := w.snap.Keys.Lookup(key)
	if v == nil || !ok || v.kinds != nodeKind && v.kinds != relKind {
		return anyKind
	}
	set := w.stored(v, csr.KeyID(id))
	if set == 0 {
		return anyKind
	}
	var k kinds
	for kind, of := range storedKinds {
		if set.Has(kind) {
			k |= of
		}
	}
	return k
}

// stored is the kinds of the values that a property of v has in the graph.
func (w *warner) stored(v *known, key csr.KeyID) csr.KindSet {
	if v.kinds == relKind {
		return w.snap.RelationshipKinds(key)
	}
	set := w.snap.NodeKinds(csr.NoLabel, key)
	for _, l := range v.labels {
		if id, ok := w.snap.Labels.Lookup(l.Name); ok && l.Op == lang.LabelName {
			set &= w.snap.NodeKinds(csr.LabelID(id), key)
		}
	}
	return set
}

// compare warns of a comparison that never holds. Shown is the comparison as the user wrote it.
func (w *warner) compare(pos lang.Pos, op lang.Op, left, right lang.Expr, l kinds, shown lang.Expr) {
	if isNull(left) || isNull(right) {
		w.nullComparison(pos, op, left, right, shown)
		return
	}
	keepParameter(w, pos, op, left, right, l, shown)
	r := w.kindsOf(right)
	switch op {
	case "=", "<", "<=", ">", ">=":
		if op != "=" && l&^unordered == 0 && r&^unordered == 0 {
			warnUnordered(w, pos, op, left, right, l, shown)
			return
		}
		if l&r != 0 {
			w.unequalTexts(pos, op, left, right, shown)
			return
		}
	case "STARTS WITH", "ENDS WITH", "CONTAINS", "=~":
		if l&stringKind != 0 && r&stringKind != 0 {
			return
		}
		if l&stringKind == 0 {
			w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: "+lang.Text(left)+" is "+l.String()+", not a string", "write toString("+lang.Text(left)+")")
			return
		}
		w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: "+lang.Text(right)+" is "+r.String()+", not a string", "")
		return
	case "IN":
		w.in(pos, left, right, l, shown)
		return
	default:
		return
	}
	hint := w.mend(left, right, l, r)
	if hint == "" {
		hint = w.mend(right, left, r, l)
	}
	w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: "+lang.Text(left)+" is "+l.String()+", and "+lang.Text(right)+" is "+r.String(), hint)
}

// unordered are the kinds whose values < and the like do not order.
const unordered = nodeKind | relKind | mapKind | pathKind | pointKind

func warnUnordered(w *warner, pos lang.Pos, op lang.Op, left, right lang.Expr, l kinds, shown lang.Expr) {
	hint := ""
	if l&^(nodeKind|relKind) == 0 {
		hint = "write id(" + lang.Text(left) + ") " + string(op) + " id(" + lang.Text(right) + ")"
	}
	if l == pointKind {
		hint = "write point.withinBBox(), or compare a point.distance() or single coordinates"
	}
	w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: "+l.String()+" has no order", hint)
}

func isNull(x lang.Expr) bool {
	l, ok := x.(*lang.Literal)
	return ok && l.Value == nil
}

func (w *warner) nullComparison(pos lang.Pos, op lang.Op, left, right lang.Expr, shown lang.Expr) {
	if isNull(left) {
		left = right
	}
	hint := "write " + lang.Text(left) + " IS NULL"
	switch op {
	case "<>":
		hint = "write " + lang.Text(left) + " IS NOT NULL"
	case "=":
	case "<", "<=", ">", ">=":
		hint = "write " + lang.Text(left) + " IS NULL, or IS NOT NULL"
	default:
		return
	}
	w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: a comparison with null is null", hint)
}

// unequalTexts warns of two different texts: one is perhaps a name in quotes.
func (w *warner) unequalTexts(pos lang.Pos, op lang.Op, left, right lang.Expr, shown lang.Expr) {
	l, ok := left.(*lang.Literal)
	r, also := right.(*lang.Literal)
	if op != "=" || !ok || !also {
		return
	}
	a, isText := l.Value.(string)
	b, areTexts := r.Value.(string)
	if isText && areTexts && a != b {
		w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: both are texts, and they differ", "names stand without quotes or in backticks: n."+labelName(a)+" = '"+b+"'")
	}
}

// in warns of a list none of whose elements can be equal to the left side.
func (w *warner) in(pos lang.Pos, left, right lang.Expr, l kinds, shown lang.Expr) {
	list, ok := right.(*lang.ListLit)
	if !ok || len(list.Items) == 0 {
		return
	}
	var all kinds
	for _, it := range list.Items {
		if !isNull(it) {
			all |= w.kindsOf(it)
		}
	}
	if all&l != 0 {
		return
	}
	if all == 0 {
		w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: nothing equals null", "write "+lang.Text(left)+" IS NULL")
		return
	}
	w.warn("NeverTrue", pos, lang.Text(shown)+" never holds: "+lang.Text(left)+" is "+l.String()+", and each element is "+all.String(), w.mend(left, list.Items[0], l, all))
}
