package importer

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/shared"
)

// truth reads what TRUTH.tsv says of one quantity, by graph.
func truth(t *testing.T, quantity string) map[string]uint64 {
	f, err := os.Open(shared.File(t, "data", "TRUTH.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]uint64)
	for _, row := range rows {
		if n, err := strconv.ParseUint(row[2], 10, 64); err == nil && row[1] == quantity {
			known[row[0]] = n
		}
	}
	return known
}

// TestTruth loads every graph of the reference data, its format detected, and compares the counts with those of
// independent programs.
func TestTruth(t *testing.T) {
	vertices, edges, loops := truth(t, "vertices"), truth(t, "edges_undirected_simple"), truth(t, "self_loops")
	raw := truth(t, "raw_edge_lines")
	for _, known := range []map[string]uint64{vertices, edges, loops, raw} {
		known["github_labelled_D0"] = known["github_musae"] // the same graph, with labels
	}
	files, err := filepath.Glob(shared.File(t, "data", "*.zst"))
	if err != nil {
		t.Fatal(err)
	}
	loaded := 0
	for _, file := range files {
		graph, _, _ := strings.Cut(filepath.Base(file), ".")
		if strings.Contains(file, ".tar.") || strings.HasSuffix(file, ".types.zst") || graph == "gitdag-git" {
			continue // gitdag-git has 58 M edges, more than a unit test should load
		}
		loaded++
		t.Run(graph, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(graph, "gitdag") {
				t.Skip("14.5 M edges")
			}
			start := time.Now()
			s, r, err := Load(context.Background(), Spec{Files: []string{file}, Undirected: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.N() != vertices[graph] || s.M() != edges[graph] || r.Loops != loops[graph] {
				t.Errorf("%d vertices, %d edges, %d loops; want %d, %d, %d", s.N(), s.M(), r.Loops, vertices[graph], edges[graph], loops[graph])
			}
			if r.Format != FormatMETIS && r.Loops+r.Duplicates+s.M() != raw[graph] {
				t.Errorf("%d loops, %d duplicates and %d edges do not make %d lines", r.Loops, r.Duplicates, s.M(), raw[graph])
			}
			t.Logf("%s (%s): %d vertices, %d edges, %d loops, %d duplicates, %d bytes, %v; %v", r.Format, r.Detected, s.N(), s.M(), r.Loops, r.Duplicates, r.Bytes, time.Since(start), r.Warnings)
		})
	}
	if loaded != len(vertices)-1 {
		t.Errorf("%d graphs loaded, TRUTH.tsv has %d", loaded, len(vertices))
	}
}

// TestNeo4jZips loads two exports of Neo4j's data importer as they are, from their zip files: pole has typed
// headers, stackoverflow plain ones and multi-line fields. encoding/csv counts the records.
func TestNeo4jZips(t *testing.T) {
	for name, archive := range map[string]string{"pole": "pole-data-importer.zip", "stackoverflow": "data/stackoverflow-data-importer.zip"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(shared.Unpack(t, "neo4j_"+name+".tar.zst"), filepath.FromSlash(archive))
			z, err := zip.OpenReader(path)
			if err != nil {
				t.Fatal(err)
			}
			defer z.Close()
			var spec Spec
			var nodes, rels uint64
			for _, f := range z.File {
				parts := strings.Split(f.Name, ".")
				if len(parts) != 4 {
					continue
				}
				n := countRecords(t, f)
				if parts[1] == "nodes" {
					spec.Nodes = append(spec.Nodes, NodeFile{Labels: []string{parts[2]}, Paths: []string{path + "/" + f.Name}})
					nodes += n
				} else {
					spec.Relationships = append(spec.Relationships, RelationshipFile{parts[2], []string{path + "!" + f.Name}})
					rels += n
				}
			}
			start := time.Now()
			s, r, err := Load(context.Background(), spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.N() != nodes || s.M() != rels || nodes == 0 || s.Types.Len() != len(spec.Relationships) {
				t.Errorf("%d nodes, %d relationships of %d types; want %d, %d of %d", s.N(), s.M(), s.Types.Len(), nodes, rels, len(spec.Relationships))
			}
			t.Logf("%d nodes, %d relationships, %d bytes in %v; %q", s.N(), s.M(), r.Bytes, time.Since(start), r.Warnings)
		})
	}
}

// countRecords counts the records below the header of a zip member.
func countRecords(t *testing.T, f *zip.File) uint64 {
	t.Helper()
	m, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	rows, err := csv.NewReader(m).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return uint64(len(rows) - 1)
}

// TestLSQB loads the smallest data set of the LSQB benchmark and compares the report with the number of lines.
func TestLSQB(t *testing.T) {
	spec := lsqbSpec(t, filepath.Join(shared.Unpack(t, "lsqb_sf0.003.tar.zst"), "data", "social-network-sf0.003-projected-fk"))
	s, r, err := Load(context.Background(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows := r.Lines - uint64(r.Files); s.N()+s.M() != rows || s.N() != 31524 {
		t.Errorf("%d nodes and %d relationships of %d rows", s.N(), s.M(), rows)
	}
}

// TestReadPatterns reads queries of two sets, one of each variant, and compares their sizes with the t line.
func TestReadPatterns(t *testing.T) {
	for _, name := range []string{"lsm_hprd", "lsm_human_yeast_hprd_igraph"} {
		dir := shared.Unpack(t, name+".tar.zst")
		read := 0
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !strings.HasPrefix(d.Name(), "query_") || !strings.HasSuffix(path, "1.graph") {
				return err // every tenth will do
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			q, err := ReadPattern(path)
			if err != nil {
				return err
			}
			if len(q.Vertices) != strings.Count(string(text), "\nv ") || len(q.Edges) != strings.Count(string(text), "\ne ") {
				t.Errorf("%s: %d vertices, %d edges", path, len(q.Vertices), len(q.Edges))
			}
			read++
			return nil
		})
		if err != nil || read < 180 {
			t.Errorf("%s: %d queries, %v", name, read, err)
		}
	}
}
