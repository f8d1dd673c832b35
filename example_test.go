package motif_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/motifql/motif"
)

func Example() {
	ctx := context.Background()
	db, err := motif.OpenSample() // or motif.Open("graph.db")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	rows, err := db.Query(ctx, `MATCH (p:Person)-[:KNOWS]-(q:Person)
		RETURN p.name AS name, count(q) AS friends ORDER BY friends DESC, name LIMIT $n`, motif.Params{"n": 3})
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		var name string
		var friends int
		if err := row.Scan(&name, &friends); err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, friends)
	}
	// Output:
	// Rafael Fernández 48
	// Bryn Davies 41
	// Shweta Singh 39
}

func ExampleOne() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(context.Background(), "MATCH DISTINCT SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)", nil)
	if err != nil {
		log.Fatal(err)
	}
	triangles, err := motif.One[int64](rows)
	fmt.Println(triangles, err)
	// Output:
	// 812 <nil>
}

func ExampleInto() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	type place struct {
		City    string `motif:"city"`
		Country string `motif:"country"`
	}
	rows, err := db.Query(context.Background(), `MATCH (c:City)-[:IS_PART_OF]->(d:Country)
		RETURN c.name AS city, d.name AS country ORDER BY city LIMIT 2`, nil)
	if err != nil {
		log.Fatal(err)
	}
	for p, err := range motif.Into[place](rows) {
		fmt.Println(p.City, p.Country, err)
	}
	// Output:
	// Abbottabad Pakistan <nil>
	// Abidjan Niger <nil>
}

// Procedures are called in queries. A path comes back as a motif.Path.
func ExampleDB_Query_procedure() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(context.Background(), `MATCH (a:Person {name: $from}), (b:Person {name: $to})
		CALL algo.shortestPath(a, b, {type: 'KNOWS', direction: 'BOTH'}) YIELD path
		RETURN path`, motif.Params{"from": "Rafael Fernández", "to": "Amit Rao"})
	if err != nil {
		log.Fatal(err)
	}
	path, err := motif.One[motif.Path](rows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(path.Relationships), path.Nodes[0].Props["name"], path.Nodes[2].Props["name"])
	// Output:
	// 2 Rafael Fernández Amit Rao
}

// Without a technique the answer is the same.
func ExampleWithoutTechniques() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, opts := range [][]motif.QueryOption{nil, {motif.WithOrder("ri"), motif.WithoutTechniques("quotients", "separators")}} {
		rows, err := db.Query(context.Background(), "MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d) RETURN count(*)", nil, opts...)
		if err != nil {
			log.Fatal(err)
		}
		n, err := motif.One[int64](rows)
		fmt.Println(n, err)
	}
	// Output:
	// 423418 <nil>
	// 423418 <nil>
}

func ExampleWithTimeout() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(context.Background(), "MATCH (a)--(b)--(c)--(d)--(e)--(f) WHERE a.id + f.id = c.id RETURN count(*)", nil,
		motif.WithTimeout(50*time.Millisecond))
	if err != nil {
		log.Fatal(err)
	}
	_, err = motif.One[int64](rows)
	var stopped *motif.StoppedError
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.As(err, &stopped)) // stopped says how far it came
	// Output: true true
}

func ExampleQueryError() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = db.Query(context.Background(), "MATCH (p:Person)\nRETRUN p", nil)
	var mistake *motif.QueryError
	if errors.As(err, &mistake) {
		fmt.Println(mistake.Pretty())
	}
	// Output:
	// SyntaxError.UnexpectedSyntax: unexpected RETRUN, expected a relationship, ",", WHERE or a clause such as MATCH or RETURN
	//  2 | RETRUN p
	//    | ^^^^^^
	// hint: did you mean RETURN?
}

func ExampleDB_Explain() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	plan, err := db.Explain(context.Background(), "MATCH DISTINCT SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)",
		motif.WithDevice("cpu")) // with a GPU, it would say what runs there
	fmt.Println(plan, err)
	// Output:
	// Count cliques DISTINCT SUBGRAPHS (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a)  (est 1 rows)
	//     set: device cpu
	//     clique kernel: your pattern is complete over 3 nodes, and no two nodes have more than one such relationship; {a, b, c}, each clique is one match
	//     candidates: a ~41, b ~41, c ~20 <nil>
}

func ExampleDB_Update() {
	db, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	err = db.Update(ctx, func(tx *motif.Tx) error {
		for _, name := range []string{"Ann", "Bob"} {
			if _, err := tx.Query(ctx, "CREATE (:Person {name: $name})", motif.Params{"name": name}); err != nil {
				return err // and nothing is kept
			}
		}
		_, err := tx.Query(ctx, "MATCH (a:Person {name: 'Ann'}), (b:Person {name: 'Bob'}) CREATE (a)-[:KNOWS]->(b)", nil)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	rows, err := db.Query(ctx, "MATCH (a)-[:KNOWS]->(b) RETURN a.name + ' knows ' + b.name", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(motif.One[string](rows))
	// Output: Ann knows Bob <nil>
}

func ExampleDB_Declare() {
	db, err := motif.Open(":memory:")
	if err != nil {
		panic(err)
	}
	defer db.Close()
	err = db.Declare("my.split(text :: STRING) :: (word :: STRING, at :: INTEGER)", func(ctx context.Context, call *motif.Call) error {
		var text string
		if err := call.Scan(&text); err != nil {
			return err
		}
		for i, word := range strings.Fields(text) {
			if err := call.Emit(word, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	rows, err := db.Query(context.Background(), "CALL my.split('to be or not') YIELD word, at WHERE at > 1 RETURN word", nil)
	if err != nil {
		panic(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			panic(err)
		}
		fmt.Println(row.At(0))
	}
	// Output:
	// or
	// not
}

// A store is a folder. WithCreate makes it where there is none; options of queries hold for all of them.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "motif-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := motif.Open(filepath.Join(dir, "graph.db"), motif.WithCreate(), motif.WithTimeout(10*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	sum, err := db.Exec(context.Background(), "CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:Person {name: 'Bob'})", nil)
	fmt.Println(sum.Changes, err)
	// Output: 2 nodes created, 1 relationship created, 2 properties set, 2 labels added <nil>
}

// Files may lie in an embed.FS, or anywhere else that a fs.FS leads to.
func ExampleDB_Load() {
	files := fstest.MapFS{
		"people.csv": {Data: []byte(":ID,name,age:int\n1,Ann,31\n2,Bob,27\n")},
		"knows.csv":  {Data: []byte(":START_ID,:END_ID,since:int\n1,2,2019\n")},
	}
	db, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	report, err := db.Load(context.Background(), motif.LoadSpec{FS: files,
		Nodes:         []motif.NodeFile{{Labels: []string{"Person"}, Paths: []string{"people.csv"}}},
		Relationships: []motif.RelationshipFile{{Type: "KNOWS", Paths: []string{"knows.csv"}}},
	}, motif.LoadOptions{})
	if err != nil {
		log.Fatal(err) // a *motif.FileError has the file, the line and the column
	}
	fmt.Println(report.Nodes, report.Relationships, report.Files)
	// Output: 2 1 2
}

// A backup is one stream, which Restore turns into the same graph.
func ExampleDB_Backup() {
	ctx := context.Background()
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	var backup bytes.Buffer
	if _, err := db.Backup(ctx, &backup); err != nil {
		log.Fatal(err)
	}
	restored, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer restored.Close()
	if _, err := restored.Restore(ctx, &backup); err != nil {
		log.Fatal(err)
	}
	diff, err := motif.Diff(ctx, db, restored, motif.DiffOptions{By: "id"})
	fmt.Println(diff.Equal, err)
	// Output: true <nil>
}

// Exec tells what a statement changed.
func ExampleDB_Exec() {
	db, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	for _, text := range []string{"UNWIND range(1, 3) AS i CREATE (:Number {is: i})", "MATCH (n:Number) WHERE n.is > 1 SET n.large = true"} {
		sum, err := db.Exec(ctx, text, nil)
		fmt.Println(sum.Changes, err)
	}
	// Output:
	// 3 nodes created, 3 properties set, 3 labels added <nil>
	// 2 properties set <nil>
}

// A node scans into a struct: properties by the names or tags of its fields. A property that a node may lack needs a pointer.
func ExampleInto_struct() {
	db, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.Exec(ctx, "CREATE (:Person {name: 'Ann', born: 1993}), (:Person {name: 'Bob'})", nil); err != nil {
		log.Fatal(err)
	}
	type person struct {
		Labels []string `motif:"labels()"`
		Name   string
		Year   *int `motif:"born"`
	}
	rows, err := db.Query(ctx, "MATCH (p:Person) RETURN p ORDER BY p.name", nil)
	if err != nil {
		log.Fatal(err)
	}
	for p, err := range motif.Into[person](rows) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Labels, p.Name, p.Year != nil)
	}
	// Output:
	// [Person] Ann true
	// [Person] Bob false
}

// A transaction that reads sees one state of the graph, whatever is written meanwhile.
func ExampleDB_BeginRead() {
	db, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	tx, err := db.BeginRead(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := db.Exec(ctx, "CREATE (:Person)", nil); err != nil {
		log.Fatal(err)
	}
	rows, err := tx.Query(ctx, "MATCH (p:Person) RETURN count(*)", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(motif.One[int](rows))
	// Output: 0 <nil>
}

// Prepare checks and plans a statement once.
func ExampleDB_Prepare() {
	db, err := motif.OpenSample()
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	friends, err := db.Prepare(ctx, "MATCH (:Person {name: $name})-[:KNOWS]-(q) RETURN count(q)")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"Rafael Fernández", "Bryn Davies"} {
		rows, err := friends.Query(ctx, motif.Params{"name": name})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(motif.One[int](rows))
	}
	// Output:
	// 48 <nil>
	// 41 <nil>
}

// Dates convert from and to time.Time.
func ExampleDate_In() {
	db, err := motif.Open(":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	day := motif.DateOf(time.Date(2024, time.February, 28, 12, 0, 0, 0, time.UTC))
	rows, err := db.Query(context.Background(), "RETURN $day + duration('P1D')", motif.Params{"day": day})
	if err != nil {
		log.Fatal(err)
	}
	next, err := motif.One[motif.Date](rows)
	fmt.Println(next.In(time.UTC), err)
	// Output: 2024-02-29 00:00:00 +0000 UTC <nil>
}
