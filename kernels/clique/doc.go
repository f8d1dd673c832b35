// Package clique counts and lists cliques: of one size, of every size, by vertex, by edge, maximal ones, and a maximum one.
//
// Input: any snapshot and a Clique (k vertices from disjoint sets) or a Subgraph. Adjacency goes in both directions. Parallel edges
// count once; loops do not count.
//
// Output: counts in 128 bits, exact or pattern.ErrOverflow; or each clique once, to a callback.
//
// What makes it fast: a degeneracy order orients the graph, so a root has at most degeneracy candidates. The subgraph that they induce
// becomes a small bitmap (lists.go, induced_subgraph.go; up to 64 vertices, word.go), one level deeper if it is sparse. Below, the
// search is AND and popcount, with the last two levels in one loop. The kernel counts dense sub-problems by pivots (pivot.go)
// or by their missing edges (complement.go); rule.go chooses. Workers take roots from the dense end and share large ones (split.go).
// group.go enumerates cliques of several groups, and lists cliques. by_size.go and per_vertex.go keep the leaves of pivot trees
// instead of cliques. maximal.go and maximum.go have searches of their own.
//
// It never lists cliques for a count. Calls of a callback never overlap. Memory: scratchBytes for each worker.
//
// Source: KCMiner, whose sections the code cites; pivot trees, Jain and Seshadhri, "The power of pivoting for exact
// clique counting" (2020); maximal cliques, Eppstein, Löffler and Strash (2010) with Tomita's pivot (2006); maximum clique, Tomita and
// Kameda (2007), San Segundo et al. (2011). Oracle: every choice tried (clique_test.go, count_test.go) and TRUTH.tsv (truth_test.go).
package clique
