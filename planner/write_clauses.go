package planner

import (
	"github.com/motifql/motif/lang"
)

// writeStep is a writing clause, or LOAD CSV, on its way to an operator.
type writeStep struct {
	b      *builder
	make   func(input Node) Node
	source bool // reads a file and writes nothing
	blind  bool // see add
	looks  bool // its expressions have subqueries
}

func (s *writeStep) node(input Node) Node { return s.make(input) }

// write adds a writing clause or LOAD CSV.
func (b *builder) write(c lang.Clause) error {
	s := &writeStep{b: b}
	switch c := c.(type) {
	case *lang.Create:
		s.create(c)
	case *lang.Merge:
		s.merge(c)
	case *lang.Set:
		items := s.items(c.Items, false)
		s.make = func(in Node) Node { return &Set{Input: in, Items: items} }
	case *lang.Remove:
		items := s.items(c.Items, true)
		s.make = func(in Node) Node { return &Set{Input: in, Items: items} }
	case *lang.Delete:
		exprs := make([]lang.Expr, len(c.Exprs))
		for i, x := range c.Exprs {
			exprs[i] = s.read(x)
		}
		s.make = func(in Node) Node { return &Delete{Input: in, Detach: c.Detach, Exprs: exprs} }
	case *lang.Foreach:
		if err := s.foreach(c); err != nil {
			return err
		}
	case *lang.LoadCSV:
		s.loadCSV(c)
	default:
		return notYet("this clause", c.Position())
	}
	b.steps = append(b.steps, s)
	return b.err
}

// read gives an expression its names in the plan.
func (s *writeStep) read(x lang.Expr) lang.Expr {
	if x == nil {
		return nil
	}
	y := s.b.rename(x)
	s.b.readAll(y)
	walk(y, func(x lang.Expr) bool {
		s.looks = s.looks || s.b.plan.Subs[x] != nil
		return true
	})
	return y
}

func (s *writeStep) create(c *lang.Create) {
	s.blind = true
	paths := make([]WritePath, len(c.Paths))
	for i, p := range c.Paths {
		paths[i] = s.path(p)
	}
	s.make = func(in Node) Node { return &Create{Input: in, Paths: paths} }
}

func (s *writeStep) merge(c *lang.Merge) {
	path := s.path(c.Path)
	onCreate, onMatch := s.items(c.OnCreate, false), s.items(c.OnMatch, false)
	s.make = func(in Node) Node {
		return &Merge{Input: in, Pos: c.Pos, Path: path, OnCreate: onCreate, OnMatch: onMatch}
	}
}

// path plans a path and declares what it binds.
func (s *writeStep) path(p *lang.PathPattern) (w WritePath) {
	w.Slot = -1
	for i, n := range p.Nodes {
		if i > 0 {
			w.Rels = append(w.Rels, s.rel(p.Rels[i-1]))
		}
		w.Nodes = append(w.Nodes, s.nodeOf(n))
	}
	if p.Name != "" {
		w.Slot = s.declare(p.Name, ValueSlot)
	}
	return w
}

func (s *writeStep) nodeOf(n *lang.NodePattern) WriteNode {
	w := WriteNode{Pos: n.Pos, Slot: -1, From: s.read(n.From), Props: s.read(n.Props), Labels: labelNames(n.Labels)}
	if n.Name == "" {
		return w
	}
	if x, ok := s.b.scope.names[n.Name]; ok {
		name, _ := varName(x)
		if v := s.b.vars[name]; v != nil {
			s.b.scope.note([]string{name})
			v.read, w.Bound = true, true
			w.Slot = s.b.slotOf(v)
			return w
		}
	}
	w.Slot = s.declare(n.Name, NodeSlot)
	return w
}

// labelNames lists the labels of a conjunction; others the checker refuses.
func labelNames(x *lang.LabelExpr) (names []string) {
	switch {
	case x == nil:
	case x.Op == lang.LabelName:
		names = []string{x.Name}
	default:
		for _, a := range x.Args {
			names = append(names, labelNames(a)...)
		}
	}
	return names
}

func (s *writeStep) rel(r *lang.RelPattern) WriteRel {
	w := WriteRel{Pos: r.Pos, Slot: -1, Left: r.Direction == lang.Left, Undirected: r.Direction == lang.Undirected, From: s.read(r.From), Props: s.read(r.Props)}
	if len(r.Types) != 1 && r.From == nil {
		s.b.err = &lang.Error{Code: "SyntaxError.NoSingleRelationshipType", Msg: "a relationship to be made has one type", Pos: r.Pos}
		return w
	}
	if r.From == nil {
		w.Type = r.Types[0].Text
	}
	if r.Name != "" {
		w.Slot = s.declare(r.Name, RelSlot)
	}
	return w
}

// declare makes a variable of what the clause makes and returns its slot.
func (s *writeStep) declare(name string, kind SlotKind) int {
	v := s.b.declare(s.b.introduce(name), kind, nil, 0)
	v.read = true
	return s.b.slotOf(v)
}

func (s *writeStep) items(items []*lang.SetItem, remove bool) (out []SetItem) {
	for _, it := range items {
		w := SetItem{Pos: it.Pos, Kind: it.Kind, Remove: remove, Value: s.read(it.Value)}
		for _, l := range it.Labels {
			w.Labels = append(w.Labels, l.Text)
		}
		of := it.Of
		if it.Kind == lang.SetProperty {
			switch x := it.Of.(type) {
			case *lang.Property:
				of, w.Key = x.Of, &lang.Literal{Pos: x.Pos, Value: x.Key}
			case *lang.Index:
				of, w.Key = x.Of, s.read(x.At)
			}
		}
		w.Of = s.read(of)
		out = append(out, w)
	}
	return out
}

// foreach plans the clauses inside with a variable that only they see.
func (s *writeStep) foreach(c *lang.Foreach) error {
	b := s.b
	list := s.read(c.List)
	scope, steps := b.scope, b.steps
	b.scope, b.steps = scope.inner(), nil
	name := b.fresh(c.Var.Text)
	b.scope.set(c.Var.Text, &lang.Var{Pos: c.Var.Pos, Name: name})
	v := b.declare(name, ValueSlot, nil, 0)
	v.read, v.nullable = true, true
	slot := b.slotOf(v)
	var body Node
	s.blind = true
	for _, inner := range c.Clauses {
		if err := b.write(inner); err != nil {
			return err
		}
	}
	for _, st := range b.steps {
		w := st.(*writeStep)
		body = w.node(body)
		s.blind, s.looks = s.blind && w.blind, s.looks || w.looks
	}
	scope.reads = b.scope.reads
	b.scope, b.steps = scope, steps
	s.make = func(in Node) Node { return &Foreach{Input: in, Slot: slot, List: list, Body: body, name: c.Var.Text} }
	return nil
}

func (s *writeStep) loadCSV(c *lang.LoadCSV) {
	from := s.read(c.From)
	s.source = true
	slot, comma := s.declare(c.As.Text, ValueSlot), ','
	line, file := s.hide("linenumber"), s.hide("file")
	for _, r := range c.Terminator {
		comma = r
	}
	s.make = func(in Node) Node {
		return &LoadCSV{Input: in, Pos: c.Pos, Headers: c.Headers, From: from, Slot: slot, Line: s.b.slotOf(line), File: s.b.slotOf(file), Terminator: comma, name: c.As.Text}
	}
}

// hide makes a variable for what a function of LOAD CSV gives. No query can name it, and * does not mean it.
func (s *writeStep) hide(function string) *variable {
	name := s.b.fresh(function)
	s.b.scope.names[function+"()"] = &lang.Var{Name: name}
	return s.b.declare(name, ValueSlot, nil, 0)
}
