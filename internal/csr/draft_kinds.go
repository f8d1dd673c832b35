package csr

import "slices"

// kindWatch follows which kinds of values the changes of a draft bring to what a statement compares. Warnings about the statement rest on the
// kinds that the draft's base has.
type kindWatch struct {
	next    int  // the change to look at next
	strange bool // there is a value of another kind
}

// sameKinds reports whether the changes since Base have brought no value of a kind that Base lacks, to the properties that r is about.
func sameKinds(d *Draft, r *Reads) bool {
	w := d.kinds[r]
	if w == nil {
		w = &kindWatch{next: d.mark}
		if d.kinds == nil {
			d.kinds = make(map[*Reads]*kindWatch)
		}
		d.kinds[r] = w
	}
	for ; w.next < len(d.changes) && !w.strange; w.next++ {
		w.strange = strange(d, r, &d.changes[w.next])
	}
	return !w.strange
}

// strange reports whether a change brings a value of another kind.
func strange(d *Draft, r *Reads, c *Change) bool {
	switch c.Kind {
	case CreateRel, SetRelProps:
		return slices.ContainsFunc(c.Props, func(p Prop) bool {
			return p.Value.Kind != 0 && slices.Contains(r.RelKeys, p.Key) && !relKinds(d, p.Key).Has(p.Value.Kind)
		})
	case AddLabel:
		if !slices.Contains(r.Labels, c.Name) {
			return false
		}
	case CreateNode, SetNodeProps:
		if !slices.ContainsFunc(c.Props, func(p Prop) bool { return slices.Contains(r.Keys, p.Key) }) {
			return false
		}
	default:
		return false
	}
	v, there := d.NodeByID(NodeID(c.ID))
	return there && slices.ContainsFunc(r.Keys, func(key string) bool { return strangeNode(d, r, v, key) })
}

// strangeNode reports whether a vertex has a property of a kind that the other vertices with one of its labels do not have.
func strangeNode(d *Draft, r *Reads, v VertexID, key string) bool {
	cell, has := d.NodeProp(v, key)
	if !has {
		return false
	}
	if r.AnyNode && !nodeKinds(d, "", key).Has(cell.Kind) {
		return true
	}
	return slices.ContainsFunc(r.Labels, func(l string) bool { return d.HasLabel(v, l) && !nodeKinds(d, l, key).Has(cell.Kind) })
}

// nodeKinds returns the kinds that nodes of the base with a label, or with "" all nodes, have for a key.
func nodeKinds(d *Draft, label, key string) KindSet {
	k, known := d.base.Keys.Lookup(key)
	l, labelled := d.base.Labels.Lookup(label)
	switch {
	case !known || label != "" && !labelled:
		return 0
	case label == "":
		return d.base.NodeKinds(NoLabel, KeyID(k))
	}
	return d.base.NodeKinds(LabelID(l), KeyID(k))
}

func relKinds(d *Draft, key string) KindSet {
	k, known := d.base.Keys.Lookup(key)
	if !known {
		return 0
	}
	return d.base.RelationshipKinds(KeyID(k))
}
