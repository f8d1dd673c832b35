package planner

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
)

// pathStep is a part on its way to a Paths operator.
type pathStep struct {
	c         *pathClause
	part      *pathPart
	turned    bool
	given     map[string]bool // names that are bound before
	tests     []pathTest
	before    []lang.Expr // conditions that are decided before
	after     []lang.Expr // and after it
	accept    []lang.Expr // and on each path, before some are selected
	usedRels  []string
	usedNodes []string
	inner     string // name of the list of inner nodes; "" if nothing reads it
	k         lang.Expr
	op        *Paths
}

// pathTest is a condition of the pattern, of a hop of it or, with -1, of none.
type pathTest struct {
	hop *pathHop
	x   lang.Expr
}

// path makes the step of a part. One of its ends at least is ready.
func (c *pathClause) path(p *pathPart) {
	p.done = true
	b := c.b
	if err := c.match(); err != nil && b.err == nil {
		b.err = err
	}
	s := &pathStep{c: c, part: p, given: map[string]bool{}, turned: !c.bound(p.from())}
	var types []boundRel
	for _, h := range p.hops {
		for _, st := range h.steps {
			types = append(types, boundRel{name: h.name, types: st.types, owner: len(c.steps)})
		}
	}
	if c.m.Mode != lang.RepeatableElements {
		for _, r := range c.rels {
			if slices.ContainsFunc(types, func(t boundRel) bool { return typesOverlap(t.types, r.types) }) && !slices.ContainsFunc(p.hops, func(h *pathHop) bool { return h.name == r.name }) {
				s.usedRels = appendNew(s.usedRels, r.name)
			}
		}
	}
	if c.m.Mode == lang.DifferentNodes {
		for _, n := range c.seen {
			if !slices.Contains(p.nodes, n) {
				s.usedNodes = appendNew(s.usedNodes, n)
			}
		}
		s.inner = b.makeUp()
	}
	c.need(s.usedRels...)
	c.need(s.usedNodes...)
	s.declare()
	c.steps = append(c.steps, s)
	c.rels = append(c.rels, types...)
	for _, n := range p.nodes {
		c.seen = appendNew(c.seen, n)
	}
	if s.inner != "" {
		c.seen = append(c.seen, s.inner)
	}
	if k := p.path.path.Selector.K; k != nil {
		s.k = b.rename(k)
		b.readAll(s.k)
	}
	for _, n := range p.nodes {
		if c.single(n) {
			c.done[c.find(n)] = true
		}
	}
}

// declare makes the variables that the part binds, and notes which it is given.
func (s *pathStep) declare() {
	c, b := s.c, s.c.b
	bind := func(name string, kind SlotKind) {
		if name == "" {
			return
		}
		if v := b.vars[name]; v != nil {
			if at, here := c.avail[name]; !here || at < len(c.steps) {
				s.given[name], v.read = true, true
			}
			return
		}
		b.declare(name, kind, nil, 0)
		c.names[name] = true
		c.avail[name] = len(c.steps)
	}
	for _, n := range s.part.nodes {
		bind(n, NodeSlot)
	}
	for _, h := range s.part.hops {
		kind := RelSlot
		if h.loop {
			kind = ValueSlot
		}
		bind(h.name, kind)
		if h.loop && !s.given[h.name] {
			if b.counts[h.name] == "" {
				b.counts[h.name] = b.makeUp()
			}
			bind(b.counts[h.name], ValueSlot)
		}
		for _, st := range h.steps {
			bind(st.group, ValueSlot)
		}
		for _, n := range h.inner {
			bind(n.group, ValueSlot)
		}
	}
	bind(s.inner, ValueSlot)
}

// conditions renames the clause's conditions and puts each where all that it reads is bound.
func (c *pathClause) conditions() error {
	b := c.b
	all := slices.Clone(c.nodes)
	for _, p := range c.paths {
		for _, h := range p.hops {
			all = append(all, h.name)
			for _, st := range h.steps {
				all = append(all, st.local)
			}
			for _, n := range h.inner {
				all = append(all, n.local)
			}
		}
	}
	for _, name := range all {
		if name == "" {
			continue // a step of fixed length has no name inside of a loop; a subquery would take its own unnamed nodes for it
		}
		b.scope.names[alreadyPlanned+name] = &lang.Var{Name: name}
		defer delete(b.scope.names, alreadyPlanned+name)
	}
	for _, k := range c.conds {
		x := b.rename(k.x)
		if b.err != nil {
			return b.err
		}
		if err := c.putCondition(x, k.path); err != nil {
			return err
		}
	}
	for i, s := range c.steps {
		if s, ok := s.(*pathStep); ok {
			if err := s.inside(i); err != nil {
				return err
			}
		}
	}
	return b.err
}

// last is the step after which all that x reads is bound; -1: it is before the clause.
func (c *pathClause) last(x lang.Expr) (at int) {
	at = -1
	for _, name := range c.b.names(x, func(name string) bool { return c.names[name] }) {
		at = max(at, c.avail[name])
	}
	return at
}

// putCondition puts a condition where all that it reads is bound. One that stands inside of a path of which some are selected chooses before
// the selection does.
func (c *pathClause) putCondition(x lang.Expr, inside *clausePath) error {
	at := c.last(x)
	if own := c.stepOf(inside); own != nil && inside.selective() {
		return own.choose(x, at)
	}
	switch s := c.steps[max(at, 0)].(type) {
	case groupStep:
		return s.conditions(s.scope, []lang.Expr{x})
	case *pathStep:
		c.b.readAll(x)
		switch {
		case at < 0:
			s.before = append(s.before, x)
		case s.testable(x, false):
			s.tests = append(s.tests, pathTest{nil, x})
		case s.part.path.path.Function != lang.NoPathFunction:
			return s.accepted(x)
		default:
			s.after = append(s.after, x)
		}
	}
	return nil
}

// stepOf is the step of a path that is one operator; nil for other paths.
func (c *pathClause) stepOf(p *clausePath) *pathStep {
	for _, s := range c.steps {
		if s, ok := s.(*pathStep); ok && s.part.path == p && p.whole {
			return s
		}
	}
	return nil
}

// choose makes x, which reads what step at binds last, a condition on the paths that are selected from.
func (s *pathStep) choose(x lang.Expr, at int) error {
	s.c.b.readAll(x)
	switch own := s.at(); {
	case at > own:
		return &lang.Error{Code: "SyntaxError.NotSupported", Msg: "a condition inside of a path with a selector reads what a later path binds",
			Hint: "put it after WHERE, or that path into a MATCH before", Pos: x.Position()}
	case at < own:
		if g, ok := s.c.steps[max(at, 0)].(groupStep); ok && at >= 0 {
			return g.conditions(g.scope, []lang.Expr{x})
		}
		s.before = append(s.before, x)
	case s.testable(x, true):
		s.tests = append(s.tests, pathTest{nil, x})
	default:
		return s.accepted(x)
	}
	return nil
}

// accepted makes x a condition on whole paths. A walk may get longer without end, and still not satisfy a condition on all that it repeats.
func (s *pathStep) accepted(x lang.Expr) error {
	mode, _ := s.c.pathMode(s.part)
	for _, h := range s.part.hops {
		if mode != pattern.WalkMode || h.max >= 0 || s.given[h.name] {
			continue
		}
		for _, name := range s.c.b.names(x, func(name string) bool { return s.c.names[name] }) {
			if v := s.c.b.vars[name]; v != nil && v.kind == ValueSlot && s.c.avail[name] == s.at() {
				return &lang.Error{Code: "SyntaxError.NotSupported", Msg: "a condition on all repetitions of a path needs an end to them",
					Hint: "write an upper bound, or TRAIL before the path", Pos: x.Position()}
			}
		}
	}
	s.accept = append(s.accept, x)
	return nil
}

// testable reports whether the search of the path can decide a condition. Where it selects among several paths, only
// conditions inside the path or on its ends can be: the others are about what was selected.
func (s *pathStep) testable(x lang.Expr, inside bool) bool {
	if s.c.b.planned(x) {
		return false
	}
	for _, name := range s.c.b.names(x, func(name string) bool { return s.c.names[name] }) {
		node := slices.Contains(s.part.nodes, name)
		rel := slices.ContainsFunc(s.part.hops, func(h *pathHop) bool { return !h.loop && h.name == name })
		end := name == s.part.from() || name == s.part.to()
		own := s.c.avail[name] == s.at() // else it is a value of the row
		if own && !node && !rel || own && s.part.selective() && !inside && !end {
			return false
		}
	}
	return true
}

func (s *pathStep) at() int {
	return slices.IndexFunc(s.c.steps, func(t step) bool { return t == step(s) })
}

// inside renames the conditions inside of loops.
func (s *pathStep) inside(at int) error {
	b := s.c.b
	for _, h := range s.part.hops {
		for _, k := range h.conds {
			x := s.c.inLoop(h, k)
			if b.err != nil {
				return b.err
			}
			if s.c.last(x) >= at {
				return &lang.Error{Code: "SyntaxError.NotSupported", Msg: "a condition inside of what is repeated reads what the same path, or a later one, binds",
					Hint: "bind it in a MATCH before", Pos: k.Position()}
			}
			b.readAll(x)
			s.tests = append(s.tests, pathTest{h, x})
		}
	}
	return nil
}

// inLoop renames a condition inside of a loop, where names mean what one repetition binds.
func (c *pathClause) inLoop(h *pathHop, x lang.Expr) lang.Expr {
	names := c.b.scope.names
	for _, l := range h.local {
		was, had := names[l.written]
		names[l.written] = l.means
		defer func() {
			if had {
				names[l.written] = was
			} else {
				delete(names, l.written)
			}
		}()
	}
	return c.b.rename(x)
}

// node makes the operator.
func (s *pathStep) node(input Node) Node {
	for _, x := range s.before {
		input = &Filter{Input: input, Cond: x}
	}
	b := s.c.b
	mode, apart := s.c.pathMode(s.part)
	p := &Paths{Input: input, Path: &pattern.Path{Mode: mode, Apart: apart}, Inner: -1, Turned: s.turned, K: s.k, Accept: s.accept,
		UsedRels: b.slotsOf(s.usedRels), UsedNodes: b.slotsOf(s.usedNodes), text: s.text(), pos: s.part.path.path.Pos}
	if s.inner != "" {
		p.Inner = b.slotOf(b.vars[s.inner])
	}
	s.selects(p)
	s.build(p)
	s.op = p
	top := Node(p)
	for _, x := range s.after {
		top = &Filter{Input: top, Cond: x}
	}
	return top
}

func (s *pathStep) selects(p *Paths) {
	switch sel := s.part.path.path.Selector.Kind; {
	case s.part.path.path.Function == lang.ShortestPath, sel == lang.AnyPaths, sel == lang.ShortestPaths:
		p.Select = pattern.ShortestPaths
	case s.part.path.path.Function == lang.AllShortestPaths, sel == lang.AllShortest, sel == lang.ShortestGroups:
		p.Select = pattern.ShortestGroups
	}
}

// text shows the part as a query would have it.
func (s *pathStep) text() string {
	p := *s.part.path.path
	p.Name = ""
	if s.part.path.whole {
		return text(&lang.PatternExpr{Path: &p})
	}
	r := *s.part.hops[0].rel
	p.Rels = []*lang.RelPattern{&r}
	p.Nodes = nil
	for _, n := range s.part.nodes {
		p.Nodes = append(p.Nodes, &lang.NodePattern{Name: s.shown(n)})
	}
	return text(&lang.PatternExpr{Path: &p})
}

// shown is a name that is not made up, or none.
func (s *pathStep) shown(name string) string {
	if n := s.c.node[name]; len(n) > 0 && n[0].NamePos == (lang.Pos{}) {
		return ""
	}
	return name
}

// build fills in the pattern with its variables and tests.
func (s *pathStep) build(p *Paths) {
	w := pathWriter{pathStep: s, p: p, vertices: map[string]int{}, edges: map[string]int{}, hops: map[*pathHop]int{}}
	nodes, hops := slices.Clone(s.part.nodes), slices.Clone(s.part.hops)
	if s.turned {
		slices.Reverse(nodes)
		slices.Reverse(hops)
	}
	for _, n := range nodes {
		p.Path.Nodes = append(p.Path.Nodes, pattern.PathNode{Labels: s.c.labelFor(n, s.part.path), Var: w.vertex(n, n, s.given[n])})
	}
	for i, h := range hops {
		w.hops[h] = i
		w.hop(h, nodes[i], nodes[i+1])
	}
	for _, t := range s.tests {
		w.test(t)
	}
	p.Path.Vertices, p.Path.Edges = len(p.Vertices), len(p.Edges)
}

// pathWriter writes the pattern of a path operator.
type pathWriter struct {
	*pathStep
	p               *Paths
	vertices, edges map[string]int   // of the pattern, by name in the plan
	hops            map[*pathHop]int // places in the pattern
}

// slot returns the slot of a name, -1 if it has none.
func (w *pathWriter) slot(name string) int { return w.c.b.slotOf(w.c.b.vars[name]) }

// vertex returns the vertex of a name, which is outside in the row.
func (w *pathWriter) vertex(name, outside string, given bool) int {
	i, ok := w.vertices[name]
	if !ok {
		i = len(w.p.Vertices)
		w.vertices[name] = i
		w.p.Vertices = append(w.p.Vertices, PathVar{Name: name, Slot: w.slot(outside), Given: given})
	}
	return i
}

// hop adds h, which leads from one node to another.
func (w *pathWriter) hop(h *pathHop, from, to string) {
	hop := pattern.Hop{Min: h.min, Max: h.max, Loop: h.loop}
	if w.c.m.Mode == lang.DifferentNodes && from != to {
		hop.Min = max(1, hop.Min) // without a relationship two nodes of the pattern would be one
	}
	for _, st := range h.steps {
		name, outside, given := st.local, st.group, false
		if !h.loop {
			name, outside, given = h.name, h.name, w.given[h.name]
		}
		w.edges[name] = len(w.p.Edges)
		w.p.Edges = append(w.p.Edges, PathVar{Name: name, Slot: w.slot(outside), Given: given})
		dir := [...]csr.Direction{lang.Undirected: csr.Both, lang.Right: csr.Out, lang.Left: csr.In}[st.dir]
		if w.turned {
			dir = dir.Reverse()
		}
		hop.Steps = append(hop.Steps, pattern.PathStep{Types: st.types, Direction: dir, Var: w.edges[name]})
	}
	list, count := PathVar{Slot: -1}, -1
	if h.loop {
		list = PathVar{Slot: w.slot(h.name), Given: w.given[h.name]}
		if !list.Given {
			count = w.slot(w.c.b.counts[h.name])
		}
	}
	w.p.Lengths = append(w.p.Lengths, count)
	for _, n := range h.inner {
		node := pattern.PathNode{Var: w.vertex(n.local, n.group, false)}
		if n.group != "" {
			w.p.Vertices[node.Var].Slot = w.slot(n.group)
		}
		if n.labels != nil {
			node.Labels = w.c.b.dict.label(n.labels)
		}
		hop.Inner = append(hop.Inner, node)
	}
	if w.turned {
		slices.Reverse(hop.Steps)
		slices.Reverse(hop.Inner)
	}
	w.p.Path.Hops, w.p.Lists = append(w.p.Path.Hops, hop), append(w.p.Lists, list)
}

// test adds a condition, with the elements that it and the look-ups of patterns in it read.
func (w *pathWriter) test(t pathTest) {
	q := pattern.PathTest{Text: text(t.x), Hop: -1}
	if t.hop != nil {
		q.Hop = w.hops[t.hop]
	}
	known := func(name string) bool { _, v := w.vertices[name]; _, e := w.edges[name]; return v || e }
	for _, name := range w.c.b.names(t.x, known) {
		if i, ok := w.vertices[name]; ok && !slices.Contains(q.Vertices, i) {
			q.Vertices = append(q.Vertices, i)
		} else if i, ok := w.edges[name]; ok && !slices.Contains(q.Edges, i) {
			q.Edges = append(q.Edges, i)
		}
	}
	w.p.Path.Tests, w.p.Exprs = append(w.p.Path.Tests, q), append(w.p.Exprs, t.x)
}

// kernelNotes says who finds the paths and why.
func (p *Paths) kernelNotes() (notes []string) {
	if p.Turned {
		notes = append(notes, "from the last node to the first: that end is known sooner")
	}
	end := p.Vertices[p.Path.Nodes[len(p.Path.Nodes)-1].Var]
	plain := len(p.Path.Hops) == 1 && len(p.Path.Hops[0].Steps) == 1 && p.Path.Hops[0].Inner == nil && p.Path.Hops[0].Min <= 1
	for _, t := range p.Path.Tests {
		plain = plain && t.Hop < 0
	}
	switch {
	case p.Select == pattern.ShortestPaths && plain && end.Given && p.K == nil && len(p.Accept) == 0:
		p.Why = "breadth-first kernel, from both ends: one shortest path between given nodes"
	case p.Select == pattern.ShortestPaths && plain && p.K == nil && len(p.Accept) == 0:
		p.Why = "breadth-first kernel from the start: its tree has one shortest path to each end"
	case p.Select != pattern.AllPaths && plain:
		p.Why = "breadth-first kernel from the start, then a search back along its levels"
	case p.Select != pattern.AllPaths:
		p.Why = "breadth-first search over node and place in the pattern, then a search back along its levels"
	case p.Once && plain:
		p.Why = "breadth-first kernel: only the ends are wanted, and each once"
	case p.Once:
		p.Why = "breadth-first search where shortest walks repeat nothing: only the ends are wanted, and each once"
	case p.Count:
		p.Why = "depth-first search; of the last relationship only a degree is taken where nothing hinders"
	default:
		p.Why = fmt.Sprintf("depth-first search for each %s", p.Path.Mode)
	}
	return append(notes, p.Why)
}
