package paths_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/paths"
)

// randomPath draws a path pattern for a graph.
func randomPath(r *rand.Rand, s *csr.Snapshot) *pattern.Path {
	p := &pattern.Path{Mode: pattern.PathMode(r.IntN(4)), Vertices: 2, Edges: 0}
	hops := 1 + r.IntN(5)/3
	vertex := func() int {
		if r.IntN(3) > 0 {
			return -1
		}
		p.Vertices++
		return p.Vertices - 1
	}
	for i := 0; i <= hops; i++ {
		n := pattern.PathNode{Labels: randomLabel(r, s), Var: -1}
		switch i {
		case 0:
			n.Var = 0
		case hops:
			if n.Var = 1; r.IntN(6) == 0 {
				n.Var = 0
			}
		default:
			n.Var = vertex()
		}
		p.Nodes = append(p.Nodes, n)
	}
	for i := range hops {
		p.Hops = append(p.Hops, randomHop(r, s, p, i, vertex))
	}
	if r.IntN(4) == 0 && p.Nodes[hops].Var == 1 {
		p.Tests = append(p.Tests, pattern.PathTest{Hop: -1, Vertices: []int{0, 1}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			return v[0] <= v[1], nil
		}})
	}
	return p
}

func randomLabel(r *rand.Rand, s *csr.Snapshot) *pattern.Label {
	if r.IntN(4) > 0 || s.Labels.Len() == 0 {
		return nil
	}
	return &pattern.Label{Op: pattern.LabelName, ID: csr.LabelID(r.IntN(s.Labels.Len()))}
}

func randomHop(r *rand.Rand, s *csr.Snapshot, p *pattern.Path, i int, vertex func() int) pattern.Hop {
	h := pattern.Hop{Loop: true, Min: r.IntN(3), Max: -1}
	if p.Mode == pattern.WalkMode || r.IntN(2) == 0 {
		h.Max = h.Min + r.IntN(3)
	}
	if p.Mode == pattern.WalkMode { // brute force tries all walks so long
		h.Min = r.IntN(2)
		h.Max = h.Min + r.IntN(3)
	}
	switch r.IntN(4) {
	case 0:
		h.Loop, h.Min, h.Max = false, 1, 1
	case 1:
		h.Min = min(h.Min, 1)
	}
	steps := 1
	if h.Loop && r.IntN(4) == 0 {
		steps = 2
		if h.Max > 1 && p.Mode == pattern.WalkMode {
			h.Max = 1
		}
		h.Min = min(h.Min, 1)
	}
	for range steps {
		st := pattern.PathStep{Direction: csr.Direction(r.IntN(3)), Var: -1}
		if r.IntN(2) == 0 {
			st.Types = csr.TypeSet{csr.TypeID(r.IntN(max(1, s.Types.Len())))}
		}
		if r.IntN(3) == 0 {
			st.Var = p.Edges
			p.Edges++
			e := st.Var
			p.Tests = append(p.Tests, pattern.PathTest{Hop: hopOf(h, i), Edges: []int{e}, Test: func(_ []csr.VertexID, es []csr.EdgeID) (bool, error) {
				return (es[e]*5+1)%4 != 0, nil
			}})
		}
		h.Steps = append(h.Steps, st)
	}
	if h.Loop && r.IntN(3) == 0 {
		for range steps + 1 {
			h.Inner = append(h.Inner, pattern.PathNode{Labels: randomLabel(r, s), Var: vertex()})
		}
		if a, b := h.Inner[0].Var, h.Inner[steps].Var; a >= 0 && b >= 0 {
			p.Tests = append(p.Tests, pattern.PathTest{Hop: i, Vertices: []int{a, b}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
				return v[a] != v[b]+1, nil
			}})
		}
	}
	return h
}

func hopOf(h pattern.Hop, i int) int {
	if h.Loop {
		return i
	}
	return -1
}

// randomPathQuery gives the start, and sometimes the end, relationships and nodes that are used, or the list of a loop.
func randomPathQuery(r *rand.Rand, s *csr.Snapshot, p *pattern.Path, lists bool) *pattern.PathQuery {
	q := &pattern.PathQuery{Vertices: make([]csr.VertexID, p.Vertices), Edges: make([]csr.EdgeID, p.Edges)}
	for i := range q.Vertices {
		q.Vertices[i] = csr.NoVertex
	}
	for i := range q.Edges {
		q.Edges[i] = csr.NoEdge
	}
	vertex := func() csr.VertexID { return csr.VertexID(r.IntN(int(s.N()))) }
	q.Vertices[0] = vertex()
	if r.IntN(3) == 0 {
		q.Vertices[1] = vertex()
	}
	if r.IntN(5) == 0 && s.M() > 0 {
		q.UsedEdges = append(q.UsedEdges, csr.EdgeID(r.IntN(int(s.M()))))
	}
	if v := vertex(); r.IntN(5) == 0 && !slices.Contains(q.Vertices, v) {
		q.UsedNodes = append(q.UsedNodes, v)
	}
	if i := r.IntN(len(p.Hops)); lists && r.IntN(4) == 0 && len(p.Hops[i].Steps) == 1 && p.Hops[i].Loop {
		q.Lists = make([][]csr.EdgeID, len(p.Hops))
		q.Lists[i] = []csr.EdgeID{}
		for range r.IntN(3) {
			if s.M() > 0 {
				q.Lists[i] = append(q.Lists[i], csr.EdgeID(r.IntN(int(s.M()))))
			}
		}
	}
	return q
}

func walksOf(t *testing.T, search func(context.Context, *pattern.PathJob, *pattern.Env) (pattern.PathSearch, error), j *pattern.PathJob,
	queries []*pattern.PathQuery) (all [][]string, ends [][]string, weights []uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	env := &pattern.Env{Workers: 1, Tally: new(pattern.Tally), Memory: new(pattern.Memory)}
	p, err := search(ctx, j, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		var texts, es []string
		total := uint64(0)
		if err := p.Run(ctx, q, func(w *pattern.Walk) (bool, error) {
			total += w.Weight
			if !j.Count {
				texts = append(texts, fmt.Sprint(w.Nodes, w.Edges, w.Starts))
				es = append(es, fmt.Sprint(w.Nodes[len(w.Nodes)-1], len(w.Nodes)))
			}
			return true, nil
		}); err != nil {
			t.Fatalf("%v: %+v, %+v %+v", err, j, q, j.Path)
		}
		slices.Sort(texts)
		slices.Sort(es)
		all, ends, weights = append(all, texts), append(ends, es), append(weights, total)
	}
	if used := env.Memory.Used(); used != 0 {
		t.Errorf("%d bytes are still held", used)
	}
	return all, ends, weights
}

// randomSeeds gives the seeds of a random test: 1500 from the time on (300 in short tests), or MOTIF_SEED alone.
func randomSeeds() iter.Seq[uint64] {
	n, first := uint64(1500), uint64(time.Now().UnixNano())
	if testing.Short() {
		n = 300
	}
	if x, err := strconv.ParseUint(os.Getenv("MOTIF_SEED"), 10, 64); err == nil {
		first, n = x, 1
	}
	return func(yield func(uint64) bool) {
		for i := range n {
			if !yield(first + i) {
				return
			}
		}
	}
}

// TestPathsRandom compares path searches with brute force on random multigraphs and patterns.
func TestPathsRandom(t *testing.T) {
	defer paths.SetAimFrom(1 << 16)
	for seed := range randomSeeds() {
		r := rand.New(rand.NewPCG(seed, 1))
		paths.SetAimFrom(r.IntN(8))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 1 + r.IntN(5), Edges: 1 + r.IntN(7)})
		p := randomPath(r, s)
		kind := pattern.PathSelector(r.IntN(4))
		var queries []*pattern.PathQuery
		for range 3 {
			queries = append(queries, randomPathQuery(r, s, p, kind == pattern.AllPaths || kind == pattern.OneEnd))
		}
		j := &pattern.PathJob{Snapshot: s, Path: p, Select: pattern.PathSelection{Kind: kind, K: 1 + r.IntN(3)}, Rels: true}
		want, wantEnds, weights := walksOf(t, testgraph.Brute{}.PathSearch, j, queries)
		if !comparePaths(t, j, queries, want, wantEnds, weights, r) {
			t.Fatalf("seed %d: %d vertices, %d relationships, %+v", seed, s.N(), s.M(), *p)
		}
	}
}

func comparePaths(t *testing.T, j *pattern.PathJob, queries []*pattern.PathQuery, want, wantEnds [][]string, weights []uint64, r *rand.Rand) bool {
	switch j.Select.Kind {
	case pattern.AllPaths:
		count := *j
		count.Rels, count.Count = false, true
		if _, _, got := walksOf(t, paths.NewSearch, &count, queries); !slices.Equal(got, weights) {
			t.Errorf("counts %v, want %v", got, weights)
			return false
		}
	case pattern.OneEnd:
		for i := range wantEnds { // lengths do not matter
			wantEnds[i] = firstWords(wantEnds[i])
		}
	}
	got, ends, _ := walksOf(t, paths.NewSearch, j, queries)
	all := *j
	all.Select.Kind = pattern.AllPaths
	every, _, _ := walksOf(t, testgraph.Brute{}.PathSearch, &all, queries)
	for i := range queries {
		ok := true
		switch j.Select.Kind {
		case pattern.AllPaths, pattern.ShortestGroups:
			ok = slices.Equal(got[i], want[i])
		case pattern.ShortestPaths: // which of equally long ones is open
			ok = slices.Equal(ends[i], wantEnds[i])
			for k, w := range got[i] {
				_, there := slices.BinarySearch(every[i], w)
				ok = ok && (there || j.Path.Mode == pattern.WalkMode) && (k == 0 || got[i][k-1] != w)
			}
		case pattern.OneEnd:
			ok = slices.Equal(firstWords(ends[i]), wantEnds[i])
		}
		if !ok {
			t.Errorf("%+v, %+v\n got %v\nwant %v", *queries[i], j.Select, got[i], want[i])
			return false
		}
	}
	return true
}

func firstWords(texts []string) (out []string) {
	for _, x := range texts {
		var end, n int
		fmt.Sscan(x, &end, &n)
		out = append(out, fmt.Sprint(end))
	}
	slices.Sort(out)
	return out
}
