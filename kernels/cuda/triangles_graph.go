//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/motifql/motif/internal/csr"
)

// hubRanks is up to which rank roots have a bitmap, and rows may be bitmaps (16 KiB of shared memory).
const hubRanks = 1 << 17

// triangleLimits are hubRanks, tableSlots, topRanks and what a block counts by itself at most, where they are not 0.
type triangleLimits struct{ hubs, slots, tops, most int }

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
		vertex, ranks := byFallingDegree(fullOffsets(s.Adjacency(types, csr.Both).Flat(), a.vertices))
		return rank(up, a, vertex, ranks)
	})
}

// byFallingDegree lists the vertices from 2 neighbours on: exactly so below 64, and within 2 % above. Of equal ones the first
// comes first, on every device.
func byFallingDegree(offsets []uint64) (vertex []uint32, rank []uint32) {
	n := len(offsets) - 1
	var at [64 * (33 - 5)]uint32
	bin := func(v int) int {
		degree := offsets[v+1] - offsets[v]
		if degree < 64 {
			return len(at) - 1 - int(degree)
		}
		e := bits.Len64(degree) - 1
		return len(at) - 1 - (64*(e-5) + int(degree>>(e-6))&63)
	}
	ranks := uint32(0)
	for v := range n {
		at[bin(v)]++
	}
	at[len(at)-1], at[len(at)-2] = 0, 0 // degrees 0 and 1
	for b, size := range at {
		at[b] = ranks
		ranks += size
	}
	vertex, rank = make([]uint32, ranks), make([]uint32, n)
	for v := range n {
		if rank[v] = ^uint32(0); offsets[v+1]-offsets[v] >= 2 {
			b := bin(v)
			rank[v] = at[b]
			vertex[at[b]] = uint32(v)
			at[b]++
		}
	}
	return vertex, rank
}

// rank makes the lists and rows of a graph.
func rank(up *task, a *adjacent, vertex, ranks []uint32) (*ranked, error) {
	g := &ranked{vertices: a.vertices, ranks: len(vertex), hubs: min(cmp.Or(up.d.triangles.hubs, hubRanks), (len(vertex)+63)/64*64)}
	t := &task{d: up.d} // for what does not stay
	defer t.end()
	rankOf, err := upload(t, ranks)
	if err != nil {
		return nil, err
	}
	if g.vertex, err = upload(up, vertex); err != nil {
		return nil, err
	}
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
