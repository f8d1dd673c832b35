package exec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// relationshipQuery aggregates properties of nodes and relationships of a pattern.
func relationshipQuery(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	arrow := func(name string) string {
		inside := "[" + name + pick("", ":R", ":S", ":R|S") + "]"
		return pick("-"+inside+"->", "<-"+inside+"-", "-"+inside+"-")
	}
	path := "(a" + pick("", ":A") + ")" + arrow("e") + "(b)" + arrow("f") + "(" + pick("c", "c", "c:B", "a", "b") + ")"
	last := "b"
	if strings.Contains(path, "(c") {
		last = "c"
	}
	if rng.IntN(5) == 0 {
		path += ", (a)" + arrow("g") + "(" + last + ")"
	}
	text := "MATCH " + pick("", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ") + path + pick("", "", " WHERE e.x < 3", " WHERE e.x <> f.x", " WHERE a.x <= "+last+".x", " WHERE id(a) <> id("+last+")")
	var items []string
	for range rng.IntN(3) {
		items = append(items, pick("a.x", "b.name", last+".x", "e.x", "f.mixed", "a", "e", "id(b)", last+".mixed"))
	}
	slices.Sort(items)
	items = slices.Compact(items)
	for range 1 + rng.IntN(3) {
		arg := pick("e.x", "f.x", "e.x + f.x", "e.x - f.x * 2", "a.x + e.x", "b.x", "f.x", "e.x + f.x", "e.mixed", "f.name", "9223372036854775807 - f.x")
		items = append(items, pick("min", "max", "sum", "avg", "count", "max")+"("+arg+")")
	}
	if rng.IntN(3) == 0 {
		items = append(items, "count(*)")
	}
	for i := range items {
		items[i] += fmt.Sprintf(" AS c%d", i)
	}
	return text + " RETURN " + strings.Join(items, ", ")
}

// TestRelationshipValues compares aggregates of properties of nodes and relationships with those of a plain plan on brute force: with loops, parallel
// relationships, nulls, values of several kinds, batches of several sizes, and after changes of the graph.
func TestRelationshipValues(t *testing.T) {
	defer hurryLanes()()
	defer everyKey()()
	seeds, rows, failed := uint64(2500), 0, 0
	if testing.Short() {
		seeds /= 5
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 113))
		minKeyRows = []float64{-1, 1e18}[rng.IntN(2)]
		laneDelay, maxLaneRows = []time.Duration{0, 1e18}[rng.IntN(2)], rng.IntN(8)
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(8), Edges: 3 + rng.IntN(20), Labels: 2, Types: 1 + rng.IntN(2), Simple: rng.IntN(3) == 0})
		if rng.IntN(4) == 0 {
			s = testgraph.Changed(seed, s, false)
		}
		text := relationshipQuery(rng)
		wanted, wantErr := (&query{s: s, brute: true}).rows(t, text)
		for _, batch := range []int{1, 3, maxBatchRows} {
			fast := &query{s: s, device: onCPU{}, batch: batch, env: &pattern.Env{Workers: 1 + rng.IntN(3), Tally: new(pattern.Tally), Memory: new(pattern.Memory)}}
			got, err := fast.rows(t, text)
			if (err == nil) != (wantErr == nil) || err == nil && !slices.Equal(alike(got), alike(wanted)) {
				t.Fatalf("seed %d, batches of %d: %s\n got %q (%v)\nwant %q (%v)\n%v", seed, batch, text, sorted(got), err, sorted(wanted), wantErr, fast.plan)
			}
			if used := fast.env.Memory.Used(); used != 0 {
				t.Fatalf("seed %d: %s: %d bytes are still charged", seed, text, used)
			}
			rows += len(got)
		}
		if wantErr != nil {
			failed++
		}
	}
	t.Logf("%d queries, %d rows, %d queries fail", seeds, rows, failed)
	if rows < int(seeds) || failed == 0 {
		t.Errorf("%d rows of %d queries, %d failed: the test tests too little", rows, seeds, failed)
	}
}

// TestRelationshipFloats adds floats of very different sizes, and what is no number, in groups of several workers.
func TestRelationshipFloats(t *testing.T) {
	defer hurryLanes()()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 114))
		b := csr.NewBuilder()
		n := 20 + rng.IntN(200)
		for range n {
			b.AddVertex()
		}
		special := []float64{0, math.Copysign(0, -1), 1e300, -1e300, 1e-300, 0x1p-1074, math.Inf(1), math.NaN(), 1 << 53}
		for range 4 * n {
			at := b.AddEdge(uint32(rng.IntN(n)), uint32(rng.IntN(n)), b.Type("R"))
			x := special[rng.IntN(5+rng.IntN(5))]
			if rng.IntN(2) == 0 {
				x = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
			}
			b.SetEdge(at, b.Key("w"), csr.FloatCell(x))
			b.SetEdge(at, b.Key("k"), csr.IntCell(int64(rng.IntN(3))))
		}
		s, _, err := b.Build(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		text := "MATCH (a)-[e]->(b)-[f]->(c) RETURN f.k AS k, sum(e.w) AS s, avg(e.w) AS v, min(f.w) AS lo, max(f.w) AS hi, count(e.w + f.w) AS n ORDER BY k"
		wanted, err := (&query{s: s, brute: true, env: &pattern.Env{Workers: 1}}).rows(t, text)
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 4; workers++ {
			env := &pattern.Env{Workers: workers}
			got, err := (&query{s: s, device: onCPU{}, batch: 64, env: env}).rows(t, text)
			if err != nil || !slices.Equal(got, wanted) && !slices.Equal(zeros(got), zeros(wanted)) {
				t.Fatalf("seed %d, %d workers: %q (%v), want %q", seed, workers, got, err, wanted)
			}
		}
	}
}

// zeros replaces -0.0 by 0.0: which of two equal values min() shows depends on the order of the rows.
func zeros(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = strings.ReplaceAll(row, "-0.0", "0.0")
	}
	return out
}
