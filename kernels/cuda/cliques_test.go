//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"iter"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

var cliqueTechniques = []pattern.Technique{pattern.CliquePivot, pattern.CliqueWord, pattern.CliqueLevel2, pattern.CliqueComplement, pattern.GPUWarp,
	pattern.GPUShared, pattern.CliqueSplit, pattern.CliqueThin}

// Counts of cliques are the CPU's, whatever techniques are off.
func TestCliques(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	off := cliqueTechniques
	check := func(name string, s *csr.Snapshot, k int) {
		c := (&pattern.Subgraph{Within: someVertices(r, s)}).Clique(k)
		e := without(r, off...)
		want, err := clique.Count(background, s, c, env())
		if err != nil {
			if _, err := d.CountCliques(background, s, c, env()); err == nil {
				t.Fatalf("%s: %d-cliques are counted, although there are more than 128 bits hold", name, k)
			}
			return
		}
		if want.Hi > 0 || want.Lo > 40_000 { // those that count one by one would take long
			e.Without = pattern.Techniques{}
		}
		d.slices, d.shares = r.IntN(2)*(1+r.IntN(6)), 1+r.IntN(4)
		d.turn = r.IntN(2) * (1 + r.IntN(32))
		d.handOn = [2]int{r.IntN(2) * (1 + r.IntN(12)), r.IntN(2) * (1 + r.IntN(40))}
		if off == nil {
			d.handOn[0] = 1 + r.IntN(12)
		}
		got, err := d.CountCliques(background, s, c, e)
		if err != nil || got != want {
			t.Fatalf("%s: %d-cliques: %v, %v; want %v (off: %v; %d slices, %d shares; %d at a time, handed on %d)", name, k, got, err, want, e.Without, d.slices, d.shares, d.turn, d.handOn)
		}
		taken.TakeOver(e.Tally)
	}
	for name, s := range graphs(r) {
		if r.IntN(3) == 0 {
			check(name, s, 3+r.IntN(1+r.IntN(10)))
		}
	}
	n := 66 + r.IntN(14) // more than 32 bits hold, and perhaps 64
	check("complete", testgraph.Graph(n, testgraph.Cliques(1, n), true), 12+r.IntN(30))
	for range *roundFlag {
		for name, s := range denseGraphs(r) {
			check(name, s, 4+r.IntN(4))
		}
	}
	off = nil
	for k := range 2 * *roundFlag { // with all techniques: roots of three words, edges of two
		check("complete, all on", testgraph.Graph(80, testgraph.Cliques(1, 80), true), 5+k%3)
	}
	check("planted, all on", testgraph.Graph(100, planted(r, 100, 40), true), 7)
	driven(t, taken, cliqueTechniques...)
}

// denseGraphs are those where cliques are large and sets of candidates cross the widths of a row: complete ones less a few
// edges, or less one at each vertex.
func denseGraphs(r *rand.Rand) iter.Seq2[string, *csr.Snapshot] {
	return func(yield func(string, *csr.Snapshot) bool) {
		n := 31 + r.Uint32N(36)
		gone := make(map[[2]uint32]bool)
		switch r.IntN(3) {
		case 0:
			for range r.Uint32N(n / 2) {
				a, b := r.Uint32N(n), r.Uint32N(n)
				gone[[2]uint32{min(a, b), max(a, b)}] = true
			}
			yield("nearly complete", lessEdges(n, gone))
		case 1:
			for v := uint32(0); v+1 < n; v += 2 {
				gone[[2]uint32{v, v + 1}] = true
			}
			yield("all but a matching", lessEdges(n, gone))
		default:
			yield("planted", testgraph.Graph(100, planted(r, 100, n), true))
		}
	}
}

func lessEdges(n uint32, gone map[[2]uint32]bool) *csr.Snapshot {
	return testgraph.Graph(int(n), func(yield func(uint32, uint32) bool) {
		for b := range n {
			for a := range b {
				if !gone[[2]uint32{a, b}] && !yield(a, b) {
					return
				}
			}
		}
	}, true)
}

// planted is a sparse graph of n vertices in which the first dense ones have two of three edges.
func planted(r *rand.Rand, n, dense uint32) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for b := range n {
			for a := range b {
				if (b < dense && r.IntN(3) > 0 || r.IntN(8) == 0) && !yield(a, b) {
					return
				}
			}
		}
	}
}

// A count that was stopped ends within one look of its warps, however many searches stand around the innermost one.
func TestStopCliques(t *testing.T) {
	d := emulated(t)
	d.staging.bytes = leastStaging // the driver itself copies what is short
	s := testgraph.Graph(200, testgraph.ER(200, 16_000, 3), true)
	if n, err := d.CountCliques(background, s, (&pattern.Subgraph{}).Clique(200), env()); err != nil || n.Lo != 0 { // the graph is there then
		t.Fatal(n, err)
	}
	ending, end := context.WithTimeout(background, 2*time.Second) // the kernels run by then, also where the machine is busy
	defer end()
	began := time.Now()
	_, err := d.CountCliques(ending, s, (&pattern.Subgraph{}).Clique(20), env())
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
}

// The table's binomials are those of big numbers, all ones where 128 bits do not hold them.
func TestBinomials(t *testing.T) {
	const top, k = 300, 70
	table := binomials(top, k)
	for j := range k {
		for n := range top + 1 {
			x, got := new(big.Int).Binomial(int64(n), int64(j)), table[2*(j*(top+1)+n):][:2]
			if x.BitLen() > 128 {
				x.Sub(x.Lsh(big.NewInt(1), 128), big.NewInt(1))
			}
			hi := new(big.Int).Rsh(x, 64)
			if lo := new(big.Int).Sub(x, new(big.Int).Lsh(hi, 64)); got[0] != lo.Uint64() || got[1] != hi.Uint64() {
				t.Fatalf("%d over %d: %v, want %v", n, j, got, x)
			}
		}
	}
}
