package csr

import "slices"

// TypeSet is a sorted set of relationship types. nil stands for any type; empty but not nil for none.
type TypeSet []TypeID

// Has reports whether t is in the set.
func (s TypeSet) Has(t TypeID) bool {
	if s == nil {
		return true
	}
	_, ok := slices.BinarySearch(s, t)
	return ok
}

// Equal reports whether the sets have the same types. Any type differs from a set that happens to have all.
func (s TypeSet) Equal(o TypeSet) bool { return (s == nil) == (o == nil) && slices.Equal(s, o) }

// Overlaps reports whether the sets have a type in common. Any type overlaps every set but the empty one.
func (s TypeSet) Overlaps(o TypeSet) bool {
	if s == nil || o == nil {
		return (s == nil || len(s) > 0) && (o == nil || len(o) > 0)
	}
	for i, j := 0, 0; i < len(s) && j < len(o); {
		switch {
		case s[i] < o[j]:
			i++
		case s[i] > o[j]:
			j++
		default:
			return true
		}
	}
	return false
}

// Union returns the types of either set.
func (s TypeSet) Union(o TypeSet) TypeSet {
	if s == nil || o == nil {
		return nil
	}
	u := make(TypeSet, 0, len(s)+len(o))
	u = append(append(u, s...), o...)
	slices.Sort(u)
	return slices.Compact(u)
}
