package match

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// A count as a sum of numbers of homomorphisms. Let H be the pattern, its edges weighing what pattern.Factor says.
//
// Every assignment of graph vertices to those of H makes one partition P of the vertices, those in one part having the
// same image. The assignments with partition P are the injective ones of the quotient H/P. If relationships must differ,
// edges that H/P makes parallel choose among the same m relationships: k of them in m (m-1) ... (m-k+1) ways.
// So the matches are the sum, over all P in which no two vertices that must differ share a part, of the injective
// assignments of H/P with these weights. And injective ones are the sum, over all Q coarser than P, of m(P,Q) times
// all assignments of H/Q, where m is the Möbius function of the lattice of partitions: the product, over the parts
// of Q, of (-1)^(k-1) (k-1)! for the k parts of P that it consists of. In H/Q, the weight of a pair is the product of
// the weights that it has in H/P; where Q makes one of the two ends of an edge of H/P there is no assignment, since
// such an edge weighs nothing then. Equal quotients are put together, and most cancel out.
//
// A match of an INDUCED scope is an assignment of H, but not of a graph with more edges on the same vertices. Inclusion
// and exclusion over the sets of added edges counts these. The same goes for a condition that two
// vertices are not related.

const (
	maxMergings  = 20_000 // pairs (P, Q) that are gone through, in all: some 50 ms
	maxTerms     = 400
	maxPlaces    = 200_000 // vertices placed in the search for isomorphic graphs: some 50 ms
	maxCanonical = 8       // vertices of a graph that is brought into one form with its isomorphic ones
)

// mergingsFor is how many of them a count is worth that visits so many partial matches by a search. Those of a pattern
// of many vertices take longer, each.
func mergingsFor(cost float64, vertices int) int {
	return int(min(maxMergings, cost/1000+20)*min(1, 36/float64(vertices*vertices))) + 1
}

// CountFormula returns the formula for the number of matches of p, or why no formula helps. symmetric says for
// each Distinct scope whether its matches are one of each subgraph's by pattern.Order.Symmetric; the formula leaves the
// division by the number of automorphisms to whoever uses it. cost, the partial matches of a search, bounds the effort.
func CountFormula(p *pattern.Pattern, s *csr.Snapshot, symmetric []bool, cost float64) (*pattern.Formula, string) {
	q, why := newQuotients(p, s, symmetric, nil)
	if why == "" {
		q.left = mergingsFor(cost, len(p.Vertices))
	}
	if why == "" {
		why = q.supergraphs()
	}
	if why != "" {
		return nil, why
	}
	return q.formula(), ""
}

// GroupFormula is CountFormula for pattern.Groups: each vertex of read is of a kind of its own.
func GroupFormula(p *pattern.Pattern, s *csr.Snapshot, read []int, cost float64) (*pattern.Formula, string) {
	if slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return sc.Distinct }) {
		return nil, "matches of one subgraph are compared one by one"
	}
	q, why := newQuotients(p, s, nil, read)
	if why == "" {
		q.left = mergingsFor(cost, len(p.Vertices))
		why = q.supergraphs()
	}
	if why != "" {
		return nil, why
	}
	return q.formula(), ""
}

// quotients makes a formula.
type quotients struct {
	p       *pattern.Pattern
	s       *csr.Snapshot
	scope   *pattern.Scope
	fold    bool     // assignments need not be injective, nor relationships differ
	kinds   []int    // by vertex
	classes [][]bool // of the snapshot, that the labels admit, by vertex
	differ  [][]bool // pairs that share no part of P
	joined  [][]bool // pairs that share no part of Q, since no loops can stand for what joins them
	added   []pattern.Factor
	sign    int64

	part  []int // P, by vertex
	parts int
	of    []int // Q, by part of P
	left  int   // of maxMergings
	forms canonical
}

// newQuotients begins a formula. The vertices of alone share no kind with others.
func newQuotients(p *pattern.Pattern, s *csr.Snapshot, symmetric []bool, alone []int) (*quotients, string) {
	if len(p.Scopes) == 0 || len(p.Vertices) == 0 {
		return nil, "there is nothing to match"
	}
	q := &quotients{p: p, s: s, scope: &p.Scopes[0], forms: newCanonical()}
	if why := q.beyond(symmetric); why != "" {
		return nil, why
	}
	q.fold = !slices.ContainsFunc(p.Scopes, func(sc pattern.Scope) bool { return effective(&sc) != pattern.RepeatableElements })
	if !q.fold && (len(p.Scopes) > 1 || len(q.scope.Vertices) < len(p.Vertices)) {
		return nil, "it is spread over several clauses"
	}
	n := len(p.Vertices)
	asks := make([]string, 0, n)
	for u := range n {
		ask, ok := demands(p, u)
		if !ok || slices.Contains(alone, u) {
			ask = fmt.Sprint("only ", u)
		}
		if i := slices.Index(asks, ask); i >= 0 {
			q.kinds = append(q.kinds, i)
		} else {
			q.kinds, asks = append(q.kinds, len(asks)), append(asks, ask)
		}
		q.classes = append(q.classes, admitted(s, p.Vertices[u].Labels))
		q.differ, q.joined = append(q.differ, make([]bool, n)), append(q.joined, make([]bool, n))
	}
	for i := range p.Edges {
		if e := &p.Edges[i]; e.AtLeastOne {
			set(q.differ, e.From, e.To)
			set(q.joined, e.From, e.To)
		} else if e.From != e.To && s.Stats.Loops(e.Types) == 0 {
			set(q.joined, e.From, e.To)
		}
	}
	for _, d := range p.Different {
		set(q.differ, d[0], d[1])
	}
	return q, ""
}

func set(pairs [][]bool, u, w int) { pairs[u][w], pairs[w][u] = true, true }

// effective is the mode of a scope, with what Induced and Distinct imply.
func effective(sc *pattern.Scope) pattern.Mode {
	if sc.Induced || sc.Distinct {
		return pattern.DifferentNodes
	}
	return sc.Mode
}

// beyond says what in p no formula can express.
func (q *quotients) beyond(symmetric []bool) string {
	p := q.p
	binds := func(v pattern.Vertex) bool { return v.Bound }
	given := func(e pattern.Edge) bool { return e.Bound }
	switch {
	case slices.ContainsFunc(p.Vertices, binds) || slices.ContainsFunc(p.Edges, given):
		return "some of it comes from an earlier clause"
	case len(p.Different) > 0 && effective(q.scope) != pattern.DifferentRelationships:
		return "some of its nodes must differ and others need not"
	}
	for i := range p.Predicates {
		if _, ok := p.Predicates[i].Single(); !ok && p.Predicates[i].Absent == nil {
			return "there is a condition on more than one node: " + p.Predicates[i].Text
		}
	}
	for i := range p.Scopes {
		if p.Scopes[i].Distinct && (i >= len(symmetric) || !symmetric[i]) {
			return "matches of one subgraph are compared one by one"
		}
	}
	return ""
}

// lone reports whether no two relationships of the types join two different vertices, in the same direction if directed.
func lone(s *csr.Snapshot, types csr.TypeSet, directed bool) bool {
	for t := range s.Stats.Types {
		if x := &s.Stats.Types[t]; types.Has(csr.TypeID(t)) && (x.Parallel || x.Reciprocal && !directed) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Stats.Shared, func(pair [2]csr.TypeID) bool { return types.Has(pair[0]) && types.Has(pair[1]) })
}

// supergraphs adds the terms of the pattern and, for INDUCED, of every graph with more edges.
func (q *quotients) supergraphs() string {
	var open []pattern.Factor
	if q.scope.Induced {
		var why string
		if open, why = q.unjoined(); why != "" {
			return why
		}
	}
	for i := range q.p.Predicates {
		if e := q.p.Predicates[i].Absent; e != nil {
			x := pattern.Factor{From: e.From, To: e.To, Types: e.Types, Undirected: e.Undirected}
			if e.Undirected {
				x.From, x.To = min(e.From, e.To), max(e.From, e.To)
			}
			open = append(open, x)
		}
	}
	if len(open) > 10 {
		return "too many relationships must not be there"
	}
	for set := range uint(1) << len(open) {
		q.added, q.sign = q.added[:0], 1
		for i := range open {
			if set>>i&1 != 0 {
				q.added, q.sign = append(q.added, open[i]), -q.sign
			}
		}
		q.part, q.parts = make([]int, 0, len(q.p.Vertices)), 0
		if why := q.partition(); why != "" {
			return why
		}
	}
	return ""
}

// unjoined lists the edges that INDUCED forbids, or says why that does not tell which graphs are matches.
func (q *quotients) unjoined() ([]pattern.Factor, string) {
	types := q.scope.InducedTypes
	if !lone(q.s, types, false) {
		return nil, "INDUCED counts the relationships between two nodes"
	}
	var open []pattern.Factor
	for b, w := range q.scope.Vertices {
		for _, u := range q.scope.Vertices[:b] {
			edges := 0
			least := false
			for i := range q.p.Edges {
				if e := &q.p.Edges[i]; e.From == u && e.To == w || e.From == w && e.To == u {
					edges, least = edges+1, least || e.AtLeastOne
					if !e.AtLeastOne && types != nil && !slices.Equal(types.Union(e.Types), types) {
						return nil, "INDUCED forbids relationships it needs"
					}
				}
			}
			switch {
			case edges == 0:
				open = append(open, pattern.Factor{From: min(u, w), To: max(u, w), Types: types, Undirected: true})
			case edges > 1 && !least:
				return nil, "INDUCED counts the relationships between two nodes"
			}
		}
	}
	if len(open) > 10 {
		return nil, "INDUCED forbids too many relationships"
	}
	return open, ""
}

// partition completes P in all ways from the vertex len(q.part) on.
func (q *quotients) partition() string {
	u := len(q.part)
	if u == len(q.p.Vertices) {
		factors, some, why := q.weights()
		if why != "" || !some {
			return why
		}
		q.of = make([]int, 0, q.parts)
		return q.coarsen(factors, 0)
	}
	blocks := q.parts
	for b := range blocks + 1 {
		if b < blocks && (q.fold || effective(q.scope) == pattern.DifferentNodes || !q.mayShare(u, b)) {
			continue
		}
		q.part, q.parts = append(q.part, b), max(blocks, b+1)
		why := q.partition()
		q.part, q.parts = q.part[:u], blocks
		if why != "" {
			return why
		}
	}
	return ""
}

// mayShare reports whether vertex u may join part b of P.
func (q *quotients) mayShare(u, b int) bool {
	for w, x := range q.part {
		if x == b && (q.differ[u][w] || q.joined[u][w]) {
			return false
		}
	}
	return overlap(q.common(func(w int) bool { return q.part[w] == b }), q.classes[u])
}

// common is the classes that all of the vertices admit, among those in q.part.
func (q *quotients) common(has func(w int) bool) []bool {
	all := slices.Repeat([]bool{true}, len(q.s.Classes))
	for w := range q.part {
		if has(w) {
			for i, ok := range q.classes[w] {
				all[i] = all[i] && ok
			}
		}
	}
	return all
}

// weights returns the factors of H/P; some is false if they are all 0.
func (q *quotients) weights() (factors []pattern.Factor, some bool, why string) {
	for i := range q.p.Edges {
		e := &q.p.Edges[i]
		x := pattern.Factor{From: q.part[e.From], To: q.part[e.To], Types: e.Types, Undirected: e.Undirected, Falls: []int{1}}
		if e.AtLeastOne {
			x.Falls = nil
		}
		x.Loops = q.fold && !e.AtLeastOne && x.From != x.To
		if !q.fold && !e.AtLeastOne {
			merged := false
			for j := range factors {
				switch q.clash(&factors[j], &x) {
				case together:
					factors[j].Falls[0]++
					merged = true
				case never:
					return nil, false, ""
				case unknown:
					return nil, false, "parallel relationships ask for different things"
				}
			}
			if merged {
				continue
			}
		}
		factors = append(factors, x)
	}
	for _, x := range q.added {
		x.From, x.To = q.part[x.From], q.part[x.To]
		factors = append(factors, x)
	}
	return factors, true, ""
}

// How two edges between the same vertices choose relationships that differ.
const (
	apart    = iota // independently
	together        // among the same ones
	never
	unknown
)

// clash says how an edge with weight x chooses besides one with weight f. What adds no relationship does not count.
func (q *quotients) clash(f, x *pattern.Factor) int {
	same := f.From == x.From && f.To == x.To
	switch {
	case f.Falls == nil || !same && (f.From != x.To || f.To != x.From) || !f.Types.Overlaps(x.Types):
		return apart
	case f.From == f.To && f.Types.Equal(x.Types):
		return together
	case f.From == f.To:
		return unknown
	case !f.Undirected && !x.Undirected && !same:
		return apart
	case f.Undirected == x.Undirected && f.Types.Equal(x.Types):
		return together
	case lone(q.s, f.Types.Union(x.Types), !f.Undirected && !x.Undirected):
		return never
	}
	return unknown
}

// coarsen completes Q in all ways from part len(q.of) of P on. Q has blocks parts so far.
func (q *quotients) coarsen(factors []pattern.Factor, blocks int) string {
	c := len(q.of)
	if c == q.parts {
		if q.left--; q.left < 0 || len(q.forms.terms) > maxTerms || q.forms.places > maxPlaces {
			return "it has too many quotients to be worth it"
		}
		q.add(factors, blocks)
		return ""
	}
	for b := range blocks + 1 {
		if b < blocks && (q.fold || !q.mayMerge(factors, c, b)) {
			continue
		}
		q.of = append(q.of, b)
		why := q.coarsen(factors, max(blocks, b+1))
		q.of = q.of[:c]
		if why != "" {
			return why
		}
	}
	return ""
}

// mayMerge reports whether part c of P may join part b of Q: no edge leads there, and some vertex may stand for both.
func (q *quotients) mayMerge(factors []pattern.Factor, c, b int) bool {
	for i := range factors {
		x := &factors[i]
		if far := x.From + x.To - c; x.From != x.To && (x.From == c || x.To == c) && far < c && q.of[far] == b {
			return false
		}
	}
	both := q.common(func(w int) bool { return q.part[w] == c || q.part[w] < c && q.of[q.part[w]] == b })
	return slices.Contains(both, true)
}

// add adds the term of H/Q.
func (q *quotients) add(factors []pattern.Factor, blocks int) {
	coefficient, size := q.sign, make([]int64, blocks)
	for _, b := range q.of {
		if size[b] > 0 {
			coefficient *= -size[b]
		}
		size[b]++
	}
	t := pattern.Term{Coefficient: coefficient, Vertices: make([][]int, blocks)}
	for u, b := range q.part {
		if at := &t.Vertices[q.of[b]]; !slices.Contains(*at, q.kinds[u]) {
			*at = append(*at, q.kinds[u])
		}
	}
	for _, kinds := range t.Vertices {
		slices.Sort(kinds)
	}
	for _, x := range factors {
		x.From, x.To = q.of[x.From], q.of[x.To]
		if x.Undirected && x.From > x.To {
			x.From, x.To = x.To, x.From
		}
		same := func(y pattern.Factor) bool {
			return x.From == y.From && x.To == y.To && x.Types.Equal(y.Types) && x.Undirected == y.Undirected && x.Loops == y.Loops
		}
		if i := slices.IndexFunc(t.Factors, same); i >= 0 {
			t.Factors[i].Falls = append(slices.Clip(t.Factors[i].Falls), x.Falls...)
			slices.Sort(t.Factors[i].Falls)
		} else {
			t.Factors = append(t.Factors, x)
		}
	}
	for i := range t.Factors {
		if !q.simplify(&t.Factors[i]) {
			return
		}
	}
	q.forms.add(&t)
}

// simplify makes weights that are equal on this snapshot the same. It reports false if they are always 0.
func (q *quotients) simplify(x *pattern.Factor) bool {
	if x.From == x.To {
		x.Undirected, x.Loops = false, false
		return q.s.Stats.Loops(x.Types) > 0
	}
	if x.Loops = x.Loops && q.s.Stats.Loops(x.Types) > 0; x.Loops || !lone(q.s, x.Types, !x.Undirected) {
		return true
	}
	if n := len(x.Falls); n > 0 && x.Falls[n-1] > 1 {
		return false
	}
	x.Falls = nil
	return true
}

// formula is what has been added up.
func (q *quotients) formula() *pattern.Formula {
	return &pattern.Formula{Kinds: q.kinds, Terms: q.forms.sum()}
}
