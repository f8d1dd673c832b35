// Package testgraph makes graphs and patterns, and answers queries by brute force.
//
// In go sizes, seeds and options; out come edges, snapshots, patterns and jobs for tests, benchmarks and motif gen. Brute
// is a device: it takes any request of package pattern and answers it straight from the definition. Every answer of the
// engine is compared with it.
//
// The package is never fast and never clever: it shares no algorithm with what it checks.
package testgraph

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/motifql/motif/internal/csr"
)

// RMAT yields edgeFactor * 2^scale directed edges over 2^scale vertices by the recursive matrix model. The parameters are
// those of Graph500 (a = 0.57, b = c = 0.19). Loops and repeats occur. Vertex numbers are not scrambled, so small ones
// have the large degrees. scale must be in [0, 32].
func RMAT(scale, edgeFactor int, seed uint64) iter.Seq2[uint32, uint32] {
	const a, b, c = 37356, 12452, 12452 // of 65,536
	return func(yield func(uint32, uint32) bool) {
		rng := rand.New(rand.NewPCG(seed, uint64(scale)))
		for range uint64(edgeFactor) << scale {
			var src, dst uint32
			var random uint64
			for level := range scale {
				if level%4 == 0 {
					random = rng.Uint64()
				}
				r := uint16(random)
				random >>= 16
				src, dst = src<<1, dst<<1
				if r >= a+b {
					src |= 1
				}
				if r >= a && r < a+b || r >= a+b+c {
					dst |= 1
				}
			}
			if !yield(src, dst) {
				return
			}
		}
	}
}

// ER yields m distinct pairs u < v of n vertices, or all pairs if there are no more than m. Every set of m pairs is
// equally likely (Erdős–Rényi G(n, m)).
func ER(n uint32, m uint64, seed uint64) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		all := uint64(n) * uint64(max(n, 1)-1) / 2
		m := min(m, all)
		seen := make(map[uint64]struct{}, m)
		// Floyd's sampling: m draws for m distinct numbers.
		for j := all - m; j < all; j++ {
			k := rng.Uint64N(j + 1)
			if _, ok := seen[k]; ok {
				k = j
			}
			seen[k] = struct{}{}
			if !yield(pair(k)) {
				return
			}
		}
	}
}

// pair returns the k-th of the pairs (0,1), (0,2), (1,2), (0,3), ...: k = v(v-1)/2 + u.
func pair(k uint64) (u, v uint32) {
	w := uint64((1 + math.Sqrt(1+8*float64(k))) / 2)
	for w*(w-1)/2 > k {
		w--
	}
	for (w+1)*w/2 <= k {
		w++
	}
	return uint32(k - w*(w-1)/2), uint32(w)
}

// Grid yields the edges of a w x h grid, to the right and downwards. Vertex (x, y) is y*w + x.
func Grid(w, h uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for y := range h {
			for x := range w {
				v := y*w + x
				if x+1 < w && !yield(v, v+1) || y+1 < h && !yield(v, v+w) {
					return
				}
			}
		}
	}
}

// Cliques yields count disjoint cliques of the given sizes in turn, as pairs u < v.
func Cliques(count int, sizes ...int) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		first := uint32(0)
		for i := range count {
			size := uint32(sizes[i%len(sizes)])
			for v := range size {
				for u := range v {
					if !yield(first+u, first+v) {
						return
					}
				}
			}
			first += size
		}
	}
}

// Graph builds a snapshot of n vertices without labels whose relationships are the edges, of type E. With simple set it
// drops loops and repeated (source, target) pairs.
func Graph(n int, edges iter.Seq2[uint32, uint32], simple bool) *csr.Snapshot {
	b := csr.NewBuilder()
	b.AddVertices(n)
	t := b.Type("E")
	for u, v := range edges {
		b.AddEdge(u, v, t)
	}
	if simple {
		b.DropRepeats(t)
	}
	s, _, err := b.Build(context.Background(), 0)
	if err != nil {
		panic(err) // an edge ends past n: a mistake in the test
	}
	return s
}

// Undirected yields every edge from its smaller to its larger end, so that Graph drops reciprocal edges too.
func Undirected(edges iter.Seq2[uint32, uint32]) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for u, v := range edges {
			if !yield(min(u, v), max(u, v)) {
				return
			}
		}
	}
}
