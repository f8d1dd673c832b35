package exec

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// pairQuery is a query that reads two nodes of a longer pattern.
func pairQuery(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	n := 2 + rng.IntN(2)
	nodes := []string{"a", "b", "c", "d", "e"}[:n+1]
	path := "(a" + pick("", "", ":A", ":B") + ")"
	for i := range n {
		inside := pick("", "", ":R", ":S", ":R|S")
		path += pick("-["+inside+"]->", "<-["+inside+"]-", "-["+inside+"]-", "-["+inside+"]-") + "(" + nodes[i+1] + pick("", "", "", ":A", ":A|B") + ")"
	}
	if rng.IntN(4) == 0 {
		path += ", (" + pick(nodes...) + ")" + pick("--", "-->", "<--") + "(f)"
	}
	u, v := "a", nodes[n]
	if rng.IntN(4) == 0 {
		if u, v = pick(nodes...), pick(nodes...); u == v {
			u, v = "a", "b"
		}
	}
	var conditions []string
	for range rng.IntN(4) {
		key := pick("x", "x", "name", "mixed")
		x, y, arrow := u, v, pick("-[:R]->", "--", "<-[:S]-", "-[:R]-")
		if rng.IntN(2) == 0 {
			x, y = v, u
		}
		conditions = append(conditions, pick("id("+x+") "+pick("<", "<=", ">", "<>", "=")+" id("+y+")", x+"."+key+" "+pick("<", ">=", "<>", "=")+" "+y+"."+key,
			x+" <> "+y, "NOT EXISTS { MATCH ("+x+")"+arrow+"("+y+") }", "NOT EXISTS { ("+x+")"+arrow+"("+y+") }", "NOT ("+x+")"+arrow+"("+y+")",
			x+".x > 0", x+".x + "+y+".x > 2", "id("+x+") + 1 <> id("+y+")", x+".x < id("+y+")", "1 / ("+x+".x - "+y+".x) >= 0"))
	}
	where := ""
	if len(conditions) > 0 {
		where = " WHERE " + strings.Join(conditions, " AND ")
	}
	tail := strings.NewReplacer("@u", u, "@v", v).Replace(pick("RETURN id(@u), id(@v), count(*)", "RETURN @u, @v, count(*) AS n ORDER BY n DESC, id(@u), id(@v) LIMIT 3",
		"RETURN id(@v) AS y, id(@u) AS x, count(*) AS n ORDER BY n, x DESC, y SKIP 1 LIMIT 2", "RETURN @u.x, @v.x, count(*)", "RETURN id(@u), @v.name, count(*), max(@v.x)",
		"WITH @u, @v, count(*) AS n WHERE n > 1 RETURN id(@u), id(@v), n", "WITH DISTINCT id(@u) AS x, id(@v) AS y RETURN count(*)", "RETURN id(@u), count(DISTINCT id(@v))",
		"RETURN id(@u), id(@v), count(DISTINCT id(b))", "RETURN @u, @v, count(DISTINCT b) AS n, count(*) ORDER BY n DESC, id(@u), id(@v) LIMIT 2", "RETURN id(@u), @v, count(DISTINCT b.x)",
		"RETURN DISTINCT @u, @v ORDER BY id(@u), id(@v) LIMIT 4", "WITH DISTINCT @u, @v RETURN id(@u), count(*)", "RETURN id(@u), id(@v), @v.x, count(*), count(*) + 1",
		"WITH @u, count(*) AS n, @v RETURN n, count(*)", "RETURN @u.x, count(DISTINCT @v), count(DISTINCT @v.x)", "WITH DISTINCT @u.x AS x, @v.x AS y RETURN count(*), sum(x + y)",
		"WITH id(@u) AS x, id(@v) AS y, count(*) AS n RETURN x, sum(n), max(y)", "RETURN id(@u), id(@v), sum(@v.x), collect(DISTINCT @v.x)", "WITH @u, @v, count(*) AS n MATCH (@v)-->(z) RETURN id(@u), sum(n)"))
	return "MATCH " + pick("", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ") + path + where + " " + tail
}

// TestPairs compares counts by pairs of nodes with rows from the brute-force device, over random graphs with loops, parallel and reciprocal
// relationships, types, labels and missing values.
func TestPairs(t *testing.T) {
	defer everySearch()()
	defer everyKey()()
	taken, failures := 0, 0
	seeds := uint64(1500)
	if testing.Short() {
		seeds /= 5
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 131))
		minKeyRows = []float64{-1, 2, 7}[seed%3]
		s := testgraph.Random(seed, testgraph.Options{Vertices: 3 + rng.IntN(5), Edges: 4 + rng.IntN(10), Labels: 2, Types: 1 + rng.IntN(2), Simple: rng.IntN(3) == 0})
		for range 3 {
			text := pairQuery(rng)
			want, wantErr := (&query{s: s, brute: true}).rows(t, text)
			for _, off := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.VertexKeys), pattern.Techniques{}.With(pattern.DistinctValues)} {
				fast := &query{s: s, device: hurried{}, env: &pattern.Env{Workers: 1 + rng.IntN(2), Without: off, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}}
				got, err := fast.rows(t, text)
				if wantErr != nil || err != nil {
					if failures++; err != nil && wantErr == nil { // by a search, too?
						_, wantErr = (&query{s: s, device: hurried{}, env: &pattern.Env{Without: off.With(pattern.PairSums)}}).rows(t, text)
					}
					if !strings.Contains(text, "1 / ") || err != nil && wantErr == nil {
						t.Fatalf("seed %d: %s\n%v, want %v", seed, text, err, wantErr)
					}
					continue
				}
				if !slices.Equal(alike(got), alike(want)) {
					t.Fatalf("seed %d: %s\n got %q\nwant %q\n%v", seed, text, alike(got), alike(want), fast.plan)
				}
				if fast.env.Tally.Taken[pattern.PairSums].Load() > 0 {
					taken++
				}
			}
		}
	}
	if taken < int(seeds)/2 || failures == 0 {
		t.Errorf("%d of %d queries counted by pairs, %d failed", taken, 3*seeds, failures)
	}
}
