package filter

import (
	"context"
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
	adj   *csr.Adjacency  // nil: nobody has asked
	rows  []*csr.RowsView // likewise, or there are none
	late  bool            // rows was asked for
}

// ViewsOf returns the views of s.
func ViewsOf(s *csr.Snapshot) *Views { return &Views{s: s} }

// Of is s.Adjacency(types, dir).
func (v *Views) Of(types csr.TypeSet, dir csr.Direction) *csr.Adjacency {
	m := v.find(types, dir)
	if m.adj == nil {
		m.adj = v.s.Adjacency(types, dir)
	}
	return m.adj
}

// Rows is csr.RowsByType(types, dir), or nil: then Of has the rows.
func (v *Views) Rows(types csr.TypeSet, dir csr.Direction) []*csr.RowsView {
	m := v.find(types, dir)
	if m.adj == nil && !m.late {
		m.rows, m.late = csr.RowsByType(context.Background(), v.s, types, dir), true
	}
	if m.adj != nil {
		return nil
	}
	return m.rows
}

// Degrees is Of for a caller that reads no targets.
func (v *Views) Degrees(types csr.TypeSet, dir csr.Direction) *csr.Adjacency {
	if m := v.find(types, dir); m.adj == nil && dir != csr.Both {
		if rows := csr.RowsOf(context.Background(), v.s, types, dir); rows != nil {
			return rows.Degrees()
		}
	}
	return v.Of(types, dir)
}

func (v *Views) find(types csr.TypeSet, dir csr.Direction) *view {
	for i := range v.list {
		if m := &v.list[i]; m.dir == dir && (m.types == nil) == (types == nil) && slices.Equal(m.types, types) {
			return m
		}
	}
	v.list = append(v.list, view{types: types, dir: dir})
	return &v.list[len(v.list)-1]
}

// fewRows is how many rows are decoded one by one.
const fewRows = 64

// rows has the neighbours of the vertices that an arc asks for.
type rows struct {
	whole *csr.Adjacency
	late  []*csr.RowsView // instead of whole, if not nil
	loops uint64
}

// rowsFor returns rows for n vertices.
func (f *filter) rowsFor(n int, types csr.TypeSet, dir csr.Direction) rows {
	if n <= fewRows {
		if late := f.views.Rows(types, dir); late != nil {
			loops := uint64(0)
			for _, x := range late {
				loops += x.Loops()
			}
			return rows{late: late, loops: loops}
		}
	}
	whole := f.views.Of(types, dir)
	return rows{whole: whole, loops: whole.Loops}
}

// of returns the neighbours of v.
func (r *rows) of(v csr.VertexID) []csr.VertexID {
	if r.late != nil {
		return csr.Neighbours(nil, r.late, v)
	}
	return r.whole.Neighbours(v)
}
