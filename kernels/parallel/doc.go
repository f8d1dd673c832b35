// Package parallel deals the work of a kernel to workers.
package parallel
