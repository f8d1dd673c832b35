package lang

import (
	"fmt"
	"strings"
)

// interner numbers expressions so that two have the same number if and only if they are the same but for their places. It looks at
// each node once, so that comparing all parts of long expressions with each other stays cheap.
type interner struct {
	byShape map[string]int
	byNode  map[Expr]int
}

func newInterner() *interner { return &interner{map[string]int{}, map[Expr]int{}} }

// id is the number of x. No expression at all is a number, too.
func (t *interner) id(x Expr) int {
	if id, ok := t.byNode[x]; ok {
		return id
	}
	var key strings.Builder
	key.WriteString(shape(x))
	for _, part := range parts(x) {
		fmt.Fprintf(&key, " %d", t.id(part))
	}
	id, ok := t.byShape[key.String()]
	if !ok {
		id = len(t.byShape)
		t.byShape[key.String()] = id
	}
	t.byNode[x] = id
	return id
}

// shape is what x is without its parts.
func shape(x Expr) string {
	detail := any(nil)
	switch x := x.(type) {
	case *Literal:
		detail = literalText(x.Value)
	case *Param:
		detail = x.Name
	case *Var:
		detail = x.Name
	case *Property:
		detail = x.Key
	case *Unary:
		detail = x.Op
	case *Binary:
		detail = x.Op
	case *IsNull:
		detail = x.Not
	case *IsType:
		detail = fmt.Sprint(x.Type, x.Not)
	case *HasLabels:
		detail = x.Labels.String()
	case *Call:
		detail = fmt.Sprint(x.Name, x.Distinct)
	case *ListComprehension:
		detail = []any{QuoteKey(x.Var.Text), x.Where == nil, x.Map == nil}
	case *Quantifier:
		detail = x.Kind + " " + x.Var.Text
	case *Reduce:
		detail = []string{QuoteKey(x.Acc.Text), QuoteKey(x.Var.Text)}
	case *MapProjection:
		keys := []string{}
		for _, it := range x.Items {
			keys = append(keys, QuoteKey(it.Key.Text), fmt.Sprint(it.All))
		}
		detail = keys
	case *PatternExpr:
		detail = x.Path
	case *PatternComprehension:
		detail = x.Path
	case *Subquery:
		detail = x.Kind + " " + x.Query.String()
	case *MapLit:
		keys := make([]string, len(x.Keys))
		for i, k := range x.Keys {
			keys[i] = QuoteKey(k.Text)
		}
		detail = keys
	}
	return fmt.Sprintf("%T %q", x, fmt.Sprint(detail))
}
