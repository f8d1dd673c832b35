package core

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// TestCoreRestores has a decrement come too late, as between two workers: it is taken back, or prevented.
func TestCoreRestores(t *testing.T) {
	s := testgraph.Graph(4, testgraph.Grid(2, 2), true)
	adj := s.Adjacency(nil, csr.Both)
	for _, level := range []uint32{0, 1, 5} {
		env := &pattern.Env{Tally: new(pattern.Tally), Workers: 2}
		p := newCoreRounds(&coreSearch{CoreRequest: &pattern.CoreRequest{}, env: env, n: 4, workers: 2, view: adj, reverse: adj})
		p.core, p.level = []uint32{level + 1, level + 1, level, level}, level
		for v, want := range []bool{true, true, false, false} {
			if p.restores = v%2 == 0; p.fell(csr.VertexID(v)) != want || p.core[v] != level {
				t.Errorf("level %d, vertex %d: it is at %d now", level, v, int32(p.core[v]))
			}
		}
		p.restores = true
		for range 3 {
			if p.take(0) || p.core[0] != level {
				t.Errorf("level %d: a late decrement leaves %d", level, int32(p.core[0]))
			}
		}
		p.count()
		if n := env.Tally.Taken[pattern.CoreRestore].Load(); n != 3 {
			t.Errorf("%d decrements counted as taken back, want 3", n)
		}
	}
}

// TestCorePassesLeaveNoFlag looks at the arrays of the paper after a run.
func TestCorePassesLeaveNoFlag(t *testing.T) {
	s := testgraph.Graph(1000, testgraph.RMAT(9, 8, 1), true)
	for _, workers := range []int{1, 3} {
		adj := s.Adjacency(nil, csr.Both)
		c := &coreSearch{CoreRequest: &pattern.CoreRequest{}, env: &pattern.Env{}, n: 1000, workers: workers, view: adj, reverse: adj}
		c.start()
		p := newCorePasses(c)
		p.run()
		for i := range p.flaglist {
			if p.flaglist[i] != 0 || p.rmlist[i] != ^uint64(0) {
				t.Errorf("%d workers, word %d: flags %x, removed %x", workers, i, p.flaglist[i], p.rmlist[i])
			}
		}
	}
}

// TestCoresStopFlag sees that the flag alone ends every way: next to nothing is removed.
func TestCoresStopFlag(t *testing.T) {
	s := testgraph.Graph(1<<13, testgraph.RMAT(13, 24, 1), true)
	adj := s.Adjacency(nil, csr.Both)
	for name, run := range map[string]func(c *coreSearch){
		"bins":      (*coreSearch).byBins,
		"rounds":    (*coreSearch).byRounds,
		"passes":    (*coreSearch).byPasses,
		"estimates": (*coreSearch).byEstimates,
	} {
		c := &coreSearch{CoreRequest: &pattern.CoreRequest{}, env: &pattern.Env{}, n: 1 << 13, workers: 1, view: adj, reverse: adj}
		c.start()
		before := slices.Clone(c.core)
		c.stop.Store(true)
		run(c)
		changed := 0
		for v, d := range c.core {
			if d != before[v] {
				changed++
			}
		}
		if changed > 3000 { // one poll's worth of neighbours
			t.Errorf("by %s: %d vertices changed", name, changed)
		}
	}
}
