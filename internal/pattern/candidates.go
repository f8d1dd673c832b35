package pattern

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/workgroup"
)

// CandidateSet is the candidate set C(u) of a query vertex: a sorted list with a bitmap for O(1) tests. A set may make either of
// them at its first use.
type CandidateSet struct {
	list  []csr.VertexID
	bits  []uint64
	count int
	late  *late // nil: list and bits are there
}

// late makes the list and the bitmap of a set that does not have them yet.
type late struct {
	n              uint64                    // vertices of the snapshot
	has            func(v csr.VertexID) bool // nil: the list tells
	ranges         []csr.Range               // of the candidates, if has is not nil
	listing        func() func()
	listed, marked workgroup.Once
	ready          atomic.Bool // the bitmap is there
	held           atomic.Bool // ranges has become the list
	tests          atomic.Int64
}

// NewCandidateSet takes ownership of list, which must be sorted and free of duplicates, all below n. A short list gets its bitmap
// at the first use.
func NewCandidateSet(n uint64, list []csr.VertexID) *CandidateSet {
	c := &CandidateSet{list: list, count: len(list)}
	if n > smallBitmap && uint64(len(list)) < n/256 {
		c.late = &late{n: n}
	} else {
		c.bits = mark(n, list)
	}
	return c
}

// smallBitmap is the number of vertices up to which a set gets its bitmap at once.
const smallBitmap = 4096

// LateCandidateSet returns the set of vertices in ranges, which rise and are all below n. It makes its list or bitmap when one of them is first asked for,
// and calls listing before and what this returns afterwards. Until then has tests single vertices.
func LateCandidateSet(n uint64, ranges []csr.Range, has func(v csr.VertexID) bool, listing func() func()) *CandidateSet {
	count := 0
	for _, r := range ranges {
		count += int(r.Hi - r.Lo)
	}
	return &CandidateSet{count: count, late: &late{n: n, has: has, ranges: ranges, listing: listing}}
}

func mark(n uint64, list []csr.VertexID) []uint64 {
	bits := make([]uint64, (n+63)/64)
	for _, v := range list {
		bits[v>>6] |= 1 << (v & 63)
	}
	return bits
}

// CandidateSetOf takes ownership of a bitmap over vertices.
func CandidateSetOf(bitmap []uint64) *CandidateSet {
	n := 0
	for _, w := range bitmap {
		n += bits.OnesCount64(w)
	}
	list := make([]csr.VertexID, 0, n)
	for i, w := range bitmap {
		for ; w != 0; w &= w - 1 {
			list = append(list, csr.VertexID(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return &CandidateSet{list: list, bits: bitmap, count: n}
}

// CandidateSetFrom takes ownership of a sorted list and a bitmap of the same vertices.
func CandidateSetFrom(list []csr.VertexID, bitmap []uint64) *CandidateSet {
	return &CandidateSet{list: list, bits: bitmap, count: len(list)}
}

// Retain drops the candidates that are not in list, which must be sorted and hold candidates only, and takes ownership of
// list.
func (c *CandidateSet) Retain(list []csr.VertexID) {
	if c.late != nil && !c.late.ready.Load() {
		*c = *NewCandidateSet(c.late.n, list)
		return
	}
	for _, v := range c.list {
		c.bits[v>>6] = 0
	}
	c.list, c.count = list, len(list)
	for _, v := range list {
		c.bits[v>>6] |= 1 << (v & 63)
	}
}

// Sparse reports whether the set has its list but no bitmap yet. To make the bitmap of a large graph takes longer than to search a short
// list.
func (c *CandidateSet) Sparse() bool {
	return c.late != nil && c.late.has == nil && !c.late.ready.Load()
}

// Len is |C(u)|.
func (c *CandidateSet) Len() int { return c.count }

// Has reports whether v is a candidate.
func (c *CandidateSet) Has(v csr.VertexID) bool {
	if c.late != nil && !c.late.ready.Load() {
		return c.find(v)
	}
	return c.bits[v>>6]>>(v&63)&1 != 0
}

// find is Has without a bitmap. Many calls make the bitmap.
func (c *CandidateSet) find(v csr.VertexID) bool {
	if n := c.late.tests.Add(1); n > int64(c.late.n/256) {
		return c.Bits()[v>>6]>>(v&63)&1 != 0
	}
	if c.late.has != nil {
		return c.late.has(v)
	}
	_, ok := slices.BinarySearch(c.list, v)
	return ok
}

// List is the sorted list of candidates; callers must not change it.
func (c *CandidateSet) List() []csr.VertexID {
	if c.late != nil && c.late.has != nil {
		c.late.listed.Do(func() {
			defer c.late.listing()()
			c.list = c.first(c.count)
			c.late.held.Store(true)
		})
	}
	return c.list
}

// Unlisted returns ranges of all candidates, which rise, if the set has not made their list yet, else nil. The list of a large graph takes longer to
// write than to test.
func (c *CandidateSet) Unlisted() []csr.Range {
	if c.late == nil || c.late.has == nil || c.late.held.Load() {
		return nil
	}
	return c.late.ranges
}

// First is the sorted list of the first candidates, n of them or all. It makes no list of all others.
func (c *CandidateSet) First(n int) []csr.VertexID {
	if n >= c.count || c.Unlisted() == nil {
		return c.List()[:min(n, c.count):min(n, c.count)]
	}
	return c.first(n)
}

func (c *CandidateSet) first(n int) []csr.VertexID {
	list := make([]csr.VertexID, 0, n)
	for _, r := range c.late.ranges {
		for v := r.Lo; v < r.Hi && len(list) < n; v++ {
			list = append(list, v)
		}
	}
	return list
}

// At is the i-th candidate.
func (c *CandidateSet) At(i int) csr.VertexID {
	for _, r := range c.Unlisted() {
		if n := int(r.Hi - r.Lo); i >= n {
			i -= n
		} else {
			return r.Lo + csr.VertexID(i)
		}
	}
	return c.list[i]
}

// Bits is the bitmap of candidates; callers must not change it.
func (c *CandidateSet) Bits() []uint64 {
	if c.late != nil {
		c.late.marked.Do(func() {
			c.bits = mark(c.late.n, c.List())
			c.late.ready.Store(true)
		})
	}
	return c.bits
}

// Bytes is the memory of the list and the bitmap, as far as they are there; see csr.Sized.
func (c *CandidateSet) Bytes() (bytes uint64) {
	if c.late == nil || c.late.has == nil || c.late.held.Load() {
		bytes += 4 * uint64(len(c.list))
	}
	if c.late == nil || c.late.ready.Load() {
		bytes += 8 * uint64(len(c.bits))
	}
	return bytes
}

// All yields the candidates in rising order.
func (c *CandidateSet) All() iter.Seq[csr.VertexID] { return slices.Values(c.List()) }

// Candidates holds the candidate set of every query vertex.
type Candidates struct {
	Sets  []*CandidateSet
	Tiers []Tier // what each tier of the filter left, in order, for PROFILE
	// Deferred lists the predicates on a single free vertex that the filter has not tested on all candidates; the
	// join tests them. Label expressions and all other such predicates hold on every candidate.
	Deferred []int
	// Spent tells the filter how many list elements a search of the candidates went through; nil for sets that no filter made.
	Spent func(elements uint64)
}

// Tier is the size of every candidate set after one tier of the filter.
type Tier struct {
	Name  string
	Sizes []int
}

// String prints one line a tier.
func (c *Candidates) String() string {
	var b strings.Builder
	for _, t := range c.Tiers {
		fmt.Fprintf(&b, "%-12s %v\n", t.Name, t.Sizes)
	}
	return b.String()
}
