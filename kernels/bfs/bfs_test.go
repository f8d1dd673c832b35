package bfs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/internal/kerneltest"
)

var variants = []pattern.Variant{pattern.Auto, pattern.Push, pattern.Pull, pattern.Switching, pattern.EdgeCentric}

// steps lists, by vertex, where each relationship leads in the traversal's direction: straight from the relationships,
// without a view.
func steps(s *csr.Snapshot, t *pattern.Traversal) [][]csr.VertexID {
	to := make([][]csr.VertexID, s.N())
	for typ := range s.Types.Len() {
		if r := s.Rels(csr.TypeID(typ)); t.Types == nil || slices.Contains(t.Types, csr.TypeID(typ)) {
			for i := range max(1, len(r.Offsets)) - 1 {
				u := r.Lo + csr.VertexID(i)
				for _, v := range r.Targets[r.Offsets[i]:r.Offsets[i+1]] {
					if t.Direction != csr.In {
						to[u] = append(to[u], v)
					}
					if t.Direction != csr.Out {
						to[v] = append(to[v], u)
					}
				}
			}
		}
	}
	return to
}

// queueBFS is the textbook's search with a queue.
func queueBFS(to [][]csr.VertexID, t *pattern.Traversal) []int32 {
	depth := slices.Repeat([]int32{-1}, len(to))
	var queue []csr.VertexID
	reach := func(v csr.VertexID, d int32) {
		if depth[v] < 0 && (t.Within == nil || t.Within.Has(v)) && (t.Blocked == nil || !t.Blocked(v)) {
			depth[v] = d
			queue = append(queue, v)
		}
	}
	for _, v := range t.Sources {
		reach(v, 0)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if d := depth[queue[0]]; t.MaxDepth < 0 || int(d) < t.MaxDepth {
			for _, v := range to[queue[0]] {
				reach(v, d+1)
			}
		}
	}
	return depth
}

// checkLevels compares depths and tests every parent: one level up, and a relationship leads from it in the
// direction and types of t.
func checkLevels(s *csr.Snapshot, t *pattern.Traversal, got *pattern.Levels, want []int32) error {
	if !slices.Equal(got.Depth, want) {
		return fmt.Errorf("depths %v, want %v", brief(got.Depth), brief(want))
	}
	for v, p := range got.Parent {
		v := csr.VertexID(v)
		switch {
		case want[v] <= 0:
			if p != csr.NoVertex {
				return fmt.Errorf("vertex %d at depth %d has the parent %d", v, want[v], p)
			}
		case uint64(p) >= s.N() || want[p] != want[v]-1:
			return fmt.Errorf("vertex %d at depth %d has the parent %d", v, want[v], p)
		case len(s.Relationships(nil, p, v, t.Types, t.Direction)) == 0:
			return fmt.Errorf("nothing leads from the parent %d to %d", p, v)
		}
	}
	return nil
}

func brief(depth []int32) []int32 { return depth[:min(len(depth), 50)] }

// eager runs a search whose every level is shared among the workers, however small.
func eager(s *csr.Snapshot, t *pattern.Traversal, workers int) *pattern.Levels {
	b, err := newTraversal(context.Background(), s, t, &pattern.Env{Workers: workers})
	if err != nil {
		panic(err)
	}
	b.share = 1
	b.start()
	b.run()
	return b.out
}

// randomTraversal has a few sources, any direction and types, and often a depth limit and blocked vertices. The
// Blocked it sets fails the test when it is asked twice about a vertex; reset forgets what was asked.
func randomTraversal(r *rand.Rand, s *csr.Snapshot) (t *pattern.Traversal, blocked []bool) {
	n := int(s.N())
	t = &pattern.Traversal{Direction: csr.Direction(r.IntN(3)), MaxDepth: -1}
	for range r.IntN(4) {
		t.Sources = append(t.Sources, csr.VertexID(r.IntN(n)))
	}
	if r.IntN(2) == 0 {
		t.Types = []csr.TypeSet{{0}, {1}, {0, 1}, {}, {7}}[r.IntN(5)]
	}
	if r.IntN(2) == 0 {
		t.MaxDepth = r.IntN(5)
	}
	if r.IntN(3) == 0 {
		var list []csr.VertexID
		for v := range csr.VertexID(n) {
			if r.IntN(5) > 0 {
				list = append(list, v)
			}
		}
		t.Within = pattern.NewCandidateSet(s.N(), list)
	}
	if r.IntN(2) == 0 {
		blocked = make([]bool, n)
		for v := range blocked {
			blocked[v] = r.IntN(5) == 0
		}
		t.Blocked = func(v csr.VertexID) bool { return blocked[v] }
	}
	return t, blocked
}

// onlyOnce wraps t.Blocked to notice a second question about a vertex.
func onlyOnce(t *pattern.Traversal, blocked []bool) (wrapped *pattern.Traversal, twice func() bool) {
	c := *t
	if blocked == nil {
		return &c, func() bool { return false }
	}
	asked := make([]atomic.Int32, len(blocked))
	c.Blocked = func(v csr.VertexID) bool { asked[v].Add(1); return blocked[v] }
	return &c, func() bool {
		for i := range asked {
			if asked[i].Load() > 1 {
				return true
			}
		}
		return false
	}
}

func TestBFSRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range 400 {
		n := 1 + r.IntN(40)
		if i%20 == 0 {
			n = 60 + r.IntN(200) // several words of the bitmaps
		}
		s := kerneltest.RandomGraph(t, r, n, min(0.6, r.Float64()*4/float64(n)))
		q, blocked := randomTraversal(r, s)
		want := queueBFS(steps(s, q), q)
		for _, v := range variants {
			workers := 1 + r.IntN(4)
			name := fmt.Sprintf("seed %d, graph %d (%d vertices), %v with %d workers, %+v", seed, i, n, v, workers, *q)
			c, twice := onlyOnce(q, blocked)
			c.Variant = v
			tally := new(pattern.Tally)
			got, err := Search(t.Context(), s, c, &pattern.Env{Workers: workers, Tally: tally})
			if err == nil {
				err = checkLevels(s, q, got, want)
			}
			if done, all := tally.UnitsDone.Load(), tally.Units.Load(); done != all || all != s.N() {
				t.Fatalf("%s: %d of %d units done", name, done, all)
			}
			if err != nil || twice() {
				t.Fatalf("%s: %v; a vertex asked about twice: %t", name, err, twice())
			}
			c, twice = onlyOnce(q, blocked)
			c.Variant = v
			if err := checkLevels(s, q, eager(s, c, workers), want); err != nil || twice() {
				t.Fatalf("%s, shared: %v; a vertex asked about twice: %t", name, err, twice())
			}
		}
		if n > 60 {
			continue
		}
		got, err := testgraph.Brute{}.BFS(t.Context(), s, q, &pattern.Env{})
		if err == nil {
			err = checkLevels(s, q, got, want)
		}
		if err != nil {
			t.Fatalf("seed %d, graph %d, brute force, %+v: %v", seed, i, *q, err)
		}
	}
}

// TestBFSLarge crosses the thresholds for sharing a level, large rows and pulling.
func TestBFSLarge(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 2))
	star := func(yield func(uint32, uint32) bool) {
		for v := range uint32(40_000) {
			if !yield(0, v+1) {
				return
			}
		}
	}
	for name, s := range map[string]*csr.Snapshot{
		"rmat": testgraph.Graph(1<<13, testgraph.RMAT(13, 16, seed), false),
		"star": testgraph.Graph(40_001, star, false),
		"grid": testgraph.Graph(100*130, testgraph.Grid(100, 130), false),
	} {
		for range 6 {
			q, _ := randomTraversal(r, s)
			q.Types = nil
			q.Sources = append(q.Sources, 0)
			want := queueBFS(steps(s, q), q)
			for _, v := range variants {
				c := *q
				c.Variant = v
				if name == "grid" && v == pattern.EdgeCentric {
					c.MaxDepth = 20
					want = queueBFS(steps(s, &c), &c)
				}
				for _, workers := range []int{1, 3} {
					got, err := Search(t.Context(), s, &c, &pattern.Env{Workers: workers})
					if err == nil {
						err = checkLevels(s, q, got, want)
					}
					if err != nil {
						t.Fatalf("seed %d: %s, %v, %d workers, %+v: %v", seed, name, v, workers, *q, err)
					}
				}
			}
		}
	}
}

func TestBFSMany(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range 150 {
		n := 1 + r.IntN(100)
		s := kerneltest.RandomGraph(t, r, n, min(0.6, r.Float64()*3/float64(n)))
		q, _ := randomTraversal(r, s)
		q.Variant = variants[r.IntN(3)]
		q.Sources = nil
		for range r.IntN(140) {
			q.Sources = append(q.Sources, csr.VertexID(r.IntN(n)))
		}
		if i%10 == 0 {
			q.Variant = pattern.Switching
		}
		name := fmt.Sprintf("seed %d, graph %d (%d vertices), %v, %+v", seed, i, n, q.Variant, *q)
		depths, err := Depths(t.Context(), s, q, &pattern.Env{Workers: 1 + r.IntN(3)})
		if err != nil || len(depths) != len(q.Sources) {
			t.Fatal(name, err)
		}
		if len(q.Sources) > 64 {
			if err := Many(t.Context(), s, q, &pattern.Env{}, nil); err == nil {
				t.Fatal("more than 64 sources passed")
			}
		}
		to := steps(s, q)
		for j, v := range q.Sources {
			one := *q
			one.Sources = []csr.VertexID{v}
			if want := queueBFS(to, &one); !slices.Equal(depths[j], want) {
				t.Fatalf("%s: from %d: %v, want %v", name, v, depths[j], want)
			}
			checkTrace(t, name, s, &one, depths[j], csr.VertexID(r.IntN(n)))
		}
		checkMasks(t, name, s, q, depths)
	}
}

// checkTrace steps back from v.
func checkTrace(t *testing.T, name string, s *csr.Snapshot, q *pattern.Traversal, depth []int32, v csr.VertexID) {
	path := TraceBack(s, q, depth, v)
	if len(path) != int(depth[v])+1 {
		t.Fatalf("%s: path %v to %d at depth %d", name, path, v, depth[v])
	}
	for i, p := range path {
		if depth[p] != int32(i) || i > 0 && len(s.Relationships(nil, path[i-1], p, q.Types, q.Direction)) == 0 {
			t.Fatalf("%s: path %v to %d", name, path, v)
		}
	}
}

// checkMasks looks at one pass with every level shared: no mask repeats a bit, and depths rise.
func checkMasks(t *testing.T, name string, s *csr.Snapshot, q *pattern.Traversal, depths [][]int32) {
	pass := *q
	pass.Sources = q.Sources[:min(64, len(q.Sources))]
	m, err := newMasks(t.Context(), s, &pass, &pattern.Env{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	m.share = 1
	last, met := int32(0), 0
	err = m.run(func(depth int32, v csr.VertexID, sources uint64) (bool, error) {
		if depth < last || sources == 0 {
			t.Fatalf("%s: depth %d after %d, mask %x", name, depth, last, sources)
		}
		last = depth
		for i := range pass.Sources {
			if sources>>i&1 != 0 {
				met++
				if depths[i][v] != depth {
					t.Fatalf("%s: source %d at %d: %d, want %d", name, i, v, depth, depths[i][v])
				}
			}
		}
		return true, nil
	})
	for i := range pass.Sources {
		for _, d := range depths[i] {
			if d >= 0 {
				met--
			}
		}
	}
	if err != nil || met != 0 {
		t.Fatalf("%s: %v, %d too many", name, err, met)
	}
}

func TestBFSManyStops(t *testing.T) {
	s := testgraph.Graph(100, testgraph.Grid(10, 10), false)
	q := &pattern.Traversal{Sources: []csr.VertexID{0, 5}, Direction: csr.Both, MaxDepth: -1}
	env := &pattern.Env{Memory: &pattern.Memory{}}
	calls := 0
	err := Many(t.Context(), s, q, env, func(int32, csr.VertexID, uint64) (bool, error) { calls++; return calls < 5, nil })
	if err != nil || calls != 5 || env.Memory.Used() != 0 {
		t.Errorf("%v after %d calls, %d bytes", err, calls, env.Memory.Used())
	}
	mine := errors.New("mine")
	if err := Many(t.Context(), s, q, env, func(int32, csr.VertexID, uint64) (bool, error) { return false, mine }); err != mine {
		t.Error(err)
	}
	env.Memory.Limit = 300
	if _, err := Depths(t.Context(), s, q, env); !errors.Is(err, pattern.ErrMemory) || env.Memory.Used() != 0 {
		t.Errorf("memory: %v, %d bytes", err, env.Memory.Used())
	}
}

// TestBFSMaze routes through a grid with blocked cells and walks every path.
func TestBFSMaze(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 4))
	const w, h = 40, 30
	s := testgraph.Graph(w*h, testgraph.Grid(w, h), false)
	for i := range 40 {
		wall := make([]bool, w*h) // by cell, which is the stable id
		for c := range wall {
			wall[c] = r.IntN(3) == 0
		}
		from, _ := s.VertexByNodeID(csr.NodeID(r.IntN(w * h)))
		wall[s.NodeID(from)] = false
		q := &pattern.Traversal{Sources: []csr.VertexID{from}, Direction: csr.Both, MaxDepth: -1, Variant: variants[i%len(variants)],
			Blocked: func(v csr.VertexID) bool { return wall[s.NodeID(v)] }}
		l, err := Search(t.Context(), s, q, &pattern.Env{Workers: 2})
		if err == nil {
			err = checkLevels(s, q, l, queueBFS(steps(s, q), q))
		}
		if err != nil {
			t.Fatalf("seed %d, maze %d: %v", seed, i, err)
		}
		for v := range csr.VertexID(w * h) {
			if err := walk(s, l, from, v, w, wall); err != nil {
				t.Fatalf("seed %d, maze %d: %v", seed, i, err)
			}
		}
	}
}

// walk tests that the path to v leads from cell to neighbouring cell and through no wall.
func walk(s *csr.Snapshot, l *pattern.Levels, from, v csr.VertexID, width int, wall []bool) error {
	path := l.Path(v)
	if len(path) != int(l.Depth[v])+1 {
		return fmt.Errorf("path %v to %d at depth %d", path, v, l.Depth[v])
	}
	for i, p := range path {
		at := int(s.NodeID(p))
		if wall[at] || i == 0 && p != from {
			return fmt.Errorf("path %v runs through a wall or starts at %d", path, p)
		}
		if i == 0 {
			continue
		}
		before := int(s.NodeID(path[i-1]))
		dx, dy := at%width-before%width, at/width-before/width
		if dx*dx+dy*dy != 1 {
			return fmt.Errorf("path %v jumps from cell %d to %d", path, before, at)
		}
	}
	return nil
}

// TestBFSDepthLimit sees that vertices past the limit are not even looked at.
func TestBFSDepthLimit(t *testing.T) {
	s := testgraph.Graph(10_000, testgraph.Grid(100, 100), false)
	corner, _ := s.VertexByNodeID(0)
	for _, v := range variants {
		for _, limit := range []int{0, 1, 5} {
			var mu sync.Mutex
			asked := 0
			q := &pattern.Traversal{Sources: []csr.VertexID{corner}, Direction: csr.Both, MaxDepth: limit, Variant: v,
				Blocked: func(csr.VertexID) bool { mu.Lock(); defer mu.Unlock(); asked++; return false }}
			if _, err := Search(t.Context(), s, q, &pattern.Env{Workers: 2}); err != nil {
				t.Fatal(err)
			}
			if want := (limit + 1) * (limit + 2) / 2; asked != want {
				t.Errorf("%v, depth %d: %d vertices met, want %d", v, limit, asked, want)
			}
		}
	}
}

func TestBFSLimits(t *testing.T) {
	s := testgraph.Graph(1000, testgraph.Grid(10, 100), false)
	q := &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1}
	env := &pattern.Env{Memory: &pattern.Memory{Limit: 10_000}}
	if _, err := Search(t.Context(), s, q, env); !errors.Is(err, pattern.ErrMemory) || env.Memory.Used() != 0 {
		t.Errorf("memory: %v, %d bytes", err, env.Memory.Used())
	}
	env.Memory.Limit = 0
	if _, err := Search(t.Context(), s, q, env); err != nil || env.Memory.Used() != 0 || env.Memory.Peak() < 8000 {
		t.Errorf("%v, %d bytes", err, env.Memory.Used())
	}
	q.Sources = []csr.VertexID{1000}
	if _, err := Search(t.Context(), s, q, env); err == nil {
		t.Error("a source past the last vertex passed")
	}
	empty := testgraph.Graph(0, testgraph.Grid(0, 0), false)
	for _, v := range variants {
		if l, err := Search(t.Context(), empty, &pattern.Traversal{MaxDepth: -1, Variant: v}, env); err != nil || len(l.Depth) != 0 {
			t.Errorf("empty graph: %v, %v", l, err)
		}
	}
}

// TestBFSCancel cancels each variant while it asks about a vertex: it asks about no others.
func TestBFSCancel(t *testing.T) {
	for name, s := range map[string]*csr.Snapshot{
		"rmat": testgraph.Graph(1<<13, testgraph.RMAT(13, 16, 1), false),
		"grid": testgraph.Graph(100*100, testgraph.Grid(100, 100), false),
	} {
		for _, v := range variants {
			ctx, cancel := context.WithCancel(t.Context())
			var asked atomic.Int64
			q := &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1, Variant: v}
			q.Blocked = func(csr.VertexID) bool {
				if asked.Add(1) == 1000 {
					cancel()
					time.Sleep(50 * time.Millisecond) // the flag is set from another goroutine
				}
				return false
			}
			env := &pattern.Env{Workers: 1, Memory: &pattern.Memory{}}
			l, err := Search(ctx, s, q, env)
			if !errors.Is(err, context.Canceled) || l != nil || asked.Load() > 2000 || env.Memory.Used() != 0 {
				t.Errorf("%s, %v: %v; %d vertices, %d bytes", name, v, err, asked.Load(), env.Memory.Used())
			}
			if _, err := Search(ctx, s, q, env); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %v, cancelled before: %v", name, v, err)
			}
			if err := Many(ctx, s, q, env, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, many, cancelled before: %v", name, err)
			}
		}
	}
}

// TestBFSStopFlag sees that the flag alone ends a search in which nothing is asked.
func TestBFSStopFlag(t *testing.T) {
	s := testgraph.Graph(1<<10, testgraph.RMAT(10, 16, 1), false)
	for _, v := range variants {
		q := &pattern.Traversal{Sources: []csr.VertexID{0}, Direction: csr.Both, MaxDepth: -1, Variant: v}
		b, err := newTraversal(t.Context(), s, q, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		b.start()
		b.stop.Store(true)
		b.run()
		reached := 0
		for _, d := range b.out.Depth {
			if d >= 0 {
				reached++
			}
		}
		if reached != 1 {
			t.Errorf("%v: %d vertices", v, reached)
		}
		b.level = 1
		b.deal(1<<20, 1000, 1, func(*worker, int, int) { t.Errorf("%v: work was dealt", v) })
	}
}

// TestBFSManyCancel cancels a pass from its visits.
func TestBFSManyCancel(t *testing.T) {
	s := testgraph.Graph(300*300, testgraph.Grid(300, 300), false)
	for _, v := range variants[:3] {
		ctx, cancel := context.WithCancel(t.Context())
		q := &pattern.Traversal{Sources: []csr.VertexID{0, 1}, Direction: csr.Both, MaxDepth: -1, Variant: v}
		env := &pattern.Env{Memory: &pattern.Memory{}}
		calls := 0
		err := Many(ctx, s, q, env, func(int32, csr.VertexID, uint64) (bool, error) {
			if calls++; calls == 1000 {
				cancel()
				time.Sleep(20 * time.Millisecond) // the flag is set from another goroutine
			}
			return true, nil
		})
		if !errors.Is(err, context.Canceled) || calls > 5000 || env.Memory.Used() != 0 {
			t.Errorf("%v: %v after %d visits, %d bytes", v, err, calls, env.Memory.Used())
		}
	}
}

func TestBFSRules(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"a small graph is pushed", chooseVariant(100), pattern.Push},
		{"a large one switches", chooseVariant(1 << 20), pattern.Switching},
		{"a small level has no goroutines", crewSize(1000, minShare, 64), 1},
		{"a large level has all workers", crewSize(1<<24, minShare, 64), 64},
		{"one in 20 edges is pushed", shouldPull(1000, 20_000, 10), false},
		{"one in 10 edges is pulled", shouldPull(2000, 20_000, 10), true},
		{"the end of a search in a wide bitmap is pushed", shouldPull(2, 1, 1000), false},
		{"a growing frontier is pulled on", shouldPush(20, 10, 1000), false},
		{"a large frontier is pulled on", shouldPush(500, 600, 1000), false},
		{"a small shrinking frontier is pushed", shouldPush(10, 600, 1000), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
}

// TestBFSSwitches follows a search level by level: it pushes, pulls, and pushes again, and knows how many edges the
// vertices not yet reached have.
func TestBFSSwitches(t *testing.T) {
	s := testgraph.Graph(1<<13, testgraph.RMAT(13, 8, 1), true)
	adj := s.Adjacency(nil, csr.Both)
	source := csr.VertexID(s.N()) - 1
	for adj.Degree(source) == 0 {
		source--
	}
	ways := ""
	for limit := 1; ; limit++ {
		q := &pattern.Traversal{Sources: []csr.VertexID{source}, Direction: csr.Both, MaxDepth: limit}
		b, err := newTraversal(t.Context(), s, q, &pattern.Env{})
		if err != nil {
			t.Fatal(err)
		}
		b.start()
		b.run()
		unseen := 0
		for v, d := range b.out.Depth {
			if d < 0 {
				unseen += adj.Degree(csr.VertexID(v))
			}
		}
		if b.unseenEdges != uint64(unseen) {
			t.Errorf("after level %d: %d edges not seen, want %d", limit, b.unseenEdges, unseen)
		}
		ways += map[bool]string{false: "<", true: ">"}[b.pullMode]
		if b.count == 0 {
			break
		}
	}
	if ways != "<<>>><<" { // < push, > pull
		t.Errorf("the search went %s", ways)
	}
}
