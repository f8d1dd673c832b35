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
type localName struct {
	written string
	means   lang.Expr
}

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
			Hint: "write DIFFERENT NODES, or put the path into a MATCH of its own. Each ring once: " +
				"MATCH p = SIMPLE (a)-[:T]->{3,4}(a) WHERE all(n IN nodes(p) WHERE id(a) <= id(n))"}
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
