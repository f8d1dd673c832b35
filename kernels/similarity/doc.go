// Package similarity finds for each vertex those with the most neighbours in common.
//
// Input: any snapshot, and a pattern.SimilarityRequest. Weights are not read.
//
// Output: pairs of vertices with a neighbour in common, and their similarity; for each source the TopK best.
//
// What makes it fast: it goes from a vertex to its neighbours and from these back, and counts how often it meets each other vertex. So it never
// looks at pairs without a common neighbour, and compares no lists. Counts stand in an array that is cleared by the list of vertices met.
// The best of a source are kept in a heap. Workers share nothing; answers do not depend on their number.
//
// Oracle: all pairs (package testgraph).
package similarity
