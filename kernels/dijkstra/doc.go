// Package dijkstra finds distances and paths in graphs with weights that are not negative.
//
// Input: rows of package network, or a snapshot and a pattern.WeightedPathRequest.
//
// Output: the distance of every vertex that a search reaches, in the order in which it settles them; or the k shortest paths between two
// vertices. These come one after the other: each leaves a path before it at some vertex, and goes on from there by a search. Guided finds one
// of them by A*, with estimates that it fits to the weights.
//
// What makes it fast: entries, pairs of a distance and a vertex, wait in buckets, each for a range of distances. Only the entries of the bucket
// at hand are in a heap, of four children per entry, so it is small. A better distance adds an entry; the worse ones mostly are dropped
// before they enter the heap. So no array says where a vertex is. A search clears only what it has reached.
//
// Distances are sums of floats, added from the source on. Two paths are equally long if these sums are equal.
//
// Ties: of several paths with the same distance, the one through the vertex settled first wins. So answers do not depend on workers.
//
// Source: Dijkstra (1959); Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths" (1968); Yen, "Finding the k shortest loopless paths in a network" (1971). Oracle: Floyd and Warshall (package testgraph).
package dijkstra
