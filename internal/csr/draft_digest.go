package csr

import "slices"

// Reads is what a statement reads of a snapshot, the labels and keys by name.
type Reads struct {
	Nodes   bool     // it looks for nodes
	AnyNode bool     // some of them without asking for a label
	Rels    bool     // it looks for relationships
	Labels  []string // of the nodes that it looks for, one or more of each of the others
	Keys    []string // of the properties that it reads, of nodes and relationships

	// Drafted: it looks for nodes and relationships in the draft. Labels, Keys and, of relationships, RelKeys are what its conditions are about.
	Drafted bool
	RelKeys []string

	// Monotone: with fewer nodes and relationships it finds the same matches, but for those with one that is gone. It drops these itself.
	Monotone bool
}

// Current reports whether a statement that reads r finds the same in Base as in d, or needs nothing of Base that has changed. A nil r stands for everything.
// Relationships under a constraint are looked up in Base, too.
func Current(d *Draft, r *Reads) bool {
	p := &d.since
	switch {
	case !d.dirty:
		return true
	case r == nil || p.replayed:
		return false
	case r.Drafted && (p.ruled || !sameKinds(d, r)), !r.Drafted && p.touches(r):
		return false
	}
	return !slices.ContainsFunc(d.schema.Constraints, func(c Rule) bool { return p.concerns(&c) })
}

// Forget drops the changes, all of which Base has: somebody has stored them.
func Forget(d *Draft) {
	d.changes, d.mark, d.bytes, d.Kept, d.kinds = nil, 0, 0, nil, nil
}

// LostNode reports whether v, a vertex of Base, was deleted before the change with this number. LostRel does so for a relationship.
func LostNode(d *Draft, v VertexID, change int) bool {
	n := d.nodes[v]
	return n != nil && n.dead && n.died < change
}

func LostRel(d *Draft, e EdgeID, change int) bool {
	r := d.rels[e]
	return r != nil && r.dead && r.died < change
}

// Stale says that a statement has found a match in Base with what was deleted since.
func Stale(d *Draft) { d.since.stale++ }

// mostStale is the number of such matches after which statements are given a snapshot, which is quicker than to drop ever more.
const mostStale = 1024

// LostNodes reports whether nodes of Base were deleted, LostRels whether relationships were.
func LostNodes(d *Draft) bool { return d.since.gone }
func LostRels(d *Draft) bool  { return d.since.parted }

// MaySet reports whether a property with this key may have been set on a node or a relationship of Base.
func MaySet(d *Draft, key string) bool { return d.since.all || slices.Contains(d.since.keys, key) }

// mostDigested is the number of names that digest lists of a kind. With more of them, it stands for every change.
const mostDigested = 16

// digest sums up the changes of a draft since its base, so that a statement need not go through them.
type digest struct {
	all            bool     // anything may have changed
	ruled          bool     // an index or a constraint has come or gone
	replayed       bool     // the changes were made anew, which takes as long as there are many
	created, gone  bool     // nodes were created, nodes were deleted
	linked, parted bool     // relationships were created, relationships were deleted
	stale          int      // matches dropped
	labels         []string // that new nodes have, or that other nodes got or lost
	keys           []string // of properties set on an element
}

// add takes in a change.
func (p *digest) add(c *Change) {
	switch c.Kind {
	case CreateNode:
		p.created = true
		for _, l := range c.Labels {
			p.name(&p.labels, l)
		}
	case AddLabel, RemoveLabel:
		p.name(&p.labels, c.Name)
	case DeleteNode:
		p.gone = true
	case CreateRel:
		p.linked = true
	case DeleteRel:
		p.parted = true
	case SetNodeProps, SetRelProps:
		for i := range c.Props {
			p.name(&p.keys, c.Props[i].Key)
		}
	default:
		p.all, p.ruled = true, true
	}
}

func (p *digest) name(list *[]string, name string) {
	switch {
	case slices.Contains(*list, name):
	case len(*list) < mostDigested:
		*list = append(*list, name)
	default:
		p.all = true
	}
}

// reset forgets the changes and keeps the room for names.
func (p *digest) reset() { *p = digest{labels: p.labels[:0], keys: p.keys[:0]} }

// touches reports whether a change may alter what r reads.
func (p *digest) touches(r *Reads) bool {
	if !r.Nodes && !r.Rels {
		return false
	}
	if (r.Nodes && p.gone || r.Rels && p.parted) && !(r.Monotone && p.stale < mostStale) {
		return true
	}
	return p.all || r.AnyNode && p.created || r.Rels && p.linked || overlap(p.labels, r.Labels) || overlap(p.keys, r.Keys)
}

// concerns reports whether a change is about a relationship that a constraint is about.
func (p *digest) concerns(c *Rule) bool {
	return p.all || c.OnRel && (p.linked || p.parted || overlap(p.keys, c.Keys))
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// Savepoint marks a state that a draft can go back to.
type Savepoint struct {
	base          *Snapshot
	mark, changes int
	bytes         int64
	nextNode      NodeID
	nextRel       RelID
}

// Savepoint notes the state of the draft.
func (d *Draft) Savepoint() Savepoint {
	return Savepoint{d.base, d.mark, len(d.changes), d.bytes, d.nextNode, d.nextRel}
}

// Restore undoes everything since the savepoint was noted. The ids of the savepoint's snapshot hold again. It makes the changes between
// that snapshot and the savepoint anew; Current then wants a snapshot before the next statement, so that this is done once.
func (d *Draft) Restore(p Savepoint) error {
	changes := d.changes[:p.changes:p.changes]
	d.changes = changes[:p.mark:p.mark]
	d.stand(p.base)
	d.nextNode, d.nextRel = p.base.NextNode, p.base.NextRel
	for i := p.mark; i < p.changes; i++ {
		if err := d.Apply(&changes[i]); err != nil {
			return err
		}
	}
	d.changes, d.nextNode, d.nextRel = changes, p.nextNode, p.nextRel
	d.bytes = p.bytes
	d.since.replayed = d.dirty
	d.remap = Remap{}
	return nil
}
