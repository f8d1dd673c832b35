package pattern

import (
	"context"

	"github.com/motifql/motif/internal/csr"
)

// RequestKind says what a Request asks for. Its String is for people; code compares kinds.
type RequestKind uint8

// The comments name the field that holds the parameters, and the field of the Answer.
const (
	// KindFilter asks for a sound candidate set of every free query vertex: no vertex that takes part in a match is missing.
	// Bound vertices get all vertices. Pattern; Candidates.
	KindFilter      RequestKind = iota
	KindCount                   // the number of matches. Job; Count
	KindMatch                   // every match goes to Sink, in no order. Job
	KindFormula                 // numbers of homomorphisms, which a device that counts asks of itself. Formula
	KindCliqueCount             // the number of cliques (vertex sets). Clique; Count
	// KindCliqueList sends every clique to Emit once, vertices grouped as in Clique.Sizes and rising inside a group.
	KindCliqueList
	// KindCliqueSizes asks how many cliques of each size Subgraph has: Counts[k] for k = 1, 2, ... up to the largest clique, or up
	// to Size if that is not 0. Counts[0] is 0, and so is len(Counts) for a graph without vertices.
	KindCliqueSizes
	KindCliquesPerVertex // in how many of the cliques, of one group, each vertex is. Clique; Counts. Of Ranks: Vertices that are in any, and their Counts
	KindCliquesPerEdge   // in how many cliques of Size (at least 2) of Subgraph each edge is. EdgeCounts
	// KindMaximalCliques sends every clique of at least Size vertices of Subgraph to Emit that is in no larger clique, once; its
	// vertices rise.
	KindMaximalCliques
	KindMaximumClique // a largest clique of Subgraph, rising; none for a graph without vertices. Vertices
	KindTriangles     // the number of triangles, and of each vertex's. Triangles; Count, ByVertex
	KindCores         // the coreness of every vertex, or the vertices of one core. Cores; Cores
	KindTrusses       // edges with their trussness. Trusses; Trusses
	KindBFS           // how far every vertex is from the sources, and by way of which neighbour. Traversal; Levels
	KindComponents    // the component of every vertex. Components; Components
	// KindShortestPath asks for the vertices of a shortest path, both ends included (one vertex where they are the same); none
	// where there is no path. Path; Vertices.
	KindShortestPath
	KindPathSearch // a prepared search for the matches of a path pattern. PathJob; PathSearch
	KindDiameter   // the largest distance, exactly. It may take a search from every vertex. Diameter; Diameter
	// The kinds from here to KindDegree ask for a score of every vertex. Package rank defines them. Scores; Scores
	KindPageRank
	KindArticleRank
	KindEigenvector
	KindDegree
	KindCloseness   // how near the others are. Package closeness defines it. Scores; Scores
	KindBetweenness // how many shortest paths lead through. Package betweenness defines it. Scores; Scores
	KindLabels      // communities by label propagation. Package community defines them. Community; Communities
	KindLouvain     // communities by modularity, by a heuristic. Community; Communities
	KindDistances   // distances by weights from the nearest source. WeightedPath; Distances
	// KindWeightedPaths asks for the K paths of the least weight between two vertices, by rising weight. WeightedPath; WeightedPaths
	KindWeightedPaths
	KindAStar      // one of these paths, found by estimates of how far the end is. WeightedPath; WeightedPaths
	KindSimilarity // pairs of vertices with common neighbours. Package similarity defines them. Similarity; Similarities
	KindOrbits     // how often each vertex is on each orbit of the graphlets of at most Size vertices of Subgraph, 3 to 5. Orbits
	// KindMotifs asks how many subgraphs are like each of the Graphlets of Size vertices of Subgraph, 3 to 5; Induced: induced ones. Counts.
	KindMotifs
	KindTriads // how many sets of three vertices of Subgraph induce each of the Triads. Counts
	// KindDivide asks how the work of a job can be divided: of a count, or of the matches that Sink would get. Nobody counts or sends any.
	// Job, Sink; Scheme
	KindDivide
	// KindCliqueWork asks for a guess of the work below each root, by rank, in no particular unit. Clique; Scores
	KindCliqueWork
	requestKinds
)

var requestNames = [requestKinds]string{"filter", "join", "join", "formula", "cliques", "lists of cliques", "cliques of every size", "cliques of each node",
	"cliques of each relationship", "maximal cliques", "maximum clique", "triangles", "cores", "trusses", "breadth-first search", "components",
	"shortest path", "path search", "diameter", "page rank", "article rank", "eigenvector centrality", "degrees", "closeness", "betweenness",
	"label propagation", "Louvain", "weighted distances", "weighted paths", "A* search", "node similarity", "orbits of graphlets", "motifs", "triads", "division of work",
	"work of cliques"}

// String names what is asked for as EXPLAIN and PROFILE do.
func (k RequestKind) String() string { return requestNames[k] }

// Request is one question to a Device. Besides Kind and Snapshot, only the fields that its kind names are set.
type Request struct {
	Kind       RequestKind
	Snapshot   *csr.Snapshot
	Pattern    *Pattern
	Job        *Job
	Sink       Sink
	Formula    *FormulaRequest
	Clique     *Clique
	Subgraph   *Subgraph
	Size       int
	Induced    bool
	Triangles  *TriangleRequest
	Cores      *CoreRequest
	Trusses    *TrussRequest
	Traversal  *Traversal
	Components *ComponentRequest
	Path       *PathRequest
	PathJob    *PathJob
	Diameter   *DiameterRequest
	Scores     *ScoreRequest
	Community  *CommunityRequest
	Similarity *SimilarityRequest

	WeightedPath *WeightedPathRequest

	// Emit gets a clique. The slice is only valid during the call; calls do not overlap. It returns false to stop.
	Emit func(clique []csr.VertexID) (more bool, err error)

	// Expected are the sizes that the planner expects of the candidate sets, by query vertex. They stand in for the sets of a
	// request that is not run: EXPLAIN asks where it would go.
	Expected []float64
}

// Answer is what a Device answers. Only the fields that the request's kind names are set.
type Answer struct {
	Candidates *Candidates
	Count      Count128
	Counts     []Count128
	EdgeCounts *EdgeCounts
	Vertices   []csr.VertexID
	ByVertex   []uint64
	Orbits     [][]uint64 // by orbit, by vertex
	Cores      *Cores
	Trusses    *Trusses
	Levels     *Levels
	Components *Components
	PathSearch PathSearch
	Diameter   *Diameter
	Scores     []float64    // by vertex; 0 outside of the request's vertices
	Degrees    *csr.Degrees // in place of Scores

	Communities  *Communities
	Similarities *Similarities
	Distances    *Distances

	WeightedPaths []WeightedPath
	Scheme        *Scheme
}

// Device answers requests. The CPU's is wired from filter, join and kernels; brute force is another one, and a GPU with the CPU
// behind it a third.
//
// A device only gets requests that it can answer: the planner routes only those patterns to the clique kernel for which its
// answer is the pattern's (see Clique and planner's routeClique). A device that has kernels for some kinds hands the others to
// one that has them all. The device alone weighs costs, since it knows its data structures: a kernel with several ways chooses
// one for each sub-problem by rules in one file (such as the clique kernel's), polls ctx, charges env.Memory, and counts in
// env.Tally what it took, which PROFILE prints.
type Device interface {
	Name() string
	Answer(ctx context.Context, r *Request, env *Env) (Answer, error)
}
