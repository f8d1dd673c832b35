package enginetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
)

// checkUnits compares the units of a query with the whole query, in every way of the options.
func checkUnits(t *testing.T, db *motif.DB, query string, params motif.Params, opts ...motif.QueryOption) {
	t.Helper()
	rows, err := db.Query(t.Context(), query, params, opts...)
	want, err := linesOf(rows, err)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	job, err := db.Distribute(t.Context(), query, params, opts...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer job.Close()
	got, err := linesOf(job.Rows(t.Context(), mergeUnits(t, job, job.Units(3))))
	if slices.Sort(want); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%s as %s:\n%q\nwant\n%q", query, unitRoute(t, job), got, want)
	}
}

// TestUnitsOfNothing has LIMIT 0 above groups, pairs and rows.
func TestUnitsOfNothing(t *testing.T) {
	db := kernelGraph(t, 9)
	defer db.Close()
	for _, q := range []string{
		"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e)--(a) RETURN a.x AS x, c.x AS y, count(*) AS n LIMIT 0",
		"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e)--(a) RETURN a.x AS x, c.x AS y, count(*) AS n ORDER BY n LIMIT $n",
		"MATCH (a)--(b)--(c)--(d) RETURN id(a) AS k, count(*) AS n LIMIT $n",
		"MATCH (a)--(b)--(c)--(d) RETURN a.x AS k, d.x AS y, count(*) AS n LIMIT $n",
		"MATCH (a)--(b)--(c) WHERE id(a) < id(c) RETURN id(a) AS x, id(c) AS y, count(*) AS n LIMIT $n",
		"MATCH (a)-->(b) RETURN id(a), id(b) LIMIT $n",
	} {
		checkUnits(t, db, q, motif.Params{"n": 0})
	}
}

// TestUnitsOfLittleMemory has less memory than groups by formulas take: units search, as the whole query does.
func TestUnitsOfLittleMemory(t *testing.T) {
	db := kernelGraph(t, 11)
	defer db.Close()
	for _, q := range []string{
		"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(a) RETURN a.x AS x, c.x AS y, count(*) AS n",
		"MATCH (a)--(b)--(c)--(d) RETURN a.x AS k, d.x AS y, count(*) AS n",
		"MATCH (a)--(b)--(c)--(d) RETURN id(a) AS k, count(*) AS n",
	} {
		for _, kib := range []int64{200, 400, 1000} {
			checkUnits(t, db, q, nil, motif.WithMemory(kib<<10))
		}
	}
}

// TestUnitsOfLargeNumbers has a hub with so many leaves that formulas overflow there, although it has no match.
func TestUnitsOfLargeNumbers(t *testing.T) {
	const leaves = 70_000
	b := csr.NewBuilder()
	key, of, label := b.Key("x"), b.Type("R"), b.Label("B")
	for v := range uint32(leaves + 200) {
		b.AddVertex()
		b.SetVertex(v, key, csr.IntCell(int64(v%3)))
		switch {
		case v >= leaves+100:
			b.SetLabels(v, label)
		case v > 0 && v < leaves:
			b.AddEdge(0, v, of)
		}
	}
	for v := range uint32(100) {
		for w := range uint32(100) {
			if (v+w)%9 == 0 {
				b.AddEdge(leaves+v, leaves+100+w, of)
			}
		}
	}
	db := built(t, b)
	defer db.Close()
	defer preferCounts(true)()
	const from = "MATCH REPEATABLE ELEMENTS (c)--(a), (c)--(b), (c)--(d), (c)--(e), (c)--(f:B) RETURN "
	for _, result := range []string{"c.x AS x, count(*) AS n", "id(c) AS x, count(*) AS n", "f.x AS x, c.x AS y, count(*) AS n", "count(*) AS n"} {
		checkUnits(t, db, from+result, nil)
	}
}

// TestUnitsOfOtherCandidates asks for groups of which the filter leaves few values once the process knows trussness, but the filter of units leaves
// many.
func TestUnitsOfOtherCandidates(t *testing.T) {
	const ring, dense = 600, 40
	b := csr.NewBuilder()
	key, of := b.Key("x"), b.Type("R")
	for v := range uint32(ring + dense) {
		b.AddVertex()
		x := int64(v)
		if v >= ring {
			x %= 3
		}
		b.SetVertex(v, key, csr.IntCell(x))
	}
	for v := range uint32(ring) { // a ladder without triangles
		b.AddEdge(v, (v+1)%ring, of)
		if v < ring/2 {
			b.AddEdge(v, v+ring/2, of)
		}
	}
	for v := range uint32(dense) {
		for w := v + 1; w < dense; w++ {
			if (v*v+w*w*13+v*w*5)%7 < 4 {
				b.AddEdge(ring+v, ring+w, of)
			}
		}
	}
	db := built(t, b)
	defer db.Close()
	const diamond = "MATCH DIFFERENT NODES (a)--(b)--(c)--(a), (b)--(d)--(c)"
	for range 40 {
		if _, err := answer(t, db, diamond+" WHERE a.x * d.x + b.x * c.x >= 0 RETURN a.x + b.x + c.x + d.x, count(*) AS n"); err != nil {
			t.Fatal(err)
		}
	}
	defer preferCounts(true)()
	for _, result := range []string{" RETURN a.x AS x, d.x AS y, count(*) AS n", " RETURN b.x AS x, c.x AS y, count(*) AS n", " RETURN b.x AS x, count(*) AS n"} {
		checkUnits(t, db, diamond+result, nil)
	}
}

// TestUnitsOfOtherRoutes opens specs whose route the plan cannot have.
func TestUnitsOfOtherRoutes(t *testing.T) {
	db := kernelGraph(t, 8)
	defer db.Close()
	for query, routes := range map[string][]string{
		"MATCH (a)-->(b) RETURN count(*) AS n":                        {`"groups"`, `"roots"`, `"pairs"`, `"cliques"`, `"whole"`, `""`},
		"MATCH (a)--(b)--(c)--(d) RETURN id(a) AS k, count(*) AS n":   {`"formula"`, `"roots","divided":99`, `"pairs","divided":-1`, `"whole"`},
		"MATCH (a)-->(b) RETURN a.x":                                  {`"formula"`, `"roots","divided":2`},
		"MATCH (a)--(b)--(c) RETURN id(a) AS x, id(c) AS y, count(*)": {`"pairs","divided":7`},
	} {
		job, err := db.Distribute(t.Context(), query, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer job.Close()
		for _, to := range routes {
			text := strings.Replace(string(job.Spec()), `"route":"`+unitRoute(t, job)+`"`, `"route":`+to, 1)
			if _, err := db.OpenJob(t.Context(), []byte(text)); !errors.Is(err, motif.ErrOtherPlan) {
				t.Errorf("%s by the route %s: %v", query, to, err)
			}
		}
	}
}
