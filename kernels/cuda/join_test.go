//go:build cuda && cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/join"
	"github.com/motifql/motif/planner/match"
)

// Counts of matches are those of brute force, over all that patterns can say, or left to the CPU.
func TestJoinRandom(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	answered, taken := 0, new(pattern.Tally)
	for range 40 * *roundFlag {
		s := testgraph.Random(r.Uint64(), testgraph.Options{Simple: r.IntN(3) == 0})
		p := testgraph.RandomPattern(r, s)
		if r.IntN(2) == 0 {
			easier(p)
		}
		j := testgraph.RandomJob(r, s, p)
		answered += joinAgainst(t, d, r, j, taken)
	}
	if answered < 4**roundFlag {
		t.Errorf("the device answered only %d of %d", answered, 40**roundFlag)
	}
}

// smallTurns makes small searches take several launches, tables and pages.
func smallTurns(r *rand.Rand) (restore func()) {
	a, b, c, d, e, f, g := firstPage, firstTurns, laterTurns, dealtRows, sliceAfter, sliceCost, patience
	patience = 16 << r.IntN(6)
	sliceAfter, sliceCost = 1+r.IntN(2), 20
	firstPage = 32 // as little as a warp may ask for
	firstTurns, laterTurns, dealtRows = 8+r.IntN(40), 40+r.IntN(200), 8<<r.IntN(8)
	rows, later, blocks, warps, long, pageRows, reach := firstRows, laterRows, levelBlocks, levelWarps, levelLong, levelPage, firstReach
	firstRows, laterRows, levelBlocks, levelWarps = 64<<r.IntN(4), 64<<r.IntN(6), 1, 1+r.IntN(2)
	levelLong, levelPage, firstReach = []time.Duration{0, 0, time.Hour}[r.IntN(3)], 32<<r.IntN(5), 16<<r.IntN(5)
	bytes := bitsRoom
	bitsRoom = 16 << r.IntN(8)
	return func() {
		bitsRoom = bytes
		firstRows, laterRows, levelBlocks, levelWarps, levelLong, levelPage, firstReach = rows, later, blocks, warps, long, pageRows, reach
		firstPage, firstTurns, laterTurns, dealtRows, sliceAfter, sliceCost, patience = a, b, c, d, e, f, g
	}
}

// easier drops what the device leaves to the CPU.
func easier(p *pattern.Pattern) {
	p.Predicates = slices.DeleteFunc(p.Predicates, func(q pattern.Predicate) bool { _, single := q.Single(); return !single })
	for u := range p.Vertices {
		p.Vertices[u].Bound = false
	}
	for e := range p.Edges {
		p.Edges[e].Bound = false
	}
}

// joinAgainst compares the device with brute force on one job, in an order of the planner or any. It returns 1 if the device answered.
func joinAgainst(t *testing.T, d *Device, r *rand.Rand, j *pattern.Job, taken *pattern.Tally) int {
	t.Helper()
	var err error
	if j.Candidates, err = filter.Run(background, j.Snapshot, j.Pattern, env()); err != nil {
		t.Fatal(err)
	}
	j.Order = anyOrder(r, j)
	what := func() string { return fmt.Sprintf("%v\norder %+v\n%v", j.Pattern, j.Order, j.Candidates) }
	e := without(r, joinTechniques...)
	got, err := d.Count(background, j, e)
	if errors.Is(err, ErrDeclined) {
		return 0
	}
	want := &rowSink{}
	if err := (testgraph.Brute{}).Match(background, j, env(), want); err != nil {
		t.Fatal(err)
	}
	if err != nil || got != pattern.Count(uint64(len(want.rows))) {
		t.Fatalf("counted %v, %v; want %v\n%s", got, err, len(want.rows), what())
	}
	for _, edges := range []bool{false, true} {
		matchAgainst(t, d, r, j, e, edges, what)
	}
	if u, done := e.Tally.Units.Load(), e.Tally.UnitsDone.Load(); u != done {
		t.Fatalf("%d of %d roots done", done, u)
	}
	if e.Memory.Used() != 0 {
		t.Fatalf("%d bytes of the budget not given back", e.Memory.Used())
	}
	taken.TakeOver(e.Tally)
	return 1
}

// matchAgainst compares the matches that the device sends with those of brute force, and stops it half way.
func matchAgainst(t *testing.T, d *Device, r *rand.Rand, j *pattern.Job, e *pattern.Env, edges bool, what func() string) {
	t.Helper()
	want, got := &rowSink{edges: edges}, &rowSink{edges: edges}
	if err := (testgraph.Brute{}).Match(background, j, env(), want); err != nil {
		t.Fatal(err)
	}
	err := d.Match(background, j, e, got)
	if errors.Is(err, ErrDeclined) && len(got.rows) == 0 {
		return
	}
	if err != nil || !slices.Equal(got.sorted(), want.sorted()) {
		t.Fatalf("edges %v: %v, found\n%v\nwant\n%v\n%s", edges, err, got.rows, want.rows, what())
	}
	if few := (&rowSink{edges: edges, most: 1 + r.IntN(3)}); len(want.rows) > 3 {
		if err := d.Match(background, j, e, few); err != nil || len(few.rows) < few.most {
			t.Fatalf("%d matches until %d were enough, %v", len(few.rows), few.most, err)
		}
	}
}

// rowSink keeps matches, or the first ones.
type rowSink struct {
	edges bool
	most  int // 0: all
	rows  []string
}

func (k *rowSink) NeedEdges() bool { return k.edges }
func (k *rowSink) Emit(batch []pattern.Embedding) (bool, error) {
	for _, e := range batch {
		for range e.Weight {
			k.rows = append(k.rows, fmt.Sprint(e.Vertices, e.Edges))
		}
	}
	return k.most == 0 || len(k.rows) < k.most, nil
}
func (k *rowSink) sorted() []string {
	slices.Sort(k.rows)
	return k.rows
}

// anyOrder is the planner's order or a random one, as long as there is no DISTINCT to reduce.
func anyOrder(r *rand.Rand, j *pattern.Job) pattern.Order {
	p := j.Pattern
	distinct := slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct })
	if distinct || r.IntN(2) == 0 {
		return plannedOrder(j)
	}
	seq := r.Perm(len(p.Vertices))
	o := pattern.Order{Symmetric: make([]bool, len(p.Scopes)), Chains: make([]pattern.Chain, len(p.Scopes))}
	for k, u := range seq {
		st := pattern.Step{Vertex: u}
		for i, e := range p.Edges {
			if max(slices.Index(seq, e.From), slices.Index(seq, e.To)) == k {
				st.Backward = append(st.Backward, i)
			}
		}
		o.Steps = append(o.Steps, st)
	}
	return o
}

func plannedOrder(j *pattern.Job) pattern.Order {
	sizes := make([]float64, len(j.Pattern.Vertices))
	for u, c := range j.Candidates.Sets {
		sizes[u] = float64(c.Len())
	}
	return match.OrderFor(match.Filtered, &match.Question{Pattern: j.Pattern, Snapshot: j.Snapshot, Sizes: sizes}).Order
}

// labelledGraph is a graph of which every vertex has one of some labels; with one type it is simple.
func labelledGraph(n, labels, types int, edges func(yield func(u, v uint32) bool), r *rand.Rand) *csr.Snapshot {
	b := csr.NewBuilder()
	ids := make([]csr.LabelID, labels)
	for i := range ids {
		ids[i] = b.Label(string(rune('A' + i)))
	}
	for range n {
		b.AddVertex(ids[r.IntN(labels)])
	}
	ts := []csr.TypeID{b.Type("E"), b.Type("F")}[:types]
	if types == 1 {
		b.DropRepeats(ts[0])
	}
	for u, v := range edges {
		b.AddEdge(u, v, ts[r.IntN(types)])
	}
	s, _, err := b.Build(background, 0)
	if err != nil {
		panic(err)
	}
	return s
}

// Counts on larger graphs are those of the CPU's join.
func TestJoinLarge(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	taken := new(pattern.Tally)
	for range *roundFlag {
		for name, s := range map[string]*csr.Snapshot{
			"rmat":  labelledGraph(128, 1+r.IntN(5), 1+r.IntN(2), testgraph.RMAT(7, 6, r.Uint64()), r),
			"star":  labelledGraph(1100, 3, 1, pairs(1099, func(i uint32) (uint32, uint32) { return 0, i + 1 }), r),
			"plain": labelledGraph(128, 1+r.IntN(3), 1, testgraph.Undirected(testgraph.RMAT(7, 6, r.Uint64())), r),
			"multi": labelledGraph(90, 2, 2, testgraph.ER(90, 500, r.Uint64()), r),
		} {
			for tries, done := 0, 0; tries < 9 && done < 3; tries++ {
				p := plainPattern(r, s, 2+r.IntN(4))
				j := &pattern.Job{Snapshot: s, Pattern: p}
				done += joinAgainstCPU(t, d, r, j, name, taken)
			}
		}
	}
	driven(t, taken, pattern.JoinPages, pattern.JoinPacked, pattern.JoinShared, pattern.JoinSlices, pattern.JoinBreadth, pattern.JoinBits)
}

// Where every vertex is a candidate, last steps are counted by lengths from the start; and what short launches leave is dealt in
// pieces.
func TestJoinTrees(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	firstTurns, laterTurns = 8, 10
	taken := new(pattern.Tally)
	for range *roundFlag {
		for name, s := range map[string]*csr.Snapshot{
			"rmat": testgraph.Graph(32, testgraph.RMAT(5, 3, r.Uint64()), true),
			"star": testgraph.Graph(24, pairs(23, func(i uint32) (uint32, uint32) { return 0, i + 1 }), true),
		} {
			all := make([]csr.VertexID, s.N())
			for v := range all {
				all[v] = csr.VertexID(v)
			}
			for range 4 {
				p := shape([]string{"01 12", "01 02 03", "01 12 20 03", "01 12 20", "01 12 23"}[r.IntN(5)], pattern.Mode(r.IntN(3)))
				for u := range p.Vertices {
					p.Vertices[u].Labels = nil
				}
				j := &pattern.Job{Snapshot: s, Pattern: p, Candidates: &pattern.Candidates{}}
				set := pattern.NewCandidateSet(s.N(), all)
				for range p.Vertices {
					j.Candidates.Sets = append(j.Candidates.Sets, set)
				}
				j.Order = anyOrder(r, j)
				want, err := join.Count(background, j, env())
				if err != nil {
					t.Fatal(err)
				}
				e := oneWay(r, pattern.JoinPacked, pattern.JoinLengths, pattern.JoinShared)
				if got, err := d.Count(background, j, e); err != nil || got != want {
					t.Fatalf("%s: counted %v, %v; want %v\n%v\norder %+v\noff: %v", name, got, err, want, p, j.Order, e.Without)
				}
				taken.TakeOver(e.Tally)
			}
		}
	}
	driven(t, taken, pattern.JoinChunks, pattern.JoinDealt, pattern.JoinLengths)
}

// A search that promises to last begins anew with shorter lists and larger tables, and takes as many descents as they need.
func TestJoinLong(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	levelLong, levelWarps, firstRows, laterRows, bitsRoom = 0, 2, 64, 256+64*r.IntN(4), 16<<r.IntN(12)
	taken := new(pattern.Tally)
	s := labelledGraph(130, 2, 1, testgraph.Undirected(testgraph.RMAT(7, 7, r.Uint64())), r)
	for _, edges := range []string{"01 12", "01 12 20", "01 12 23 30", "01 12 20 23"} {
		j := &pattern.Job{Snapshot: s, Pattern: shape(edges, []pattern.Mode{pattern.RepeatableElements, pattern.DifferentNodes}[r.IntN(2)])}
		for u := range j.Pattern.Vertices {
			l := csr.LabelID(u % 2)
			j.Pattern.Vertices[u].Labels = &pattern.Label{ID: l, Name: s.Labels.Name(uint32(l))}
		}
		var err error
		if j.Candidates, err = filter.Run(background, s, j.Pattern, env()); err != nil {
			t.Fatal(err)
		}
		j.Order = plannedOrder(j)
		want, err := join.Count(background, j, env())
		if err != nil {
			t.Fatal(err)
		}
		e := without(r, pattern.JoinSlices, pattern.JoinBits, pattern.JoinPacked, pattern.JoinLengths)
		if got, err := d.Count(background, j, e); err != nil || got != want {
			t.Fatalf("%s: counted %v, %v; want %v\norder %+v\noff: %v", edges, got, err, want, j.Order, e.Without)
		}
		taken.TakeOver(e.Tally)
	}
	if taken.Taken[pattern.JoinBreadth].Load() == 0 || taken.Taken[pattern.JoinChunks].Load() == 0 {
		t.Errorf("%d steps, %d descents more than one", taken.Taken[pattern.JoinBreadth].Load(), taken.Taken[pattern.JoinChunks].Load())
	}
}

// A search that is stopped tells how much of it was done, and not that all was; one that is left to the CPU tells nothing.
func TestJoinProgress(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	firstReach, levelPage = 8, 32
	s := labelledGraph(200, 1, 1, testgraph.RMAT(7, 6, r.Uint64()), r)
	j := &pattern.Job{Snapshot: s, Pattern: shape("01 12", pattern.DifferentNodes)}
	for u := range j.Pattern.Vertices {
		j.Pattern.Vertices[u].Labels = nil
	}
	var err error
	if j.Candidates, err = filter.Run(background, s, j.Pattern, env()); err != nil {
		t.Fatal(err)
	}
	j.Order = plannedOrder(j)
	for _, off := range []pattern.Techniques{{}, pattern.Techniques{}.With(pattern.JoinBreadth)} {
		e := env()
		e.Without = off
		if err := d.Match(background, j, e, failingSink{}); !errors.Is(err, errSink) {
			t.Fatal(err)
		}
		roots, done := e.Tally.Units.Load(), e.Tally.UnitsDone.Load()
		if roots == 0 || done >= roots {
			t.Errorf("%d of %d roots done, by a search that was stopped at its first rows", done, roots)
		}
	}
	d.memory.fixed, d.memory.limit = true, d.memory.used
	e := env()
	if _, err := d.Count(background, j, e); !errors.Is(err, ErrDeclined) || e.Tally.Units.Load() != 0 || e.Tally.UnitsDone.Load() != 0 {
		t.Errorf("%v, with %d roots told of", err, e.Tally.Units.Load())
	}
}

var errSink = errors.New("no rows wanted")

// failingSink fails at the first rows.
type failingSink struct{}

func (failingSink) NeedEdges() bool                        { return false }
func (failingSink) Emit([]pattern.Embedding) (bool, error) { return false, errSink }

// Numbers of matches beyond 32 and 64 bits are exact, and weights beyond 64 left to the CPU.
func TestJoinManyMatches(t *testing.T) {
	d, r := device(t), seeds(t)
	defer smallTurns(r)()
	s := testgraph.Graph(3, pairs(9000, func(i uint32) (uint32, uint32) { return i % 3, (i + 1) % 3 }), false)
	for edges := 2; edges < 7; edges++ {
		p := &pattern.Pattern{Vertices: make([]pattern.Vertex, edges+1), Scopes: []pattern.Scope{{Mode: pattern.RepeatableElements}}}
		for u := range edges {
			p.Edges = append(p.Edges, pattern.Edge{From: u, To: u + 1, Undirected: true})
		}
		j := &pattern.Job{Snapshot: s, Pattern: p}
		var err error
		if j.Candidates, err = filter.Run(background, s, p, env()); err != nil {
			t.Fatal(err)
		}
		j.Order = plannedOrder(j)
		want, err := join.Count(background, j, env())
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []pattern.Technique{pattern.JoinBreadth, pattern.JoinLengths} {
			e := env()
			e.Without = e.Without.With(off)
			got, err := d.Count(background, j, e)
			if edges == 6 && !errors.Is(err, ErrDeclined) || edges < 6 && (err != nil || got != want) {
				t.Fatalf("%d edges without %v: %v, %v; want %v", edges, off, got, err, want)
			}
		}
	}
}

// joinTechniques are those of the join.
var joinTechniques = []pattern.Technique{pattern.JoinPages, pattern.JoinPacked, pattern.JoinShared, pattern.JoinChunks, pattern.JoinDealt,
	pattern.JoinSlices, pattern.JoinLengths, pattern.JoinBreadth, pattern.JoinBits}

// oneWay is without, by levels as often as not.
func oneWay(r *rand.Rand, all ...pattern.Technique) *pattern.Env {
	e := without(r, all...)
	if r.IntN(2) == 0 {
		e.Without = e.Without.With(pattern.JoinBreadth)
	}
	return e
}

// joinAgainstCPU compares the device with the CPU's join on one job. It returns 1 unless that is too large.
func joinAgainstCPU(t *testing.T, d *Device, r *rand.Rand, j *pattern.Job, name string, taken *pattern.Tally) int {
	t.Helper()
	var err error
	if j.Candidates, err = filter.Run(background, j.Snapshot, j.Pattern, env()); err != nil {
		t.Fatal(err)
	}
	if j.Order = plannedOrder(j); j.Order.Cost > 5_000 {
		return 0 // the emulator is slow
	}
	want, err := join.Count(background, j, env())
	if err != nil || want.Hi > 0 || want.Lo > 20_000 {
		return 0
	}
	e := oneWay(r, joinTechniques...)
	what := func() string { return fmt.Sprintf("%s: %v\norder %+v\noff: %v", name, j.Pattern, j.Order, e.Without) }
	got, err := d.Count(background, j, e)
	if err != nil && !errors.Is(err, ErrDeclined) || err == nil && got != want {
		t.Fatalf("counted %v, %v; want %v\n%s", got, err, want, what())
	}
	if err == nil && want.Lo < 3000 {
		all, rows := &rowSink{}, &rowSink{}
		if err := join.Match(background, j, env(), all); err != nil {
			t.Fatal(err)
		}
		if err := d.Match(background, j, e, rows); err != nil || !slices.Equal(rows.sorted(), all.sorted()) {
			t.Fatalf("%d matches, %v; want %d\n%s", len(rows.rows), err, len(all.rows), what())
		}
	}
	taken.TakeOver(e.Tally)
	return 1
}

// plainPattern is a tree of k vertices, or a cycle, with a few more edges, in one scope.
func plainPattern(r *rand.Rand, s *csr.Snapshot, k int) *pattern.Pattern {
	p := &pattern.Pattern{Vertices: make([]pattern.Vertex, k), Scopes: []pattern.Scope{{Mode: pattern.Mode(r.IntN(3)), Induced: r.IntN(5) == 0}}}
	sc := &p.Scopes[0]
	undirected, types := r.IntN(3) > 0, []csr.TypeSet{nil, {0}}[r.IntN(2)]
	edge := func(u, w int) {
		sc.Edges = append(sc.Edges, len(p.Edges))
		p.Edges = append(p.Edges, pattern.Edge{From: u, To: w, Undirected: undirected, Types: types})
	}
	for u := range k {
		sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
		if n := s.Labels.Len(); n > 0 && r.IntN(4) > 0 {
			id := csr.LabelID(r.IntN(n))
			p.Vertices[u].Labels = &pattern.Label{ID: id, Name: s.Labels.Name(uint32(id))}
		}
		if u > 0 {
			edge(r.IntN(u), u)
		}
	}
	for range r.IntN(3) {
		if u, w := r.IntN(k), r.IntN(k); u != w {
			edge(u, w)
		}
	}
	return p
}
