package clique

import (
	"math/bits"

	"github.com/motifql/motif/internal/pattern"
)

// Counting in the complement. The cliques of a graph are the independent sets of its complement, the graph of its missing edges. The
// independence polynomial of a graph has the number of independent sets of size k as its coefficient of x^k.
//
// Input: a subgraph with few missing edges. What makes it fast: such a complement falls apart into components, and its
// polynomial is the product of theirs. The kernel computes a tree's polynomial from the leaves up. In any other component it
// branches on a vertex v with the most neighbours in the 2-core: the sets without v, and v with the sets that avoid v's neighbours.

// complement counts independent sets in the graph of missing edges.
type complement struct {
	adj      [][]int32 // the missing edges, by vertex
	alive    []bool
	lastWalk []int32 // by vertex: the last walk that reached it
	walk     int32
	degree   []int32
	top      int // the largest size asked for
	budget   int // products of coefficients that the search may still take
	stop     func() bool
}

// load lists the missing edges among the vertices of p, and returns the vertices by their numbers here.
func (c *complement) load(g *inducedSubgraph, p []uint64) (vertices []int32) {
	number := make(map[int]int32)
	var names []int
	for i, word := range p {
		for ; word != 0; word &= word - 1 {
			v := i<<6 + bits.TrailingZeros64(word)
			number[v] = int32(len(names))
			vertices = append(vertices, int32(len(names)))
			names = append(names, v)
		}
	}
	n := len(names)
	c.adj, c.alive = make([][]int32, n), make([]bool, n)
	c.lastWalk, c.degree, c.walk = make([]int32, n), make([]int32, n), 0
	for j, v := range names {
		c.alive[j] = true
		row := g.row(v)
		for i, word := range p {
			for word &^= row[i]; word != 0; word &= word - 1 {
				if u := i<<6 + bits.TrailingZeros64(word); u != v {
					c.adj[j] = append(c.adj[j], number[u])
				}
			}
		}
	}
	return vertices
}

// polynomial counts the independent sets among the live vertices, by size up to c.top. ok is false if the budget runs out.
func (c *complement) polynomial(vertices []int32) (p poly, ok bool) {
	single := 0
	p = poly{one}
	for _, component := range c.components(vertices) {
		if len(component) == 1 {
			single++
			continue
		}
		q, ok := c.component(component)
		if !ok {
			return nil, false
		}
		c.budget -= len(p) * len(q)
		p = p.product(q, c.top)
	}
	if single > 0 {
		var b binomials
		row := b.row(single)
		p = p.product(row[:min(len(row), c.top+1)], c.top)
	}
	return p, true
}

var one = pattern.Count(1)

func (c *complement) components(vertices []int32) (components [][]int32) {
	c.walk++
	for _, v := range vertices {
		if !c.alive[v] || c.lastWalk[v] == c.walk {
			continue
		}
		component := []int32{v}
		c.lastWalk[v] = c.walk
		for i := 0; i < len(component); i++ {
			for _, u := range c.adj[component[i]] {
				if c.alive[u] && c.lastWalk[u] != c.walk {
					c.lastWalk[u] = c.walk
					component = append(component, u)
				}
			}
		}
		components = append(components, component)
	}
	return components
}

// component counts the independent sets of a component of several vertices, listed in the order of a walk from the first.
func (c *complement) component(vertices []int32) (poly, bool) {
	ends := 0
	for _, v := range vertices {
		d := int32(0)
		for _, u := range c.adj[v] {
			if c.alive[u] {
				d++
			}
		}
		c.degree[v] = d
		ends += int(d)
	}
	if ends == 2*(len(vertices)-1) {
		return c.tree(vertices), true
	}
	if c.budget -= len(vertices); c.budget < 0 || c.stop() {
		return nil, false
	}
	v := c.hub(vertices)
	c.alive[v] = false
	without, ok := c.polynomial(vertices)
	if !ok {
		return nil, false
	}
	var taken []int32
	for _, u := range c.adj[v] {
		if c.alive[u] {
			c.alive[u] = false
			taken = append(taken, u)
		}
	}
	with, ok := c.polynomial(vertices)
	for _, u := range taken {
		c.alive[u] = true
	}
	c.alive[v] = true
	return without.sum(with, 1, c.top), ok
}

// hub returns a vertex with the most neighbours in the component's 2-core. degree must be set for the component.
func (c *complement) hub(vertices []int32) int32 {
	var queue []int32
	for _, v := range vertices {
		if c.degree[v] == 1 {
			queue = append(queue, v)
		}
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		c.degree[v] = 0
		for _, u := range c.adj[v] {
			if c.alive[u] && c.degree[u] > 0 {
				if c.degree[u]--; c.degree[u] == 1 {
					queue = append(queue, u)
				}
			}
		}
	}
	best := vertices[0]
	for _, v := range vertices {
		if c.degree[v] > c.degree[best] {
			best = v
		}
	}
	return best
}

// tree counts the independent sets of a tree from its leaves up: for each subtree, the sets without its root and with it.
func (c *complement) tree(vertices []int32) poly {
	without, with := make(map[int32]poly, len(vertices)), make(map[int32]poly, len(vertices))
	for i := len(vertices) - 1; i >= 0; i-- {
		v := vertices[i]
		no, yes := poly{one}, poly{one}
		for _, u := range c.adj[v] {
			if q, child := without[u]; child && c.alive[u] { // a child came later in the walk
				no, yes = no.product(q.sum(with[u], 0, c.top), c.top), yes.product(q, c.top)
			}
		}
		without[v], with[v] = no, poly{}.sum(yes, 1, c.top)
	}
	return without[vertices[0]].sum(with[vertices[0]], 0, c.top)
}
