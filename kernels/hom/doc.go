// Package hom counts homomorphisms of small graphs without going through them.
//
// Input: graphs whose vertices take their values in given sets, with weights (pattern.Factor). A Counter takes those that come apart into
// blocks with a pivot: one vertex, or two adjacent ones, that all cycles of the block run through. Up to five vertices that is every
// graph but the complete one.
//
// Output: a count in 128 bits for each graph, or pattern.ErrOverflow; or a Program that a device runs in its place.
//
// What makes it fast: a vertex with one neighbour is summed out beforehand, and so are blocks that hang on one vertex. For each value of
// the pivot the rest is a forest, and the ways to match a tree below a vertex are an array over its values. An array is made from another
// by adding along neighbour lists. Arrays that several graphs need are made once. Triangles without labels go to package triangle.
//
// It never lists a homomorphism, and intersects no lists but for a second pivot.
//
// Source: Díaz, Serna and Thilikos, "Counting H-colorings of partial k-trees" (2002), for decompositions with one vertex in all bags
// of a block. Oracle: all assignments tried (hom_test.go).
package hom
