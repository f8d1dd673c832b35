//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "seed of the random graphs; 0: by the clock")
	roundFlag = flag.Int("rounds", 1, "how often the random graphs are drawn")
)

// device opens the first device. Without any (the emulator is one, see emulate.sh) the test is skipped, unless
// MOTIF_NEED_GPU is set.
func device(t testing.TB) *Device {
	t.Helper()
	d, err := Open(0)
	if err != nil {
		if os.Getenv("MOTIF_NEED_GPU") != "" {
			t.Fatal(err)
		}
		t.Skip("no GPU: ", err)
	}
	t.Cleanup(d.Close)
	poolFrom = 1 << 20
	d.hubDegree, d.bfs = 40, bfsLimits{20, 48, 64, 0} // graphs of tests are small
	return d
}

// seeds prints the seed of a test.
func seeds(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// graphs yields graphs that cross the sizes at which kernels change their ways: lanes of a warp, words of 32 and 64 bits, lanes of
// a block; and empty, star, complete, hub-heavy and multiple ones.
func graphs(r *rand.Rand) iter.Seq2[string, *csr.Snapshot] {
	return func(yield func(string, *csr.Snapshot) bool) {
		all := []struct {
			name string
			make func() *csr.Snapshot
		}{
			{"empty", func() *csr.Snapshot { return testgraph.Graph(0, pairs(0, nil), true) }},
			{"one vertex", func() *csr.Snapshot { return testgraph.Graph(1, pairs(0, nil), true) }},
			{"no edges", func() *csr.Snapshot { return testgraph.Graph(70, pairs(0, nil), true) }},
			{"star", func() *csr.Snapshot {
				return testgraph.Graph(1030, pairs(1029, func(i uint32) (uint32, uint32) { return 0, i + 1 }), true)
			}},
			{"path", func() *csr.Snapshot {
				return testgraph.Graph(70, pairs(69, func(i uint32) (uint32, uint32) { return i, i + 1 }), true)
			}},
			{"layers", func() *csr.Snapshot { // 1,100 neighbours of vertex 0 meet again in twelve
				return testgraph.Graph(1113, pairs(4400, func(i uint32) (uint32, uint32) {
					if i%4 == 0 {
						return 0, 1 + i/4
					}
					return 1 + i/4, 1101 + i%12
				}), true)
			}},
			{"complete 31", func() *csr.Snapshot { return testgraph.Graph(31, testgraph.Cliques(1, 31), true) }},
			{"complete 33", func() *csr.Snapshot { return testgraph.Graph(33, testgraph.Cliques(1, 33), true) }},
			{"complete 34", func() *csr.Snapshot { return testgraph.Graph(34, testgraph.Cliques(1, 34), true) }},
			{"complete 66", func() *csr.Snapshot { return testgraph.Graph(66, testgraph.Cliques(1, 66), true) }},
			{"three cliques", func() *csr.Snapshot { return testgraph.Graph(33+9+40, testgraph.Cliques(1, 33, 9, 40), true) }},
			{"rmat", func() *csr.Snapshot { return testgraph.Graph(256, testgraph.RMAT(8, 8, r.Uint64()), true) }},
			{"rmat 512", func() *csr.Snapshot { return testgraph.Graph(512, testgraph.RMAT(9, 8, r.Uint64()), true) }},
			{"multigraph", func() *csr.Snapshot { return testgraph.Graph(90, testgraph.ER(90, 700, r.Uint64()), false) }},
			{"dense", func() *csr.Snapshot { return testgraph.Graph(75, testgraph.ER(75, 1900, r.Uint64()), true) }},
			{"directed too", func() *csr.Snapshot { return testgraph.Random(r.Uint64(), testgraph.Options{}) }},
			{"directed three", func() *csr.Snapshot { return testgraph.Random(r.Uint64(), testgraph.Options{}) }},
			{"directed", func() *csr.Snapshot { return testgraph.Random(r.Uint64(), testgraph.Options{}) }},
		}
		for round := range *roundFlag {
			for _, g := range all {
				if !yield(fmt.Sprintf("%s %d", g.name, round), g.make()) {
					return
				}
			}
		}
	}
}

func pairs(n uint32, edge func(i uint32) (uint32, uint32)) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for i := range n {
			if !yield(edge(i)) {
				return
			}
		}
	}
}

func env() *pattern.Env {
	return &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
}

// without is an Env with some techniques off, chosen by chance.
func without(r *rand.Rand, all ...pattern.Technique) *pattern.Env {
	e := env()
	for _, m := range all {
		if r.IntN(4) == 0 {
			e.Without = e.Without.With(m)
		}
	}
	return e
}

// someVertices is a random set, or nil.
func someVertices(r *rand.Rand, s *csr.Snapshot) *pattern.CandidateSet {
	if s.N() == 0 || r.IntN(3) > 0 {
		return nil
	}
	var list []csr.VertexID
	for v := range csr.VertexID(s.N()) {
		if r.IntN(4) > 0 {
			list = append(list, v)
		}
	}
	return pattern.NewCandidateSet(s.N(), list)
}

var background = context.Background()

// driven demands that techniques were taken, once enough graphs were drawn from a seed that was given: what a seed by the clock
// draws may lack the graphs for one. What happens only where lanes meet needs a GPU or an emulator with a seed.
func driven(t *testing.T, taken *pattern.Tally, all ...pattern.Technique) {
	t.Helper()
	for _, m := range all {
		seeded := strings.Trim(os.Getenv("MOTIF_SIMT_SEED"), "0") != ""
		if taken.Taken[m].Load() == 0 && *roundFlag >= 4 && *seedFlag != 0 && (m != pattern.CoreRestore || seeded) {
			t.Errorf("%v was never taken", m)
		}
	}
}
