// Package community divides a graph into communities: by label propagation, or by modularity.
//
// Input: any snapshot, and a pattern.CommunityRequest. Edges lead both ways; weights add up.
//
// Output: the community of every vertex, the sizes of communities, and the modularity of the division. Communities are numbered by rising
// smallest vertex.
//
//   - Labels: every vertex starts with a label of its own. In each iteration the vertices, in an order that the seed
//     gives, take the label with the largest weight among their neighbours. A vertex keeps its label if that is among the largest, else it takes the
//     first of the largest in the order. It ends when each vertex has a label that is among the largest, or after the iterations that the request admits.
//   - Louvain: vertices move to the neighbouring community that gains most modularity, until none gains. Communities become the vertices of a smaller
//     graph, for which the same is done; to be exact, parts of communities do, so that these can still leave. Then the division is
//     carried back level by level, and vertices move again. All of this repeats while it gains 0.00005. In the end no move of one vertex gains.
//
// Finding the largest modularity is NP-hard: Louvain's is a lower bound. The modularity that is returned is exact up to rounding.
//
// What makes it fast: only vertices with a neighbour that moved are looked at again. Weights to communities stand in an array that is cleared by
// the list of communities touched. Both algorithms take one worker, so answers do not depend on the number of workers.
//
// Source: Raghavan, Albert and Kumara (2007); Blondel et al. (2008); parts of communities, Traag, Waltman and
// van Eck (2019); moves on the way back, Rotta and Noack, "Multilevel local search
// algorithms for modularity clustering" (2011). Oracle: a dense label propagation (package testgraph); all divisions of small graphs (community_test.go).
package community
