// Package core finds cores: the coreness of every vertex, a degeneracy order, and the graph oriented by it.
package core
