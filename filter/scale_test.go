package filter_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// BenchmarkSignatures builds all signatures of RMAT graphs of growing size with five labels, each time anew. It reports the
// bytes a vertex and the milliseconds of each part, the least of all rounds.
func BenchmarkSignatures(b *testing.B) {
	for scale := 12; scale <= 16; scale++ {
		b.Run(fmt.Sprintf("rmat%d", scale), func(b *testing.B) {
			s := fiveLabels(b, testgraph.RMAT(scale, 16, 1))
			p := named(s, []string{"A", "B", "C"}, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 0})
			least := map[string]time.Duration{}
			var bytes [3]int
			for b.Loop() {
				fresh, err := csr.New(s.Data)
				if err != nil {
					b.Fatal(err)
				}
				signed(b, fresh, p)
				bytes = filter.SignatureBytes(fresh)
				for _, d := range fresh.Derivations() {
					if old, ok := least[d.Name]; !ok || d.Time < old {
						least[d.Name] = d.Time
					}
				}
			}
			for i, m := range []pattern.Technique{pattern.SignatureQuantity, pattern.SignaturePath, pattern.SignatureTriangle} {
				if bytes[i] == 0 {
					b.Errorf("%v was not built", m)
				}
				b.ReportMetric(float64(bytes[i])/float64(s.N()), m.String()+"-B/vertex")
				b.ReportMetric(float64(least[m.String()].Microseconds())/1000, m.String()+"-ms")
			}
			b.ReportMetric(float64(least["labels around nodes"].Microseconds())/1000, "labels-ms")
			b.ReportMetric(float64(s.N()), "vertices")
			b.ReportMetric(float64(s.M()), "edges")
		})
	}
}

// BenchmarkFilter filters for random-walk queries of growing size on a graph whose signatures are built.
func BenchmarkFilter(b *testing.B) {
	s := fiveLabels(b, testgraph.RMAT(14, 16, 1))
	for size := 4; size <= 8; size++ {
		b.Run(fmt.Sprintf("size%d", size), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(uint64(size), 1))
			var queries []*pattern.Pattern
			for len(queries) < queriesOfSize {
				if p := walked(rng, s, size); p != nil {
					queries = append(queries, p)
					signed(b, s, p)
				}
			}
			for b.Loop() {
				for _, p := range queries {
					signed(b, s, p)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*queriesOfSize), "µs/query")
		})
	}
}
