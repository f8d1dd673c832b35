// Package paths finds walks that match a path pattern: all of them, their ends, or the shortest.
//
// Input: a snapshot and a pattern whose parts repeat (pattern.Path), prepared once by NewSearch; then a query for each row.
//
// Output: walks to a callback, in no order; or only their ends, or how many there are.
//
// What makes it fast: rows are views. Relationships are told apart by their ends alone where no two join the same nodes and nobody
// wants their ids. A last step to a given end is a look-up; where only a number is wanted it is a degree (count.go). Where only ends are
// wanted a breadth-first search over (node, place in the pattern) visits each pair once (reach.go), or package bfs does where the pattern
// is one relationship over and over. Shortest walks (shortest.go) are found depth-first against the pattern, and the levels of such a
// search keep them on ways that arrive in time.
//
// It never uses more than one worker a search, and holds no walk but the one it is on. Memory: the walk, and a bit for each
// relationship or node that may not repeat.
//
// Source: the modes and selectors are those of GQL, ISO/IEC 39075 (2024). Oracle: testgraph.Brute (walk_test.go).
package paths
