// Package core finds cores: the coreness of every vertex, one k-core, a degeneracy order, and the graph oriented by it.
//
// Input: any snapshot, a direction, types, and a set of vertices to stay in. Parallel edges count once; loops do not count. In
// directions Out and In, one view gives the degree of a vertex. Its removal lowers the degrees of its neighbours in the reverse view.
//
// Output: the coreness of every vertex (Decompose), or the members of one k-core; if asked for, the order of removal. Orientation
// returns the simple graph with every edge from its lower to its higher end in that order. The snapshot keeps it.
//
// What makes it fast: four algorithms give one answer, for different shapes of graphs. Bins (bins.go) take linear time on one worker.
// Rounds (rounds.go) remove a level's vertices together on several workers. Passes over flags (passes.go) read bitmaps and keep no
// queue. Estimates (estimates.go) need no atomic addition.
//
// It never changes the graph. It reads at most 2^16 neighbours between two polls for cancellation.
//
// Source: bins, Batagelj and Zaversnik, "An O(m) algorithm for cores decomposition of networks" (2003); rounds, Dasari, Desh and
// Zubair, "ParK" (2014); passes, RLCore; estimates, ESCore, after Montresor, De Pellegrini and Miorandi, "Distributed k-core
// decomposition" (2013). Oracle: the definition, round by round (core_test.go, bins_test.go).
package core
