// Package truss finds trusses: the trussness of every edge, the edges of one k-truss, or the truss of the largest k.
//
// Input: any snapshot and a set of types, fewer than 2^32 edges. Adjacency goes in both directions; loops and parallel relationships are
// ignored.
//
// Output: edges with their trussness, in the same order for any number of workers.
//
// What makes it fast: triangles are counted once each, over the orientation towards larger degrees (support.go). Edges leave level by
// level (peel.go), and levels without edges are skipped. An edge that leaves looks for its triangles in the row of its end of smaller
// degree, by a mark for each neighbour of the other end, and stops when it has them all. Rows are compacted when a quarter of their
// edges are gone. For one k the graph is cut to its (k-1)-core first, and counting again replaces peeling where that is less work
// (worthRecount). For the largest k only the densest cores are looked at (largest). Workers share a round by chunks of its queue.
//
// It never keeps the triangles. Memory: 41 bytes an edge, 32 a vertex, 4 more for each worker, and 4 an edge without private buffers.
//
// Source: Wang and Cheng, "Truss decomposition in massive networks" (2012); rounds as in PKT, Kabir and Madduri (2017).
// Oracle: the definition, edge by edge (truss_test.go).
package truss
