// Package core finds cores: the coreness of every vertex, one k-core, a degeneracy order, and the graph oriented by it.
//
// Input: any snapshot, a direction, types, and a set of vertices to keep to. Parallel relationships collapse; loops are ignored. In
// directions Out and In a vertex has a degree by one view; when it goes, those lose one that the reverse view lists.
//
// Output: coreness by vertex (Decompose), or the members of the core for one k; with Order the order of removal. Orientation gives
// the simple graph with every edge from its lower to its higher end in that order, kept with the snapshot.
//
// What makes it fast: four ways with one answer, for different shapes of graphs. By bins (bins.go) takes linear time on one worker.
// By rounds (rounds.go) removes a level's vertices together on several workers. By passes over flags (passes.go) reads bitmaps and
// keeps no queue. By estimates (estimates.go) needs no atomic addition.
//
// It never changes the graph, and looks at no more than 2^16 neighbours between two polls for cancellation.
//
// Source: bins, Batagelj and Zaversnik (2003); rounds, ParK of Dasari, Desh and Zubair (2014); estimates, Montresor, De Pellegrini and
// Miorandi (2013); passes and estimates as RLCore and ESCore. Oracle: the definition, round by round (core_test.go, bins_test.go).
package core
