// Package hom counts homomorphisms of small graphs without enumerating them.
//
// Input: graphs whose vertices range over given sets, with weights (pattern.Factor). A Counter accepts a graph if each of its blocks has a
// pivot: one vertex, or two adjacent vertices, on all cycles of the block. Up to five vertices every graph but the complete one
// qualifies.
//
// Output: a count in 128 bits for each graph, or pattern.ErrOverflow; or a Program that a device runs in place of Count.
//
// What makes it fast: the counter sums out vertices with one neighbour, and blocks that hang on one vertex. For each value of the pivot
// the rest is a forest. An array over the values of a vertex holds the number of ways to match the tree below it. The counter
// computes an array from another by adding along neighbour lists, and shares arrays between graphs. Triangles without labels go to
// package triangle. A cycle of four is counted at its vertex of the highest degree (cycle.go). A vertex with two neighbours that are joined
// becomes a weight of their pair (support.go). The counter takes whatever reads the fewest list elements.
//
// AddRooted asks for the numbers by the value of one vertex, in one run with the totals.
//
// It never lists a homomorphism. It intersects lists only for a second pivot, and multiplies the weights that a common neighbour has there.
//
// Source: Díaz, Serna and Thilikos, "Counting H-colorings of partial k-trees" (2002), for decompositions with one vertex in all bags
// of a block. Oracle: enumeration of all assignments (hom_test.go).
package hom
