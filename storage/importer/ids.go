package importer

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spool"
)

// intIDs numbers a set of integer ids 0, 1, 2, ... in rising order. Where the ids lie close together it is a
// bitmap with running counts (12 bytes per 64 ids of the range), else a hash map.
type intIDs struct {
	lo     int64
	bitmap []uint64
	before []uint32 // ids below each word of bitmap
	sparse map[int64]uint32
	ids    []int64 // by number
}

// newIntIDs numbers the ids that occur in any of the lists.
func (l *loader) newIntIDs(lists []*idList) (*intIDs, error) {
	x := &intIDs{}
	lo, hi, total := int64(math.MaxInt64), int64(math.MinInt64), uint64(0)
	for _, list := range lists {
		if list.len() > 0 {
			lo, hi, total = min(lo, list.lo), max(hi, list.hi), total+uint64(list.len())
		}
	}
	var err error
	switch span := uint64(hi) - uint64(lo); {
	case total == 0:
	case span < 1<<24 || span/32 < total:
		x.lo = lo
		held := int64(span/64+1)*12 + 8*int64(min(total, span+1))
		if err = l.room(held); err == nil {
			l.take(held)
			err = x.dense(l, span, lists)
		}
	default:
		err = x.hash(l, lists)
	}
	return x, err
}

func (x *intIDs) dense(l *loader, span uint64, lists []*idList) error {
	x.bitmap = make([]uint64, span/64+1)
	var room idRoom
	for _, list := range lists {
		list, err := list.load(&room)
		if err == nil {
			err = l.ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, id := range list.small {
			i := uint64(id) - uint64(x.lo)
			x.bitmap[i>>6] |= 1 << (i & 63)
		}
		for _, id := range list.large {
			i := uint64(id) - uint64(x.lo)
			x.bitmap[i>>6] |= 1 << (i & 63)
		}
	}
	x.before = make([]uint32, len(x.bitmap))
	n := 0
	for i, w := range x.bitmap {
		x.before[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	x.ids = make([]int64, 0, n)
	for i, w := range x.bitmap {
		for ; w != 0; w &= w - 1 {
			x.ids = append(x.ids, int64(uint64(x.lo)+uint64(i<<6+bits.TrailingZeros64(w))))
		}
	}
	return nil
}

// hash collects the distinct ids of each list side by side, then of all of them.
func (x *intIDs) hash(l *loader, lists []*idList) error {
	distinct, errs := make([][]int64, len(lists)), make([]error, len(lists))
	share(l.Workers, len(lists), func(i int) {
		if l.ctx.Err() != nil || over(l.mem) {
			return
		}
		held := 8 * int64(lists[i].len())
		l.take(held)
		list, err := lists[i].load(new(idRoom))
		if errs[i] = err; err != nil {
			return
		}
		ids := make([]int64, 0, list.len())
		for j := range list.len() {
			ids = append(ids, list.at(j))
		}
		slices.Sort(ids)
		distinct[i] = slices.Clone(slices.Compact(ids))
		l.take(8*int64(len(distinct[i])) - held)
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	x.sparse = make(map[int64]uint32)
	for _, ids := range distinct {
		before := len(x.sparse)
		for _, id := range ids {
			x.sparse[id] = 0
		}
		l.take((mapEntry + 8) * int64(len(x.sparse)-before))
		if err := l.fits(l.firstFile(), 0); err != nil {
			return err
		}
	}
	x.ids = make([]int64, 0, len(x.sparse))
	for id := range x.sparse {
		x.ids = append(x.ids, id)
	}
	slices.Sort(x.ids)
	for i, id := range x.ids {
		x.sparse[id] = uint32(i)
	}
	return nil
}

// number returns the number of id, and whether id is in the set.
func (x *intIDs) number(id int64) (uint32, bool) {
	if x.sparse != nil {
		n, ok := x.sparse[id]
		return n, ok
	}
	i := uint64(id) - uint64(x.lo)
	if w := i >> 6; id >= x.lo && w < uint64(len(x.bitmap)) && x.bitmap[w]>>(i&63)&1 != 0 {
		return x.before[w] + uint32(bits.OnesCount64(x.bitmap[w]&(1<<(i&63)-1))), true
	}
	return 0, false
}

// idList is a list of ids in order of a file; the 32-bit form halves the memory of nearly every graph.
type idList struct {
	small  []uint32
	large  []int64 // nil unless some id does not fit small
	lo, hi int64

	spilled *spool.List // has the ids in place of small or large, from word first on
	first   uint64
	n       int
	wide    bool // they were in large
}

// newIDList copies ids.
func newIDList(ids []int64) *idList {
	l := &idList{}
	if len(ids) == 0 {
		return l
	}
	l.lo, l.hi = slices.Min(ids), slices.Max(ids)
	if l.lo < 0 || l.hi > math.MaxUint32 {
		l.large = slices.Clone(ids)
		return l
	}
	l.small = make([]uint32, len(ids))
	for i, id := range ids {
		l.small[i] = uint32(id)
	}
	return l
}

func (l *idList) len() int { return max(len(l.small), len(l.large), l.n) }

// bytes is what the ids take in memory.
func (l *idList) bytes() int64 { return 4*int64(cap(l.small)) + 8*int64(cap(l.large)) }

// idRoom is memory for the ids of one list after the other.
type idRoom struct {
	words []uint64
	small []uint32
}

// spill moves the ids to the end of a list on disk.
func (l *idList) spill(to *spool.List, room *idRoom) error {
	l.spilled, l.first, l.n, l.wide = to, to.Len(), l.len(), l.large != nil
	words := room.words[:0]
	for _, id := range l.large {
		words = append(words, uint64(id))
	}
	for i := 0; i < len(l.small); i += 2 {
		word := uint64(l.small[i])
		if i+1 < len(l.small) {
			word |= uint64(l.small[i+1]) << 32
		}
		words = append(words, word)
	}
	l.small, l.large, room.words = nil, nil, words
	return to.Append(words...)
}

// load returns the list with its ids in memory: in room, if they come from disk.
func (l *idList) load(room *idRoom) (*idList, error) {
	if l.spilled == nil {
		return l, nil
	}
	in := &idList{lo: l.lo, hi: l.hi}
	if l.wide {
		in.large = make([]int64, l.n)
		room.words = slices.Grow(room.words[:0], l.n)[:l.n]
		err := l.spilled.Read(l.first, room.words)
		for i, w := range room.words {
			in.large[i] = int64(w)
		}
		return in, err
	}
	n := (l.n + 1) / 2
	room.words, room.small = slices.Grow(room.words[:0], n)[:n], slices.Grow(room.small[:0], l.n)[:l.n]
	err := l.spilled.Read(l.first, room.words)
	in.small = room.small
	for i := range in.small {
		in.small[i] = uint32(room.words[i/2] >> (32 * (i % 2)))
	}
	return in, err
}

func (l *idList) at(i int) int64 {
	if l.large != nil {
		return l.large[i]
	}
	return int64(l.small[i])
}

// textIDs numbers a set of text ids in rising order of their bytes.
type textIDs struct{ ids []string }

// newTextIDs numbers the names of all lists and returns for each list the number of each of its names.
func (l *loader) newTextIDs(lists [][]string) (*textIDs, [][]uint32, error) {
	first := make(map[string]uint32)
	var ids []string
	numbers := make([][]uint32, len(lists))
	for i, names := range lists {
		before := len(ids)
		numbers[i] = make([]uint32, len(names))
		for j, name := range names {
			n, ok := first[name]
			if !ok {
				n = uint32(len(ids))
				first[name] = n
				ids = append(ids, name)
			}
			numbers[i][j] = n
		}
		// of a new id: an entry of the map, and what sorting takes below
		l.take(4*int64(len(names)) + (mapEntry+16+48)*int64(len(ids)-before))
		if err := l.fits(l.firstFile(), 0); err != nil {
			return nil, nil, err
		}
	}
	order := make([]uint32, len(ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(ids[a], ids[b]) })
	rank, sorted := make([]uint32, len(ids)), make([]string, len(ids))
	for r, i := range order {
		rank[i], sorted[r] = uint32(r), ids[i]
	}
	for _, ns := range numbers {
		for j, n := range ns {
			ns[j] = rank[n]
		}
	}
	return &textIDs{sorted}, numbers, nil
}

// idCells gives the original id of each vertex as a property value.
type idCells interface {
	len() int
	cell(i int) csr.Cell
}

func (x *intIDs) len() int             { return len(x.ids) }
func (x *intIDs) cell(i int) csr.Cell  { return csr.IntCell(x.ids[i]) }
func (x *textIDs) len() int            { return len(x.ids) }
func (x *textIDs) cell(i int) csr.Cell { return csr.StringCell(x.ids[i]) }

// countedIDs are the ids first, first+1, ... of n vertices.
type countedIDs struct{ first, n int }

func (x countedIDs) len() int            { return x.n }
func (x countedIDs) cell(i int) csr.Cell { return csr.IntCell(int64(x.first + i)) }
