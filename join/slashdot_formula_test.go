package join_test

import (
	"testing"

	"github.com/motifql/motif/internal/pattern"
)

// TestSlashdotByFormula counts the labelled patterns as a query does: with a formula, of one term here, since no vertex has
// two of the labels.
func TestSlashdotByFormula(t *testing.T) {
	s := slashdot(t)
	for _, q := range labelledPatterns {
		env := &pattern.Env{Workers: 2, Tally: new(pattern.Tally)}
		if got := countByFormula(t, s, labelled(s, q.edges), env); got != q.want {
			t.Errorf("%s: %d, want %d", q.name, got, q.want)
		}
		if q.name == "cycle5" && env.Tally.Taken[pattern.Separators].Load() == 0 {
			t.Errorf("%s was counted by a search", q.name)
		}
	}
}

func BenchmarkSlashdotByFormula(b *testing.B) {
	s := slashdot(b)
	for _, q := range labelledPatterns {
		p := labelled(s, q.edges)
		b.Run(q.name, func(b *testing.B) {
			defer reportCPU(b)()
			for b.Loop() {
				if got := countByFormula(b, s, p, &pattern.Env{Workers: 1}); got != q.want {
					b.Fatalf("%d, want %d", got, q.want)
				}
			}
		})
	}
}
