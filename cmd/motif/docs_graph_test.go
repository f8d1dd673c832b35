package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/motifql/motif"
)

// places are where the nodes of the graph of docs/getting-started.md stand in its picture.
var places = map[string]point{
	"Ann": {150, 90}, "Bob": {60, 205}, "Cleo": {240, 205}, "Dan": {400, 205}, "Eve": {400, 90}, "Finn": {520, 140},
	"Acme": {150, 300}, "Globex": {460, 300},
}

var (
	dotNode = regexp.MustCompile(`(?m)^  (n\d+) \[label="(\w+)\\n:(\w+)"\];$`)
	dotEdge = regexp.MustCompile(`(?m)^  (n\d+) -> (n\d+) \[label="(\w+)"\];$`)
)

// TestGettingStartedPicture draws the graph of docs/getting-started.md from its DOT export, and its triangle in bold.
func TestGettingStartedPicture(t *testing.T) {
	db := gettingStartedGraph(t)
	rows, err := db.Query(t.Context(), "MATCH DISTINCT SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN [a.name, b.name, c.name]", nil)
	if err != nil {
		t.Fatal(err)
	}
	triangle, err := motif.One[[]string](rows)
	if err != nil {
		t.Fatal(err)
	}
	var dot strings.Builder
	if _, err := db.Export(t.Context(), motif.ExportOptions{Writer: &dot, Format: "dot"}); err != nil {
		t.Fatal(err)
	}
	got := drawDOT(t, dot.String(), triangle)
	const file = "../../docs/img/getting-started.svg"
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s is not what the page's graph gives (%v); write it with: go test ./cmd/motif -run Picture -rewrite", file, err)
	}
}

// gettingStartedGraph loads the files of the page.
func gettingStartedGraph(t *testing.T) *motif.DB {
	t.Helper()
	files := fstest.MapFS{}
	for _, b := range blocksOf("", readPage(t, "docs/getting-started.md")) {
		if b.file != "" {
			files[filepath.Base(b.file)] = &fstest.MapFile{Data: []byte(b.code)}
		}
	}
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	_, err = db.Load(t.Context(), motif.LoadSpec{FS: files,
		Nodes:         []motif.NodeFile{{Labels: []string{"Person"}, Paths: []string{"people.csv"}}, {Labels: []string{"Company"}, Paths: []string{"companies.csv"}}},
		Relationships: []motif.RelationshipFile{{Type: "WORKS_AT", Paths: []string{"jobs.csv"}}, {Type: "KNOWS", Paths: []string{"knows.csv"}}},
	}, motif.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// drawDOT draws a graph in DOT, with nodes where places has them. Relationships between bold nodes are bold.
func drawDOT(t *testing.T, dot string, bold []string) string {
	isBold := map[string]bool{}
	for _, name := range bold {
		isBold[name] = true
	}
	var b, nodes strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 50 600 290" role="img" aria-label="Six people, two companies, and a triangle of people who know each other">` + "\n" +
		`<rect y="50" width="600" height="290" fill="#fff"/>` + "\n" + pictureStyle + `<style>.found { stroke: #cc6677; stroke-width: 4 }</style>` + "\n")
	names := map[string]string{}
	for _, m := range dotNode.FindAllStringSubmatch(dot, -1) {
		names[m[1]] = m[2]
		at, ok := places[m[2]]
		if !ok {
			t.Fatalf("%s has no place in the picture", m[2])
		}
		if m[3] == "Person" {
			drawPerson(&nodes, at, m[2])
			continue
		}
		fmt.Fprintf(&nodes, `<rect class="person" x="%d" y="%d" width="18" height="18" rx="3"/><text x="%d" y="%d">%s</text>`+"\n", at.x-9, at.y-9, at.x, at.y+28, m[2])
	}
	for _, m := range dotEdge.FindAllStringSubmatch(dot, -1) {
		from, to, class := places[names[m[1]]], places[names[m[2]]], ""
		switch {
		case m[3] == "WORKS_AT":
			class = ` class="works"`
		case isBold[names[m[1]]] && isBold[names[m[2]]]:
			class = ` class="found"`
		}
		fmt.Fprintf(&b, `<line%s x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, from.x, from.y, to.x, to.y)
	}
	if len(names) != len(places) {
		t.Errorf("the picture has %d nodes of %d", len(names), len(places))
	}
	return b.String() + nodes.String() + "</svg>\n"
}
