package exec

import (
	"cmp"
	"errors"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// lookups are those that the statements of a transaction have made on one snapshot. The draft keeps them, so that each statement reads
// only the changes since the last one.
type lookups struct {
	of    map[string]*lookup // by labels and keys
	bytes int64              // that they take
}

// lookUp lists the nodes of the draft, as it is now, with these labels and with properties equal to these.
func (w *writing) lookUp(labels []string, props []csr.Prop) ([]csr.VertexID, error) {
	x, err := w.lookupOf(labels, props)
	if err != nil {
		return nil, err
	}
	return x.find(w, props)
}

// lookupOf returns the lookup of nodes with these labels and with properties of these keys.
func (w *writing) lookupOf(labels []string, props []csr.Prop) (*lookup, error) {
	all, ok := w.draft.Kept.(*lookups)
	if !ok {
		all = &lookups{of: map[string]*lookup{}}
		w.draft.Kept = all
	}
	if err := w.chargeLookups(all); err != nil {
		return nil, err
	}
	name := make([]byte, 0, 64)
	for _, l := range labels {
		name = append(append(append(name, ':'), l...), 0)
	}
	for _, p := range props {
		name = append(append(append(name, '.'), p.Key...), 0)
	}
	x := all.of[string(name)]
	if x == nil {
		x = &lookup{all: all, base: w.draft.Base(), labels: labels, logMark: csr.Mark(w.draft), extraSet: map[csr.VertexID]bool{}}
		for _, p := range props {
			x.keys = append(x.keys, p.Key)
		}
		x.findIndex()
		all.of[string(name)] = x
	}
	return x, nil
}

// chargeLookups takes what the lookups have grown by from the memory budget of the statement.
func (w *writing) chargeLookups(all *lookups) error {
	n := all.bytes - w.lookedUp
	w.lookedUp += n
	return w.account.Charge(n)
}

// lookup finds nodes by labels and the values of some properties. An index of the draft's base answers for the nodes that have not
// changed, a small table for the others. Without an index, the first requests go through all nodes with the labels; further ones get a
// table of all. Changes since the base come from the draft's log.
type lookup struct {
	all      *lookups
	base     *csr.Snapshot
	labels   []string
	keys     []string
	requests int
	asker    *writing // the last statement, and how often it has asked
	asked    int
	tooLarge bool                      // a table of all nodes
	logMark  int                       // the draft's changes before it are known
	extra    []csr.VertexID            // nodes that base lacks, has without these labels, or has elsewhere in its index
	extraSet map[csr.VertexID]bool     // the nodes in extra
	changed  map[string][]csr.VertexID // with an index, the nodes in extra by the key of their values; they may have changed since
	table    map[string][]csr.VertexID // likewise, of all nodes; nil: none yet
	key      []byte
	index    int // the property that an index of base has; -1: none
	label    csr.LabelID
	indexKey csr.KeyID
}

// findIndex looks for an index of base on one of the labels and one of the properties.
func (x *lookup) findIndex() {
	x.index = -1
	for _, l := range x.labels {
		label, known := x.base.Labels.Lookup(l)
		for i, k := range x.keys {
			if key, ok := x.base.Keys.Lookup(k); ok && known && x.base.Indexed(csr.LabelID(label), csr.KeyID(key)) && x.index < 0 {
				x.index, x.label, x.indexKey = i, csr.LabelID(label), csr.KeyID(key)
			}
		}
	}
}

// byIndex calls fn for the nodes of base that have not changed and that an index finds; false if the index cannot tell.
func (x *lookup) byIndex(props []csr.Prop, fn func(csr.VertexID)) bool {
	if x.index < 0 || x.table != nil {
		return false
	}
	list, ok := x.base.Lookup(x.label, x.indexKey, csr.LookupEqual, props[x.index].Value, int(x.base.N()))
	for _, v := range list {
		if ok && !x.extraSet[v] {
			fn(v)
		}
	}
	return ok
}

// scans is how often a lookup goes through all nodes before it builds a table.
const scans = 2

func (x *lookup) find(w *writing, props []csr.Prop) (list []csr.VertexID, err error) {
	if err := x.catchUp(w); err != nil {
		return nil, err
	}
	keep := func(v csr.VertexID) {
		if w.draft.HasNode(v) && w.isA(v, x.labels) && has(target{w: w, v: v}, props) {
			list = append(list, v)
		}
	}
	if x.byIndex(props, keep) {
		for _, v := range x.changed[string(x.keyOf(props))] {
			keep(v)
		}
		return list, nil
	}
	if ready, err := x.tabled(w); err != nil {
		return nil, err
	} else if !ready {
		may := x.sieve(w, props)
		err := x.each(w, func(v csr.VertexID) {
			if may(v) && !x.extraSet[v] {
				keep(v)
			}
		})
		for _, v := range x.extra {
			keep(v)
		}
		return list, err
	}
	for _, v := range x.table[string(x.keyOf(props))] {
		keep(v)
	}
	return list, nil
}

// keyOf is the key of values in the tables.
func (x *lookup) keyOf(props []csr.Prop) []byte {
	x.key = x.key[:0]
	for _, p := range props {
		x.key = value.AppendKey(x.key, value.OfCell(p.Value))
	}
	return x.key
}

// sieve returns a quick test that nodes of base fail only if they lack the first of the properties. Nodes of which the draft may have
// changed it pass.
func (x *lookup) sieve(w *writing, props []csr.Prop) (may func(csr.VertexID) bool) {
	if len(props) == 0 {
		return func(csr.VertexID) bool { return true }
	}
	key, known := x.base.Keys.Lookup(props[0].Key)
	set := csr.MaySet(w.draft, props[0].Key)
	return func(v csr.VertexID) bool {
		if set && csr.Changed(w.draft, v) {
			return true
		}
		if !known {
			return false
		}
		c, ok := x.base.VertexProp(v, csr.KeyID(key))
		return ok && sameCell(c, props[0].Value)
	}
}

// each calls fn for the nodes that have the labels in base and still exist.
func (x *lookup) each(w *writing, fn func(csr.VertexID)) error {
	var ids []csr.LabelID
	for _, l := range x.labels {
		id, ok := x.base.Labels.Lookup(l)
		if !ok {
			return nil
		}
		ids = append(ids, csr.LabelID(id))
	}
	for i := range x.base.Classes {
		c := &x.base.Classes[i]
		if slices.ContainsFunc(ids, func(l csr.LabelID) bool { return !slices.Contains(c.Labels, l) }) {
			continue
		}
		gone := csr.LostNodes(w.draft)
		for v := c.Lo; v < c.Hi; v++ {
			if v%4096 == 0 {
				if err := w.x.ctx.Err(); err != nil {
					return err
				}
			}
			if !gone || w.draft.HasNode(v) {
				fn(v)
			}
		}
	}
	return nil
}

// tabled reports whether the table of all nodes is there. It builds the table after some requests. If memory is short, a statement goes
// through all nodes as often as it would if it were alone.
func (x *lookup) tabled(w *writing) (bool, error) {
	if x.table != nil {
		return true, nil
	}
	if x.asker != w {
		x.asker, x.asked = w, 0
	}
	x.requests++
	x.asked++
	if x.requests <= scans || x.tooLarge && x.asked <= scans {
		return false, nil
	}
	before := x.all.bytes
	err := x.build(w)
	if err == nil {
		return true, nil
	}
	x.all.bytes, x.tooLarge = before, true
	if errors.Is(err, pattern.ErrMemory) && x.asked <= scans {
		return false, w.chargeLookups(x.all)
	}
	return false, err
}

// build builds the table of all nodes.
func (x *lookup) build(w *writing) (err error) {
	table := make(map[string][]csr.VertexID)
	add := func(v csr.VertexID) {
		if err == nil {
			err = x.add(w, table, v, true)
		}
	}
	broken := x.each(w, func(v csr.VertexID) {
		if !x.extraSet[v] {
			add(v)
		}
	})
	for _, v := range x.extra {
		add(v)
	}
	if err = cmp.Or(broken, err); err != nil {
		return err
	}
	x.table, x.extra, x.extraSet, x.changed = table, nil, nil, nil
	return nil
}

// add puts v into a table under its current values, if it has all of them. Only a fresh v cannot be there already.
func (x *lookup) add(w *writing, table map[string][]csr.VertexID, v csr.VertexID, fresh bool) error {
	x.key = x.key[:0]
	for _, k := range x.keys {
		c, ok := w.draft.NodeProp(v, k)
		if !ok {
			return nil
		}
		x.key = value.AppendKey(x.key, value.OfCell(c))
	}
	list := table[string(x.key)]
	if !fresh && slices.Contains(list, v) {
		return nil
	}
	x.all.bytes += 8
	if list == nil {
		x.all.bytes += eval.EntryBytes + int64(len(x.key))
	}
	if err := w.chargeLookups(x.all); err != nil {
		return err
	}
	table[string(x.key)] = append(list, v)
	return nil
}

// catchUp notes nodes that were created, or that got one of the labels or a value of one of the keys.
func (x *lookup) catchUp(w *writing) error {
	changes := w.draft.Changes()
	for ; x.logMark < len(changes); x.logMark++ {
		if x.logMark%4096 == 0 && w.x.ctx.Err() != nil {
			return w.x.ctx.Err()
		}
		if c := &changes[x.logMark]; x.concerned(c) {
			if v, ok := w.draft.NodeByID(csr.NodeID(c.ID)); ok {
				if err := x.note(w, v, c.Kind == csr.CreateNode); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// concerned reports whether a change may give a node what is looked for.
func (x *lookup) concerned(c *csr.Change) bool {
	switch c.Kind {
	case csr.CreateNode:
		return !slices.ContainsFunc(x.labels, func(l string) bool { return !slices.Contains(c.Labels, l) })
	case csr.AddLabel:
		return slices.Contains(x.labels, c.Name)
	case csr.SetNodeProps:
		return slices.ContainsFunc(c.Props, func(p csr.Prop) bool { return slices.Contains(x.keys, p.Key) })
	}
	return false
}

// note takes in a node that has changed.
func (x *lookup) note(w *writing, v csr.VertexID, created bool) error {
	switch {
	case x.table != nil:
		return x.add(w, x.table, v, created)
	case x.index < 0 && x.scanned(v):
		return nil
	}
	known := x.extraSet[v]
	if !known {
		x.extra, x.extraSet[v] = append(x.extra, v), true
		x.all.bytes += extraBytes
	}
	if x.index < 0 {
		return w.chargeLookups(x.all)
	}
	if x.changed == nil {
		x.changed = make(map[string][]csr.VertexID)
	}
	return x.add(w, x.changed, v, !known)
}

// extraBytes is about what a node in extra and extraSet takes.
const extraBytes = 24

// scanned reports whether each calls its function for v.
func (x *lookup) scanned(v csr.VertexID) bool {
	if uint64(v) >= x.base.N() {
		return false
	}
	for _, l := range x.labels {
		if id, ok := x.base.Labels.Lookup(l); !ok || !x.base.HasLabel(v, csr.LabelID(id)) {
			return false
		}
	}
	return true
}
