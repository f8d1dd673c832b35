package csr

import "slices"

// Kin returns a number. Two snapshots have the same one only if warnings about a query are the same in both: a Draft has made one from the
// other by changes that added no label, type, property or connection, and no value of another kind.
func Kin(s *Snapshot) uint64 {
	if s.kin != 0 {
		return s.kin
	}
	return Serial(s)
}

// similar reports whether s, which d has made, says the same to warnings as the base of d.
func similar(d *Draft, s *Snapshot, p *placement) bool {
	b := d.base
	if s.Labels != b.Labels || s.Types != b.Types || s.Keys != b.Keys || len(p.slots) > 0 || len(p.moved) > 0 {
		return false
	}
	for v, n := range d.nodes {
		if n.dead || n.relabelled {
			return false
		}
		for _, q := range n.props.list {
			if q.cell.Kind.text() || column(b.VertexProps, int(q.key)).kindAt(uint64(v)) != q.cell.Kind {
				return false
			}
		}
	}
	for _, r := range d.rels {
		if r.dead || len(r.props.list) > 0 {
			return false
		}
	}
	for _, r := range d.newRels {
		for _, q := range r.props.list {
			c := column(b.EdgeProps, int(q.key))
			if n := c.NumChunks(); q.cell.Kind.text() || n == 0 || c.kindOf(n-1) != q.cell.Kind {
				return false
			}
		}
	}
	return slices.EqualFunc(s.Stats.Triples, b.Stats.Triples, func(x, y Triple) bool {
		x.Count = y.Count
		return x == y
	})
}

// kindAt returns the kind of the value of element i if that is known without decoding anything, else 0.
func (c *Column) kindAt(i uint64) Kind {
	chunk, _ := c.known(int(i / ChunkLen))
	if chunk == nil {
		return 0
	}
	cell, _ := chunk.Get(int(i % ChunkLen))
	return cell.Kind
}
