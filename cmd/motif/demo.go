package main

import (
	"context"
	"fmt"
	"os"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
)

type demoCmd struct {
	Repl bool `help:"Open the shell on the sample graph instead."`
	filesFlags
}

// tour is what the demo asks, with a line on each question.
var tour = []struct{ about, query string }{
	{"Who knows whom? A pattern looks like what it finds; this is one relationship, in either direction.",
		`MATCH (a:Person {name: 'Jose Alonso'})-[k:KNOWS]-(b:Person)
RETURN b.name, k.since ORDER BY k.since LIMIT 5;`},
	{"People who know each other and work at the same company.",
		`MATCH (a:Person)-[:KNOWS]->(b:Person), (a)-[:WORK_AT]->(c:Company)<-[:WORK_AT]-(b)
RETURN c.name, a.name, b.name ORDER BY c.name, a.name LIMIT 5;`},
	{"Triangles. As a pattern every triangle is found six times; DISTINCT SUBGRAPHS gives each one once.",
		`MATCH DISTINCT SUBGRAPHS (a:Person)-[:KNOWS]-(b:Person)-[:KNOWS]-(c:Person)-[:KNOWS]-(a)
RETURN count(*) AS triangles;`},
	{"Five people who all know each other: a clique.",
		`MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person), (e:Person)
WHERE IS_CLIQUE([a, b, c, d, e], 'KNOWS')
RETURN a.name, b.name, c.name, d.name, e.name LIMIT 3;`},
	{"A larger pattern with labels: friends from two countries who share an interest that a forum of one of them is about.",
		`MATCH (a:Person)-[:KNOWS]-(b:Person), (a)-[:HAS_INTEREST]->(t:Tag)<-[:HAS_INTEREST]-(b),
      (f:Forum)-[:HAS_MODERATOR]->(a), (f)-[:HAS_TAG]->(t), (f)-[:HAS_MEMBER]->(b),
      (a)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(x:Country),
      (b)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(y:Country)
WHERE x.name < y.name
RETURN t.name AS interest, count(DISTINCT f) AS forums, count(*) AS matches
ORDER BY matches DESC, interest LIMIT 5;`},
	{"How the clique query is answered.",
		`EXPLAIN MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person)
WHERE IS_CLIQUE([a, b, c, d], 'KNOWS') RETURN count(*);`},
}

const farewell = `
Go on:
  motif demo --repl             a shell on this graph (:help, :schema)
  motif load DB FILE...         a graph of your own; motif load --help lists the formats
  motif DB                      a shell on it
  motif query DB 'MATCH ...'    one query, as a table, csv, json, jsonl or markdown (-o)
`

// Run shows the tour, or opens the shell on the sample.
func (c *demoCmd) Run(ctx context.Context) error {
	opts, err := c.options()
	if err != nil {
		return err
	}
	db, err := motif.OpenSample(opts...)
	if err != nil {
		return err
	}
	defer db.Close()
	s := repl.Session{DB: db, Out: os.Stdout, Err: os.Stderr, Format: repl.Formats[0], Layout: repl.Layouts[0]}
	if c.Repl {
		return shell(ctx, s, "")
	}
	stats, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	fmt.Println("The sample: a small made-up social network (LDBC SNB).")
	if err := printLine(stats); err != nil {
		return err
	}
	for _, step := range tour {
		fmt.Printf("\n// %s\n%s\n", step.about, step.query)
		if err := s.Run(ctx, "", step.query); err != nil {
			return err
		}
	}
	_, err = fmt.Print(farewell)
	return err
}
