package pattern

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Technique is a way to be faster that a query can switch off. No technique changes an answer: tests switch each off
// and compare. PROFILE shows how often each was taken. Its number may change from version to version; its name may not.
type Technique uint8

// String returns the technique's name.
func (m Technique) String() string { return techniques[m].name }

// Unit says what one use of the technique is.
func (m Technique) Unit() string { return techniques[m].unit }

// Owner names the part of the engine that takes the technique.
func (m Technique) Owner() string { return techniques[m].owner }

// GPUOnly reports whether only kernels of a GPU have the technique.
func (m Technique) GPUOnly() bool { return techniques[m].gpu }

// AllTechniques yields every technique, owner by owner.
func AllTechniques() iter.Seq[Technique] {
	return func(yield func(Technique) bool) {
		for m := range maxTechniques {
			if !yield(m) {
				return
			}
		}
	}
}

// TechniqueNames lists the names of all techniques.
func TechniqueNames() (names []string) {
	for m := range AllTechniques() {
		names = append(names, m.String())
	}
	return names
}

// Techniques is a set of techniques.
type Techniques [(maxTechniques + 63) / 64]uint64

// With returns the set and m.
func (s Techniques) With(m Technique) Techniques {
	s[m>>6] |= 1 << (m & 63)
	return s
}

// Has reports whether m is in the set.
func (s Techniques) Has(m Technique) bool { return s[m>>6]>>(m&63)&1 != 0 }

// ParseTechniques reads names separated by commas.
func ParseTechniques(text string) (Techniques, error) {
	var set Techniques
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		i := slices.Index(TechniqueNames(), name)
		if i < 0 {
			return set, fmt.Errorf("there is no technique %q: there are %s", name, strings.Join(TechniqueNames(), ", "))
		}
		set = set.With(Technique(i))
	}
	return set, nil
}

// Uses reports whether m is on. A nil Env has all on.
func (e *Env) Uses(m Technique) bool { return e == nil || !e.Without.Has(m) }

// Took counts n uses of m.
func (e *Env) Took(m Technique, n uint64) {
	if e != nil && e.Tally != nil && n > 0 {
		e.Tally.Taken[m].Add(n)
	}
}
