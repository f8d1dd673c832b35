package pattern

import (
	"fmt"

	"github.com/motifql/motif/internal/csr"
)

// labelKey is the key of a label's vertices, or of all vertices, among a snapshot's derived data.
type labelKey struct {
	any bool
	id  csr.LabelID
}

// String names it for PROFILE.
func (labelKey) String() string { return "nodes by label" }

// Admitted returns the set of vertices that l admits. The snapshot keeps those of a single label, and that of all vertices.
func Admitted(s *csr.Snapshot, l *Label) *CandidateSet {
	var key any
	switch {
	case l == nil:
		key = labelKey{any: true}
	case l.Op == LabelName && !l.Unknown:
		key = labelKey{id: l.ID}
	default:
		return admittedLater(s, l, func() func() { return func() {} })
	}
	if set, ok := csr.FindDerived(s, key).(*CandidateSet); ok {
		return set
	}
	return s.Derived(key, func() any {
		return admittedLater(s, l, func() func() { return s.Deriving(fmt.Sprint(key)) })
	}).(*CandidateSet)
}

// admittedLater returns the set of vertices that l admits. The set lists them when it must, which may be never: an index often finds the
// few that a query wants. It calls deriving before that, and what this returns afterwards.
func admittedLater(s *csr.Snapshot, l *Label, deriving func() func()) *CandidateSet {
	var ranges []csr.Range
	for i := range s.Classes {
		if c := &s.Classes[i]; l.Admits(c.Labels) {
			ranges = append(ranges, csr.Range{Lo: c.Lo, Hi: c.Hi})
		}
	}
	return LateCandidateSet(s.N(), ranges, func(v csr.VertexID) bool { return l.Admits(s.LabelsOf(v)) }, deriving)
}

// CountAdmitted returns how many vertices l admits.
func CountAdmitted(s *csr.Snapshot, l *Label) (n int) {
	for i := range s.Classes {
		if c := &s.Classes[i]; l.Admits(c.Labels) {
			n += int(c.Hi - c.Lo)
		}
	}
	return n
}
