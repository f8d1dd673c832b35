// Package lint holds the rules of the code base that a test can enforce: which package may import which, which
// dependency belongs to which package, how long files, functions and sentences of the docs may be, and what docs may name.
package lint
