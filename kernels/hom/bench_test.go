package hom_test

import (
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/hom"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

// loopTotal is the plain ordered loop: the cycles of four of a simple graph whose vertices are numbered by falling degree.
func loopTotal(a *csr.Adjacency) (total uint64) {
	seen := make([]uint32, len(a.Offsets))
	for u := range csr.VertexID(len(a.Offsets) - 1) {
		list := a.Neighbours(u)
		for i := len(list) - 1; i >= 0 && list[i] > u; i-- {
			ends := a.Neighbours(list[i])
			for j := len(ends) - 1; j >= 0 && ends[j] > u; j-- {
				w := ends[j]
				total += uint64(seen[w])
				seen[w]++
			}
		}
		for i := len(list) - 1; i >= 0 && list[i] > u; i-- {
			ends := a.Neighbours(list[i])
			for j := len(ends) - 1; j >= 0 && ends[j] > u; j-- {
				seen[ends[j]] = 0
			}
		}
	}
	return total
}

// loopEach is the loop that credits each cycle to its four vertices.
func loopEach(a *csr.Adjacency) (each []uint64) {
	seen := make([]uint32, len(a.Offsets))
	each = make([]uint64, len(a.Offsets))
	for u := range csr.VertexID(len(a.Offsets) - 1) {
		list := a.Neighbours(u)
		for i := len(list) - 1; i >= 0 && list[i] > u; i-- {
			ends := a.Neighbours(list[i])
			for j := len(ends) - 1; j >= 0 && ends[j] > u; j-- {
				seen[ends[j]]++
			}
		}
		for i := len(list) - 1; i >= 0 && list[i] > u; i-- {
			ends, sum := a.Neighbours(list[i]), uint64(0)
			for j := len(ends) - 1; j >= 0 && ends[j] > u; j-- {
				sum += uint64(seen[ends[j]] - 1)
			}
			each[list[i]] += sum
		}
		for i := len(list) - 1; i >= 0 && list[i] > u; i-- {
			ends := a.Neighbours(list[i])
			for j := len(ends) - 1; j >= 0 && ends[j] > u; j-- {
				if c := uint64(seen[ends[j]]); c > 0 {
					each[ends[j]] += c * (c - 1) / 2
					each[u] += c * (c - 1) / 2
					seen[ends[j]] = 0
				}
			}
		}
	}
	return each
}

// BenchmarkCycles counts cycles of four in total and by vertex, by the plain loop, by ordered wedges and by arrays, with one worker.
func BenchmarkCycles(b *testing.B) {
	for _, g := range []struct {
		name string
		make func(b *testing.B) *csr.Snapshot
	}{
		{"slashdot", func(b *testing.B) *csr.Snapshot { return kerneltest.RealGraph(b, "soc-Slashdot0902.txt.zst") }},
		{"wikivote", func(b *testing.B) *csr.Snapshot { return kerneltest.RealGraph(b, "wiki-Vote.txt.zst") }},
		{"kron16", func(*testing.B) *csr.Snapshot { return kerneltest.Kron(16) }},
	} {
		b.Run(g.name, func(b *testing.B) {
			s := g.make(b)
			a := s.Adjacency(nil, csr.Both).Flat()
			b.Run("loop/total", func(b *testing.B) {
				defer kerneltest.ReportCPU(b)()
				for b.Loop() {
					b.ReportMetric(float64(loopTotal(a)), "cycles")
				}
			})
			b.Run("loop/each", func(b *testing.B) {
				defer kerneltest.ReportCPU(b)()
				for b.Loop() {
					loopEach(a)
				}
			})
			for name, without := range map[string]pattern.Techniques{"wedges": {}, "arrays": pattern.Techniques{}.With(pattern.OrderedWedges).With(pattern.EdgeSupports)} {
				for _, shape := range []string{"cycle", "diamond", "house", "fan", "book"} {
					for _, each := range []bool{false, true} {
						if each && shape != "cycle" {
							continue
						}
						b.Run(name+"/"+shape+map[bool]string{false: "/total", true: "/each"}[each], func(b *testing.B) {
							defer kerneltest.ReportCPU(b)()
							for b.Loop() {
								h := hom.NewCounter(s)
								h.Leave(without)
								h.AddSet(nil)
								g := hom.Graph{}
								for _, e := range shapes[shape] {
									g.Factors = append(g.Factors, pattern.Factor{From: e[0], To: e[1], Undirected: true})
									g.Sets = make([]int, max(len(g.Sets), e[0]+1, e[1]+1))
								}
								if each {
									h.AddRooted(g, 0)
								} else {
									h.Add(g)
								}
								if _, err := h.Count(b.Context(), &pattern.Env{}); err != nil {
									b.Fatal(err)
								}
								b.ReportMetric(h.Cost(), "cost")
							}
						})
					}
				}
			}
		})
	}
}
