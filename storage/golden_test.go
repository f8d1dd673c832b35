package storage

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

var rewriteGolden = flag.Bool("rewrite", false, "write the golden store of this format anew")

// goldenGraph is put together by hand, so that its blocks depend on nothing but the format. It has every kind of block:
//
//	0 :A  1 :A:B  2 :A:B  3
//	R: 0>1 0>1 0>2 2>2    S: 1>0 3>0
func goldenGraph(t testing.TB) *csr.Snapshot {
	column := func(cells map[uint64]csr.Cell) *csr.Column {
		c := csr.NewColumn(4)
		for i, cell := range cells {
			c.Set(i, cell)
		}
		if err := c.Freeze(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	return newSnapshot(t, csr.Data{
		Vertices: 4, Edges: 6,
		Labels: csr.NewDict("A", "B"), Types: csr.NewDict("R", "S"), Keys: csr.NewDict("n", "f", "b", "s", "e", "m"),
		Classes: []csr.Class{
			{Labels: []csr.LabelID{0}, Range: csr.Range{Lo: 0, Hi: 1}},
			{Labels: []csr.LabelID{0, 1}, Range: csr.Range{Lo: 1, Hi: 3}},
			{Range: csr.Range{Lo: 3, Hi: 4}}},
		Rels: []csr.Rels{
			{First: 0, Lo: 0, Offsets: []uint64{0, 3, 3, 4}, Targets: []csr.VertexID{1, 1, 2, 2}},
			{First: 4, Lo: 1, Offsets: []uint64{0, 1, 1, 2}, Targets: []csr.VertexID{0, 0}}},
		NodeIDs: []csr.NodeID{7, 3, 5, 1000}, NextNode: 1001,
		RelIDs: []csr.RelID{5, 4, 3, 2, 1, 0}, NextRel: 6,
		VertexProps: []*csr.Column{
			column(map[uint64]csr.Cell{0: csr.IntCell(-1), 2: csr.IntCell(1 << 40)}),
			column(map[uint64]csr.Cell{1: csr.FloatCell(0.5)}),
			column(map[uint64]csr.Cell{0: csr.BoolCell(true), 1: csr.BoolCell(false), 2: csr.BoolCell(true), 3: csr.BoolCell(true)}),
			column(map[uint64]csr.Cell{1: csr.StringCell("one"), 3: csr.StringCell("")}),
			column(map[uint64]csr.Cell{3: {Kind: csr.KindEncoded, Str: "\x00\x01"}}),
			column(map[uint64]csr.Cell{0: csr.IntCell(3), 1: csr.StringCell("x"), 2: csr.FloatCell(-2), 3: csr.BoolCell(true)})},
		EdgeProps: []*csr.Column{nil, nil, nil, column(map[uint64]csr.Cell{5: csr.StringCell("last")})},
		External: []csr.ExternalSpace{
			{Name: "people", IDs: column(map[uint64]csr.Cell{0: csr.IntCell(20), 1: csr.IntCell(-5), 2: csr.StringCell("abc"), 3: csr.StringCell("abd")})},
			{Name: "none", IDs: column(nil)}},
		Stats: &csr.Stats{
			LabelCount: []uint64{3, 2},
			Types: []csr.TypeStat{
				{Edges: 4, Sources: 2, Targets: 2, MaxOut: 3, MaxIn: 2, Loops: 1, OutOut: 6, InIn: 4, InOut: 2, Parallel: true},
				{Edges: 2, Sources: 2, Targets: 1, MaxOut: 1, MaxIn: 2, InIn: 2}},
			Shared: [][2]csr.TypeID{{0, 1}},
			Triples: []csr.Triple{
				{Src: 0, Dst: 0, Type: 0, Count: 4}, {Src: 0, Dst: 1, Type: 0, Count: 4}, {Src: 1, Dst: 0, Type: 0, Count: 1}, {Src: 1, Dst: 1, Type: 0, Count: 1},
				{Src: 0, Dst: 0, Type: 1, Count: 1}, {Src: 1, Dst: 0, Type: 1, Count: 1}, {Src: csr.NoLabel, Dst: 0, Type: 1, Count: 1}},
			Degeneracy: 1},
	})
}

// goldenOf is the graph in the golden file of a format, without its log.
func goldenOf(t testing.TB, version byte) *csr.Snapshot {
	d := goldenGraph(t).Data
	if version >= 2 {
		d.Schema.Indexes = []csr.Rule{{Kind: csr.RuleIndex, Name: "by_n", On: "A", Keys: []string{"n"}}}
		d.Schema.Constraints = []csr.Rule{{Kind: csr.RuleExists, OnRel: true, Name: "has_s", On: "T", Keys: []string{"s"}}}
	}
	if version >= 4 {
		d.Schema.Indexes = append(d.Schema.Indexes, csr.Rule{Kind: csr.RuleIndex, Name: "by_two", On: "A", Keys: []string{"n", "s"}})
		d.Schema.Constraints = append(d.Schema.Constraints, csr.Rule{Kind: csr.RuleType, Name: "type_n", On: "B", Keys: []string{"n"}, Type: "INTEGER | FLOAT"},
			csr.Rule{Kind: csr.RuleUnique, OnRel: true, Name: "one_s", On: "T", Keys: []string{"s"}})
	}
	return newSnapshot(t, d)
}

// goldenLog is the log of the golden files since format 2: one transaction with every kind of change and of value.
func goldenLog(version byte) []csr.Change {
	if version < 2 {
		return nil
	}
	changes := []csr.Change{
		{Kind: csr.CreateNode, ID: 1001, Labels: []string{"A", "C"}, Props: []csr.Prop{
			{Key: "n", Value: csr.IntCell(-7)}, {Key: "f", Value: csr.FloatCell(1.5)}, {Key: "b", Value: csr.BoolCell(true)},
			{Key: "s", Value: csr.StringCell("text")}, {Key: "e", Value: csr.Cell{Kind: csr.KindEncoded, Str: "\x00\x01"}}}},
		{Kind: csr.CreateRel, ID: 6, Name: "T", From: 1001, To: 7, Props: []csr.Prop{{Key: "s", Value: csr.StringCell("new")}}},
		{Kind: csr.DeleteRel, ID: 0},
		{Kind: csr.DeleteRel, ID: 1},
		{Kind: csr.DeleteNode, ID: 1000},
		{Kind: csr.SetNodeProps, ID: 3, Props: []csr.Prop{{Key: "f"}, {Key: "m", Value: csr.IntCell(1 << 40)}}},
		{Kind: csr.SetRelProps, ID: 6, Props: []csr.Prop{{Key: "n", Value: csr.BoolCell(false)}}},
		{Kind: csr.AddLabel, ID: 3, Name: "C"},
		{Kind: csr.RemoveLabel, ID: 3, Name: "A"},
		{Kind: csr.CreateIndex, Rule: &csr.Rule{Kind: csr.RuleIndex, Name: "by_s", On: "C", Keys: []string{"s"}}},
		{Kind: csr.CreateConstraint, Rule: &csr.Rule{Kind: csr.RuleUnique, Name: "one_n", On: "C", Keys: []string{"n"}}},
		{Kind: csr.DropIndex, Name: "by_n"},
		{Kind: csr.DropConstraint, Name: "has_s"},
	}
	if version >= 4 {
		changes = append(changes, csr.Change{Kind: csr.CreateConstraint, Rule: &csr.Rule{Kind: csr.RuleKey, Name: "key_ns", On: "C", Keys: []string{"n", "s"}}},
			csr.Change{Kind: csr.CreateConstraint, Rule: &csr.Rule{Kind: csr.RuleType, OnRel: true, Name: "type_r", On: "T", Keys: []string{"n"}, Type: "BOOLEAN"}})
	}
	return changes
}

func goldenFile(version byte) string {
	return filepath.Join("testdata", fmt.Sprintf("format-%d.txt", version))
}

// goldenHead is the head of the golden store, but for its tables.
func goldenHead() *head {
	return &head{store: storeID([]byte("golden store, 16")), epoch: 1, published: 1 << 60, vertices: 4, edges: 6}
}

// dump lists what is stored for a graph and a log, each value under its meaning: blocks, the log's header and entries, HEAD and
// MANIFEST.
func dump(t *testing.T, g *csr.Snapshot, changes []csr.Change) string {
	lists := dictLists(&g.Data)
	n := &names{lists[0], lists[1], lists[2], lists[3]}
	var out strings.Builder
	line := func(key, value []byte) error {
		fmt.Fprintf(&out, "# %s\n%x %x\n", n.describe(key), key, value)
		return nil
	}
	h := goldenHead()
	h.format = formatOf(&g.Data.Schema)
	blocks := &writer{epoch: 1, workers: 1, progress: noProgress, put: line}
	if err := blocks.run(t.Context(), &g.Data); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l, err := createLog(realDisk{}, dir, h.store, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := newLogWriter(l, 1, 0)
	if err := w.addAll(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	w.now = func() int64 { return 1 << 60 }
	if err := cmp.Or(w.commit(Relaxed), l.finish(1), l.close()); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "# the file %s, without the zeros at its end\nlog %x\n", logName(1), bytes.TrimRight(log, "\x00"))
	h.bytes, h.tables = blocks.bytes, []tableSum{{1000, 0x01020304}, {2000, 0xFFFFFFFF}}
	fmt.Fprintf(&out, "# the file HEAD\nhead %x\n# the beginning of the file MANIFEST\nmark %x\n", h.encodeFile(), mark(h.store)[:markLen])
	fmt.Fprintf(&out, "# the file MANIFEST of an epoch of two tables\ndatabase %x\n", databaseManifest(2))
	return out.String()
}

// TestGoldenWrite fails when what is written changes: that needs a new format version, and the old one still read.
func TestGoldenWrite(t *testing.T) {
	for version := plainFormat; version <= formatVersion; version++ {
		have := dump(t, goldenOf(t, version), goldenLog(version))
		if *rewriteGolden {
			if err := os.WriteFile(goldenFile(version), []byte(have), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(goldenFile(version))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal([]byte(have), want) {
			t.Errorf("format %d is written as\n%s\nnot as\n%s", version, have, want)
		}
	}
}

// TestGoldenRead reads the graph of every format version from its golden file.
func TestGoldenRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "format-*.txt"))
	if err != nil || len(files) != int(formatVersion) {
		t.Fatalf("golden files %v for %d versions: %v", files, formatVersion, err)
	}
	for i, file := range files {
		version := byte(i + 1)
		for _, opt := range []Options{{ReadOnly: true}, {}} {
			s := mustOpen(t, goldenStore(t, file, version), opt)
			want, err := csr.Replay(t.Context(), goldenOf(t, version), goldenLog(version))
			if err != nil {
				t.Fatal(err)
			}
			if d := modelDifference(modelOf(want), modelOf(mustSnapshot(t, s))); d != "" {
				t.Errorf("%s: %s", file, d)
			}
			mustBeClean(t, s)
			if version > 1 { // external ids are looked up in blocks where there is no log
				continue
			}
			if d := difference(goldenGraph(t), mustSnapshot(t, s)); d != "" {
				t.Errorf("%s: %s", file, d)
			}
			for v, id := range []csr.Cell{csr.IntCell(20), csr.IntCell(-5), csr.StringCell("abc"), csr.StringCell("abd")} {
				if got, ok, err := s.Lookup(context.Background(), "people", id); !ok || err != nil || int(got) != v {
					t.Errorf("%s: %v is vertex %d, not %d: %v %v", file, id, v, got, ok, err)
				}
			}
		}
	}
}

// goldenStore is a store with the keys and values of a golden file.
func goldenStore(t *testing.T, file string, version byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	values, files := readGolden(t, file)
	h := goldenHead()
	if version >= plainFormat {
		h.format = version
	}
	for _, v := range values {
		if v.key[0] != kindChange {
			h.bytes += uint64(len(v.key) + len(v.value))
		}
	}
	if version < 3 {
		w, err := openLegacyWriter(dir)
		value := sealAs(1, headKey(), h.encode(), true)
		pairs := [][]byte{headKey(), value, formatKey, sealAs(version, formatKey, []byte("motif"), true)}
		for _, v := range values {
			pairs = append(pairs, v.key, v.value)
		}
		if err = cmp.Or(err, w.set(pairs...), w.db.Close(), os.WriteFile(filepath.Join(dir, headName), value, 0o644)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	w, err := newEpochWriter(t.Context(), realDisk{}, filepath.Join(dir, epochFolder(1)))
	for _, v := range values {
		if v.key[0] == kindMeta && w.last[0] != kindMeta {
			err = cmp.Or(err, w.restart())
			w.last = v.key[:1]
		}
		err = cmp.Or(err, w.add(v.key, v.value))
	}
	err = cmp.Or(err, w.finish())
	h.tables = w.tables
	log := append(files["log"], make([]byte, logStep-len(files["log"]))...)
	err = cmp.Or(err, os.WriteFile(filepath.Join(dir, logName(1)), log, 0o644), os.WriteFile(filepath.Join(dir, headName), h.encodeFile(), 0o644),
		os.WriteFile(filepath.Join(dir, markName), mark(h.store), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// readGolden reads a golden file: values by their keys, and the contents of files by their names.
func readGolden(t *testing.T, name string) (values []storedPart, files map[string][]byte) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files = make(map[string][]byte)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		first, second, _ := strings.Cut(lines.Text(), " ")
		value, err := hex.DecodeString(second)
		if err != nil {
			t.Fatal(err)
		}
		if key, err := hex.DecodeString(first); err == nil {
			values = append(values, storedPart{key, value})
		} else {
			files[first] = value
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return values, files
}
