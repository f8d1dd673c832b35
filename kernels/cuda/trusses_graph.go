//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"math"

	"github.com/motifql/motif/internal/csr"
)

// edgeGraph is a simple undirected graph with numbered edges, on the device.
type edgeGraph struct {
	vertices             int
	edges                int64
	rows, ends, numbers  buffer // undirected: the neighbours of each vertex, sorted, and the edge behind each
	offsets, high, low   buffer // the edges in order: they run from low, whose are those between its offsets, to high
	vertex               buffer // what the vertices are in the whole graph; no buffer where they are the same
	segments             int    // of rows
	first, owner, places buffer
}

// errLost says that a kernel gave back another number of edges than went in: the device or its driver is broken.
var errLost = errors.New("edges were lost on the device")

// segments cuts rows of offsets (of those in the list, if there is one) into segments: g.first and g.owner.
func (g *edgeGraph) cut(t *task, s *scanner, offsets, list buffer) error {
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
// What is needed no longer than that is scratch's.
func (g *edgeGraph) place(t, scratch *task, counts buffer) (rows buffer, total uint64, err error) {
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

// induced is the subgraph of a on the members of a set; with nil it is a itself, which has no loops then.
func induced(t *task, a *adjacent, set *bitmap) (*edgeGraph, error) {
	g := &edgeGraph{vertices: a.vertices, rows: a.offsets, ends: a.targets}
	entries := uint64(a.edges)
	s, err := newScan(t, int64(a.vertices))
	if err != nil {
		return nil, err
	}
	if set != nil {
		g.vertices = set.members
		if g.vertex, err = t.list(set); err != nil {
			return nil, err
		}
		if err := g.cut(t, s, a.offsets, g.vertex); err != nil {
			return nil, err
		}
		counts, err := t.alloc(4 * int64(g.segments))
		if err != nil {
			return nil, err
		}
		err = t.d.launch("induced_count", t.d.warps(g.segments), 256, 0, a.offsets.arg(), a.targets.arg(), g.vertex.arg(), set.words.arg(), g.first.arg(), g.owner.arg(),
			uint64(g.segments), counts.arg())
		if err != nil {
			return nil, err
		}
		if g.rows, entries, err = g.place(t, t, counts); err != nil {
			return nil, err
		}
		if g.ends, err = t.alloc(4 * int64(entries)); err != nil {
			return nil, err
		}
		err = t.d.launch("induced_fill", t.d.warps(g.segments), 256, 0, a.offsets.arg(), a.targets.arg(), g.vertex.arg(), set.words.arg(), set.ranks.arg(), g.first.arg(),
			g.owner.arg(), uint64(g.segments), g.places.arg(), g.ends.arg())
		if err != nil {
			return nil, err
		}
	}
	if entries/2 > math.MaxInt32 {
		return nil, ErrDeclined
	}
	return g, g.number(t, s, entries)
}

// number orients and numbers the edges.
func (g *edgeGraph) number(t *task, s *scanner, entries uint64) error {
	if err := g.cut(t, s, g.rows, buffer{}); err != nil {
		return err
	}
	counts, err := t.alloc(4 * int64(g.segments))
	if err != nil {
		return err
	}
	grid := t.d.warps(g.segments)
	err = t.d.launch("orient_count", grid, 256, 0, g.rows.arg(), g.ends.arg(), g.first.arg(), g.owner.arg(), uint64(g.segments), counts.arg())
	if err != nil {
		return err
	}
	var total uint64
	if g.offsets, total, err = g.place(t, t, counts); err != nil {
		return err
	}
	if g.edges = int64(total); 2*total != entries {
		return errLost
	}
	for b, n := range map[*buffer]int64{&g.high: g.edges, &g.low: g.edges, &g.numbers: int64(entries)} {
		if *b, err = t.alloc(4 * n); err != nil {
			return err
		}
	}
	err = t.d.launch("orient_fill", grid, 256, 0, g.rows.arg(), g.ends.arg(), g.first.arg(), g.owner.arg(), uint64(g.segments), g.places.arg(), g.high.arg(),
		g.low.arg(), g.numbers.arg())
	if err != nil {
		return err
	}
	return t.d.launch("orient_back", grid, 256, 0, g.rows.arg(), g.ends.arg(), g.first.arg(), g.owner.arg(), uint64(g.segments), g.offsets.arg(), g.high.arg(),
		g.numbers.arg())
}

// compact drops from the rows the edges that are gone, and returns how many entries there are.
func (g *edgeGraph) compact(t *task, state buffer) (entries uint64, err error) {
	scratch := &task{d: t.d}
	defer scratch.end()
	s, err := newScan(scratch, int64(g.vertices))
	if err != nil {
		return 0, err
	}
	if err := g.cut(scratch, s, g.rows, buffer{}); err != nil {
		return 0, err
	}
	counts, err := scratch.alloc(4 * int64(g.segments))
	if err != nil {
		return 0, err
	}
	grid := t.d.warps(g.segments)
	err = t.d.launch("compact_count", grid, 256, 0, g.rows.arg(), g.numbers.arg(), state.arg(), g.first.arg(), g.owner.arg(), uint64(g.segments), counts.arg())
	if err != nil {
		return 0, err
	}
	rows, entries, err := g.place(t, scratch, counts)
	if err != nil {
		return 0, err
	}
	ends, err := t.alloc(4 * int64(entries))
	if err != nil {
		return 0, err
	}
	numbers, err := t.alloc(4 * int64(entries))
	if err != nil {
		return 0, err
	}
	err = t.d.launch("compact_fill", grid, 256, 0, g.rows.arg(), g.ends.arg(), g.numbers.arg(), state.arg(), g.first.arg(), g.owner.arg(), uint64(g.segments),
		g.places.arg(), ends.arg(), numbers.arg())
	g.rows, g.ends, g.numbers = rows, ends, numbers
	return entries, err
}

// gather takes some edges (all, if there is no list) with their trussness to the host; no trussness if support is no buffer.
func (g *edgeGraph) gather(t *task, list buffer, n int64, support buffer) (source, target []csr.VertexID, truss []uint32, err error) {
	if n == 0 {
		return nil, nil, nil, nil
	}
	from, err := t.alloc(4 * n)
	if err != nil {
		return nil, nil, nil, err
	}
	to, err := t.alloc(4 * n)
	if err != nil {
		return nil, nil, nil, err
	}
	var ks buffer
	if support.at != 0 {
		if ks, err = t.alloc(4 * n); err != nil {
			return nil, nil, nil, err
		}
	}
	err = t.d.launch("truss_gather", t.d.grid(int(n), 256), 256, 0, list.arg(), uint64(n), g.low.arg(), g.high.arg(), g.vertex.arg(), support.arg(), from.arg(), to.arg(),
		ks.arg())
	if err != nil {
		return nil, nil, nil, err
	}
	source, target, truss = make([]csr.VertexID, n), make([]csr.VertexID, n), make([]uint32, n)
	if err = download(from, source); err == nil {
		err = download(to, target)
	}
	if err == nil && ks.at != 0 {
		err = download(ks, truss)
	}
	return source, target, truss, err
}
