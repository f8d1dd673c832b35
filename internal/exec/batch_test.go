package exec

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

var batchSizes = []int{1, 2, 3, 7, 1024}

// batchQuery writes a random query whose rows can move in batches. Some of its expressions fail for some rows.
func batchQuery(rng *rand.Rand) string {
	pick := func(options ...string) string { return options[rng.IntN(len(options))] }
	pattern := pick("(a)", "(a)-[r]->(b)", "(a)-[r]-(b)", "(a)-->(b)-->(c)", "(a)--(b)--(c)", "(a)-->(b)<--(a)", "(a)-[r]->(b), (a)-->(c)", "(a)--(b)--(c)--(a)",
		"(a)--(b)--(c)--(d)--(a)", "DISTINCT SUBGRAPHS (a)--(b)--(c)", "(a:L0)--(b)--(c), (b)--(d)")
	vars := []string{"a"}
	for _, v := range []string{"b", "c", "d", "r"} {
		if strings.Contains(pattern, "("+v+")") || strings.Contains(pattern, "["+v+"]") {
			vars = append(vars, v)
		}
	}
	expr := func() string {
		v := pick(vars...)
		return strings.ReplaceAll(pick("V", "id(V)", "V.x", "V.none", "id(V) + 1", "[id(V), V.mixed]", "12 / (id(V) % 5)", "7", "properties(V)", "V.name", "V.mixed"), "V", v)
	}
	text := "MATCH " + pattern
	if rng.IntN(6) == 0 {
		text = "WITH 3 AS before " + text
		vars = append(vars[:len(vars):len(vars)], "a")
	}
	if rng.IntN(3) == 0 {
		text += " WHERE " + strings.ReplaceAll(pick("id(a) <> 1", "a.x > 1", "12 / (id(a) % 7) > 2", "12 / (id(V) % 6) >= 0", "12 / (id(V) % 13 - id(a)) <> 1"), "V", pick(vars...))
	}
	if rng.IntN(3) == 0 {
		v := pick(vars...)
		text += fmt.Sprintf(" WITH %s AS a, %s AS x", v, expr()) + pick("", " WHERE x <> 2", " WHERE id(a) <> 2", " WHERE 10 / (id(a) % 3) > 3")
		vars = []string{"a"}
	}
	items := []string{}
	for i := range 1 + rng.IntN(4) {
		items = append(items, fmt.Sprintf("%s AS c%d", expr(), i))
	}
	text += " RETURN " + strings.Join(items, ", ")
	if rng.IntN(3) == 0 {
		text += fmt.Sprint(" SKIP ", rng.IntN(9))
	}
	if rng.IntN(3) == 0 {
		text += fmt.Sprint(" LIMIT ", rng.IntN(30))
	}
	return text
}

// TestBatches compares rows that come in batches with rows that come one by one: their values, their order, how many come before an
// error, and the error.
func TestBatches(t *testing.T) {
	batches, failed, limited, queries := 0, 0, 0, 900
	if n, err := strconv.Atoi(os.Getenv("MOTIF_QUERIES")); err == nil {
		queries = n
	}
	for seed := range uint64(queries) {
		rng := rand.New(rand.NewPCG(seed, 90))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 3 + rng.IntN(12), Edges: 3 + rng.IntN(30), Labels: 2, Types: 2})
		if rng.IntN(3) == 0 {
			s = indexed(testgraph.Changed(seed, s, false))
		}
		text := batchQuery(rng)
		answer := func(text string, batch int) (rows []string, failure string) {
			q := &query{s: s, device: onCPU{}, batch: batch, env: &pattern.Env{Workers: 1, Memory: new(pattern.Memory)}}
			err := q.each(t, text, func(row []value.Value) (bool, error) {
				rows = append(rows, q.show(row))
				return true, nil
			})
			if batches += q.batches; err != nil {
				failure = err.Error()
			}
			if used := q.env.Memory.Used(); used != 0 {
				t.Errorf("seed %d: %s: %d bytes are still charged", seed, text, used)
			}
			return rows, failure
		}
		rows, failure := answer(text, 0)
		if failure != "" {
			failed++
		}
		if failure != "" && len(rows) > 0 && !strings.Contains(text, " LIMIT ") { // rows before an error are rows
			limited++
			limit := fmt.Sprint(" LIMIT ", 1+rng.IntN(len(rows)))
			for _, batch := range append([]int{0}, batchSizes...) {
				if got, err := answer(text+limit, batch); err != "" || len(got) > len(rows) || !slices.Equal(got, rows[:len(got)]) || len(got) == 0 {
					t.Errorf("seed %d: %s\nbatches of %d%s: %q %s\nwithout: %q %s", seed, text, batch, limit, got, err, rows, failure)
				}
			}
		}
		for _, batch := range batchSizes {
			got, err := answer(text, batch)
			if !slices.Equal(got, rows) || err != failure {
				t.Errorf("seed %d: %s\nin batches of %d: %q %s\none by one: %q %s", seed, text, batch, got, err, rows, failure)
			}
		}
	}
	if batches < 5*queries || failed < queries/20 || limited < queries/50 {
		t.Errorf("there were %d batches, %d queries failed, %d after rows: the test tests too little", batches, failed, limited)
	}
}

// TestBatchesStop ends the output of batches after some rows.
func TestBatchesStop(t *testing.T) {
	s := testgraph.Random(4, testgraph.Options{Vertices: 40, Edges: 300, Labels: 2, Types: 2})
	for _, batch := range batchSizes {
		for _, most := range []int{1, 5, 100} {
			n := 0
			q := &query{s: s, device: onCPU{}, batch: batch}
			err := q.each(t, "MATCH (a)--(b)--(c) RETURN a, id(b), c.x", func([]value.Value) (bool, error) {
				n++
				return n < most, nil
			})
			if err != nil || n != most {
				t.Errorf("batches of %d: %d rows of %d, %v", batch, n, most, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := (&query{s: s, device: onCPU{}, batch: 7, ctx: ctx}).each(t, "MATCH (a)--(b)--(c)--(d)--(e)--(f) RETURN a, b, c, d, e, f", func([]value.Value) (bool, error) {
		n++
		if n == 10 {
			cancel()
		}
		return true, nil
	})
	if err != context.Canceled || n > 1000 {
		t.Errorf("a cancelled query gave %d rows and the error %v", n, err)
	}
}
