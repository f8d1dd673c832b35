package pattern

import (
	"math/bits"
	"slices"
)

// CyclicGraph is a graph of five or six vertices, with many cycles, whose homomorphisms package kernels/cyclic counts.
type CyclicGraph int

// The cyclic graphs. A wheel has a hub besides the vertices of its rim.
const (
	Cycle5 CyclicGraph = iota
	Cycle6
	Wheel4
	Wheel5
	NearClique       // five vertices, all joined but two
	SubdividedClique // four vertices, of which two are joined by a path of two edges, and all others by an edge
	Prism            // two triangles whose vertices are joined in pairs
	House            // a cycle of four, and a vertex joined to two neighbours there
	TailedClique     // four vertices, all joined, and one joined to one of them
	HattedClique     // four vertices, all joined, and one joined to two of them
	CyclicGraphs     // how many there are
)

// cyclicNames say what an EXPLAIN calls their homomorphisms.
var cyclicNames = [CyclicGraphs]string{"cycles of five", "cycles of six", "wheels of four spokes", "wheels of five spokes",
	"cliques of five less a relationship", "cliques of four with a node inside a relationship", "prisms", "houses", "cliques of four with a tail", "cliques of four with a triangle at a relationship"}

// String names g as EXPLAIN does.
func (g CyclicGraph) String() string { return cyclicNames[g] }

// From says for EXPLAIN where they are counted.
func (g CyclicGraph) From() string {
	switch g {
	case Wheel4, Wheel5:
		return "from their hub"
	case NearClique, TailedClique, HattedClique:
		return "from their triangles"
	case SubdividedClique:
		return "from the two ends of the path"
	}
	return "from their node of the highest degree"
}

// cyclicEdges are the edges of each graph.
var cyclicEdges = [CyclicGraphs][][2]int{
	Cycle5:           {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}},
	Cycle6:           {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}},
	Wheel4:           {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}, {1, 4}},
	Wheel5:           {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {1, 5}},
	NearClique:       {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}},
	SubdividedClique: {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 4}, {3, 4}},
	Prism:            {{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}, {0, 3}, {1, 4}, {2, 5}},
	House:            {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {1, 4}},
	TailedClique:     {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}},
	HattedClique:     {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}},
}

// Edges returns the edges of g and the number of its vertices.
func (g CyclicGraph) Edges() (edges [][2]int, vertices int) {
	for _, e := range cyclicEdges[g] {
		vertices = max(vertices, e[0]+1, e[1]+1)
	}
	return cyclicEdges[g], vertices
}

// cyclicMatrix holds by vertex a bit for each neighbour.
type cyclicMatrix [6]uint8

func cyclicMatrixOf(edges [][2]int) (m cyclicMatrix) {
	for _, e := range edges {
		m[e[0]] |= 1 << e[1]
		m[e[1]] |= 1 << e[0]
	}
	return m
}

// FindCyclicGraph returns the graph that different edges on n vertices make, whatever the numbers of the vertices.
func FindCyclicGraph(n int, edges [][2]int) (CyclicGraph, bool) {
	if n != 5 && n != 6 {
		return 0, false
	}
	m := cyclicMatrixOf(edges)
	for g := range CyclicGraphs {
		if known, k := g.Edges(); k == n && len(known) == len(edges) && isomorphic(m, cyclicMatrixOf(known), nil, n) {
			return g, true
		}
	}
	return 0, false
}

// isomorphic reports whether to, the images of a's first vertices, extends to a renumbering that makes a equal b.
func isomorphic(a, b cyclicMatrix, to []int, n int) bool {
	v, used := len(to), 0
	if v == n {
		return true
	}
	for _, w := range to {
		used |= 1 << w
	}
next:
	for w := range n {
		if used>>w&1 != 0 || bits.OnesCount8(a[v]) != bits.OnesCount8(b[w]) {
			continue
		}
		for u, x := range to {
			if a[v]>>u&1 != b[w]>>x&1 {
				continue next
			}
		}
		if isomorphic(a, b, append(to[:v:v], w), n) {
			return true
		}
	}
	return false
}

// Cyclic returns the cyclic graph that t is, if all its vertices ask for the same and all its edges do.
func (t *Term) Cyclic() (CyclicGraph, bool) {
	var edges [][2]int
	for i := range t.Factors {
		x, first := &t.Factors[i], &t.Factors[0]
		same := x.Types.Equal(first.Types) && x.Loops == first.Loops && slices.Equal(x.Falls, first.Falls)
		if x.From == x.To || !x.Undirected || x.Loops || !same {
			return 0, false
		}
		edges = append(edges, [2]int{x.From, x.To})
	}
	for _, kinds := range t.Vertices {
		if !slices.Equal(kinds, t.Vertices[0]) {
			return 0, false
		}
	}
	return FindCyclicGraph(len(t.Vertices), edges)
}
