package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// A Distinct scope keeps one of all matches that bind the same vertices and the same relationships. Let f be a
// match and S the skeleton of the scope: its vertices and the edges that bind a relationship, without labels, types
// and directions. A match g with the same two sets maps them by an automorphism of S, since both f and g are
// injective and every relationship has the same two ends under both: g(x) = f(h(x)) for some automorphism h of S. So the
// matches that compete with f are those f·h that happen to match, h in Aut(S).
//
// Call h full if it also keeps labels, conditions, types, directions and AtLeastOne edges; then f·h always matches. Call
// h possible unless one of these shows that f and f·h can never both match:
//
//   - some vertex u and h(u) ask for labels that no class of vertices of this snapshot satisfies both of, as
//     f(h(u)) would have to;
//   - some edge e and h(e) have no type in common;
//   - e and h(e) are directed and h turns e around (the relationship f(h(e)) would have to run both ways; its ends
//     differ, for f is injective);
//   - h moves a bound vertex or edge (f and f·h would both have to give it the same element, and are injective).
//
// If every possible h is full, then the competitors of f are exactly the f·h with h in the group G of full
// automorphisms, whatever the data. Among the |G| arrangements, f being injective on vertices, exactly one
// satisfies Grochow and Kellis' constraints: with vertices b1, b2, ... and O_i the images of b_i under those members
// of G that fix b1 to b_(i-1), f(b_i) > f(v) for all other v in O_i. (We take the greater number first: numbers rise
// as degrees fall, so that extensions lead to the few vertices of higher degree.)
//
// Only then is the scope Symmetric. Two parallel edges could be exchanged with all vertices in place, which no
// constraint on vertices sees: such scopes are not. Neither are scopes that share a vertex with another scope or have
// one in a Different pair with a vertex outside, nor those whose search below takes too long. A condition is kept by h
// where vertices with equal sets of single-vertex conditions (Predicate.Shape) change places; a vertex that occurs
// in any other condition must stay where it is. INDUCED speaks of the bound sets only and is kept by every h.
//
// Whether all possible h are full is decided without listing them: h is not full if it sends a vertex or a pair to one
// that differs in what it asks for, so for each such vertex or pair we look for a possible h that does. The group
// itself is listed as a stabiliser chain, never whole.

// searchBudget bounds the assignments tried for one scope. A star of 30 leaves needs 35,000.
const searchBudget = 1 << 17

// symmetry is the analysis of one Distinct scope. Vertices are numbered by their place in the scope.
type symmetry struct {
	p        *pattern.Pattern
	scope    int
	vertices []int
	edge     [][]int    // binding edge between two vertices, loops on the diagonal; -1: none
	least    [][]string // what AtLeastOne edges two vertices have
	colour   []string   // labels and conditions
	classes  [][]bool   // by vertex: which classes of the snapshot its labels admit
	near     [][]int    // skeleton neighbours
	budget   int
}

// breakSymmetry fills in Symmetric, Chains and the constraints of the steps (constrain, in automorphism.go), and returns a sentence per scope for
// EXPLAIN ("" for scopes that are not Distinct).
func breakSymmetry(p *pattern.Pattern, s *csr.Snapshot, o *pattern.Order) []string {
	o.Symmetric = make([]bool, len(p.Scopes))
	o.Chains = make([]pattern.Chain, len(p.Scopes))
	notes := make([]string, len(p.Scopes))
	for i := range p.Scopes {
		if !p.Scopes[i].Distinct {
			continue
		}
		y, why := newSymmetry(p, s, i)
		if why == "" {
			why = y.uneven()
		}
		if why == "" {
			why = y.constrain(o)
		}
		if why != "" {
			notes[i] = "matches of one subgraph are compared one by one: " + why
			continue
		}
		notes[i] = y.describe(o)
	}
	return notes
}

// newSymmetry prepares the analysis, or says why the scope cannot be Symmetric.
func newSymmetry(p *pattern.Pattern, s *csr.Snapshot, scope int) (*symmetry, string) {
	y := &symmetry{p: p, scope: scope, vertices: p.Scopes[scope].Vertices, budget: searchBudget}
	if why := y.entangled(); why != "" {
		return nil, why
	}
	k := len(y.vertices)
	y.near = make([][]int, k)
	for range k {
		y.edge = append(y.edge, slices.Repeat([]int{-1}, k))
		y.least = append(y.least, make([]string, k))
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		if e.Scope != scope {
			continue
		}
		a, b := slices.Index(y.vertices, e.From), slices.Index(y.vertices, e.To)
		switch {
		case e.AtLeastOne:
			types := fmt.Sprint(e.Types == nil, e.Types)
			y.least[a][b] += way(e.Undirected, "to") + types
			y.least[b][a] += way(e.Undirected, "from") + types
		case y.edge[a][b] >= 0:
			return nil, "parallel relationships can change places"
		default:
			y.edge[a][b], y.edge[b][a] = i, i
			y.near[a], y.near[b] = append(y.near[a], b), append(y.near[b], a)
		}
	}
	for _, u := range y.vertices {
		classes := admitted(s, p.Vertices[u].Labels)
		y.classes, y.colour = append(y.classes, classes), append(y.colour, y.colourOf(u, classes))
	}
	return y, ""
}

// way names the direction of an edge as seen from one end.
func way(undirected bool, direction string) string {
	if undirected {
		return "with"
	}
	return direction
}

// entangled says why what stands outside the scope keeps it from being looked at alone.
func (y *symmetry) entangled() string {
	for i := range y.p.Scopes {
		if i != y.scope && slices.ContainsFunc(y.p.Scopes[i].Vertices, func(u int) bool { return slices.Contains(y.vertices, u) }) {
			return "another clause uses its nodes"
		}
	}
	for i := range y.p.Edges {
		e := &y.p.Edges[i]
		from, to := slices.Contains(y.vertices, e.From), slices.Contains(y.vertices, e.To)
		if e.Scope == y.scope && !(from && to) || e.Scope != y.scope && (from || to) {
			return "a relationship leads out of it"
		}
	}
	for _, d := range y.p.Different {
		if slices.Contains(y.vertices, d[0]) != slices.Contains(y.vertices, d[1]) {
			return "a node must differ from one outside"
		}
	}
	return ""
}

// colourOf is what vertex u, whose labels admit these classes, asks for, in a form that is equal for two vertices
// only if they ask for the same.
func (y *symmetry) colourOf(u int, classes []bool) string {
	if y.p.Vertices[u].Bound {
		return fmt.Sprint("only ", u)
	}
	var shapes []string
	for i := range y.p.Predicates {
		q := &y.p.Predicates[i]
		reads := slices.Contains(q.Vertices, u)
		for _, e := range q.Edges {
			reads = reads || y.p.Edges[e].From == u || y.p.Edges[e].To == u
		}
		if !reads {
			continue
		}
		if _, single := q.Single(); !single || q.Shape == "" || q.Scope != y.scope {
			return fmt.Sprint("only ", u)
		}
		shapes = append(shapes, q.Shape)
	}
	slices.Sort(shapes)
	return fmt.Sprint(classes) + strings.Join(slices.Compact(shapes), "\x00")
}

// admitted says which classes of the snapshot satisfy l.
func admitted(s *csr.Snapshot, l *pattern.Label) []bool {
	ok := make([]bool, len(s.Classes))
	for i := range s.Classes {
		ok[i] = l.Admits(s.Classes[i].Labels)
	}
	return ok
}

func overlap(a, b []bool) bool {
	for i := range a {
		if a[i] && b[i] {
			return true
		}
	}
	return false
}

// A kind of automorphism says which vertex a may go to x, and which pair (a, b) to (x, z); a = b is about loops.
type kind struct {
	vertex func(a, x int) bool
	pair   func(a, b, x, z int) bool
}

func (y *symmetry) possible() kind { return kind{y.mayVertex, y.mayPair} }

func (y *symmetry) sameVertex(a, x int) bool { return y.colour[a] == y.colour[x] }

func (y *symmetry) mayVertex(a, x int) bool {
	if y.p.Vertices[y.vertices[a]].Bound || y.p.Vertices[y.vertices[x]].Bound {
		return a == x
	}
	return overlap(y.classes[a], y.classes[x])
}

// samePair: (a, b) and (x, z) have edges that ask for the same, in the same direction, or none.
func (y *symmetry) samePair(a, b, x, z int) bool {
	i, k := y.edge[a][b], y.edge[x][z]
	if (i < 0) != (k < 0) || y.least[a][b] != y.least[x][z] {
		return false
	}
	if i < 0 {
		return true
	}
	e, f := &y.p.Edges[i], &y.p.Edges[k]
	if !e.Types.Equal(f.Types) || (e.Bound || f.Bound) && i != k {
		return false
	}
	return a == b || e.Undirected && f.Undirected || !e.Undirected && !f.Undirected && y.along(i, a) == y.along(k, x)
}

// mayPair: (a, b) and (x, z) have edges that one relationship could satisfy both, or none.
func (y *symmetry) mayPair(a, b, x, z int) bool {
	i, k := y.edge[a][b], y.edge[x][z]
	if (i < 0) != (k < 0) {
		return false
	}
	if i < 0 {
		return true
	}
	e, f := &y.p.Edges[i], &y.p.Edges[k]
	if !e.Types.Overlaps(f.Types) || (e.Bound || f.Bound) && i != k {
		return false
	}
	return a == b || e.Undirected || f.Undirected || y.along(i, a) == y.along(k, x)
}

// along reports whether edge i runs away from vertex a.
func (y *symmetry) along(i, a int) bool { return y.p.Edges[i].From == y.vertices[a] }

// uneven looks for a possible automorphism that is not full and says what it confuses.
func (y *symmetry) uneven() string {
	k := len(y.vertices)
	for a := range k {
		for x := range k {
			if !y.mayVertex(a, x) || y.sameVertex(a, x) && (y.samePair(a, a, x, x) || !y.mayPair(a, a, x, x)) {
				continue
			}
			if y.find(y.possible(), [][2]int{{a, x}}) != nil {
				return fmt.Sprintf("%s and %s may change places but ask for different things", y.name(a), y.name(x))
			}
		}
	}
	related := y.pairs(func(a, b int) bool { return y.edge[a][b] >= 0 })
	if why := y.unevenPairs(related, related); why != "" {
		return why
	}
	// Of two pairs of which one has an AtLeastOne edge, it may be taken for the one that moves: the inverse of a
	// possible automorphism is possible.
	apart := func(a, b int) bool { return y.edge[a][b] < 0 }
	return y.unevenPairs(y.pairs(func(a, b int) bool { return apart(a, b) && y.least[a][b] != "" }), y.pairs(apart))
}

// pairs lists the pairs a < b that have a property.
func (y *symmetry) pairs(has func(a, b int) bool) [][2]int {
	var out [][2]int
	for a := range y.vertices {
		for b := a + 1; b < len(y.vertices); b++ {
			if has(a, b) {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// unevenPairs looks for a possible automorphism that sends one of the pairs to one of the images, either way
// round, though the two ask for different things.
func (y *symmetry) unevenPairs(pairs, images [][2]int) string {
	for _, p := range pairs {
		for _, q := range images {
			for _, to := range [][2]int{q, {q[1], q[0]}} {
				if y.samePair(p[0], p[1], to[0], to[1]) || !y.mayPair(p[0], p[1], to[0], to[1]) {
					continue
				}
				if y.find(y.possible(), [][2]int{{p[0], to[0]}, {p[1], to[1]}}) != nil {
					return fmt.Sprintf("%s, %s and %s, %s may change places but are related in different ways",
						y.name(p[0]), y.name(p[1]), y.name(to[0]), y.name(to[1]))
				}
			}
		}
	}
	return ""
}

func (y *symmetry) name(a int) string {
	if n := y.p.Vertices[y.vertices[a]].Name; n != "" {
		return n
	}
	return fmt.Sprint("node ", a+1)
}
