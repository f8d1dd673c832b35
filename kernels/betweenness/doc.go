// Package betweenness scores vertices by the shortest paths that lead through them.
//
// Input: any snapshot, and a pattern.ScoreRequest. Weights are lengths above 0; of parallel edges the shortest counts.
//
// Output: a score for every vertex: the sum, over all pairs of other vertices s and t, of the share of shortest paths from s to t that lead
// through it. In direction Both, each pair counts once. With Sources, s is one of them, and every ordered pair counts. Normalize divides by the
// number of pairs of other vertices.
//
// Answers are exact up to rounding. Counts of paths are floats: they round above 2^53, and 1e308 is the largest.
//
// What makes it fast: one search from every source, which counts paths; then one pass back over the levels. What the pass back
// reads of a neighbour stands in one place of 24 bytes. A worker adds up a fixed run of sources; the runs are added in their order. So answers are
// equal to the last bit for any number of workers.
//
// Source: Brandes, "A faster algorithm for betweenness centrality" (2001). Oracle: all pairs, with counts of paths (package testgraph).
package betweenness
