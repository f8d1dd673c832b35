// Package bfs searches breadth-first: from one or several sources, from up to 64 in one pass, and for one shortest path from both ends.
package bfs
