package match

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// collect is a sink that keeps every embedding.
type collect struct{ found []pattern.Embedding }

func (c *collect) NeedEdges() bool { return true }

func (c *collect) Emit(batch []pattern.Embedding) (bool, error) {
	for _, e := range batch {
		c.found = append(c.found, pattern.Embedding{Vertices: slices.Clone(e.Vertices), Edges: slices.Clone(e.Edges), Weight: e.Weight})
	}
	return true, nil
}

// brute lists the matches of p as text, sorted.
func brute(t *testing.T, j *pattern.Job) []pattern.Embedding {
	t.Helper()
	var c collect
	if err := (testgraph.Brute{}).Match(context.Background(), j, &pattern.Env{}, &c); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(c.found, func(a, b pattern.Embedding) int {
		return cmp.Or(slices.Compare(a.Vertices, b.Vertices), slices.Compare(a.Edges, b.Edges))
	})
	return c.found
}

// constrained is p without Distinct but with the order's constraints in its place, as conditions.
func constrained(p *pattern.Pattern, o pattern.Order) *pattern.Pattern {
	q := *p
	q.Scopes = slices.Clone(p.Scopes)
	for i := range q.Scopes {
		if o.Symmetric[i] {
			q.Scopes[i].Distinct, q.Scopes[i].Mode = false, pattern.DifferentNodes
		}
	}
	q.Predicates = slices.Clone(p.Predicates)
	below := func(u, w int) {
		q.Predicates = append(q.Predicates, pattern.Predicate{Vertices: []int{u, w}, Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			return v[u] < v[w], nil
		}})
	}
	for _, st := range o.Steps {
		for _, w := range st.Less {
			below(w, st.Vertex)
		}
		for _, w := range st.Greater {
			below(st.Vertex, w)
		}
	}
	return &q
}

// The constraints leave one match of each subgraph, and Representative turns it into the one that the definition
// asks for.
func TestSymmetryAgainstBrute(t *testing.T) {
	symmetric, groups := 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := testgraph.Random(seed, testgraph.Options{Vertices: 3 + rng.IntN(3), Edges: 1 + rng.IntN(9), Simple: rng.IntN(2) == 0})
		p := distinctPattern(rng, s)
		if seed%4 == 0 {
			p = testgraph.RandomPattern(rng, s)
		}
		j := testgraph.RandomJob(rng, s, p)
		sizes := slices.Repeat([]float64{float64(s.N())}, len(p.Vertices))
		for u := range sizes {
			sizes[u] = float64(rng.IntN(int(s.N()) + 1))
		}
		o := filtered(p, s, sizes, pattern.OrderAuto)
		if !slices.Contains(o.Symmetric, true) {
			continue
		}
		symmetric++
		if o.Chains[0].Size() > 1 {
			groups++
		}
		want := brute(t, j)
		j.Pattern = constrained(p, o)
		got := brute(t, j)
		fail := func(what string) {
			t.Fatalf("seed %d: %s: %d matches, want %d\n%v%+v\ngot %v\nwant %v", seed, what, len(got), len(want), p, o, got, want)
		}
		if len(got) != len(want) {
			fail("constraints")
		}
		var scratch pattern.Scratch
		for _, e := range got {
			o.Chains[0].Representative(s, &p.Scopes[0], e.Vertices, e.Edges, &scratch)
		}
		if !sameMatches(got, want) {
			fail("representatives")
		}
	}
	t.Logf("%d patterns symmetric, %d of them with more than one automorphism", symmetric, groups)
	if groups < 250 {
		t.Error("too few to mean anything")
	}
}

func sameMatches(a, b []pattern.Embedding) bool {
	text := func(list []pattern.Embedding) (out []string) {
		for _, e := range list {
			out = append(out, fmt.Sprint(e.Vertices, e.Edges))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(text(a), text(b))
}

// distinctPattern is a pattern of one Distinct scope whose vertices and edges tend to ask for the same.
func distinctPattern(rng *rand.Rand, s *csr.Snapshot) *pattern.Pattern {
	p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes, Distinct: true, Induced: rng.IntN(4) == 0}}}
	sc := &p.Scopes[0]
	k := 2 + rng.IntN(4)
	odd := rng.IntN(3) // 0: all alike; else some differ
	for u := range k {
		v := pattern.Vertex{Name: string(rune('a' + u))}
		if odd > 0 && s.Labels.Len() > 0 && rng.IntN(3) == 0 {
			l := csr.LabelID(rng.IntN(s.Labels.Len()))
			v.Labels = &pattern.Label{ID: l, Name: s.Labels.Name(uint32(l))}
		}
		p.Vertices = append(p.Vertices, v)
	}
	if rng.IntN(4) == 0 {
		p.Vertices[rng.IntN(k)].Bound = true
	}
	direct := rng.IntN(3) == 0
	least := !sc.Induced && rng.IntN(4) == 0
	dense := rng.Float64()
	use := func(u int) {
		if !slices.Contains(sc.Vertices, u) {
			sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
		}
	}
	for u := range k {
		for w := range u {
			if rng.Float64() > dense {
				continue
			}
			e := pattern.Edge{From: w, To: u, Undirected: !direct}
			if odd > 1 && rng.IntN(3) == 0 {
				e.Undirected, e.Types = !e.Undirected, csr.TypeSet{csr.TypeID(rng.IntN(s.Types.Len()))}
			}
			if direct && rng.IntN(2) == 0 {
				e.From, e.To = u, w
			}
			if least && (odd == 0 || rng.IntN(3) == 0) {
				e.AtLeastOne = true
				sc.Edges, p.Edges = append(sc.Edges, len(p.Edges)), append(p.Edges, e)
				continue
			}
			use(w)
			e.Bound = s.M() > 0 && rng.IntN(20) == 0
			addEdge(p, e)
			use(u)
		}
		if rng.IntN(12) == 0 {
			use(u)
			addEdge(p, pattern.Edge{From: u, To: u, Undirected: true})
		}
		use(u)
	}
	if rng.IntN(3) == 0 {
		for u := range k {
			if odd == 0 || rng.IntN(2) == 0 {
				small(s, p, u)
			}
		}
	}
	return p
}

// small adds u.x < 3.
func small(s *csr.Snapshot, p *pattern.Pattern, u int) {
	x, _ := s.Keys.Lookup("x")
	p.Predicates = append(p.Predicates, pattern.Predicate{
		Text: p.Vertices[u].Name + ".x < 3", Shape: "?.x < 3", Vertices: []int{u},
		Test: func(v []csr.VertexID, _ []csr.EdgeID) (bool, error) {
			c, ok := s.VertexProp(v[u], csr.KeyID(x))
			return ok && c.Kind == csr.KindInt && int64(c.Num) < 3, nil
		},
	})
}

// A chain holds as many automorphisms as trying every permutation finds.
func TestChainSize(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := testgraph.Random(seed, testgraph.Options{})
		p := distinctPattern(rng, s)
		o := filtered(p, s, slices.Repeat([]float64{1}, len(p.Vertices)), pattern.OrderAuto)
		if !o.Symmetric[0] {
			continue
		}
		y, _ := newSymmetry(p, s, 0)
		want := 0
		h := y.identity()
		var permute func(i int)
		permute = func(i int) {
			if i == len(h) {
				if y.isFull(h) {
					want++
				}
				return
			}
			for j := i; j < len(h); j++ {
				h[i], h[j] = h[j], h[i]
				permute(i + 1)
				h[i], h[j] = h[j], h[i]
			}
		}
		permute(0)
		if got := o.Chains[0].Size(); got != float64(want) {
			t.Fatalf("seed %d: chain of %v automorphisms, there are %d\n%v", seed, got, want, p)
		}
	}
}

func (y *symmetry) isFull(h []int) bool {
	for a := range h {
		for b := range h {
			if !y.sameVertex(a, h[a]) || !y.samePair(a, b, h[a], h[b]) {
				return false
			}
		}
	}
	return true
}

// Patterns with very many automorphisms must be broken without listing them.
func TestSymmetryLarge(t *testing.T) {
	s := testgraph.Random(1, testgraph.Options{Vertices: 5})
	for _, c := range []struct {
		name string
		k    int
		edge func(u, w int) bool
		size float64
	}{
		{"star", 31, func(u, w int) bool { return w == 0 }, 2.6525285981219103e32}, // 30!
		{"clique", 12, func(u, w int) bool { return true }, 479001600},
		{"cycle", 24, func(u, w int) bool { return u == w+1 || u == 23 && w == 0 }, 48},
		{"nothing", 12, func(u, w int) bool { return false }, 479001600},
		{"cube", 16, func(u, w int) bool { x := u ^ w; return x&(x-1) == 0 }, 384},
	} {
		p := &pattern.Pattern{Scopes: []pattern.Scope{{Mode: pattern.DifferentNodes, Distinct: true}}}
		sc := &p.Scopes[0]
		for u := range c.k {
			p.Vertices = append(p.Vertices, pattern.Vertex{Name: fmt.Sprint("v", u)})
			sc.Vertices, sc.Order = append(sc.Vertices, u), append(sc.Order, u)
			for w := range u {
				if c.edge(u, w) {
					addEdge(p, pattern.Edge{From: w, To: u, Undirected: true})
				}
			}
		}
		o := pattern.Order{Steps: pattern.StepsOf(p, sc.Vertices)}
		notes := breakSymmetry(p, s, &o)
		if !o.Symmetric[0] || math.Abs(o.Chains[0].Size()/c.size-1) > 1e-9 {
			t.Errorf("%s: symmetric %v, size %v, want %v: %s", c.name, o.Symmetric[0], o.Chains[0].Size(), c.size, notes[0])
		}
	}
}
