// Package network makes the graph that measures of vertices and weighted paths read: rows of neighbours with weights.
//
// Input: any snapshot, and a pattern.Network: types, a direction, vertices to stay in, and the property that is the weight.
//
// Output: a Graph. Its vertices have numbers without gaps. It has no loops and no parallel edges.
//
// What makes it fast: without weights, loops and a set of vertices it shares the arrays of the snapshot's view and copies nothing.
// Otherwise it copies what counts, so that no kernel tests membership or reads a property in its inner loop. Weights are read many
// at a time. The snapshot keeps the last rows with weights of all vertices, so that further calls copy nothing. Rows of several types or directions are merged, since all of them rise: nothing is sorted.
//
// It never guesses a weight: a property that is missing, negative, infinite, NaN or no number is a pattern.WeightError, which
// names the edge.
//
// Oracle: the relationships of each pair of vertices (network_test.go).
package network
