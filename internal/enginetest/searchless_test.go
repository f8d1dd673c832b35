package enginetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// Matches of nodes without relationships are the same with and without a search.
func TestSearchless(t *testing.T) {
	ctx, db := context.Background(), thousandNodes(t, ":memory:")
	for _, text := range []string{"UNWIND range(0, 9) AS i CREATE (:A {i: i, j: i % 3}), (:A:B {i: i, k: 10 - i}), (:C {i: toString(i)})",
		"CREATE INDEX FOR (n:N) ON (n.id)"} {
		if _, err := db.Exec(ctx, text, nil); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	probed := 0
	for range 2000 {
		text := nodesOnly(r)
		with, err := searchRows(db, text)
		without, err2 := searchRows(db, text, motif.WithoutTechniques("row-probe"))
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%s: %v, without: %v", text, err, err2)
		}
		if strings.Contains(text, "LIMIT") {
			if len(with) != len(without) {
				t.Fatalf("%s: %d rows, without %d", text, len(with), len(without))
			}
		} else if !slices.Equal(with, without) {
			t.Fatalf("%s:\n%v\nwithout:\n%v", text, with, without)
		}
		sum, _ := db.Exec(ctx, text, nil)
		if slices.ContainsFunc(sum.Techniques, func(u motif.TechniqueUse) bool { return u.Name == "row-probe" }) {
			probed++
		}
	}
	if probed < 200 {
		t.Errorf("only %d queries went without a search", probed)
	}
}

// nodesOnly is a query of one to three nodes.
func nodesOnly(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	mode := pick("", "", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ")
	var nodes, conditions, reads []string
	for u := range 1 + r.IntN(3) {
		v := string(rune('x' + u))
		nodes = append(nodes, "("+v+pick(":A", ":B", ":A&!B", ":C", ":N", "")+")")
		switch r.IntN(5) {
		case 0:
			conditions = append(conditions, v+".i = "+pick("3", "'4'", "11"))
		case 1:
			conditions = append(conditions, v+".id = "+pick("3", "999", "-1"))
		case 2:
			conditions = append(conditions, v+".j + 1 "+pick("<", ">=")+" 2")
		default:
			conditions = append(conditions, v+".i "+pick("<", "=")+" 2", v+".id IS NULL")
		}
		reads = append(reads, pick(v, "id("+v+")", v+".i")+" AS "+v)
	}
	if len(nodes) > 1 && r.IntN(3) == 0 {
		conditions = append(conditions, pick("x <> y", "x.i = y.i", "x.i < y.i"))
	}
	text := "MATCH " + mode + strings.Join(nodes, ", ") + " WHERE " + strings.Join(conditions, " AND ")
	if r.IntN(6) == 0 {
		text = strings.Replace(text, "MATCH", "OPTIONAL MATCH", 1)
	}
	text += " RETURN " + pick("", "", "DISTINCT ") + strings.Join(reads, ", ")
	return text + pick("", "", " LIMIT 2", " LIMIT 0")
}

// searchRows returns the rows of a query as sorted text.
func searchRows(db *motif.DB, text string, opts ...motif.QueryOption) (all []string, err error) {
	rows, err := db.Query(context.Background(), text, nil, opts...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		all = append(all, fmt.Sprint(rows.Row().Values()...))
	}
	slices.Sort(all)
	return all, rows.Err()
}

// A small statement in a transaction allocates little, also on a large graph.
func TestStatementAllocations(t *testing.T) {
	ctx, db := context.Background(), statementGraphs[1].open(t)
	most := map[string]float64{"create": 60, "set": 92, "read": 140, "connect": 103, "merge": 105, "create-key": 62, "merge-key": 105,
		"delete": 105, "delete-rel": 105, "detach-delete": 107, "connect-key": 105, "set-key": 92, "merge-rel": 115, "merge-path": 155, "create-rel": 70, "grow": 105, "set-id": 95,
		"set-label": 90, "set-rel": 94}
	for _, k := range statementKinds {
		err := db.Update(ctx, func(tx *motif.Tx) error {
			i := 0
			n := testing.AllocsPerRun(300, func() {
				if _, err := tx.Exec(ctx, k.text, k.params(i)); err != nil {
					t.Fatal(err)
				}
				i++
			})
			if n > most[k.name] {
				t.Errorf("%s: %v allocations, at most %v expected", k.name, n, most[k.name])
			}
			return errRollback
		})
		if !errors.Is(err, errRollback) {
			t.Fatal(err)
		}
	}
}
