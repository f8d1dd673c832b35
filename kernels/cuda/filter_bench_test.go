//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// fiveLabels is an RMAT graph without repeats whose vertices have one of five labels each, by chance.
func fiveLabels(scale, factor int) *csr.Snapshot {
	b, r := csr.NewBuilder(), rand.New(rand.NewPCG(5, 5))
	var labels []csr.LabelID
	for i := range 5 {
		labels = append(labels, b.Label(string(rune('A'+i))))
	}
	for range 1 << scale {
		b.AddVertex(labels[r.IntN(5)])
	}
	typ := b.Type("R")
	for u, v := range testgraph.RMAT(scale, factor, 1) {
		if u != v {
			b.AddEdge(u, v, typ)
		}
	}
	b.DropRepeats(typ)
	s, _, err := b.Build(background, 0)
	if err != nil {
		panic(err)
	}
	return s
}

// labelledQuery is a pattern of undirected edges between vertices of the given labels, all different.
func labelledQuery(labels string, edges ...[2]int) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes}}}
	for u, l := range labels {
		p.Vertices = append(p.Vertices, pattern.Vertex{Labels: &pattern.Label{ID: csr.LabelID(l - 'A'), Name: string(l)}})
		p.Scopes[0].Vertices = append(p.Scopes[0].Vertices, u)
	}
	for i, e := range edges {
		p.Edges = append(p.Edges, pattern.Edge{From: e[0], To: e[1], Undirected: true})
		p.Scopes[0].Edges = append(p.Scopes[0].Edges, i)
	}
	return p
}

// TestFilterBench compares signatures and filters with all cores of the CPU; MOTIF_GPU_FILTER_BENCH lists RMAT scales and edge
// factors, such as 20x16.
func TestFilterBench(t *testing.T) {
	sizes := rmatSizes(t, "MOTIF_GPU_FILTER_BENCH")
	d := device(t)
	for _, z := range sizes {
		began := time.Now()
		s := fiveLabels(z.scale, z.factor)
		s.Adjacency(nil, csr.Both)
		fmt.Printf("rmat %s, 5 labels: %d vertices, %d edges, built in %v\n", z, s.N(), s.M(), time.Since(began).Round(time.Millisecond))
		benchParts(t, d, s)
		benchQueries(t, d, s)
	}
}

// benchParts generates each part on the device, the graph there, and on the CPU, and compares them.
func benchParts(t *testing.T, d *Device, s *csr.Snapshot) {
	parts := filter.PartsOf(s)
	work := func(f func(x *task) error) time.Duration {
		began := time.Now()
		if err := d.run(background, f); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	upload := work(func(x *task) error {
		if _, err := adjacencyOf(x, s, nil, csr.Both); err != nil {
			return err
		}
		_, err := classesOf(x, s)
		return err
	})
	fmt.Printf("%-22s %10v\n", "upload", upload.Round(time.Microsecond))
	for kind, part := range parts {
		got, least := make([]uint64, int(s.N())*part.Words()), time.Hour
		for range 4 {
			work(func(x *task) error { // anew
				for _, name := range []string{part.Technique().String(), "labels around"} {
					if i := slices.IndexFunc(d.memory.graphs, func(r *residentGraph) bool { return r.name == name }); i >= 0 {
						d.memory.drop(i)
					}
				}
				return nil
			})
			var sig buffer
			least = min(least, work(func(x *task) (err error) {
				sig, err = signatureOf(background, x, s, env(), part, kind)
				return err
			}))
			work(func(x *task) error { return download(sig, got) })
		}
		began := time.Now()
		want := part.Build()
		cpu, state := time.Since(began), "ok"
		if !slices.Equal(got, want) {
			state = "WRONG"
			t.Errorf("%v differs", part.Technique())
		}
		fmt.Printf("%-22s gpu %10v  cpu %10v  ratio %6.1f  %s\n", part.Technique(), least.Round(time.Microsecond), cpu.Round(time.Microsecond),
			float64(cpu)/float64(least), state)
	}
}

// benchQueries filters with everything built.
func benchQueries(t *testing.T, d *Device, s *csr.Snapshot) {
	for _, q := range []struct {
		name string
		p    *pattern.Pattern
	}{
		{"path ABC", labelledQuery("ABC", [2]int{0, 1}, [2]int{1, 2})},
		{"triangle ABC", labelledQuery("ABC", [2]int{0, 1}, [2]int{1, 2}, [2]int{0, 2})},
		{"4-clique ABCD", labelledQuery("ABCD", [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{1, 2}, [2]int{1, 3}, [2]int{2, 3})},
		{"star A:BBCDE", labelledQuery("ABBCDE", [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{0, 4}, [2]int{0, 5})},
		{"5-clique ABCDE", labelledQuery("ABCDE", [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}, [2]int{0, 4}, [2]int{1, 2}, [2]int{1, 3}, [2]int{1, 4},
			[2]int{2, 3}, [2]int{2, 4}, [2]int{3, 4})},
		{"6-cycle ABCABC", labelledQuery("ABCABC", [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{3, 4}, [2]int{4, 5}, [2]int{5, 0})},
	} {
		run := func(workers int) (*pattern.Candidates, time.Duration) {
			c, _, least := quickest(t, 5, func() (*pattern.Candidates, error) {
				return filter.Run(background, s, q.p, &pattern.Env{Workers: workers, Filter: pattern.FilterRefine})
			})
			return c, least
		}
		got, first, gpu := quickest(t, 8, func() (*pattern.Candidates, error) {
			return d.Filter(background, s, q.p, &pattern.Env{Filter: pattern.FilterRefine})
		})
		_, _, pass := quickest(t, 8, func() (*pattern.Candidates, error) {
			return d.Filter(background, s, q.p, &pattern.Env{Filter: pattern.FilterSignature})
		})
		want, all := run(runtime.NumCPU())
		_, one := run(1)
		state := "ok"
		for u := range want.Sets {
			if !slices.Equal(got.Sets[u].List(), want.Sets[u].List()) || got.String() != want.String() {
				state = "WRONG"
				t.Errorf("%s: %v, want %v", q.name, got, want)
				break
			}
		}
		sizes := want.Tiers[len(want.Tiers)-1].Sizes
		fmt.Printf("%-22s gpu %10v  without refining %10v  first %10v  cpu %10v  one core %10v  ratio %5.1f  least set %7d  %s\n", q.name, gpu.Round(time.Microsecond),
			pass.Round(time.Microsecond), first.Round(time.Microsecond), all.Round(time.Microsecond), one.Round(time.Microsecond), float64(all)/float64(gpu), slices.Min(sizes), state)
	}
}
