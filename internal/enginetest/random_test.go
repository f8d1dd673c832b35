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
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/storage"
)

// TestRandomQueries asks random queries of random graphs, once of the engine as it is, once under random settings of its
// knobs and once by brute force, and wants the same rows. MOTIF_SEED repeats the queries of one graph, MOTIF_QUERIES sets how
// many queries there are, MOTIF_DEVICE what the engine runs on.
func TestRandomQueries(t *testing.T) {
	seed, queries := uint64(time.Now().UnixNano()), 2000
	if testing.Short() {
		queries = 300
	}
	if s := os.Getenv("MOTIF_QUERIES"); s != "" {
		queries, _ = strconv.Atoi(s)
	}
	const ofGraph = 10
	first, one := seed, os.Getenv("MOTIF_SEED")
	if one != "" {
		first, _ = strconv.ParseUint(one, 10, 64)
		queries = ofGraph
	}
	rows := 0
	for i := range (queries + ofGraph - 1) / ofGraph {
		rows += randomQueries(t, first+uint64(i), ofGraph)
	}
	t.Logf("MOTIF_SEED=%d and on: %d queries, %d rows", first, queries, rows)
	if rows < queries/4 && one == "" {
		t.Errorf("MOTIF_SEED=%d and on: %d queries gave only %d rows: they test little", first, queries, rows)
	}
}

// randomQueries asks some queries of the graph of a seed and returns how many rows they have.
func randomQueries(t *testing.T, seed uint64, queries int) (rows int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	db, snap := randomDB(t, r.Uint64())
	defer db.Close()
	names := pattern.TechniqueNames()
	for range queries {
		q := (&queryGen{Rand: r, snap: snap}).query()
		workers := motif.WithWorkers(1 + r.IntN(3))
		want, wantErr := answer(t, db, q, append(byBruteForce, workers)...)
		if errors.Is(wantErr, context.DeadlineExceeded) {
			t.Logf("MOTIF_SEED=%d: brute force takes too long for\n%s", seed, q)
			continue
		}
		for _, set := range []setting{{}, randomSetting(r, names[r.IntN(len(names))])} {
			opts := append([]motif.QueryOption{workers}, set.options(t)...)
			got, err := answer(t, db, q, opts...)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
				t.Fatalf("MOTIF_SEED=%d, %v:\n%s\non %v\ngave %d rows, %v\n%s\nbrute force gives %d rows, %v\n%s\n%s", seed, set, q, describe(snap),
					len(got), err, strings.Join(got, "\n"), len(want), wantErr, strings.Join(want, "\n"), profile(t, db, q, opts...))
			}
		}
		rows += len(want)
	}
	return rows
}

// onDevice has queries run on the device that MOTIF_DEVICE names.
func onDevice() motif.Option {
	if d := os.Getenv("MOTIF_DEVICE"); d != "" {
		return motif.WithDevice(d)
	}
	return motif.WithDevice("auto")
}

func randomDB(t *testing.T, seed uint64) (*motif.DB, *csr.Snapshot) {
	t.Helper()
	return shapedDB(t, seed, testgraph.Options{})
}

// shapedDB is randomDB with a graph of some shape.
func shapedDB(t *testing.T, seed uint64, o testgraph.Options) (*motif.DB, *csr.Snapshot) {
	t.Helper()
	snap := testgraph.Random(seed, o)
	opts := []motif.Option{motif.WithWorkers(2), onDevice()}
	if seed%3 == 0 { // queries drop what the ones before them have derived
		opts = append(opts, motif.WithCache(int64(seed/3%5)<<10))
	}
	db, err := motif.Open(":memory:", opts...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storeOf(db).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	if rand.New(rand.NewPCG(seed, 1)).IntN(2) == 0 { // what it is now lies over what was published
		tx, err := storeOf(db).Begin(t.Context(), storage.Relaxed)
		if err != nil {
			t.Fatal(err)
		}
		testgraph.Change(seed, tx.Draft(), false)
		for i, on := range []string{"A", "B", "A"} {
			r := csr.Rule{Kind: csr.RuleIndex, Name: fmt.Sprint("i", i), On: on, Keys: []string{[]string{"x", "x", "name"}[i]}}
			if err := tx.Draft().CreateRule(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if snap, err = storeOf(db).Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, snap
}

// linesOf reads rows, one line each.
func linesOf(rows *motif.Rows, err error) (lines []string, _ error) {
	if err != nil {
		return nil, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprint(row.Values()...))
	}
	return lines, nil
}

// answer returns the rows as text, in order if the query asks for one, else sorted.
func answer(t *testing.T, db *motif.DB, query string, opts ...motif.QueryOption) (lines []string, err error) {
	t.Helper()
	rows, err := db.Query(t.Context(), query, nil, append([]motif.QueryOption{motif.WithTimeout(time.Minute)}, opts...)...)
	if err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	if lines, err = linesOf(rows, nil); err != nil {
		return nil, err
	}
	if !strings.Contains(query, "ORDER BY") {
		slices.Sort(lines)
	}
	return lines, nil
}

// profile is the plan of a query with actual figures.
func profile(t *testing.T, db *motif.DB, query string, opts ...motif.QueryOption) string {
	t.Helper()
	lines, err := answer(t, db, "PROFILE "+query+" //ORDER BY", opts...)
	return fmt.Sprint(strings.Join(lines, "\n"), err)
}

// describe prints a small graph.
func describe(s *csr.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d vertices:", s.N())
	for v := range csr.VertexID(s.N()) {
		n := nodeOf(s, v)
		fmt.Fprintf(&b, " %d%v%v", n.ID, n.Labels, n.Props)
	}
	for e := range s.AllEdges() {
		r := relOf(s, e)
		fmt.Fprintf(&b, "\n  %d-[%d:%s %v]->%d", r.Start, r.ID, r.Type, r.Props, r.End)
	}
	return b.String()
}

// queryGen writes random queries over nodes a, b, c ... and relationships r0, r1 ...
type queryGen struct {
	*rand.Rand
	snap  *csr.Snapshot
	nodes []string // variables in scope
	rels  []string
	inUse map[string]bool // relationships of the current clause
	fixed int             // pattern elements so far: brute force bears few

	labelled bool // nodes of a count may have labels
}

func (g *queryGen) pick(options ...string) string { return options[g.IntN(len(options))] }
func (g *queryGen) chance(p float64) bool         { return g.Float64() < p }

func (g *queryGen) query() string {
	var b strings.Builder
	for range 1 + g.IntN(4)/2 {
		b.WriteString(g.match())
	}
	b.WriteString(g.returning())
	return b.String()
}

func (g *queryGen) match() string {
	g.inUse = map[string]bool{}
	mode := g.pick("", "", "DIFFERENT RELATIONSHIPS ", "DIFFERENT EDGES ", "REPEATABLE ELEMENTS ", "DIFFERENT NODES ", "DIFFERENT VERTICES ",
		"SUBGRAPHS ", "INDUCED SUBGRAPHS ", "DISTINCT SUBGRAPHS ", "DISTINCT INDUCED SUBGRAPHS ")
	var paths []string
	if g.chance(0.15) {
		paths = append(paths, g.clique())
	} else {
		for range 1 + g.IntN(2) {
			paths = append(paths, g.path())
		}
	}
	text := "MATCH " + mode + strings.Join(paths, ", ")
	if conds := g.conditions(); len(conds) > 0 {
		text += " WHERE " + strings.Join(conds, g.pick(" AND ", " AND ", " OR "))
	}
	return text + "\n"
}

func (g *queryGen) path() string {
	text := g.node()
	for g.fixed < 5 && g.chance(0.65) {
		g.fixed++
		text += g.relationship() + g.node()
	}
	return text
}

// clique is a complete pattern, or nodes for IS_CLIQUE to test.
func (g *queryGen) clique() string {
	k := 3 + g.IntN(2)
	names := []string{"a", "b", "c", "d"}[:k]
	g.nodes = append(g.nodes, names...)
	label := g.label()
	var parts []string
	if g.chance(0.4) {
		for _, n := range names {
			parts = append(parts, "("+n+label+")")
		}
		return strings.Join(parts, ", ")
	}
	typ := g.types()
	for i, x := range names {
		for _, y := range names[:i] {
			parts = append(parts, "("+x+label+")-["+typ+"]-("+y+")")
		}
	}
	return strings.Join(parts, ", ")
}

func (g *queryGen) node() string {
	name := ""
	if g.chance(0.85) {
		name = g.pick("a", "b", "c", "d")
		g.nodes = append(g.nodes, name)
	}
	return "(" + name + g.label() + g.props() + ")"
}

func (g *queryGen) label() string {
	if g.snap.Labels.Len() == 0 || g.chance(0.6) {
		return ""
	}
	name := func() string { return g.snap.Labels.Name(uint32(g.IntN(g.snap.Labels.Len()))) }
	return ":" + g.pick(name(), name(), name()+"|"+name(), name()+"&"+name(), "!"+name(), "%", "("+name()+"|"+name()+")&!"+name())
}

func (g *queryGen) types() string {
	name := func() string { return g.snap.Types.Name(uint32(g.IntN(g.snap.Types.Len()))) }
	return g.pick("", "", ":"+name(), ":"+name()+"|"+name())
}

func (g *queryGen) props() string {
	return g.pick("", "", "", "", "", fmt.Sprintf(" {x: %d}", g.IntN(5)), " {name: 'a'}")
}

func (g *queryGen) relationship() string {
	name := ""
	if g.chance(0.4) {
		name = fmt.Sprintf("r%d", g.IntN(5))
		if g.inUse[name] {
			name = ""
		}
	}
	if name != "" {
		g.inUse[name] = true
		g.rels = append(g.rels, name)
	}
	body := name + g.types() + g.props()
	if body != "" {
		body = "[" + body + "]"
	}
	return g.pick("-"+body+"-", "-"+body+"-", "-"+body+"->", "<-"+body+"-")
}

func (g *queryGen) conditions() (conds []string) {
	for g.chance(0.4) && len(conds) < 3 {
		if c := g.condition(); c != "" {
			if g.chance(0.2) {
				c = "NOT (" + c + ")"
			}
			conds = append(conds, c)
		}
	}
	return conds
}

func (g *queryGen) condition() string {
	if len(g.nodes) == 0 {
		return ""
	}
	a, b := g.pick(g.nodes...), g.pick(g.nodes...)
	options := []string{
		fmt.Sprintf("%s.x %s %d", a, g.pick("=", "<", ">=", "<>"), g.IntN(5)),
		fmt.Sprintf("%s.x %s %s.x", a, g.pick("=", "<", "<="), b),
		a + " <> " + b, "id(" + a + ") <> id(" + b + ")", a + " = " + b, "id(" + a + ") < id(" + b + ")",
		a + ".name IS NULL", a + ".name IN ['a', 'c']", a + ".name STARTS WITH 'b'", a + ".x + " + b + ".x > 4",
		"ALL_DIFFERENT(" + a + ", " + b + ")", "size(labels(" + a + ")) = 1",
	}
	if l := g.label(); l != "" {
		options = append(options, a+l)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(g.nodes))); len(distinct) > 1 {
		n := 2 + g.IntN(len(distinct)-1)
		list := strings.Join(distinct[:n], ", ")
		isClique := g.pick("IS_CLIQUE(["+list+"])", "IS_CLIQUE(["+list+"], 'R')", "IS_CLIQUE(["+list+"], ['R', 'S'])")
		options = append(options, isClique, isClique, "ALL_DIFFERENT("+list+")")
	}
	if len(g.rels) > 0 {
		r := g.pick(g.rels...)
		options = append(options, r+".x > 1", "type("+r+") = 'R'", "id("+r+") > 1", r+".x < "+a+".x")
	}
	return g.pick(options...)
}

func (g *queryGen) returning() string {
	if len(g.nodes) == 0 || g.chance(0.3) {
		return "RETURN count(*) AS n"
	}
	values := func() string {
		a := g.pick(g.nodes...)
		options := []string{a, a + ".x", "id(" + a + ")", "labels(" + a + ")", a + ".x * 2"}
		if len(g.rels) > 0 {
			r := g.pick(g.rels...)
			options = append(options, r, "type("+r+")", r+".x")
		}
		return g.pick(options...)
	}
	switch g.IntN(4) {
	case 0:
		a := g.pick(g.nodes...)
		agg := g.pick("count(*)", "sum(%s.x)", "min(%s.x)", "max(%s.name)", "count(DISTINCT %s)", "count(%s.x)", "count(DISTINCT %s.name)")
		return "RETURN " + values() + " AS k, " + strings.ReplaceAll(agg, "%s", a) + " AS v"
	case 1:
		return "RETURN DISTINCT " + values() + " AS u, " + values() + " AS v"
	case 2:
		return "RETURN id(" + g.pick(g.nodes...) + ") AS u, " + values() + " AS v ORDER BY u DESC, v LIMIT 7"
	}
	return "RETURN " + values() + " AS u, " + values() + " AS v"
}
