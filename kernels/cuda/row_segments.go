//go:build cuda && cgo && linux

package cuda

import "math"

// rowSegments are the rows of a graph on the device, cut into segments of at most 1,024 entries (segment in lists.cuh). A warp takes
// each, so that many share a hub.
type rowSegments struct {
	vertices, segments int
	first, owner       buffer // the first segment of each row, and the row of each segment
	places             buffer // where what each segment keeps is written
}

// cut cuts rows of offsets (of those in the list, if there is one) into segments: g.first and g.owner.
func (g *rowSegments) cut(t *task, s *scanner, offsets, list buffer) error {
	counts, err := t.alloc(4 * int64(g.vertices))
	if err != nil {
		return err
	}
	if g.first, err = t.alloc(4 * int64(g.vertices+1)); err != nil {
		return err
	}
	grid := t.d.grid(g.vertices, 256)
	if err := t.d.launch("segment_count", grid, 256, 0, offsets.arg(), list.arg(), uint64(g.vertices), counts.arg()); err != nil {
		return err
	}
	if err := s.sum(counts, int64(g.vertices), false, buffer{}, g.first); err != nil {
		return err
	}
	total, err := s.total(int64(g.vertices))
	if err != nil {
		return err
	}
	if total > math.MaxInt32 {
		return ErrDeclined
	}
	g.segments = int(total)
	if g.owner, err = t.alloc(4 * int64(g.segments)); err != nil {
		return err
	}
	return t.d.launch("segment_owner", grid, 256, 0, g.first.arg(), uint64(g.vertices), g.owner.arg())
}

// place sums up what each segment writes: g.places; rows gets where each row starts. It returns how many entries there are.
// scratch gets what nobody needs later.
func (g *rowSegments) place(t, scratch *task, counts buffer) (rows buffer, total uint64, err error) {
	if g.places, total, err = scratch.scan(counts, int64(g.segments)); err != nil {
		return rows, 0, err
	}
	if rows, err = t.alloc(8 * int64(g.vertices+1)); err != nil {
		return rows, 0, err
	}
	return rows, total, t.d.launch("segment_rows", t.d.grid(g.vertices+1, 256), 256, 0, g.first.arg(), g.places.arg(), uint64(g.vertices), rows.arg())
}

// warps is how many blocks of 256 lanes work on so many items, a warp each, four in turn.
func (d *Device) warps(items int) int { return d.grid(items, 32) }
