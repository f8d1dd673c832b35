package selectortest

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// The definition, as directly as it can be written: enumerate all walks that fit the path, keep those whose conditions hold, sort them by
// their ends, select. Nothing here is from the engine.

// graph is nodes and a plain list of relationships. A property is -1 where there is none.
type graph struct {
	nodes []node
	rels  []rel
}

type node struct {
	labels string // letters
	n      int
}

type rel struct {
	from, to int
	typ      string
	n        int
}

// clause is MATCH with one path that selects, and perhaps another one before it, which is an edge or a lone node.
type clause struct {
	mode  string // "", REPEATABLE ELEMENTS, DIFFERENT NODES
	plain *path  // nil: none
	path  *path
	where *condition // nil: none
}

type path struct {
	selector string // "" selects nothing
	k        int
	mode     string // "", WALK, TRAIL, SIMPLE, ACYCLIC
	nodes    []nodePattern
	hops     []hop
	conds    []*condition // of brackets around it
	brackets [][2]int     // by condition: the nodes that its bracket begins and ends with
	named    bool         // the bracket is q = ...
}

type nodePattern struct {
	name, label string
	cond        *condition
}

// hop is a relationship or, with loop, something that repeats.
type hop struct {
	name     string // of the relationship, or of the list
	dir      byte   // '>', '<' or '-'
	typ      string
	loop     bool
	group    bool // ((x)-[name]->(y) WHERE cond)
	x, y     string
	star     bool // written as *m..n
	min, max int  // max < 0: none
	cond     *condition
}

// env is what variables stand for: an element, or a list of elements.
type env map[string]any

type nodeID int
type relID int

// match is a walk with what it binds.
type match struct {
	nodes []int
	rels  []int
	at    []int // positions of the path's nodes
	env   env
}

// enumerator finds the matches of one path, with some variables given.
type enumerator struct {
	g     *graph
	mode  string // that the walk obeys
	used  []int  // relationships that it must not have
	p     *path
	given env
	most  int // longest walk
	out   []match
}

func (e *enumerator) run() []match {
	for v := range e.g.nodes {
		env := env{}
		for k, x := range e.given {
			env[k] = x
		}
		e.node(match{nodes: []int{v}, env: env}, 0)
	}
	return e.out
}

// with is m's variables and one more.
func (m match) with(name string, x any) match {
	if name == "" {
		return m
	}
	next := env{name: x}
	for k, y := range m.env {
		if k != name {
			next[k] = y
		}
	}
	m.env = next
	return m
}

func (e *enumerator) node(m match, i int) {
	n, v := e.p.nodes[i], m.nodes[len(m.nodes)-1]
	if !strings.Contains(e.g.nodes[v].labels, n.label) {
		return
	}
	if was, ok := m.env[n.name]; ok && was != nodeID(v) {
		return
	}
	m = m.with(n.name, nodeID(v))
	m.at = append(slices.Clone(m.at), len(m.nodes)-1)
	if i == len(e.p.hops) {
		if e.repeatsNothing(m) {
			e.out = append(e.out, m)
		}
		return
	}
	h := e.p.hops[i]
	if h.loop {
		m = m.with(h.name, []relID{}).with(h.x, []nodeID{}).with(h.y, []nodeID{})
	}
	e.hop(m, i, 0)
}

// hop continues after done repetitions of hop i.
func (e *enumerator) hop(m match, i, done int) {
	h := e.p.hops[i]
	if done >= h.min {
		e.node(m, i+1)
	}
	if h.max >= 0 && done >= h.max || len(m.rels) >= e.most {
		return
	}
	v := m.nodes[len(m.nodes)-1]
	for r, x := range e.g.rels {
		if x.typ != h.typ && h.typ != "" || e.mode != "WALK" && slices.Contains(m.rels, r) || slices.Contains(e.used, r) {
			continue
		}
		var ends []int
		if x.from == v && h.dir != '<' {
			ends = append(ends, x.to)
		}
		if x.to == v && h.dir != '>' && !(x.from == x.to && h.dir == '-') {
			ends = append(ends, x.from)
		}
		for _, w := range ends {
			next := m
			next.nodes, next.rels = append(slices.Clone(m.nodes), w), append(slices.Clone(m.rels), r)
			if !h.loop {
				e.hop(next.with(h.name, relID(r)), i, done+1)
				continue
			}
			next = push(next, h.name, relID(r))
			next = push(next, h.x, nodeID(v))
			e.hop(push(next, h.y, nodeID(w)), i, done+1)
		}
	}
}

func push[T any](m match, name string, x T) match {
	if name == "" {
		return m
	}
	return m.with(name, append(slices.Clone(m.env[name].([]T)), x))
}

// repeatsNothing tests the path's mode.
func (e *enumerator) repeatsNothing(m match) bool {
	for i, v := range m.nodes {
		for k, w := range m.nodes[:i] {
			closed := k == 0 && i == len(m.nodes)-1 && e.mode == "SIMPLE"
			if v == w && (e.mode == "SIMPLE" || e.mode == "ACYCLIC") && !closed {
				return false
			}
		}
	}
	return true
}

// holds tests all conditions of a path.
func (p *path) holds(g *graph, m match) bool {
	for _, h := range p.hops {
		if h.loop && h.cond != nil && !h.holds(g, m) {
			return false
		}
	}
	conds := slices.Clone(p.conds)
	for _, n := range p.nodes {
		conds = append(conds, n.cond)
	}
	for _, h := range p.hops {
		if !h.loop {
			conds = append(conds, h.cond)
		}
	}
	return !slices.ContainsFunc(conds, func(c *condition) bool { return c != nil && c.eval(g, m.env) != yes })
}

// holds tests the condition of a loop for each repetition.
func (h hop) holds(g *graph, m match) bool {
	for i, r := range m.env[h.name].([]relID) {
		one := m.with(h.name, r)
		if h.group {
			one = one.with(h.x, at(m.env[h.x], i)).with(h.y, at(m.env[h.y], i))
		}
		if h.cond.eval(g, one.env) != yes {
			return false
		}
	}
	return true
}

// partition is the matches from which a selector chooses.
type partition struct {
	plain match
	paths []match
}

// partitions lists them for a clause, by the match of the plain path and the two ends. Conditions inside of the selecting path have been
// applied; that in WHERE has not.
func (c *clause) partitions(g *graph) map[string]*partition {
	all := map[string]*partition{}
	plains := []match{{env: env{}}}
	if c.plain != nil {
		e := &enumerator{g: g, mode: c.walkMode(""), p: c.plain, most: 1}
		plains = e.run()
	}
	for i, plain := range plains {
		e := &enumerator{g: g, mode: c.walkMode(c.path.mode), p: c.path, given: plain.env, most: c.longest(g)}
		if c.mode != "REPEATABLE ELEMENTS" {
			e.used = plain.rels
		}
		for _, m := range e.run() {
			whole := m.with("p", m)
			for _, b := range c.path.brackets {
				whole = whole.with("q", m.at[b[1]]-m.at[b[0]])
			}
			if !c.nodesDiffer(plain, m) || c.path.selector != "" && !c.path.holds(g, whole) {
				continue
			}
			key := fmt.Sprint(i, m.nodes[0], m.nodes[len(m.nodes)-1])
			if all[key] == nil {
				all[key] = &partition{plain: plain}
			}
			all[key].paths = append(all[key].paths, whole)
		}
	}
	for _, part := range all {
		sort.SliceStable(part.paths, func(i, j int) bool { return len(part.paths[i].rels) < len(part.paths[j].rels) })
	}
	return all
}

// walkMode is the stricter of the path's mode and what the clause asks of relationships.
func (c *clause) walkMode(own string) string {
	if own == "SIMPLE" || own == "ACYCLIC" {
		return own
	}
	if c.mode == "REPEATABLE ELEMENTS" && own != "TRAIL" {
		return "WALK"
	}
	return "TRAIL"
}

// longest bounds a walk. Walks that may repeat everything are bounded where they could go round once more for each that is selected.
func (c *clause) longest(g *graph) (n int) {
	if c.walkMode(c.path.mode) != "WALK" {
		return len(g.rels)
	}
	for _, h := range c.path.hops {
		if h.max >= 0 {
			n += h.max
		} else {
			n += h.min + len(g.nodes)*c.path.k
		}
	}
	return n
}

// nodesDiffer tests DIFFERENT NODES: two places have one node only if the pattern has one variable there.
func (c *clause) nodesDiffer(plain, m match) bool {
	if c.mode != "DIFFERENT NODES" {
		return true
	}
	owner := map[int]string{}
	claim := func(v int, who string) bool {
		was, ok := owner[v]
		owner[v] = who
		return !ok || was == who
	}
	for k, x := range []match{plain, m} {
		p := c.path
		if k == 0 {
			p = c.plain
		}
		for place, v := range x.nodes {
			who := ""
			for i, at := range x.at {
				if at != place {
					continue
				}
				name := p.nodes[i].name
				if name == "" {
					name = fmt.Sprint("?", k, i)
				}
				if who != "" && who != name {
					return false
				}
				who = name
			}
			if who == "" {
				who = fmt.Sprint("#", k, place)
			}
			if !claim(v, who) {
				return false
			}
		}
	}
	return true
}

// passes tests what is asked after the selection.
func (c *clause) passes(g *graph, part *partition, m match) bool {
	if c.plain != nil && !c.plain.holds(g, m) {
		return false
	}
	if c.path.selector == "" && !c.path.holds(g, m) {
		return false
	}
	return c.where == nil || c.where.eval(g, m.env) == yes
}

// groups returns the lengths of the first k groups of equally long paths.
func groups(paths []match, k int) (lengths []int) {
	for _, m := range paths {
		if n := len(m.rels); !slices.Contains(lengths, n) && len(lengths) < k {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// show is a match as the query returns it: ids of all elements, and of what the variables stand for.
func (m match) show(names []string) string {
	var b strings.Builder
	fmt.Fprint(&b, m.nodes, m.rels)
	for _, name := range names {
		fmt.Fprint(&b, " ", m.env[name])
	}
	return b.String()
}
