package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// setOperation is the definition: what the rows of parts become, each row as often as it occurs.
func setOperation(op string, all bool, parts [][]int) (rows []int) {
	count := func(list []int, x int) (n int) {
		for _, y := range list {
			if x == y {
				n++
			}
		}
		return n
	}
	if op == "OTHERWISE" {
		for _, p := range parts {
			if len(p) > 0 {
				return p
			}
		}
		return nil
	}
	for x := range 6 {
		n := count(parts[0], x)
		for _, p := range parts[1:] {
			switch m := count(p, x); {
			case op == "EXCEPT" && all:
				n = max(0, n-m)
			case op == "EXCEPT" && m > 0:
				n = 0
			case op == "INTERSECT":
				n = min(n, m)
			}
		}
		if !all {
			n = min(n, 1)
		}
		for range n {
			rows = append(rows, x)
		}
	}
	return rows
}

// column reads the only column of rows.
func column[T any](rows *motif.Rows) (list []T, err error) {
	for x, err := range motif.Into[T](rows) {
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// TestSetOperations compares EXCEPT, INTERSECT and OTHERWISE with their definition: alone, in a subquery that runs for each row, and for
// rows that occur several times.
func TestSetOperations(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 300 {
		op := []string{"EXCEPT", "INTERSECT", "OTHERWISE"}[r.IntN(3)]
		all := op != "OTHERWISE" && r.IntN(2) == 0
		word := op
		switch {
		case all:
			word += " ALL"
		case op != "OTHERWISE" && r.IntN(2) == 0:
			word += " DISTINCT"
		}
		var parts [][]int
		var texts []string
		params := motif.Params{}
		for i := range 2 + r.IntN(2) {
			list := []int{}
			for range r.IntN(8) {
				list = append(list, r.IntN(6))
			}
			parts = append(parts, list)
			name := fmt.Sprint("l", i)
			params[name] = list
			texts = append(texts, "UNWIND $"+name+" AS x RETURN x")
		}
		text := strings.Join(texts, " "+word+" ")
		want := setOperation(op, all, parts)
		times := 1
		switch r.IntN(3) {
		case 1:
			times = 3
			text = "UNWIND [1, 2, 3] AS i CALL () { " + text + " } RETURN x"
		case 2:
			times = 2
			text = "UNWIND [[1, 2], [3]] AS l MATCH (a:None) RETURN 1 AS x UNION ALL CALL () { " + text + " } RETURN x UNION ALL CALL () { " + text + " } RETURN x"
		}
		want = slices.Repeat(want, times)
		slices.Sort(want)
		rows, err := db.Query(context.Background(), text, params)
		if err != nil {
			t.Fatalf("seed %d, round %d: %s: %v", seed, round, text, err)
		}
		got, err := column[int](rows)
		if err != nil {
			t.Fatalf("seed %d, round %d: %s: %v", seed, round, text, err)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, round %d: %s\nof %v: %v, want %v", seed, round, text, parts, got, want)
		}
	}
}

// TestForWithPlaces compares FOR ... WITH ORDINALITY and WITH OFFSET with the places of a list.
func TestForWithPlaces(t *testing.T) {
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for text, want := range map[string]string{
		"FOR x IN ['a', 'b'] WITH ORDINALITY i RETURN collect(x + i) AS l":           "[a1 b2]",
		"FOR x IN ['a', 'b'] WITH OFFSET i RETURN collect(x + i) AS l":               "[a0 b1]",
		"FOR x IN ['a', 'b', 'c'] WITH OFFSET i FILTER i > 0 RETURN collect(x) AS l": "[b c]",
		"FOR x IN null WITH OFFSET i RETURN collect(i) AS l":                         "[]",
		"FOR x IN [3, 4] WITH x AS offset RETURN collect(offset) AS l":               "[3 4]",
		"FOR x IN range(5, 7) WITH ORDINALITY i RETURN collect(i) AS l":              "[1 2 3]",
		"FOR x IN [[1, 2], [3]] FOR y IN x WITH ORDINALITY i RETURN collect(i) AS l": "[1 2 1]",
	} {
		oneValue(t, db, text, want)
	}
}
