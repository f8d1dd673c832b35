package planner

import (
	"slices"
	"strings"
	"unicode"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// groupStep is the part of a clause that a group has taken in as one scope.
type groupStep struct {
	*group
	scope int
	first bool // the group is made for it; else an earlier step makes the operator
}

func (s groupStep) node(input Node) Node {
	if s.first {
		return s.group.node(input)
	}
	return input
}

// pathOrder chooses the order of a clause's steps.
type pathOrder struct {
	*pathClause
	pinned map[string]bool // nodes that a condition compares with a value
}

// arrange turns the clause into steps. Connected parts of fixed length that hold a bound node come first; then paths both
// of whose ends are bound; then, from a bound end, the path that promises fewest matches, unless its other end is pinned to
// few nodes. Where nothing is bound, the part with the fewest candidates begins. Paths of which some are selected come last, in
// order of the text: for each match of the rest they are those among the ones that repeat nothing of it.
func (c *pathClause) arrange() error {
	o := pathOrder{c, c.pinnedNodes()}
	for {
		all := slices.DeleteFunc(slices.Clone(c.parts), func(p *pathPart) bool { return p.done })
		parts := slices.DeleteFunc(slices.Clone(all), (*pathPart).selective)
		rest := len(parts) == 0
		switch {
		case o.takeBound():
		case o.takeNeeded(all):
		case o.takePath(2, parts):
		case o.takePinned(parts):
		case o.takePath(1, parts):
		case o.takeBest(parts):
		case rest && len(all) > 0 && (o.takePath(2, all[:1]) || o.takePinned(all[:1]) || o.takePath(1, all[:1]) || o.takeStart(all[0])):
		case rest && len(all) == 0 && o.takeRest():
		default:
			return c.match()
		}
		if c.b.err != nil {
			return c.b.err
		}
	}
}

// ready reports whether a node is bound, or will be by the pattern that is being gathered.
func (c *pathClause) ready(name string) bool { return c.bound(name) || c.done[c.find(name)] }

// take adds the component of a node to the next pattern.
func (c *pathOrder) take(name string) {
	c.done[c.find(name)] = true
	c.wait = append(c.wait, c.component(name)...)
}

// takeBound takes a component of which a node is bound.
func (c *pathOrder) takeBound() bool {
	for _, n := range c.nodes {
		if !c.bound(n) || c.done[c.find(n)] {
			continue
		}
		if c.single(n) && slices.ContainsFunc(c.parts, func(p *pathPart) bool { return slices.Contains(p.nodes, n) }) {
			c.done[c.find(n)] = true // the path sees to its labels
			continue
		}
		c.take(n)
		return true
	}
	return false
}

// takePath makes the step of a path of whose ends at least so many are ready.
func (c *pathOrder) takePath(ends int, parts []*pathPart) bool {
	var best *pathPart
	for _, p := range parts {
		n := 0
		for _, end := range []string{p.from(), p.to()} {
			if c.ready(end) {
				n++
			}
		}
		if n >= ends && (best == nil || p.breadth() < best.breadth()) {
			best = p
		}
	}
	if best != nil {
		c.path(best)
	}
	return best != nil
}

// breadth orders paths by how many there may be: short ones first.
func (p *pathPart) breadth() (n int) {
	for _, h := range p.hops {
		if h.max < 0 {
			return 1 << 30
		}
		n += h.max
	}
	return n
}

// takePinned takes the component of the other end of a path, if it can be few nodes only.
func (c *pathOrder) takePinned(parts []*pathPart) bool {
	for _, p := range parts {
		for _, ends := range [2][2]string{{p.from(), p.to()}, {p.to(), p.from()}} {
			if c.ready(ends[0]) && !c.ready(ends[1]) && c.few(ends[1], p) {
				c.take(ends[1])
				return true
			}
		}
	}
	return false
}

// few reports whether matching the component of a path's end beforehand is cheaper than following the path from its other end: a
// condition pins a node of it, and it promises no more matches than there are paths.
func (c *pathOrder) few(name string, p *pathPart) bool {
	pinned := slices.ContainsFunc(c.component(name), func(n string) bool { return c.pinned[n] })
	return pinned && (c.b.writes || c.matches(name, c.pinned) <= max(1, p.ways(c.b.snap)))
}

// takeBest takes the component with the fewest candidates that a path waits for. If no path waits, it takes one with
// relationships.
func (c *pathOrder) takeBest(parts []*pathPart) bool {
	var names []string
	for _, p := range parts {
		names = append(names, p.from(), p.to())
	}
	if c.takeFewest(names) {
		return true
	}
	names = nil
	for _, r := range c.fixed {
		names = append(names, r.left)
	}
	return c.takeFewest(names)
}

// takeStart takes the end of a path that has fewer candidates.
func (c *pathOrder) takeStart(p *pathPart) bool {
	return c.takeFewest([]string{p.from(), p.to()})
}

// takeNeeded takes a component that a remaining path must know before its search: a condition inside of the path reads it or, where
// paths are to be selected, paths that are not selected have it as well.
func (c *pathOrder) takeNeeded(parts []*pathPart) bool {
	inner := map[string]bool{} // nodes that only a path can bind
	for _, p := range parts {
		for _, n := range p.nodes[1 : len(p.nodes)-1] {
			inner[n] = !c.elsewhere(n)
		}
	}
	for _, p := range parts {
		delete(inner, p.from())
		delete(inner, p.to())
	}
	for _, p := range parts {
		for _, name := range c.inputs(p) {
			if !inner[name] && !c.ready(name) {
				c.take(name)
				return true
			}
		}
	}
	if slices.ContainsFunc(parts, func(p *pathPart) bool { return !p.selective() }) {
		return false
	}
	return len(parts) > 0 && c.takeFewest(slices.DeleteFunc(slices.Clone(c.nodes), func(n string) bool {
		within := slices.ContainsFunc(parts, func(p *pathPart) bool { return slices.Contains(p.nodes[1:len(p.nodes)-1], n) })
		return !c.elsewhere(n) || !within && c.m.Mode != lang.DifferentNodes
	}))
}

// elsewhere reports whether a path that is no single operator has a node.
func (c *pathClause) elsewhere(name string) bool {
	return slices.ContainsFunc(c.node[name], func(n pathNode) bool { return !n.path.whole })
}

// inputs lists the nodes of the clause that the search of a part may have to know: the conditions inside of its loops read them or, where
// the part selects, its other conditions do, and they are not its own.
func (c *pathOrder) inputs(p *pathPart) (names []string) {
	for _, h := range p.hops {
		for _, x := range h.conds {
			names = append(names, c.mentioned(x)...)
		}
	}
	for _, k := range c.conds {
		if p.selective() && k.path == p.path || p.path.path.Function != lang.NoPathFunction && k.path == nil {
			names = append(names, slices.DeleteFunc(c.mentioned(k.x), func(name string) bool { return slices.Contains(p.nodes, name) })...)
		}
	}
	return names
}

// mentioned lists nodes of the clause: those whose names are words of x, and those of relationships of fixed length whose names are.
func (c *pathClause) mentioned(x lang.Expr) (names []string) {
	words := strings.FieldsFunc(text(x), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		for _, name := range free(c.b.scope.names[word]) {
			if c.root[name] != "" {
				names = appendNew(names, name)
			}
			for _, r := range c.fixed {
				if r.hop.name == name {
					names = appendNew(names, r.left)
				}
			}
		}
	}
	return names
}

// takeRest takes what no path waits for, by labels alone.
func (c *pathOrder) takeRest() bool {
	byLabel := pathOrder{pathClause: c.pathClause}
	return byLabel.takeFewest(c.nodes)
}

func (c *pathOrder) takeFewest(names []string) bool {
	best, least := "", 0.0
	for _, n := range names {
		if c.ready(n) {
			continue
		}
		if size := c.candidates(n); best == "" || size < least || size == least && c.fewer(n, best) {
			best, least = n, size
		}
	}
	if best != "" {
		c.take(best)
	}
	return best != ""
}

// fewer reports whether the component of a node promises fewer matches than that of another.
func (c *pathOrder) fewer(name, than string) bool {
	return !c.b.writes && c.matches(name, c.pinned) < c.matches(than, c.pinned)
}

// selective reports whether some of the matches of a part are selected.
func (p *pathPart) selective() bool { return p.path.selective() }

func (p *clausePath) selective() bool {
	return p.path.Selector.Kind != lang.AllPaths || p.path.Function != lang.NoPathFunction
}

// candidates is how many nodes there are for the most selective node of a component, about. A statement that writes is planned
// for several states of the graph, in the same way: there it goes by labels alone.
func (c *pathOrder) candidates(name string) float64 {
	least := -1.0
	for _, n := range c.component(name) {
		label := c.label(n)
		size := 2.0
		if label != nil {
			size = 1.5
		}
		for i := range c.b.snap.Classes {
			if cl := &c.b.snap.Classes[i]; !c.b.writes && label.Admits(cl.Labels) {
				size += float64(cl.Len())
			}
		}
		if c.pinned[n] {
			size = min(size, 1)
		}
		if least < 0 || size < least {
			least = size
		}
	}
	return least
}

// label is what the patterns of a node say of its labels; nil if nothing.
func (c *pathClause) label(name string) *pattern.Label { return c.labelFor(name, nil) }

// labelFor is label without the patterns of paths that select, but for p: what they say must not change which paths p selects. A nil p
// leaves none out.
func (c *pathClause) labelFor(name string, p *clausePath) (l *pattern.Label) {
	for _, n := range c.node[name] {
		if n.Labels != nil && (p == nil || n.path == p || !n.path.selective()) {
			l = and(l, c.b.dict.label(n.Labels))
		}
	}
	return l
}

// pinnedNodes finds the nodes that a condition compares with a value.
func (c *pathClause) pinnedNodes() map[string]bool {
	all := map[string]bool{}
	for _, k := range c.conds {
		b, ok := k.x.(*lang.Binary)
		if !ok || b.Op != "=" {
			continue
		}
		for _, side := range [2][2]lang.Expr{{b.L, b.R}, {b.R, b.L}} {
			if name, ok := c.subject(side[0]); ok && len(free(side[1])) == 0 {
				all[name] = true
			}
		}
	}
	return all
}

// subject is the element of a property or an id.
func (c *pathClause) subject(x lang.Expr) (string, bool) {
	switch y := x.(type) {
	case *lang.Property:
		x = y.Of
	case *lang.Call:
		if (y.Name != "id" && y.Name != "elementid") || len(y.Args) != 1 {
			return "", false
		}
		x = y.Args[0]
	default:
		return "", false
	}
	v, ok := x.(*lang.Var)
	if !ok {
		return "", false
	}
	if len(v.Name) > 0 && v.Name[:1] == alreadyPlanned {
		return v.Name[1:], true
	}
	w, ok := c.b.scope.names[v.Name].(*lang.Var)
	if !ok {
		return "", false
	}
	return w.Name, true
}

// match makes the step of the components that wait.
func (c *pathClause) match() error {
	if len(c.wait) == 0 {
		return nil
	}
	b, m := c.b, &lang.Match{Pos: c.m.Pos, Mode: c.m.Mode}
	var fresh []boundRel
	for _, name := range c.wait {
		for _, n := range c.node[name] {
			m.Paths = append(m.Paths, &lang.PathPattern{Pos: n.Pos, Nodes: []*lang.NodePattern{n.NodePattern}})
		}
	}
	for _, r := range c.fixed {
		if !slices.Contains(c.wait, r.left) {
			continue
		}
		rel := *r.hop.rel
		rel.Name, rel.Props, rel.Where, rel.Length = r.hop.name, nil, nil, nil
		m.Paths = append(m.Paths, &lang.PathPattern{Pos: rel.Pos, Rels: []*lang.RelPattern{&rel},
			Nodes: []*lang.NodePattern{{Pos: rel.Pos, Name: r.left}, {Pos: rel.Pos, Name: r.right}}})
		fresh = append(fresh, boundRel{name: r.hop.name, types: r.hop.steps[0].types})
	}
	g, first := b.lastGroup(), false
	if len(c.steps) > 0 || g == nil || b.opt.Brute || g.alone || g.binds(m.Paths) {
		g, first = newGroup(b, b.opt.Brute), true
	}
	s := groupStep{group: g, scope: len(g.p.Scopes), first: first}
	for _, p := range m.Paths {
		for _, n := range p.Nodes {
			c.binds(n.Name)
		}
		for _, r := range p.Rels {
			c.binds(r.Name)
		}
	}
	c.steps = append(c.steps, s)
	if err := g.clause(m, m.Paths); err != nil {
		return err
	}
	nodes := c.wait
	c.wait = nil
	c.apart(fresh, nodes)
	return b.err
}

// binds notes that the step that is being made binds a name.
func (c *pathClause) binds(name string) {
	if _, there := c.avail[name]; !there && c.names[name] {
		c.avail[name] = len(c.steps)
	}
}

// apart keeps what a pattern has bound apart from what the clause has bound before, as its mode wants it.
func (c *pathClause) apart(rels []boundRel, nodes []string) {
	before := len(c.rels) > 0 && len(rels) > 0
	d := &differentStep{b: c.b}
	owner := len(c.steps) - 1
	for i := range rels {
		rels[i].owner = owner
	}
	for _, r := range rels {
		for _, o := range c.rels {
			if c.m.Mode != lang.RepeatableElements && before && typesOverlap(r.types, o.types) {
				d.add(o)
				d.add(r)
			}
		}
	}
	if c.m.Mode == lang.DifferentNodes && len(c.seen) > 0 {
		for _, n := range append(slices.Clone(c.seen), nodes...) {
			d.nodes = appendNew(d.nodes, n)
		}
	}
	c.rels = append(c.rels, rels...)
	for _, n := range nodes {
		c.seen = appendNew(c.seen, n)
	}
	if len(d.rels) > 0 || len(d.nodes) > 0 {
		for _, r := range d.rels {
			c.need(r.name)
		}
		c.need(d.nodes...)
		c.steps = append(c.steps, d)
	}
}

func appendNew(list []string, x string) []string {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// typesOverlap reports whether a relationship can be of both.
func typesOverlap(a, b csr.TypeSet) bool {
	return a == nil || b == nil || slices.ContainsFunc(a, func(t csr.TypeID) bool { return slices.Contains(b, t) })
}

// need gives variables slots.
func (c *pathClause) need(names ...string) {
	for _, n := range names {
		c.b.vars[n].read = true
	}
}

// differentStep becomes a Different.
type differentStep struct {
	b     *builder
	rels  []boundRel
	nodes []string
}

func (s *differentStep) add(r boundRel) {
	if !slices.ContainsFunc(s.rels, func(o boundRel) bool { return o.name == r.name }) {
		s.rels = append(s.rels, r)
	}
}

func (s *differentStep) node(input Node) Node {
	d := &Different{Input: input, Nodes: s.b.slotsOf(s.nodes)}
	parts := map[int]int{}
	for _, r := range s.rels {
		i, ok := parts[r.owner]
		if !ok {
			i = len(d.Rels)
			parts[r.owner], d.Rels = i, append(d.Rels, nil)
		}
		d.Rels[i] = append(d.Rels[i], s.b.slotOf(s.b.vars[r.name]))
	}
	return d
}

func (b *builder) slotsOf(names []string) (slots []int) {
	for _, n := range names {
		slots = append(slots, b.slotOf(b.vars[n]))
	}
	return slots
}
