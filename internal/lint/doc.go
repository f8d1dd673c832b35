// Package lint holds the rules of the code base that a test can enforce: which package may import which, which
// dependency belongs to which package, and how long files and functions may be.
package lint
