// Package hom counts homomorphisms of small graphs without going through them.
package hom
