package testgraph

import (
	"math/rand/v2"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// HomGraph draws a query graph for counting homomorphisms: the set of each vertex, and factors over some types. It starts
// from a shape that hom.Counter takes apart in its own way, and sometimes adds edges.
func HomGraph(rng *rand.Rand, sets, types int) (of []int, factors []pattern.Factor) {
	shapes := [][][2]int{
		{{0, 1}, {1, 2}, {0, 2}},
		{{0, 1}, {1, 2}, {2, 3}, {0, 3}},
		{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}},
		{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}},
		{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {2, 4}},         // bowtie
		{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {3, 5}}, // two triangles with a bridge
		{{0, 1}, {1, 2}, {0, 2}, {3, 4}},
		{{0, 1}, {1, 2}, {0, 2}, {0, 3}, {0, 4}},
		{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}},
		{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {2, 3}, {3, 4}},
		{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
		{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}, {1, 4}},         // wheel
		{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}}, // five vertices, all pairs but one
	}
	edges := shapes[rng.IntN(len(shapes))]
	falls := [][]int{nil, {1}, {1, 1}, {2}}
	plain := rng.IntN(2) == 0
	factor := func(u, w int) {
		f := pattern.Factor{From: u, To: w, Undirected: u != w && rng.IntN(4) > 0, Loops: u != w && rng.IntN(3) == 0, Falls: falls[rng.IntN(4)]}
		if rng.IntN(3) == 0 {
			f.Types = csr.TypeSet{csr.TypeID(rng.IntN(types))}
		}
		if plain {
			f = pattern.Factor{From: u, To: w, Undirected: true}
		}
		factors = append(factors, f)
	}
	n := 0
	for _, e := range edges {
		n = max(n, e[0]+1, e[1]+1)
		factor(e[0], e[1])
	}
	for range rng.IntN(3) {
		if u, w := rng.IntN(n), rng.IntN(n); rng.IntN(3) == 0 && (u != w || !plain) {
			factor(min(u, w), max(u, w))
		}
	}
	for range n {
		of = append(of, rng.IntN(1+rng.IntN(sets)))
	}
	return of, factors
}
