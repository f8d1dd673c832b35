package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// find returns an automorphism of the skeleton, of the given kind, that makes the fixed assignments: image[a] is
// where vertex a goes. It returns nil if no such automorphism exists. It also does when the budget has run out and is negative.
func (y *symmetry) find(k kind, fixed [][2]int) []int {
	n := len(y.vertices)
	image, used := slices.Repeat([]int{-1}, n), make([]bool, n)
	for _, f := range fixed {
		if used[f[1]] || !y.fits(k, image, f[0], f[1]) {
			return nil
		}
		image[f[0]], used[f[1]] = f[1], true
	}
	if !y.extend(k, image, used) {
		return nil
	}
	return image
}

// extend completes image by backtracking. A vertex next to an assigned one comes first; it is tried in its own
// place first.
func (y *symmetry) extend(k kind, image []int, used []bool) bool {
	a := y.open(image)
	if a < 0 {
		return true
	}
	for i := range image {
		x := i
		switch { // a itself before 0, 1, 2, ...
		case i == 0:
			x = a
		case i <= a:
			x = i - 1
		}
		if used[x] || !y.fits(k, image, a, x) {
			continue
		}
		if y.budget--; y.budget < 0 {
			return false
		}
		image[a], used[x] = x, true
		if y.extend(k, image, used) {
			return true
		}
		image[a], used[x] = -1, false
	}
	return false
}

// open picks an unassigned vertex, next to an assigned one if possible; -1 if all are assigned.
func (y *symmetry) open(image []int) int {
	first := -1
	for a, x := range image {
		if x >= 0 {
			continue
		}
		if slices.ContainsFunc(y.near[a], func(b int) bool { return image[b] >= 0 }) {
			return a
		}
		if first < 0 {
			first = a
		}
	}
	return first
}

// fits reports whether sending a to x agrees with what is assigned.
func (y *symmetry) fits(k kind, image []int, a, x int) bool {
	if !k.vertex(a, x) || !k.pair(a, a, x, x) {
		return false
	}
	for b, z := range image {
		if z >= 0 && !k.pair(a, b, x, z) {
			return false
		}
	}
	return true
}

// pinned is the kind of full automorphisms that keep some vertices and edges in place.
type pinned struct {
	y        *symmetry
	vertices []int // of the scope
	edges    []int // of the pattern
}

func (p *pinned) kind() kind {
	return kind{
		vertex: func(a, x int) bool { return (a == x || !slices.Contains(p.vertices, a)) && p.y.sameVertex(a, x) },
		pair: func(a, b, x, z int) bool {
			i := p.y.edge[a][b]
			return (i < 0 || i == p.y.edge[x][z] || !slices.Contains(p.edges, i)) && p.y.samePair(a, b, x, z)
		},
	}
}

// orbit lists one automorphism for every image of vertex a, the identity first.
func (p *pinned) orbit(a int) [][]int {
	images := [][]int{p.y.identity()}
	for x := range p.y.vertices {
		if x == a {
			continue
		}
		if h := p.y.find(p.kind(), [][2]int{{a, x}}); h != nil {
			images = append(images, h)
		}
	}
	return images
}

// edgeOrbit is orbit for a binding edge.
func (p *pinned) edgeOrbit(edge int) [][]int {
	y := p.y
	images := [][]int{y.identity()}
	a, b := y.place(y.p.Edges[edge].From), y.place(y.p.Edges[edge].To)
	for i := range y.p.Edges {
		e := &y.p.Edges[i]
		if i == edge || e.Scope != y.scope || e.AtLeastOne {
			continue
		}
		x, z := y.place(e.From), y.place(e.To)
		if (a == b) != (x == z) {
			continue
		}
		h := y.find(p.kind(), [][2]int{{a, x}, {b, z}}[:ends(a, b)])
		if h == nil && a != b {
			h = y.find(p.kind(), [][2]int{{a, z}, {b, x}})
		}
		if h != nil {
			images = append(images, h)
		}
	}
	return images
}

func ends(a, b int) int {
	if a == b {
		return 1
	}
	return 2
}

func (y *symmetry) place(u int) int { return slices.Index(y.vertices, u) }

func (y *symmetry) identity() []int {
	h := make([]int, len(y.vertices))
	for a := range h {
		h[a] = a
	}
	return h
}

// constrain makes the scope Symmetric: it adds the constraints to the steps and the chain to the order. If the
// budget does not suffice it changes nothing and says so.
func (y *symmetry) constrain(o *pattern.Order) string {
	chain := y.chain()
	greater := make(map[int][]int)
	fixed := &pinned{y: y}
	for _, st := range o.Steps {
		a := y.place(st.Vertex)
		if a < 0 {
			continue
		}
		for _, h := range fixed.orbit(a)[1:] {
			v := y.vertices[h[a]]
			greater[v] = append(greater[v], st.Vertex)
		}
		fixed.vertices = append(fixed.vertices, a)
	}
	if y.budget < 0 {
		return "it has too many rearrangements"
	}
	for i := range o.Steps {
		st := &o.Steps[i]
		st.Greater = append(st.Greater, unimplied(greater, greater[st.Vertex])...)
	}
	o.Symmetric[y.scope], o.Chains[y.scope] = true, chain
	return ""
}

// unimplied drops from the vertices that must be above one vertex all that are above another of them anyway.
func unimplied(greater map[int][]int, above []int) []int {
	var out []int
	for _, b := range above {
		if !slices.ContainsFunc(above, func(c int) bool { return slices.Contains(greater[c], b) }) {
			out = append(out, b)
		}
	}
	return out
}

// chain lists the full automorphisms along the scope's order of first appearance.
func (y *symmetry) chain() pattern.Chain {
	order := y.p.Scopes[y.scope].Order
	chain := make(pattern.Chain, len(order))
	fixed := &pinned{y: y}
	for i, x := range order {
		var images [][]int
		switch {
		case x >= 0:
			images = fixed.orbit(y.place(x))
			fixed.vertices = append(fixed.vertices, y.place(x))
		case !y.p.Edges[^x].AtLeastOne:
			images = fixed.edgeOrbit(^x)
			fixed.edges = append(fixed.edges, ^x)
		}
		for _, h := range images {
			chain[i] = append(chain[i], y.automorphism(h))
		}
	}
	return chain
}

// automorphism is h over the whole pattern.
func (y *symmetry) automorphism(h []int) pattern.Automorphism {
	g := pattern.Automorphism{Vertices: make([]int, len(y.p.Vertices)), Edges: make([]int, len(y.p.Edges))}
	for u := range g.Vertices {
		g.Vertices[u] = u
	}
	for a, x := range h {
		g.Vertices[y.vertices[a]] = y.vertices[x]
	}
	for i := range g.Edges {
		e := &y.p.Edges[i]
		switch g.Edges[i] = i; {
		case e.Scope != y.scope:
		case e.AtLeastOne:
			g.Edges[i] = y.leastBetween(g.Vertices[e.From], g.Vertices[e.To], i)
		default:
			g.Edges[i] = y.edge[h[y.place(e.From)]][h[y.place(e.To)]]
		}
	}
	return g
}

// leastBetween is the AtLeastOne edge from u to w that asks for what edge i does.
func (y *symmetry) leastBetween(u, w, i int) int {
	return slices.IndexFunc(y.p.Edges, func(e pattern.Edge) bool {
		return e.Scope == y.scope && e.AtLeastOne && e.Undirected == y.p.Edges[i].Undirected && e.Types.Equal(y.p.Edges[i].Types) &&
			(e.From == u && e.To == w || e.Undirected && e.From == w && e.To == u)
	})
}

// describe says how the symmetry of the scope is broken.
func (y *symmetry) describe(o *pattern.Order) string {
	size := o.Chains[y.scope].Size()
	if size == 1 {
		return "no two matches share a subgraph"
	}
	var rules []string
	for _, st := range o.Steps {
		if a := y.place(st.Vertex); a >= 0 {
			for _, b := range st.Greater {
				rules = append(rules, y.name(y.place(b))+" > "+y.name(a))
			}
		}
	}
	return fmt.Sprintf("your pattern looks the same in %s ways; the search finds each subgraph once, by %s", strconv.FormatFloat(size, 'g', 6, 64), strings.Join(rules, ", "))
}
