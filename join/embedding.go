package join

import (
	"math/bits"

	"github.com/motifql/motif/internal/csr"
)

// embedding is the partial embedding of one worker: a vertex for every step taken, and since when it stands.
type embedding struct {
	steps    []step         // the program's
	match    []csr.VertexID // by query vertex
	edges    []csr.EdgeID   // by query edge, where relationships are chosen
	versions []uint64       // by step: changes whenever its vertex does
	clock    uint64
	changed  uint64             // steps that were given a vertex since the last row, as bits, see row_runs.go
	owners   [ownerSlots]uint64 // by vertex, many of which share a slot: the steps that have taken it, as bits
}

// ownerSlots is how many slots tell which steps have taken a vertex.
const ownerSlots = 1 << 10

// init makes x the embedding of the bound elements.
func (x *embedding) init(c *program) {
	n := len(c.steps)
	x.steps, x.match, x.edges, x.versions, x.clock = c.steps, make([]csr.VertexID, n), make([]csr.EdgeID, len(c.p.Edges)), make([]uint64, n), 1
	for k := range x.versions {
		x.versions[k] = x.clock
	}
	for i := range c.p.Edges {
		x.edges[i] = csr.NoEdge
		if c.p.Edges[i].Bound {
			x.edges[i] = c.job.Edges[i]
		}
	}
	for u := range c.p.Vertices {
		if c.p.Vertices[u].Bound {
			x.match[u] = c.job.Vertices[u]
		}
	}
	x.fillOwners()
}

// set matches step k's vertex to v.
func (x *embedding) set(k int, v csr.VertexID) {
	at := &x.match[x.steps[k].u]
	x.owners[*at%ownerSlots] &^= 1 << (k & 63)
	x.owners[v%ownerSlots] |= 1 << (k & 63)
	*at = v
	x.changed |= 1 << (k & 63)
	x.clock++
	x.versions[k] = x.clock
}

// setAll replaces the whole embedding by match.
func (x *embedding) setAll(match []csr.VertexID) {
	copy(x.match, match)
	x.changed = everything >> (64 - min(64, len(x.steps)))
	x.fillOwners()
	x.clock++
	for k := range x.versions {
		x.versions[k] = x.clock
	}
}

// fillOwners fills the slots anew.
func (x *embedding) fillOwners() {
	clear(x.owners[:])
	for k := range x.steps {
		x.owners[x.match[x.steps[k].u]%ownerSlots] |= 1 << (k & 63)
	}
}

// ownersOf returns the rivals of st that have taken v, as bits. Few vertices share a slot, and a slot may still name a step
// that has left its vertex, so the match decides.
func (x *embedding) ownersOf(st *step, v csr.VertexID) uint64 { return x.ownersAmong(st.rivals, v) }

// ownersAmong is ownersOf among the given steps. All of them have a vertex.
func (x *embedding) ownersAmong(steps uint64, v csr.VertexID) (by uint64) {
	for may := x.owners[v%ownerSlots] & steps; may != 0; may &= may - 1 {
		if k := bits.TrailingZeros64(may); x.match[x.steps[k].u] == v {
			by |= 1 << k
		}
	}
	return by
}

// version identifies the partial embedding up to step k among all that the worker has seen.
func (x *embedding) version(k int) uint64 {
	if k < 0 {
		return 1
	}
	return x.versions[k]
}

// equal reports whether both query vertices of every pair are matched to the same vertex.
func (x *embedding) equal(pairs [][2]int) bool {
	for _, q := range pairs {
		if x.match[q[0]] != x.match[q[1]] {
			return false
		}
	}
	return true
}
