// Package cyclic counts homomorphisms of ten graphs in which many cycles meet: the cycles of five and six, the wheels of four and five
// spokes, the house, the clique of five less an edge, the clique of four with a subdivided edge, and the prism.
//
// Input: any adjacency, and a set of vertices to stay in. Directions and loops do not matter. Neither do parallel relationships, unless the
// caller asks for the weights of pairs, which prisms have.
//
// Output: a number of 128 bits for each graph asked for, or pattern.ErrOverflow.
//
// What makes it fast: vertices are ranked by degree. A cycle or a prism is found at its highest vertex, and lists are cut there. A wheel is
// found at its hub, in the graph among the neighbours of the hub. All walks between two vertices are counted once, by arrays.
//
// It never lists a homomorphism, and never estimates one. Measure alone estimates: the list elements that a count visits.
//
// Sources: Chiba and Nishizeki, "Arboricity and subgraph listing algorithms" (1985); Pinar, Seshadhri and Vishal, "ESCAPE" (2017).
// Oracle: enumeration of all assignments (cyclic_test.go).
package cyclic
