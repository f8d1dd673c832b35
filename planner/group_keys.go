package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner/match"
)

// What an aggregate reads of a match, and conditions that may only say that nodes differ. Whether they help depends on the values in the
// graph: the executor decides.

// Unequal says that a predicate compares the same property of two vertices and demands that the values differ.
type Unequal struct {
	Predicate int
	Of        [2]int // the vertices
	Key       string
}

// readKeys notes which properties the aggregate reads of each vertex of m.
func (r *projection) readKeys(m *Match) {
	if m.Optional || m.Input != nil {
		return
	}
	vertex, keys := map[string]int{}, make([][]string, len(m.Pattern.Vertices))
	for u := range m.Pattern.Vertices {
		if name := m.Pattern.Vertices[u].Name; name != "" {
			vertex[name] = u
		}
	}
	var read []lang.Expr
	for _, k := range r.keys {
		read = append(read, k.Expr)
	}
	for _, a := range r.aggs {
		read = append(append(read, a.Arg), a.More...)
	}
	whole := map[int]bool{}
	for _, x := range read {
		lang.Walk(x, func(x lang.Expr) bool {
			if r.b.plan.Subs[x] != nil {
				for u := range keys {
					whole[u] = true
				}
			}
			if p, ok := x.(*lang.Property); ok {
				if name, ok := varName(p.Of); ok {
					if u, ok := vertex[name]; ok {
						if !slices.Contains(keys[u], p.Key) {
							keys[u] = append(keys[u], p.Key)
						}
						return false
					}
				}
			}
			if name, ok := varName(x); ok {
				if u, ok := vertex[name]; ok {
					whole[u] = true
				}
			}
			return true
		})
	}
	for u := range whole {
		keys[u] = nil
	}
	m.ReadKeys = keys
}

// unequals finds the predicates that Unequal describes.
func unequals(m *Match) (found []Unequal) {
	for i := range m.Pattern.Predicates {
		q := &m.Pattern.Predicates[i]
		if len(q.Vertices) != 2 || len(q.Edges) > 0 || q.Given {
			continue
		}
		x, op := m.Exprs[i], lang.Op("<>")
		if u, ok := x.(*lang.Unary); ok && u.Op == "NOT" {
			x, op = u.X, "="
		}
		b, ok := x.(*lang.Binary)
		if !ok || b.Op != op {
			continue
		}
		for _, of := range [][2]int{{q.Vertices[0], q.Vertices[1]}, {q.Vertices[1], q.Vertices[0]}} {
			key := propertyOf(b.L, m.Pattern.Vertices[of[0]].Name)
			if key != "" && key == propertyOf(b.R, m.Pattern.Vertices[of[1]].Name) {
				found = append(found, Unequal{i, of, key})
			}
		}
	}
	return found
}

// EdgeFilter says that a predicate reads one relationship and nothing else, and always gives the same for it.
type EdgeFilter struct {
	Predicate, Edge int
	Shape           string // the predicate's text without the variable: equal Shapes test the same
}

// edgeFilters finds the predicates that EdgeFilter describes, if no other reads a relationship.
func (g *group) edgeFilters() (found []EdgeFilter) {
	for i := range g.p.Predicates {
		q, x := &g.p.Predicates[i], g.exprs[i]
		if len(q.Edges) == 0 {
			continue
		}
		if e := q.Edges[0]; len(q.Edges) > 1 || len(q.Vertices) > 0 || q.Given || g.p.Edges[e].Bound || g.p.Edges[e].AtLeastOne || !g.constantFor(x) {
			return nil
		}
		found = append(found, EdgeFilter{i, q.Edges[0], shapeOf(x)})
	}
	return found
}

// constantFor reports whether x gives the same whenever it reads the same.
func (g *group) constantFor(x lang.Expr) bool {
	ok := true
	lang.Walk(x, func(x lang.Expr) bool {
		if c, isCall := x.(*lang.Call); isCall {
			ok = ok && !slices.ContainsFunc(lang.Functions, func(f lang.Function) bool { return f.Volatile && strings.EqualFold(f.Name, c.Name) })
		}
		ok = ok && g.b.plan.Subs[x] == nil
		return ok
	})
	return ok
}

// shapeOf is the text of x with ? for each variable.
func shapeOf(x lang.Expr) string {
	return text(rewrite(x, func(x lang.Expr) lang.Expr {
		if v, ok := x.(*lang.Var); ok {
			return &lang.Var{Pos: v.Pos, Name: "?"}
		}
		return nil
	}))
}

// groupNotes says what the executor may make of m's groups and conditions.
func (m *Match) groupNotes(s *csr.Snapshot) (notes []string) {
	for _, q := range m.Unequal {
		if _, known := s.Keys.Lookup(q.Key); known {
			notes = append(notes, fmt.Sprintf("%s: %s <> %s, if no two nodes have the same %s", m.Pattern.Predicates[q.Predicate].Text,
				m.Pattern.VertexName(q.Of[0]), m.Pattern.VertexName(q.Of[1]), q.Key))
		}
	}
	if len(m.EdgeFilters) > 0 && m.Order.Cost >= longCount && !m.readsEdges() {
		var texts []string
		for _, f := range m.EdgeFilters {
			texts = append(texts, m.Pattern.Predicates[f.Predicate].Text)
		}
		notes = append(notes, "tests "+strings.Join(texts, ", ")+" on all relationships first, where that is cheaper than the search")
	}
	var by []string
	for u, keys := range m.ReadKeys {
		for _, k := range keys {
			by = append(by, m.Pattern.VertexName(u)+"."+k)
		}
	}
	if u := m.readAlone(); u >= 0 && len(m.ReadKeys[u]) == 0 && !m.readsEdges() && m.Order.Cost >= longCount {
		notes = append(notes, fmt.Sprintf("counts by sums for each %s where that is cheaper than the search", m.Pattern.VertexName(u)))
	}
	if len(by) > 0 && m.groupable() {
		notes = append(notes, "counts by sums for each value of "+strings.Join(by, ", ")+" where that is cheaper than the search")
	}
	if u, w := m.readPair(); w > 0 && !m.readsEdges() && (m.Grouped || m.Once) && m.Order.Cost >= longCount {
		if p, _ := match.Pairs(m.Pattern, s, [2]int{u, w}, m.Order.Cost); p != nil {
			notes = append(notes, fmt.Sprintf("counts by sums for each pair of %s and %s where that is cheaper than the search", m.Pattern.VertexName(u), m.Pattern.VertexName(w)))
		}
	}
	return notes
}

// readPair returns the vertices that the operators above read if they read two; else 0 and 0.
func (m *Match) readPair() (u, w int) {
	var read []int
	for u, slot := range m.VertexSlot {
		if slot >= 0 {
			read = append(read, u)
		}
	}
	if len(read) != 2 || m.Optional {
		return 0, 0
	}
	return read[0], read[1]
}

// groupable reports whether the vertices that are read are all read by properties.
func (m *Match) groupable() bool {
	if m.ReadKeys == nil || m.readsEdges() || m.Order.Cost < longCount {
		return false
	}
	for u, slot := range m.VertexSlot {
		if slot >= 0 && m.ReadKeys[u] == nil {
			return false
		}
	}
	return true
}

// readAlone returns the vertex that the operator above reads if it reads a single one; else -1.
func (m *Match) readAlone() int {
	alone := -1
	for u, slot := range m.VertexSlot {
		if slot >= 0 && alone >= 0 || m.ReadKeys == nil {
			return -1
		}
		if slot >= 0 {
			alone = u
		}
	}
	return alone
}
