package importer

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
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
func newIntIDs(workers int, lists []*idList) *intIDs {
	x := &intIDs{}
	lo, hi, total := int64(math.MaxInt64), int64(math.MinInt64), uint64(0)
	for _, l := range lists {
		if l.len() > 0 {
			lo, hi, total = min(lo, l.lo), max(hi, l.hi), total+uint64(l.len())
		}
	}
	switch span := uint64(hi) - uint64(lo); {
	case total == 0:
	case span < 1<<24 || span/32 < total:
		x.lo = lo
		x.dense(span, lists)
	default:
		x.hash(workers, lists)
	}
	return x
}

func (x *intIDs) dense(span uint64, lists []*idList) {
	x.bitmap = make([]uint64, span/64+1)
	for _, l := range lists {
		for _, id := range l.small {
			i := uint64(id) - uint64(x.lo)
			x.bitmap[i>>6] |= 1 << (i & 63)
		}
		for _, id := range l.large {
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
}

// hash collects the distinct ids of each list side by side, then of all of them.
func (x *intIDs) hash(workers int, lists []*idList) {
	distinct := make([][]int64, len(lists))
	share(workers, len(lists), func(i int) {
		ids := make([]int64, 0, lists[i].len())
		for j := range lists[i].len() {
			ids = append(ids, lists[i].at(j))
		}
		slices.Sort(ids)
		distinct[i] = slices.Clone(slices.Compact(ids))
	})
	x.sparse = make(map[int64]uint32)
	for _, ids := range distinct {
		for _, id := range ids {
			x.sparse[id] = 0
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

func (l *idList) len() int { return max(len(l.small), len(l.large)) }

func (l *idList) at(i int) int64 {
	if l.large != nil {
		return l.large[i]
	}
	return int64(l.small[i])
}

// textIDs numbers a set of text ids in rising order of their bytes.
type textIDs struct{ ids []string }

// newTextIDs numbers the names of all lists and returns for each list the number of each of its names.
func newTextIDs(lists [][]string) (*textIDs, [][]uint32) {
	first := make(map[string]uint32)
	var ids []string
	numbers := make([][]uint32, len(lists))
	for i, names := range lists {
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
	return &textIDs{sorted}, numbers
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
