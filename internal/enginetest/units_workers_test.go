package enginetest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// preparedQueries need numbers around all relationships, which a job prepares before its units.
var preparedQueries = []string{
	"MATCH (a)--(b)--(c)--(d) RETURN count(*)",
	"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e) RETURN count(*)",
	"MATCH (a)--(b)--(c)--(a), (a)--(d) RETURN count(*)",
	"MATCH DIFFERENT NODES (a:A)--(b)--(c)--(a), (a)--(d) RETURN count(*)",
	"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(a), (a)--(e)--(b) RETURN count(*)",
	"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a), (a)--(e)--(b) RETURN count(*)",
	"MATCH (a)--(b)--(c)--(d) RETURN id(a) AS k, count(*) AS n ORDER BY n DESC, k LIMIT 10",
	"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e) RETURN a.x AS x, count(*) AS n ORDER BY x",
}

// TestUnitsPreparedByWorkers has several workers prepare what units need, on graphs large enough for that. Half of the graphs have relationships that
// are parallel, reciprocal or loops. The whole query takes the way that it likes; units take a formula even where a search is about as short.
func TestUnitsPreparedByWorkers(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for round := range uint64(2) {
		db := workersGraph(t, seed+round, round%2 == 0)
		for _, query := range preparedQueries {
			want, err := answer(t, db, query)
			if err != nil {
				t.Fatal(err)
			}
			restore := preferCounts(true)
			for _, workers := range []int{1, 2, 5} {
				job, err := db.Distribute(t.Context(), query, nil, motif.WithWorkers(workers))
				if err != nil {
					t.Fatal(err)
				}
				if got := allUnits(t, job, 7); !slices.Equal(got, want) {
					t.Errorf("seed %d: %s, prepared by %d workers: got %v, want %v", seed+round, query, workers, got, want)
				}
				if route := unitRoute(t, job); route == "search" {
					t.Errorf("seed %d: %s is divided as a search", seed+round, query)
				}
				job.Close()
			}
			restore()
		}
	}
}

// workersGraph returns a database with 4,096 nodes, some of them with the label A.
func workersGraph(t *testing.T, seed uint64, repeats bool) *motif.DB {
	t.Helper()
	b := csr.NewBuilder()
	label, key := b.Label("A"), b.Key("x")
	types := []csr.TypeID{b.Type("R"), b.Type("S")}
	rng := rand.New(rand.NewPCG(seed, 1))
	for v := range uint32(1) << 12 {
		if b.AddVertex(); rng.IntN(3) > 0 {
			b.SetLabels(v, label)
		}
		b.SetVertex(v, key, csr.Cell{Kind: csr.KindInt, Num: uint64(v % 11)})
	}
	for v, w := range testgraph.RMAT(12, 8, seed) {
		if repeats || v < w {
			b.AddEdge(v, w, types[rng.IntN(2)])
		}
	}
	if !repeats {
		b.DropRepeats(types[0])
		b.DropRepeats(types[1])
	}
	db := built(t, b)
	t.Cleanup(func() { db.Close() })
	return db
}

// allUnits runs a job as n units and returns its rows.
func allUnits(t *testing.T, job *motif.Job, n int) []string {
	t.Helper()
	var total motif.Part
	for _, u := range job.Units(n) {
		p, rest, err := job.Run(t.Context(), u, motif.Budget{})
		if err == nil && len(rest) > 0 {
			t.Fatal("a unit without a budget left work")
		}
		if err == nil {
			err = job.Merge(t.Context(), &total, p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := job.Rows(t.Context(), total)
	lines, err := linesOf(rows, err)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
