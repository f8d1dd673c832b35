package enginetest

import (
	"context"
	"errors"
	"fmt"
	"github.com/motifql/motif"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestRandomCalls asks random queries with CALL of random graphs, once of the engine and once by brute force, and wants
// the same rows. Parents of algo.bfs are not compared: any neighbour one step nearer will do. MOTIF_SEED repeats a run.
func TestRandomCalls(t *testing.T) {
	seed, queries := uint64(time.Now().UnixNano()), 600
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	rows, refused := 0, 0
	for i := 0; i < queries; {
		db, snap := randomDB(t, r.Uint64())
		for range 10 {
			i++
			g := &callGen{Rand: r}
			q := g.query()
			workers := motif.WithWorkers(1 + r.IntN(3))
			if _, err := db.Explain(t.Context(), q); err != nil && strings.Contains(err.Error(), "DISTINCT SUBGRAPHS") {
				refused++
				continue
			}
			want, wantErr := answer(t, db, q, append(byBruteForce, workers)...)
			if errors.Is(wantErr, context.DeadlineExceeded) {
				t.Logf("MOTIF_SEED=%d, query %d: brute force takes too long for\n%s", seed, i, q)
				continue
			}
			got, err := answer(t, db, q, workers)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
				t.Fatalf("MOTIF_SEED=%d, query %d:\n%s\non %v\ngave %d rows, %v\n%s\nbrute force gives %d rows, %v\n%s\n%s", seed, i, q, describe(snap),
					len(got), err, strings.Join(got, "\n"), len(want), wantErr, strings.Join(want, "\n"), profile(t, db, q, workers))
			}
			rows += len(want)
		}
		db.Close()
	}
	t.Logf("seed %d: %d queries, %d of them refused, %d rows", seed, queries, refused, rows)
	if rows < queries || refused > queries/4 {
		t.Errorf("seed %d: %d queries gave only %d rows, and %d were refused: they test little", seed, queries, rows, refused)
	}
}

// callGen writes random queries with one or two CALLs.
type callGen struct {
	*rand.Rand
	nodes, numbers []string // variables
	made           int
}

func (g *callGen) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *callGen) fresh(list *[]string) string {
	g.made++
	name := fmt.Sprint("v", g.made)
	*list = append(*list, name)
	return name
}

func (g *callGen) query() string {
	var b strings.Builder
	if g.IntN(2) == 0 {
		b.WriteString(g.match())
	}
	for range 1 + g.IntN(4)/3 {
		b.WriteString(g.call())
		if g.IntN(2) == 0 {
			b.WriteString(g.match())
		}
	}
	if len(g.nodes) == 0 || g.IntN(3) == 0 {
		return b.String() + "RETURN count(*)"
	}
	return b.String() + "RETURN " + strings.Join(append(slices.Clone(g.nodes), g.numbers...), ", ")
}

func (g *callGen) options(more ...string) string {
	parts := slices.DeleteFunc(append(more, g.pick("", "", "type: 'R'", "types: ['R', 'S']", "types: []", "type: 'Nothing'", "type: null")),
		func(s string) bool { return s == "" })
	return "{" + strings.Join(parts, ", ") + "}"
}

func (g *callGen) call() (text string) {
	switch g.IntN(5) {
	case 0:
		text = "CALL algo.kcore(" + g.options() + ") YIELD core AS " + g.fresh(&g.numbers) + ", node AS " + g.fresh(&g.nodes)
	case 1:
		text = "CALL algo.ktruss(" + g.options(g.pick("", "k: 2", "k: 3", "k: 4", "k: 'max'")) + ") YIELD "
		text += "source AS " + g.fresh(&g.nodes) + ", target AS " + g.fresh(&g.nodes) + ", truss AS " + g.fresh(&g.numbers)
	case 2:
		start := "[]"
		if len(g.nodes) > 0 {
			a, b := g.nodes[g.IntN(len(g.nodes))], g.nodes[g.IntN(len(g.nodes))]
			start = g.pick(a, a, "["+a+", "+b+"]", "id("+a+")", "null")
		}
		text = "CALL algo.bfs(" + start + ", " + g.options(g.pick("", "maxDepth: 1", "maxDepth: 0"), g.pick("", "direction: 'in'", "direction: 'BOTH'")) + ") YIELD "
		text += "node AS " + g.fresh(&g.nodes) + ", depth AS " + g.fresh(&g.numbers)
	case 3:
		text = "CALL algo.cliqueCount(" + g.options(g.pick("size: 1", "size: 2", "size: 3", "size: 4"), g.pick("", "label: 'A'")) + ") YIELD "
		text += "count AS " + g.fresh(&g.numbers)
	case 4: // a list: its elements come in order of id, so they can be compared
		text = "CALL algo.cliques(" + g.options(g.pick("size: 1", "size: 2", "size: 3"), g.pick("", "", "label: 'A'")) + ") YIELD "
		text += "nodes AS " + g.fresh(&g.numbers)
		g.numbers[len(g.numbers)-1] = "size(" + g.numbers[len(g.numbers)-1] + ")"
	}
	if g.IntN(3) == 0 {
		text += " WHERE " + g.condition()
	}
	return text + "\n"
}

func (g *callGen) match() string {
	mode := g.pick("", "", "", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "INDUCED SUBGRAPHS ", "DISTINCT SUBGRAPHS ")
	old := ""
	if len(g.nodes) > 0 && g.IntN(4) > 0 {
		old = g.nodes[g.IntN(len(g.nodes))]
	}
	text := "MATCH " + mode + "(" + old + ")" + g.pick("-->", "--", "-[:R]-", "<-[{x: 1}]-") + "(" + g.fresh(&g.nodes) + g.pick("", "", ":A") + ")"
	if g.IntN(2) == 0 {
		text += " WHERE " + g.condition()
	}
	return text + "\n"
}

func (g *callGen) condition() string {
	n := "1"
	if len(g.numbers) > 0 {
		n = g.numbers[g.IntN(len(g.numbers))]
	}
	if len(g.nodes) == 0 {
		return n + " > 1"
	}
	a, b := g.nodes[g.IntN(len(g.nodes))], g.nodes[g.IntN(len(g.nodes))]
	return g.pick(n+" > 1", n+" <> 2", a+".x < "+n, a+" <> "+b, a+".x <= "+b+".x", "1 < 2")
}
