package planner

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// How many matches the parts of a clause with paths promise. The order of the parts follows from it.

// matches guesses how many matches the component of a node has: the choices of its nodes, times the share of them that relationships
// join.
func (c *pathClause) matches(name string, pinned map[string]bool) float64 {
	total := 1.0
	for _, n := range c.component(name) {
		if size := c.admitted(n); !pinned[n] {
			total *= size
		}
	}
	for _, r := range c.fixed {
		if c.find(r.left) == c.find(name) {
			step := &r.hop.steps[0]
			total *= relationships(c.b.snap, step.types, step.dir == lang.Undirected) / (c.admitted(r.left) * c.admitted(r.right))
		}
	}
	return total
}

// admitted is how many nodes have the labels of a node of the clause, and at least 1.
func (c *pathClause) admitted(name string) float64 {
	label, n := c.label(name), 0
	for i := range c.b.snap.Classes {
		if cl := &c.b.snap.Classes[i]; label.Admits(cl.Labels) {
			n += cl.Len()
		}
	}
	return max(1, float64(n))
}

// ways guesses how many matches of a part begin at one node.
func (p *pathPart) ways(s *csr.Snapshot) float64 {
	total := 1.0
	for _, h := range p.hops {
		degree := 1.0
		for _, st := range h.steps {
			degree *= relationships(s, st.types, st.dir == lang.Undirected) / float64(max(1, s.N()))
		}
		total = min(total*repetitions(degree, h.min, h.max), 1e18)
	}
	return total
}

// relationships counts those of some types, undirected ones from both ends.
func relationships(s *csr.Snapshot, types csr.TypeSet, both bool) (n float64) {
	for t := range s.Types.Len() {
		if types == nil || slices.Contains(types, csr.TypeID(t)) {
			n += float64(s.Stats.Types[t].Edges)
		}
	}
	if both {
		n *= 2
	}
	return n
}

// repetitions guesses the ways to repeat something min to max times, if each repetition has so many ways.
func repetitions(degree float64, min, max int) (total float64) {
	if max < 0 {
		max = min + 6 // more cannot be guessed
	}
	for i := min; i <= max && total < 1e18; i++ {
		total += math.Pow(degree, float64(i))
	}
	return total
}
