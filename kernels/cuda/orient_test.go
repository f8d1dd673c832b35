//go:build cuda && cgo && linux

package cuda

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
)

// fetched is an oriented graph, taken to the host.
type fetched struct {
	core.Oriented
	roots []uint32
	least []uint32
}

func fetchOriented(d *Device, orient func(t *task) (*oriented, error)) (f fetched, err error) {
	return f, d.run(background, func(t *task) error {
		g, err := orient(t)
		if err != nil {
			return err
		}
		f.Vertex, f.roots, f.least = make([]csr.VertexID, g.vertices), make([]uint32, g.vertices), g.least
		f.Offsets, f.Targets = make([]uint64, g.vertices+1), make([]uint32, g.edges)
		return cmp.Or(download(g.vertex, f.Vertex), download(g.roots, f.roots), download(g.offsets, f.Offsets), download(g.targets, f.Targets))
	})
}

// must compares with what the host makes.
func (f fetched) must(t *testing.T, name string, want *core.Oriented) {
	t.Helper()
	roots, least := byDegree(want.Offsets)
	switch {
	case !slices.Equal(f.Vertex, want.Vertex):
		t.Fatalf("%s: order %v, want %v", name, f.Vertex, want.Vertex)
	case !slices.Equal(f.Offsets, want.Offsets):
		t.Fatalf("%s: offsets %v, want %v", name, f.Offsets, want.Offsets)
	case !slices.Equal(f.Targets, want.Targets):
		t.Fatalf("%s: lists %v, want %v", name, f.Targets, want.Targets)
	case !slices.Equal(f.roots, roots):
		t.Fatalf("%s: roots %v, want %v", name, f.roots, roots)
	}
	for d := range max(len(f.least), len(least)) + 1 {
		if a, b := (&oriented{least: f.least}).atLeast(d), (&oriented{least: least}).atLeast(d); a != b {
			t.Fatalf("%s: %d roots have at least %d out-neighbours, want %d", name, a, d, b)
		}
	}
}

// orientAll has the device put small graphs in order, too.
func orientAll(t *testing.T) {
	before := orientFrom
	orientFrom = 0
	t.Cleanup(func() { orientFrom = before })
}

// What the device makes of a graph is what the host makes of it, also among some vertices and of some types.
func TestOrient(t *testing.T) {
	d, r := device(t), seeds(t)
	orientAll(t)
	check := func(name string, s *csr.Snapshot, types csr.TypeSet, within *pattern.CandidateSet) {
		t.Helper()
		if s.N() == 0 {
			return
		}
		got, err := fetchOriented(d, func(q *task) (*oriented, error) {
			g, err := orientHere(q, background, s, types, env())
			if err != nil || within == nil {
				return g, err
			}
			return g.within(q, background, within)
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := core.Orientation(s, types, 1)
		if within != nil {
			want = want.Induced(within)
		}
		got.must(t, name, want)
	}
	for name, s := range graphs(r) {
		if r.IntN(3) > 0 {
			continue
		}
		var types csr.TypeSet
		if n := len(s.Stats.Types); n > 1 && r.IntN(2) > 0 {
			types = csr.TypeSet{csr.TypeID(r.IntN(n))}
		}
		check(name, s, types, someVertices(r, s))
	}
	for range min(*roundFlag, 2) {
		n := 900 + r.Uint32N(400) // a hub's row of more than one segment, and loops
		s := testgraph.Graph(int(n), func(yield func(uint32, uint32) bool) {
			for v := range n {
				if !yield(v, 7) || !yield(v, (v*v+1)%n) {
					return
				}
			}
		}, false)
		check("hub", s, nil, someVertices(r, s))
	}
}

// A request whose graph cannot be made on the device has the host make it, and devices that share a request may have it of either.
func TestOrientElsewhere(t *testing.T) {
	d, r := device(t), seeds(t)
	orientAll(t)
	before := orientRounds
	defer func() { orientRounds = before }()
	s := testgraph.Graph(300, func(yield func(uint32, uint32) bool) { // a path, which takes 150 rounds, and a clique
		for v := range uint32(299) {
			if !yield(v, v+1) {
				return
			}
		}
		testgraph.Cliques(1, 12)(yield)
	}, true)
	orientRounds = 20
	if _, err := fetchOriented(d, func(q *task) (*oriented, error) { return orientHere(q, background, s, nil, env()) }); !errors.Is(err, ErrDeclined) {
		t.Fatalf("a long path: %v", err)
	}
	for _, within := range []*pattern.CandidateSet{nil, someVertices(r, s)} {
		got, err := fetchOriented(d, func(q *task) (*oriented, error) { return orientedOf(q, background, s, nil, within, env()) })
		if err != nil {
			t.Fatal(err)
		}
		want := core.Orientation(s, nil, 1)
		if within != nil {
			want = want.Induced(within)
		}
		got.must(t, "a path and a clique", want)
	}
	orientRounds = before
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := fetchOriented(d, func(q *task) (*oriented, error) { return orientHere(q, ctx, s, nil, env()) }); !errors.Is(err, context.Canceled) {
		t.Fatalf("although the query was stopped: %v", err)
	}
	got, err := fetchOriented(d, func(q *task) (*oriented, error) { return orientHere(q, background, s, nil, env()) })
	if err != nil {
		t.Fatal(err)
	}
	got.must(t, "a path and a clique, here", core.Orientation(s, nil, 1))
}

// Devices that share a request may have its graph from anywhere: it is the same one.
func TestOrientShared(t *testing.T) {
	r := seeds(t)
	all := devices(t, 2)
	orientAll(t)
	s := testgraph.Graph(300, testgraph.RMAT(8, 8, r.Uint64()), true)
	c := (&pattern.Subgraph{Within: someVertices(r, s)}).Clique(4)
	want, err := clique.Count(background, s, c, env())
	if err != nil {
		t.Fatal(err)
	}
	o := core.Orientation(s, nil, 1)
	less := all[1]
	less.memory.fixed, less.memory.limit = true, less.memory.used+int64(16*len(o.Offsets)+8*len(o.Targets))+20_000
	if _, err := fetchOriented(less, func(q *task) (*oriented, error) { return orientHere(q, background, s, nil, env()) }); !errors.Is(err, ErrDeclined) {
		t.Fatalf("in %d bytes: %v", less.memory.limit, err)
	}
	if got, err := NewGroup(all...).CountCliques(background, s, c, env()); err != nil || got != want {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
}

// Pairs come sorted by their keys, and equal ones in their order, in one pass or several.
func TestSort(t *testing.T) {
	d, r := device(t), seeds(t)
	before := sortBlocks
	defer func() { sortBlocks = before }()
	for i := range 3 * *roundFlag {
		keys := make([]uint32, 1+r.IntN(1<<r.IntN(13)))
		if sortBlocks = 1 << r.IntN(3); i == 0 { // several tiles
			sortBlocks, keys = 1, make([]uint32, 4000+r.IntN(1000))
		}
		largest := uint32(1)<<r.IntN(26) + r.Uint32N(3)
		want, values := make([]uint32, len(keys)), make([]uint32, len(keys))
		for i := range keys {
			keys[i] = r.Uint32N(largest + 1)
			if i > 0 && r.IntN(3) == 0 {
				keys[i] = keys[r.IntN(i)]
			}
			want[i], values[i] = uint32(i), r.Uint32()
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
		numbered := r.IntN(2) == 0
		gotKeys, got := make([]uint32, len(keys)), make([]uint32, len(keys))
		err := d.run(background, func(q *task) error {
			k, err := upload(q, keys)
			if err != nil {
				return err
			}
			var v buffer
			if !numbered {
				if v, err = upload(q, values); err != nil {
					return err
				}
			}
			if k, v, err = q.sortPairs(background, k, v, int64(len(keys)), largest); err != nil {
				return err
			}
			return cmp.Or(download(k, gotKeys), download(v, got))
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			v := values[w]
			if numbered {
				v = w
			}
			if gotKeys[i] != keys[w] || got[i] != v {
				t.Fatalf("of %d pairs up to %d: pair %d is %d, %d; want %d, %d", len(keys), largest, i, gotKeys[i], got[i], keys[w], v)
			}
		}
	}
}
