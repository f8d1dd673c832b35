package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// children lists the direct subexpressions of x, nil where an optional one is missing; withChildren takes them in
// the same order. Subqueries and patterns have none: they are plans of their own.
func children(x lang.Expr) []lang.Expr {
	switch x := x.(type) {
	case *lang.Property:
		return []lang.Expr{x.Of}
	case *lang.Index:
		return []lang.Expr{x.Of, x.At}
	case *lang.Slice:
		return []lang.Expr{x.Of, x.From, x.To}
	case *lang.Unary:
		return []lang.Expr{x.X}
	case *lang.Binary:
		return []lang.Expr{x.L, x.R}
	case *lang.IsNull:
		return []lang.Expr{x.X}
	case *lang.IsType:
		return []lang.Expr{x.X}
	case *lang.HasLabels:
		return []lang.Expr{x.X}
	case *lang.Call:
		return x.Args
	case *lang.ListLit:
		return x.Items
	case *lang.MapLit:
		return x.Values
	case *lang.Case:
		kids := []lang.Expr{x.Test, x.Else}
		for _, w := range x.Whens {
			kids = append(kids, w.Cond, w.Then)
		}
		return kids
	case *lang.ListComprehension:
		return []lang.Expr{x.List, x.Where, x.Map}
	case *lang.Quantifier:
		return []lang.Expr{x.List, x.Where}
	case *lang.Reduce:
		return []lang.Expr{x.Init, x.List, x.Step}
	case *lang.MapProjection:
		kids := []lang.Expr{x.Of}
		for _, it := range x.Items {
			kids = append(kids, it.Value)
		}
		return kids
	}
	return nil
}

// withChildren copies x with other subexpressions.
func withChildren(x lang.Expr, kids []lang.Expr) lang.Expr {
	switch x := x.(type) {
	case *lang.Property:
		return &lang.Property{Pos: x.Pos, Of: kids[0], Key: x.Key}
	case *lang.Index:
		return &lang.Index{Pos: x.Pos, Of: kids[0], At: kids[1]}
	case *lang.Slice:
		return &lang.Slice{Pos: x.Pos, Of: kids[0], From: kids[1], To: kids[2]}
	case *lang.Unary:
		return &lang.Unary{Pos: x.Pos, Op: x.Op, X: kids[0]}
	case *lang.Binary:
		return &lang.Binary{Pos: x.Pos, Op: x.Op, L: kids[0], R: kids[1]}
	case *lang.IsNull:
		return &lang.IsNull{Pos: x.Pos, X: kids[0], Not: x.Not}
	case *lang.IsType:
		return &lang.IsType{Pos: x.Pos, X: kids[0], Type: x.Type, Not: x.Not}
	case *lang.HasLabels:
		return &lang.HasLabels{Pos: x.Pos, X: kids[0], Labels: x.Labels}
	case *lang.Call:
		return &lang.Call{Pos: x.Pos, Name: x.Name, Distinct: x.Distinct, Args: kids}
	case *lang.ListLit:
		return &lang.ListLit{Pos: x.Pos, Items: kids}
	case *lang.MapLit:
		return &lang.MapLit{Pos: x.Pos, Keys: x.Keys, Values: kids}
	case *lang.Case:
		c := &lang.Case{Pos: x.Pos, Test: kids[0], Else: kids[1]}
		for i := 2; i < len(kids); i += 2 {
			c.Whens = append(c.Whens, lang.When{Cond: kids[i], Then: kids[i+1]})
		}
		return c
	case *lang.ListComprehension:
		return &lang.ListComprehension{Pos: x.Pos, Var: x.Var, List: kids[0], Where: kids[1], Map: kids[2]}
	case *lang.Quantifier:
		return &lang.Quantifier{Pos: x.Pos, Kind: x.Kind, Var: x.Var, List: kids[0], Where: kids[1]}
	case *lang.Reduce:
		return &lang.Reduce{Pos: x.Pos, Acc: x.Acc, Init: kids[0], Var: x.Var, List: kids[1], Step: kids[2]}
	case *lang.MapProjection:
		m := &lang.MapProjection{Pos: x.Pos, Of: kids[0], Items: slices.Clone(x.Items)}
		for i := range m.Items {
			m.Items[i].Value = kids[i+1]
		}
		return m
	}
	return x
}

// rewrite replaces, from the top down, every subexpression for which f gives another one, and does not look into
// what f gave. x itself is not changed.
func rewrite(x lang.Expr, f func(lang.Expr) lang.Expr) lang.Expr {
	if x == nil {
		return nil
	}
	if y := f(x); y != nil {
		return y
	}
	kids := children(x)
	changed := false
	fresh := make([]lang.Expr, len(kids))
	for i, k := range kids {
		fresh[i] = rewrite(k, f)
		changed = changed || fresh[i] != k
	}
	if !changed {
		return x
	}
	return withChildren(x, fresh)
}

// walk calls visit for x and all expressions inside it, from left to right, parents first, but for what is inside of
// subqueries and patterns. It does not go into the parts of an expression for which visit returns false.
func walk(x lang.Expr, visit func(lang.Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	for _, kid := range children(x) {
		walk(kid, visit)
	}
}

// variables lists the variables that x reads, in order of first appearance, without what x itself binds, as a list
// comprehension does.
func (b *builder) variables(x lang.Expr) []string {
	return b.names(x, func(name string) bool { return b.vars[name] != nil })
}

func (b *builder) names(x lang.Expr, known func(name string) bool) []string {
	var names []string
	note := func(name string) {
		if known(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	walk(x, func(x lang.Expr) bool {
		if v, ok := x.(*lang.Var); ok {
			note(v.Name)
		} else if sub := b.plan.Subs[x]; sub != nil {
			for _, name := range sub.Reads {
				note(name)
			}
			for _, l := range sub.Locals { // of a loop of a path: what one repetition binds
				note(l.Name)
			}
		}
		return true
	})
	return names
}

// conjuncts splits x at its top-level ANDs. A conjunction is true exactly where all its parts are, nulls included.
func conjuncts(x lang.Expr) []lang.Expr {
	if b, ok := x.(*lang.Binary); ok && b.Op == "AND" {
		return append(conjuncts(b.L), conjuncts(b.R)...)
	}
	if x == nil {
		return nil
	}
	return []lang.Expr{x}
}

// text prints x as the formatter does, on one line; expressions that print the same are the same.
func text(x lang.Expr) string {
	if x == nil {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprint(x), "\n", " ")
}

// varName is the name of x if it is a variable.
func varName(x lang.Expr) (string, bool) {
	v, ok := x.(*lang.Var)
	if !ok {
		return "", false
	}
	return v.Name, true
}

// varNames are the names of xs if all of them are variables and no two are the same.
func varNames(xs []lang.Expr) ([]string, bool) {
	var names []string
	for _, x := range xs {
		n, ok := varName(x)
		if !ok || slices.Contains(names, n) {
			return nil, false
		}
		names = append(names, n)
	}
	return names, true
}

// call returns x as a call of the named function.
func call(x lang.Expr, name string) (*lang.Call, bool) {
	c, ok := x.(*lang.Call)
	return c, ok && c.Name == name
}

// isAggregate reports whether x is itself an aggregate.
func isAggregate(x lang.Expr) bool {
	switch x := x.(type) {
	case *lang.CountStar:
		return true
	case *lang.Call:
		return lang.IsAggregate(x.Name)
	}
	return false
}

// hasAggregate reports whether an aggregate occurs in x.
func hasAggregate(x lang.Expr) bool {
	found := false
	walk(x, func(x lang.Expr) bool {
		found = found || isAggregate(x)
		return !found
	})
	return found
}
