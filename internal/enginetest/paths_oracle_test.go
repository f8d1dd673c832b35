package enginetest

import (
	"cmp"
	"fmt"
	"github.com/motifql/motif"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/storage"
)

// pathDB has a small graph, half of the time with changes over what was published.
func pathDB(t *testing.T, snap *csr.Snapshot, r *rand.Rand) (*motif.DB, *csr.Snapshot) {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithWorkers(1+r.IntN(2)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storeOf(db).Publish(t.Context(), snap, nil); err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 && snap.M() < 5 {
		tx, err := storeOf(db).Begin(t.Context(), storage.Relaxed)
		if err != nil {
			t.Fatal(err)
		}
		testgraph.Change(r.Uint64(), tx.Draft(), false)
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if snap, err = storeOf(db).Snapshot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return db, snap
}

// oracle finds the matches of a clause by definition: for each path all walks in the graph, every way to read them as the path,
// the selection among them, and then all combinations of paths that agree.
type oracle struct {
	*pathCase
	s *csr.Snapshot
}

// oracleMatch is a match of one path.
type oracleMatch struct {
	nodes []csr.VertexID
	edges []csr.EdgeID
	at    []int // places of the path's nodes
	text  string
}

func (o *oracle) number(get func(csr.KeyID) (csr.Cell, bool)) (float64, bool) {
	k, ok := o.s.Keys.Lookup("x")
	if !ok {
		return 0, false
	}
	c, ok := get(csr.KeyID(k))
	switch {
	case ok && c.Kind == csr.KindInt:
		return float64(int64(c.Num)), true
	case ok && c.Kind == csr.KindFloat:
		return math.Float64frombits(c.Num), true
	}
	return 0, false
}

func (o *oracle) x(v csr.VertexID) (float64, bool) {
	return o.number(func(k csr.KeyID) (csr.Cell, bool) { return o.s.VertexProp(v, k) })
}

func (o *oracle) labelled(v csr.VertexID, label string) bool {
	if label == "" {
		return true
	}
	l, ok := o.s.Labels.Lookup(label)
	return ok && o.s.HasLabel(v, csr.LabelID(l))
}

func (o *oracle) nodeFits(n caseNode, v csr.VertexID) bool {
	if n.least >= 0 && n.name != "" {
		if x, ok := o.x(v); !ok || x < float64(n.least) {
			return false
		}
	}
	return o.labelled(v, n.label)
}

// relFits reports whether e can be one repetition of r from v to w.
func (o *oracle) relFits(r caseRel, e csr.EdgeID, v, w csr.VertexID) bool {
	from, to := o.s.Endpoints(e)
	right, left := from == v && to == w, from == w && to == v
	if !(right && r.dir != 1 || left && r.dir != 0) {
		return false
	}
	if len(r.types) > 0 && !slices.Contains(r.types, o.s.Types.Name(uint32(o.s.TypeOf(e)))) {
		return false
	}
	if r.least >= 0 {
		x, ok := o.number(func(k csr.KeyID) (csr.Cell, bool) { return o.s.EdgeProp(e, k) })
		if !ok || x < float64(r.least) {
			return false
		}
	}
	if r.loop != "group" {
		return true
	}
	if r.rising {
		a, aok := o.x(v)
		b, bok := o.x(w)
		if !aok || !bok || a >= b {
			return false
		}
	}
	return o.labelled(w, r.label)
}

// walkMode is the mode that a path's walks have.
func (o *oracle) walkMode(p *casePath) string {
	rank := []string{"WALK", "TRAIL", "SIMPLE", "ACYCLIC"}
	mode := map[string]string{"": "TRAIL", "REPEATABLE ELEMENTS ": "WALK", "DIFFERENT NODES ": "TRAIL"}[o.mode] // see joins for its nodes
	if slices.Index(rank, p.mode) > slices.Index(rank, mode) {
		mode = p.mode
	}
	return mode
}

func (o *oracle) allowed(mode string, m *oracleMatch) bool {
	for i, e := range m.edges {
		if mode != "WALK" && slices.Contains(m.edges[:i], e) {
			return false
		}
	}
	for i, v := range m.nodes {
		for k := range i {
			if m.nodes[k] == v && (mode == "ACYCLIC" || mode == "SIMPLE" && (k > 0 || i < len(m.nodes)-1)) {
				return false
			}
		}
	}
	return true
}

// matches finds those of one path.
func (o *oracle) matches(p *casePath) (all []oracleMatch) {
	mode := o.walkMode(p)
	var hop func(m oracleMatch, i, done int)
	node := func(m oracleMatch, i int) {
		if !o.nodeFits(p.nodes[i], m.nodes[len(m.nodes)-1]) {
			return
		}
		m.at = append(slices.Clone(m.at), len(m.nodes)-1)
		if i == len(p.rels) {
			if o.allowed(mode, &m) {
				m.text = o.show(&m)
				all = append(all, m)
			}
			return
		}
		hop(m, i, 0)
	}
	hop = func(m oracleMatch, i, done int) {
		r := p.rels[i]
		if done >= r.min {
			node(m, i+1)
		}
		if r.max >= 0 && done >= r.max {
			return
		}
		v := m.nodes[len(m.nodes)-1]
		for e := range o.s.AllEdges() {
			from, to := o.s.Endpoints(e)
			for turn, w := range []csr.VertexID{to, from} {
				if turn == 1 && from == to || !o.relFits(r, e, v, w) || v != from && v != to || turn == 0 && v != from || turn == 1 && v != to {
					continue
				}
				if mode != "WALK" && slices.Contains(m.edges, e) {
					continue
				}
				next := oracleMatch{nodes: append(slices.Clone(m.nodes), w), edges: append(slices.Clone(m.edges), e), at: m.at}
				hop(next, i, done+1)
			}
		}
	}
	for v := range csr.VertexID(o.s.N()) {
		node(oracleMatch{nodes: []csr.VertexID{v}}, 0)
	}
	return o.agreeing(p, all)
}

// agreeing drops matches in which a variable stands for two nodes, or nodes are alike that must not be.
func (o *oracle) agreeing(p *casePath, all []oracleMatch) []oracleMatch {
	return slices.DeleteFunc(all, func(m oracleMatch) bool { return !o.bind(map[string]csr.VertexID{}, p, &m) })
}

func (o *oracle) bind(vars map[string]csr.VertexID, p *casePath, m *oracleMatch) bool {
	for i, n := range p.nodes {
		v := m.nodes[m.at[i]]
		if was, ok := vars[n.name]; ok && n.name != "" && was != v {
			return false
		}
		vars[n.name] = v
	}
	return true
}

// chosen makes the selection of a path.
func (o *oracle) chosen(p *casePath, all []oracleMatch) []oracleMatch {
	if p.selector == "" {
		return all
	}
	slices.SortStableFunc(all, func(a, b oracleMatch) int { return len(a.edges) - len(b.edges) })
	count, groups, last := map[[2]csr.VertexID]int{}, map[[2]csr.VertexID]int{}, map[[2]csr.VertexID]int{}
	return slices.DeleteFunc(all, func(m oracleMatch) bool {
		ends := [2]csr.VertexID{m.nodes[0], m.nodes[len(m.nodes)-1]}
		count[ends]++
		if groups[ends] == 0 || last[ends] != len(m.edges) {
			groups[ends]++
			last[ends] = len(m.edges)
		}
		switch p.selector {
		case "SHORTEST 2":
			return count[ends] > 2
		case "ALL SHORTEST", "allShortestPaths":
			return groups[ends] > 1
		case "SHORTEST 2 GROUPS":
			return groups[ends] > 2
		}
		return count[ends] > 1
	})
}

// show prints a path by ids.
func (o *oracle) show(m *oracleMatch) string {
	p := motif.Path{}
	for _, v := range m.nodes {
		p.Nodes = append(p.Nodes, nodeOf(o.s, v))
	}
	for _, e := range m.edges {
		p.Relationships = append(p.Relationships, relOf(o.s, e))
	}
	return fmt.Sprint(p)
}

// rows are those of the clause, sorted.
func (c *pathCase) rows(s *csr.Snapshot) (lines []string) {
	o := &oracle{c, s}
	lists := make([][]oracleMatch, len(c.paths))
	for i, p := range c.paths {
		lists[i] = o.matches(p)
	}
	order := make([]int, len(c.paths)) // those of which some are selected come last
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return min(len(c.paths[a].selector), 1) - min(len(c.paths[b].selector), 1) })
	var join func(n int, chosen []*oracleMatch)
	join = func(n int, chosen []*oracleMatch) {
		if n == len(order) {
			if o.holds(chosen) {
				var cols []string
				for _, m := range chosen {
					cols = append(cols, m.text)
				}
				lines = append(lines, strings.Join(cols, " "))
			}
			return
		}
		with := func(m oracleMatch) []*oracleMatch {
			more := slices.Clone(chosen)
			more[order[n]] = &m
			return more
		}
		fit := slices.DeleteFunc(slices.Clone(lists[order[n]]), func(m oracleMatch) bool { return !o.joins(with(m)) })
		for _, m := range o.chosen(c.paths[order[n]], fit) {
			join(n+1, with(m))
		}
	}
	join(0, make([]*oracleMatch, len(c.paths)))
	slices.Sort(lines)
	return lines
}

// joins reports whether the matches of all paths agree, and repeat nothing among them that the clause's mode forbids.
func (o *oracle) joins(chosen []*oracleMatch) bool {
	vars := map[string]csr.VertexID{}
	for i, m := range chosen {
		if m == nil {
			continue
		}
		if !o.bind(vars, o.paths[i], m) {
			return false
		}
		for _, other := range chosen[:i] {
			if other == nil {
				continue
			}
			for _, e := range m.edges {
				if o.mode != "REPEATABLE ELEMENTS " && slices.Contains(other.edges, e) {
					return false
				}
			}
		}
	}
	if o.mode != "DIFFERENT NODES " {
		return true
	}
	seen := map[csr.VertexID]string{}
	for i, m := range chosen {
		if m == nil {
			continue
		}
		for place, v := range m.nodes {
			names := []string{fmt.Sprint("#", i, ".", place)}
			for k, n := range o.paths[i].nodes {
				if m.at[k] != place {
					continue
				}
				if name := cmp.Or(n.name, fmt.Sprint("#", i, "-", k)); names[0][0] == '#' && !strings.Contains(names[0], "-") {
					names[0] = name
				} else if name != names[0] {
					names = append(names, name)
				}
			}
			if was, ok := seen[v]; ok && was != names[0] || len(names) > 1 {
				return false
			}
			seen[v] = names[0]
		}
	}
	return true
}

// holds evaluates WHERE.
func (o *oracle) holds(chosen []*oracleMatch) bool {
	if o.where == nil {
		return true
	}
	vars := map[string]csr.VertexID{}
	for i, m := range chosen {
		o.bind(vars, o.paths[i], m)
	}
	a, aok := o.x(vars[o.where[0]])
	b, bok := o.x(vars[o.where[1]])
	return aok && bok && a <= b
}

// anyShortest reports whether it is open which of several paths are given.
func (c *pathCase) anyShortest() bool {
	return slices.ContainsFunc(c.paths, func(p *casePath) bool {
		return p.selector == "ANY SHORTEST" || p.selector == "SHORTEST 2" || p.selector == "shortestPath"
	})
}

// lengthsOnly makes rows comparable in which any of several equally long paths may stand.
func (c *pathCase) lengthsOnly(lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, fmt.Sprint(len(strings.Split(l, "[")), strings.Fields(l)[0]))
	}
	slices.Sort(out)
	return out
}

// ends asks for the ends alone, each once, which the engine finds in another way.
func (c *pathCase) ends(t *testing.T, db *motif.DB, snap *csr.Snapshot, seed uint64, text string) {
	t.Helper()
	p := c.paths[0]
	if len(c.paths) > 1 || p.selector != "" {
		return
	}
	p = &casePath{nodes: slices.Clone(p.nodes), rels: p.rels, mode: p.mode}
	name := p.nodes[len(p.nodes)-1].name
	if name == "" {
		return
	}
	o := &oracle{c, snap}
	want := map[string]bool{}
	for _, m := range o.matches(c.paths[0]) {
		if o.joins([]*oracleMatch{&m}) && o.holds([]*oracleMatch{&m}) {
			want[fmt.Sprint(int64(snap.NodeID(m.nodes[len(m.nodes)-1])))] = true
		}
	}
	text = strings.Replace(strings.Replace(text, "p0 = ", "", 1), "RETURN p0", "RETURN DISTINCT id("+name+")", 1)
	got, err := answer(t, db, text)
	if err != nil || len(got) != len(want) || slices.ContainsFunc(got, func(l string) bool { return !want[l] }) {
		t.Fatalf("MOTIF_SEED=%d:\n%s\non %v\ngave %v, %v, want %v\n%s", seed, text, describe(snap), got, err, want, profile(t, db, text))
	}
}
