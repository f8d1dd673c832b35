package enginetest

import (
	"path/filepath"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/storage/exporter"
	"github.com/motifql/motif/storage/importer"
)

// Real graphs go out in every format that load reads, come back, and are the same by id.
func TestSharedExport(t *testing.T) {
	pole := filepath.Join(shared.Unpack(t, "neo4j_pole.tar.zst"), "pole-data-importer.zip")
	demo := filepath.Join(shared.Unpack(t, "kuzu_small.tar.zst"), "dataset")
	for name, spec := range map[string]importer.Spec{
		"pole": {Files: []string{pole}},
		"hprd": {Files: []string{shared.File(t, "data", "hprd.graph.zst")}},
		"demo": {Nodes: []importer.NodeFile{{Labels: []string{"User", "Person"}, Paths: []string{filepath.Join(demo, "demo-db", "parquet", "user.parquet")}}},
			Relationships: []importer.RelationshipFile{{Type: "FOLLOWS", Paths: []string{filepath.Join(demo, "demo-db", "parquet", "follows.parquet")}}}},
	} {
		checkTransfer(t, name, loaded(t, spec))
	}
}

func TestSampleExport(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkTransfer(t, "sample", db)
}

// checkTransfer exports a graph in every format that load reads and compares what came back.
func checkTransfer(t *testing.T, name string, db *motif.DB) {
	t.Helper()
	for _, format := range exporter.FormatNames(func(f exporter.Format) bool { return f.Name != exporter.Cypher && f.Name != exporter.DOT }) {
		path := filepath.Join(t.TempDir(), name+map[string]string{exporter.GraphML: ".graphml.zst", exporter.JSONL: ".jsonl.gz"}[format])
		if _, err := db.Export(t.Context(), exporter.Options{Path: path, Format: format}); err != nil {
			t.Fatalf("%s as %s: %v", name, format, err)
		}
		back := loaded(t, importer.Spec{Files: []string{path}})
		r, err := motif.Diff(t.Context(), db, back, motif.DiffOptions{By: "id"})
		if err != nil {
			t.Fatalf("%s as %s: %v", name, format, err)
		}
		if !r.Equal {
			t.Errorf("%s as %s: %d differences: %v", name, format, r.Total(), r.List)
		}
	}
}
