// Embed shows Motif inside a Go program: open a graph, ask, read the matches.
//
//	go run ./examples/embed
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/motifql/motif"
)

// pair is a row of the query below; columns go into fields by name or tag.
type pair struct {
	Company string
	First   string `motif:"a"`
	Second  string `motif:"b"`
}

const colleagues = `
	MATCH (a:Person)-[k:KNOWS]->(b:Person), (a)-[:WORK_AT]->(c:Company)<-[:WORK_AT]-(b)
	WHERE k.since >= $since
	RETURN c.name AS company, a.name AS a, b.name AS b ORDER BY company, a, b LIMIT 3`

const cliques = `
	MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person)
	WHERE IS_CLIQUE([a, b, c, d], 'KNOWS') RETURN count(*)`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	db, err := motif.OpenSample() // or motif.Open("graph.db")
	if err != nil {
		return err
	}
	defer db.Close()

	rows, err := db.Query(ctx, colleagues, motif.Params{"since": "2010-06-01"}, motif.WithTimeout(10*time.Second))
	if err != nil {
		return err
	}
	for p, err := range motif.Into[pair](rows) {
		if err != nil {
			return err
		}
		fmt.Printf("%s and %s know each other and work at %s.\n", p.First, p.Second, p.Company)
	}

	if rows, err = db.Query(ctx, cliques, nil); err != nil {
		return err
	}
	n, err := motif.One[int64](rows)
	if err != nil {
		return err
	}
	fmt.Printf("%d groups of four all know each other.\n", n)

	// A mistake comes with its place and a hint.
	_, err = db.Query(ctx, "MATCH (p:Person) RETURN q.name", nil)
	var mistake *motif.QueryError
	if errors.As(err, &mistake) {
		fmt.Println(mistake.Pretty())
	}
	return nil
}
