package csr

import "slices"

// Place is where CountFrom found something last. The zero Place is none.
type Place struct {
	of     VertexID
	lo, hi uint64 // the row of that vertex
	at     uint64 // in the row: everything before is below the vertex asked for last
}

// CountFrom is Count, faster where the calls with one Place ask for neighbours of one vertex in rising order. A Place is for one view.
func (a *Adjacency) CountFrom(p *Place, v, w VertexID) int {
	if p.of != v || p.hi == 0 {
		p.of = v
		p.lo, p.hi = a.Row(v)
		p.at = p.lo
	}
	if p.at > p.lo && a.Targets[p.at-1] >= w { // back
		p.at = p.lo
	}
	at, near := p.at, min(p.hi, p.at+8)
	for at < near && a.Targets[at] < w {
		at++
	}
	if at == near && at < p.hi { // further away
		end, step := at, uint64(8)
		for end < p.hi && a.Targets[end] < w {
			at, end, step = end+1, end+step, 2*step
		}
		i, _ := slices.BinarySearch(a.Targets[at:min(end, p.hi)], w)
		at += uint64(i)
	}
	if p.at = at; at == p.hi || a.Targets[at] != w {
		return 0
	}
	if a.Counts == nil {
		return 1
	}
	return int(a.Counts[p.at])
}
