// Package components finds weakly and strongly connected components.
//
// Input: any snapshot, types, and a set of vertices to stay in.
//
// Output: the component of every vertex, and the size of each component. Components are numbered by rising smallest vertex.
//
// What makes it fast: weak components link the two ends of every edge, straight from the edge list, without a view. Links lead to
// smaller vertices only, so workers agree by one compare-and-swap, and one rising pass numbers the trees, however deep. Several workers
// first link each vertex by one edge. After it most edges have both ends below one root. A single worker needs no atomics and no first
// pass: it keeps the root of the row at hand. Strong components take one worker and one array of indices.
//
// It never recurses: a path of a million vertices needs no deep stack.
//
// Source: weak, Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling" (Afforest, 2018);
// strong, Tarjan (1972) with one array as in Pearce, "A space-efficient algorithm for finding strongly connected components" (2016).
// Oracle: distances between all pairs (components_test.go).
package components
