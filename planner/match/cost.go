package match

import (
	"math"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// model estimates how many partial embeddings an extension leaves, from candidate set sizes and statistics.
//
// Of a query edge it knows how many relationships join vertices of the labels at its ends (from Stats.Triples)
// and takes them as spread evenly over those vertices, with two corrections. Candidate sets shrink because of
// the very edges to follow, so each candidate is taken to have at least one partner. And a
// vertex reached through one edge has more other edges than the average vertex: Stats' wedge counts say how many.
type model struct {
	p        *pattern.Pattern
	s        *csr.Snapshot
	triples  *tripleIndex
	size     []float64 // candidates by query vertex
	filtered bool      // size is what the filter has left, not an estimate
	base     []float64 // vertices with the labels it asks for
	near     [][]int   // edges at each query vertex, loops left out
	self     []float64 // by query vertex: the share of candidates that have the loops it asks for
	rels     []float64 // by edge: relationships that join vertices of its ends' labels, as (From, To) pairs
	join     []float64 // by edge: how often a candidate pair is joined, on average
	// Found on demand, 0 before: by edge and end, see relsAt; by two edges, see skewOf.
	at   [][2]float64
	skew [][]float64
}

// newModel takes the candidate counts of the free vertices; bound ones have one candidate, the ends of a bound
// relationship at most two.
func newModel(p *pattern.Pattern, s *csr.Snapshot, sizes []float64, filtered bool) *model {
	n, edges := len(p.Vertices), len(p.Edges)
	m := &model{p: p, s: s, filtered: filtered, size: slices.Clone(sizes), near: edgesAt(p), at: make([][2]float64, edges), skew: make([][]float64, edges)}
	room := make([]float64, 2*n+2*edges)
	m.base, m.self = room[:0:n], room[n:n:2*n]
	m.rels, m.join = room[2*n:2*n:2*n+edges], room[2*n+edges:2*n+edges]
	for u := range p.Vertices {
		m.base = append(m.base, labelled(s, p.Vertices[u].Labels))
		switch {
		case p.Vertices[u].Bound:
			m.size[u] = 1
		case m.size[u] > 0:
			m.size[u] = max(1, m.size[u])
		}
	}
	for range p.Vertices {
		m.self = append(m.self, 1)
	}
	if len(p.Edges) > 0 {
		m.triples = triplesOf(s)
	}
	pairs := len(p.Edges)
	if m.large() {
		pairs = 0
	}
	skew := make([]float64, len(p.Edges)*pairs)
	for i := range p.Edges {
		e := &p.Edges[i]
		m.rels = append(m.rels, relationships(s, m.triples, e, p.Vertices[e.From].Labels, p.Vertices[e.To].Labels))
		if e.Bound {
			m.size[e.From], m.size[e.To] = min(m.size[e.From], 2), min(m.size[e.To], 2)
		}
		m.skew[i] = skew[i*pairs : (i+1)*pairs]
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		m.join = append(m.join, m.joined(i))
		if e.From == e.To {
			m.self[e.From] *= min(1, float64(s.Stats.Loops(e.Types))/max(1, float64(s.N())))
		}
	}
	return m
}

// edgesAt lists the edges at each vertex of p without loops, in two pieces of memory.
func edgesAt(p *pattern.Pattern) [][]int {
	near, degree := make([][]int, len(p.Vertices)), make([]int, len(p.Vertices)+2*len(p.Edges))
	room := degree[len(p.Vertices):]
	for i := range p.Edges {
		if e := &p.Edges[i]; e.From != e.To {
			degree[e.From]++
			degree[e.To]++
		}
	}
	for u := range near {
		near[u], room = room[:0:degree[u]], room[degree[u]:]
	}
	for i := range p.Edges {
		if e := &p.Edges[i]; e.From != e.To {
			near[e.From], near[e.To] = append(near[e.From], i), append(near[e.To], i)
		}
	}
	return near
}

// joined estimates how many relationships a pair of candidates of edge i's ends has on average.
func (m *model) joined(i int) float64 {
	e := &m.p.Edges[i]
	a, b := e.From, e.To
	if m.size[a] == 0 || m.size[b] == 0 {
		return 0
	}
	pairs := m.rels[i] * share(m.size[a], m.base[a]) * share(m.size[b], m.base[b])
	if !m.p.Vertices[a].Bound && !m.p.Vertices[b].Bound {
		pairs = min(m.rels[i], max(pairs, m.size[a], m.size[b]))
	}
	j := pairs / (m.size[a] * m.size[b])
	if e.AtLeastOne || e.Bound {
		j = min(j, 1)
	}
	return j
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return min(1, part/whole)
}

// extension is by how much adding vertex u multiplies the embeddings of the vertices in placed. The edge that
// leaves the fewest candidates brings u in; each further one closes a cycle. Real graphs close cycles far more
// often than chance would, hence the root: half way, on a log scale, between chance and certainty.
func (m *model) extension(placed []bool, u int) float64 {
	first, least := -1, math.Inf(1)
	closing := 1.0
	for _, i := range m.near[u] {
		w := m.other(i, u)
		if !placed[w] {
			continue
		}
		if f := m.size[u] * m.join[i] * m.crowd(placed, w, i, u); f < least {
			if first >= 0 {
				closing *= chance(m.join[first])
			}
			first, least = i, f
		} else {
			closing *= chance(m.join[i])
		}
	}
	if n := m.equalities(placed, u); n > 0 { // a value is taken to be that of the root of all
		closing *= math.Pow(max(1, m.size[u]), -float64(n)/2)
	}
	if first < 0 {
		least = m.size[u]
	}
	return least * closing * m.self[u]
}

func chance(join float64) float64 {
	if join < 1 {
		return math.Sqrt(join)
	}
	return join
}

// crowd is the factor by which w, having edges to placed vertices already, has more relationships for edge i than
// the average candidate. The skew is that of all vertices with w's labels. The more of them the filter has taken
// away, the more alike are the rest; conditions, which is all that estimated sizes know, leave it as it is.
func (m *model) crowd(placed []bool, w, i, u int) float64 {
	most := 1.0
	if m.large() {
		return most
	}
	found := false
	for _, k := range m.near[w] {
		if o := m.other(k, w); k != i && o != u && placed[o] {
			if f := m.skewOf(k, i, w); !found || f > most {
				most, found = f, true
			}
		}
	}
	return most
}

// skewOf compares how many pairs of relationships, one for edge k and one for edge i, meet at w with how many there
// would be if degrees were even, as far as w's candidates are like all vertices with its labels; see crowd. Two edges meet
// at two vertices only where they are parallel: either will do.
func (m *model) skewOf(k, i, w int) float64 {
	if m.skew[k][i] == 0 {
		m.skew[k][i] = max(1e-3, m.wedges(k, i, w))
		if m.filtered {
			m.skew[k][i] = math.Pow(m.skew[k][i], share(m.size[w], m.base[w]))
		}
	}
	return m.skew[k][i]
}

// wedges scales the statistics, which are over all vertices, to those with w's labels: they are taken to have
// their share of the pairs.
func (m *model) wedges(k, i, w int) float64 {
	a, b := &m.p.Edges[k], &m.p.Edges[i]
	aout, ain := ways(a, w)
	bout, bin := ways(b, w)
	pairs, ka, ib := 0.0, 0.0, 0.0 // relationships of the edges, seen from the middle
	for t := range m.s.Stats.Types {
		st := &m.s.Stats.Types[t]
		has, too := a.Types.Has(csr.TypeID(t)), b.Types.Has(csr.TypeID(t))
		if has {
			ka += float64(st.Edges) * (aout + ain)
		}
		if too {
			ib += float64(st.Edges) * (bout + bin)
		}
		if has && too {
			pairs += aout*bout*st.OutOut + ain*bin*st.InIn + (aout*bin+ain*bout)*st.InOut
		}
	}
	here := m.relsAt(k, w) * m.relsAt(i, w)
	if ka*ib == 0 || here == 0 || !a.Types.Overlaps(b.Types) {
		return 1
	}
	return pairs * m.base[w] / math.Sqrt(ka*ib*here)
}

// relsAt is how many relationships for edge i vertices with the labels of its end w have.
func (m *model) relsAt(i, w int) float64 {
	e, end := &m.p.Edges[i], 0
	from, to := m.p.Vertices[w].Labels, (*pattern.Label)(nil)
	if e.From != w {
		end, from, to = 1, to, from
	}
	if m.at[i][end] == 0 {
		m.at[i][end] = relationships(m.s, m.triples, e, from, to)
	}
	return m.at[i][end]
}

// ways says whether an edge takes relationships out of and into its end w: 1 or 0 each.
func ways(e *pattern.Edge, w int) (out, in float64) {
	if e.Undirected {
		return 1, 1
	}
	if e.From == w {
		return 1, 0
	}
	return 0, 1
}

// other is the end of edge i that is not u.
func (m *model) other(i, u int) int { return m.p.Edges[i].From + m.p.Edges[i].To - u }

// connected reports whether u has an edge to a placed vertex, or must have a value that one has.
func (m *model) connected(placed []bool, u int) bool {
	return slices.ContainsFunc(m.near[u], func(i int) bool { return placed[m.other(i, u)] }) || m.equalities(placed, u) > 0
}

// equalities counts the equalities of u's values with those of placed vertices.
func (m *model) equalities(placed []bool, u int) (n int) {
	for i := range m.p.Predicates {
		if q := m.p.Predicates[i].Equal; q != nil {
			if w := q.Other(u); w >= 0 && placed[w] {
				n++
			}
		}
	}
	return n
}
