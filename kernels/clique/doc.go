// Package clique counts and lists cliques: of one size, of every size, by vertex and by edge, maximal and maximum ones.
package clique
