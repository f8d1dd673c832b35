package planner

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// A MATCH clause with paths of variable length becomes several operators. Its relationships of fixed length are matched as
// patterns, a connected part at a time; every part of variable length between two nodes, and every path that has
// a mode or a selector as a whole, is a Paths operator, which starts from a node that is bound by then and binds the other
// end. The clause's conditions stand at the first operator where all that they read is bound.

// special reports whether a path needs more than a pattern.
func special(p *lang.PathPattern) bool {
	return p.Mode != lang.NoPathMode || p.Selector.Kind != lang.AllPaths || p.Function != lang.NoPathFunction ||
		slices.ContainsFunc(p.Rels, func(r *lang.RelPattern) bool { return r.Length != nil || r.Group != nil })
}

// pathClause plans one MATCH clause.
type pathClause struct {
	b     *builder
	m     *lang.Match
	paths []*clausePath
	components
	node  map[string][]pathNode // by name
	conds []clauseCond
	names map[string]bool // names in the plan that the clause binds anew
	fixed []*fixedRel
	parts []*pathPart
	avail map[string]int // by name: the clause's step that binds it
	steps []step
	wait  []string        // nodes of the components that the next pattern is to match
	done  map[string]bool // by root of a component
	rels  []boundRel      // bound by steps so far
	seen  []string        // nodes, and lists of inner nodes, bound by steps so far
}

// clauseCond is a condition outside of loops, not yet renamed. path is the path that it is written inside of; nil: it stands in WHERE.
type clauseCond struct {
	x    lang.Expr
	path *clausePath
}

// pathNode is a node pattern without its conditions, and the path that has it.
type pathNode struct {
	*lang.NodePattern
	path *clausePath
}

// boundRel is a relationship, or a list of them, that the clause has bound.
type boundRel struct {
	name  string
	owner int // the step
	types csr.TypeSet
}

// clausePath is one path of the clause, flat: nodes and hops.
type clausePath struct {
	path  *lang.PathPattern
	nodes []string
	hops  []*pathHop
	whole bool // one operator
}

// pathHop is a relationship, or a loop.
type pathHop struct {
	name     string // of the relationship, or of the list of all relationships of a loop
	pos      lang.Pos
	loop     bool
	min, max int
	steps    []hopStep
	inner    []hopNode        // nil for a loop of one relationship without nodes
	conds    []lang.Expr      // of a loop, not yet renamed
	local    []localName      // what names mean in conds
	rel      *lang.RelPattern // of a single relationship
}

type hopStep struct {
	types csr.TypeSet
	dir   lang.Direction
	local string // name inside of a loop
	group string // name of the list outside; "" if none
}

type hopNode struct {
	labels *lang.LabelExpr
	local  string
	group  string
}

// localName is a name as written, and what it is inside of a loop.
type localName struct{ written, local string }

// fixedRel is a relationship of fixed length between two nodes.
type fixedRel struct {
	left, right string
	hop         *pathHop
}

// pathPart is what becomes a Paths operator: a path, or one hop of it.
type pathPart struct {
	path  *clausePath
	nodes []string
	hops  []*pathHop
	done  bool
}

func (p *pathPart) from() string { return p.nodes[0] }
func (p *pathPart) to() string   { return p.nodes[len(p.nodes)-1] }

// matchPaths plans a clause with paths of variable length.
func (b *builder) matchPaths(m *lang.Match) error {
	if m.Distinct || m.Induced {
		return &lang.Error{Code: "SyntaxError.NotSupported", Pos: m.Pos, Msg: "SUBGRAPHS takes patterns of fixed length only",
			Hint: "write DIFFERENT NODES, or put the path into a MATCH of its own"}
	}
	c := &pathClause{b: b, m: m, node: map[string][]pathNode{}, names: map[string]bool{}, avail: map[string]int{},
		components: components{root: map[string]string{}, linked: map[string]bool{}}, done: map[string]bool{}}
	for _, p := range m.Paths {
		if err := c.read(p); err != nil {
			return err
		}
	}
	c.where(m.Where, nil)
	c.divide()
	if err := c.arrange(); err != nil {
		return err
	}
	b.steps = append(b.steps, c.steps...)
	return c.conditions()
}

// name is the name in the plan of an element, which has one from now on.
func (c *pathClause) name(written string) string {
	if written == "" {
		name := c.b.makeUp()
		c.names[name] = true
		return name
	}
	name := c.b.bind(written)
	if c.b.vars[name] == nil {
		c.names[name] = true
	}
	return name
}

// read flattens one path and names its elements.
func (c *pathClause) read(p *lang.PathPattern) error {
	cp := &clausePath{path: p}
	cp.whole = p.Selector.Kind != lang.AllPaths || p.Function != lang.NoPathFunction || c.modeMatters(p)
	if err := c.chain(cp, p); err != nil {
		return err
	}
	c.paths = append(c.paths, cp)
	if p.Name != "" {
		var elements []lang.Expr
		for i, n := range cp.nodes {
			if i > 0 {
				elements = append(elements, &lang.Var{Pos: p.NamePos, Name: cp.hops[i-1].name})
			}
			elements = append(elements, &lang.Var{Pos: p.NamePos, Name: n})
		}
		c.b.scope.set(p.Name, &lang.Call{Pos: p.NamePos, Name: PathFunction, Args: elements})
	}
	return nil
}

// modeMatters reports whether the mode of a path says more than that of the clause.
func (c *pathClause) modeMatters(p *lang.PathPattern) bool {
	switch p.Mode {
	case lang.NoPathMode, lang.WalkMode: // beside the clause's mode it says nothing
		return false
	case lang.TrailMode:
		return c.m.Mode == lang.RepeatableElements
	}
	return true
}

// chain appends the elements of a path to cp.
func (c *pathClause) chain(cp *clausePath, p *lang.PathPattern) error {
	places, rels := c.flat(cp, [][]*lang.NodePattern{nil}, nil, p)
	for i, patterns := range places {
		if i > 0 {
			h, err := c.hop(cp, rels[i-1])
			if err != nil {
				return err
			}
			cp.hops = append(cp.hops, h)
		}
		c.place(cp, patterns)
	}
	return nil
}

// flat appends the relationships and the loops of a path, and the node patterns at each place between them. Where a parenthesised path without
// a quantifier begins or ends, a place has several. The first node of p belongs to the last place.
func (c *pathClause) flat(cp *clausePath, places [][]*lang.NodePattern, rels []*lang.RelPattern, p *lang.PathPattern) ([][]*lang.NodePattern, []*lang.RelPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			if r := p.Rels[i-1]; r.Group != nil && r.Length == nil {
				places, rels = c.flat(cp, places, rels, r.Group.Path)
				c.where(r.Group.Where, cp)
			} else {
				places, rels = append(places, nil), append(rels, r)
			}
		}
		places[len(places)-1] = append(places[len(places)-1], n)
	}
	return places, rels
}

// place appends a node, of which several patterns may speak. It has the name that one of them has, if possible one that means a node already.
func (c *pathClause) place(cp *clausePath, patterns []*lang.NodePattern) {
	written := ""
	known := func(name string) bool { return c.b.scope.find(name) != nil }
	for _, n := range patterns {
		if n.Name != "" && (written == "" || !known(written) && known(n.Name)) {
			written = n.Name
		}
	}
	name := c.name(written)
	cp.nodes = append(cp.nodes, name)
	for _, n := range patterns {
		c.addNode(cp, name, n)
		switch {
		case n.Name == "" || n.Name == written:
		case known(n.Name):
			c.where(&lang.Binary{Pos: n.Pos, Op: "=", L: &lang.Var{Pos: n.NamePos, Name: n.Name}, R: plannedVar(name)}, cp)
		default:
			c.b.scope.set(n.Name, &lang.Var{Pos: n.NamePos, Name: name})
		}
	}
}

func (c *pathClause) where(x lang.Expr, inside *clausePath) {
	for _, x := range conjuncts(x) {
		c.conds = append(c.conds, clauseCond{x, inside})
	}
}

// plannedVar is a name of the plan in an expression that is yet to be renamed.
func plannedVar(name string) lang.Expr { return &lang.Var{Name: alreadyPlanned + name} }

// alreadyPlanned marks names that are the plan's; no text can have it.
const alreadyPlanned = "\x00"

// addNode notes a node pattern and its conditions.
func (c *pathClause) addNode(cp *clausePath, name string, n *lang.NodePattern) {
	if c.node[name] == nil {
		c.nodes = append(c.nodes, name)
	}
	c.node[name] = append(c.node[name], pathNode{&lang.NodePattern{Pos: n.Pos, Name: name, NamePos: n.NamePos, Labels: n.Labels}, cp})
	c.element(cp, name, n.Props, n.Where)
}

// element notes the conditions inside of an element that is no loop's.
func (c *pathClause) element(cp *clausePath, name string, props, where lang.Expr) {
	if m, ok := props.(*lang.MapLit); ok {
		for i, k := range m.Keys {
			of := &lang.Property{Pos: k.Pos, Of: plannedVar(name), Key: k.Text}
			c.conds = append(c.conds, clauseCond{&lang.Binary{Pos: k.Pos, Op: "=", L: of, R: m.Values[i]}, cp})
		}
	}
	c.where(where, cp)
}

// hop reads a relationship pattern or a loop.
func (c *pathClause) hop(cp *clausePath, r *lang.RelPattern) (*pathHop, error) {
	h := &pathHop{pos: r.Pos, min: 1, max: 1, rel: r}
	if r.Length == nil {
		h.name = c.name(r.Name)
		h.steps = []hopStep{{types: c.b.dict.relTypes(r), dir: r.Direction}}
		c.element(cp, h.name, r.Props, r.Where)
		return h, nil
	}
	h.loop, h.min, h.max = true, bounded(r.Length.Min), bounded(r.Length.Max)
	if r.Group != nil {
		h.name = c.name("")
		return h, c.loop(h, r.Group)
	}
	h.name = c.name(r.Name)
	local := c.b.fresh("r")
	h.steps = []hopStep{{types: c.b.dict.relTypes(r), dir: r.Direction, local: local}}
	if r.Name != "" {
		h.local = append(h.local, localName{r.Name, local})
	}
	h.inside(local, r.Props, r.Where)
	return h, nil
}

// bounded makes a bound one that counts repetitions by an int; what is above cannot be reached.
func bounded(n int64) int {
	const most = 1 << 30
	return int(min(n, most))
}

// inside notes the conditions inside of an element of a loop.
func (h *pathHop) inside(local string, props, where lang.Expr) {
	if m, ok := props.(*lang.MapLit); ok {
		for i, k := range m.Keys {
			of := &lang.Property{Pos: k.Pos, Of: plannedVar(local), Key: k.Text}
			h.conds = append(h.conds, &lang.Binary{Pos: k.Pos, Op: "=", L: of, R: m.Values[i]})
		}
	}
	h.conds = append(h.conds, conjuncts(where)...)
}

// loop reads a parenthesised path with a quantifier. Its names are those of lists outside of it.
func (c *pathClause) loop(h *pathHop, g *lang.Group) error {
	locals, groups := map[string]string{}, map[string]string{}
	name := func(written, made string) (local, group string) {
		if written == "" {
			return c.b.fresh(made), ""
		}
		if locals[written] == "" {
			locals[written] = c.b.fresh(written)
			groups[written] = c.b.introduce(written)
			c.names[groups[written]] = true
			h.local = append(h.local, localName{written, locals[written]})
			return locals[written], groups[written]
		}
		return locals[written], ""
	}
	for i, n := range g.Path.Nodes {
		if i > 0 {
			r := g.Path.Rels[i-1]
			if r.Length != nil || r.Group != nil {
				return notYet("a quantifier inside of what another one repeats", r.Pos)
			}
			local, group := name(r.Name, "r")
			h.steps = append(h.steps, hopStep{types: c.b.dict.relTypes(r), dir: r.Direction, local: local, group: group})
			h.inside(local, r.Props, r.Where)
		}
		local, group := name(n.Name, "n")
		h.inner = append(h.inner, hopNode{labels: n.Labels, local: local, group: group})
		h.inside(local, n.Props, n.Where)
	}
	h.conds = append(h.conds, conjuncts(g.Where)...)
	return nil
}

// divide cuts the paths into relationships of fixed length and parts of variable length, and finds which nodes the former
// join.
func (c *pathClause) divide() {
	for _, name := range c.nodes {
		c.root[name] = name
	}
	for _, p := range c.paths {
		if p.whole {
			c.parts = append(c.parts, &pathPart{path: p, nodes: p.nodes, hops: p.hops})
			continue
		}
		for i, h := range p.hops {
			if h.loop {
				c.parts = append(c.parts, &pathPart{path: p, nodes: p.nodes[i : i+2], hops: p.hops[i : i+1]})
				continue
			}
			c.fixed = append(c.fixed, &fixedRel{left: p.nodes[i], right: p.nodes[i+1], hop: h})
			c.join(p.nodes[i], p.nodes[i+1])
		}
	}
}

// components are the nodes of a clause, by what relationships of fixed length join.
type components struct {
	nodes  []string          // in order of first appearance
	root   map[string]string // of a union-find structure
	linked map[string]bool   // nodes with a relationship of fixed length
}

// find returns the node that stands for the component of name.
func (c *components) find(name string) string {
	for c.root[name] != name {
		name = c.root[name]
	}
	return name
}

// join makes one component of two nodes.
func (c *components) join(a, b string) {
	c.linked[a], c.linked[b] = true, true
	c.root[c.find(a)] = c.find(b)
}

// component lists the nodes of the component of name.
func (c *components) component(name string) (all []string) {
	for _, n := range c.nodes {
		if c.find(n) == c.find(name) {
			all = append(all, n)
		}
	}
	return all
}

// single reports whether no relationship of fixed length leads to a node.
func (c *components) single(name string) bool { return !c.linked[name] }

// bound reports whether a node has a variable already.
func (c *pathClause) bound(name string) bool { return c.b.vars[name] != nil }

// pathMode returns the mode of a part's walks. apart: two places of a walk have one node only where the pattern has one name twice, which
// none of the modes says.
func (c *pathClause) pathMode(p *pathPart) (mode pattern.PathMode, apart bool) {
	mode = pattern.TrailMode
	inner := slices.Clone(p.nodes[1:])
	slices.Sort(inner)
	switch {
	case c.m.Mode == lang.RepeatableElements:
		mode = pattern.WalkMode
	case c.m.Mode == lang.DifferentNodes && (len(slices.Compact(inner)) < len(p.hops) || slices.Contains(p.nodes[1:len(p.hops)], p.from())):
		apart = true
	case c.m.Mode == lang.DifferentNodes && p.from() == p.to():
		mode = pattern.SimpleMode
	case c.m.Mode == lang.DifferentNodes:
		mode = pattern.AcyclicMode
	}
	if !p.path.whole {
		return mode, apart
	}
	switch p.path.path.Mode {
	case lang.TrailMode:
		mode = max(mode, pattern.TrailMode)
	case lang.SimpleMode:
		mode = max(mode, pattern.SimpleMode)
	case lang.AcyclicMode:
		mode = pattern.AcyclicMode
	}
	return mode, apart
}
