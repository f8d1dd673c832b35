package match

import (
	"slices"

	"github.com/motifql/motif/internal/pattern"
)

// byStrategy takes one vertex after the other: of those with an edge to an earlier one, if there are any, the one with the
// smallest key. Of equal keys, the smallest number wins.
func (m *model) byStrategy(bound, free []int, strategy pattern.OrderStrategy) []int {
	placed := make([]bool, len(m.p.Vertices))
	mark(placed, bound, nil, 0)
	seq := slices.Clone(bound)
	for len(seq) < len(m.p.Vertices) {
		next := m.next(placed, free)
		best, least := -1, []float64(nil)
		for _, u := range next {
			if key := m.key(strategy, placed, u); best < 0 || slices.Compare(key, least) < 0 {
				best, least = u, key
			}
		}
		placed[best] = true
		seq = append(seq, best)
	}
	return seq
}

// A pattern with more vertices or edges than this is large. The strategies take time by the cube of a pattern's size.
const (
	largeVertices = 256
	largeEdges    = 1024
)

func (m *model) large() bool { return len(m.p.Vertices) > largeVertices || len(m.p.Edges) > largeEdges }

// quick lists the vertices of a large pattern: always the one with the fewest candidates, of those that have an edge to an
// earlier one where there are any.
func (m *model) quick(bound, free []int) []int {
	seq := slices.Clone(bound)
	placed, joined := make([]bool, len(m.p.Vertices)), make([]bool, len(m.p.Vertices))
	join := func(u int) {
		placed[u] = true
		for _, i := range m.near[u] {
			joined[m.other(i, u)] = true
		}
	}
	for _, u := range bound {
		join(u)
	}
	for range free {
		best := -1
		for _, u := range free {
			switch {
			case placed[u] || best >= 0 && joined[best] && !joined[u]:
			case best < 0 || joined[u] && !joined[best] || m.size[u] < m.size[best]:
				best = u
			}
		}
		join(best)
		seq = append(seq, best)
	}
	return seq
}

// key returns what a strategy wants small of the next vertex, the most important part first.
func (m *model) key(strategy pattern.OrderStrategy, placed []bool, u int) []float64 {
	switch strategy {
	case pattern.OrderRI:
		return m.riKey(placed, u)
	case pattern.OrderGraphQL:
		rows := m.size[u] * m.self[u]
		for _, i := range m.near[u] {
			if placed[m.other(i, u)] {
				rows *= min(1, m.edgeChance(i))
			}
		}
		return []float64{rows}
	}
	return []float64{m.size[u]}
}

// riKey is RI's score, each part negated. The parts are: placed neighbours; placed vertices that share an unplaced neighbour with u;
// neighbours of u that are neither placed nor next to a placed vertex. The degree decides at the start.
func (m *model) riKey(placed []bool, u int) []float64 {
	visited, shared, open, met := 0.0, map[int]bool{}, 0.0, map[int]bool{u: true}
	for _, i := range m.near[u] {
		w := m.other(i, u)
		if met[w] {
			continue
		}
		met[w] = true
		if placed[w] {
			visited++
			continue
		}
		alone := true
		for _, k := range m.near[w] {
			if x := m.other(k, w); placed[x] {
				shared[x], alone = true, false
			}
		}
		if alone {
			open++
		}
	}
	return []float64{-visited, -float64(len(shared)), -open, m.size[u]}
}

// edgeChance is the probability that a pair of vertices with the labels of edge i's ends is joined.
func (m *model) edgeChance(i int) float64 {
	e := &m.p.Edges[i]
	return share(m.rels[i], m.base[e.From]*m.base[e.To])
}
