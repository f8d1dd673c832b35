package enginetest

import (
	"errors"
	"fmt"
	"github.com/motifql/motif"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// change runs a statement and returns what it has changed, as text, or the code of its error.
func change(t *testing.T, db *motif.DB, text string, params motif.Params) string {
	t.Helper()
	rows, err := db.Query(t.Context(), text, params)
	var q *motif.QueryError
	if errors.As(err, &q) {
		return q.Code
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return rows.Summary().Changes.String()
}

// TestChanges has a table of statements, run one after the other, with what they count or the error they give.
func TestChanges(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct{ text, want string }{
		{"UNWIND [7, [8, 9], null] AS l FOREACH (x IN l | CREATE (:One {x: x}))", "3 nodes created, 3 properties set, 3 labels added"},
		{"MATCH (n:One) DELETE n", "3 nodes deleted"},
		{"CREATE (a:A {x: 1})-[:R {w: 1}]->(b:B:C)", "2 nodes created, 1 relationship created, 2 properties set, 3 labels added"},
		{"MATCH (a:A) SET a.x = 1, a.y = null", "1 property set"},
		{"MATCH (a:A) REMOVE a.x, a.y, a:B", "1 property set"},
		{"MATCH (b:B) REMOVE b:B:C:D", "2 labels removed"},
		{"MATCH (a:A) DELETE a", "ConstraintVerificationFailed.DeleteConnectedNode"},
		{"MATCH (a:A)-[r]->(b) DELETE a, r, b", "2 nodes deleted, 1 relationship deleted"},
		{"OPTIONAL MATCH (a:A) DELETE a", "no changes"},
		{"OPTIONAL MATCH (a:A) CREATE (a)-[:R]->()", "SemanticError.NullNode"},
		{"OPTIONAL MATCH (a:A) MERGE (a)-[:R]->()", "SemanticError.NullNode"},
		{"MERGE (a:A {x: null})", "SemanticError.MergeReadOwnWrites"},
		{"CREATE (a {x: {y: 1}})", "TypeError.InvalidPropertyType"},
		{"CREATE (a:A) SET a.x = [a]", "TypeError.InvalidPropertyType"},
		{"CREATE (a:A)-[r:R]->(b) DELETE r, b SET b.x = 1", "EntityNotFound.DeletedEntityAccess"},
		{"CREATE (a:A)-[r:R]->(b) DELETE r, b, a", "2 nodes created, 2 nodes deleted, 1 relationship created, 1 relationship deleted, 1 label added"},
		{"UNWIND [1, 2, 1] AS x MERGE (a:A {x: x}) ON CREATE SET a.new = true ON MATCH SET a.seen = true", "2 nodes created, 5 properties set, 2 labels added"},
		{"MATCH (a:A {x: 1}), (b:A {x: 2}) MERGE (b)-[:R]-(a) MERGE (a)-[:R]-(b)", "1 relationship created"},
		{"CREATE CONSTRAINT only FOR (a:A) REQUIRE a.x IS UNIQUE", "1 constraint created"},
		{"CREATE CONSTRAINT only FOR (a:A) REQUIRE a.x IS UNIQUE", "SchemaError.AlreadyExists"},
		{"CREATE CONSTRAINT IF NOT EXISTS FOR (a:A) REQUIRE a.x IS UNIQUE", "no changes"},
		{"CREATE (:A {x: 2})", "ConstraintValidationFailed.NotUnique"},
		{"CREATE (:A {x: 2.0})", "ConstraintValidationFailed.NotUnique"},
		{"CREATE (a:B {x: 2}) SET a:A", "ConstraintValidationFailed.NotUnique"},
		{"MATCH (a:A {x: 1}), (b:A {x: 2}) SET a.x = 2, b.x = 1", "2 properties set"}, // only the end of a statement counts
		{"CREATE CONSTRAINT FOR (a:A) REQUIRE a.new IS NOT NULL", "1 constraint created"},
		{"CREATE (:A {x: 3})", "ConstraintValidationFailed.MissingProperty"},
		{"MATCH (a:A {x: 1}) REMOVE a.new", "ConstraintValidationFailed.MissingProperty"},
		{"CREATE (a:A {x: 3}) SET a.new = 1", "1 node created, 2 properties set, 1 label added"},
		{"CREATE CONSTRAINT FOR ()-[r:R]-() REQUIRE r.w IS NOT NULL", "ConstraintValidationFailed.MissingProperty"},
		{"MATCH ()-[r:R]->() SET r.w = 1", "1 property set"},
		{"CREATE CONSTRAINT FOR ()-[r:R]-() REQUIRE r.w IS NOT NULL", "1 constraint created"},
		{"CREATE ()-[:R]->()", "ConstraintValidationFailed.MissingProperty"},
		{"CREATE (:D {y: 1}), (:D {y: 1})", "2 nodes created, 2 properties set, 2 labels added"},
		{"CREATE CONSTRAINT FOR (d:D) REQUIRE d.y IS UNIQUE", "ConstraintValidationFailed.NotUnique"},
		{"CREATE INDEX d FOR (d:D) ON (d.y)", "1 index created"},
		{"CREATE INDEX FOR (d:D) ON (d.y, d.z)", "1 index created"},
		{"DROP INDEX ON :D(z, y)", "SchemaError.NotFound"},
		{"DROP INDEX ON :D(y, z)", "1 index dropped"},
		{"CREATE INDEX w FOR ()-[r:R]-() ON (r.w)", "1 index created"},
		{"DROP INDEX w", "1 index dropped"},
		{"CREATE CONSTRAINT ON (d:D) ASSERT d.y IS UNIQUE", "ConstraintValidationFailed.NotUnique"},
		{"CREATE CONSTRAINT both FOR (e:E) REQUIRE (e.x, e.y) IS UNIQUE", "1 constraint created"},
		{"CREATE (:E {x: 1, y: 1}), (:E {x: 1, y: 2}), (:E {x: 1}), (:E {x: 1})", "4 nodes created, 6 properties set, 4 labels added"},
		{"MATCH (e:E {y: 2}) SET e.y = 1", "ConstraintValidationFailed.NotUnique"},
		{"CREATE CONSTRAINT ON (e:E) ASSERT (e.x, e.y) IS NODE KEY", "ConstraintValidationFailed.MissingProperty"},
		{"DROP CONSTRAINT ON (e:E) ASSERT (e.x, e.y) IS UNIQUE", "1 constraint dropped"},
		{"CREATE CONSTRAINT FOR (e:E) REQUIRE e.x IS :: STRING", "ConstraintValidationFailed.WrongType"},
		{"CREATE CONSTRAINT FOR (e:E) REQUIRE e.x IS TYPED INTEGER | DATE", "1 constraint created"},
		{"MATCH (e:E) WITH e LIMIT 1 SET e.x = [1]", "ConstraintValidationFailed.WrongType"},
		{"MATCH (e:E) SET e.x = date('2020-02-02')", "4 properties set"},
		{"CREATE CONSTRAINT FOR ()-[s:S]-() REQUIRE s.k IS RELATIONSHIP KEY", "1 constraint created"},
		{"CREATE ()-[:S {k: 1}]->(), ()-[:S {k: 1}]->()", "ConstraintValidationFailed.NotUnique"},
		{"CREATE ()-[:S]->()", "ConstraintValidationFailed.MissingProperty"},
		{"DROP INDEX e", "SchemaError.NotFound"},
		{"DROP INDEX e IF EXISTS", "no changes"},
		{"DROP INDEX d", "1 index dropped"},
		{"DROP CONSTRAINT only", "1 constraint dropped"},
		{"CREATE (:A {x: 2, new: 1})", "1 node created, 2 properties set, 1 label added"},
	} {
		if got := change(t, db, c.text, nil); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.text, got, c.want)
		}
	}
}

// TestLoadCSV reads files with and without a header, quotes, a byte order mark and empty fields.
func TestLoadCSV(t *testing.T) {
	dir := t.TempDir()
	folder, err := motif.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.Open(":memory:", motif.WithFiles(folder))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i, c := range []struct{ file, query, want string }{
		{"\ufeffa,b\n1,\"x, \"\"y\"\"\"\n,z\n", "LOAD CSV WITH HEADERS FROM $f AS r RETURN r.a, r.b", `[1 x, "y"] [<nil> z]`},
		{"1;2\n3\n\n4;5;6", "LOAD CSV FROM 'file://' + $f AS r FIELDTERMINATOR ';' RETURN r", "[[1 2]] [[3]] [[4 5 6]]"},
		{"a,b\n1\n1,2,3\n", "LOAD CSV WITH HEADERS FROM $f AS r RETURN r.a, r.b, r.c", "[1 <nil> <nil>] [1 2 <nil>]"},
		{"", "LOAD CSV WITH HEADERS FROM $f AS r RETURN r", ""},
		{"a\nx\ny\n", "UNWIND [1, 2] AS i LOAD CSV WITH HEADERS FROM $f AS r CREATE (n:N {i: i, a: r.a}) RETURN n.i, n.a", "[1 x] [1 y] [2 x] [2 y]"},
	} {
		rows, err := db.Query(t.Context(), c.query, motif.Params{"f": write(fmt.Sprint(i), c.file)})
		if err != nil {
			t.Fatalf("%s: %v", c.query, err)
		}
		var got []string
		for row, err := range rows.All() {
			if err != nil {
				t.Fatalf("%s: %v", c.query, err)
			}
			got = append(got, fmt.Sprint(row.Values()))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q\n%s\n got  %s\n want %s", c.file, c.query, text, c.want)
		}
	}
}

// TestWithFiles lets queries read only what the program allows.
func TestWithFiles(t *testing.T) {
	exec := func(want string, opts ...motif.Option) {
		t.Helper()
		db, err := motif.Open(":memory:", opts...)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, text := range []string{"LOAD CSV FROM 'a.csv' AS r RETURN r", "LOAD CSV FROM 'a.csv' AS r CREATE (:N)", "MATCH (n) LOAD CSV FROM 'a.csv' AS r RETURN r"} {
			_, err := db.Exec(t.Context(), text, nil)
			var qe *motif.QueryError
			if want == "" && err != nil || want != "" && (!errors.As(err, &qe) || qe.Code != "ExternalResourceFailed.FileNotAllowed" || qe.Line != 1 || !strings.Contains(qe.Hint, want)) {
				t.Errorf("%s: %v", text, err)
			}
		}
		if _, err := db.Explain(t.Context(), "LOAD CSV FROM 'a.csv' AS r RETURN r"); err != nil {
			t.Error(err)
		}
	}
	exec("motif.WithFiles")
	exec("motif.WithFiles", motif.WithFiles(nil))
	exec("", motif.WithFiles(fstest.MapFS{"a.csv": {Data: []byte("x")}}))
}

// TestLoadCSVText refuses bytes that are not UTF-8, and names their line.
func TestLoadCSVText(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithFiles(fstest.MapFS{"a.csv": {Data: []byte("a,b\nx,\"y\nz\"\nx,\xff\n")}, "h.csv": {Data: []byte("a\xe9\nx\n")}}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, want := range map[string]string{
		"LOAD CSV FROM 'a.csv' AS r RETURN r":              "a.csv is not a CSV file: line 4 is not UTF-8 text; convert the file to UTF-8 first",
		"LOAD CSV WITH HEADERS FROM 'h.csv' AS r RETURN r": "h.csv is not a CSV file: line 1 is not UTF-8 text; convert the file to UTF-8 first",
	} {
		if _, err := db.Exec(t.Context(), text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// brokenFS has a file whose first bytes can be read.
type brokenFS struct{ fstest.MapFS }

type brokenFile struct {
	fs.File
	read bool
}

func (b brokenFS) Open(name string) (fs.File, error) {
	f, err := b.MapFS.Open(name)
	return &brokenFile{File: f}, err
}

func (b *brokenFile) Read(p []byte) (int, error) {
	if b.read {
		return 0, &fs.PathError{Op: "read", Path: "disk", Err: errors.New("input/output error")}
	}
	b.read = true
	return b.File.Read(p)
}

// TestLoadCSVFailedRead does not blame the file for an error of the disk.
func TestLoadCSVFailedRead(t *testing.T) {
	db, err := motif.Open(":memory:", motif.WithFiles(brokenFS{fstest.MapFS{"a.csv": {Data: []byte("x\ny\n")}}}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var qe *motif.QueryError
	if _, err := db.Exec(t.Context(), "LOAD CSV FROM 'a.csv' AS r CREATE (:N)", nil); !errors.As(err, &qe) || qe.Message != "cannot read a.csv: input/output error" {
		t.Error(err)
	}
	if stats, err := db.Stats(t.Context()); err != nil || stats.Nodes != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestSavedQueries keeps queries over a restart of the store.
func TestSavedQueries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	db, err := motif.Open(path, motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := db.SaveQuery(ctx, "b", "MATCH (n {x: $x}) WHERE n.y = $y RETURN n, $x", motif.Params{"x": 1}); err != nil {
		t.Fatal(err)
	}
	if err := db.SaveQuery(ctx, "a", "RETURN 1 AS one", nil); err != nil {
		t.Fatal(err)
	}
	if err := db.SaveQuery(ctx, "c", "RETURN", nil); err == nil {
		t.Error("a query that cannot be read was saved")
	}
	if err := db.ForgetQuery(ctx, "c"); err == nil {
		t.Error("a query that there is not was forgotten")
	}
	change(t, db, "CREATE (:A)", nil)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = motif.Open(path); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	list, err := db.SavedQueries(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := []motif.SavedQuery{{Name: "a", Text: "RETURN 1 AS one"},
		{Name: "b", Text: "MATCH (n {x: $x}) WHERE n.y = $y RETURN n, $x", Params: []motif.SavedParam{{Name: "x", Type: "integer"}, {Name: "y"}}}}
	if !slices.EqualFunc(list, want, func(a, b motif.SavedQuery) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("got %v, want %v", list, want)
	}
	for _, c := range []struct {
		params motif.Params
		ok     bool
	}{{motif.Params{"x": 1, "y": "a"}, true}, {motif.Params{"x": nil, "y": nil}, true}, {motif.Params{"x": 1}, false}, {motif.Params{"x": "1", "y": 1}, false}} {
		if err := motif.CheckParams(&list[1], c.params); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.params, err)
		}
	}
	if err := db.ForgetQuery(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if list, err = db.SavedQueries(ctx); err != nil || len(list) != 1 {
		t.Errorf("after forgetting one: %v, %v", list, err)
	}
}
