// Package closeness scores vertices by how near the others are.
//
// Input: any snapshot, and a pattern.ScoreRequest. Weights are lengths; of parallel edges the shortest counts.
//
// Output: a score for every vertex; 0 outside of the request's set, and for a vertex that reaches no other one. A vertex that reaches r
// others, of n-1 that there are, and whose distances to these add up to d, has
//
//   - r/d: classic closeness
//   - r/d * r/(n-1): after Wasserman and Faust, which compares parts of a graph that is not connected
//   - the mean of 1/distance over all n-1 others, 0 for those not reached: harmonic closeness
//
// Answers are exact up to the rounding of one division; with weights, of the sums.
//
// What makes it fast: without weights 64 searches share one pass, backwards from their sources. The mask of searches that arrive at a
// vertex tells how many sources it has at that distance, so a pass adds to one sum per vertex. The sums are integers (fixed point for
// harmonic closeness): they do not depend on the number of workers. A level with many edges is pulled. With weights, there is a search of
// package dijkstra from every vertex.
//
// Source: Then et al., "The more the merrier: efficient multi-source graph traversal" (2014). Oracle: Floyd and Warshall (package testgraph).
package closeness
