package planner

import (
	"slices"

	"github.com/motifql/motif/lang"
)

// The paths of a clause as the text has them: nodes, relationships and brackets go in; places, hops and conditions come out.

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
		c.b.scope.set(p.Name, pathOf(p.NamePos, 2*len(cp.nodes)-1, func(i int) string {
			if i%2 == 0 {
				return cp.nodes[i/2]
			}
			return cp.hops[i/2].name
		}))
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
	f := flatten(p)
	for i, patterns := range f.places {
		if i > 0 {
			h, err := c.hop(cp, f.rels[i-1])
			if err != nil {
				return err
			}
			cp.hops = append(cp.hops, h)
		}
		c.place(cp, patterns)
	}
	for _, x := range f.wheres {
		c.where(x, cp)
	}
	for _, g := range f.named {
		c.b.scope.set(g.path.Name, pathOf(g.path.NamePos, 2*(g.to-g.from)+1, func(i int) string {
			if i%2 == 0 {
				return cp.nodes[g.from+i/2]
			}
			return cp.hops[g.from+i/2].name
		}))
	}
	return nil
}

// pathOf is the path of so many elements.
func pathOf(pos lang.Pos, n int, name func(i int) string) lang.Expr {
	var elements []lang.Expr
	for i := range n {
		elements = append(elements, &lang.Var{Pos: pos, Name: name(i)})
	}
	return &lang.Call{Pos: pos, Name: PathFunction, Args: elements}
}

// flatPath is a path without the brackets that do not repeat what is in them.
type flatPath struct {
	places [][]*lang.NodePattern // where such brackets begin or end, several patterns speak of one node
	rels   []*lang.RelPattern
	wheres []lang.Expr // of the brackets
	named  []namedPath // in brackets
}

// namedPath is a path in brackets that has a name, from one place to another.
type namedPath struct {
	path     *lang.PathPattern
	from, to int
}

func flatten(p *lang.PathPattern) *flatPath {
	f := &flatPath{places: [][]*lang.NodePattern{nil}}
	f.add(p)
	return f
}

// add appends a path whose first node stands at the last place.
func (f *flatPath) add(p *lang.PathPattern) {
	for i, n := range p.Nodes {
		if i > 0 {
			if r := p.Rels[i-1]; r.Group != nil && r.Length == nil {
				from := len(f.places) - 1
				f.add(r.Group.Path)
				f.wheres = append(f.wheres, r.Group.Where)
				if r.Group.Path.Name != "" {
					f.named = append(f.named, namedPath{r.Group.Path, from, len(f.places) - 1})
				}
			} else {
				f.places, f.rels = append(f.places, nil), append(f.rels, r)
			}
		}
		f.places[len(f.places)-1] = append(f.places[len(f.places)-1], n)
	}
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
		h.local = append(h.local, localName{r.Name, &lang.Var{Name: local}})
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
	f := flatten(g.Path)
	if g.Path.Name != "" {
		f.named = append(f.named, namedPath{g.Path, 0, len(f.rels)})
	}
	l := &pathLoop{c: c, h: h, locals: map[string]string{}, groups: map[string]string{}, list: len(f.named) > 0}
	for i, patterns := range f.places {
		if i > 0 {
			r := f.rels[i-1]
			if r.Length != nil {
				return notYet("a quantifier inside of what another one repeats", r.Pos)
			}
			local, group := l.element("r", r.Name)
			h.steps = append(h.steps, hopStep{types: c.b.dict.relTypes(r), dir: r.Direction, local: local, group: group})
			h.inside(local, r.Props, r.Where)
		}
		l.node(patterns)
	}
	for _, x := range append(f.wheres, g.Where) {
		h.conds = append(h.conds, conjuncts(x)...)
	}
	for _, p := range f.named {
		l.path(p)
	}
	return nil
}

// pathLoop names the elements of a loop: each has a name inside of it and, where it was written or a path is made of it, one for the list of all
// repetitions.
type pathLoop struct {
	c              *pathClause
	h              *pathHop
	locals, groups map[string]string // by name as written
	list           bool              // elements without a name have lists, too
	elements       [][2]string       // nodes and relationships by turns: inside, and the list
}

// element names one that stands at one place under the names of all its patterns. group is "" if it has its list already, or needs none.
func (l *pathLoop) element(made string, written ...string) (local, group string) {
	written = slices.DeleteFunc(written, func(name string) bool { return name == "" })
	list := ""
	for _, name := range written {
		if l.locals[name] != "" && local == "" {
			local, list = l.locals[name], l.groups[name]
		}
	}
	switch {
	case local != "":
	case len(written) > 0:
		local, group = l.c.b.fresh(written[0]), l.c.b.introduce(written[0])
	case l.list:
		local, group = l.c.b.fresh(made), l.c.b.makeUp()
	default:
		local = l.c.b.fresh(made)
	}
	if group != "" {
		list, l.c.names[group] = group, true
	}
	for _, name := range written {
		if l.locals[name] == "" {
			l.locals[name], l.groups[name] = local, list
			l.h.local = append(l.h.local, localName{name, &lang.Var{Name: local}})
			l.c.b.scope.set(name, &lang.Var{Name: list})
		} else if l.locals[name] != local {
			l.h.conds = append(l.h.conds, &lang.Binary{Op: "=", L: plannedVar(local), R: plannedVar(l.locals[name])})
		}
	}
	l.elements = append(l.elements, [2]string{local, list})
	return local, group
}

// node names the node at a place.
func (l *pathLoop) node(patterns []*lang.NodePattern) {
	var written []string
	var labels *lang.LabelExpr
	for _, n := range patterns {
		written = append(written, n.Name)
		switch {
		case labels == nil:
			labels = n.Labels
		case n.Labels != nil:
			labels = &lang.LabelExpr{Pos: n.Labels.Pos, Op: lang.LabelAnd, Args: []*lang.LabelExpr{labels, n.Labels}}
		}
	}
	local, group := l.element("n", written...)
	l.h.inner = append(l.h.inner, hopNode{labels: labels, local: local, group: group})
	for _, n := range patterns {
		l.h.inside(local, n.Props, n.Where)
	}
}

// path names a path: inside of the loop it is that of one repetition, outside the list of all.
func (l *pathLoop) path(p namedPath) {
	b, pos := l.c.b, p.path.NamePos
	n, first := 2*(p.to-p.from)+1, 2*p.from
	l.h.local = append(l.h.local, localName{p.path.Name, pathOf(pos, n, func(i int) string { return l.elements[first+i][0] })})
	at := &lang.Var{Pos: pos, Name: b.fresh("i")}
	one := &lang.Call{Pos: pos, Name: PathFunction}
	for i := range n {
		one.Args = append(one.Args, &lang.Index{Pos: pos, Of: &lang.Var{Pos: pos, Name: l.elements[first+i][1]}, At: at})
	}
	last := &lang.Binary{Pos: pos, Op: "-", L: &lang.Call{Pos: pos, Name: "size", Args: []lang.Expr{&lang.Var{Pos: pos, Name: l.elements[first][1]}}},
		R: &lang.Literal{Pos: pos, Value: int64(1)}}
	b.scope.set(p.path.Name, &lang.ListComprehension{Pos: pos, Var: lang.Name{Pos: pos, Text: at.Name}, Map: one,
		List: &lang.Call{Pos: pos, Name: "range", Args: []lang.Expr{&lang.Literal{Pos: pos, Value: int64(0)}, last}}})
}
