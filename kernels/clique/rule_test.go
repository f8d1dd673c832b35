package clique

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/core"
)

// ruleCounter is a worker without a graph, for local subgraphs that a benchmark makes.
func ruleCounter() *counter {
	q := &cliqueSearch{env: new(pattern.Env), g: new(core.Oriented), words: true, enumerates: true, deeper: true, workers: 1}
	q.levels = [4]bool{1: true, 2: true, 3: true}
	return newCounter(q)
}

// randomLists is a random graph of n vertices as lists.
func randomLists(r *rand.Rand, n int, density float64) *subgraphLists {
	l := new(subgraphLists)
	l.reset(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			if r.Float64() < density {
				l.to = append(l.to, uint32(j))
			}
		}
		l.start = append(l.start, uint32(len(l.to)))
	}
	return l
}

// fastest is the least time of three runs.
func fastest(f func()) time.Duration {
	best := time.Hour
	for range 3 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// crossing is the density, of 0.01, 0.02, 0.03, 0.05, 0.07, ..., from which on first takes no longer than second.
func crossing(n int, first, second func(l *subgraphLists)) float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for _, density := range []float64{0.01, 0.02, 0.03, 0.05, 0.07, 0.10, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9} {
		l := randomLists(r, n, density)
		if fastest(func() { first(l) }) <= fastest(func() { second(l) }) {
			return density
		}
	}
	return 1
}

// BenchmarkLambda measures what the table lambda is made from: how long it takes to go on with lists and to build bitmaps a
// level deeper, against a bitmap of n vertices, for random graphs by gamma.
func BenchmarkLambda(b *testing.B) {
	for _, n := range []int{80, 128, 192, 384} {
		for need := 3; need <= 6; need++ {
			for _, gamma := range []float64{0.01, 0.03, 0.05, 0.1, 0.15} {
				b.Run(fmt.Sprintf("n=%d/need=%d/gamma=%.2f", n, need, gamma), func(b *testing.B) {
					w, ratio := ruleCounter(), 0.0
					l := randomLists(rand.New(rand.NewPCG(1, uint64(n))), n, 2*gamma)
					for range b.N {
						bitmap := fastest(func() {
							l.bitmap(&w.wide.inducedSubgraph)
							w.countWide(byEnumeration, need)
						})
						ratio = float64(fastest(func() { w.branch(l, need, 1) })) / float64(bitmap)
					}
					b.ReportMetric(ratio, "deeper/bitmap")
				})
			}
		}
	}
}

// BenchmarkCliqueMethods measures the table pivotFrom: the density from which pivots beat enumeration in one word.
func BenchmarkCliqueMethods(b *testing.B) {
	for _, n := range []int{24, 32, 48, 64} {
		for need := 4; need <= 10; need++ {
			b.Run(fmt.Sprintf("n=%d/need=%d", n, need), func(b *testing.B) {
				w, found := ruleCounter(), 0.0
				g := &w.word
				for range b.N {
					found = crossing(n, func(l *subgraphLists) {
						for range 1 + 1000/(need*n) {
							l.word(g)
							g.mirror()
							w.add(g.pivot(all(g.n), 0, need))
						}
					}, func(l *subgraphLists) {
						for range 1 + 1000/(need*n) {
							l.word(g)
							w.add(g.enumerate(all(g.n), need))
						}
					})
				}
				b.ReportMetric(found, "density")
			})
		}
	}
}
