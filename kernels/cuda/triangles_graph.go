//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math"

	"github.com/motifql/motif/internal/csr"
)

// hubRanks is up to which rank roots have a bitmap, and rows may be bitmaps (16 KiB of shared memory).
const hubRanks = 1 << 17

// triangleLimits are the sizes at which the count of triangles changes its ways.
type triangleLimits struct {
	hubs  int // see hubRanks
	slots int // see tableSlots
	tops  int // see topRanks
	most  int // a block counts at most so many triangles by itself
}

var defaultTriangleLimits = triangleLimits{hubRanks, tableSlots, topRanks, 1 << 31}

// ranked is a graph whose vertices from 2 neighbours on are numbered by falling degree, on the device: see triangles.cu.
type ranked struct {
	vertices      int // of the graph
	ranks         int
	hubs          int    // a multiple of 64; ranks below may have a row
	vertex        buffer // by rank
	start, size   buffer // of the list of a rank, the ranks before it that it is joined to
	list          buffer
	row, rows     buffer // by rank below hubs: where its row is, in words of 8 bytes
	bitmaps       int    // how many rows there are
	roots         buffer // small ones, of 2 to 32 entries, from the front on, larger ones up to the end
	small, larger int
}

// rankedOf returns the graph over types by ranks, which stays. It is made on the device of the neighbours, which stay, too.
func rankedOf(t *task, s *csr.Snapshot, types csr.TypeSet) (*ranked, error) {
	return keep(t, s, "ranked "+typesName(types), func(up *task) (*ranked, error) {
		a, err := adjacencyOf(t, s, types, csr.Both)
		if err != nil {
			return nil, err
		}
		return rank(up, a)
	})
}

// byFallingDegree lists the vertices from 2 neighbours on, the ranks; of equal ones the first comes first, on every device. The
// rank of the others is no number.
func byFallingDegree(up, t *task, a *adjacent) (vertex, rank buffer, ranks int, err error) {
	n, grid := uint64(a.vertices), up.d.grid(a.vertices, 256)
	keys, err := t.alloc(4 * int64(n))
	if err != nil {
		return vertex, rank, 0, err
	}
	least, err := t.alloc(4 * 3)
	if err != nil {
		return vertex, rank, 0, err
	}
	if rank, err = t.filled(int64(n), math.MaxUint32); err != nil {
		return vertex, rank, 0, err
	}
	if err := t.d.launch("orient_degrees", grid, 256, 0, a.offsets.arg(), n, n, keys.arg()); err != nil { // no vertex has more than n neighbours
		return vertex, rank, 0, err
	}
	if keys, vertex, err = t.sortPairs(context.Background(), keys, buffer{}, int64(n), uint32(n)); err != nil {
		return vertex, rank, 0, err
	}
	t.give(vertex, up)
	if err := t.d.launch("orient_least", 1, 32, 0, keys.arg(), n, n, 2, least.arg()); err != nil {
		return vertex, rank, 0, err
	}
	var atLeast [3]uint32
	if err := download(least, atLeast[:]); err != nil {
		return vertex, rank, 0, err
	}
	return vertex, rank, int(atLeast[2]), t.d.launch("orient_ranks", grid, 256, 0, vertex.arg(), uint64(atLeast[2]), rank.arg())
}

// rank makes the lists and rows of a graph.
func rank(up *task, a *adjacent) (*ranked, error) {
	t := &task{d: up.d} // for what does not stay
	defer t.end()
	vertex, rankOf, ranks, err := byFallingDegree(up, t, a)
	if err != nil {
		return nil, err
	}
	g := &ranked{vertices: a.vertices, ranks: ranks, vertex: vertex, hubs: min(up.d.triangles.hubs, (ranks+63)/64*64)}
	counts, err := t.zeros(6)
	if err != nil {
		return nil, err
	}
	for _, x := range []struct {
		to    *buffer
		bytes int64
	}{{&g.start, 8 * int64(g.ranks)}, {&g.size, 4 * int64(g.ranks)}, {&g.list, 4 * (a.edges / 2)}, {&g.row, 8 * int64(g.hubs)}, {&g.roots, 4 * int64(g.ranks)}} {
		if *x.to, err = up.alloc(x.bytes); err != nil {
			return nil, err
		}
	}
	err = up.d.launch("triangle_lists", up.d.grid(g.ranks, 8), 256, 0, a.offsets.arg(), a.targets.arg(), rankOf.arg(), g.vertex.arg(), uint64(g.ranks),
		uint64(g.hubs), g.start.arg(), g.size.arg(), g.list.arg(), g.row.arg(), g.roots.arg(), counts.arg())
	if err != nil {
		return nil, err
	}
	var n [3]uint64 // entries, words, roots
	if err := download(counts, n[:]); err != nil {
		return nil, err
	}
	if n[0] > uint64(a.edges/2) {
		return nil, fmt.Errorf("%w: %d of %d", errLost, n[0], a.edges/2)
	}
	g.small, g.larger = int(uint32(n[2])), int(n[2]>>32)
	if g.rows, err = up.zeros(2 * int64(n[1])); err != nil {
		return nil, err
	}
	g.bitmaps = int(n[1])
	return g, up.d.launch("triangle_rows", up.d.grid(g.hubs, 8), 256, 0, g.start.arg(), g.size.arg(), g.list.arg(), g.row.arg(),
		uint64(min(g.hubs, g.ranks)), g.rows.arg())
}
