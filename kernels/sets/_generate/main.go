// Command _generate writes the assembly of package sets: go generate ./kernels/sets runs it. It is a module of its own, so
// that what it needs never becomes a dependency of Motif.
//
// Every function takes pointers and lengths, reads and writes nothing outside them, and has a twin in Go in
// simd_twins.go.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	andKernels512()
	andKernels256()
	intersections512()
	intersections256()
	gallops512()
	marked512()
	Generate()
}

// function opens a function that keeps no pointer.
func function(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

// imm is a small constant.
func imm(n int) Op { return Imm(uint64(n)) }
