package exec

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
)

// lookUp lists the nodes of the draft, as it is now, with these labels and with properties equal to these.
func (w *writing) lookUp(labels []string, props []csr.Prop, held *eval.Account) ([]csr.VertexID, error) {
	var name strings.Builder
	for _, l := range labels {
		name.WriteString(":" + l)
	}
	for _, p := range props {
		name.WriteString("." + p.Key)
	}
	x := w.lookups[name.String()]
	if x == nil || x.base != w.draft.Base() {
		x = &lookup{w: w, base: w.draft.Base(), labels: labels, logMark: w.mark, account: held, extraSet: map[csr.VertexID]bool{}}
		for _, p := range props {
			x.keys = append(x.keys, p.Key)
		}
		x.findIndex()
		if w.lookups == nil {
			w.lookups = make(map[string]*lookup)
		}
		w.lookups[name.String()] = x
	}
	return x.find(props)
}

// lookup finds nodes by labels and the values of some properties. An index of the draft's base answers until much has
// changed. Without one, the first requests go through all nodes with the labels; further ones get a table. Changes since
// the base come from the draft's log.
type lookup struct {
	w        *writing
	base     *csr.Snapshot
	labels   []string
	keys     []string
	requests int
	logMark  int                       // the draft's changes before it are known
	extra    []csr.VertexID            // nodes that base lacks, has without these labels, or has elsewhere in its index
	extraSet map[csr.VertexID]bool     // the nodes in extra
	table    map[string][]csr.VertexID // by the key of the values; nodes in it may have changed since
	account  *eval.Account
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

// mostChanged is the number of changed nodes that a look-up by index tries one by one. Beyond it a table is built.
const mostChanged = 256

// byIndex calls fn for the nodes that an index of base finds; false if the index cannot tell.
func (x *lookup) byIndex(props []csr.Prop, fn func(csr.VertexID)) bool {
	if x.index < 0 || x.table != nil || len(x.extra) > mostChanged {
		return false
	}
	list, ok := x.base.Lookup(x.label, x.indexKey, csr.LookupEqual, props[x.index].Value, int(x.base.N()))
	for _, v := range list {
		if ok && !x.extraSet[v] && x.w.draft.HasNode(v) {
			fn(v)
		}
	}
	return ok
}

// scans is how often a lookup goes through all nodes before it builds a table.
const scans = 2

func (x *lookup) find(props []csr.Prop) (list []csr.VertexID, err error) {
	if err := x.catchUp(); err != nil {
		return nil, err
	}
	keep := func(v csr.VertexID) {
		if x.w.isA(v, x.labels) && has(target{w: x.w, v: v}, props) {
			list = append(list, v)
		}
	}
	if x.byIndex(props, keep) {
		for _, v := range x.extra {
			keep(v)
		}
		return list, nil
	}
	if x.requests++; x.requests <= scans && x.table == nil {
		may := x.sieve(props)
		err := x.each(func(v csr.VertexID) {
			if may(v) && !x.extraSet[v] {
				keep(v)
			}
		})
		for _, v := range x.extra {
			keep(v)
		}
		return list, err
	}
	if x.table == nil {
		if err := x.build(); err != nil {
			return nil, err
		}
	}
	x.key = x.key[:0]
	for _, p := range props {
		x.key = value.AppendKey(x.key, value.OfCell(p.Value))
	}
	for _, v := range x.table[string(x.key)] {
		keep(v)
	}
	return list, nil
}

// sieve returns a quick test that nodes of base fail only if they lack the first of the properties. Nodes of which the draft may have
// changed it pass.
func (x *lookup) sieve(props []csr.Prop) (may func(csr.VertexID) bool) {
	if len(props) == 0 {
		return func(csr.VertexID) bool { return true }
	}
	key, known := x.base.Keys.Lookup(props[0].Key)
	set := csr.MaySet(x.w.draft, props[0].Key)
	return func(v csr.VertexID) bool {
		if set && csr.Changed(x.w.draft, v) {
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
func (x *lookup) each(fn func(csr.VertexID)) error {
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
		gone := csr.LostNodes(x.w.draft)
		for v := c.Lo; v < c.Hi; v++ {
			if v%4096 == 0 {
				if err := x.w.x.ctx.Err(); err != nil {
					return err
				}
			}
			if !gone || x.w.draft.HasNode(v) {
				fn(v)
			}
		}
	}
	return nil
}

// build builds the table.
func (x *lookup) build() (err error) {
	x.table = make(map[string][]csr.VertexID)
	add := func(v csr.VertexID) {
		if err == nil {
			err = x.add(v, true)
		}
	}
	broken := x.each(func(v csr.VertexID) {
		if !x.extraSet[v] {
			add(v)
		}
	})
	if broken != nil {
		return broken
	}
	for _, v := range x.extra {
		add(v)
	}
	x.extra, x.extraSet = nil, nil
	return err
}

// add puts v into the table under its current values, if it has all of them. Only a fresh v cannot be there already.
func (x *lookup) add(v csr.VertexID, fresh bool) error {
	x.key = x.key[:0]
	for _, k := range x.keys {
		c, ok := x.w.draft.NodeProp(v, k)
		if !ok {
			return nil
		}
		x.key = value.AppendKey(x.key, value.OfCell(c))
	}
	list := x.table[string(x.key)]
	if !fresh && slices.Contains(list, v) {
		return nil
	}
	if list == nil {
		if err := x.account.Charge(eval.EntryBytes + int64(len(x.key))); err != nil {
			return err
		}
	}
	x.table[string(x.key)] = append(list, v)
	return x.account.Charge(8)
}

// catchUp notes nodes that were created, or that got one of the labels or a value of one of the keys.
func (x *lookup) catchUp() error {
	changes := x.w.draft.Changes()
	for ; x.logMark < len(changes); x.logMark++ {
		c := &changes[x.logMark]
		concerned := false
		switch c.Kind {
		case csr.CreateNode:
			concerned = !slices.ContainsFunc(x.labels, func(l string) bool { return !slices.Contains(c.Labels, l) })
		case csr.AddLabel:
			concerned = slices.Contains(x.labels, c.Name)
		case csr.SetNodeProps:
			concerned = slices.ContainsFunc(c.Props, func(p csr.Prop) bool { return slices.Contains(x.keys, p.Key) })
		}
		if !concerned {
			continue
		}
		v, ok := x.w.draft.NodeByID(csr.NodeID(c.ID))
		if !ok {
			continue
		}
		if x.table != nil {
			if err := x.add(v, c.Kind == csr.CreateNode); err != nil {
				return err
			}
		} else if (x.index >= 0 || !x.scanned(v)) && !x.extraSet[v] {
			x.extra, x.extraSet[v] = append(x.extra, v), true
		}
	}
	return nil
}

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
