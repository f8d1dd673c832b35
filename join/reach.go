package join

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/sets"
)

// reach says which vertices of a neighbour list are candidates. They lie in [lo, hi); bits is their bitmap, or nil if all of [lo, hi) are candidates.
// narrow says that lists must be cut to [lo, hi); else that is every vertex.
type reach struct {
	lo, hi csr.VertexID
	bits   []uint64
	narrow bool
}

// reachOf returns the reach of a candidate set that has candidates, among n vertices.
func reachOf(set *pattern.CandidateSet, n uint64) (r reach) {
	list := set.List()
	r.lo, r.hi = list[0], list[len(list)-1]+1
	if len(list) < int(r.hi-r.lo) {
		r.bits = set.Bits()
	}
	if r.narrow = uint64(r.hi-r.lo) < n-n/8; !r.narrow && r.bits == nil && uint64(len(list)) < n {
		r.narrow = true
	}
	if !r.narrow {
		r.lo, r.hi = 0, csr.VertexID(n)
	}
	return r
}

// has reports whether v is a candidate.
func (r *reach) has(v csr.VertexID) bool {
	return v >= r.lo && v < r.hi && (r.bits == nil || sets.Marked(r.bits, 0, v))
}

// cut returns the part of a list within [lo, hi).
func (r *reach) cut(list []csr.VertexID) []csr.VertexID {
	if r.narrow {
		return sets.Cut(list, r.lo, r.hi)
	}
	return list
}
