package filter

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Views keeps the adjacency of a snapshot that one query has asked for, since it asks for the same few views again and again. It serves
// one goroutine.
type Views struct {
	s    *csr.Snapshot
	list []view
}

type view struct {
	types csr.TypeSet
	dir   csr.Direction
	adj   *csr.Adjacency
}

// ViewsOf returns the views of s.
func ViewsOf(s *csr.Snapshot) *Views { return &Views{s: s} }

// Of is s.Adjacency(types, dir).
func (v *Views) Of(types csr.TypeSet, dir csr.Direction) *csr.Adjacency {
	for i := range v.list {
		if m := &v.list[i]; m.dir == dir && (m.types == nil) == (types == nil) && slices.Equal(m.types, types) {
			return m.adj
		}
	}
	adj := v.s.Adjacency(types, dir)
	v.list = append(v.list, view{types, dir, adj})
	return adj
}
