// Package truss finds trusses: the trussness of every edge, the edges of one k-truss, or the truss of the largest k.
//
// Input: any snapshot and a set of types, fewer than 2^32 edges. Adjacency goes in both directions. Parallel edges count once; loops do
// not count.
//
// Output: edges with their trussness, in the same order for any number of workers.
//
// What makes it fast: the kernel counts each triangle once, over the orientation towards larger degrees (support.go). It removes edges
// level by level (peel.go) and skips levels without edges. To find the triangles of a leaving edge it marks the neighbours of one end
// and reads the row of the end of smaller degree. It stops at the last triangle. It compacts rows when a quarter of their edges are gone.
// For one k it cuts the graph to its (k-1)-core first, and counts again instead of peeling where that is less work (worthRecount). For
// the largest k it reads only the densest cores (largest). Workers share a round by chunks of its queue.
//
// It never stores triangles. Memory: 41 bytes an edge, 32 a vertex, 4 more for each worker, and 4 an edge without private buffers.
//
// Source: Wang and Cheng, "Truss decomposition in massive networks" (2012); rounds as in PKT, Kabir and Madduri, "Parallel
// k-truss decomposition on multicore systems" (2017).
// Oracle: the definition, edge by edge (truss_test.go).
package truss
