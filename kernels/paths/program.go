package paths

import (
	"context"
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// program is a path pattern compiled for a search from one of its ends. It holds the views, and each test at the last element that the
// test reads.
type program struct {
	nodes []progNode // one more than hops
	hops  []progHop
	mode  pattern.PathMode
	back  bool // from the last node to the first
	least int  // relationships of the shortest walk that the bounds allow
	most  int  // relationships of the longest walk; math.MaxInt without a bound
	loops int  // hops without a fixed number of relationships
}

type progNode struct {
	labels *pattern.Label
	slot   int // variable; -1: none
	tests  []progTest
	again  bool // of a loop: the same variable stands before it in the repetition
}

// progTest is a test. A local test reads only its own element or, in a loop, one repetition.
type progTest struct {
	fn    pattern.Test
	local bool
	ends  bool // it reads no element but the ends of the pattern
}

type progHop struct {
	steps    []progStep
	inner    []progNode // always one more than steps
	min, max int        // max is math.MaxInt without a bound
	at       int        // the hop's number in the pattern
}

type progStep struct {
	types csr.TypeSet
	dir   csr.Direction
	adj   *csr.Adjacency
	slot  int
	tests []progTest
}

// newProgram compiles p. With back set, the search starts at the last node.
func newProgram(ctx context.Context, s *csr.Snapshot, p *pattern.Path, back bool) (*program, error) {
	g := &program{mode: p.Mode, back: back}
	for _, n := range p.Nodes {
		g.nodes = append(g.nodes, progNode{labels: n.Labels, slot: n.Var})
	}
	for i, h := range p.Hops {
		hop := progHop{min: h.Min, max: h.Max, at: i}
		if h.Max < 0 {
			hop.max = math.MaxInt
		}
		for _, st := range h.Steps {
			step := progStep{types: st.Types, dir: st.Direction, slot: st.Var}
			if back {
				step.dir = st.Direction.Reverse()
			}
			var err error
			if step.adj, err = s.View(ctx, st.Types, step.dir); err != nil {
				return nil, err
			}
			hop.steps = append(hop.steps, step)
		}
		for _, n := range h.Inner {
			hop.inner = append(hop.inner, progNode{labels: n.Labels, slot: n.Var})
		}
		for len(hop.inner) <= len(hop.steps) {
			hop.inner = append(hop.inner, progNode{slot: -1})
		}
		if back {
			slices.Reverse(hop.steps)
			slices.Reverse(hop.inner)
		}
		g.hops = append(g.hops, hop)
	}
	if back {
		slices.Reverse(g.nodes)
		slices.Reverse(g.hops)
	}
	g.measure()
	g.hang(p.Tests)
	return g, nil
}

// measure computes the bounds of a walk's length.
func (g *program) measure() {
	for i := range g.hops {
		h := &g.hops[i]
		k := len(h.steps)
		if h.min != h.max {
			g.loops++
		}
		g.least = addCapped(g.least, timesCapped(h.min, k))
		g.most = addCapped(g.most, timesCapped(h.max, k))
	}
}

func addCapped(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func timesCapped(a, b int) int {
	if b != 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// hang attaches every test to the element that binds the last of its variables.
func (g *program) hang(tests []pattern.PathTest) {
	for i := range g.hops {
		h := &g.hops[i]
		seen := map[int]bool{}
		for j := range h.inner {
			n := &h.inner[j]
			n.again = n.slot >= 0 && seen[n.slot]
			seen[n.slot] = true
		}
	}
	for _, t := range tests {
		if t.Hop < 0 {
			g.hangOutside(t)
			continue
		}
		i := slices.IndexFunc(g.hops, func(h progHop) bool { return h.at == t.Hop })
		g.hops[i].hang(t)
	}
}

// hang attaches the test of a loop to one of its elements.
func (h *progHop) hang(t pattern.PathTest) {
	place := &h.inner[0].tests
	vertices, edges := slices.Clone(t.Vertices), slices.Clone(t.Edges)
	for j := range h.inner {
		if j > 0 {
			if st := &h.steps[j-1]; remove(&edges, st.slot) {
				place = &st.tests
			}
		}
		if n := &h.inner[j]; remove(&vertices, n.slot) {
			place = &n.tests
		}
	}
	*place = append(*place, progTest{fn: t.Test, local: true})
}

func (g *program) hangOutside(t pattern.PathTest) {
	place := &g.nodes[0].tests
	vertices, edges := slices.Clone(t.Vertices), slices.Clone(t.Edges)
	for i := range g.nodes {
		if i > 0 {
			for j := range g.hops[i-1].steps {
				if st := &g.hops[i-1].steps[j]; remove(&edges, st.slot) {
					place = &st.tests
				}
			}
		}
		if n := &g.nodes[i]; remove(&vertices, n.slot) {
			place = &n.tests
		}
	}
	*place = append(*place, progTest{fn: t.Test, local: len(t.Vertices)+len(t.Edges) <= 1, ends: g.readsEnds(&t)})
}

// readsEnds reports whether a test reads no element but the ends of the pattern.
func (g *program) readsEnds(t *pattern.PathTest) bool {
	first, last := g.nodes[0].slot, g.nodes[len(g.hops)].slot
	return t.Hop < 0 && len(t.Edges) == 0 && !slices.ContainsFunc(t.Vertices, func(v int) bool { return v != first && v != last })
}

// remove removes x from list and reports whether it was there.
func remove(list *[]int, x int) bool {
	i := slices.Index(*list, x)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

// plain reports whether the pattern is one relationship any number of times, from 0 or 1 on, without conditions on nodes
// between. Then shortest walks repeat nothing.
func (g *program) plain() bool {
	return g.uniform() && g.hops[0].min <= 1 && len(g.hops[0].steps[0].tests) == 0
}

// uniform reports whether the pattern repeats one relationship, without conditions on nodes between.
func (g *program) uniform() bool {
	if len(g.hops) != 1 || len(g.hops[0].steps) != 1 {
		return false
	}
	for _, n := range g.hops[0].inner {
		if n.labels != nil || n.slot >= 0 || len(n.tests) > 0 {
			return false
		}
	}
	return true
}
