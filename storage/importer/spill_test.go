package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spool"
)

// TestLoadSpooled loads random files in memory, and by temporary files under limits that make many pieces. The reports are the same, the
// graphs have the same sizes and statistics, and nothing is left in the folder.
func TestLoadSpooled(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range 24 {
		dir := t.TempDir()
		spec := spillFiles(t, r, dir, i)
		at := 8 << r.IntN(12)
		want, wantReport, err := Load(t.Context(), spec, nil)
		if err != nil {
			t.Fatalf("seed %d, case %d: %v", seed, i, err)
		}
		folder := t.TempDir()
		g, report, err := LoadSpooled(t.Context(), spec, folder, at, nil)
		if err != nil {
			t.Fatalf("seed %d, case %d: %v", seed, i, err)
		}
		if !reflect.DeepEqual(report, wantReport) {
			t.Errorf("seed %d, case %d, at %d: report %+v\nwant %+v", seed, i, at, report, wantReport)
		}
		if g.Spooled == nil {
			t.Fatalf("seed %d, case %d: %d relationships fit in %d bytes", seed, i, want.M(), at)
		}
		if !reflect.DeepEqual(g.Spooled.Stats, want.Stats) || g.Spooled.Vertices != want.N() || g.Spooled.Edges != want.M() {
			t.Errorf("seed %d, case %d, at %d: statistics %+v\nwant %+v", seed, i, at, g.Spooled.Stats, want.Stats)
		}
		compareRows(t, g.Spooled, want)
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		wantNoFiles(t, folder)
	}
}

func compareRows(t *testing.T, g *csr.Spooled, want *csr.Snapshot) {
	t.Helper()
	for _, run := range g.Runs {
		rows, err := g.Rows(run)
		if err != nil {
			t.Fatal(err)
		}
		at := run.First
		for i := range run.Sources.Len() {
			for _, w := range rows.Targets[rows.Offsets[i]:rows.Offsets[i+1]] {
				if u, v := want.Endpoints(at); u != rows.Lo+csr.VertexID(i) || v != w || want.TypeOf(at) != run.Type {
					t.Fatalf("relationship %d joins %d and %d, want %d and %d", at, int(rows.Lo)+i, w, u, v)
				}
				for k, column := range want.EdgeProps {
					x, _ := column.Get(uint64(at))
					if y, _ := g.EdgeProps[k].Get(uint64(at)); x != y {
						t.Fatalf("relationship %d has the value %v, want %v", at, y, x)
					}
				}
				at++
			}
		}
	}
}

// spillFiles writes a graph of over 2,048 lines: edge lists with numbers, large numbers, text or weights, and tables.
func spillFiles(t *testing.T, r *rand.Rand, dir string, kind int) Spec {
	t.Helper()
	var text strings.Builder
	n, id := 1+r.IntN(400), func(i int) string { return fmt.Sprint(i) }
	spec := Spec{Files: []string{filepath.Join(dir, "g.txt")}, Workers: 2}
	switch kind % 6 {
	case 1:
		id = func(i int) string { return fmt.Sprint(-5_000_000_000 + 1_000_000_007*i) }
	case 2:
		id = func(i int) string { return fmt.Sprint("name", i*7919%1000) }
	case 3:
		spec.Weight = "w"
	case 4:
		text.WriteString("# Directed graph\n")
	case 5:
		return spillTables(t, r, dir)
	}
	if kind%6 != 4 {
		spec.Directed = r.IntN(2) == 0
	}
	for range 2100 + r.IntN(3000) { // which are more than TestLoadSpooled keeps in memory
		u, v := id(r.IntN(n)), id(r.IntN(n))
		fmt.Fprint(&text, u, " ", v)
		if kind%6 == 3 {
			fmt.Fprint(&text, " ", r.IntN(9))
		}
		text.WriteString("\n")
		if kind%12 == 4 { // which makes the graph undirected
			fmt.Fprintln(&text, v, u)
		}
	}
	mustWrite(t, spec.Files[0], text.String())
	return spec
}

func spillTables(t *testing.T, r *rand.Rand, dir string) Spec {
	t.Helper()
	var nodes, rels strings.Builder
	nodes.WriteString("id:ID,name,:LABEL\n")
	for i := range 300 {
		fmt.Fprintf(&nodes, "p%d,n%d,%s\n", i, i%17, [...]string{"A", "B", "A;B"}[i%3])
	}
	rels.WriteString(":START_ID,:END_ID,:TYPE,since:int\n")
	for range 3000 {
		fmt.Fprintf(&rels, "p%d,p%d,%s,%d\n", r.IntN(300), r.IntN(300), [...]string{"KNOWS", "LIKES", "HATES"}[r.IntN(3)], r.IntN(100))
	}
	mustWrite(t, filepath.Join(dir, "nodes.csv"), nodes.String())
	mustWrite(t, filepath.Join(dir, "rels.csv"), rels.String())
	return Spec{Nodes: []NodeFile{{Paths: []string{filepath.Join(dir, "nodes.csv")}}},
		Relationships: []RelationshipFile{{Paths: []string{filepath.Join(dir, "rels.csv")}}}, Workers: 2}
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func wantNoFiles(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSpooledEnd checks that a load that is stopped, or whose folder takes no file, gives that error and leaves nothing. A file that an earlier
// process has left goes with the next load.
func TestSpooledEnd(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	spec := spillFiles(t, rand.New(rand.NewPCG(1, 1)), dir, 0)
	mustWrite(t, filepath.Join(folder, "load-17.spool"), "left by a process that was killed")
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := LoadSpooled(ctx, spec, folder, 8, func(p Progress) {
		if p.Stage == stageBuild && p.Bytes > p.Total/2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a load that was stopped returned %v", err)
	}
	wantNoFiles(t, folder)
	_, _, err = LoadSpooled(t.Context(), spec, filepath.Join(folder, "missing"), 8, nil)
	if _, ok := errors.AsType[*spool.Error](err); !ok || !strings.Contains(err.Error(), "missing") {
		t.Errorf("without its folder, a load returned %v", err)
	}
}

// TestLoadSpooledAdvice loads one list under limits that are too low: the error names a limit that is enough.
func TestLoadSpooledAdvice(t *testing.T) {
	r, path := rand.New(rand.NewPCG(1, 7)), filepath.Join(t.TempDir(), "a.txt")
	var text bytes.Buffer
	for range 600_000 {
		fmt.Fprintf(&text, "%d %d\n", r.IntN(200_000), r.IntN(200_000))
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	figure, advised := regexp.MustCompile(`about ([0-9.]+) MiB are enough`), 0
	for limit := int64(2); limit <= 64; limit *= 2 {
		spec := Spec{Files: []string{path}, Memory: limit << 20}
		g, _, err := LoadSpooled(t.Context(), spec, t.TempDir(), 0, nil)
		if err == nil {
			g.Close()
			continue
		}
		m := figure.FindStringSubmatch(err.Error())
		if m == nil {
			continue
		}
		advised++
		enough, _ := strconv.ParseFloat(m[1], 64)
		spec.Memory = int64(enough * (1 << 20))
		if g, _, err = LoadSpooled(t.Context(), spec, t.TempDir(), 0, nil); err != nil {
			t.Fatalf("with the limit that is enough: %v", err)
		}
		g.Close()
	}
	if advised == 0 {
		t.Error("no error names a limit")
	}
}
