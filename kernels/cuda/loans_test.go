//go:build cuda && cgo && linux

package cuda

import (
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/truss"
)

// Answers in loans are those of the CPU, and stay what they are until they are given back, whatever is asked meanwhile.
func TestLoans(t *testing.T) {
	d, r := device(t), seeds(t)
	loanFrom, loanMost, poolFrom = 1, 4000, 16 // to give a buffer back to the driver would wait for copies
	defer func() { loanFrom, loanMost = leastLoan, mostLoans }()
	s := testgraph.Graph(128, testgraph.RMAT(7, 6, r.Uint64()), true)
	all, err := truss.Decompose(background, s, new(pattern.TrussRequest), env())
	if err != nil {
		t.Fatal(err)
	}
	var kept []func()
	tally := new(pattern.Tally)
	for range 40 {
		e := without(r, pattern.GPULoans)
		if r.IntN(2) == 0 {
			got, err := d.Trusses(background, s, &pattern.TrussRequest{Returned: r.IntN(8) > 0}, e)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, func() {
				if !slices.Equal(edgesOf(got), edgesOf(all)) || got.KMax != all.KMax {
					t.Fatal("wrong trusses")
				}
				got.Release()
				got.Release() // is no harm
			})
		} else {
			q := &pattern.Traversal{Sources: []csr.VertexID{csr.VertexID(r.Uint64N(s.N()))}, Direction: csr.Both, MaxDepth: -1, Returned: r.IntN(8) > 0,
				Read: pattern.LevelsRead(r.IntN(2))}
			want, err := bfs.Search(background, s, q, env())
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.BFS(background, s, q, e)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, func() {
				if !slices.Equal(got.Depth, want.Depth) {
					t.Fatal("wrong depths")
				}
				if q.Read == pattern.ReadAll {
					checkParents(t, s, q, got)
				}
				got.Release()
			})
		}
		for len(kept) > 0 && r.IntN(3) > 0 {
			i := r.IntN(len(kept))
			kept[i]()
			kept = slices.Delete(kept, i, i+1)
		}
		tally.TakeOver(e.Tally)
	}
	driven(t, tally, pattern.GPULoans)
	d.Close()
	for _, check := range kept { // answers outlast the device
		check()
	}
}

// A loan that the driver refuses, or whose request fails, leaves nothing behind.
func TestLoansFail(t *testing.T) {
	d := emulated(t)
	loanFrom = 1
	defer func() { loanFrom = leastLoan }()
	s := testgraph.Graph(64, testgraph.RMAT(6, 6, 3), true)
	search := func() (*pattern.Levels, error) {
		return d.BFS(background, s, &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1, Returned: true}, env())
	}
	trusses := func() (*pattern.Trusses, error) {
		return d.Trusses(background, s, &pattern.TrussRequest{Returned: true}, env())
	}
	if _, err := search(); err != nil {
		t.Fatal(err)
	}
	failing(t, "cuMemHostRegister:1:2")
	if l, err := search(); err != nil || l.Back != nil {
		t.Errorf("%v, and a loan: %v", err, l.Back != nil)
	}
	failing(t, "cuMemcpyDtoHAsync:1:1")
	if _, err := search(); err == nil {
		t.Error("no error of a copy to a loan")
	}
	failing(t, "")
	if l, err := search(); err != nil || l.Back == nil || len(d.loans.list) != 1 {
		t.Errorf("%v; %d loans", err, len(d.loans.list))
	}
	for range 2 {
		if _, err := trusses(); err != nil {
			t.Fatal(err)
		}
	}
	before := len(d.loans.list)
	failing(t, "cuMemcpyDtoHAsync:2:1") // the trussness; the ends are under way
	if _, err := trusses(); err == nil {
		t.Error("no error of a copy to a loan")
	}
	failing(t, "")
	if g, err := trusses(); err != nil || g.Back == nil || len(d.loans.list) != before+1 {
		t.Errorf("%v; %d loans, before %d", err, len(d.loans.list), before)
	}
}
