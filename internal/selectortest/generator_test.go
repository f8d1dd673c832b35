package selectortest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

func randomCase(seed uint64) *trial {
	r := rand.New(rand.NewPCG(seed, 7))
	c := &trial{seed: seed, r: r, g: randomGraph(r), clause: &clause{}}
	c.mode = []string{"", "", "", "", "REPEATABLE ELEMENTS", "DIFFERENT NODES"}[r.IntN(6)]
	c.path = &path{k: 1, selector: []string{"", "ANY", "ANY k", "ANY SHORTEST", "ANY SHORTEST", "SHORTEST k", "ALL SHORTEST", "ALL SHORTEST", "SHORTEST k GROUPS"}[r.IntN(9)]}
	if c.path.selector != "" && c.path.selector[len(c.path.selector)-1] == 'k' || c.path.selector == "SHORTEST k GROUPS" {
		c.path.k = 1 + r.IntN(3)
	}
	if r.IntN(3) == 0 {
		c.path.mode = []string{"WALK", "TRAIL", "SIMPLE", "ACYCLIC"}[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		c.plain = &path{nodes: []nodePattern{{name: []string{"a", "b", "w", "w"}[r.IntN(4)]}}}
		if r.IntN(2) == 0 {
			c.plain.hops = []hop{randomFixed(r, "e9")}
			c.plain.nodes = append(c.plain.nodes, nodePattern{name: []string{"a", "b", "v"}[r.IntN(3)]})
		}
	}
	names := []string{"a", "b", "c", "d"}
	for i := range 2 + r.IntN(5)/3 {
		n := nodePattern{name: names[i]}
		switch {
		case r.IntN(8) == 0:
			n.name = names[r.IntN(i+1)]
		case r.IntN(8) == 0:
			n.name = ""
		}
		if r.IntN(5) == 0 {
			n.label = []string{"A", "B"}[r.IntN(2)]
		}
		c.path.nodes = append(c.path.nodes, n)
		if i > 0 {
			c.path.hops = append(c.path.hops, c.randomHop(i))
		}
	}
	c.randomConditions()
	return c
}

func randomGraph(r *rand.Rand) *graph {
	g := &graph{}
	for range 1 + r.IntN(2) + r.IntN(3) {
		g.nodes = append(g.nodes, node{[]string{"AB", "A", "B", "AB"}[r.IntN(4)], r.IntN(4) - 1})
	}
	for range 2 + r.IntN(6) {
		g.rels = append(g.rels, rel{r.IntN(len(g.nodes)), r.IntN(len(g.nodes)), []string{"R", "S"}[r.IntN(2)], r.IntN(4) - 1})
	}
	return g
}

func randomFixed(r *rand.Rand, name string) hop {
	return hop{name: name, dir: "><-"[r.IntN(3)], typ: []string{"", "", "", "R", "S"}[r.IntN(5)], min: 1, max: 1}
}

func (c *trial) randomHop(i int) hop {
	r := c.r
	h := randomFixed(r, fmt.Sprint("r", i))
	if r.IntN(5) == 0 {
		return h
	}
	h.loop, h.min, h.max = true, r.IntN(3), -1
	walk := c.walkMode(c.path.mode) == "WALK"
	if walk || r.IntN(3) == 0 {
		h.max = max(1, h.min+r.IntN(3))
	}
	if walk {
		h.max = min(h.max, 3)
	}
	switch r.IntN(3) {
	case 0:
		h.group, h.x, h.y = true, fmt.Sprint("x", i), fmt.Sprint("y", i)
	case 1:
		h.star = true
	}
	return h
}

// sees lists the variables of the clause.
func (c *trial) sees() (v visible) {
	add := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, p := range []*path{c.plain, c.path} {
		if p == nil {
			continue
		}
		for _, n := range p.nodes {
			add(&v.nodes, n.name)
		}
		for _, h := range p.hops {
			if !h.loop {
				add(&v.rels, h.name)
				continue
			}
			add(&v.relLists, h.name)
			add(&v.nodeLists, h.x)
			add(&v.nodeLists, h.y)
		}
	}
	v.path = true
	return v
}

// randomConditions puts conditions into the clause. Where any of several paths will do, WHERE reads only what all of them share.
func (c *trial) randomConditions() {
	r, p, all := c.r, c.path, c.sees()
	c.names = slices.Concat(all.nodes, all.rels, all.nodeLists, all.relLists)
	if r.IntN(3) > 0 {
		from := r.IntN(len(p.nodes) - 1)
		to := from + 1 + r.IntN(len(p.nodes)-from-1)
		p.named = r.IntN(2) == 0
		all.bracket = p.named
		p.brackets, p.conds = [][2]int{{from, to}}, []*condition{randomCondition(r, all, 2)}
		if lists := all.relLists; len(lists) > 0 && r.IntN(2) == 0 { // one that a shortest path often fails
			p.conds[0] = each(r, lists[r.IntN(len(lists))], []string{">=", "<>"}[r.IntN(2)])
			if r.IntN(2) == 0 {
				name, least := lists[r.IntN(len(lists))], 1+r.IntN(2)
				p.conds[0] = &condition{fmt.Sprintf("size(%s) > %d", name, least), func(_ *graph, e env) truth { return of(size(e[name]) > least) }}
			}
		}
	}
	outside := visible{}
	if c.plain != nil {
		for _, n := range c.plain.nodes {
			outside.nodes = append(outside.nodes, n.name)
		}
	}
	for i := range p.hops {
		h := &p.hops[i]
		if !h.loop || r.IntN(3) > 0 {
			continue
		}
		local := visible{rels: []string{h.name}, nodes: slices.Clone(outside.nodes)}
		for _, end := range []string{p.nodes[0].name, p.nodes[len(p.nodes)-1].name} {
			if end != "" {
				local.nodes = append(local.nodes, end)
			}
		}
		if h.group {
			local.nodes = append(local.nodes, h.x, h.y)
		}
		h.cond = randomCondition(r, local, 1)
	}
	for i := range p.nodes {
		if r.IntN(10) == 0 {
			p.nodes[i].cond = randomCondition(r, all, 0)
		}
	}
	for i := range p.hops {
		if !p.hops[i].loop && r.IntN(4) == 0 {
			p.hops[i].cond = randomCondition(r, all, 0)
		}
	}
	late := all
	if p.selector != "" && p.selector != "ALL SHORTEST" && p.selector != "SHORTEST k GROUPS" {
		late = outside
		for _, n := range []nodePattern{p.nodes[0], p.nodes[len(p.nodes)-1]} {
			if n.name != "" {
				late.nodes = append(slices.Clone(late.nodes), n.name)
			}
		}
	}
	if r.IntN(3) == 0 {
		c.where = randomCondition(r, late, 1)
	}
	if c.plain != nil && r.IntN(3) == 0 {
		c.plain.nodes[0].cond = randomCondition(r, late, 0)
	}
}
