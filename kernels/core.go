package kernels

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Core decomposition by Batagelj and Zaversnik (2003): repeatedly remove a vertex of least remaining degree.
//
// Input: a Both view (symmetric, targets distinct and sorted); self-loops are ignored. What makes it fast: vertices
// lie in one array sorted by remaining degree, with the start of every degree's bin known, so that moving a
// vertex down one bin is a swap. Time O(n + m), memory 16 bytes a vertex beyond the graph.

// Cores returns the coreness of every vertex, the vertices in order of removal (a degeneracy order: every vertex has at
// most degeneracy neighbours behind it), and the degeneracy. n is the number of vertices in the snapshot.
func Cores(adj *csr.Adjacency, n uint64) (core []uint32, order []csr.VertexID, degeneracy uint32) {
	core = make([]uint32, n)
	maxDegree := uint32(0)
	for v := range core {
		d := uint32(adj.Degree(csr.VertexID(v)))
		if adj.Has(csr.VertexID(v), csr.VertexID(v)) {
			d--
		}
		core[v] = d
		maxDegree = max(maxDegree, d)
	}
	bin := make([]uint32, maxDegree+2) // bin[d]: where the vertices of remaining degree d begin in order
	for _, d := range core {
		bin[d+1]++
	}
	for d := range maxDegree + 1 {
		bin[d+1] += bin[d]
	}
	order = make([]csr.VertexID, n)
	at := make([]uint32, n) // at[v]: position of v in order
	next := slices.Clone(bin)
	for v, d := range core {
		at[v] = next[d]
		order[next[d]] = csr.VertexID(v)
		next[d]++
	}
	for i := range order {
		v := order[i]
		for _, w := range adj.Neighbours(v) {
			if core[w] <= core[v] {
				continue
			}
			// w moves to the front of its bin, and the bin's start moves past it.
			front := bin[core[w]]
			u := order[front]
			order[front], order[at[w]] = w, u
			at[u], at[w] = at[w], front
			bin[core[w]]++
			core[w]--
		}
		degeneracy = max(degeneracy, core[v])
	}
	return core, order, degeneracy
}
