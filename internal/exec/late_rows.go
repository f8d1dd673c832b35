package exec

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// lateRows has the relationships of a move that follows few of them, where those of a node can be decoded apart from all others. It serves one
// goroutine.
type lateRows struct {
	views []*csr.RowsView // by type; in both directions, by source and by target in turn
	out   []*csr.RowsView // by type and source, where the relationships themselves matter
	dir   csr.Direction
	union []csr.VertexID // scratch
	list  []csr.IncidentRow
}

// newLateRows returns nil where the move needs views of all relationships.
func newLateRows(ctx context.Context, s *csr.Snapshot, types csr.TypeSet, dir csr.Direction, ids bool) *lateRows {
	r := &lateRows{views: csr.RowsByType(ctx, s, types, dir), dir: dir}
	if r.views == nil {
		return nil
	}
	if ids {
		if r.out = csr.RowsByType(ctx, s, types, csr.Out); r.out == nil {
			return nil
		}
	}
	return r
}

// neighbours returns the sorted distinct neighbours of v. They last until the next call.
func (r *lateRows) neighbours(v csr.VertexID) []csr.VertexID {
	list := csr.Neighbours(r.union[:0], r.views, v)
	if len(r.views) > 1 {
		r.union = list
	}
	return list
}

// has reports whether a relationship joins two nodes.
func (r *lateRows) has(v, w csr.VertexID) bool {
	return slices.ContainsFunc(r.views, func(x *csr.RowsView) bool { return x.Has(v, w) })
}

// count is how many relationships join two nodes. Those of a node with itself count once.
func (r *lateRows) count(v, w csr.VertexID) (n int) {
	for i, x := range r.views {
		if v == w && r.dir == csr.Both && i%2 == 1 {
			continue // a loop was counted by its source
		}
		n += x.Count(v, w)
	}
	return n
}

// relationships appends the relationships that join two nodes.
func (r *lateRows) relationships(dst []csr.EdgeID, v, w csr.VertexID) []csr.EdgeID {
	for _, x := range r.out {
		if r.dir != csr.In {
			dst = x.AppendBetween(dst, v, w)
		}
		if r.dir == csr.In || r.dir == csr.Both && v != w {
			dst = x.AppendBetween(dst, w, v)
		}
	}
	return dst
}

// outgoing returns the relationships that leave v by type, until the next call.
func (r *lateRows) outgoing(v csr.VertexID) []csr.IncidentRow {
	r.list = r.list[:0]
	for _, x := range r.out {
		r.list = append(r.list, x.Outgoing(v))
	}
	return r.list
}

// single reports whether a neighbour stands for one relationship.
func (r *lateRows) single() bool { return len(r.views) == 1 && !r.views[0].Repeats() }

// loops is how many relationships lead from a node to itself, some of them twice.
func (r *lateRows) loops() (n uint64) {
	for _, x := range r.views {
		n += x.Loops()
	}
	return n
}

// decoded is how many blocks of rows were decoded, by this move and others.
func (r *lateRows) decoded() (n int) {
	for _, x := range r.views {
		n += x.Decoded()
	}
	for _, x := range r.out {
		n += x.Decoded()
	}
	return n
}
