// Package bfs searches breadth-first: from one or several sources, from up to 64 in one pass, and from both ends of a path.
//
// Input: any snapshot, sources, a direction, types, a set of vertices to keep to, and a test for blocked vertices. Parallel relationships
// collapse; loops lead nowhere.
//
// Output: depth and parent of every vertex (Search), depths from each source (Depths), a visit for every vertex and depth (Many), or one
// shortest path (ShortestPath). Several sources make one search, whose depths count from the nearest.
//
// What makes it fast: a level with few edges is pushed from a queue of its vertices. A level with many is pulled: every vertex not yet
// reached looks for one neighbour in the frontier's bitmap and stops at the first. Reached vertices are a bitmap, which stays in
// cache. Workers fill private buffers; a level too small to share runs on the caller's goroutine without atomics. Many keeps a mask of
// 64 searches a vertex, so that searches that meet go on as one. ShortestPath lets the end with fewer edges grow.
//
// It never promises which parent of several a vertex gets. It asks Blocked at most once a vertex (ShortestPath: twice), and builds a view
// for pulling only at the first pull.
//
// Source: Beamer, Asanovic and Patterson (2012); many searches, Then et al. (2014); both ends, Pohl (1971).
// Oracle: a queue (bfs_test.go) and Floyd and Warshall (package diameter's tests).
package bfs
