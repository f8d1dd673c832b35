package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/storage/importer"
)

// The LSQB queries (ldbc/lsqb, Apache-2.0) on its example graph and, where all files they need exist, on scale
// factor 0.1.

// lsqbSpec loads files named Source_relation_Target.csv; types names the relations as the queries do.
func lsqbSpec(dir string, nodes, rels []string) importer.Spec {
	var spec importer.Spec
	for _, n := range nodes {
		labels := []string{n}
		if n == "Comment" || n == "Post" {
			labels = []string{"Message", n}
		}
		spec.Nodes = append(spec.Nodes, importer.NodeFile{Labels: labels, Paths: []string{filepath.Join(dir, n+".csv")}})
	}
	for _, r := range rels {
		name := strings.Split(r, "_")[1]
		spec.Relationships = append(spec.Relationships, importer.RelationshipFile{Type: upperSnake(name), Paths: []string{filepath.Join(dir, r+".csv")}})
	}
	return spec
}

// upperSnake turns isPartOf into IS_PART_OF.
func upperSnake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}

func TestSharedLSQBExample(t *testing.T) {
	dir := shared.Unpack(t, "lsqb_sf0.003.tar.zst")
	data := filepath.Join(dir, "data", "social-network-sfexample-projected-fk")
	files, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	var nodes, rels []string
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".csv")
		if strings.Contains(name, "_") {
			rels = append(rels, name)
		} else {
			nodes = append(nodes, name)
		}
	}
	db := loaded(t, lsqbSpec(data, nodes, rels))
	for i, want := range []int64{8, 3, 6, 8, 3, 8, 11, 2, 4} {
		query, err := os.ReadFile(filepath.Join(dir, "cypher", "q"+string(rune('1'+i))+".cypher"))
		if err != nil {
			t.Fatal(err)
		}
		wantCount(t, db, string(query), want)
	}
}

func TestSharedLSQBTenth(t *testing.T) {
	dir := shared.Unpack(t, "lsqb_sf0.1_partial.tar.zst")
	data := filepath.Join(dir, "dataset", "lsqb-sf01")
	db := loaded(t, lsqbSpec(data, []string{"Person", "City", "Country", "Tag"},
		[]string{"Person_isLocatedIn_City", "City_isPartOf_Country", "Person_knows_Person", "Person_hasInterest_Tag"}))
	queries := filepath.Join(shared.Unpack(t, "lsqb_sf0.003.tar.zst"), "cypher")
	for name, want := range map[string]int64{"q3": 30456, "q6": 55607896, "q9": 51009398} {
		query, err := os.ReadFile(filepath.Join(queries, name+".cypher"))
		if err != nil {
			t.Fatal(err)
		}
		wantCount(t, db, string(query), want)
	}
}
