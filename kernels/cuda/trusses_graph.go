//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"math"

	"github.com/motifql/motif/internal/csr"
)

// edgeGraph is a simple undirected graph with numbered edges, on the device.
type edgeGraph struct {
	rowSegments
	edges               int64
	rows, ends, numbers buffer // undirected: the neighbours of each vertex, sorted, and the edge behind each
	offsets, high, low  buffer // the edges in order: they run from low, whose are those between its offsets, to high
	vertex              buffer // what the vertices are in the whole graph; no buffer where they are the same
}

// errLost says that a kernel gave back another number of edges than went in: the device or its driver is broken.
var errLost = errors.New("edges were lost on the device")

// induced is the subgraph of a on the members of a set; with nil it is a itself, which has no loops then.
func induced(t *task, a *adjacent, set *bitmap) (*edgeGraph, error) {
	g := &edgeGraph{rowSegments: rowSegments{vertices: a.vertices}, rows: a.offsets, ends: a.targets}
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

// gatherTo writes the ends of some edges (of all, if there is no list) and their trussness to where each is wanted.
func (g *edgeGraph) gatherTo(t *task, list buffer, n int64, support buffer, source, target, truss buffer) error {
	return t.d.launch("truss_gather", t.d.grid(int(n), 256), 256, 0, list.arg(), uint64(n), g.low.arg(), g.high.arg(), g.vertex.arg(), support.arg(), source.arg(),
		target.arg(), truss.arg())
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
	if err := g.gatherTo(t, list, n, support, from, to, ks); err != nil {
		return nil, nil, nil, err
	}
	source, target, truss = uncleared[csr.VertexID](int(n)), uncleared[csr.VertexID](int(n)), uncleared[uint32](int(n))
	if err = download(from, source); err == nil {
		err = download(to, target)
	}
	if err == nil && ks.at != 0 {
		err = download(ks, truss)
	}
	return source, target, truss, err
}
