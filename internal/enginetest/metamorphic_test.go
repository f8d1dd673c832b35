package enginetest

import (
	"context"
	"errors"
	"fmt"
	"github.com/motifql/motif"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// testCase is a graph with a question, and the settings under which all answers must agree.
type testCase struct {
	seed     uint64
	graph    *plainGraph
	other    *plainGraph // for the disjoint union
	question *question
	settings []setting
	tamper   func(lines []string) []string // in place of a mistake of the engine, for the test of this test
}

// TestMetamorphic asks random questions, each under several settings of the knobs, and wants the answers of brute force. It
// also wants the same count on the graph with other ids and in another order, for the question written otherwise, with an
// isolated node added, and as a sum on a disjoint union. MOTIF_SEED repeats one case, MOTIF_CASES sets how many there are.
func TestMetamorphic(t *testing.T) {
	first, cases := uint64(time.Now().UnixNano()), 300
	if testing.Short() {
		cases = 100
	}
	if s := os.Getenv("MOTIF_CASES"); s != "" {
		cases, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		first, _ = strconv.ParseUint(s, 10, 64)
		cases = 1
	}
	r := &referee{db: emptyDB(t)}
	for seed := first; seed < first+uint64(cases); seed++ {
		c := randomCase(seed)
		if why := r.check(t, c); why != "" {
			fmt.Fprintf(os.Stderr, "MOTIF_SEED=%d: %s\nmaking it smaller\n", seed, why) // before a time limit ends that
			small := r.shrink(t, c)
			t.Fatalf("MOTIF_SEED=%d go test ./internal/enginetest -run TestMetamorphic: %s\nmade smaller: %s\n%v", seed, why, r.check(t, small), small)
		}
	}
	t.Logf("MOTIF_SEED=%d and the %d after: %d answers compared, %d rows, %d cases with matches, %d too slow; taken: %v",
		first, cases-1, r.answers, r.rows, r.matched, r.slow, r.taken)
	if cases > 1 && (r.matched < cases/8 || r.slow > cases/50+2) { // among 30 cases two are sometimes slow by chance
		t.Errorf("%d of %d cases have matches, %d are too slow for brute force: they test little", r.matched, cases, r.slow)
	}
}

func emptyDB(t *testing.T) *motif.DB {
	t.Helper()
	db, err := motif.Open(":memory:", onDevice())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// bruteTime is what brute force may take; the engine has four times that, with whatever techniques are off.
const bruteTime = 5 * time.Second

var byBruteForce = []motif.QueryOption{motif.WithBruteForce(), motif.WithTimeout(bruteTime)}

// referee checks cases and counts what it has seen.
type referee struct {
	db                           *motif.DB
	answers, rows, matched, slow int
	taken                        map[string]uint64
}

// ask returns the rows as text, sorted unless the query orders them.
func (r *referee) ask(t *testing.T, c *testCase, s *csr.Snapshot, text string, set setting, opts ...motif.QueryOption) (lines []string, err error) {
	t.Helper()
	r.answers++
	rows, err := viewOf(r.db, s).Query(t.Context(), text, nil, append(append(set.options(t), motif.WithTimeout(4*bruteTime)), opts...)...)
	if err != nil {
		t.Fatalf("MOTIF_SEED=%d: %s\n%v", c.seed, text, err)
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprint(row.Values()...))
	}
	if !strings.Contains(text, "ORDER BY") {
		slices.Sort(lines)
	}
	sum := rows.Summary()
	checkStages(t, text, sum)
	if r.taken == nil {
		r.taken = map[string]uint64{}
	}
	for _, m := range sum.Techniques {
		r.taken[m.Name] += m.Uses
		if slices.Contains(strings.Split(set["without"], ","), m.Name) {
			return nil, fmt.Errorf("%s was taken although it was off", m.Name)
		}
	}
	if c.tamper != nil && len(opts) == 0 {
		lines = c.tamper(lines)
	}
	return lines, nil
}

// check returns what is wrong with the answers to a case; "" if nothing is.
func (r *referee) check(t *testing.T, c *testCase) string {
	t.Helper()
	s := c.graph.snapshot(t)
	full := c.question.text(true, c.question.rows, nil)
	start := time.Now()
	want, wantErr := r.ask(t, c, s, full, nil, byBruteForce...)
	if errors.Is(wantErr, context.DeadlineExceeded) || len(want) > 100_000 || time.Since(start) > bruteTime/2 { // a busy machine takes long for so many rows
		r.slow++
		return ""
	}
	r.rows += len(want)
	limited := full
	if c.question.limit > 0 {
		limited += fmt.Sprint(" LIMIT ", c.question.limit)
	}
	for _, set := range c.settings {
		got, err := r.ask(t, c, s, limited, set)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			return fmt.Sprintf("motif query db %v: error %v, brute force: %v\n%s", set, err, wantErr, limited)
		}
		if why := difference(got, want, c.question.limit); why != "" {
			return fmt.Sprintf("motif query db %v: %s\n%s", set, why, limited)
		}
	}
	return r.relations(t, c, s)
}

// difference compares an answer with that of brute force; of a limited one it wants that many rows out of all.
func difference(got, want []string, limit int) string {
	if limit == 0 && slices.Equal(got, want) {
		return ""
	}
	if limit > 0 && len(got) == min(limit, len(want)) {
		rest := slices.Clone(want)
		for _, line := range got {
			i := slices.Index(rest, line)
			if i < 0 {
				return fmt.Sprintf("%q is no row", line)
			}
			rest = slices.Delete(rest, i, i+1)
		}
		return ""
	}
	return fmt.Sprintf("%d rows\n%s\nbrute force: %d rows\n%s", len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
}

// relations checks how counts on changed graphs and of changed questions must be related.
func (r *referee) relations(t *testing.T, c *testCase, s *csr.Snapshot) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(c.seed, 2))
	plain := c.question.text(false, "count(*) AS n", nil)
	count := func(s *csr.Snapshot, text string, set setting, opts ...motif.QueryOption) (int, error) {
		lines, err := r.ask(t, c, s, text, set, opts...)
		if err != nil || len(lines) != 1 {
			return len(lines), errors.Join(err, fmt.Errorf("%d rows", len(lines)))
		}
		return strconv.Atoi(lines[0])
	}
	want, err := count(s, plain, nil, byBruteForce...)
	other, errOther := count(c.other.snapshot(t), plain, nil, byBruteForce...)
	if err = errors.Join(err, errOther); errors.Is(err, context.DeadlineExceeded) {
		r.slow++
		return ""
	}
	if err != nil {
		return fmt.Sprintf("counting by brute force: %v\n%s", err, plain)
	}
	if want > 0 {
		r.matched++
	}
	lonely := &plainGraph{nodes: append(slices.Clone(c.graph.nodes), plainNode{id: 5000}), rels: c.graph.rels}
	for _, relation := range []struct {
		name string
		g    *csr.Snapshot
		text string
		want int
	}{
		{"the same graph", s, plain, want},
		{"the graph relabelled", c.graph.relabelled(rng).snapshot(t), plain, want},
		{"the question written otherwise", s, c.question.text(false, "count(*) AS n", rng), want},
		{"an isolated node added", lonely.snapshot(t), plain, want},
		{"the graph with changes made and undone", testgraph.Changed(c.seed, s, false), plain, want},
		{"a disjoint union", c.graph.beside(c.other).snapshot(t), plain, want + other},
	} {
		set := c.settings[rng.IntN(len(c.settings))]
		if got, err := count(relation.g, relation.text, set); err != nil || got != relation.want {
			return fmt.Sprintf("motif query db %v: %s: %d, %v; want %d\n%s", set, relation.name, got, err, relation.want, relation.text)
		}
	}
	return ""
}

// shrink leaves out of a failing case what it fails without. It ends after two minutes, so that a slow case is reported before the
// time limit of all tests.
func (r *referee) shrink(t *testing.T, c *testCase) *testCase {
	t.Helper()
	start := time.Now()
	for again := true; again; {
		again = false
		for _, smaller := range c.smaller() {
			if time.Since(start) > 2*time.Minute {
				return c
			}
			if r.check(t, smaller) != "" {
				c, again = smaller, true
				break
			}
		}
	}
	return c
}

// smaller lists the cases with one thing less.
func (c *testCase) smaller() (list []*testCase) {
	variant := func(change func(d *testCase)) {
		d := *c
		q := *c.question
		q.clauses, q.labels, q.conds = slices.Clone(q.clauses), slices.Clone(q.labels), slices.Clone(q.conds)
		d.question = &q
		change(&d)
		list = append(list, &d)
	}
	for i := range c.settings {
		if len(c.settings) > 1 {
			variant(func(d *testCase) { d.settings = c.settings[i : i+1] })
		}
	}
	for i := range c.graph.nodes {
		variant(func(d *testCase) { d.graph = c.graph.withoutNode(i) })
	}
	for i := range c.graph.rels {
		variant(func(d *testCase) {
			d.graph = &plainGraph{nodes: c.graph.nodes, rels: slices.Delete(slices.Clone(c.graph.rels), i, i+1)}
		})
	}
	if len(c.other.nodes) > 1 {
		variant(func(d *testCase) { d.other = &plainGraph{nodes: []plainNode{{}}} })
	}
	q := c.question
	for i := range q.conds {
		if len(q.clauses[0].lone) == 0 || i > 0 { // else the first one makes the pattern connected
			variant(func(d *testCase) { d.question.conds = slices.Delete(d.question.conds, i, i+1) })
		}
	}
	if q.byID != "" {
		variant(func(d *testCase) { d.question.byID = "" })
	}
	for u := range q.labels {
		if q.labels[u] != "" {
			variant(func(d *testCase) { d.question.labels[u] = "" })
		}
	}
	for i := range q.clauses {
		for j := range q.clauses[i].arrows {
			fewer := slices.Delete(slices.Clone(q.clauses[i].arrows), j, j+1)
			if q.connectedWith(i, fewer) {
				variant(func(d *testCase) { d.question.clauses[i].arrows = fewer })
			}
		}
	}
	return list
}

// connectedWith reports whether the question still joins all its nodes when clause i has these arrows only.
func (q *question) connectedWith(i int, arrows []arrow) bool {
	if len(arrows) == 0 {
		return false
	}
	reached := map[int]bool{0: true}
	for changed := true; changed; {
		changed = false
		for j, c := range q.clauses {
			if j == i {
				c.arrows = arrows
			}
			for _, a := range c.arrows {
				if reached[a.u] != reached[a.w] {
					reached[a.u], reached[a.w], changed = true, true, true
				}
			}
		}
	}
	return len(reached) == len(q.labels)
}

// String prints the case as a script.
func (c *testCase) String() string {
	var b strings.Builder
	b.WriteString(c.graph.String())
	text := c.question.text(true, c.question.rows, nil)
	if c.question.limit > 0 {
		text += fmt.Sprint(" LIMIT ", c.question.limit)
	}
	for _, set := range append([]setting{{}}, c.settings...) {
		flags := set.String()
		if len(set) == 0 {
			flags = "--brute"
		}
		fmt.Fprintf(&b, "motif query db %s \"%s\"\n", flags, text)
	}
	return b.String()
}

// A planted mistake is found and made small: the engine loses a row where there are several.
func TestShrink(t *testing.T) {
	r := &referee{db: emptyDB(t)}
	for seed := uint64(0); seed < 200; seed++ {
		c := randomCase(seed)
		c.tamper = func(lines []string) []string { return lines[:min(len(lines), 1)] }
		why := r.check(t, c)
		if why == "" {
			continue
		}
		small := r.shrink(t, c)
		if n := len(small.graph.nodes); r.check(t, small) == "" || n > 4 || len(small.settings) != 1 || len(small.graph.rels) > 4 {
			t.Errorf("seed %d: %s\nmade smaller:\n%v", seed, why, small)
		}
		text := small.String()
		for _, part := range []string{":ID,:LABEL", ":START_ID,:END_ID", "motif load db", "motif query db --brute \"MATCH "} {
			if !strings.Contains(text, part) {
				t.Errorf("%q is missing:\n%s", part, text)
			}
		}
		if seed > 20 {
			return
		}
	}
	t.Error("the mistake was not found")
}

// The changes of graphs are what they should be.
func TestPlainGraph(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := testgraph.Random(seed, testgraph.Options{Flat: true})
		g := plainOf(s)
		if got := plainOf(g.snapshot(t)); got.String() != g.String() {
			t.Fatalf("seed %d:\n%v\nbecame\n%v", seed, g, got)
		}
		h := g.relabelled(rng)
		if len(h.nodes) != len(g.nodes) || len(h.rels) != len(g.rels) {
			t.Fatalf("seed %d: %v\nrelabelled\n%v", seed, g, h)
		}
		if u := g.beside(h).snapshot(t); u.N() != 2*s.N() || u.M() != 2*s.M() {
			t.Errorf("seed %d: union of %d and %d", seed, u.N(), u.M())
		}
	}
}
