package importer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
)

const samples = "testdata/"

// TestSamples loads real files whose counts another program took; testdata/README.md names their sources.
func TestSamples(t *testing.T) {
	tests := []struct {
		file, format                       string
		vertices, edges, loops, duplicates uint64
		lines                              uint64
		warnings                           int
	}{
		{"email-Eu-core-1500.txt", FormatEdges, 537, 1122, 76, 302, 1500, 0},
		{"person_knows_person-300.csv", FormatCSV, 130, 300, 0, 0, 301, 1},
		{"yeast.graph.zst", FormatTVE, 3112, 12519, 0, 0, 15632, 0},
		{"hprd-igraph-query.graph", FormatTVE, 16, 0, 0, 0, 0, 0},
		{"gitdag-duckdb-part.graph-txt", FormatLAW, 414, 557, 0, 0, 415, 0},
		{"PGPgiantcompo-150.graph", FormatMETIS, 150, 1304, 0, 0, 151, 0},
		{"movies.jsonl", FormatJSONL, 4, 4, 0, 0, 8, 0},
		{"movies.graphml", FormatGraphML, 4, 4, 0, 0, 22, 0},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			if tt.format == FormatTVE && tt.edges == 0 {
				text, err := os.ReadFile(samples + tt.file)
				if err != nil {
					t.Fatal(err)
				}
				tt.lines, tt.edges = uint64(strings.Count(string(text), "\n")), uint64(strings.Count(string(text), "\ne "))
			}
			s, r, err := Load(context.Background(), Spec{Files: []string{samples + tt.file}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.N() != tt.vertices || s.M() != tt.edges || r.Loops != tt.loops || r.Duplicates != tt.duplicates || r.Lines != tt.lines || r.Format != tt.format || len(r.Warnings) != tt.warnings {
				t.Errorf("%d vertices, %d edges, %+v; want %+v", s.N(), s.M(), r, tt)
			}
		})
	}
}

// lsqbSpec is the example data set of LSQB: one file a label or type, named after it.
func lsqbSpec(t *testing.T, dir string) Spec {
	paths, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s (%v)", dir, err)
	}
	var spec Spec
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		if parts := strings.Split(name, "_"); len(parts) == 3 {
			spec.Relationships = append(spec.Relationships, RelationshipFile{Type: parts[1], Paths: []string{path}})
		} else if name == "Comment" || name == "Post" {
			spec.Nodes = append(spec.Nodes, NodeFile{Labels: []string{name, "Message"}, Paths: []string{path}})
		} else {
			spec.Nodes = append(spec.Nodes, NodeFile{Labels: []string{name}, Paths: []string{path}})
		}
	}
	return spec
}

func TestLSQBExample(t *testing.T) {
	spec := lsqbSpec(t, samples+"lsqb-example")
	s, r, err := Load(context.Background(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Lines - uint64(r.Files) // each file has one header line
	if s.N()+s.M() != rows || len(r.Warnings) != 0 || r.Files != len(spec.Nodes)+len(spec.Relationships) {
		t.Errorf("%d nodes and %d relationships of %d rows; %+v", s.N(), s.M(), rows, r)
	}
	knows, _ := s.Types.Lookup("knows")
	var pairs []string
	for e := range csr.EdgeID(s.M()) {
		if s.TypeOf(e) == csr.TypeID(knows) {
			u, v := s.Endpoints(e)
			pairs = append(pairs, person(t, s, u)+"-"+person(t, s, v))
		}
	}
	if want := 6; len(pairs) != want {
		t.Errorf("knows: %v", pairs)
	}
}

// person is the external id of a person, checked against its property.
func person(t *testing.T, s *csr.Snapshot, v csr.VertexID) string {
	t.Helper()
	key, _ := s.Keys.Lookup("id")
	prop, ok := s.VertexProp(v, csr.KeyID(key))
	label, _ := s.Labels.Lookup("Person")
	for _, x := range s.External {
		if cell, there := x.IDs.Get(uint64(v)); there && x.Name == "Person" && ok && cell == prop && s.HasLabel(v, csr.LabelID(label)) {
			return string(rune('0' + cell.Num))
		}
	}
	t.Errorf("vertex %d is no person with an id", v)
	return ""
}

func TestReadPattern(t *testing.T) {
	q, err := ReadPattern(samples + "hprd-query.graph")
	if err != nil {
		t.Fatal(err)
	}
	const want = "MATCH DIFFERENT NODES (u0:L1), (u1:L5), (u2:L100), (u3:L7), (u0)-[:E0|EDGE]-(u1), (u0)-[:E0|EDGE]-(u2), (u1)-[:E0|EDGE]-(u3)"
	if got := q.Query(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	q, err = readPattern("q", openIn(memory(map[string]string{"q": "t 0 3\nv 7 1\nv -2 0\nv 5 1\ne 7 -2 3\ne 5 7\n"})))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := q.Query(), "MATCH DIFFERENT NODES (u_2:L0), (u5:L1), (u7:L1), (u7)-[:E3|EDGE]-(u_2), (u5)--(u7)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = readPattern("q", openIn(memory(map[string]string{"q": "t 2 1\nv 0 1\nv 1 1\ne 0 2\n"})))
	var e *Error
	if !errors.As(err, &e) || e.Line != 4 || e.Column != 5 {
		t.Errorf("got %v", err)
	}
}
