package exec

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// writingStage builds the stage of an operator that changes the graph.
func (x *execution) writingStage(node planner.Node, out *outlet) (stage, error) {
	switch n := node.(type) {
	case *planner.Eager:
		return x.newEager(n, out), nil
	case *planner.LoadCSV:
		return x.newLoadCSV(n, out)
	case *planner.Discard:
		return discard{}, nil
	case *planner.Command:
		return x.newCommand(n, out)
	}
	if x.writes == nil {
		return nil, &eval.Error{Code: eval.CodeInternal, Msg: fmt.Sprintf("cannot run a %T", node)}
	}
	switch n := node.(type) {
	case *planner.Create:
		return x.newCreate(n, out)
	case *planner.Merge:
		return x.newMerge(n, out)
	case *planner.Set:
		items, err := x.setItems(n.Items)
		return &setStage{outlet: out, items: items}, err
	case *planner.Delete:
		return x.newDelete(n, out)
	case *planner.Foreach:
		return x.newForeach(n, out)
	}
	return nil, &eval.Error{Code: eval.CodeInternal, Msg: fmt.Sprintf("cannot run a %T", node)}
}

// createStage creates paths for every row.
type createStage struct {
	*outlet
	paths []*pathMaker
}

func (x *execution) newCreate(n *planner.Create, out *outlet) (stage, error) {
	c := &createStage{outlet: out}
	for i := range n.Paths {
		p, err := x.newPathMaker(&n.Paths[i])
		if err != nil {
			return nil, err
		}
		c.paths = append(c.paths, p)
	}
	for _, p := range c.paths {
		p.free(x.compiler.Live)
	}
	return c, nil
}

func (c *createStage) push(mult uint64) (bool, error) {
	for range mult {
		for _, p := range c.paths {
			if err := p.make(); err != nil {
				return false, err
			}
			p.fill()
		}
		if more, err := c.emitSampled(1); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// pathMaker creates a path, or finds one for MERGE.
type pathMaker struct {
	x        *execution
	plan     *planner.WritePath
	nodes    []propsMaker
	rels     []propsMaker
	labels   []eval.Func    // by node: gives more labels; nil if there are none
	types    []eval.Func    // by relationship: gives the type; nil if it is known
	vertices []csr.VertexID // of the current path
	edges    []csr.EdgeID
}

// newPathMaker compiles the expressions in a path and marks the slots it reads as live.
func (x *execution) newPathMaker(n *planner.WritePath) (*pathMaker, error) {
	nodes, rels := len(n.Nodes), len(n.Rels)
	makers, froms := make([]propsMaker, nodes+rels), make([]eval.Func, nodes+rels)
	p := &pathMaker{x: x, plan: n, vertices: make([]csr.VertexID, nodes), edges: make([]csr.EdgeID, rels),
		nodes: makers[:nodes], rels: makers[nodes:], labels: froms[:nodes], types: froms[nodes:]}
	c := x.writes.compiler()
	for i := range n.Nodes {
		m, err := x.writes.newPropsMaker(c, n.Nodes[i].Props)
		if err != nil {
			return nil, err
		}
		p.nodes[i] = m
		from, err := compileFrom(c, n.Nodes[i].From)
		if err != nil {
			return nil, err
		}
		p.labels[i] = from
		if n.Nodes[i].Bound {
			x.compiler.Live[n.Nodes[i].Slot] = true
		}
	}
	for i := range n.Rels {
		m, err := x.writes.newPropsMaker(c, n.Rels[i].Props)
		if err != nil {
			return nil, err
		}
		p.rels[i] = m
		from, err := compileFrom(c, n.Rels[i].From)
		if err != nil {
			return nil, err
		}
		p.types[i] = from
	}
	x.writes.takeOver(c)
	return p, nil
}

// compileFrom compiles the expression of labels or of a type; nil for none.
func compileFrom(c *eval.Compiler, x lang.Expr) (eval.Func, error) {
	if x == nil {
		return nil, nil
	}
	k, err := c.Compile(x)
	return k.Fn, err
}

// labelsOf returns the labels of node i.
func (p *pathMaker) labelsOf(i int) ([]string, error) {
	n := &p.plan.Nodes[i]
	if p.labels[i] == nil {
		return n.Labels, nil
	}
	v, err := p.labels[i](&p.x.input)
	if err != nil {
		return nil, err
	}
	names, err := labelTexts(slices.Clone(n.Labels), v)
	slices.Sort(names)
	return slices.Compact(names), eval.At(n.From.Position(), err)
}

// typeOf returns the type of relationship i.
func (p *pathMaker) typeOf(i int) (string, error) {
	r := &p.plan.Rels[i]
	if p.types[i] == nil {
		return r.Type, nil
	}
	v, err := p.types[i](&p.x.input)
	if err != nil {
		return "", err
	}
	names, err := labelTexts(nil, v)
	if err == nil && len(names) != 1 {
		err = eval.Errorf(eval.CodeArgumentValue, "a relationship has one type, but $() gives %d", len(names))
	}
	if err != nil {
		return "", eval.At(r.From.Position(), err)
	}
	return names[0], nil
}

// free removes the slots that the path sets from those live below.
func (p *pathMaker) free(live map[int]bool) {
	delete(live, p.plan.Slot)
	for i := range p.plan.Nodes {
		if n := &p.plan.Nodes[i]; !n.Bound {
			delete(live, n.Slot)
		}
	}
	for i := range p.plan.Rels {
		delete(live, p.plan.Rels[i].Slot)
	}
}

// bound returns the vertex that the row gives for node i; ok is false if it is null.
func (p *pathMaker) bound(i int) (v csr.VertexID, ok bool, err error) {
	n := &p.plan.Nodes[i]
	switch x := p.x.row[n.Slot]; x.Kind() {
	case value.Null:
		return 0, false, nil
	case value.Node:
		if !p.x.writes.draft.HasNode(x.Node()) {
			return 0, false, eval.At(n.Pos, eval.Gone("a relationship"))
		}
		return x.Node(), true, nil
	case value.Deleted:
		return 0, false, eval.At(n.Pos, eval.Gone("a relationship"))
	default:
		return 0, false, &eval.Error{Code: codeNoElement, Msg: "a node is needed here, not " + eval.Describe(x), Pos: n.Pos}
	}
}

// make creates the parts of the path that are not bound, from left to right.
func (p *pathMaker) make() error {
	w := p.x.writes
	for i := range p.plan.Nodes {
		n := &p.plan.Nodes[i]
		if n.Bound {
			v, ok, err := p.bound(i)
			if err != nil {
				return err
			}
			if !ok {
				return &eval.Error{Code: "SemanticError.NullNode", Msg: "a relationship cannot be created at a node that is null", Pos: n.Pos,
					Hint: "leave out the rows without it: WITH ... WHERE it IS NOT NULL"}
			}
			p.vertices[i] = v
		} else {
			labels, err := p.labelsOf(i)
			if err != nil {
				return err
			}
			v, err := w.createNode(labels, &p.nodes[i])
			if err != nil {
				return err
			}
			p.vertices[i] = v
			if n.Slot >= 0 { // later parts of the path may read it
				p.x.row[n.Slot] = value.OfNode(v)
			}
		}
		if i > 0 {
			if err := p.makeRel(i - 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pathMaker) makeRel(i int) error {
	w, r := p.x.writes, &p.plan.Rels[i]
	from, to := p.vertices[i], p.vertices[i+1]
	if r.Left {
		from, to = to, from
	}
	props, err := p.rels[i].props(&p.x.input)
	if err != nil {
		return err
	}
	typ, err := p.typeOf(i)
	if err != nil {
		return err
	}
	if p.edges[i], err = w.draft.CreateRel(typ, from, to, props); err != nil {
		return w.explain(err)
	}
	if err := w.charge(nil); err != nil {
		return err
	}
	w.changes.RelsCreated++
	w.changes.PropertiesSet += uint64(len(props))
	if r.Slot >= 0 {
		p.x.row[r.Slot] = value.OfRel(p.edges[i])
	}
	return nil
}

func (w *writing) createNode(labels []string, m *propsMaker) (csr.VertexID, error) {
	props, err := m.props(&w.x.input)
	if err != nil {
		return 0, err
	}
	v, err := w.draft.CreateNode(labels, props)
	if err != nil {
		return 0, w.explain(err)
	}
	if err := w.charge(nil); err != nil {
		return 0, err
	}
	w.changes.NodesCreated++
	w.changes.LabelsAdded += uint64(len(labels))
	w.changes.PropertiesSet += uint64(len(props))
	return v, nil
}

// fill puts the current path into the row.
func (p *pathMaker) fill() {
	row := p.x.row
	for i := range p.plan.Nodes {
		if n := &p.plan.Nodes[i]; n.Slot >= 0 && !n.Bound {
			row[n.Slot] = value.OfNode(p.vertices[i])
		}
	}
	for i := range p.plan.Rels {
		if r := &p.plan.Rels[i]; r.Slot >= 0 {
			row[r.Slot] = value.OfRel(p.edges[i])
		}
	}
	if p.plan.Slot >= 0 {
		row[p.plan.Slot] = value.OfPath(&value.PathValue{Nodes: append([]csr.VertexID(nil), p.vertices...), Rels: append([]csr.EdgeID(nil), p.edges...)})
	}
}

// propsMaker evaluates the property map of an element.
type propsMaker struct {
	w    *writing
	keys []lang.Name // of a map literal
	fns  []eval.Func
	all  eval.Func // of any other expression; nil: there is none
	pos  lang.Pos
}

func (w *writing) newPropsMaker(c *eval.Compiler, x lang.Expr) (m propsMaker, err error) {
	m.w = w
	if x == nil {
		return m, nil
	}
	m.pos = x.Position()
	if lit, ok := x.(*lang.MapLit); ok {
		m.keys = lit.Keys
		m.fns, _, err = c.CompileAll(lit.Values)
		return m, err
	}
	k, err := c.Compile(x)
	m.all = k.Fn
	return m, err
}

// props returns the properties of the map without those that are null.
func (m *propsMaker) props(e *eval.Input) ([]csr.Prop, error) {
	var props []csr.Prop
	if m.all != nil {
		v, err := m.all(e)
		if err != nil {
			return nil, err
		}
		return m.w.propsOf(v, m.pos)
	}
	props = make([]csr.Prop, 0, len(m.fns))
	for i, fn := range m.fns {
		v, err := fn(e)
		if err != nil {
			return nil, err
		}
		c, err := m.w.cell(m.keys[i].Text, v, m.keys[i].Pos)
		if err != nil {
			return nil, err
		}
		if c.Kind != 0 {
			props = append(props, csr.Prop{Key: m.keys[i].Text, Value: c})
		}
	}
	return props, nil
}

// propsOf returns a map as properties, without null values. Null has no properties.
func (w *writing) propsOf(v value.Value, pos lang.Pos) ([]csr.Prop, error) {
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.Map:
	default:
		return nil, &eval.Error{Code: eval.CodeArgumentType, Msg: "properties are given as a map, not as " + eval.Describe(v), Pos: pos}
	}
	var props []csr.Prop
	for i, key := range v.Map().Keys {
		c, err := w.cell(key, v.Map().Values[i], pos)
		if err != nil {
			return nil, err
		}
		if c.Kind != 0 {
			props = append(props, csr.Prop{Key: key, Value: c})
		}
	}
	return props, nil
}
