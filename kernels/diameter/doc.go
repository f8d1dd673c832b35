// Package diameter finds the exact diameter of a graph.
package diameter
