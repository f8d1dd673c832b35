package exec

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// hurried is a device that takes every search for a long one.
type hurried struct{ onCPU }

func (d hurried) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (pattern.Answer, error) {
	if r.Job != nil {
		own := *r
		job := *r.Job
		job.Order.Cost, own.Job = 1e15, &job
		r = &own
	}
	return d.onCPU.Answer(ctx, r, env)
}

// everySearch makes stages look for simpler patterns however short the search is.
func everySearch() (restore func()) {
	long, tests := EverySearch(), testsPerMatch
	testsPerMatch = 1e9
	return func() { long(); testsPerMatch = tests }
}

// everyKey makes operators number the nodes of their rows however few rows there are.
func everyKey() (restore func()) {
	a, b := minKeyRows, nodesPerKeyRow
	minKeyRows, nodesPerKeyRow = -1, math.Inf(1)
	return func() { minKeyRows, nodesPerKeyRow = a, b }
}

// simplifiableQuery is a query with conditions on different values and on relationships.
func simplifiableQuery(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	n := 1 + rng.IntN(3)
	path := "(a" + pick("", ":A", ":B", ":A|B") + ")"
	for i := range n {
		inside := fmt.Sprintf("[%c%s]", 'r'+rune(i), pick("", ":R", ":S", ":R|S", ":R"))
		path += pick("-"+inside+"->", "-"+inside+"->", "<-"+inside+"-", "-"+inside+"-")
		if i == n-1 && n > 1 && rng.IntN(4) == 0 {
			path += "(a)"
		} else {
			path += fmt.Sprintf("(%c%s)", 'b'+rune(i), pick("", "", ":A", ":A|B"))
		}
	}
	node := func() string { return pick("a", "b", pick("a", string(rune('b'+n-1)))) }
	if strings.HasSuffix(path, "(a)") {
		node = func() string { return pick("a", "b") }
	}
	rel := func() string { return string(rune('r' + rng.IntN(n))) }
	var conditions []string
	for range rng.IntN(4) {
		key := pick("x", "name", "name", "mixed")
		a, b, r := node(), node(), rel()
		conditions = append(conditions, pick(a+"."+key+" <> "+b+"."+key, "NOT "+a+"."+key+" = "+b+"."+key, a+" <> "+b, r+".x < 3", r+".x < 3", r+".x >= 1", r+".name <> 'a'",
			r+".x IS NULL", "1 < "+r+".x", r+".x + 1 > 2", a+".x > 0", r+".x < 3", "1 / "+r+".x >= 0"))
	}
	if n > 1 && rng.IntN(3) == 0 {
		for i := range n {
			conditions = append(conditions, fmt.Sprintf("%c.x < 3", 'r'+rune(i)))
		}
	}
	where := ""
	if len(conditions) > 0 {
		where = " WHERE " + strings.Join(conditions, " AND ")
	}
	what := pick("count(*)", "count(*)", node()+".x, count(*)", node()+".x, "+node()+".name, count(*)", node()+".name, "+node()+".name, count(*)",
		node()+".mixed, sum("+node()+".x), count("+node()+")", node()+".x, min("+node()+".name), max("+node()+".x + 1)", node()+", count(*)", node()+".x + "+node()+".x, count(*)",
		"id("+node()+"), "+node()+".x, count(*)", node()+".name, count(DISTINCT "+node()+".x)", node()+".ghost, count(*)", "sum("+node()+".x)",
		"DISTINCT "+node()+".x, "+node()+".name", "DISTINCT "+node()+", "+node()+".mixed", "DISTINCT "+node()+", "+node(), "DISTINCT "+node()+".x + 1 AS y, "+node()+".name, 7",
		node()+".x, "+node()+".name, "+node()+".mixed, count(*), max("+node()+".x)", "toUpper("+node()+".name), "+node()+".x * 2, count(*)",
		"CASE WHEN "+rel()+".x < 2 THEN 'low' WHEN "+rel()+".x IS NULL THEN null ELSE "+rel()+".x END, count(*)", rel()+".x % 2, "+node()+".x / 2, sum(CASE WHEN "+node()+".name = 'a' THEN 1 ELSE 0 END)",
		"10 / ("+rel()+".x - 1), count(*), max(toString("+rel()+".mixed))", "toUpper("+rel()+".name), avg(-"+rel()+".x)")
	return "MATCH " + pick("", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ") + path + where + " RETURN " + what
}

// alike sorts rows. A group of 4 and 4.0 may show either.
func alike(rows []string) []string {
	rows = slices.Clone(rows)
	for i, r := range rows {
		cells := strings.Split(r, " | ")
		for j := range cells {
			cells[j] = strings.TrimSuffix(cells[j], ".0")
		}
		rows[i] = strings.Join(cells, " | ")
	}
	return sorted(rows)
}

// TestSimplerPatterns compares plans of long searches with plans without rewrites, on the brute-force device, over random graphs with
// loops, parallel and reciprocal relationships, types, labels and missing values.
func TestSimplerPatterns(t *testing.T) {
	defer everySearch()()
	defer everyKey()()
	failures := 0
	taken := map[pattern.Technique]int{}
	seeds := uint64(1500)
	if testing.Short() {
		seeds /= 5
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 97))
		minKeyRows = []float64{-1, 2, 7}[seed%3]
		s := testgraph.Random(seed, testgraph.Options{Vertices: 2 + rng.IntN(5), Edges: 3 + rng.IntN(9), Labels: 2, Types: 1 + rng.IntN(2), Simple: rng.IntN(3) == 0})
		for range 3 {
			text := simplifiableQuery(rng)
			slow := &query{s: s, brute: true}
			wanted, wantErr := slow.rows(t, text)
			for _, off := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.GroupSums).With(pattern.Separators), pattern.Techniques{}.With(pattern.DistinctValues), pattern.Techniques{}.With(pattern.RelationshipViews), pattern.Techniques{}.With(pattern.VertexKeys), pattern.Techniques{}.With(pattern.EdgeScan)} {
				fast := &query{s: s, device: hurried{}, env: &pattern.Env{Workers: 1 + rng.IntN(2), Without: off, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}}
				got, err := fast.rows(t, text)
				if err != nil && strings.Contains(text, "1 / ") { // by a search, too?
					_, err = (&query{s: s, device: hurried{}, env: &pattern.Env{Without: pattern.Techniques{}.With(pattern.RelationshipViews)}}).rows(t, text)
					if failures++; err != nil {
						continue
					}
				}
				if wantErr == nil && err != nil || err == nil && wantErr == nil && !slices.Equal(alike(got), alike(wanted)) {
					t.Fatalf("seed %d: %s\n got %q (%v)\nwant %q (%v)\n%v", seed, text, sorted(got), err, sorted(wanted), wantErr, fast.plan)
				}
				for m := range pattern.AllTechniques() {
					if fast.env.Tally.Taken[m].Load() > 0 {
						taken[m]++
					}
				}
			}
		}
	}
	if failures == 0 {
		t.Error("no query failed")
	}
	for _, m := range []pattern.Technique{pattern.GroupSums, pattern.DistinctValues, pattern.RelationshipViews, pattern.VertexKeys, pattern.EdgeScan} {
		if taken[m] < int(seeds)/20 {
			t.Errorf("%s: taken %d times in %d seeds", m, taken[m], seeds)
		}
	}
}
