// Package truss finds trusses: the trussness of every edge, or one truss.
package truss
