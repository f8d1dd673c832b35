// Package paths finds walks that match a path pattern: all of them, their ends, or the shortest.
//
// Input: a snapshot and a pattern whose parts repeat (pattern.Path). NewSearch prepares them once; then each row brings a query.
//
// Output: walks to a callback, in no order; or only their ends, or their number.
//
// What makes it fast: the search reads neighbour lists, and tells edges apart by their ends if no two edges join the same vertices and
// the caller needs no ids. A last step to a given end is a look-up, and a long search knows the distances to that end (aim.go); for a number alone it is a degree (count.go). For ends
// alone, a breadth-first search over (vertex, place in the pattern) visits each pair once (reach.go). If the pattern repeats one
// edge, package bfs does that. Shortest walks (shortest.go) come from a depth-first search against the pattern. The levels of a
// breadth-first search keep it on walks that arrive in time. If any one shortest walk will do, the tree of a breadth-first search has it
// (tree.go).
//
// It never uses more than one worker a search, and holds only the present walk. Memory: the walk, and a bit for each edge or
// vertex that may not repeat.
//
// Source: path modes and the shortest selectors follow GQL, ISO/IEC 39075:2024. Oracle: testgraph.Brute (walk_test.go).
package paths
