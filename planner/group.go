package planner

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// group is the pattern of one Match operator: a run of MATCH clauses without INDUCED and DISTINCT, or a single
// clause. Uniqueness holds per clause, so that several plain clauses are one pattern with several scopes; INDUCED
// and DISTINCT choose among the matches of one clause for each incoming row, which only a pattern of its own can
// say.
type group struct {
	b        *builder
	alone    bool // takes no further clause
	frame    int
	optional bool // what it binds is null where it has no match
	p        *pattern.Pattern
	exprs    []lang.Expr    // by predicate
	vertex   map[string]int // by name
	edge     map[string]int
	// The variable whose slot an element fills, or comes from if it is bound; nil for an anonymous one.
	vertexVar []*variable
	edgeVar   []*variable
	consts    []lang.Expr // conditions that read no element
	after     []lang.Expr // conditions that need sub-plans
	match     *Match
}

func newGroup(b *builder, alone bool) *group {
	return &group{b: b, alone: alone, frame: b.frame.id, p: &pattern.Pattern{}, vertex: map[string]int{}, edge: map[string]int{}}
}

// binds reports whether a relationship variable of the paths is one that g binds. Such a clause starts a group of its
// own: there the relationship is given and leads to its ends, while here it would be compared with each.
func (g *group) binds(paths []*lang.PathPattern) bool {
	for _, path := range paths {
		for _, r := range path.Rels {
			if v := g.b.vars[r.Name]; v != nil && v.kind == RelSlot && v.home == g {
				return true
			}
		}
	}
	return false
}

// clause adds one MATCH clause as a scope; its paths have the names of the plan.
func (g *group) clause(m *lang.Match, paths []*lang.PathPattern) error {
	s := len(g.p.Scopes)
	g.p.Scopes = append(g.p.Scopes, pattern.Scope{Mode: pattern.Mode(m.Mode), Distinct: m.Distinct, Induced: m.Induced})
	elements := make([][]int, len(paths))
	for i, path := range paths {
		elements[i] = g.path(s, path)
	}
	if m.Induced {
		g.p.Scopes[s].InducedTypes = g.namedTypes(s)
	}
	var conds []lang.Expr
	for i, path := range paths {
		g.b.renameConditions(path)
		inline, err := g.inline(path, elements[i])
		if err != nil {
			return err
		}
		conds = append(conds, inline...)
	}
	return g.conditions(s, append(conds, conjuncts(g.b.rename(m.Where))...))
}

// conditions adds conditions to scope s.
func (g *group) conditions(s int, conds []lang.Expr) error {
	for _, x := range conds {
		if done, err := g.outside(s, x); err != nil {
			return err
		} else if !done {
			g.condition(s, x)
		}
	}
	return g.b.err
}

// path adds the elements of a path and returns them: vertices and edges by turns.
func (g *group) path(s int, path *lang.PathPattern) (elements []int) {
	left := -1
	for i, n := range path.Nodes {
		u := g.nodePattern(n)
		if i > 0 {
			elements = append(elements, g.relPattern(s, path.Rels[i-1], left, u))
		}
		g.use(s, u)
		elements = append(elements, u)
		left = u
	}
	return elements
}

// inline lists the conditions written inside the elements of a path.
func (g *group) inline(path *lang.PathPattern, elements []int) ([]lang.Expr, error) {
	var conds []lang.Expr
	for i, n := range path.Nodes {
		if i > 0 {
			r, e := path.Rels[i-1], elements[2*i-1]
			props, err := properties(r.Props, func() string { return g.edgeName(e) })
			if err != nil {
				return nil, err
			}
			conds = append(append(conds, props...), conjuncts(r.Where)...)
		}
		u := elements[2*i]
		props, err := properties(n.Props, func() string { return g.vertexName(u) })
		if err != nil {
			return nil, err
		}
		conds = append(append(conds, props...), conjuncts(n.Where)...)
	}
	return conds, nil
}

// use notes that a scope has vertex u.
func (g *group) use(s, u int) {
	sc := &g.p.Scopes[s]
	if !slices.Contains(sc.Vertices, u) {
		sc.Vertices = append(sc.Vertices, u)
		sc.Order = append(sc.Order, u)
	}
}

// nodePattern returns the vertex of a node pattern, which further narrows its labels.
func (g *group) nodePattern(n *lang.NodePattern) int {
	g.b.poll()
	u, ok := g.given(n.Name)
	if !ok {
		u = g.addVertex(pattern.Vertex{Name: n.Name}, nil)
		if n.Name != "" {
			g.vertexVar[u] = g.b.declare(n.Name, NodeSlot, g, u)
			g.vertex[n.Name] = u
		}
	}
	if n.Labels != nil {
		g.narrow(u, g.b.dict.label(n.Labels))
	}
	return u
}

// given finds the vertex of a variable that stands in a node pattern. A vertex that an earlier clause made becomes a bound one.
func (g *group) given(name string) (int, bool) {
	if u, ok := g.vertex[name]; ok {
		return u, true
	}
	v := g.b.vars[name]
	if v == nil {
		return 0, false
	}
	v.read = true
	u := g.addVertex(pattern.Vertex{Name: name, Bound: true}, v)
	g.vertex[name] = u
	return u, true
}

// lookupVertex finds the vertex of a node variable in a condition; one of an earlier group becomes a bound vertex here.
func (g *group) lookupVertex(name string) (int, bool) {
	if u, ok := g.vertex[name]; ok {
		return u, true
	}
	if v := g.b.vars[name]; v == nil || v.kind != NodeSlot {
		return 0, false
	}
	return g.given(name)
}

func (g *group) addVertex(v pattern.Vertex, from *variable) int {
	g.p.Vertices = append(g.p.Vertices, v)
	g.vertexVar = append(g.vertexVar, from)
	return len(g.p.Vertices) - 1
}

func (g *group) addEdge(e pattern.Edge, from *variable) int {
	i := len(g.p.Edges)
	g.p.Edges = append(g.p.Edges, e)
	g.edgeVar = append(g.edgeVar, from)
	g.p.Scopes[e.Scope].Edges = append(g.p.Scopes[e.Scope].Edges, i)
	return i
}

// narrow makes vertex u satisfy l too.
func (g *group) narrow(u int, l *pattern.Label) {
	v := &g.p.Vertices[u]
	v.Labels = and(v.Labels, l)
}

// relPattern adds the edge of a relationship pattern; a relationship of an earlier group is bound. A clause names a
// relationship once, so that only several clauses can repeat a bound one; then its further edges have made-up names.
func (g *group) relPattern(s int, r *lang.RelPattern, left, right int) int {
	e := pattern.Edge{Name: r.Name, From: left, To: right, Types: g.b.dict.relTypes(r), Scope: s, Undirected: r.Direction == lang.Undirected}
	if r.Direction == lang.Left {
		e.From, e.To = right, left
	}
	if _, repeated := g.edge[r.Name]; repeated {
		e.Name = g.b.makeUp()
	}
	v := g.b.vars[r.Name]
	if v != nil {
		v.read, e.Bound = true, true
	}
	i := g.addEdge(e, v)
	g.p.Scopes[s].Order = append(g.p.Scopes[s].Order, ^i)
	if e.Name != "" {
		g.edge[e.Name] = i
	}
	if v == nil && r.Name != "" {
		g.edgeVar[i] = g.b.declare(r.Name, RelSlot, g, i)
	}
	return i
}

// lookupEdge finds the edge of a relationship variable. One of an earlier group that this one's paths do not use
// becomes a bound edge between bound vertices, in a scope of its own that demands nothing.
func (g *group) lookupEdge(name string) (int, bool) {
	if e, ok := g.edge[name]; ok {
		return e, true
	}
	v := g.b.vars[name]
	if v == nil || v.kind != RelSlot || v.home == nil {
		return 0, false
	}
	v.read = true
	e := v.home.p.Edges[v.index]
	from, _ := g.lookupVertex(v.home.export(e.From))
	to, _ := g.lookupVertex(v.home.export(e.To))
	g.p.Scopes = append(g.p.Scopes, pattern.Scope{Mode: pattern.RepeatableElements})
	s := len(g.p.Scopes) - 1
	g.use(s, from)
	i := g.addEdge(pattern.Edge{Name: name, From: from, To: to, Types: e.Types, Undirected: e.Undirected, Bound: true, Scope: s}, v)
	g.p.Scopes[s].Order = append(g.p.Scopes[s].Order, ^i)
	g.use(s, to)
	g.edge[name] = i
	return i, true
}

// export makes vertex u a variable that later groups can use, and returns its name.
func (g *group) export(u int) string {
	if v := g.vertexVar[u]; v != nil {
		return v.name
	}
	name := g.vertexName(u)
	g.vertexVar[u] = g.b.declare(name, NodeSlot, g, u)
	g.vertexVar[u].nullable = g.optional
	return name
}

// vertexName and edgeName give an anonymous element a name, so that conditions can refer to it.
func (g *group) vertexName(u int) string {
	v := &g.p.Vertices[u]
	if v.Name == "" {
		v.Name = g.b.makeUp()
		g.vertex[v.Name] = u
	}
	return v.Name
}

func (g *group) edgeName(i int) string {
	e := &g.p.Edges[i]
	if e.Name == "" {
		e.Name = g.b.makeUp()
		g.edge[e.Name] = i
	}
	return e.Name
}

// namedTypes is the union of the types that a scope's relationships name: any, if one names none or there is no
// relationship.
func (g *group) namedTypes(s int) csr.TypeSet {
	edges := g.p.Scopes[s].Edges
	if len(edges) == 0 {
		return nil
	}
	all := csr.TypeSet{}
	for _, e := range edges {
		all = all.Union(g.p.Edges[e].Types)
	}
	return all
}

// node makes the Match operator over an input.
func (g *group) node(input Node) Node {
	g.dropImplied()
	for _, x := range g.consts {
		input = &Filter{Input: input, Cond: x}
	}
	m := &Match{Input: input, Pattern: g.p, Exprs: g.exprs, types: g.b.snap.Types}
	for _, v := range g.vertexVar {
		m.VertexSlot = append(m.VertexSlot, g.b.slotOf(v))
	}
	for _, v := range g.edgeVar {
		m.EdgeSlot = append(m.EdgeSlot, g.b.slotOf(v))
	}
	m.EdgeFilters = g.edgeFilters()
	g.match = m
	top := Node(m)
	for _, x := range g.after {
		top = &Filter{Input: top, Cond: x}
	}
	return top
}

// properties turns an inline property map into conditions on the element that name names.
func properties(props lang.Expr, name func() string) ([]lang.Expr, error) {
	switch m := props.(type) {
	case nil:
		return nil, nil
	case *lang.MapLit:
		var conds []lang.Expr
		for i, k := range m.Keys {
			of := &lang.Property{Pos: k.Pos, Of: &lang.Var{Pos: k.Pos, Name: name()}, Key: k.Text}
			conds = append(conds, &lang.Binary{Pos: k.Pos, Op: "=", L: of, R: m.Values[i]})
		}
		return conds, nil
	}
	return nil, &lang.Error{Code: "SyntaxError.InvalidParameterUse", Msg: "a parameter cannot stand for the whole property map of a pattern",
		Hint: "name the properties: {key: $value}", Pos: props.Position()}
}
