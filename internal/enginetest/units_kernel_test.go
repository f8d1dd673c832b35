package enginetest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/exec"
	"github.com/motifql/motif/internal/testgraph"
)

// kernelQueries are queries that no search answers on a graph of some size, with the way that divides them.
var kernelQueries = []struct{ query, route string }{
	{"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(a) RETURN count(*)", "formula"},
	{"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a), (a)--(c) RETURN count(*)", "search"},
	{"MATCH INDUCED SUBGRAPHS (a)--(b)--(c)--(d)--(a) RETURN count(*)", "formula"},
	{"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(e)--(a) RETURN count(*)", "formula"},
	{"MATCH (a)-->(b)-->(c)-->(d)-->(e) RETURN count(*)", "formula"},
	{"MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*)", "cliques"},
	{"MATCH (a)--(b)--(c)--(d)--(a)--(c), (b)--(d) RETURN count(*)", "cliques"},
	{"MATCH DISTINCT SUBGRAPHS (a)--(b), (a)--(c), (a)--(d), (b)--(c), (b)--(d), (c)--(d), (e)--(a), (e)--(b), (e)--(c), (e)--(d) RETURN count(*)", "cliques"},
	{"MATCH (a)--(b)--(c)--(d)--(a)--(c), (b)--(d) RETURN id(b) AS k, count(*) AS n ORDER BY n DESC, k LIMIT 10", "cliques"},
	{"MATCH (a), (b), (c), (d), (e) WHERE IS_CLIQUE([a, b, c, d, e]) RETURN c.x AS x, count(*) AS n, max(id(c)) AS m, sum(c.x) AS s ORDER BY x", "cliques"},
	{"MATCH (a)-->(b)-->(c), (a)-->(c) RETURN id(a) % 10 AS k, count(*) AS n, max(id(c)) AS m, sum(id(b)) AS s, avg(id(b)) AS v ORDER BY k", "search"},
	{"MATCH (a)--(b)--(c)--(d) RETURN a.x AS x, d.x AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10", "roots"},
	{"MATCH (a)--(b)--(c)--(d) RETURN id(a) AS k, count(*) AS n ORDER BY n DESC, k LIMIT 10", "roots"},
	{"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e) RETURN a.x AS x, count(*) AS n, max(a.x) AS m, collect(DISTINCT a.x) AS l ORDER BY x", "roots"},
	{"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e)--(a) RETURN a.x AS x, c.x AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 20", "groups"},
	{"MATCH (a)--(b)--(c)--(d)--(a), (a)--(e)--(b) RETURN e.x AS x, count(*) AS n ORDER BY x", "groups"},
	{"MATCH (a)--(b)--(c) WHERE id(a) < id(c) RETURN id(a) AS x, id(c) AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10", "pairs"},
	{"MATCH (a:A)-->(b)-->(c) WHERE a.x < c.x RETURN count(DISTINCT b) AS n, collect(DISTINCT a.x) AS l", "search"},
	{"MATCH (a:A)-->(b)-->(c) RETURN DISTINCT a.x AS x, c.x AS y ORDER BY x, y SKIP 2 LIMIT 20", "search"},
	{"MATCH (a)--(b)--(c) WHERE id(a) < id(c) WITH id(a) AS x, id(c) AS y, count(*) AS n WHERE n > 1 RETURN n, count(*) AS k, max(x) AS m ORDER BY n", "pairs"},
	{"MATCH (a)--(b)--(c) WHERE id(a) < id(c) RETURN a.x AS x, id(c) AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10", "pairs"},
	{"MATCH (a)-->(b) WITH a.x AS x, collect(id(b)) AS l, collect(DISTINCT b.x) AS d UNWIND l AS y WITH x, y, size(d) AS n ORDER BY y RETURN x, n, collect(y) AS l ORDER BY x", "search"},
	{"MATCH (a:A)-->(b)-->(c) RETURN a.x AS x, stdev(id(b)) AS s, percentileCont(id(c), 0.4) AS p, stdevp(DISTINCT c.x) AS q, percentileDisc(DISTINCT c.x, 0.3) AS r ORDER BY x", "search"},
	{"MATCH (a:A)-->(b) RETURN stdev(b.x) AS s, percentileDisc(b.x, 0.3) AS p, stdevp(a.x) AS q", "search"},
}

// kernelGraph returns a database with an RMAT graph whose nodes have x, and some the label A.
func kernelGraph(t testing.TB, scale int) *motif.DB {
	t.Helper()
	b := csr.NewBuilder()
	label, key, of := b.Label("A"), b.Key("x"), b.Type("R")
	for v := range uint32(1) << scale {
		if b.AddVertex(); v%3 == 0 {
			b.SetLabels(v, label)
		}
		b.SetVertex(v, key, csr.Cell{Kind: csr.KindInt, Num: uint64(v * 7 % 11)})
	}
	for v, w := range testgraph.RMAT(scale, 8, 1) {
		if v != w {
			b.AddEdge(min(v, w), max(v, w), of)
		}
	}
	b.DropRepeats(of)
	return built(t, b)
}

// built returns a database with the graph of a builder. Its queries take one core.
func built(t testing.TB, b *csr.Builder) *motif.DB {
	t.Helper()
	snap, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.Open(":memory:", motif.WithWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storeOf(db).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// unitRoute returns the way in which a job is divided.
func unitRoute(t testing.TB, job *motif.Job) string {
	var spec struct{ Scheme struct{ Route string } }
	if err := json.Unmarshal(job.Spec(), &spec); err != nil {
		t.Fatal(err)
	}
	return spec.Scheme.Route
}

// TestUnitsOfKernels divides queries that formulas, cliques and sums by groups answer. The parts have the answer of the whole query, whatever the
// budgets, and no unit falls back to a search.
func TestUnitsOfKernels(t *testing.T) {
	db := kernelGraph(t, 9)
	defer db.Close()
	seed := uint64(time.Now().UnixNano())
	for i, q := range kernelQueries {
		t.Run(fmt.Sprint(q.route, i), func(t *testing.T) {
			want, err := answer(t, db, q.query)
			if err != nil {
				t.Fatal(err)
			}
			job, err := db.Distribute(t.Context(), q.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer job.Close()
			if got := unitRoute(t, job); got != q.route {
				t.Errorf("%s is divided as %s, want %s", q.query, got, q.route)
			}
			d := &dealer{T: t, Rand: rand.New(rand.NewPCG(seed, uint64(i))), here: db, there: db, counts: &unitCounts{routes: map[string]int{}}}
			got, err := d.answer(q.query)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("seed %d: %s\nas units %v\n%s\nas a whole\n%s", seed, q.query, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// answerAndJob returns the answer to a query and a job of it.
func answerAndJob(t *testing.T, db *motif.DB, query string) ([]string, *motif.Job) {
	t.Helper()
	want, err := answer(t, db, query)
	if err != nil {
		t.Fatal(err)
	}
	job, err := db.Distribute(t.Context(), query, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { job.Close() })
	return want, job
}

// runAll runs a job and its rests, each with a budget. It returns the rows, how many runs it took, and how late one of them ended at most; the first one,
// which filters, is not asked.
func runAll(t *testing.T, job *motif.Job, budget time.Duration) (lines []string, runs int, late time.Duration) {
	t.Helper()
	var total motif.Part
	for units := job.Units(1); len(units) > 0; runs++ {
		began := time.Now()
		p, rest, err := job.Run(t.Context(), units[0], motif.Budget{Time: budget})
		if runs > 0 {
			late = max(late, time.Since(began)-budget)
		}
		if err == nil {
			err = job.Merge(t.Context(), &total, p)
		}
		if err != nil {
			t.Fatal(err)
		}
		units = append(rest, units[1:]...)
	}
	rows, err := job.Rows(t.Context(), total)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(row.Values()...))
	}
	return lines, runs, late
}

// TestUnitBudget stops a long search within ten times the 100 ms that it may take, and finds all matches in the end.
func TestUnitBudget(t *testing.T) {
	db := kernelGraph(t, 10)
	defer db.Close()
	want, job := answerAndJob(t, db, "MATCH (a)-->(b)-->(c)-->(d) WHERE (a.x + d.x) % 3 <> 1 RETURN count(*)")
	const budget = 20 * time.Millisecond
	got, runs, late := runAll(t, job, budget)
	t.Logf("%d runs, at most %v late", runs, late)
	if !slices.Equal(got, want) {
		t.Errorf("%d runs count %s, the whole query %s", runs, got, want)
	}
	if late > time.Second {
		t.Errorf("a unit ended %v after its budget of %v", late, budget)
	}
}

// TestUnitOfManyGroups ends a run before its time is over where it takes long to put the groups into a part, and finds all groups in the end.
func TestUnitOfManyGroups(t *testing.T) {
	defer exec.SlowGroups(time.Second)()
	db := kernelGraph(t, 12)
	defer db.Close()
	want, job := answerAndJob(t, db, "MATCH (a)-->(b)-->(c) RETURN id(a) % 1000 AS x, id(c) % 1000 AS y, max(id(b)) AS m, count(*) AS n ORDER BY n DESC, x, y LIMIT 10")
	if got, runs, _ := runAll(t, job, time.Hour); !slices.Equal(got, want) || runs < 2 {
		t.Errorf("%d runs give %s, the whole query %s", runs, got, want)
	}
}

// TestMergeOnly merges parts by a job that prepares nothing, which can run units all the same.
func TestMergeOnly(t *testing.T) {
	db := kernelGraph(t, 8)
	defer db.Close()
	want, job := answerAndJob(t, db, "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a), (a)--(e)--(b) RETURN count(*)")
	merges, err := db.OpenJob(t.Context(), job.Spec(), motif.WithMergeOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer merges.Close()
	var total motif.Part
	for i, u := range job.Units(6) {
		p, _, err := []*motif.Job{job, merges}[i%2].Run(t.Context(), u, motif.Budget{})
		if err == nil {
			err = merges.Merge(t.Context(), &total, p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err := merges.Rows(t.Context(), total)
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range rows.All() {
		if got := fmt.Sprint(row.Values()...); err != nil || got != want[0] {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

// TestDamagedParts changes and cuts encoded parts: each damage must be noticed. A part with a false content but the right hash, which
// nobody makes by chance, must not bring the program down.
func TestDamagedParts(t *testing.T) {
	db := kernelGraph(t, 3)
	defer db.Close()
	for _, query := range []string{
		"MATCH (a)-->(b) RETURN a.x AS x, count(*) AS n, avg(b.x) AS v, min(b.x) AS m",
		"MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(a) RETURN count(*)",
		"MATCH (a)-[r]->(b) RETURN a, r, b.x ORDER BY b.x SKIP 1 LIMIT 5",
		"MATCH (a)-->(b) RETURN DISTINCT a.x AS x, labels(b) AS l",
		"MATCH (a)-->(b) RETURN b.x AS x, collect(a) AS c, stDev(a.x) AS s, percentileCont(a.x, 0.5) AS p, count(DISTINCT a) AS d",
	} {
		job, err := db.Distribute(t.Context(), query, nil)
		if err != nil {
			t.Fatal(err)
		}
		code, err := mergeUnits(t, job, job.Units(2)).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		damageParts(t, job, code)
		job.Close()
	}
}

// mergeUnits runs units to their ends and merges their parts.
func mergeUnits(t testing.TB, job *motif.Job, units []motif.Unit) (total motif.Part) {
	for _, u := range units {
		p, _, err := job.Run(t.Context(), u, motif.Budget{})
		if err == nil {
			err = job.Merge(t.Context(), &total, p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return total
}

// damageParts changes and cuts one part.
func damageParts(t *testing.T, job *motif.Job, code []byte) {
	const hash, magic = sha256.Size, len("motif part 2\n")
	for i := range code {
		bad := slices.Clone(code)
		bad[i] ^= 1 << (i % 8)
		var p motif.Part
		if err := p.UnmarshalBinary(bad); !errors.Is(err, motif.ErrBadPart) {
			t.Errorf("byte %d of %d changed: %v", i, len(code), err)
		}
		if err := p.UnmarshalBinary(code[:i]); !errors.Is(err, motif.ErrBadPart) {
			t.Errorf("cut to %d of %d bytes: %v", i, len(code), err)
		}
		sum := sha256.Sum256(slices.Concat(bad[magic:magic+hash], bad[magic+2*hash:]))
		copy(bad[magic+hash:], sum[:])
		if p.UnmarshalBinary(bad) != nil {
			continue
		}
		var broken *motif.PanicError
		if err := readPart(t, job, p); errors.As(err, &broken) {
			t.Errorf("byte %d of %d changed, with the right hash: %v", i, len(code), err)
		}
	}
}

// readPart merges a part and reads its rows.
func readPart(t *testing.T, job *motif.Job, p motif.Part) error {
	var into motif.Part
	if err := job.Merge(t.Context(), &into, p); err != nil {
		return err
	}
	rows, err := job.Rows(t.Context(), into)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// TestUnitErrors refuses what cannot be divided, other graphs, foreign parts, parts that are missing and parts that come twice.
func TestUnitErrors(t *testing.T) {
	db := kernelGraph(t, 5)
	defer db.Close()
	other := kernelGraph(t, 6)
	defer other.Close()
	for query, reason := range map[string]string{
		"MATCH (a) RETURN a.x UNION MATCH (b) RETURN b.x AS `a.x`": "UNION",
		"OPTIONAL MATCH (a:B) RETURN a":                            "OPTIONAL MATCH",
		"UNWIND [1, 2] AS x RETURN x":                              "Unwind",
		"CREATE (a) RETURN a":                                      "writes",
		"MATCH (a) SET a.x = 1":                                    "writes",
		"CALL motif.labels() YIELD label RETURN label":             "",
	} {
		_, err := db.Distribute(t.Context(), query, nil)
		var place *motif.QueryError
		if errors.As(err, &place) && reason == "" {
			continue
		}
		if !errors.Is(err, motif.ErrNotDivisible) || !errors.As(err, &place) || place.Line == 0 || !strings.Contains(place.Message, reason) {
			t.Errorf("%s: %v, want ErrNotDivisible with a place and %q", query, err, reason)
		}
	}
	const query = "MATCH (a)-->(b) RETURN a.x AS x, count(*) AS n"
	job, err := db.Distribute(t.Context(), query, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	if _, err := other.OpenJob(t.Context(), job.Spec()); !errors.Is(err, motif.ErrOtherSnapshot) {
		t.Errorf("another graph: %v", err)
	}
	foreign := strings.Replace(string(job.Spec()), `"motif":"`, `"motif":"0 `, 1)
	if _, err := db.OpenJob(t.Context(), []byte(foreign)); !errors.Is(err, motif.ErrOtherPlan) {
		t.Errorf("another version: %v", err)
	}
	units := job.Units(4)
	var total motif.Part
	for i, u := range units {
		p, _, err := job.Run(t.Context(), u, motif.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			rows, err := job.Rows(t.Context(), p)
			for err == nil && rows.Next() {
				t.Error("a row of one unit alone")
			}
			if err = rows.Err(); !errors.Is(err, motif.ErrPartMissing) {
				t.Errorf("one of %d units: %v", len(units), err)
			}
		}
		if err := job.Merge(t.Context(), &total, p); err != nil {
			t.Fatal(err)
		}
		if err := job.Merge(t.Context(), &total, p); !errors.Is(err, motif.ErrPartTwice) {
			t.Errorf("a part that comes twice: %v", err)
		}
	}
	for _, text := range []string{`{"box":[]}`, `{"box":[[0,5,2]]}`, `{"box":[[9,0,1]]}`, `{"box":[[0,0,4000000000]]}`} {
		var u motif.Unit
		if err := json.Unmarshal([]byte(text), &u); err != nil {
			t.Fatal(err)
		}
		if _, _, err := job.Run(t.Context(), u, motif.Budget{}); err == nil {
			t.Errorf("the unit %s runs", text)
		}
	}
}

// TestUnitsOfManyRows has units whose rows fill several segments of their part, which travels as bytes.
func TestUnitsOfManyRows(t *testing.T) {
	db := kernelGraph(t, 9)
	defer db.Close()
	const query = "MATCH (a)--(b)--(c) WITH DISTINCT a, b, c RETURN count(*) AS n, sum(id(a) * id(c)) AS s, collect(id(b))[40000] AS v"
	want, job := answerAndJob(t, db, query)
	code, err := mergeUnits(t, job, job.Units(2)).MarshalBinary()
	var total motif.Part
	if err == nil {
		err = total.UnmarshalBinary(code)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := job.Rows(t.Context(), total)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var n, s, v int64
	for rows.Next() {
		if err := rows.Scan(&n, &s, &v); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(n, s, v); rows.Err() != nil || n < 1<<16 || len(want) != 1 || got != want[0] {
		t.Errorf("as units %s, %v; as a whole %v", got, rows.Err(), want)
	}
}
