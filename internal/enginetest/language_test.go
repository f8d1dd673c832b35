package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

// referenceGraph is what the examples of the reference ask about.
const referenceGraph = `
	CREATE (ada:Person {name: 'Ada', age: 36, city: 'London', email: 'ada@example.org'}), (alan:Person {name: 'Alan', age: 41, city: 'London'}),
		(grace:Person {name: 'Grace', age: 85, city: 'New York'}), (tim:Person {name: 'Tim', age: 12}),
		(acme:Company {name: 'Acme'}), (navy:Company {name: 'Navy'}),
		(ada)-[:KNOWS {since: 1990}]->(grace)-[:KNOWS {since: 2010}]->(alan), (ada)-[:KNOWS {since: 2015}]->(tim), (tim)-[:KNOWS {since: 2021}]->(ada),
		(alan)-[:WORKS_AT {since: 2022}]->(acme), (grace)-[:WORKS_AT {since: 1999}]->(navy), (grace)-[:LIKES]->(alan),
		(p:P)-[:BINDS]->(q:P)-[:BINDS]->(r:P)-[:BINDS]->(s:P), (p)-[:BINDS]->(r), (p)-[:BINDS]->(s), (q)-[:BINDS]->(s)`

// Every statement among the examples of the reference runs, on one graph and in their order.
func TestReferenceExamples(t *testing.T) {
	data, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte("name,age\nAnn,20\nBen,30\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	folder, err := motif.Folder(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.Open(":memory:", motif.WithFiles(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	params := motif.Params{"name": "Ada", "age": 30, "place": map[string]any{"city": "London"}, "0": 3, "limit": 10, "from": 0, "count": 2, "start": 0, "to": 1,
		"key": "name", "ids": []int{1, 2}, "weight": 0.5, "list": []int{1, 2}, "properties": map[string]any{"name": "Eve"}, "file": file,
		"friend": map[string]any{"birthday": "1990-01-01"}, "names": []string{"Ada"}}
	if err := runStatement(db, referenceGraph, nil); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, m := range regexp.MustCompile("(?s)```cypher\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
		for _, text := range lang.SplitStatements(m[1]) {
			if err := runStatement(db, text, params); err != nil {
				t.Errorf("%s\n%v", text, err)
			}
			ran++
		}
	}
	if ran < 100 {
		t.Errorf("only %d statements", ran)
	}
}

func runStatement(db *motif.DB, text string, params motif.Params) error {
	rows, err := db.Query(context.Background(), text, params, motif.WithTimeout(20*time.Second))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
