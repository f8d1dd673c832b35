package exporter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/storage/exporter"
	"github.com/motifql/motif/storage/importer"
)

// nasty are names and texts that a format may trip over.
var nasty = []string{"a", "name", "id", "labels", "label", ":LABEL", "x:long", " blank ", "two\nlines\r\n", "quote\"d", "it's", "semi;colon", "comma,", "pipe|", "tab\t",
	"back`tick", "{brace}", "a:b:string[]", "<xml>&amp;]]>", "\x00\x01\x1f\x7f", "\u0085\u2028\ufeff\ufffd", "\ufffe\uffff", "é日本😀", "motif.id", "motif.external.x", "$float", "NaN", "1", "-", "\\", "true", "MATCH", "_Import"}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func scalar(rng *rand.Rand, k int) value.Value {
	switch k {
	case 0:
		return value.OfInt(pick(rng, []int64{0, -1, 42, math.MaxInt64, math.MinInt64, int64(rng.Uint64())}))
	case 1:
		return value.OfFloat(pick(rng, []float64{0, math.Copysign(0, -1), 1, 1.5, 1e300, -5e-324, math.NaN(), math.Inf(1), math.Inf(-1), rng.NormFloat64()}))
	case 2:
		return value.OfBool(rng.IntN(2) == 0)
	}
	if rng.IntN(8) == 0 {
		return value.OfString("")
	}
	return value.OfString(pick(rng, nasty))
}

// moment is a date, a time, a duration or a point.
func moment(rng *rand.Rand) value.Value {
	if rng.IntN(4) == 0 {
		v, err := value.ParseSpatial(pick(rng, []string{"{x: 1, y: -2.5}", "{x: 1e300, y: 5e-324, z: 0}", "{latitude: 55.6, longitude: 12.9}", "{latitude: -90, longitude: 180, height: -1.5}"}), "")
		if err != nil {
			panic(err)
		}
		return v
	}
	t := pick(rng, [][2]string{{"date", "2020-02-29"}, {"date", "-0044-03-15"}, {"time", "12:30:00.5+01:00"}, {"time", "23:59:59.999999999Z"}, {"localtime", "00:00"},
		{"datetime", "1984-10-11T12:31:14.645876123+01:00[Europe/Stockholm]"}, {"datetime", "2015-06-24T12:50:35.556+01:00"},
		{"localdatetime", "9999-12-31T23:59:59"}, {"duration", "P-1Y2M3DT-4.000000001S"}, {"duration", "PT0S"}, {"duration", "P14DT16H12M"}})
	v, err := value.ParseTemporal(t[0], t[1])
	if err != nil {
		panic(err)
	}
	return v
}

// property is a random value that a property can have.
func property(rng *rand.Rand) csr.Cell {
	v := scalar(rng, rng.IntN(4))
	if rng.IntN(8) == 0 {
		v = moment(rng)
	}
	if rng.IntN(3) == 0 {
		k, mixed := rng.IntN(4), rng.IntN(5) == 0
		l := []value.Value{}
		for range rng.IntN(4) {
			if mixed {
				k = rng.IntN(4)
			}
			l = append(l, scalar(rng, k))
		}
		if rng.IntN(10) == 0 {
			l = append(l, moment(rng))
		}
		if rng.IntN(10) == 0 {
			l = append(l, value.OfList([]value.Value{scalar(rng, 3)}))
		}
		v = value.OfList(l)
	}
	c, err := v.Cell()
	if err != nil {
		panic(err)
	}
	return c
}

// randomGraph is a small graph with names, values, loops and parallel relationships of every kind; ids have gaps.
func randomGraph(t *testing.T, rng *rand.Rand, plain bool) *csr.Snapshot {
	b := csr.NewBuilder()
	n := rng.IntN(12)
	if rng.IntN(10) == 0 {
		n = 0
	}
	names := make([]string, 2+rng.IntN(5))
	for i := range names {
		names[i] = pick(rng, nasty)
	}
	ids := rng.Perm(3*n + 1)
	gaps := !plain && rng.IntN(2) == 0
	spaces := []string{"", "People", "a(b).c", "é \n"}
	for v := range n {
		var labels []csr.LabelID
		for range rng.IntN(3) {
			labels = append(labels, b.Label(pick(rng, names)))
		}
		b.AddVertex(labels...)
		if gaps {
			b.SetNodeID(uint32(v), csr.NodeID(ids[v]))
		}
		for range rng.IntN(4) {
			b.SetVertex(uint32(v), b.Key(pick(rng, names)), property(rng))
		}
		if !plain && rng.IntN(3) == 0 {
			c := csr.IntCell(int64(v))
			if rng.IntN(2) == 0 {
				c = csr.StringCell(fmt.Sprintf("%s %d", pick(rng, []string{"x", "é,\"", "\n"}), v))
			}
			b.External(pick(rng, spaces), uint32(v), c)
		}
	}
	if n > 0 {
		m := rng.IntN(20)
		relIDs := rng.Perm(3*m + 1)
		for i := range m {
			e := b.AddEdge(uint32(rng.IntN(n)), uint32(rng.IntN(min(n, 4))), b.Type(pick(rng, names)))
			if gaps {
				b.SetRelID(e, csr.RelID(relIDs[i]))
			}
			for range rng.IntN(3) {
				b.SetEdge(e, b.Key(pick(rng, names)), property(rng))
			}
		}
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// dump writes a graph as text that does not depend on dense numbers.
func dump(s *csr.Snapshot) string {
	var lines []string
	props := func(get func(csr.KeyID) (csr.Cell, bool)) string {
		var all []string
		for k := range uint32(s.Keys.Len()) {
			if c, ok := get(csr.KeyID(k)); ok {
				all = append(all, fmt.Sprintf("%q: %d %s", s.Keys.Name(k), c.Kind, value.OfCell(c)))
			}
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	for v := range csr.VertexID(s.N()) {
		var labels, external []string
		for _, l := range s.LabelsOf(v) {
			labels = append(labels, fmt.Sprintf("%q", s.Labels.Name(uint32(l))))
		}
		slices.Sort(labels)
		for _, x := range s.External {
			if c, ok := x.IDs.Get(uint64(v)); ok {
				external = append(external, fmt.Sprintf("%q=%s", x.Name, value.OfCell(c)))
			}
		}
		slices.Sort(external)
		lines = append(lines, fmt.Sprintf("node %d %v {%s} %v", s.NodeID(v), labels, props(func(k csr.KeyID) (csr.Cell, bool) { return s.VertexProp(v, k) }), external))
	}
	for e := range s.AllEdges() {
		u, v := s.Endpoints(e)
		lines = append(lines, fmt.Sprintf("rel %d %d-[%q]->%d {%s}", s.RelID(e), s.NodeID(u), s.Types.Name(uint32(s.TypeOf(e))), s.NodeID(v), props(func(k csr.KeyID) (csr.Cell, bool) { return s.EdgeProp(e, k) })))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// through exports s and loads what came out.
func through(t *testing.T, s *csr.Snapshot, format, path string) *csr.Snapshot {
	t.Helper()
	if _, err := exporter.Write(t.Context(), s, exporter.Options{Path: path, Format: format}); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	back, report, err := importer.Load(t.Context(), importer.Spec{Files: []string{path}, Workers: 2}, nil)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	if len(report.Warnings) > 0 {
		t.Errorf("%s: %v", format, report.Warnings)
	}
	return back
}

// loadable are the formats that load reads.
func loadable() []string {
	return exporter.FormatNames(func(f exporter.Format) bool { return f.Name != exporter.Cypher && f.Name != exporter.DOT })
}

func TestRoundTripRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	cases := 150
	if testing.Short() {
		cases = 40
	}
	for i := range cases {
		s := randomGraph(t, rng, false)
		for _, format := range loadable() {
			path := filepath.Join(dir, fmt.Sprintf("%s%d", format, i))
			if format == exporter.JSONL || format == exporter.GraphML {
				path += "." + format + pick(rng, []string{"", ".gz", ".zst"})
			}
			back := through(t, s, format, path)
			if diff := cmp.Diff(dump(s), dump(back)); diff != "" {
				t.Fatalf("case %d of seed %d as %s (-graph +read back):\n%s", i, seed, format, diff)
			}
			os.RemoveAll(path)
		}
	}
}

// A script creates the same graph in an empty store, by one statement or, for larger graphs, by many.
func TestScriptRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	for i := range 25 {
		s := randomGraph(t, rng, true)
		if i == 0 {
			s = largeGraph(t, rng)
		}
		var script, lines bytes.Buffer
		for out, format := range map[*bytes.Buffer]string{&script: exporter.Cypher, &lines: exporter.JSONL} {
			if _, err := exporter.Write(t.Context(), s, exporter.Options{Format: format, Writer: out}); err != nil {
				t.Fatal(err)
			}
		}
		want, got := memory(t), memory(t)
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
		if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := want.Load(t.Context(), importer.Spec{Files: []string{path}}, motif.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		session := repl.Session{DB: got, Out: io.Discard, Err: io.Discard, Format: "csv"}
		if err := session.Run(t.Context(), "", script.String()); err != nil {
			t.Fatalf("case %d of seed %d: %s\n%s", i, seed, repl.Describe(err), script.String())
		}
		r, err := motif.Diff(t.Context(), want, got, motif.DiffOptions{By: "id"})
		if err != nil || !r.Equal {
			t.Fatalf("case %d of seed %d: %v %v\n%s", i, seed, err, r.List, script.String())
		}
	}
}

// Indexes and constraints go into a script, and a script of a store that was made by it is the same.
func TestScriptRules(t *testing.T) {
	script := ""
	for i := range 2 {
		text := script
		if i == 0 {
			text = "CREATE (:A {x: 1, y: 1})-[:`R 1` {y: 2}]->(:`B b`); CREATE INDEX i FOR (n:A) ON (n.x); CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE;" +
				"CREATE CONSTRAINT `c 2` FOR ()-[r:`R 1`]-() REQUIRE r.y IS NOT NULL;" +
				"CREATE INDEX two FOR (n:A) ON (n.x, n.`y z`); CREATE CONSTRAINT key FOR (n:A) REQUIRE (n.x, n.y) IS KEY;" +
				"CREATE CONSTRAINT typed FOR (n:B) REQUIRE n.x IS :: LIST<STRING NOT NULL> | INTEGER;"
		}
		db := memory(t)
		session := repl.Session{DB: db, Out: io.Discard, Err: io.Discard, Format: "csv"}
		if err := session.Run(t.Context(), "", text); err != nil {
			t.Fatalf("%s\n%s", repl.Describe(err), text)
		}
		var out bytes.Buffer
		if _, err := db.Export(t.Context(), exporter.Options{Format: exporter.Cypher, Writer: &out}); err != nil {
			t.Fatal(err)
		}
		if i == 1 && out.String() != script {
			t.Errorf("first\n%s\nthen\n%s", script, out.String())
		}
		script = out.String()
	}
	if strings.Count(script, "CREATE CONSTRAINT") != 4 || !strings.Contains(script, "CREATE INDEX i FOR (n:A) ON (n.x);") {
		t.Errorf("rules are missing:\n%s", script)
	}
}

func memory(t *testing.T) *motif.DB {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// largeGraph needs several statements of each kind.
func largeGraph(t *testing.T, rng *rand.Rand) *csr.Snapshot {
	b := csr.NewBuilder()
	for v := range 700 {
		b.AddVertex(b.Label([]string{"A", "_Import"}[v%2]))
		b.SetVertex(uint32(v), b.Key("_import"), csr.IntCell(int64(v%7)))
	}
	for range 1300 {
		e := b.AddEdge(uint32(rng.IntN(700)), uint32(rng.IntN(700)), b.Type(pick(rng, []string{"T", "two words"})))
		b.SetEdge(e, b.Key("w"), property(rng))
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is not text stops the export with a word on where it is.
func TestNotText(t *testing.T) {
	b := csr.NewBuilder()
	b.AddVertex()
	b.SetVertex(0, b.Key("x"), csr.StringCell("a\xff"))
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range exporter.FormatNames(nil) {
		var out bytes.Buffer
		opt := exporter.Options{Format: format, Writer: &out}
		if format == exporter.CSV || format == "parquet" {
			opt = exporter.Options{Format: format, Path: filepath.Join(t.TempDir(), "x")}
		}
		_, err := exporter.Write(t.Context(), s, opt)
		if err == nil || !strings.Contains(err.Error(), `node 0: property "x" holds bytes that are not UTF-8`) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// An export that fails or is cancelled leaves nothing behind, and one that meets a file leaves that as it is.
func TestWholeOrNotAtAll(t *testing.T) {
	b := csr.NewBuilder()
	b.AddVertices(20000, b.Label("A"))
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range exporter.FormatNames(nil) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		ctx, cancel := context.WithCancel(t.Context())
		_, err := exporter.Write(ctx, s, exporter.Options{Path: path, Format: format, Progress: func(stage string, done, _ uint64) {
			if stage == "nodes" && done > 5000 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left %v behind", format, left)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := exporter.Write(t.Context(), s, exporter.Options{Path: path, Format: format}); err == nil {
			t.Errorf("%s: wrote over a file", format)
		}
		if text, _ := os.ReadFile(path); string(text) != "mine" {
			t.Errorf("%s: the file became %q", format, text)
		}
		folder := format == exporter.CSV || format == "parquet"
		_, err = exporter.Write(t.Context(), s, exporter.Options{Path: path, Format: format, Replace: true})
		if folder != (err != nil) {
			t.Errorf("%s with replace: %v", format, err)
		}
		left, _ := os.ReadDir(dir)
		if len(left) != 1 {
			t.Errorf("%s: %v", format, left)
		}
	}
}
