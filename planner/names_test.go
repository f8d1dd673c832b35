package planner_test

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/planner"
)

// TestNames holds what finds a name against the lists.
func TestNames(t *testing.T) {
	s := new(csr.Snapshot)
	s.Labels, s.Types, s.Keys = csr.NewDict("A", "B"), csr.NewDict("B", "C"), csr.NewDict("C", "D")
	n := planner.Names{Snapshot: s}
	for i, c := range []struct {
		list []string
		has  func(string) bool
	}{{n.Labels(), n.HasLabel}, {n.Types(), n.HasType}, {n.Keys(), n.HasKey}} {
		for _, name := range []string{"A", "B", "C", "D", ""} {
			if got, want := c.has(name), slices.Contains(c.list, name); got != want {
				t.Errorf("list %d, %q: %v, the list says %v", i, name, got, want)
			}
		}
	}
}
