// Package diameter finds the exact diameter: the largest distance between two vertices of which one reaches the other.
//
// Input: any snapshot, types, a direction, and a set of vertices to keep to.
//
// Output: the distance, and two vertices that far apart.
//
// What makes it fast: in direction Both a few sweeps give a lower bound and, in every component, a vertex in the middle. Two vertices
// at most i away from it are at most 2i apart. So the kernel takes eccentricities from the far vertices inwards, 64 in one pass, until the
// bound is 2i. All components are searched at once. In Out and In, where distances are not symmetric, every vertex is a source.
//
// It never estimates. ExactBy takes the searches of another device.
//
// Source: iFUB of Crescenzi et al. (2013). Oracle: Floyd and Warshall (diameter_test.go).
package diameter
