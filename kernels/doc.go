// Package kernels is the root of the graph kernels on the CPU, one package a subject:
//
//	sets        intersection of sorted lists, bitmaps
//	triangle    triangles, all of them and by vertex
//	core        cores, degeneracy order, orientation
//	clique      cliques of one size or every size, by vertex and edge, maximal, maximum
//	truss       trusses
//	bfs         breadth-first search, many searches at once, one shortest path
//	components  weak and strong components
//	diameter    the exact diameter
//	hom         homomorphism counts of small graphs
//	paths       walks that match a path pattern
//	parallel    work dealt to workers
//
// Package kernels/cuda has the same for NVIDIA's GPUs.
package kernels
