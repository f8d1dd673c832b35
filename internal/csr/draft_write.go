package csr

import (
	"fmt"
	"slices"
)

// CreateNode creates a node. A property whose value has no kind is none.
func (d *Draft) CreateNode(labels []string, props []Prop) (VertexID, error) {
	return d.createNode(d.nextNode, labels, props)
}

func (d *Draft) createNode(id NodeID, labels []string, props []Prop) (VertexID, error) {
	v := d.base.N() + uint64(len(d.newNodes))
	switch {
	case v >= MaxVertices:
		return NoVertex, fmt.Errorf("a graph holds at most %d nodes", MaxVertices)
	case id < d.nextNode || id+1 == 0:
		return NoVertex, fmt.Errorf("node id %d was given out before", id)
	}
	n := &nodeDraft{id: id}
	if err := n.props.put(&d.keys, props); err != nil {
		return NoVertex, err
	}
	n.labels = slices.Grow(n.labels, len(labels))
	for _, name := range labels {
		n.labels = append(n.labels, LabelID(d.labels.add(name)))
	}
	slices.Sort(n.labels)
	n.labels = slices.Compact(n.labels)
	d.newNodes, d.nextNode = append(d.newNodes, n), id+1
	d.note(Change{Kind: CreateNode, ID: uint64(id), Labels: labels, Props: props})
	return VertexID(v), nil
}

// CreateRel creates a relationship from one node that is there to another, or to itself.
func (d *Draft) CreateRel(typ string, from, to VertexID, props []Prop) (EdgeID, error) {
	return d.createRel(d.nextRel, typ, from, to, props)
}

func (d *Draft) createRel(id RelID, typ string, from, to VertexID, props []Prop) (EdgeID, error) {
	if id < d.nextRel || id+1 == 0 {
		return NoEdge, fmt.Errorf("relationship id %d was given out before", id)
	}
	src, err := d.node(from)
	if err != nil {
		return NoEdge, err
	}
	dst, err := d.node(to)
	if err != nil {
		return NoEdge, err
	}
	r := &relDraft{id: id, src: from, dst: to}
	if err := r.props.put(&d.keys, props); err != nil {
		return NoEdge, err
	}
	r.typ = TypeID(d.types.add(typ))
	e := EdgeID(d.base.edgeBound() + uint64(len(d.newRels)))
	d.newRels = append(d.newRels, r)
	src.out, dst.in = append(src.out, e), append(dst.in, e)
	d.nextRel = id + 1
	d.note(Change{Kind: CreateRel, ID: uint64(id), Name: typ, From: src.id, To: dst.id, Props: props})
	return e, nil
}

// put adds properties to those set; of a repeated key the last counts.
func (p *propDrafts) put(keys *names, props []Prop) error {
	for _, x := range props {
		if x.Value.Kind >= KindMixed {
			return fmt.Errorf("property %s has a value of unknown kind %d", x.Key, x.Value.Kind)
		}
	}
	p.list = slices.Grow(p.list, len(props))
	for _, x := range props {
		p.set(KeyID(keys.add(x.Key)), x.Value)
	}
	return nil
}

// DeleteNode deletes a node that has no relationships left.
func (d *Draft) DeleteNode(v VertexID) error {
	n, err := d.node(v)
	if err != nil {
		return err
	}
	if len(d.Rels(nil, v, Both, nil)) > 0 {
		return fmt.Errorf("node %d %w", n.id, ErrHasRels)
	}
	*n = nodeDraft{id: n.id, dead: true, died: len(d.changes)}
	d.note(Change{Kind: DeleteNode, ID: uint64(n.id)})
	return nil
}

// DetachDelete deletes a node with its relationships, and returns how many those were.
func (d *Draft) DetachDelete(v VertexID) (rels int, err error) {
	if _, err := d.node(v); err != nil {
		return 0, err
	}
	all := d.Rels(nil, v, Both, nil)
	for _, e := range all {
		if err := d.DeleteRel(e); err != nil {
			return 0, err
		}
	}
	return len(all), d.DeleteNode(v)
}

// DeleteRel deletes a relationship.
func (d *Draft) DeleteRel(e EdgeID) error {
	r, err := d.rel(e)
	if err != nil {
		return err
	}
	r.dead, r.died, r.props = true, len(d.changes), propDrafts{}
	d.note(Change{Kind: DeleteRel, ID: uint64(r.id)})
	return nil
}

// SetNodeProps sets properties of a node; a value without kind removes its property.
func (d *Draft) SetNodeProps(v VertexID, props ...Prop) error {
	n, err := d.node(v)
	if err != nil {
		return err
	}
	if err = n.props.put(&d.keys, props); err == nil {
		d.note(Change{Kind: SetNodeProps, ID: uint64(n.id), Props: props})
	}
	return err
}

// SetRelProps sets properties of a relationship; a value without kind removes its property.
func (d *Draft) SetRelProps(e EdgeID, props ...Prop) error {
	r, err := d.rel(e)
	if err != nil {
		return err
	}
	if err = r.props.put(&d.keys, props); err == nil {
		d.note(Change{Kind: SetRelProps, ID: uint64(r.id), Props: props})
	}
	return err
}

// AddLabel gives a node a label, and reports whether it had it not before.
func (d *Draft) AddLabel(v VertexID, label string) (added bool, err error) {
	n, err := d.node(v)
	if err != nil {
		return false, err
	}
	l := LabelID(d.labels.add(label))
	i, ok := slices.BinarySearch(n.labels, l)
	if ok {
		return false, nil
	}
	n.labels = slices.Insert(slices.Clone(n.labels), i, l) // the list may be that of a class
	n.relabelled = true
	d.note(Change{Kind: AddLabel, ID: uint64(n.id), Name: label})
	return true, nil
}

// RemoveLabel takes a label from a node, and reports whether it had it.
func (d *Draft) RemoveLabel(v VertexID, label string) (removed bool, err error) {
	n, err := d.node(v)
	if err != nil {
		return false, err
	}
	l, ok := d.labels.Lookup(label)
	if !ok {
		return false, nil
	}
	i, ok := slices.BinarySearch(n.labels, LabelID(l))
	if !ok {
		return false, nil
	}
	n.labels = slices.Delete(slices.Clone(n.labels), i, i+1)
	n.relabelled = true
	d.note(Change{Kind: RemoveLabel, ID: uint64(n.id), Name: label})
	return true, nil
}

// CreateRule adds an index or a constraint. It does not look whether the graph keeps it.
func (d *Draft) CreateRule(r Rule) error {
	if !r.wellFormed() {
		return fmt.Errorf("%w of unknown form", ErrRule)
	}
	for _, list := range [][]Rule{d.schema.Indexes, d.schema.Constraints} {
		if slices.ContainsFunc(list, func(o Rule) bool { return o.Name == r.Name }) {
			return fmt.Errorf("%w %s exists", ErrRule, r.Name)
		}
	}
	kind, list := CreateConstraint, &d.schema.Constraints
	if r.Kind == RuleIndex {
		kind, list = CreateIndex, &d.schema.Indexes
	}
	*list = append(slices.Clip(*list), r)
	d.note(Change{Kind: kind, Rule: &r})
	return nil
}

// DropIndex and DropConstraint remove an index or a constraint by name.
func (d *Draft) DropIndex(name string) error {
	return d.dropRule(DropIndex, &d.schema.Indexes, name)
}

func (d *Draft) DropConstraint(name string) error {
	return d.dropRule(DropConstraint, &d.schema.Constraints, name)
}

func (d *Draft) dropRule(kind ChangeKind, list *[]Rule, name string) error {
	i := slices.IndexFunc(*list, func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return fmt.Errorf("%w %s %w", ErrRule, name, ErrNotThere)
	}
	*list = slices.Concat((*list)[:i], (*list)[i+1:])
	d.note(Change{Kind: kind, Name: name})
	return nil
}
