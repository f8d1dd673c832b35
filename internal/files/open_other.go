//go:build !unix

package files

// withoutWaiting is a flag of Unix.
const withoutWaiting = 0
