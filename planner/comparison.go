package planner

import (
	"slices"

	"github.com/motifql/motif/lang"
)

// Comparison says that a predicate compares a property of one vertex with one of another. An empty key stands for the id.
type Comparison struct {
	Predicate int
	Of        [2]int // the vertices
	Keys      [2]string
	Op        lang.Op
}

// comparisons finds the predicates that Comparison describes.
func comparisons(m *Match) (found []Comparison) {
	for i := range m.Pattern.Predicates {
		q := &m.Pattern.Predicates[i]
		b, ok := m.Exprs[i].(*lang.Binary)
		if !ok || len(q.Vertices) != 2 || len(q.Edges) > 0 || q.Given || !slices.Contains([]lang.Op{"<", "<=", ">", ">=", "=", "<>"}, b.Op) {
			continue
		}
		for _, of := range [][2]int{{q.Vertices[0], q.Vertices[1]}, {q.Vertices[1], q.Vertices[0]}} {
			left, isLeft := valueOf(b.L, m.Pattern.Vertices[of[0]].Name)
			right, isRight := valueOf(b.R, m.Pattern.Vertices[of[1]].Name)
			if isLeft && isRight {
				found = append(found, Comparison{i, of, [2]string{left, right}, b.Op})
			}
		}
	}
	return found
}

// valueOf returns the key of the property that x is of the named node. It is empty for id().
func valueOf(x lang.Expr, name string) (key string, ok bool) {
	if key := propertyOf(x, name); key != "" {
		return key, true
	}
	c, ok := x.(*lang.Call)
	if !ok || c.Name != "id" || len(c.Args) != 1 {
		return "", false
	}
	v, ok := c.Args[0].(*lang.Var)
	return "", ok && v.Name == name
}
