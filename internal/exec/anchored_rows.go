package exec

import "github.com/motifql/motif/internal/csr"

// incidence has the relationships of a move at hand, so that none is looked up between two nodes.
type incidence struct {
	types    []csr.TypeID      // with relationships
	incoming []*csr.Incoming   // by type, once there
	list     []csr.IncidentRow // scratch of rows
	planned  bool
	never    bool // the graph has none
	misses   int  // relationships looked up so far
	asked    int  // misses when the graph was last asked for them
}

// lookUpsPerIncoming says when the relationships by target pay: after one look-up for so many relationships.
const lookUpsPerIncoming = 8

// rows returns the relationships of move v that node from has, by type; ok is false if they must be looked up.
func (q *anchoredMatch) rows(v *move, from csr.VertexID) (rows []csr.IncidentRow, ok bool) {
	in := &v.incidence
	if !in.planned {
		in.planned = true
		for t := range q.s.Data.Rels {
			if v.types.Has(csr.TypeID(t)) && q.s.Data.Rels[t].Len() > 0 {
				in.types = append(in.types, csr.TypeID(t))
			}
		}
	}
	if v.late != nil {
		if v.dir != csr.Out {
			return nil, false
		}
		return v.late.outgoing(from), true
	}
	if v.dir == csr.Both || v.dir == csr.In && !q.enters(v) {
		return nil, false
	}
	in.list = in.list[:0]
	for i, t := range in.types {
		if v.dir == csr.Out {
			in.list = append(in.list, q.s.Rels(t).Outgoing(from))
		} else {
			in.list = append(in.list, in.incoming[i].Row(from))
		}
	}
	return in.list, true
}

// enters reports whether the relationships of move v are there by target. It makes them when enough were looked up, and there is memory.
func (q *anchoredMatch) enters(v *move) bool {
	in := &v.incidence
	if in.incoming != nil || in.never {
		return !in.never
	}
	if in.asked > 0 && in.misses < 2*in.asked {
		return false
	}
	in.asked = max(1, in.misses)
	charged := int64(0) // while they are made; then they belong to the graph
	in.incoming, in.never = csr.AllIncoming(q.m.x.ctx, q.s, in.types, func(bytes int64, relationships uint64) bool {
		if uint64(in.misses)*lookUpsPerIncoming < relationships {
			return false
		}
		charged = bytes
		return q.m.env.Memory.Charge(bytes) == nil
	})
	q.m.env.Memory.Release(charged)
	return in.incoming != nil
}

// expandRows moves along each relationship of the rows.
func (q *anchoredMatch) expandRows(k int, v *move, rows []csr.IncidentRow, weight uint64) {
	for i := range rows {
		row := &rows[i]
		for j, w := range row.Ends {
			if v.set != nil && !v.set.Has(w) {
				continue
			}
			if !q.step() {
				return
			}
			q.vertices[v.to], q.edges[v.edge] = w, row.ID(j)
			if q.holds(&v.ask) {
				q.extend(k+1, weight)
			}
			if !q.more {
				return
			}
		}
	}
}
