// Package triangle counts triangles: all of them, and by vertex.
//
// Input: any snapshot and a set of types. Adjacency goes in both directions; the kernel ignores loops and parallel relationships.
//
// Output: the number of triangles and, on request, the number of triangles at each vertex.
//
// What makes it fast: vertices are numbered by falling degree, so that a vertex has few neighbours before it: its hubs, at
// most sqrt(2m). Each triangle is found once, at its last vertex u: the kernel marks the hubs of u in a bitmap and looks up
// the hubs of each of them there. The first vertices, which are in most triangles, keep their hubs as bitmaps (dense rows), which it
// intersects by AND and popcount. For counts by vertex a dense row holds all neighbours in the dense part. Then one popcount for v
// counts the triangles of u, v and any third dense vertex.
//
// It never lists a triangle and never builds more than one oriented copy of the graph. Memory: 4 bytes an edge, 16 a vertex, at most
// 2 MiB of dense rows, and for each worker one bit a vertex, or 8 bytes for numbers by vertex.
//
// Source: the forward algorithm of Schank and Wagner, "Finding, counting and listing all triangles in large graphs" (2005), with bitmaps
// in place of merges.
// Oracle: testgraph.Brute, package clique, and published counts (triangle_test.go).
package triangle
