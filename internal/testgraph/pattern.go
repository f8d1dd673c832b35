package testgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// RandomPattern draws a query graph of up to four vertices and five edges. It draws from all that package pattern can say.
// Edges have directions, types and loops, and may be AtLeastOne; vertices have label expressions. Elements may be bound, and
// pairs Different. Scopes have every mode and may be induced or distinct. Predicates cover one or several elements. As in the
// planner, a Distinct scope stands alone, and an Induced one has no AtLeastOne edges.
func RandomPattern(rng *rand.Rand, s *csr.Snapshot) *pattern.Pattern {
	g := &patternGen{rng: rng, s: s, p: new(pattern.Pattern)}
	g.vertices()
	scopes := 1
	if g.chance(0.3) {
		scopes += 1 + rng.IntN(2)
	}
	g.p.Scopes = make([]pattern.Scope, scopes)
	g.edges()
	for i := range g.p.Scopes {
		g.scope(i)
	}
	n := len(g.p.Vertices)
	if n > 1 && g.chance(0.2) {
		u := rng.IntN(n)
		g.p.Different = append(g.p.Different, [2]int{u, (u + 1 + rng.IntN(n-1)) % n})
	}
	if g.chance(0.5) {
		for range 1 + rng.IntN(3) {
			g.predicate(rng.IntN(scopes))
		}
	}
	return g.p
}

// AddEdge appends an edge to a pattern, and adds the edge and its ends to its scope.
func AddEdge(p *pattern.Pattern, e pattern.Edge) {
	sc := &p.Scopes[e.Scope]
	sc.Edges = append(sc.Edges, len(p.Edges))
	for _, u := range []int{e.From, e.To} {
		if !slices.Contains(sc.Vertices, u) {
			sc.Vertices = append(sc.Vertices, u)
		}
	}
	p.Edges = append(p.Edges, e)
}

// RandomJob draws values for the bound elements of p. Where it can, it binds edges to relationships and their bound ends
// accordingly, so that there are matches to find. It leaves the order and the candidates empty.
func RandomJob(rng *rand.Rand, s *csr.Snapshot, p *pattern.Pattern) *pattern.Job {
	j := &pattern.Job{Snapshot: s, Pattern: p, Vertices: make([]csr.VertexID, len(p.Vertices)), Edges: make([]csr.EdgeID, len(p.Edges))}
	for u := range p.Vertices {
		j.Vertices[u] = csr.NoVertex
		if p.Vertices[u].Bound {
			j.Vertices[u] = csr.VertexID(rng.Uint64N(s.N()))
		}
	}
	for i, q := range p.Edges {
		j.Edges[i] = csr.NoEdge
		if !q.Bound {
			continue
		}
		all := slices.Collect(s.AllEdges())
		j.Edges[i] = all[rng.IntN(len(all))]
		ends := [2]csr.VertexID{}
		ends[0], ends[1] = s.Endpoints(j.Edges[i])
		if q.Undirected && rng.IntN(2) == 0 {
			ends[0], ends[1] = ends[1], ends[0]
		}
		for k, u := range []int{q.From, q.To} {
			if p.Vertices[u].Bound && rng.IntN(5) > 0 {
				j.Vertices[u] = ends[k]
			}
		}
	}
	return j
}

type patternGen struct {
	rng *rand.Rand
	s   *csr.Snapshot
	p   *pattern.Pattern
}

func (g *patternGen) chance(p float64) bool { return g.rng.Float64() < p }

func (g *patternGen) vertices() {
	for u := range 1 + g.rng.IntN(4) {
		v := pattern.Vertex{Name: string(rune('a' + u)), Bound: g.chance(0.1)}
		if g.chance(0.4) {
			v.Labels = g.label(2)
		}
		g.p.Vertices = append(g.p.Vertices, v)
	}
}

func (g *patternGen) label(depth int) *pattern.Label {
	op := pattern.LabelOp(g.rng.IntN(5))
	if depth == 0 || g.chance(0.5) {
		op = pattern.LabelName
	}
	l := &pattern.Label{Op: op}
	switch op {
	case pattern.LabelName:
		n := g.s.Labels.Len()
		if n == 0 || g.chance(0.1) {
			l.Name, l.Unknown = "Nobody", true
			break
		}
		l.ID = csr.LabelID(g.rng.IntN(n))
		l.Name = g.s.Labels.Name(uint32(l.ID))
	case pattern.LabelNot:
		l.Args = []*pattern.Label{g.label(depth - 1)}
	case pattern.LabelAnd, pattern.LabelOr:
		l.Args = []*pattern.Label{g.label(depth - 1), g.label(depth - 1)}
	}
	return l
}

// edges makes most patterns connected and then adds edges.
func (g *patternGen) edges() {
	n := len(g.p.Vertices)
	for u := 1; u < n; u++ {
		if g.chance(0.9) {
			g.edge(g.rng.IntN(u), u)
		}
	}
	for range g.rng.IntN(3) {
		u, w := g.rng.IntN(n), g.rng.IntN(n)
		if u != w || g.chance(0.5) {
			g.edge(u, w)
		}
	}
}

func (g *patternGen) edge(u, w int) {
	if g.chance(0.5) {
		u, w = w, u
	}
	e := pattern.Edge{
		Name: fmt.Sprint("e", len(g.p.Edges)), From: u, To: w, Types: g.types(),
		Undirected: g.chance(0.5), Scope: g.rng.IntN(len(g.p.Scopes)),
	}
	e.AtLeastOne = u != w && g.chance(0.15)
	e.Bound = !e.AtLeastOne && g.s.M() > 0 && g.chance(0.05)
	g.p.Edges = append(g.p.Edges, e)
}

func (g *patternGen) types() csr.TypeSet {
	if g.chance(0.5) {
		return nil
	}
	set := csr.TypeSet{}
	for t := range g.s.Types.Len() {
		if g.chance(0.6) {
			set = append(set, csr.TypeID(t))
		}
	}
	return set
}

// scope lists the elements of scope i and draws its rules. A vertex without an edge belongs to at least one scope.
func (g *patternGen) scope(i int) {
	s := &g.p.Scopes[i]
	use := func(u int) {
		if !slices.Contains(s.Vertices, u) {
			s.Vertices, s.Order = append(s.Vertices, u), append(s.Order, u)
		}
	}
	for e, q := range g.p.Edges {
		if q.Scope == i {
			ends := []int{q.From, q.To}
			if g.chance(0.5) {
				slices.Reverse(ends) // written (b)<--(a)
			}
			use(ends[0])
			s.Edges, s.Order = append(s.Edges, e), append(s.Order, ^e)
			use(ends[1])
		}
	}
	for u := range g.p.Vertices {
		alone := !slices.ContainsFunc(g.p.Edges, func(q pattern.Edge) bool { return q.From == u || q.To == u })
		if alone && i == u%len(g.p.Scopes) || g.chance(0.1) {
			use(u)
		}
	}
	s.Mode = pattern.Mode(g.rng.IntN(3))
	weak := slices.ContainsFunc(s.Edges, func(e int) bool { return g.p.Edges[e].AtLeastOne })
	s.Induced = !weak && g.chance(0.2)
	s.Distinct = len(g.p.Scopes) == 1 && g.chance(0.4)
	if s.Induced {
		s.InducedTypes = g.inducedTypes(s)
	}
	if s.Induced || s.Distinct {
		s.Mode = pattern.DifferentNodes
	}
}

// inducedTypes returns the types that the scope names, or any if it has an untyped edge or no edge.
func (g *patternGen) inducedTypes(s *pattern.Scope) csr.TypeSet {
	if len(s.Edges) == 0 {
		return nil
	}
	types := csr.TypeSet{}
	for _, e := range s.Edges {
		types = types.Union(g.p.Edges[e].Types)
	}
	return types
}

// predicate adds a condition over elements of a scope.
func (g *patternGen) predicate(scope int) {
	s := &g.p.Scopes[scope]
	edges := slices.DeleteFunc(slices.Clone(s.Edges), func(e int) bool { return g.p.Edges[e].AtLeastOne })
	pick := func(of []int) int { return of[g.rng.IntN(len(of))] }
	switch kind := g.rng.IntN(5); {
	case kind <= 1 && len(s.Vertices) > 0:
		g.atMost(scope, pick(s.Vertices))
	case kind == 2 && len(s.Vertices) > 1:
		g.rising(scope, pick(s.Vertices), pick(s.Vertices))
	case kind == 3 && len(edges) > 0:
		g.edgeProperty(scope, pick(edges))
	case len(edges) > 0 && len(s.Vertices) > 0:
		g.sameName(scope, pick(s.Vertices), pick(edges))
	}
}

// atMost returns u.x <= c, which is not true without an integer x.
func (g *patternGen) atMost(scope, u int) {
	s, x, c := g.s, g.key("x"), g.rng.Int64N(5)
	g.add(scope, fmt.Sprintf("%s.x <= %d", g.p.Vertices[u].Name, c), []int{u}, nil, func(v []csr.VertexID, _ []csr.EdgeID) bool {
		cell, ok := s.VertexProp(v[u], x)
		return ok && cell.Kind == csr.KindInt && int64(cell.Num) <= c
	})
}

// rising returns id(u) <= id(w), a condition that an automorphism does not preserve.
func (g *patternGen) rising(scope, u, w int) {
	s := g.s
	text := fmt.Sprintf("id(%s) <= id(%s)", g.p.Vertices[u].Name, g.p.Vertices[w].Name)
	both := []int{u, w}
	if u == w {
		both = both[:1]
	}
	g.add(scope, text, both, nil, func(v []csr.VertexID, _ []csr.EdgeID) bool { return s.NodeID(v[u]) <= s.NodeID(v[w]) })
}

// edgeProperty returns e.x >= c.
func (g *patternGen) edgeProperty(scope, e int) {
	s, x, c := g.s, g.key("x"), g.rng.Int64N(4)
	g.add(scope, fmt.Sprintf("%s.x >= %d", g.p.Edges[e].Name, c), nil, []int{e}, func(_ []csr.VertexID, ids []csr.EdgeID) bool {
		cell, ok := s.EdgeProp(ids[e], x)
		return ok && cell.Kind == csr.KindInt && int64(cell.Num) >= c
	})
}

// sameName returns NOT u.name = e.name, a condition over a vertex and an edge. It is true where either has no name.
func (g *patternGen) sameName(scope, u, e int) {
	s, name := g.s, g.key("name")
	text := fmt.Sprintf("NOT coalesce(%s.name = %s.name, false)", g.p.Vertices[u].Name, g.p.Edges[e].Name)
	g.add(scope, text, []int{u}, []int{e}, func(v []csr.VertexID, ids []csr.EdgeID) bool {
		a, ok := s.VertexProp(v[u], name)
		b, has := s.EdgeProp(ids[e], name)
		return !ok || !has || a != b
	})
}

func (g *patternGen) key(name string) csr.KeyID {
	k, ok := g.s.Keys.Lookup(name)
	if !ok {
		return csr.KeyID(g.s.Keys.Len())
	}
	return csr.KeyID(k)
}

func (g *patternGen) add(scope int, text string, vertices, edges []int, holds func([]csr.VertexID, []csr.EdgeID) bool) {
	test := func(v []csr.VertexID, e []csr.EdgeID) (bool, error) { return holds(v, e), nil }
	g.p.Predicates = append(g.p.Predicates, pattern.Predicate{Text: text, Vertices: vertices, Edges: edges, Scope: scope, Test: test, Sift: SiftOf(test)})
}

// SiftOf tests many matches as test does each. It declines where test gives an error, and now and then.
func SiftOf(test pattern.Test) pattern.Sift {
	return func(m *pattern.Alike, keep []bool) bool {
		vertices, edges := slices.Clone(m.Vertices), slices.Clone(m.Edges)
		passes := make([]bool, len(keep))
		for i, v := range m.At {
			if vertices[m.Vertex] = v; m.Edge >= 0 {
				edges[m.Edge] = m.Over[i]
			}
			if m.Others != nil {
				vertices[m.Other] = m.Others[i]
			}
			var err error
			if passes[i], err = test(vertices, edges); err != nil || len(keep) > 1 && (int(v)+len(keep))%5 == 0 {
				return false
			}
		}
		for i, ok := range passes {
			keep[i] = keep[i] && ok
		}
		return true
	}
}
