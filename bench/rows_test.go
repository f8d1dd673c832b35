package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/archive"
	"github.com/motifql/motif/internal/repl"
)

// votes yields the edges of wiki-Vote. Without the file, it yields a random graph with as many nodes and edges and with similar degrees.
func votes(b *testing.B) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		f, err := archive.Open(filepath.Join("..", "..", "shared", "data", "wiki-Vote.txt.zst"))
		if err != nil {
			b.Log("wiki-Vote is not here: a generated graph takes its place")
			rng := rand.New(rand.NewPCG(7, 115))
			pick := func() int { return int(8297 * rng.Float64() * rng.Float64() * rng.Float64()) }
			for range 103_689 {
				if from, to := pick(), pick(); from != to && !yield(from, to) {
					return
				}
			}
			return
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var from, to int
			if n, _ := fmt.Sscan(lines.Text(), &from, &to); n == 2 && !yield(from, to) {
				return
			}
		}
	}
}

// rowGraph loads the votes as relationships E, and each pair of nodes that they join as one relationship PAIR.
func rowGraph(b *testing.B) *motif.DB {
	dir := b.TempDir()
	var nodes, rels []byte
	nodes, rels = append(nodes, "key:ID,id:int,lab:int\n"...), append(rels, ":START_ID,:END_ID,:TYPE\n"...)
	seen, pairs := map[int]bool{}, map[[2]int]bool{}
	for from, to := range votes(b) {
		for _, v := range [...]int{from, to} {
			if !seen[v] {
				seen[v] = true
				nodes = fmt.Appendf(nodes, "%d,%d,%d\n", v, v, v*7919%16)
			}
		}
		if !pairs[[2]int{from, to}] {
			rels = fmt.Appendf(rels, "%d,%d,E\n", from, to)
			if !pairs[[2]int{to, from}] {
				rels = fmt.Appendf(rels, "%d,%d,PAIR\n", from, to)
			}
			pairs[[2]int{from, to}] = true
		}
	}
	nodeFile, relFile := filepath.Join(dir, "V.csv"), filepath.Join(dir, "E.csv")
	for name, text := range map[string][]byte{nodeFile: nodes, relFile: rels} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	db, err := motif.Open(filepath.Join(dir, "db"), motif.WithCreate(), motif.WithWorkers(1))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	spec := motif.LoadSpec{
		Nodes:         []motif.NodeFile{{Labels: []string{"V"}, Paths: []string{nodeFile}}},
		Relationships: []motif.RelationshipFile{{Paths: []string{relFile}}},
	}
	if _, err := db.Load(context.Background(), spec, motif.LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	return db
}

const (
	cycles      = "MATCH (a)-[:PAIR]-(b)-[:PAIR]-(c)-[:PAIR]-(d)-[:PAIR]-(a) RETURN "
	votesCycles = "MATCH (a)-[:E]-(b)-[:E]-(c)-[:E]-(d)-[:E]-(a) RETURN " // most pairs have one relationship, some have two
	houses      = "MATCH (a)-[:E]->(b)-[:E]->(c)-[:E]->(d), (a)-[:E]->(d), (a)-[:E]->(e)-[:E]->(b) RETURN "
)

// BenchmarkRows lists matches with one worker and reports how many rows a second reach the program, with the search.
func BenchmarkRows(b *testing.B) {
	db := rowGraph(b)
	ids := "id(a), id(b), id(c), id(d)"
	properties := "a.id, b.id, c.id, d.id"
	for _, q := range []struct {
		name, text string
		rows       int
		read       func(db *motif.DB, text string) error
	}{
		{"nodes/next", cycles + "a, b, c, d", 10e6, readRows(func(motif.Row) {})},
		{"nodes/NodeID", cycles + "a, b, c, d", 10e6, readRows(nodeIDs)},
		{"nodes/AppendNodeIDs", cycles + "a, b, c, d", 10e6, readColumns},
		{"properties/Int", cycles + properties, 10e6, readRows(ints)},
		{"parallel/next", votesCycles + "a, b, c, d", 5e6, readRows(func(motif.Row) {})},
		{"ids/values", cycles + ids, 5e6, readRows(func(r motif.Row) { values = r.Values() })},
		{"properties/values", cycles + properties, 5e6, readRows(func(r motif.Row) { values = r.Values() })},
		{"ids/csv", cycles + ids, 5e6, printRows("csv")},
		{"properties/csv", cycles + properties, 5e6, printRows("csv")},
		{"properties/json", cycles + properties, 5e6, printRows("json")},
		{"houses/next", houses + properties + ", e.id", 5e6, readRows(func(motif.Row) {})},
		{"houses/csv", houses + "a, b, c, d, e", 1e5, printRows("csv")},
	} {
		b.Run(q.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				if err := q.read(db, fmt.Sprint(q.text, " LIMIT ", q.rows)); err != nil {
					b.Fatal(err)
				}
				n += q.rows
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

var values []any

var sum int64

func nodeIDs(r motif.Row) {
	for i := range 4 {
		id, _ := r.NodeID(i)
		sum += int64(id)
	}
}

func ints(r motif.Row) {
	for i := range 4 {
		n, _ := r.Int(i)
		sum += n
	}
}

// readRows returns a function that runs a query and calls read for each row.
func readRows(read func(motif.Row)) func(*motif.DB, string) error {
	return func(db *motif.DB, text string) error {
		rows, err := db.Query(context.Background(), text, nil)
		if err != nil {
			return err
		}
		for row, err := range rows.All() {
			if err != nil {
				return err
			}
			read(row)
		}
		return nil
	}
}

// readColumns reads four columns of ids, batch by batch.
func readColumns(db *motif.DB, text string) error {
	rows, err := db.Query(context.Background(), text, nil)
	if err != nil {
		return err
	}
	var ids []uint64
	for b, err := range rows.Batches() {
		if err != nil {
			return err
		}
		for i := range 4 {
			if ids, err = b.AppendNodeIDs(ids[:0], i); err != nil {
				return err
			}
			for _, id := range ids {
				sum += int64(id)
			}
		}
	}
	return nil
}

// printRows returns a function that prints the rows of a query as the command does.
func printRows(format string) func(*motif.DB, string) error {
	return func(db *motif.DB, text string) error {
		s := repl.Session{DB: db, Out: io.Discard, Err: io.Discard, Format: format}
		return s.Exec(context.Background(), text)
	}
}
