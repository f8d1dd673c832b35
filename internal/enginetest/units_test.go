package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
)

// TestRandomUnits asks random queries as units: cut into 1, 7 or 64 boxes and at random places, with budgets that end at once, by two processes'
// worth of databases that have run different queries and filter to different depths. Half of the graphs are changed first, with queries in
// between. The parts travel as bytes and are merged in any order. It wants the rows of the whole query and of brute force. MOTIF_SEED repeats
// one graph, MOTIF_UNITS sets how many queries there are.
func TestRandomUnits(t *testing.T) {
	seed, queries := uint64(time.Now().UnixNano()), 150
	if s := os.Getenv("MOTIF_UNITS"); s != "" {
		queries, _ = strconv.Atoi(s)
	}
	const ofGraph = 10
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		queries = ofGraph
	}
	c := &unitCounts{routes: map[string]int{}}
	graphs := (queries + ofGraph - 1) / ofGraph
	for i := 0; i < graphs || queries >= 100 && c.rests < queries/10 && i < 10*graphs; i++ { // some graphs have so few matches that nothing is left
		c.graph(t, seed+uint64(i), ofGraph)
	}
	t.Logf("MOTIF_SEED=%d and on: %d queries, %d of them divided, %d units, %d rests, %d rows, %v", seed, queries, c.divided, c.units, c.rests, c.rows, c.routes)
	if queries >= 100 && (c.divided < queries/2 || c.rests < queries/10) {
		t.Errorf("MOTIF_SEED=%d and on: %d of %d queries divided, %d rests: they test little", seed, c.divided, queries, c.rests)
	}
	if queries >= 1000 && len(c.routes) < 5 {
		t.Errorf("MOTIF_SEED=%d and on: the only ways were %v", seed, c.routes)
	}
}

// unitCounts says how much the test has tested.
type unitCounts struct {
	divided, units, rests, rows int
	routes                      map[string]int // how often each way of dividing was taken
}

// graph asks some queries of the graph of a seed.
func (c *unitCounts) graph(t *testing.T, seed uint64, queries int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	of, query, shape, restore := r.Uint64(), (*queryGen).query, testgraph.Options{}, func() {}
	if counts := r.IntN(2) == 0; counts {
		query, restore = (*queryGen).count, preferCounts(r.IntN(4) > 0)
		shape.Vertices = 6 + r.IntN(5)
		shape.Edges, shape.Simple = shape.Vertices*(1+r.IntN(2)), r.IntN(2) == 0
	}
	defer restore()
	if r.IntN(3) == 0 {
		defer join.AlwaysViews()()
	}
	if r.IntN(2) == 0 {
		defer join.NoRoots()()
	}
	here, snap := shapedDB(t, of, shape)
	defer here.Close()
	there, _ := shapedDB(t, of, shape)
	defer there.Close()
	if r.IntN(2) == 0 {
		snap = alterBoth(t, r, snap, query, here, there)
	}
	for range queries {
		q := query(&queryGen{Rand: r, snap: snap})
		want, err := answer(t, here, q, byBruteForce...)
		if err != nil {
			continue // it takes too long, or fails: TestRandomQueries compares errors
		}
		if whole, err := answer(t, here, q); err != nil || !slices.Equal(whole, want) {
			t.Fatalf("MOTIF_SEED=%d:\n%s\nas a whole: %v", seed, q, err)
		}
		d := &dealer{T: t, Rand: r, here: here, there: there, counts: c}
		got, err := d.answer(q)
		var place *motif.QueryError
		switch {
		case errors.Is(err, motif.ErrNotDivisible) && errors.As(err, &place) && place.Message != "":
			continue
		case err != nil, !slices.Equal(got, want):
			t.Fatalf("MOTIF_SEED=%d:\n%s\non %v\nas units %d rows, %v\n%s\nby brute force %d rows\n%s\nspec %s\ncuts %s\n%s", seed, q, describe(snap), len(got), err, strings.Join(got, "\n"),
				len(want), strings.Join(want, "\n"), d.spec, strings.Join(d.log, "\n"), profile(t, here, q))
		}
		c.divided++
		c.rows += len(want)
	}
}

// alterBoth makes the same random changes to two databases with the graph of snap. Only the first one is asked queries in between, so that it
// has derived data from before them. It returns the graph that both have then.
func alterBoth(t *testing.T, r *rand.Rand, snap *csr.Snapshot, query func(*queryGen) string, here, there *motif.DB) *csr.Snapshot {
	for range 1 + r.IntN(6) {
		if r.IntN(2) == 0 {
			_, _ = answer(t, here, query(&queryGen{Rand: r, snap: snap})) // any answer will do, and any error
		}
		a, b, x := r.Uint64N(snap.N()+1), r.Uint64N(snap.N()+1), r.IntN(5)
		label, kind := pickOne(r, "A", "B", "C"), pickOne(r, "R", "S", "T")
		text := pickOne(r,
			fmt.Sprintf("MATCH (a), (b) WHERE id(a) = %d AND id(b) = %d CREATE (a)-[:%s {x: %d}]->(b)", a, b, kind, x),
			fmt.Sprintf("MATCH (a)-[e]-(b) WHERE id(a) = %d AND id(b) = %d CREATE (a)-[:%s {x: %d}]->(b)", a, b, kind, x),
			fmt.Sprintf("MATCH (a)-[e]->() WHERE id(a) = %d AND id(e) %% 2 = %d DELETE e", a, x%2),
			fmt.Sprintf("MATCH (a)-[e:%s]->() WHERE id(a) < %d AND id(e) %% 3 = %d DELETE e", kind, a, x%3),
			fmt.Sprintf("MATCH (a) WHERE id(a) = %d DETACH DELETE a", a),
			fmt.Sprintf("CREATE (:%s {x: %d})", label, x),
			fmt.Sprintf("MATCH (a) WHERE id(a) = %d SET a:%s, a.x = %d", a, label, x),
			fmt.Sprintf("MATCH (a:%s) WHERE id(a) = %d REMOVE a:%s", label, a, label))
		for _, db := range []*motif.DB{here, there} {
			if _, err := db.Exec(t.Context(), text, nil); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
	snap, err := storeOf(here).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// dealer runs a query as units.
type dealer struct {
	*testing.T
	*rand.Rand
	here, there *motif.DB
	counts      *unitCounts
	spec        []byte
	log         []string
}

// answer returns the rows as answer does.
func (d *dealer) answer(query string) (lines []string, err error) {
	first, err := d.here.Distribute(d.Context(), query, nil)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	d.spec = first.Spec()
	d.counts.routes[unitRoute(d.T, first)]++
	d.warm(query)
	options := []motif.QueryOption{motif.WithFilter(pickOne(d.Rand, "auto", "label", "degree", "signature", "refine"))}
	if d.IntN(3) == 0 {
		options = append(options, motif.WithMergeOnly()) // units prepare what they need
	}
	second, err := d.there.OpenJob(d.Context(), d.spec, options...)
	if err != nil {
		return nil, err
	}
	defer second.Close()
	jobs := []*motif.Job{first, second}
	parts, err := d.run(jobs, first.Units(pickOne(d.Rand, 1, 7, 64)))
	if err != nil {
		return nil, err
	}
	d.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for len(parts) > 1 { // in any grouping
		i := d.IntN(len(parts) - 1)
		if err := jobs[d.IntN(2)].Merge(d.Context(), &parts[i], parts[i+1]); err != nil {
			return nil, err
		}
		parts = slices.Delete(parts, i+1, i+2)
	}
	rows, err := jobs[d.IntN(2)].Rows(d.Context(), parts[0])
	if err != nil {
		return nil, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprint(row.Values()...))
	}
	if !strings.Contains(query, "ORDER BY") {
		slices.Sort(lines)
	}
	return lines, nil
}

// TestUnitMemory: a unit that needs too much memory says so, and succeeds in pieces.
func TestUnitMemory(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "UNWIND range(0, 59) AS i CREATE (:N {i: i}) WITH count(*) AS n MATCH (a), (b) WHERE (a.i + b.i) % 3 = 0 CREATE (a)-[:R]->(b)", nil); err != nil {
		t.Fatal(err)
	}
	job, err := db.Distribute(t.Context(), "MATCH (a)-->(b)-->(c) RETURN a.i, b.i, c.i", nil, motif.WithMemory(512<<10))
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	cuts, total := 0, motif.Part{}
	for units := job.Units(1); len(units) > 0; {
		part, _, err := job.Run(t.Context(), units[0], motif.Budget{})
		switch pieces := job.Cut(units[0], 3); {
		case errors.Is(err, motif.ErrMemory) && errors.As(err, new(*motif.StoppedError)) && len(pieces) > 1:
			units, cuts = append(units, pieces...), cuts+1
		case err != nil:
			t.Fatal(err)
		default:
			if err := job.Merge(t.Context(), &total, part); err != nil {
				t.Fatal(err)
			}
		}
		units = units[1:]
	}
	rows, err := job.Rows(t.Context(), total)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if cuts == 0 || n != 60*20*20-20 { // a loop is not taken twice
		t.Errorf("%d units were cut, and there are %d rows", cuts, n)
	}
}

// warm runs queries on the second database, whose filter goes deeper then.
func (d *dealer) warm(query string) {
	for range d.IntN(3) {
		if _, err := answer(d.T, d.there, query); err != nil {
			d.Fatal(err)
		}
	}
}

// run runs units, cuts some of them first, and runs what they put aside.
func (d *dealer) run(jobs []*motif.Job, units []motif.Unit) (parts []motif.Part, err error) {
	for len(units) > 0 {
		u := units[len(units)-1]
		units = units[:len(units)-1]
		if d.IntN(4) == 0 {
			pieces := jobs[d.IntN(2)].Cut(u, d.IntN(5))
			if d.IntN(2) == 0 {
				pieces = d.split(u)
			}
			if len(pieces) > 1 {
				units = append(units, pieces...)
				continue
			}
		}
		batch := []motif.Unit{u}
		for d.IntN(3) == 0 && len(units) > 0 {
			batch, units = append(batch, units[len(units)-1]), units[:len(units)-1]
		}
		for _, r := range d.together(jobs[d.IntN(2)], batch) {
			if r.err != nil {
				return nil, r.err
			}
			text, _ := json.Marshal(r.rest)
			of, _ := json.Marshal(r.unit)
			d.log = append(d.log, fmt.Sprintf("%s in %v leaves %s, with %d others", of, r.budget.Time, text, len(batch)-1))
			if d.counts.units, d.counts.rests = d.counts.units+1, d.counts.rests+len(r.rest); len(d.log) > 20_000 {
				return nil, fmt.Errorf("the units do not end")
			}
			units = append(units, r.rest...)
			if d.IntN(2) == 0 {
				code, err := r.part.MarshalBinary()
				if err != nil {
					return nil, err
				}
				r.part = motif.Part{}
				if err := r.part.UnmarshalBinary(code); err != nil {
					return nil, err
				}
			}
			parts = append(parts, r.part)
		}
	}
	return parts, nil
}

// unitRun is a run of a unit.
type unitRun struct {
	unit   motif.Unit
	budget motif.Budget
	part   motif.Part
	rest   []motif.Unit
	err    error
}

// together runs units of a job at the same time.
func (d *dealer) together(job *motif.Job, batch []motif.Unit) []unitRun {
	runs := make([]unitRun, len(batch))
	var group sync.WaitGroup
	for i, u := range batch {
		r := &runs[i]
		r.unit, r.budget = u, motif.Budget{Time: pickOne(d.Rand, 0, 0, time.Nanosecond, time.Nanosecond, 50*time.Microsecond)}
		group.Go(func() { r.part, r.rest, r.err = job.Run(d.Context(), r.unit, r.budget) })
	}
	group.Wait()
	return runs
}

// split cuts a unit in two at a random number.
func (d *dealer) split(u motif.Unit) []motif.Unit {
	text, err := json.Marshal(u)
	if err != nil {
		d.Fatal(err)
	}
	var a, b struct {
		Box [][3]uint64 `json:"box"`
	}
	if json.Unmarshal(text, &a) != nil || json.Unmarshal(text, &b) != nil {
		d.Fatalf("%s", text)
	}
	i := d.IntN(len(a.Box))
	lo, hi := a.Box[i][1], a.Box[i][2]
	if hi-lo < 2 {
		return nil
	}
	at := lo + 1 + d.Uint64N(hi-lo-1)
	a.Box[i][2], b.Box[i][1] = at, at
	units := make([]motif.Unit, 2)
	for k, x := range []any{a, b} {
		text, err := json.Marshal(x)
		if err == nil {
			err = json.Unmarshal(text, &units[k])
		}
		if err != nil {
			d.Fatal(err)
		}
	}
	return units
}

// pickOne returns one of its arguments.
func pickOne[T any](r *rand.Rand, options ...T) T { return options[r.IntN(len(options))] }
