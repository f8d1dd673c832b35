package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage"
)

// newParts makes a store with a flat file, of types A to D, labels P and Q, and properties of nodes and relationships. Its log is empty.
func newParts(t *testing.T, rng *rand.Rand, nodes, relationships int) string {
	t.Helper()
	if !storage.CanMap {
		t.Skip("this build maps no files")
	}
	from := filepath.Join(t.TempDir(), "from.db")
	pairs := make([]any, relationships)
	for i := range pairs {
		pairs[i] = []any{int64(rng.IntN(nodes)), int64(rng.IntN(nodes)), int64(rng.IntN(9))}
	}
	var backup bytes.Buffer
	with(t, from, func(db *motif.DB) error {
		texts := []string{"UNWIND range(0, $n - 1) AS i CREATE (v:P {i: i, age: i % 17, name: 'name of ' + toString(i)}) WITH v WHERE v.i % 3 = 0 SET v:Q"}
		for i, typ := range []string{"A", "B", "C", "D"} {
			texts = append(texts, fmt.Sprintf("UNWIND range(%d, size($pairs) - 1, 4) AS j WITH $pairs[j] AS p MATCH (a:P {i: p[0]}), (b:P {i: p[1]}) CREATE (a)-[:%s {w: p[2], age: p[2] + 1}]->(b)", i, typ))
		}
		for _, text := range texts {
			if _, err := db.Exec(t.Context(), text, motif.Params{"n": int64(nodes), "pairs": pairs}); err != nil {
				return err
			}
		}
		_, err := db.Backup(t.Context(), &backup)
		return err
	}, motif.WithCreate())
	at := filepath.Join(t.TempDir(), "graph.db")
	with(t, at, func(db *motif.DB) error {
		_, err := db.Restore(t.Context(), &backup)
		return err
	}, motif.WithCreate(), motif.WithMapping())
	return at
}

func openGraph(t *testing.T, url, cache string) *Graph {
	t.Helper()
	g, err := OpenGraph(t.Context(), url, cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// runUnits answers a query by units of jobs that two processes could have.
func runUnits(ctx context.Context, split, work *Graph, query string) (string, error) {
	made, err := split.Distribute(ctx, query, nil)
	if err != nil {
		return "", err
	}
	defer made.Close()
	job, err := work.OpenJob(ctx, made.Spec())
	if err != nil {
		return "", err
	}
	defer job.Close()
	total := motif.Part{}
	for _, u := range made.Units(3) {
		part, _, err := job.Run(ctx, u, motif.Budget{})
		if err == nil {
			err = job.Merge(ctx, &total, part)
		}
		if err != nil {
			return "", err
		}
	}
	rows, err := job.Rows(ctx, total)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = repl.WriteRows(&out, rows, "csv")
	return out.String(), err
}

func wholeAnswer(t *testing.T, db *motif.DB, query string) string {
	t.Helper()
	rows, err := db.Query(t.Context(), query, nil)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var out strings.Builder
	if err := repl.WriteRows(&out, rows, "csv"); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out.String()
}

// fetched returns the names of the parts of which something is in the cache, and the bytes of all blocks there.
func fetched(t *testing.T, g *Graph) (parts map[string]bool, bytes int64) {
	t.Helper()
	if g.partial == nil {
		t.Fatal("the graph was fetched as a whole")
	}
	present, err := os.ReadFile(g.partial.present())
	if err != nil {
		t.Fatal(err)
	}
	parts = map[string]bool{}
	at := 0
	for _, p := range g.partial.file.Parts {
		for range p.Blocks {
			if at < len(present) && present[at] == 1 {
				parts[p.Name] = true
				bytes += g.partial.file.Blocks[at].Size
			}
			at++
		}
	}
	return parts, bytes
}

// TestFetchesWhatIsNamed compares the parts that a job brings with the ones that its query names.
func TestFetchesWhatIsNamed(t *testing.T) {
	at := newParts(t, random(t), 500, 8000)
	url := push(t, at, "file://"+t.TempDir()).URL
	typ, node, rel := storage.TypePart, storage.NodePropertyPart, storage.RelationshipPropertyPart
	for query, want := range map[string][]string{
		"MATCH (a)-[:B]->(b)-[:B]->(c) RETURN count(*)":                              {typ("B")},
		"MATCH (a:Q)-[:B]->(b) WHERE a.age > 3 RETURN count(*)":                      {typ("B"), node("age")},
		"MATCH (a:Q {age: 4})-[r:C]-(b) RETURN r.w AS w, count(*) ORDER BY w":        {typ("C"), node("age"), rel("w")},
		"MATCH (a)-[:A|B]->(b)-[:A]->(a) RETURN count(*)":                            {typ("A"), typ("B")},
		"MATCH (a)-[:D]->(b) RETURN id(a) AS a, id(b) AS b ORDER BY a, b LIMIT 9":    {typ("D"), storage.NodeIDsPart},
		"MATCH (a)-->(b)-->(c) RETURN count(*)":                                      {typ("A"), typ("B"), typ("C"), typ("D")},
		"MATCH (a)-[:!C]->(b) RETURN count(*)":                                       {typ("A"), typ("B"), typ("C"), typ("D")},
		"MATCH (a)-[r]->(b) RETURN a, r, b":                                          {typ("A"), typ("B"), typ("C"), typ("D"), node("i"), node("age"), node("name"), rel("w"), rel("age"), storage.NodeIDsPart, storage.RelationshipIDsPart},
		"MATCH (a)-[r:A]->(b) RETURN r ORDER BY r.w, id(r) LIMIT 2":                  {typ("A"), rel("w"), rel("age"), storage.NodeIDsPart, storage.RelationshipIDsPart},
		"MATCH (a:Q) RETURN count(*)":                                                nil,
		"MATCH (a)-[:B]->(b) WHERE EXISTS { (b)-[:C]->({age: 3}) } RETURN count(*)":  {typ("B"), typ("C"), node("age")},
		"MATCH (a)-[:A]->(b), (b)-[:A]->(c), (a)-[:A]->(c) RETURN count(DISTINCT a)": {typ("A")},
	} {
		cache := t.TempDir()
		g := openGraph(t, url, cache)
		if _, err := runUnits(t.Context(), g, g, query); err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		got, bytes := fetched(t, g)
		allowed := map[string]bool{"": true}
		for _, p := range want {
			if allowed[p] = true; !got[p] {
				t.Errorf("%s: %s was not fetched", query, p)
			}
		}
		for p := range got {
			if !allowed[p] {
				t.Errorf("%s: %s was fetched", query, p)
			}
		}
		names, err := Named(t.Context(), url, query)
		if err != nil {
			t.Fatal(err)
		}
		log, fixed := int64(0), int64(0)
		for i := range g.partial.m.Files {
			if f := &g.partial.m.Files[i]; !f.Fixed {
				log += f.bytes()
			}
		}
		for i := range g.partial.file.wanted(func(string) bool { return false }) {
			fixed += g.partial.file.Blocks[i].Size
		}
		if names != bytes+log {
			t.Errorf("%s: names %d bytes, and %d were fetched", query, names, bytes+log)
		}
		if fixed > 16<<10 {
			t.Errorf("opening reads %d bytes", fixed)
		}
	}
}

// randomQuery draws a query that units can answer: types or none, lengths of 1 to 3, predicates, and several kinds of results.
func randomQuery(rng *rand.Rand) string {
	one := func(of ...string) string { return of[rng.IntN(len(of))] }
	var text strings.Builder
	text.WriteString("MATCH " + one("", "DIFFERENT NODES ") + "(a" + one("", ":Q", " {age: 3}") + ")")
	last := rng.IntN(2)
	for i := range 1 + last {
		fmt.Fprintf(&text, "-[r%d%s]-%s(%c%s)", i, one("", ":A", ":B", ":C|D", ":!A", ":A|B {w: 3}"), one(">", ">", ""), 'b'+rune(i), one("", "", ":P", ":Q"))
	}
	text.WriteString(one("", "", " WHERE a.age < 9", " WHERE b.name > 'name of 3'", " WHERE r0.w = b.age", " WHERE EXISTS { (b)-[:D]->(:Q) }", " WHERE a <> b AND r0.age > 3"))
	text.WriteString(one(" RETURN count(*)", " RETURN count(DISTINCT a)", " RETURN a.age AS x, count(*) ORDER BY x", " RETURN sum(r0.w), max(b.name)",
		" WITH a AS c0, r0.age AS y RETURN c0.age AS x, max(y) ORDER BY x", " RETURN b ORDER BY id(b) LIMIT 3", " RETURN id(a) AS a0, type(r0) AS t, count(*) AS n ORDER BY a0, t LIMIT 20",
		" RETURN r0 ORDER BY id(r0) LIMIT 4", " WITH collect(DISTINCT b) AS l RETURN size(l)"))
	return text.String()
}

// TestPartsAnswer compares units on what was fetched of a snapshot with the engine on the store: two graphs share a cache, and queries bring more of it.
func TestPartsAnswer(t *testing.T) {
	rng := random(t)
	for range 3 {
		at := newParts(t, rng, 60, 400)
		url := push(t, at, "file://"+t.TempDir()).URL
		db, err := motif.Open(at, motif.WithReadOnly())
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			cache := t.TempDir()
			g, other := openGraph(t, url, cache), openGraph(t, url, cache)
			for range 12 {
				query := randomQuery(rng)
				want := wholeAnswer(t, db, query)
				split := []*Graph{g, {DB: db}}[rng.IntN(2)] // also by who has the store
				got, err := runUnits(t.Context(), split, other, query)
				if err != nil || got != want {
					t.Fatalf("%s: %v\n%s\nand not\n%s", query, err, got, want)
				}
			}
			fetched(t, g) // which sees that it was not fetched as a whole
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPartsAreShared has several graphs on one cache fetch and answer at once.
func TestPartsAreShared(t *testing.T) {
	at := newParts(t, random(t), 60, 400)
	url, cache := push(t, at, "file://"+t.TempDir()).URL, t.TempDir()
	queries := []string{"MATCH (a)-[:A]->(b)-[:B]->(c) RETURN count(*)", "MATCH (a)-[r]->(b) RETURN sum(r.w)", "MATCH (a)-[:C]-(b) WHERE a.name < b.name RETURN count(*)"}
	var want []string
	with(t, at, func(db *motif.DB) error {
		for _, q := range queries {
			want = append(want, wholeAnswer(t, db, q))
		}
		return nil
	}, motif.WithReadOnly())
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			g, err := OpenGraph(t.Context(), url, cache, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer g.Close()
			for j := range queries {
				k := (i + j) % len(queries)
				if got, err := runUnits(t.Context(), g, g, queries[k]); err != nil || got != want[k] {
					t.Errorf("%s: %v\n%s\nand not\n%s", queries[k], err, got, want[k])
				}
			}
		})
	}
	all.Wait()
}

// TestPartsDamaged takes blocks of a snapshot away, or damages them. Who needs one gets an error that names it, and the answer once it is back. Others see nothing.
func TestPartsDamaged(t *testing.T) {
	at := newParts(t, random(t), 60, 400)
	bucket := t.TempDir()
	url := push(t, at, "file://"+bucket).URL
	const query, needy = "MATCH (a)-[:A]->(b) RETURN count(*)", "MATCH (a)-[:B]->(b) WHERE a.name > 'n' RETURN count(*)"
	var want, wantNeedy string
	with(t, at, func(db *motif.DB) error {
		want, wantNeedy = wholeAnswer(t, db, query), wholeAnswer(t, db, needy)
		return nil
	}, motif.WithReadOnly())
	for _, lost := range []string{storage.TypePart("B"), storage.NodePropertyPart("name")} {
		for name, spoil := range map[string]func(path string) error{
			"missing": os.Remove,
			"damaged": func(path string) error { return os.WriteFile(path, []byte("something else"), 0o600) },
		} {
			g := openGraph(t, url, t.TempDir())
			for i := range g.partial.file.wanted(func(part string) bool { return part == lost }) {
				if g.partial.here[i] { // opening has read it
					continue
				}
				path := filepath.Join(bucket, "blocks", g.partial.file.Blocks[i].Hash)
				good, err := os.ReadFile(path)
				if err == nil {
					err = spoil(path)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer os.WriteFile(path, good, 0o600)
				if got, err := runUnits(t.Context(), g, g, query); err != nil || got != want {
					t.Errorf("%s %s, which the query does not need: %v, %s", name, lost, err, got)
				}
				wantErr := map[string]error{"missing": ErrMissing, "damaged": ErrDamaged}[name]
				if got, err := runUnits(t.Context(), g, g, needy); !errors.Is(err, wantErr) || !strings.Contains(err.Error(), g.partial.file.Blocks[i].Hash) {
					t.Errorf("%s %s: %v, %s", name, lost, err, got)
				}
				rows, err := g.Query(t.Context(), strings.Replace(needy, "'n'", "'m'", 1), nil) // which reads it without naming it first
				if err == nil {
					err = repl.WriteRows(&strings.Builder{}, rows, "csv")
				}
				if !errors.Is(err, ErrUnfetched) || !errors.Is(err, wantErr) {
					t.Errorf("%s %s, read while the query runs: %v", name, lost, err)
				}
				if err := os.WriteFile(path, good, 0o600); err != nil {
					t.Fatal(err)
				}
				if got, err := runUnits(t.Context(), g, g, needy); err != nil || got != wantNeedy {
					t.Errorf("%s %s is back: %v, %s", name, lost, err, got)
				}
			}
		}
	}
}

// TestPartsOfDamagedCache changes what the cache has of the flat file. No answer comes of it but the right one.
func TestPartsOfDamagedCache(t *testing.T) {
	rng := random(t)
	at := newParts(t, rng, 60, 400)
	url := push(t, at, "file://"+t.TempDir()).URL
	const query = "MATCH (a)-[:A]->(b) RETURN count(*) AS n, sum(a.age * id(b)) AS s"
	want, reported := "", 0
	with(t, at, func(db *motif.DB) error {
		want = wholeAnswer(t, db, query)
		return nil
	}, motif.WithReadOnly())
	for range 40 {
		cache := t.TempDir()
		g := openGraph(t, url, cache)
		if err := g.want(t.Context(), query); err != nil {
			t.Fatal(err)
		}
		path := g.partial.flat()
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		contents, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var read []int64 // bytes of what the query names
		for i := range g.partial.file.wanted(namesOf(query).names) {
			for at := g.partial.ends[i] - g.partial.file.Blocks[i].Size; at < g.partial.ends[i]; at++ {
				read = append(read, at)
			}
		}
		contents[read[rng.IntN(len(read))]] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, contents, 0o600); err != nil {
			t.Fatal(err)
		}
		if g, err = OpenGraph(t.Context(), url, cache, nil); err == nil {
			var got string
			if got, err = runUnits(t.Context(), g, g, query); err == nil && got != want {
				t.Fatalf("%s instead of %s", got, want)
			}
			g.Close()
		}
		if err != nil {
			reported++
		}
	}
	if reported < 10 { // if opening finds it, the whole is fetched
		t.Errorf("damage was reported %d times of 40", reported)
	}
}

// TestWholeSnapshots lists snapshots that have no parts to fetch.
func TestWholeSnapshots(t *testing.T) {
	rng := random(t)
	plain := newStore(t, rng, 100, 500)
	changed := newStore(t, rng, 100, 500, motif.WithMapping())
	change(t, rng, changed, 500, 30)
	for name, at := range map[string]string{"no flat file": plain, "transactions": changed} {
		url := push(t, at, "file://"+t.TempDir()).URL
		g := openGraph(t, url, t.TempDir())
		if g.partial != nil {
			t.Errorf("%s: it was fetched in parts", name)
		}
		if bytes, err := Named(t.Context(), url, questions[0]); err != nil || bytes < 1000 {
			t.Errorf("%s: %d bytes, %v", name, bytes, err)
		}
		with(t, at, func(db *motif.DB) error {
			if got, want := wholeAnswer(t, g.DB, questions[0]), wholeAnswer(t, db, questions[0]); got != want {
				t.Errorf("%s: %s instead of %s", name, got, want)
			}
			return nil
		}, motif.WithReadOnly())
	}
}
