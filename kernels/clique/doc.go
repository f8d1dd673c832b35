// Package clique counts and lists cliques: of one size, of every size, by vertex, by edge, maximal ones, and a maximum one.
//
// Input: any snapshot and a Clique (k vertices from disjoint sets) or a Subgraph. Adjacency goes in both directions; loops and parallel
// relationships are ignored.
//
// Output: counts in 128 bits, exact or pattern.ErrOverflow; or each clique once, to a callback.
//
// What makes it fast: the graph is oriented by a degeneracy order, so a root has at most degeneracy candidates. What they see of each
// other becomes a small bitmap (lists.go, induced_subgraph.go; up to 64 vertices, word.go). Where that would be sparse it is built a
// level deeper. Below it the search is AND and popcount, the last two levels in one loop. Dense sub-problems are counted by
// pivots (pivot.go) or by their missing edges (complement.go); rule.go says when. Workers take roots from the dense end and share
// large ones (split.go). Several groups, and lists of cliques, are enumerated (group.go). by_size.go and per_vertex.go keep the
// leaves of pivot trees instead of cliques. maximal.go and maximum.go have searches of their own.
//
// It never lists what it is only asked to count. Calls of a callback never overlap. Memory: scratchBytes for each worker.
//
// Source: KCMiner, whose sections are cited where they are followed; pivot trees, Jain and Seshadhri, "The power of pivoting for exact
// clique counting" (2020); maximal cliques, Eppstein, Löffler and Strash (2010) with Tomita's pivot (2006); maximum clique, Tomita and
// Kameda (2007), San Segundo et al. (2011). Oracle: every choice tried (clique_test.go, count_test.go) and TRUTH.tsv (truth_test.go).
package clique
