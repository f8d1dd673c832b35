package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
)

// TestCliqueRows compares rows of cliques with brute force. Rows read some of the nodes, which may come from several groups of equal ones.
func TestCliqueRows(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range 12 {
		db := cliquesGraph(t, rng)
		for range 6 {
			query := cliqueRows(rng)
			want, err := answer(t, db, query, motif.WithBruteForce())
			if err != nil {
				t.Fatal(err)
			}
			for _, kernel := range []string{"auto", "clique", "join"} {
				if got, err := answer(t, db, query, motif.WithKernel(kernel)); err != nil || !slices.Equal(got, want) {
					t.Errorf("seed %d, round %d: %s by %s: got %v, %v; want %v", seed, round, query, kernel, got, err, want)
				}
			}
			d := &dealer{T: t, Rand: rng, here: db, there: db, counts: &unitCounts{routes: map[string]int{}}}
			if got, err := d.answer(query); err != nil || !slices.Equal(got, want) {
				t.Errorf("seed %d, round %d: %s in units: got %v, %v; want %v\n%s", seed, round, query, got, err, want, strings.Join(d.log, "\n"))
			}
		}
	}
}

// cliquesGraph returns a dense graph whose nodes have the label A or B. Pairs have one relationship at most, or several.
func cliquesGraph(t *testing.T, rng *rand.Rand) *motif.DB {
	t.Helper()
	b := csr.NewBuilder()
	labels, key, r := []csr.LabelID{b.Label("A"), b.Label("B")}, b.Key("x"), b.Type("R")
	n, several := 7+rng.Uint32N(5), rng.IntN(3) == 0
	for v := range n {
		b.AddVertex()
		b.SetLabels(v, labels[rng.IntN(2)])
		b.SetVertex(v, key, csr.Cell{Kind: csr.KindInt, Num: uint64(v % 5)})
		for w := range v {
			if rng.IntN(4) > 0 {
				b.AddEdge(v, w, r)
			}
			if several && rng.IntN(3) == 0 {
				b.AddEdge(w, v, r)
			}
		}
	}
	return built(t, b)
}

// cliqueRows returns a query for cliques of 3 to 6 nodes that reads some of these.
func cliqueRows(rng *rand.Rand) string {
	k, few := 3+rng.IntN(4), rng.IntN(2) == 0
	var names, nodes, pairs, read []string
	for v := range k {
		label := [...]string{"", ":A", ":B"}[rng.IntN(3)*rng.IntN(2)]
		if few {
			label = ""
		}
		if v == 0 || !few && rng.IntN(3) == 0 {
			read = append(read, fmt.Sprintf("v%d", v))
		}
		names = append(names, fmt.Sprintf("v%d", v))
		nodes = append(nodes, fmt.Sprintf("(v%d%s)", v, label))
		for w := range v {
			pairs = append(pairs, fmt.Sprintf("(v%d)-[:R]-(v%d)", w, v))
		}
	}
	rng.Shuffle(len(read), func(i, j int) { read[i], read[j] = read[j], read[i] })
	mode := [...]string{"", "DIFFERENT NODES ", "REPEATABLE ELEMENTS ", "DISTINCT SUBGRAPHS "}[rng.IntN(4)]
	match := "MATCH " + mode + strings.Join(append(nodes, pairs...), ", ")
	if rng.IntN(2) == 0 {
		match = "MATCH " + mode + strings.Join(nodes, ", ") + " WHERE IS_CLIQUE([" + strings.Join(names, ", ") + "])"
	}
	x := read[0]
	switch rng.IntN(5) {
	case 0:
		return match + " RETURN id(" + x + ") AS k, count(*) AS n ORDER BY k"
	case 1:
		return match + " RETURN " + strings.Join(read, ".x + 10 * ") + ".x AS k, count(*) AS n ORDER BY k"
	case 2:
		return match + " RETURN sum(" + x + ".x) AS s, count(*) AS n, count(DISTINCT " + x + ") AS d"
	case 3:
		return match + " RETURN id(" + strings.Join(read, ") + 100 * id(") + ") AS k ORDER BY k"
	}
	return match + " RETURN max(" + strings.Join(read, ".x * ") + ".x) AS m, min(id(" + x + ")) AS i"
}
