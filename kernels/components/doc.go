// Package components finds weakly and strongly connected components.
package components
