//go:build cuda && cgo && linux

package cuda

import (
	"fmt"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
)

// Pivots a launch, at least, so that a person who waits sees how far it is, and lanes of a block. Tests change them.
var (
	homLoad  uint64 = 4 << 30 // list elements around single pivots
	homPairs uint64 = 1 << 20 // pairs of pivots
	homLanes        = 128     // for a pivot
	homAlone        = 64      // for a pair
)

// homVector is a vector of the kernel's, and the array with its numbers by place, -1: there is none.
type homVector struct{ vector, array int }

// homOps lays out the operations of a pass (OP_ in homs.cu).
type homOps struct {
	*homs
	p       *hom.Pass
	words   []uint64
	ops     int
	vectors int
	arrays  int
	scratch uint64 // bytes of a block
	nodes   []homVector
	accs    map[int]homVector
	tables  map[int]uint64
	held    map[[2]int]int // vectors, by rows
	filled  []homVector    // to be cleared
}

const (
	opHold uint64 = iota
	opMeet
	opScatter
	opTable
	opCombine
	opDense
	opClear
	opTotal
)

// Words of the program (PROGRAM_ in homs.cu).
const (
	homOutsAt   = 3
	homSecondAt = 4
	homPivotsAt = 7
	homFirst    = 8
)

func (o *homOps) op(kind uint64, words ...uint64) {
	o.words = append(append(o.words, kind|uint64(len(words)+1)<<8), words...)
	o.ops++
}

func (o *homOps) vector() int { o.vectors++; return o.vectors - 1 }

// room is memory of a block for so many bytes for each place of a set.
func (o *homOps) room(set int, bytes uint64) (at uint64) {
	at = o.scratch
	o.scratch += (uint64(o.sets[set].n)*bytes + 7) &^ 7
	return at
}

func (o *homOps) rowWords(i int) ([]uint64, error) {
	r, err := o.lists(i)
	if err != nil {
		return nil, err
	}
	return []uint64{r.offsets.arg(), r.targets.arg(), r.weights.arg(), r.lengths.arg()}, nil
}

// weightAt is where a weight lies, 0 if it is 1.
func (o *homOps) weightAt(i int) (uint64, error) {
	if i < 0 {
		return 0, nil
	}
	w, err := o.weight(i)
	if err != nil {
		return 0, err
	}
	return w.each.arg(), nil
}

// operations lays out what finds all outs.
func (h *homs) operations(p *hom.Pass, outs []homOut) (*homOps, error) {
	o := &homOps{homs: h, p: p, words: make([]uint64, homFirst), accs: map[int]homVector{}, tables: map[int]uint64{}, held: map[[2]int]int{}}
	for i := range p.Nodes {
		v, err := o.node(&p.Nodes[i])
		if err != nil {
			return nil, err
		}
		o.nodes = append(o.nodes, v)
	}
	for i := range p.Outs {
		if err := o.out(i, outs[i].each); err != nil {
			return nil, err
		}
	}
	for _, v := range o.filled {
		o.op(opClear, uint64(v.vector), uint64(v.array))
	}
	copy(o.words, []uint64{uint64(o.ops), uint64(o.vectors), uint64(o.arrays), uint64(len(p.Outs))})
	o.words[homPivotsAt] = uint64(h.sets[p.Set].n)
	if p.Second >= 0 {
		second, err := o.rowWords(p.Second)
		if err != nil {
			return nil, err
		}
		copy(o.words[homSecondAt:], second[:3])
	}
	return o, nil
}

// node lays out what gives a node its numbers.
func (o *homOps) node(n *hom.Node) (v homVector, err error) {
	feeds, from := n.Feeds, homVector{array: -1}
	if n.Rows >= 0 || n.Also >= 0 {
		from.vector, err = o.hold(n.Rows, n.Also)
	} else {
		from, err = o.scatter(feeds[0].Acc)
		feeds = feeds[1:]
	}
	if err != nil || len(feeds) == 0 && n.Own < 0 {
		return from, err
	}
	own, err := o.weightAt(n.Own)
	if err != nil {
		return v, err
	}
	var words []uint64
	for i := range feeds {
		word, err := o.feed(&feeds[i], from.vector)
		if err != nil {
			return v, err
		}
		words = append(words, word)
	}
	v = homVector{o.vector(), -1}
	set := o.setOf(n)
	o.op(opCombine, append([]uint64{uint64(v.vector), uint64(from.vector), own, o.room(set, 4), o.room(set, 8), uint64(len(words))}, words...)...)
	return v, nil
}

// setOf is the set of a node's vertices.
func (o *homOps) setOf(n *hom.Node) int {
	switch {
	case n.Rows >= 0:
		return o.homs.p.Rows[n.Rows].To
	case n.Also >= 0:
		return o.homs.p.Rows[n.Also].To
	}
	return o.homs.p.Rows[o.p.Accs[n.Feeds[0].Acc].Rows].To
}

// hold lays out the neighbours of the pivots.
func (o *homOps) hold(rows, also int) (int, error) {
	if v, ok := o.held[[2]int{rows, also}]; ok {
		return v, nil
	}
	v := o.vector()
	o.held[[2]int{rows, also}] = v
	if rows >= 0 && also >= 0 {
		a, err := o.rowWords(rows)
		if err != nil {
			return v, err
		}
		b, err := o.rowWords(also)
		o.op(opMeet, append(append([]uint64{uint64(v), o.room(o.homs.p.Rows[rows].To, 4)}, a...), b...)...)
		return v, err
	}
	which, i := uint64(0), rows
	if rows < 0 {
		which, i = 1, also
	}
	words, err := o.rowWords(i)
	o.op(opHold, append([]uint64{uint64(v), which}, words...)...)
	return v, err
}

// scatter lays out an accumulator.
func (o *homOps) scatter(i int) (homVector, error) {
	if v, ok := o.accs[i]; ok {
		return v, nil
	}
	acc := &o.p.Accs[i]
	rows, err := o.rowWords(acc.Rows)
	if err != nil {
		return homVector{}, err
	}
	v, to := homVector{o.vector(), o.arrays}, o.homs.p.Rows[acc.Rows].To
	o.arrays++
	words := append([]uint64{uint64(o.nodes[acc.Child].vector), uint64(v.vector), uint64(v.array), o.room(to, 8), o.room(to, 4)}, rows...)
	o.op(opScatter, append(words, uint64(o.sets[to].n))...)
	o.accs[i] = v
	o.filled = append(o.filled, v)
	return v, nil
}

// feed lays out what a feed brings to a list, and returns its word.
func (o *homOps) feed(f *hom.Feed, list int) (uint64, error) {
	if f.Acc >= 0 {
		v, err := o.scatter(f.Acc)
		return uint64(v.array), err
	}
	if at, ok := o.tables[f.Table]; ok && f.Table >= 0 {
		return ^at, nil
	}
	words, err := o.rowWords(f.Rows)
	if err != nil {
		return 0, err
	}
	child := &o.nodes[f.Child]
	rows := &o.homs.p.Rows[f.Rows]
	if child.array < 0 {
		child.array = o.arrays
		o.arrays++
		o.op(opDense, uint64(child.vector), uint64(child.array), o.room(rows.To, 8))
		o.filled = append(o.filled, *child)
	}
	at := o.room(rows.From, 8)
	o.op(opTable, append([]uint64{uint64(list), uint64(child.array), at}, words...)...)
	if f.Table >= 0 {
		o.tables[f.Table] = at
	}
	return ^at, nil
}

// out lays out the end of an out.
func (o *homOps) out(i int, each buffer) error {
	x := &o.p.Outs[i]
	if x.Fan != nil || x.Cycle != nil {
		return nil
	}
	own, err := o.weightAt(x.Own)
	if err != nil {
		return err
	}
	mate, err := o.weightAt(x.Mate)
	if err != nil {
		return err
	}
	words := []uint64{uint64(i), own, mate, each.arg()}
	for _, root := range x.Roots {
		words = append(words, uint64(o.nodes[root].vector))
	}
	o.op(opTotal, words...)
	return nil
}

// pass finds the outs of a pass.
func (h *homs) pass(i int) error {
	p := &h.p.Passes[i]
	outs, search := make([]homOut, len(p.Outs)), false
	h.outs[i] = outs
	for k := range p.Outs {
		if p.Outs[k].Cycle != nil {
			if err := h.cycle(p.Outs[k].Cycle, &outs[k]); err != nil {
				return err
			}
			continue
		}
		if p.Outs[k].Fan != nil {
			if h.part.at > 0 {
				continue
			}
			if err := h.triangles(&p.Outs[k], &outs[k]); err != nil {
				return err
			}
			continue
		}
		search = true
		if p.Outs[k].Keep {
			var err error
			if outs[k].each, err = h.zeros(2 * int64(h.sets[p.Set].n)); err != nil {
				return err
			}
		}
	}
	if !search {
		return nil
	}
	o, err := h.operations(p, outs)
	if err != nil {
		return err
	}
	return o.run(outs)
}

// homSpan is the pivots, or pairs of them, that a device goes through.
type homSpan struct {
	items, own uint64 // how many there are, or stand in order; and of those the device's
	order      buffer // none: as they lie
	of         part   // the device's among the items
	parts      uint64 // launches that they are dealt to
	lanes      int    // of a block
}

// span finds them.
func (o *homOps) span() (x homSpan, err error) {
	x = homSpan{items: uint64(o.sets[o.p.Set].n), of: o.part, parts: 1, lanes: homLanes}
	if o.p.Second >= 0 {
		second, err := o.lists(o.p.Second)
		if err != nil {
			return x, err
		}
		x.items, x.lanes = second.edges, homAlone
		x.parts += x.items / homPairs
	} else if x.order, x.parts, err = o.order(); err != nil {
		return x, err
	}
	x.own = uint64(o.part.count(o.part.at, int(x.items)))
	if x.order.at != 0 {
		x.items, x.of = x.own, whole
	}
	return x, nil
}

// run launches the operations for all pivots.
func (o *homOps) run(outs []homOut) error {
	x, err := o.span()
	if err != nil {
		return err
	}
	shared := 8*len(o.words) + 32*o.vectors + 16*o.arrays + 16*len(outs)
	if shared > o.d.sharedMost-1024 {
		return fmt.Errorf("%w: %d bytes of shared memory wanted", errNoRoom, shared)
	}
	program, err := upload(o.task, o.words)
	if err != nil {
		return err
	}
	bytes := int64(max(8, o.scratch))
	blocks := max(1, min(int64(x.items), int64(o.d.info.Multiprocessor*min(32, 2048/x.lanes)), o.d.memory.limit/4/bytes))
	scratch, err := o.zeros(blocks * bytes / 4)
	if err != nil {
		return err
	}
	totals, err := o.zeros(4 * int64(len(outs)))
	if err != nil {
		return err
	}
	next, err := o.zeros(2)
	if err != nil {
		return err
	}
	if t := o.env.Tally; t != nil {
		t.Units.Add(x.own)
	}
	for k := range x.parts {
		if err := fill(next, 2, 0); err != nil {
			return err
		}
		err := o.d.launch("homs_pass", int(blocks), x.lanes, shared, program.arg(), uint64(len(o.words)), x.order.arg(), x.items,
			uint64(x.of.at)+k*uint64(x.of.of), x.parts*uint64(x.of.of), next.arg(), o.d.stop.arg(), totals.arg(), scratch.arg(), uint64(bytes),
			o.classes, o.taken.arg(), o.beyond.arg())
		if err != nil {
			return err
		}
		if err := o.fits(); err != nil {
			return err
		}
		if t := o.env.Tally; t != nil {
			t.UnitsDone.Add(x.own*(k+1)/x.parts - x.own*k/x.parts)
		}
	}
	o.env.Took(pattern.HomParts, x.parts-1)
	return o.sums(totals, outs)
}

// sums reads what the outs add up to.
func (o *homOps) sums(totals buffer, outs []homOut) error {
	words := make([]uint64, 2*len(outs))
	if err := download(totals, words); err != nil {
		return err
	}
	for i := range outs {
		if o.p.Outs[i].Fan == nil && o.p.Outs[i].Cycle == nil {
			outs[i].sum = pattern.Count128{Lo: words[2*i], Hi: words[2*i+1]}
		}
	}
	return nil
}

// order puts the part's pivots in the order of the work around them, and returns in how many parts they are to be done.
func (o *homOps) order() (order buffer, parts uint64, err error) {
	n := o.sets[o.p.Set].n
	load, err := o.zeros(2 * int64(n))
	if err != nil {
		return order, 0, err
	}
	for _, n := range o.p.Nodes {
		for _, f := range n.Feeds {
			if err := o.load(load, &n, &f); err != nil {
				return order, 0, err
			}
		}
	}
	total, err := o.sum(load, buffer{}, n)
	parts = 1 + total.Lo/homLoad
	if err != nil || !o.env.Uses(pattern.HomOrder) {
		return order, parts, err
	}
	o.env.Took(pattern.HomOrder, uint64(o.part.count(o.part.at, n)))
	order, _, err = o.classesOf(load, n)
	return order, parts, err
}

// loadClasses is how many classes of loads there are: one a power of two, and 0 (CLASSES in homs_weights.cu).
const loadClasses = 65

// classesOf puts the part's share of n items in the order of their loads' classes, the heaviest first. sizes is how many are in each.
func (h *homs) classesOf(load buffer, n int) (order, sizes buffer, err error) {
	n = h.part.count(h.part.at, n)
	if sizes, err = h.zeros(2 * loadClasses); err != nil {
		return order, sizes, err
	}
	if order, err = h.alloc(4 * int64(n)); err != nil {
		return order, sizes, err
	}
	if err := h.d.launch("homs_classes", h.d.grid(n, 256), 256, 0, load.arg(), uint64(n), uint64(h.part.at), uint64(h.part.of), sizes.arg()); err != nil {
		return order, sizes, err
	}
	return order, sizes, h.d.launch("homs_order", h.d.grid(n, 256), 256, 0, load.arg(), uint64(n), uint64(h.part.at), uint64(h.part.of), sizes.arg(),
		sizes.arg()+4*loadClasses, order.arg())
}

// load adds for each pivot what a feed goes through: the lists of the pivot's neighbours, the node's or its child's.
func (o *homOps) load(load buffer, n *hom.Node, f *hom.Feed) error {
	first, next := n.Rows, f.Rows
	if f.Acc >= 0 {
		first, next = o.p.Nodes[f.Child].Rows, o.p.Accs[f.Acc].Rows
	}
	if first < 0 {
		return nil
	}
	a, err := o.lists(first)
	if err != nil {
		return err
	}
	b, err := o.lists(next)
	if err != nil {
		return err
	}
	plain := *a
	plain.weights = buffer{}
	return o.along(&plain, o.sets[o.p.Set].n, buffer{}, b.offsets, load)
}
