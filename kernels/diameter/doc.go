// Package diameter finds the exact diameter: the largest finite distance from one vertex to another.
//
// Input: any snapshot, types, a direction, and a set of vertices to stay in.
//
// Output: the distance, and two vertices at that distance.
//
// What makes it fast: in direction Both a few sweeps give a lower bound and a central vertex of every component. Two vertices at most i
// away from it are at most 2i apart. So the kernel computes eccentricities from the far vertices inwards, 64 in one pass, until the
// bound is 2i. It searches all components at once. In Out and In distances are not symmetric, so every vertex is a source.
//
// It never estimates. ExactBy runs on the searches of another device.
//
// Source: iFUB, Crescenzi et al., "On computing the diameter of real-world undirected graphs" (2013). Oracle: Floyd and Warshall (diameter_test.go).
package diameter
