package pattern

import (
	"fmt"
	"slices"
	"strings"
)

// FilterDepth is how many tiers of the filter run on top of those that every answer needs: labels, and the predicates on
// single vertices. It never changes an answer.
type FilterDepth uint8

const (
	FilterAuto      FilterDepth = iota // all tiers, signatures once they are worth building
	FilterLabel                        // none
	FilterDegree                       // degrees, loops
	FilterSignature                    // and signatures, built at once where a query asks for something in them
	FilterRefine                       // and neighbours by label, selective predicates first, arc consistency: all there is
)

// FilterDepths are the names of the depths, by value.
var FilterDepths = []string{"auto", "label", "degree", "signature", "refine"}

// String is the name of d.
func (d FilterDepth) String() string { return FilterDepths[d] }

// ParseFilterDepth reads a name.
func ParseFilterDepth(name string) (FilterDepth, error) {
	i, err := choice("filter", name, FilterDepths)
	return FilterDepth(i), err
}

// Reaches reports whether the tiers that at names run.
func (d FilterDepth) Reaches(at FilterDepth) bool { return d == FilterAuto || d >= at }

// KernelChoice says who may answer a complete pattern. It never changes an answer.
type KernelChoice uint8

const (
	KernelAuto   KernelChoice = iota // the clique kernel where it is expected to be faster
	KernelJoin                       // the join
	KernelClique                     // the clique kernel wherever it can, the join elsewhere
)

// KernelChoices are the names of the choices, by value.
var KernelChoices = []string{"auto", "join", "clique"}

// String is the name of k.
func (k KernelChoice) String() string { return KernelChoices[k] }

// ParseKernelChoice reads a name.
func ParseKernelChoice(name string) (KernelChoice, error) {
	i, err := choice("kernel", name, KernelChoices)
	return KernelChoice(i), err
}

func choice(what, name string, names []string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no %s %q: there are %s", what, name, strings.Join(names, ", "))
	}
	return i, nil
}
