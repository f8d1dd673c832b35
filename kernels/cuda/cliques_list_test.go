//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
)

// collect returns an emit that keeps what it gets, and stops after so many.
func collect(to *[]string, most int) func([]csr.VertexID) (bool, error) {
	return func(clique []csr.VertexID) (bool, error) {
		*to = append(*to, fmt.Sprint(clique))
		return len(*to) < most, nil
	}
}

// Lists of cliques are the CPU's, in pages of any size, and end where the receiver wants no more.
func TestCliqueLists(t *testing.T) {
	d, r := device(t), seeds(t)
	before := [2]int{firstPage, lastPage}
	defer func() { firstPage, lastPage = before[0], before[1] }()
	taken := new(pattern.Tally)
	check := func(name string, s *csr.Snapshot, k int) {
		c := (&pattern.Subgraph{Within: someVertices(r, s)}).Clique(k)
		if n, err := clique.Count(background, s, c, env()); err != nil || n.Hi > 0 || n.Lo > 1000 {
			return
		}
		var want, got, some []string
		if err := clique.List(background, s, c, env(), collect(&want, 1<<30)); err != nil {
			t.Fatal(err)
		}
		firstPage, lastPage = 1+r.IntN(60), 1+r.IntN(200)
		e := without(r, pattern.JoinPages)
		if err := d.ListCliques(background, s, c, e, collect(&got, 1<<30)); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %d-cliques: %d of them, want %d; pages of %d to %d", name, k, len(got), len(want), firstPage, lastPage)
		}
		limit := 1 + r.IntN(100)
		if err := d.ListCliques(background, s, c, e, collect(&some, limit)); err != nil || len(some) != min(limit, len(want)) {
			t.Fatalf("%s: %d-cliques: %d of %d, limit %d, %v", name, k, len(some), len(want), limit, err)
		}
		for _, x := range some {
			if _, ok := slices.BinarySearch(want, x); !ok {
				t.Fatalf("%s: %s is no %d-clique", name, x, k)
			}
		}
		if e.Memory.Used() != 0 {
			t.Errorf("%d bytes of the query's memory are not given back", e.Memory.Used())
		}
		taken.TakeOver(e.Tally)
	}
	for name, s := range graphs(r) {
		if r.IntN(3) == 0 {
			check(name, s, 3+r.IntN(5))
		}
	}
	for range *roundFlag {
		check("planted", testgraph.Graph(60, planted(r, 60, 20+r.Uint32N(8)), true), 4+r.IntN(2))
	}
	check("complete", testgraph.Graph(33, testgraph.Cliques(1, 33), true), 32)
	driven(t, taken, pattern.JoinPages)
}

// An error of the receiver, or the end of the context, ends a list; what an edge may have too many of is the CPU's.
func TestCliqueListEnds(t *testing.T) {
	d := device(t)
	s := testgraph.Graph(40, testgraph.Cliques(1, 40), true)
	c := (&pattern.Subgraph{}).Clique(4)
	broken := errors.New("broken")
	if err := d.ListCliques(background, s, c, env(), func([]csr.VertexID) (bool, error) { return true, broken }); err != broken {
		t.Errorf("%v, want the receiver's error", err)
	}
	ctx, cancel := context.WithCancel(background)
	n := 0
	err := d.ListCliques(ctx, s, c, env(), func([]csr.VertexID) (bool, error) {
		if n++; n == 300 {
			cancel()
		}
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || n > 40000 {
		t.Errorf("%v after %d cliques, although the query was stopped at 300", err, n)
	}
	wide := (&pattern.Subgraph{}).Clique(20)
	if err := d.ListCliques(background, s, wide, env(), func([]csr.VertexID) (bool, error) { return false, nil }); !errors.Is(err, ErrDeclined) {
		t.Errorf("20-cliques among 40: %v, want %v", err, ErrDeclined)
	}
	little := env()
	little.Memory.Limit = 100
	if err := d.ListCliques(background, s, c, little, func([]csr.VertexID) (bool, error) { return true, nil }); !errors.Is(err, ErrDeclined) {
		t.Errorf("in 100 bytes: %v, want %v", err, ErrDeclined)
	}
}

// A list whose device failed and started anew between two pages ends with an error: what it held there is gone. Requests after it are whole.
func TestListRestarted(t *testing.T) {
	d := emulated(t)
	s, other := testgraph.Graph(33, testgraph.Cliques(1, 33), true), testgraph.Graph(300, testgraph.RMAT(8, 8, 3), true)
	triangles := func() error {
		_, _, err := d.Triangles(background, other, nil, false, env())
		return err
	}
	n, e := 0, env()
	e.Without = e.Without.With(pattern.JoinPages) // or the next page may come before the failure
	err := d.ListCliques(background, s, (&pattern.Subgraph{}).Clique(4), e, func([]csr.VertexID) (bool, error) {
		if n++; n > 1 {
			return true, nil
		}
		failing(t, "kernel:2:700")
		if triangles() == nil {
			t.Error("no kernel failed")
		}
		_ = os.Unsetenv("MOTIF_SIMT_FAIL")
		return true, triangles()
	})
	if !errors.Is(err, errRestarted) || n != firstPage {
		t.Errorf("%v after %d cliques", err, n)
	}
	for range 2 {
		if err := triangles(); err != nil {
			t.Error(err)
		}
	}
}
