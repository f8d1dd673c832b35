// Package graphlet counts graphlets: the induced connected subgraphs of at most five vertices.
//
// Input: any snapshot, types, and a set of vertices to stay in. Directions, loops and parallel relationships do not matter to Orbits.
// Triads reads directions.
//
// Output: how often each vertex stands on each orbit of the 30 graphlets; or the numbers of the 16 directed graphs on three vertices.
//
// What makes it fast: it lists triangles and pairs of joined neighbours, but never a subgraph of five vertices. Sums along lists give
// the homomorphisms of most graphlets, and few equations the induced subgraphs. Cliques of five come from package clique.
//
// It never estimates. It refuses a graph in which a number of homomorphisms may exceed 64 bits.
//
// Sources: Hočevar and Demšar, "A combinatorial approach to graphlet counting" (2014); Pashanasangi and Seshadhri, "Efficiently counting
// vertex orbits of all 5-vertex subgraphs, by EVOKE" (2020); Pinar, Seshadhri and Vishal, "ESCAPE" (2017). Oracle: testgraph.Brute.
package graphlet
