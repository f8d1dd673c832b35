package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// draftMatch finds the matches of a small pattern in the draft, as planner.DraftMatch says. The rows of the stages above are written only
// after the last match.
type draftMatch struct {
	*outlet
	w       *writing
	plan    *planner.DraftMatch
	slots   []int        // by query vertex; -1: nobody reads it
	relSlot int          // likewise
	wanted  [][]csr.Prop // by query vertex
	ofRel   []csr.Prop
	never   bool             // a value equals nothing
	lists   [][]csr.VertexID // by query vertex: those looked up
	match   []csr.VertexID   // by query vertex
	rels    []csr.EdgeID
	profile MatchProfile
}

// looksUp reports whether a Match reads the draft. A statement that is alone in its transaction has a draft without changes: for that
// one, the filter is as good, and looks at many nodes faster.
func looksUp(x *execution, n *planner.Match) bool {
	return n.Draft != nil && x.writes != nil && x.writes.commit == nil
}

func newDraftMatch(x *execution, n *planner.Match, out *outlet) (stage, error) {
	nodes := len(n.Draft.Nodes)
	d := &draftMatch{outlet: out, w: x.writes, plan: n.Draft, slots: make([]int, nodes), relSlot: -1,
		wanted: make([][]csr.Prop, nodes), lists: make([][]csr.VertexID, nodes), match: make([]csr.VertexID, nodes)}
	d.profile = MatchProfile{Device: x.device.Name(), Kernel: "lookup", Sizes: make([]int, nodes)}
	out.drafted = &d.profile
	for u := range n.Draft.Nodes {
		d.slots[u] = takeSlot(x, n.VertexSlot[u])
		props, err := d.values(n.Draft.Nodes[u].Props)
		if err != nil {
			return nil, err
		}
		d.wanted[u] = props
	}
	if n.Draft.Rel == nil {
		return d, nil
	}
	d.relSlot = takeSlot(x, n.EdgeSlot[0])
	var err error
	d.ofRel, err = d.values(n.Draft.Rel.Props)
	return d, err
}

// takeSlot returns the slot if somebody above reads it, else -1. Nobody below sets it.
func takeSlot(x *execution, slot int) int {
	if slot < 0 || !x.compiler.Live[slot] {
		return -1
	}
	delete(x.compiler.Live, slot)
	return slot
}

// values evaluates what properties have to equal.
func (d *draftMatch) values(list []planner.DraftProp) ([]csr.Prop, error) {
	props := make([]csr.Prop, 0, len(list))
	for _, q := range list {
		c, err := d.x.compiler.Compile(q.Value)
		if err != nil {
			return nil, err
		}
		v, err := c.Fn(&d.x.input)
		if err != nil {
			return nil, err
		}
		cell, err := v.Cell()
		if d.never = d.never || err != nil || v.IsNull(); !d.never { // no property is null, a map or a node
			props = append(props, csr.Prop{Key: q.Key, Value: cell})
		}
	}
	return props, nil
}

func (d *draftMatch) push(mult uint64) (bool, error) {
	d.profile.Runs = addSaturated(d.profile.Runs, mult)
	if d.never {
		return true, nil
	}
	held := int64(0)
	defer func() { _ = d.w.account.Charge(-held) }() // giving back does not fail
	for u := range d.plan.Nodes {
		if len(d.wanted[u]) == 0 {
			continue
		}
		list, err := d.lookUp(u)
		if err != nil || len(list) == 0 {
			return err == nil, err
		}
		held += int64(cap(list)) * 8
		if err := d.w.account.Charge(int64(cap(list)) * 8); err != nil {
			return false, err
		}
		d.lists[u] = list
	}
	return d.choose(0, mult)
}

// lookUp lists the nodes of the draft that may be query vertex u.
func (d *draftMatch) lookUp(u int) ([]csr.VertexID, error) {
	x, err := d.w.lookupOf(d.plan.Nodes[u].Labels, d.wanted[u])
	if err != nil {
		return nil, err
	}
	list, err := x.find(d.w, d.wanted[u])
	if x.index >= 0 && x.table == nil {
		d.x.pattern.Took(pattern.IndexSeek, 1)
	}
	d.profile.Sizes[u] = len(list)
	return list, err
}

// choose takes each node that was looked up for the query vertices from u on.
func (d *draftMatch) choose(u int, mult uint64) (more bool, err error) {
	switch {
	case u == len(d.match) && d.plan.Rel != nil:
		return d.follow(mult)
	case u == len(d.match):
		return d.give(mult)
	case len(d.wanted[u]) == 0:
		return d.choose(u+1, mult)
	}
	for _, v := range d.lists[u] {
		d.match[u] = v
		d.visit()
		if more, err := d.choose(u+1, mult); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// visit counts a partial match.
func (d *draftMatch) visit() {
	d.profile.Partial++
	d.x.pattern.Tally.Partial.Add(1)
}

// follow takes each relationship between the nodes chosen, or from the one chosen.
func (d *draftMatch) follow(mult uint64) (more bool, err error) {
	r, draft := d.plan.Rel, d.w.draft
	from, far := r.From, -1
	switch {
	case len(d.wanted[r.From]) == 0:
		from, far = r.To, r.From
	case len(d.wanted[r.To]) == 0:
		far = r.To
	}
	if d.rels = d.rels[:0]; far < 0 && r.Types != nil {
		d.between(d.match[r.From], d.match[r.To])
	} else {
		d.rels = draft.Rels(d.rels, d.match[from], direction(r, from), r.Types)
	}
	held := int64(cap(d.rels)) * 8
	if err := d.w.account.Charge(held); err != nil {
		return false, err
	}
	defer func() { _ = d.w.account.Charge(-held) }()
	for _, e := range d.rels {
		end, other := draft.Endpoints(e)
		if end == d.match[from] {
			end = other
		}
		if !d.fits(far, end, e) {
			continue
		}
		if d.relSlot >= 0 {
			d.x.row[d.relSlot] = value.OfRel(e)
		}
		d.visit()
		if more, err := d.give(mult); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// between lists the relationships from one vertex to another; if the pattern has no direction, those back, too.
func (d *draftMatch) between(from, to csr.VertexID) {
	for _, t := range d.plan.Rel.Types {
		d.rels = d.w.draft.Between(d.rels, from, to, t)
		if d.plan.Rel.Undirected && from != to {
			d.rels = d.w.draft.Between(d.rels, to, from, t)
		}
	}
}

// direction is that of the relationship of a pattern, seen from one of its ends.
func direction(r *planner.DraftRel, from int) csr.Direction {
	switch {
	case r.Undirected:
		return csr.Both
	case from == r.From:
		return csr.Out
	}
	return csr.In
}

// fits reports whether e can be the relationship, with end as its far end: query vertex far, or if that is -1 the one that was looked up.
func (d *draftMatch) fits(far int, end csr.VertexID, e csr.EdgeID) bool {
	if !has(target{w: d.w, isRel: true, e: e}, d.ofRel) {
		return false
	}
	if far < 0 {
		return end == d.match[d.plan.Rel.To]
	}
	d.match[far] = end
	return d.w.isA(end, d.plan.Nodes[far].Labels)
}

// give emits the match.
func (d *draftMatch) give(mult uint64) (more bool, err error) {
	for u, slot := range d.slots {
		if slot >= 0 {
			d.x.row[slot] = value.OfNode(d.match[u])
		}
	}
	d.x.pattern.Tally.Embeddings.Add(1)
	return d.emitSampled(mult)
}

func (d *draftMatch) flush() (bool, error) { return d.outlet.flush() }
