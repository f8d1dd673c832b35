//go:build !linux

package csr

// huge returns an array as it is.
func huge[T any](list []T) []T { return list }
