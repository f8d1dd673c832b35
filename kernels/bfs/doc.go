// Package bfs searches breadth-first: from one or several sources, from up to 64 in one pass, and from both ends of a path.
//
// Input: any snapshot, sources, a direction, types, a set of vertices to stay in, and a test for blocked vertices. Parallel edges count
// once. The search ignores loops.
//
// Output: depth and parent of every vertex (Search), depths from each source (Depths), a visit for every vertex and depth (Many), or one
// shortest path (ShortestPath). Search with several sources counts depths from the nearest.
//
// What makes it fast: the search pushes a level with few edges from a queue. It pulls a level with many: every unreached vertex looks
// for a neighbour in the frontier's bitmap and stops at the first. The bitmap of reached vertices stays in cache. Workers fill private
// buffers. A level too small to share runs on the caller's goroutine without atomics. Many keeps a mask of 64 searches for each vertex,
// so searches that meet go on as one. ShortestPath grows the end with fewer edges.
//
// It never promises which of several parents a vertex gets. It asks Blocked at most once a vertex (ShortestPath: twice). It builds the
// reverse view at the first pull only.
//
// Source: push and pull, Beamer, Asanovic and Patterson, "Direction-optimizing breadth-first search" (2012); Many, Then et al., "The more
// the merrier" (2014); ShortestPath, Pohl, "Bi-directional search" (1971).
// Oracle: a queue (bfs_test.go) and Floyd and Warshall (package diameter's tests).
package bfs
