package planner

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// condition looks at a condition, and at the comparisons that it joins by AND and OR. It does not go below NOT.
func (w *warner) condition(x lang.Expr) {
	if x == nil {
		return
	}
	w.expr(x)
	w.comparisons(x)
}

func (w *warner) comparisons(x lang.Expr) {
	b, ok := x.(*lang.Binary)
	switch {
	case !ok:
	case b.Op == "AND" || b.Op == "OR":
		w.comparisons(b.L)
		w.comparisons(b.R)
	case w.absent(b.L) || w.absent(b.R): // there is a warning already
	default:
		w.compare(b.Pos, b.Op, b.L, b.R, w.kindsOf(b.L), b)
	}
}

// properties looks at the property map of an element, whose entries are compared by =.
func (w *warner) properties(name string, k kinds, labels []*lang.LabelExpr, props lang.Expr) {
	m, ok := props.(*lang.MapLit)
	if !ok {
		return
	}
	v := &known{name: name, kinds: k, labels: labels}
	for i, key := range m.Keys {
		if w.lacks(v, key.Text, key.Pos) {
			continue
		}
		x := &lang.Property{Of: &lang.Var{Name: name}, Key: key.Text}
		if name == "" {
			x.Of = &lang.Var{Name: "n"}
		}
		value := m.Values[i]
		w.expr(value)
		w.compare(key.Pos, "=", x, value, w.propertyKinds(v, key.Text), &lang.MapLit{Keys: m.Keys[i : i+1], Values: m.Values[i : i+1]})
	}
}

// expr looks for properties that no element has, and at the patterns and subqueries in an expression.
func (w *warner) expr(x lang.Expr) {
	lang.Walk(x, func(x lang.Expr) bool {
		w.poll()
		switch x := x.(type) {
		case *lang.Property:
			if v, ok := x.Of.(*lang.Var); ok {
				w.lacks(w.find(v.Name), x.Key, x.Pos)
			}
		case *lang.IsNull:
			_, property := x.X.(*lang.Property)
			return !property // who asks whether there is a property knows that it may be missing
		case *lang.Call:
			return x.Name != "coalesce" && x.Name != "exists"
		case *lang.ListComprehension, *lang.Quantifier, *lang.Reduce, *lang.MapProjection:
			return false // they bind names of their own
		case *lang.PatternExpr:
			w.scoped(func() { w.path(x.Path); w.elements(x.Path) })
			return false
		case *lang.PatternComprehension:
			w.scoped(func() { w.path(x.Path); w.elements(x.Path); w.condition(x.Where) })
			return false
		case *lang.Subquery:
			w.scoped(func() { w.query(x.Query) })
			return false
		}
		return true
	})
}

// absent tells whether x is a property that no element has, as lacks says.
func (w *warner) absent(x lang.Expr) bool {
	p, ok := x.(*lang.Property)
	if !ok {
		return false
	}
	v, ok := p.Of.(*lang.Var)
	if !ok {
		return false
	}
	of := w.find(v.Name)
	id, ok := w.snap.Keys.Lookup(p.Key)
	return of != nil && ok && (of.kinds == nodeKind || of.kinds == relKind) && w.stored(of, csr.KeyID(id)) == 0
}

// lacks warns if no element like v has a property that others have. The checker warns of keys that the graph does not have at all.
func (w *warner) lacks(v *known, key string, pos lang.Pos) bool {
	id, ok := w.snap.Keys.Lookup(key)
	if v == nil || !ok || v.kinds != nodeKind && v.kinds != relKind || w.stored(v, csr.KeyID(id)) != 0 {
		return false
	}
	if len(w.found) == maxImpossible || !w.labelsKnown(v.labels) {
		return true
	}
	who := "node"
	switch {
	case v.kinds == relKind:
		who = "relationship"
	case len(v.labels) > 0:
		who = labelText(v.labels) + " node"
	}
	w.warn("NoSuchProperty", pos, "no "+who+" has the property ."+labelName(key), otherKeys(w, v, key))
	return true
}

// otherKeys is the hint for a property that no element like v has: the one that was perhaps meant, or all that there are.
func otherKeys(w *warner, v *known, key string) string {
	const most = 1000
	var near []string
	for k := range min(w.snap.Keys.Len(), most) {
		if w.stored(v, csr.KeyID(k)) != 0 {
			near = append(near, w.snap.Keys.Name(uint32(k)))
		}
	}
	slices.Sort(near)
	switch name, ok := lang.Suggest(key, near); {
	case ok:
		return "did you mean ." + labelName(name) + "?"
	case len(near) > 0 && len(near) <= 12:
		return "the properties are " + strings.Join(near, ", ")
	}
	return ""
}

// columnNumber warns of ORDER BY 2, which SQL reads as the second column.
func columnNumber(w *warner, r *lang.Return, x lang.Expr) {
	lit, ok := x.(*lang.Literal)
	if !ok {
		return
	}
	n, ok := lit.Value.(int64)
	if !ok || n < 1 || n > int64(len(r.Items)) {
		return
	}
	name := r.Items[n-1].Name
	w.warn("ConstantOrder", lit.Pos, "ORDER BY "+lang.Text(x)+" sorts by a number, which is the same for all rows", "write ORDER BY "+name)
}
