package filter

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Views keeps the adjacency of a snapshot that one query has asked for, since it asks for the same few views again and again. It serves
// one goroutine.
type Views struct {
	s    *csr.Snapshot
	made []view
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
	for i := range v.made {
		if m := &v.made[i]; m.dir == dir && (m.types == nil) == (types == nil) && slices.Equal(m.types, types) {
			return m.adj
		}
	}
	adj := v.s.Adjacency(types, dir)
	v.made = append(v.made, view{types, dir, adj})
	return adj
}
