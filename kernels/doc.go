// Package kernels is the front door of the graph kernels on the CPU. Each kernel has a package of its own:
//
//	sets        intersect sorted lists, test them against bitmaps
//	triangle    count triangles, all of them or by vertex
//	core        coreness, degeneracy order, the graph oriented by it
//	clique      count and list cliques: of one size, of every size, by vertex, by edge, maximal, maximum
//	truss       trussness of every edge, or one truss
//	bfs         breadth-first search, 64 searches in one pass, one shortest path
//	components  weak and strong components
//	diameter    the exact diameter
//	network     rows of neighbours with weights, for the packages below
//	rank        page rank, article rank, eigenvector centrality, degree
//	dijkstra    distances and k shortest paths in graphs with weights
//	closeness   how near the others are
//	community   communities by label propagation and by modularity
//	similarity  vertices with common neighbours
//	betweenness how many shortest paths lead through a vertex
//	hom         count homomorphisms of small graphs
//	paths       walks that match a path pattern
//	parallel    deal work to workers
//
// Package kernels/cuda answers the same questions on an NVIDIA GPU.
//
// Every kernel takes a context, a graph, a request and an environment. It polls the context, charges its memory to the
// environment's budget, and never changes the graph. This package names those types for programs outside of Motif:
//
//	g, err := kernels.NewGraph(ctx, 4, slices.Values([]kernels.Edge{{0, 1}, {0, 2}, {1, 2}, {2, 3}}))
//	n, _, err := triangle.Count(ctx, g, nil, false, &kernels.Env{Workers: 2})
//
// It imports no kernel, so a program links only the kernels that it calls.
package kernels
