package pattern

import "github.com/motifql/motif/internal/csr"

// Clique is a pattern whose every two vertices are joined, as the clique kernel sees it: groups of
// interchangeable vertices with disjoint candidate sets. Sum of Sizes = k.
type Clique struct {
	K     int
	Types csr.TypeSet     // adjacency is over these types in both directions, loops and multiplicities ignored
	Sets  []*CandidateSet // disjoint; nil stands for all vertices (then there is one group)
	Sizes []int           // how many vertices of the clique come from each set
	// Ranks says which cliques are wanted: those whose root, the vertex of the lowest rank in the orientation, has one of them; nil: all.
	Ranks *RankRange
	// Due ends a count by vertex of Ranks: it is asked after each root, with how many vertices are in a clique so far. Roots come by falling
	// rank then, and Ranks.Lo becomes the rank of the last one. It may be nil.
	Due func(counted int) bool
	// Kept is what a kernel keeps from one range of ranks to the next. Cliques that keep something belong to one goroutine.
	Kept any
}

// AllTriangles reports whether c asks for all triangles of the graph. Package triangle then counts them. It orders vertices in its own way,
// and ranges of ranks are ranges of its ranks.
func (c *Clique) AllTriangles() bool {
	return c.K == 3 && len(c.Sets) == 1 && c.Sets[0] == nil
}

// Subgraph is the simple undirected graph that requests for all cliques are about: adjacency over Types in both
// directions, loops and multiplicities ignored, among the vertices of Within.
type Subgraph struct {
	Types  csr.TypeSet
	Within *CandidateSet // nil: all vertices
}

// Clique asks for the k-cliques of g.
func (g *Subgraph) Clique(k int) *Clique {
	return &Clique{K: k, Types: g.Types, Sets: []*CandidateSet{g.Within}, Sizes: []int{k}}
}

// EdgeCounts holds a count for edges of the simple undirected graph. Edges whose count is 0 may be left out.
type EdgeCounts struct {
	Source, Target []csr.VertexID // Source < Target, edge by edge; no edge twice
	Count          []Count128
}
