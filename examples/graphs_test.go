// Package examples has graphs with questions: each question is a .cypher file, its answer the .csv file beside it.
package examples

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/storage/importer"
)

// session opens an empty store in memory.
func session(t *testing.T, out io.Writer, opts ...motif.Option) repl.Session {
	t.Helper()
	db, err := motif.Open(":memory:", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return repl.Session{DB: db, Out: out, Err: io.Discard, Format: "csv"}
}

// checkAnswers runs the questions of a folder.
func checkAnswers(t *testing.T, s repl.Session, out *bytes.Buffer, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "[0-9]*.cypher"))
	if err != nil || len(files) != 10 {
		t.Fatalf("%d questions in %s (%v), want 10", len(files), folder, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(strings.TrimSuffix(file, ".cypher") + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := s.ReadFile(t.Context(), file); err != nil {
			t.Errorf("%s: %v", file, err)
		} else if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestSharedMovies(t *testing.T) {
	var out bytes.Buffer
	s := session(t, &out)
	if err := s.ReadFile(t.Context(), filepath.Join(shared.Unpack(t, "neo4j_movies.tar.zst"), "scripts", "movies.cypher")); err != nil {
		t.Fatal(err)
	}
	checkAnswers(t, s, &out, "movies")
}

func TestSharedNorthwind(t *testing.T) {
	var out bytes.Buffer
	dir := filepath.Join(shared.Unpack(t, "neo4j_northwind.tar.zst"), "import")
	folder, err := motif.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, &out, motif.WithFiles(folder))
	s.Params = motif.Params{"dir": dir}
	if err := s.ReadFile(t.Context(), filepath.Join("northwind", "load.cypher")); err != nil {
		t.Fatal(err)
	}
	checkAnswers(t, s, &out, "northwind")
}

func TestSharedPole(t *testing.T) {
	var out bytes.Buffer
	s := session(t, &out)
	archive := filepath.Join(shared.Unpack(t, "neo4j_pole.tar.zst"), "pole-data-importer.zip")
	if _, err := s.DB.Load(t.Context(), importer.Spec{Files: []string{archive}}, motif.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	checkAnswers(t, s, &out, "pole")
}
