package planner

import (
	"slices"
	"strings"

	"github.com/motifql/motif/lang"
)

// parameterComparison is a comparison with a parameter. Only a run knows whether it can hold.
type parameterComparison struct {
	pos         lang.Pos
	name        string
	left, shown string
	kinds       kinds // of the other side
	texts       []string
}

// keepParameter keeps a comparison of left, which may be of the kinds l, with a parameter.
func keepParameter(w *warner, pos lang.Pos, op lang.Op, left, right lang.Expr, l kinds, shown lang.Expr) {
	if p, ok := left.(*lang.Param); ok {
		left, right, l = right, p, w.kindsOf(right)
	}
	p, ok := right.(*lang.Param)
	if !ok || l == anyKind || len(w.parameters) == maxImpossible || !slices.Contains([]lang.Op{"=", "<", "<=", ">", ">="}, op) {
		return
	}
	c := parameterComparison{pos: pos, name: p.Name, left: lang.Text(left), shown: lang.Text(shown), kinds: l}
	if l == stringKind {
		c.texts = storedTexts(w, left)
	}
	w.parameters = append(w.parameters, c)
}

// ParameterWarnings lists the comparisons that never hold with the parameters of a run. Value returns a parameter that is a number, a text or a
// boolean as a literal, and nil for others.
func (p *Plan) ParameterWarnings(value func(name string) *lang.Literal) (list []*lang.Error) {
	for i := range p.parameters {
		c := &p.parameters[i]
		lit := value(c.name)
		if lit == nil || lit.Value == nil || literalKinds(lit)&c.kinds != 0 {
			continue
		}
		msg := c.shown + " never holds: " + c.left + " is " + c.kinds.String() + ", and $" + c.name + " is " + literalKinds(lit).String()
		list = append(list, &lang.Error{Code: "Warning.NeverTrue", Msg: msg, Hint: c.hint(lit), Pos: c.pos})
	}
	return list
}

func (c *parameterComparison) hint(lit *lang.Literal) string {
	text := lang.Text(lit)
	switch of := literalKinds(lit); {
	case c.kinds == stringKind && of == numberKind:
		for _, t := range c.texts {
			if strings.TrimLeft(t, "0") == text {
				text = t
			}
		}
		return "pass a text: motif.Params{\"" + c.name + "\": \"" + text + "\"} in a program, -p '" + c.name + "=\"" + text + "\"' on the command line"
	case c.kinds == numberKind && of == stringKind:
		return "pass a number, without quotes"
	}
	return ""
}
