//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/kernels/hom"
)

func init() {
	mutants = append(mutants,
		mutant{"a wedge leads back to its top", "wedges.cu", "below(targets + at, d, u) + 1;", "below(targets + at, d, u);", "Wedges"},
		mutant{"a load counts the top", "wedges.cu", "below(targets + begin, d, row) - 1;", "below(targets + begin, d, row);", "Wedges"},
		mutant{"counters are not taken down", "wedges.cu", "              add(own + w, ~0u);", "", "Wedges"},
		mutant{"no barrier before counters are taken down", "wedges.cu", "        if (shuffle(ALL, told, 0)) break;\n      }\n      sync_block();", "        if (shuffle(ALL, told, 0)) break;\n      }\n      if (clears) sync_block();", "Wedges"},
		mutant{"a long list's last load is left out", "wedges.cu", "k + 32 * i < many ?", "k + 32 * i + 32 < many + 32 * !i ?", "Wedges"},
		mutant{"a full slot is another's", "wedges.cu", "if (was != NOTHING && was != w) continue;", "", "Wedges"},
		mutant{"a table is not cleared", "wedges.cu", "key[i] = NOTHING, count[i] = 0;\n    sync_warp", "key[i] = NOTHING;\n    sync_warp", "Wedges"},
		mutant{"entries are sorted by vertices, not by ranks", "wedges.cu", "keys[e] = once(rank + once(source + once(order + e)));", "keys[e] = once(source + once(order + e));", "Wedges"},
		mutant{"a tip's lists change places", "homs_tips.cu", "first + (swap ? at : i)", "first + (swap ? i : at)", "Tips"},
		mutant{"a tip has its weight once for two", "homs_tips.cu", "i < power && weight; i++", "i < 1 && weight; i++", "Tips"},
		mutant{"pairs without a tip stay", "homs_tips.cu", "ballot(ALL, weight > 0);", "ballot(ALL, e < entries);", "Tips"},
		mutant{"a row begins behind its first entry", "homs_tips.cu", "popcount(once(bits + (e >> 5)) & ((1u << (e & 31)) - 1)) : 0", "popcount(once(bits + (e >> 5)) & ((2u << (e & 31)) - 1)) : 0", "Tips"},
	)
}

// smallWedges makes small graphs take all ways of counting wedges.
func smallWedges(d *Device, r *rand.Rand) {
	d.wedges = wedgeLimits{r.IntN(2) * (1 + r.IntN(80)), 1 << (1 + r.IntN(8)), float64(r.IntN(2)) * 1e9}
}

// The closed walks of four steps along distinct neighbours are as many as the squares of common neighbours, whatever the numbers of the vertices.
func TestWedges(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		view := s.Adjacency(nil, csr.Both)
		if view.Loops > 0 || s.N() == 0 || s.M() > 2500 && r.IntN(4) > 0 {
			continue
		}
		p := &hom.Program{
			Sets:   []*pattern.CandidateSet{nil},
			Rows:   []hom.Rows{{Factors: []hom.Factor{{Factor: &pattern.Factor{To: 1, Undirected: true}, View: view, Direction: csr.Both}}}},
			Passes: []hom.Pass{{Second: -1, Outs: []hom.Output{{Own: -1, Mate: -1, Cycle: &hom.Cycle{Strict: 4, Tied: 2}}}}},
			Sums:   []hom.Sum{{Weight: -1}},
		}
		restore := smallHoms(r)
		smallWedges(d, r)
		e, sum := env(), pattern.Count128{}
		parts := 1 + r.IntN(3)
		for i := range parts {
			got, err := homSums(background, d, s, p, e, part{i, parts})
			if err == nil {
				sum, err = sum.Add(got[0])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		restore()
		if want := closedWalks(view, s.N()); sum != pattern.Count(want) {
			t.Fatalf("%s: %v, want %v; limits %v, %d parts", name, sum, want, d.wedges, parts)
		}
		if u, done := e.Tally.Units.Load(), e.Tally.UnitsDone.Load(); u != done {
			t.Fatalf("%s: %d of %d tops done", name, done, u)
		}
		taken.TakeOver(e.Tally)
	}
	driven(t, taken, pattern.OrderedWedges, pattern.GPUWarp, pattern.HomParts)
	ctx, cancel := context.WithCancel(background)
	cancel()
	s := testgraph.Graph(17, testgraph.Cliques(1, 17), true)
	if _, err := d.CountHoms(ctx, s, walks(s, 4), env()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// closedWalks sums up the squares of the common neighbours of all pairs.
func closedWalks(view *csr.Adjacency, n uint64) (total uint64) {
	common := make([]uint64, n)
	for u := range csr.VertexID(n) {
		for _, v := range view.Neighbours(u) {
			for _, w := range view.Neighbours(v) {
				common[w]++
			}
		}
		for w := range common {
			total += common[w] * common[w]
			common[w] = 0
		}
	}
	return total
}

// A pair weighs as much as there are ways to choose its tips: the CPU counts the same graphs. Pairs without any are left out.
func TestTips(t *testing.T) {
	d, r := device(t), seeds(t)
	for range 60 * *roundFlag {
		s := testgraph.Random(r.Uint64(), testgraph.Options{Vertices: 1 + r.IntN(30), Edges: r.IntN(150), Types: 2, Simple: r.IntN(3) > 0})
		c := newTipCase(r, s)
		c.check(t, d)
	}
	for name, s := range graphs(r) {
		if s.N() > 0 && s.M() < 1200 && r.IntN(3) == 0 {
			t.Log(name)
			newTipCase(r, s).check(t, d)
		}
	}
}

// tipCase is a pair with one to three tips, which may have a neighbour of their own, as a program and as a graph.
type tipCase struct {
	s     *csr.Snapshot
	p     *hom.Program
	count *hom.Counter
	ok    bool
}

func newTipCase(r *rand.Rand, s *csr.Snapshot) *tipCase {
	c := &tipCase{s: s, p: &hom.Program{}, count: hom.NewCounter(s)}
	c.count.Leave(pattern.Techniques{}.With(pattern.EdgeSupports).With(pattern.OrderedWedges))
	alike := r.IntN(2) == 0 // supports of edges are for what is alike
	for i := range 3 {
		set := someOf(r, s, 1+r.IntN(1+i)*r.IntN(2))
		if alike {
			set = nil
		}
		c.p.Sets = append(c.p.Sets, set)
		c.count.AddSet(set)
	}
	factor := func() pattern.Factor {
		f := pattern.Factor{Undirected: true}
		if !alike {
			f = pattern.Factor{Undirected: r.IntN(2) == 0, Loops: r.IntN(2) == 0}
			if r.IntN(2) == 0 {
				f.Types = csr.TypeSet{csr.TypeID(r.IntN(2))}
			}
			if r.IntN(3) == 0 {
				f.Falls = []int{1}
			}
		}
		return f
	}
	var g hom.Graph
	g.Sets = []int{0, 0}
	c.p.Weights = []hom.Weight{{Set: 0}, {Set: 0}, {Set: 1}, {Set: 0, Parts: []hom.Part{{Rows: 0, Child: 1, Pass: -1, Out: -1}}}}
	rows := func(from, to int, f pattern.Factor, v, w int) int {
		f.From, f.To = v, w
		g.Factors = append(g.Factors, f)
		dir := csr.Out
		if f.Undirected {
			dir = csr.Both
		}
		c.p.Rows = append(c.p.Rows, hom.Rows{From: from, To: to, Factors: []hom.Factor{{Factor: &g.Factors[len(g.Factors)-1], View: s.Adjacency(f.Types, dir), Direction: dir}}})
		return len(c.p.Rows) - 1
	}
	rows(0, 0, factor(), 0, 1)
	leaf := rows(0, 0, factor(), 0, 2) // tells the first vertices apart
	g.Sets = append(g.Sets, 0)
	c.p.Weights[3].Parts = append(c.p.Weights[3].Parts, hom.Part{Rows: leaf, Child: 1, Pass: -1, Out: -1})
	near, far, tails, again := factor(), factor(), factor(), r.IntN(2)
	for range 1 + r.IntN(2) {
		set, own := 1, 2
		y := len(g.Sets)
		tip := hom.Tip{Near: rows(0, set, near, 0, y), Far: rows(0, set, far, 1, y)}
		g.Sets = append(g.Sets, set)
		if again == 0 && !alike {
			z := len(g.Sets)
			tail := rows(set, 2, tails, y, z)
			g.Sets = append(g.Sets, 2)
			c.p.Weights = append(c.p.Weights, hom.Weight{Set: 2}, hom.Weight{Set: set, Parts: []hom.Part{{Rows: tail, Child: len(c.p.Weights), Pass: -1, Out: -1}}})
			own = len(c.p.Weights) - 1
		}
		tip.Own = own
		if last := c.p.Rows[0].Tips; len(last) > 0 && alike {
			tip = last[0]
		}
		c.p.Rows[0].Tips = append(c.p.Rows[0].Tips, tip)
	}
	c.p.Sums = []hom.Sum{{Weight: 3, Pass: -1, Out: -1}}
	c.ok = c.count.Add(g)
	return c
}

func (c *tipCase) check(t *testing.T, d *Device) {
	t.Helper()
	if !c.ok {
		return
	}
	want, wantErr := c.count.Count(background, env())
	got, err := homSums(background, d, c.s, c.p, env(), whole)
	if err != nil || wantErr != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, %v; want %v, %v; %+v", got, err, want, wantErr, c.p)
	}
	err = d.run(background, func(t2 *task) error {
		h := &homs{task: t2, ctx: background, s: c.s, p: c.p, env: env(), part: whole}
		if err := h.prepare(); err != nil {
			return err
		}
		r, err := h.lists(0)
		if err != nil {
			return err
		}
		weights, offsets := make([]uint64, r.edges), make([]uint64, h.sets[0].n+1)
		if err := download(r.weights, weights); err != nil {
			return err
		}
		if slices.Contains(weights, 0) {
			t.Fatalf("pairs that weigh nothing: %v", weights)
		}
		err = download(r.offsets, offsets)
		if !slices.IsSorted(offsets) || offsets[len(offsets)-1] != r.edges {
			t.Fatalf("rows %v of %d entries", offsets, r.edges)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
