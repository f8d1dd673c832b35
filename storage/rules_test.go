package storage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

// A store has format 3 until it gets a rule that older programs do not know. From then on its file HEAD says 4, also after
// a compaction, so that they refuse it.
func TestFormatOfRules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	s := mustOpen(t, dir, Options{Create: true})
	create := func(r csr.Rule) {
		t.Helper()
		tx, err := s.Begin(t.Context(), Sync)
		if err == nil {
			err = tx.Draft().CreateRule(r)
		}
		if err == nil {
			err = tx.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	format := func(want byte) {
		t.Helper()
		if data, err := os.ReadFile(filepath.Join(dir, headName)); err != nil || data[0] != want {
			t.Errorf("HEAD has format %d, not %d: %v", data[0], want, err)
		}
	}
	create(csr.Rule{Kind: csr.RuleUnique, Name: "a", On: "A", Keys: []string{"x"}})
	format(3)
	create(csr.Rule{Kind: csr.RuleUnique, Name: "b", On: "A", Keys: []string{"x", "y"}})
	format(4)
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	format(4)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir, Options{})
	if rules := mustSnapshot(t, s).Schema.Constraints; len(rules) != 2 || !rules[1].Same(&csr.Rule{Kind: csr.RuleUnique, On: "A", Keys: []string{"x", "y"}}) {
		t.Errorf("the constraints are %v", rules)
	}
	mustBeClean(t, s)
}
