package pattern

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// CandidateSet is the candidate set C(u) of a query vertex: a sorted list with a bitmap for O(1) tests.
type CandidateSet struct {
	list []csr.VertexID
	bits []uint64
}

// NewCandidateSet takes ownership of list, which must be sorted and free of duplicates, all below n.
func NewCandidateSet(n uint64, list []csr.VertexID) *CandidateSet {
	c := &CandidateSet{list: list, bits: make([]uint64, (n+63)/64)}
	for _, v := range list {
		c.bits[v>>6] |= 1 << (v & 63)
	}
	return c
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
	return &CandidateSet{list: list, bits: bitmap}
}

// CandidateSetFrom takes ownership of a sorted list and a bitmap of the same vertices.
func CandidateSetFrom(list []csr.VertexID, bitmap []uint64) *CandidateSet {
	return &CandidateSet{list: list, bits: bitmap}
}

// Retain drops the candidates that are not in list, which must be sorted and hold candidates only, and takes ownership of
// list.
func (c *CandidateSet) Retain(list []csr.VertexID) {
	for _, v := range c.list {
		c.bits[v>>6] = 0
	}
	c.list = list
	for _, v := range list {
		c.bits[v>>6] |= 1 << (v & 63)
	}
}

// Len is |C(u)|.
func (c *CandidateSet) Len() int { return len(c.list) }

// Has reports whether v is a candidate.
func (c *CandidateSet) Has(v csr.VertexID) bool { return c.bits[v>>6]>>(v&63)&1 != 0 }

// List is the sorted list of candidates; callers must not change it.
func (c *CandidateSet) List() []csr.VertexID { return c.list }

// Bits is the bitmap of candidates; callers must not change it.
func (c *CandidateSet) Bits() []uint64 { return c.bits }

// All yields the candidates in rising order.
func (c *CandidateSet) All() iter.Seq[csr.VertexID] { return slices.Values(c.list) }

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
