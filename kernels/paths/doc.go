// Package paths finds walks that match a path pattern: all of them, their ends, or the shortest.
package paths
