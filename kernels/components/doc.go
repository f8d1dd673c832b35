// Package components finds weakly and strongly connected components.
//
// Input: any snapshot, types, and a set of vertices to keep to.
//
// Output: a component by vertex, numbered by their smallest vertices, and the size of each.
//
// What makes it fast: weak components link the ends of every relationship, straight from the relationships, so no view is needed.
// Links lead to smaller vertices only, so workers agree by one compare-and-swap. A first pass links every vertex by one relationship;
// after it the ends of most relationships have the same root at once. Strong components are found on one worker with one array of
// indices.
//
// It never recurses: a path of a million vertices takes no stack.
//
// Source: weak, Afforest of Sutton, Ben-Nun and Barak (2018); strong, Tarjan (1972) with Pearce's array (2016).
// Oracle: distances between all pairs (components_test.go).
package components
