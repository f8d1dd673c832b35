package planner

import (
	"slices"

	"github.com/motifql/motif/lang"
)

// frame is a query or a subquery that is being planned. A subquery starts from the row of the expression or clause that
// has it, and sees that one's names.
type frame struct {
	id    int
	scope *scope
	steps []step // of the clauses since top
	top   Node   // what the clauses before became; nil: the row that the frame starts from
	eager eagerness
}

// scope is the names that a clause sees. Names are given anew for planning, so that each means one thing in all of a plan:
// two clauses may call different things the same, and WITH the same thing differently.
type scope struct {
	// names has what a name stands for: a *lang.Var with the name of a variable or slot of the plan or of a variable that
	// an expression binds, or, for a path of fixed length, the expression that makes it from its elements.
	names map[string]lang.Expr
	order []string             // what RETURN * and WITH * mean, in order of first appearance: nothing that is imported
	outer map[string]bool      // names of the plan that come from outside of the frame
	reads []string             // the outer names that were asked for
	base  map[string]lang.Expr // of a subquery that imports: what it can always see, by name as written
}

func newScope() *scope {
	return &scope{names: map[string]lang.Expr{}, outer: map[string]bool{}}
}

// set makes name mean x from now on.
func (s *scope) set(name string, x lang.Expr) {
	if _, there := s.names[name]; !there {
		s.order = append(s.order, name)
	}
	s.names[name] = x
}

// note remembers which names from outside of the frame x reads.
func (s *scope) note(names []string) {
	for _, name := range names {
		if s.outer[name] && !slices.Contains(s.reads, name) {
			s.reads = append(s.reads, name)
		}
	}
}

// inner is the scope of a clause list that starts with the same names.
func (s *scope) inner() *scope {
	t := &scope{names: make(map[string]lang.Expr, len(s.names)), order: slices.Clone(s.order), outer: s.outer, reads: s.reads, base: s.base}
	for name, x := range s.names {
		t.names[name] = x
	}
	return t
}

// next returns the scope after a clause that drops all names that it does not list.
func (s *scope) next() *scope {
	t := newScope()
	t.outer, t.reads, t.base = s.outer, s.reads, s.base
	return t
}

// find is what a name stands for, or nil.
func (s *scope) find(name string) lang.Expr {
	if x, ok := s.names[name]; ok {
		return x
	}
	return s.base[name]
}

// enter begins a subquery that starts from the row of the current frame and sees all that the current clause sees; leave ends it and gives what it
// has read.
func (b *builder) enter() *frame {
	b.poll()
	outer := b.frame
	b.frames++
	s := outer.scope.inner()
	for name, x := range s.base {
		if s.names[name] == nil {
			s.names[name] = x
		}
	}
	s.order, s.outer, s.reads, s.base = nil, map[string]bool{}, nil, nil
	for _, x := range s.names {
		walk(x, func(x lang.Expr) bool {
			if v, ok := x.(*lang.Var); ok {
				s.outer[v.Name] = true
			}
			return true
		})
	}
	b.frame = &frame{id: b.frames, scope: s}
	return outer
}

// leave returns to the frame that enter came from. What the subquery reads from outside must have slots.
func (b *builder) leave(outer *frame) (reads []string) {
	reads = b.scope.reads
	b.frame = outer
	b.scope.note(reads)
	for _, name := range reads {
		if v := b.vars[name]; v != nil {
			v.read = true
		}
	}
	return reads
}

// see finds what a name that an expression reads stands for.
func (b *builder) see(v *lang.Var) lang.Expr {
	b.poll()
	if v.Null {
		return &lang.Literal{Pos: v.Pos}
	}
	x := b.scope.find(v.Name)
	if x == nil {
		if b.err == nil {
			b.err = undefined(v, v.Name)
		}
		return v
	}
	b.scope.note(free(x))
	if y, ok := x.(*lang.Var); ok {
		return &lang.Var{Pos: v.Pos, Name: y.Name}
	}
	return x
}

// free lists the variables in x, whether the plan knows them or not.
func free(x lang.Expr) (names []string) {
	walk(x, func(x lang.Expr) bool {
		if v, ok := x.(*lang.Var); ok {
			names = append(names, v.Name)
		}
		return true
	})
	return names
}

// bind is the name in the plan of an element of a pattern, or of whatever else a clause binds: that of the variable where
// there is one, else a fresh one.
func (b *builder) bind(name string) string {
	if name == "" {
		return ""
	}
	if x := b.scope.find(name); x != nil {
		if v, ok := x.(*lang.Var); ok {
			b.scope.note([]string{v.Name})
			return v.Name
		}
	}
	return b.introduce(name)
}

// introduce gives a name that is new to the scope one in the plan.
func (b *builder) introduce(name string) string {
	unique := b.fresh(name)
	b.scope.set(name, &lang.Var{Name: unique})
	return unique
}

// local makes a variable that an expression binds for what is inside of it, until undo.
func (b *builder) local(name lang.Name) (renamed lang.Name, undo func()) {
	s, was, had := b.scope, b.scope.names[name.Text], false
	_, had = s.names[name.Text]
	renamed = lang.Name{Pos: name.Pos, Text: b.fresh(name.Text)}
	s.names[name.Text] = &lang.Var{Pos: name.Pos, Name: renamed.Text}
	return renamed, func() {
		if had {
			s.names[name.Text] = was
		} else {
			delete(s.names, name.Text)
		}
	}
}

// rename gives all variables in x their names in the plan, and plans its subqueries. x is not changed.
func (b *builder) rename(x lang.Expr) lang.Expr {
	return rewrite(x, func(x lang.Expr) lang.Expr {
		switch x := x.(type) {
		case *lang.Var:
			return b.see(x)
		case *lang.Call:
			if lang.ReadsCSV(x) && b.scope.find(x.Name+"()") != nil {
				return b.see(&lang.Var{Pos: x.Pos, Name: x.Name + "()"})
			}
			return b.pathLength(x)
		case *lang.ListComprehension:
			list := b.rename(x.List)
			name, undo := b.local(x.Var)
			defer undo()
			return &lang.ListComprehension{Pos: x.Pos, Var: name, List: list, Where: b.rename(x.Where), Map: b.rename(x.Map)}
		case *lang.Quantifier:
			list := b.rename(x.List)
			name, undo := b.local(x.Var)
			defer undo()
			return &lang.Quantifier{Pos: x.Pos, Kind: x.Kind, Var: name, List: list, Where: b.rename(x.Where)}
		case *lang.Reduce:
			init, list := b.rename(x.Init), b.rename(x.List)
			acc, undo := b.local(x.Acc)
			defer undo()
			name, undo := b.local(x.Var)
			defer undo()
			return &lang.Reduce{Pos: x.Pos, Acc: acc, Init: init, Var: name, List: list, Step: b.rename(x.Step)}
		case *lang.PatternExpr, *lang.PatternComprehension, *lang.Subquery:
			return b.subquery(x)
		}
		return nil
	})
}

// pathLength returns the length of a path with loops as a sum, which needs no list of relationships; nil where x is something else.
func (b *builder) pathLength(x *lang.Call) lang.Expr {
	if x.Name != "length" || len(x.Args) != 1 || b.opt.Brute {
		return nil
	}
	v, ok := x.Args[0].(*lang.Var)
	if !ok {
		return nil
	}
	path, ok := call(b.scope.find(v.Name), PathFunction)
	if !ok {
		return nil
	}
	var sum lang.Expr
	fixed := int64(0)
	for i := 1; i < len(path.Args); i += 2 {
		name, _ := varName(path.Args[i])
		rel := b.vars[name]
		switch count := b.vars[b.counts[name]]; {
		case rel == nil || b.scope.outer[name]:
			return nil
		case rel.kind == RelSlot:
			fixed++
		case count == nil:
			return nil
		case sum == nil:
			sum = &lang.Var{Pos: x.Pos, Name: count.name}
		default:
			sum = &lang.Binary{Pos: x.Pos, Op: "+", L: sum, R: &lang.Var{Pos: x.Pos, Name: count.name}}
		}
	}
	if sum == nil {
		return nil
	}
	b.scope.note(free(sum))
	if fixed > 0 {
		sum = &lang.Binary{Pos: x.Pos, Op: "+", L: sum, R: &lang.Literal{Pos: x.Pos, Value: fixed}}
	}
	return sum
}

// renameAll is rename of several.
func (b *builder) renameAll(xs []lang.Expr) []lang.Expr {
	out := make([]lang.Expr, len(xs))
	for i, x := range xs {
		out[i] = b.rename(x)
	}
	return out
}

// PathFunction is the function that makes a path of its elements, nodes and relationships by turns; null if one is null.
// No text can call it.
const PathFunction = "path of"

// renamePaths copies paths and names their elements. Their conditions keep their names until all elements of the clause have
// theirs; see renameConditions.
func renamePaths(b *builder, paths []*lang.PathPattern) []*lang.PathPattern {
	nodes, rels := 0, 0
	for _, p := range paths {
		nodes, rels = nodes+len(p.Nodes), rels+len(p.Rels)
	}
	room := pathRoom{make([]lang.PathPattern, 0, len(paths)), make([]lang.NodePattern, 0, nodes), make([]lang.RelPattern, 0, rels)}
	out := make([]*lang.PathPattern, 0, len(paths))
	for _, p := range paths {
		out = append(out, b.renamePath(p, &room))
	}
	return out
}

// pathRoom is memory for the paths of a clause in few pieces: a pattern may be a hundred short paths. Nothing in it moves.
type pathRoom struct {
	paths []lang.PathPattern
	nodes []lang.NodePattern
	rels  []lang.RelPattern
}

// place appends x, for which there is room, and returns where it lies.
func place[T any](room *[]T, x *T) *T {
	*room = append(*room, *x)
	return &(*room)[len(*room)-1]
}

// renamePath is renamePaths for one path.
func (b *builder) renamePath(p *lang.PathPattern, room *pathRoom) *lang.PathPattern {
	c := place(&room.paths, p)
	c.Nodes, c.Rels = make([]*lang.NodePattern, len(p.Nodes)), make([]*lang.RelPattern, len(p.Rels))
	element := func(name string) string {
		if name == "" && p.Name != "" {
			return b.makeUp()
		}
		return b.bind(name)
	}
	for i, n := range p.Nodes {
		if i > 0 {
			r := place(&room.rels, p.Rels[i-1])
			r.Name = element(r.Name)
			c.Rels[i-1] = r
		}
		n := place(&room.nodes, n)
		n.Name = element(n.Name)
		c.Nodes[i] = n
	}
	if p.Name != "" {
		b.scope.set(p.Name, &lang.Call{Pos: p.NamePos, Name: PathFunction, Args: elementsOf(c)})
	}
	return c
}

// elementsOf returns the variables of a path whose elements all have names.
func elementsOf(p *lang.PathPattern) (elements []lang.Expr) {
	for i, n := range p.Nodes {
		if i > 0 {
			elements = append(elements, &lang.Var{Pos: p.Rels[i-1].Pos, Name: p.Rels[i-1].Name})
		}
		elements = append(elements, &lang.Var{Pos: n.Pos, Name: n.Name})
	}
	return elements
}

// renameConditions renames what is written inside the elements of a path that renamePath gave.
func (b *builder) renameConditions(p *lang.PathPattern) {
	for _, n := range p.Nodes {
		n.Props, n.Where = b.rename(n.Props), b.rename(n.Where)
	}
	for _, r := range p.Rels {
		r.Props, r.Where = b.rename(r.Props), b.rename(r.Where)
	}
}
