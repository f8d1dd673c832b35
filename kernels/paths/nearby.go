package paths

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Breadth-first search that stays small.
//
// Input: adjacency, a start and a depth. Output: depths and parents of what the start reaches. What makes it fast: it takes no array of
// the graph's size, so that a row whose start reaches little costs little. It gives up when it reaches much; package bfs then does the work.

const (
	nearbyVertices = 1 << 12 // that a small search may reach
	nearbyReads    = 1 << 15 // neighbours that it may read
)

// nearby is the tree of one small search. The table is a hash table with linear probing; it holds positions in places, and -1.
type nearby struct {
	places []nearbyPlace // in order of discovery; the first is the start
	table  []int32
	shift  uint
	failed int // searches that gave up since the last that did not
	skip   int // searches to come that give up at once
}

type nearbyPlace struct {
	v, parent csr.VertexID
	depth     int32
}

// find returns the position of v in places, or -1, and its place in the table.
func (t *nearby) find(v csr.VertexID) (at int32, hash uint32) {
	mask := uint32(len(t.table) - 1)
	for hash = uint32(v) * 0x9e3779b1 >> t.shift; ; hash = (hash + 1) & mask {
		if at = t.table[hash]; at < 0 || t.places[at].v == v {
			return at, hash
		}
	}
}

// add takes a vertex at the place of the table where find has not found it.
func (t *nearby) add(v, parent csr.VertexID, depth int32, hash uint32) {
	t.table[hash] = int32(len(t.places))
	t.places = append(t.places, nearbyPlace{v, parent, depth})
	if 2*len(t.places) > len(t.table) {
		t.resize(2 * len(t.table))
	}
}

// resize makes a table of n places, a power of two.
func (t *nearby) resize(n int) {
	t.table, t.shift = slices.Repeat([]int32{-1}, n), 32
	for m := n; m > 1; m >>= 1 {
		t.shift--
	}
	for i, p := range t.places {
		_, hash := t.find(p.v)
		t.table[hash] = int32(i)
	}
}

// clear forgets the last search.
func (t *nearby) clear() {
	if t.table == nil {
		t.resize(64)
	}
	if len(t.places) > len(t.table)/8 {
		for i := range t.table {
			t.table[i] = -1
		}
	} else {
		for i := len(t.places) - 1; i >= 0; i-- { // the last one first: nothing that is still there lies behind it
			_, hash := t.find(t.places[i].v)
			t.table[hash] = -1
		}
	}
	t.places = t.places[:0]
}

// search finds what start reaches in at most so many steps. It returns false if that is too much for it.
func (t *nearby) search(adj *csr.Adjacency, start csr.VertexID, most int) bool {
	t.clear()
	if t.skip > 0 {
		t.skip--
		return false
	}
	_, hash := t.find(start)
	t.add(start, csr.NoVertex, 0, hash)
	reads := 0
	for i := 0; i < len(t.places); i++ {
		p := t.places[i]
		if int(p.depth) >= most {
			break
		}
		row := adj.Neighbours(p.v)
		if reads += len(row); reads > nearbyReads || len(t.places) > nearbyVertices {
			t.failed++
			t.skip = min(t.failed, 64)
			t.clear()
			return false
		}
		for _, x := range row {
			if at, hash := t.find(x); at < 0 {
				t.add(x, p.v, p.depth+1, hash)
			}
		}
	}
	t.failed = 0
	return true
}

// get returns the depth and the parent of v; -1 if it is not reached.
func (t *nearby) get(v csr.VertexID) (depth int32, parent csr.VertexID) {
	at, _ := t.find(v)
	if at < 0 {
		return -1, csr.NoVertex
	}
	return t.places[at].depth, t.places[at].parent
}
