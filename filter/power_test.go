package filter_test

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/internal/testgraph"
)

// fiveLabels makes a simple graph of edges whose vertices have one of five labels each, by chance.
func fiveLabels(t testing.TB, edges iter.Seq2[uint32, uint32]) *csr.Snapshot {
	t.Helper()
	b, rng, index := csr.NewBuilder(), rand.New(rand.NewPCG(5, 5)), map[uint32]uint32{}
	typ := b.Type("E")
	for l := range 5 {
		b.Label(string(rune('A' + l)))
	}
	vertex := func(id uint32) uint32 {
		v, ok := index[id]
		if !ok {
			v = b.AddVertex(csr.LabelID(rng.IntN(5)))
			index[id] = v
		}
		return v
	}
	for x, y := range edges {
		if x != y {
			v, w := vertex(x), vertex(y)
			b.AddEdge(min(v, w), max(v, w), typ)
		}
	}
	b.DropRepeats(typ)
	s, _, err := b.Build(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// edgesOf reads the first two numbers of every line.
func edgesOf(t testing.TB, file string) iter.Seq2[uint32, uint32] {
	lines := bufio.NewScanner(shared.Open(t, file))
	return func(yield func(uint32, uint32) bool) {
		for lines.Scan() {
			var v, w uint32
			if strings.HasPrefix(lines.Text(), "#") {
				continue
			}
			if n, _ := fmt.Sscan(lines.Text(), &v, &w); n == 2 && !yield(v, w) {
				return
			}
		}
	}
}

// walked is the subgraph induced by the first size vertices of a random walk, with their labels, as a pattern in which all
// vertices are different; nil if the walk does not meet that many.
func walked(rng *rand.Rand, s *csr.Snapshot, size int) *pattern.Pattern {
	adj := s.Adjacency(nil, csr.Both)
	at := csr.VertexID(rng.Uint64N(s.N()))
	met := []csr.VertexID{at}
	for range 50 * size {
		if len(met) == size {
			break
		}
		row := adj.Neighbours(at)
		if at = row[rng.IntN(len(row))]; !slices.Contains(met, at) {
			met = append(met, at)
		}
	}
	if len(met) < size {
		return nil
	}
	var labels []string
	var edges [][2]int
	for i, v := range met {
		labels = append(labels, s.Labels.Name(uint32(s.LabelsOf(v)[0])))
		for j, w := range met[:i] {
			if adj.Has(v, w) {
				edges = append(edges, [2]int{j, i})
			}
		}
	}
	return named(s, labels, edges...)
}

// signed is how many candidates every query vertex has after the tier of signatures.
func signed(t testing.TB, s *csr.Snapshot, p *pattern.Pattern, without ...pattern.Technique) []int {
	t.Helper()
	env := &pattern.Env{Workers: 2, Filter: pattern.FilterSignature}
	for _, m := range without {
		env.Without = env.Without.With(m)
	}
	c, err := filter.Run(context.Background(), s, p, env)
	if err != nil {
		t.Fatal(err)
	}
	return tier(c, "signature")
}

// TestPower compares composite signatures with those of the quantity part alone, as GpSI (2023) does in its Table 2: by the
// smallest candidate set, on graphs with five random labels. The paper does not give its query; here they are subgraphs
// of four to eight vertices that random walks meet. It prints the means of ten queries a size.
func TestPower(t *testing.T) {
	var table strings.Builder
	fmt.Fprintf(&table, "%-18s %8s %8s", "graph", "vertices", "edges")
	for size := 4; size <= 8; size++ {
		fmt.Fprintf(&table, " | %d: quantity composite", size)
	}
	better := 0
	measure := func(name string, s *csr.Snapshot) {
		fmt.Fprintf(&table, "\n%-18s %8d %8d", name, s.N(), s.M())
		for size := 4; size <= 8; size++ {
			quantity, composite := powerOf(t, name, s, size)
			fmt.Fprintf(&table, " | %11.1f %9.1f", quantity, composite)
			if composite < quantity {
				better++
			}
		}
	}
	measure("rmat12", fiveLabels(t, testgraph.RMAT(12, 16, 1)))
	t.Run("shared", func(t *testing.T) {
		if testing.Short() {
			t.Skip("skipped with -short, since eight real graphs take long")
		}
		for _, name := range []string{"facebook_combined", "email-Enron", "wiki-Vote", "ca-GrQc", "ca-HepTh", "ca-AstroPh-cc1",
			"as-caida20071105", "p2p-Gnutella08"} {
			measure(name, fiveLabels(t, edgesOf(t, name+".txt.zst")))
		}
	})
	t.Logf("smallest candidate set, means of %d queries of each size\n%s", queriesOfSize, table.String())
	if better == 0 {
		t.Error("nowhere does the composite signature leave fewer candidates")
	}
}

const queriesOfSize = 10

// powerOf is the mean smallest candidate set by the quantity part and by the composite signature, which must leave no more of
// any query vertex's candidates.
func powerOf(t *testing.T, name string, s *csr.Snapshot, size int) (quantity, composite float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(size), 1))
	for n := 0; n < queriesOfSize; {
		p := walked(rng, s, size)
		if p == nil {
			continue
		}
		n++
		part, whole := signed(t, s, p, pattern.SignaturePath, pattern.SignatureTriangle), signed(t, s, p)
		for u := range whole {
			if whole[u] > part[u] || whole[u] == 0 {
				t.Fatalf("%s, query %d of size %d, vertex %d: %d candidates, %d by quantity alone\n%v", name, n, size, u, whole[u], part[u], p)
			}
		}
		quantity += float64(slices.Min(part)) / queriesOfSize
		composite += float64(slices.Min(whole)) / queriesOfSize
	}
	return quantity, composite
}
