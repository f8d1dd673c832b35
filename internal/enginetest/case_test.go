package enginetest

import (
	"fmt"
	"github.com/motifql/motif"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
)

// plainGraph is a small graph that can be changed and printed.
type plainGraph struct {
	nodes []plainNode
	rels  []plainRel
}

type plainNode struct {
	id     csr.NodeID
	labels []string
	props  map[string]csr.Cell
}

type plainRel struct {
	id       csr.RelID
	from, to int
	typ      string
	props    map[string]csr.Cell
}

func plainOf(s *csr.Snapshot) *plainGraph {
	g := new(plainGraph)
	props := func(get func(csr.KeyID) (csr.Cell, bool)) map[string]csr.Cell {
		m := map[string]csr.Cell{}
		for k, name := range s.Keys.Names() {
			if c, ok := get(csr.KeyID(k)); ok {
				m[name] = c
			}
		}
		return m
	}
	for v := range csr.VertexID(s.N()) {
		n := plainNode{id: s.NodeID(v), props: props(func(k csr.KeyID) (csr.Cell, bool) { return s.VertexProp(v, k) })}
		for _, l := range s.LabelsOf(v) {
			n.labels = append(n.labels, s.Labels.Name(uint32(l)))
		}
		g.nodes = append(g.nodes, n)
	}
	for e := range s.AllEdges() {
		from, to := s.Endpoints(e)
		g.rels = append(g.rels, plainRel{id: s.RelID(e), from: int(from), to: int(to), typ: s.Types.Name(uint32(s.TypeOf(e))),
			props: props(func(k csr.KeyID) (csr.Cell, bool) { return s.EdgeProp(e, k) })})
	}
	return g
}

// snapshot builds the graph, with its ids.
func (g *plainGraph) snapshot(t *testing.T) *csr.Snapshot {
	b := csr.NewBuilder()
	for _, name := range []string{"A", "B", "C", "R", "S", "T"} { // as testgraph names them, so that numbers keep their order
		if name < "R" {
			b.Label(name)
		} else {
			b.Type(name)
		}
	}
	for _, n := range g.nodes {
		var labels []csr.LabelID
		for _, l := range n.labels {
			labels = append(labels, b.Label(l))
		}
		v := b.AddVertex(labels...)
		for _, k := range slices.Sorted(maps.Keys(n.props)) {
			b.SetVertex(v, b.Key(k), n.props[k])
		}
	}
	for _, r := range g.rels {
		e := b.AddEdge(uint32(r.from), uint32(r.to), b.Type(r.typ))
		for _, k := range slices.Sorted(maps.Keys(r.props)) {
			b.SetEdge(e, b.Key(k), r.props[k])
		}
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Data
	d.NodeIDs, d.RelIDs = make([]csr.NodeID, d.Vertices), make([]csr.RelID, d.Edges)
	for v := range d.NodeIDs {
		d.NodeIDs[v] = g.nodes[s.NodeID(csr.VertexID(v))].id
		d.NextNode = max(d.NextNode, d.NodeIDs[v]+1)
	}
	for e := range d.RelIDs {
		d.RelIDs[e] = g.rels[s.RelID(csr.EdgeID(e))].id
		d.NextRel = max(d.NextRel, d.RelIDs[e]+1)
	}
	if s, err = csr.New(d); err != nil {
		t.Fatal(err)
	}
	return s
}

// relabelled is the same graph with everything in another order and under other ids.
func (g *plainGraph) relabelled(rng *rand.Rand) *plainGraph {
	h := &plainGraph{nodes: make([]plainNode, len(g.nodes)), rels: make([]plainRel, len(g.rels))}
	to, ids := rng.Perm(len(g.nodes)), rng.Perm(len(g.nodes))
	for i, n := range g.nodes {
		n.id = csr.NodeID(ids[i])
		h.nodes[to[i]] = n
	}
	at, ids := rng.Perm(len(g.rels)), rng.Perm(len(g.rels))
	for i, r := range g.rels {
		r.id, r.from, r.to = csr.RelID(ids[i]), to[r.from], to[r.to]
		h.rels[at[i]] = r
	}
	return h
}

// beside is the disjoint union of two graphs.
func (g *plainGraph) beside(h *plainGraph) *plainGraph {
	u := &plainGraph{nodes: slices.Clone(g.nodes), rels: slices.Clone(g.rels)}
	for _, n := range h.nodes {
		n.id += 1000
		u.nodes = append(u.nodes, n)
	}
	for _, r := range h.rels {
		r.id, r.from, r.to = r.id+1000, r.from+len(g.nodes), r.to+len(g.nodes)
		u.rels = append(u.rels, r)
	}
	return u
}

// withoutNode drops a node and its relationships.
func (g *plainGraph) withoutNode(i int) *plainGraph {
	h := &plainGraph{nodes: slices.Delete(slices.Clone(g.nodes), i, i+1)}
	for _, r := range g.rels {
		if r.from == i || r.to == i {
			continue
		}
		if r.from > i {
			r.from--
		}
		if r.to > i {
			r.to--
		}
		h.rels = append(h.rels, r)
	}
	return h
}

// String prints the graph as two CSV files that motif load reads. Values of the property mixed are text there.
func (g *plainGraph) String() string {
	var b strings.Builder
	row := func(props map[string]csr.Cell) {
		for _, k := range []string{"x", "name", "mixed"} {
			b.WriteByte(',')
			switch c := props[k]; c.Kind {
			case csr.KindInt:
				fmt.Fprint(&b, int64(c.Num))
			case csr.KindFloat:
				fmt.Fprintf(&b, "%.1f", math.Float64frombits(c.Num))
			case csr.KindString:
				b.WriteString(c.Str)
			case csr.KindBool:
				fmt.Fprint(&b, c.Num != 0)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("cat >nodes.csv <<.\n:ID,:LABEL,x:float,name,mixed\n")
	for i, n := range g.nodes {
		fmt.Fprintf(&b, "%d,%s", i, strings.Join(n.labels, ";"))
		row(n.props)
	}
	b.WriteString(".\ncat >rels.csv <<.\n:START_ID,:END_ID,:TYPE,x:float,name,mixed\n")
	for _, r := range g.rels {
		fmt.Fprintf(&b, "%d,%d,%s", r.from, r.to, r.typ)
		row(r.props)
	}
	b.WriteString(".\nmotif load db --nodes nodes.csv --rels rels.csv\n# stable ids of the failing graph, in this order:")
	for _, n := range g.nodes {
		fmt.Fprint(&b, " ", n.id)
	}
	b.WriteString("; of its relationships:")
	for _, r := range g.rels {
		fmt.Fprint(&b, " ", r.id)
	}
	return b.String() + "\n"
}

// question is a query whose pattern is connected. Nothing in it but byID and rows depends on ids.
type question struct {
	labels  []string // by node: what stands after the variable
	clauses []clause
	conds   []string // joined by AND, on the last clause
	byID    string   // a further condition, "" for none
	rows    string   // what a query for rows returns
	limit   int      // of rows; 0: none
}

type clause struct {
	mode   string
	arrows []arrow
	lone   []int // nodes that only a condition joins to the others
}

type arrow struct {
	u, w int
	dir  int    // 0: either way, 1: from u to w
	body string // in brackets
}

var modes = []string{"", "", "DIFFERENT RELATIONSHIPS ", "REPEATABLE ELEMENTS ", "DIFFERENT NODES ", "INDUCED SUBGRAPHS ",
	"DISTINCT SUBGRAPHS ", "DISTINCT INDUCED SUBGRAPHS "}

// question draws one.
func (g *queryGen) question() *question {
	q := &question{labels: make([]string, 2+g.IntN(3))}
	same := g.label()
	uniform := g.chance(0.4)
	for u := range q.labels {
		if q.labels[u] = same; !uniform && g.chance(0.6) {
			q.labels[u] = g.label()
		} else if !uniform {
			q.labels[u] = ""
		}
	}
	q.clauses = make([]clause, 1+g.IntN(4)/3)
	for i := range q.clauses {
		q.clauses[i].mode = g.pick(modes...)
		if len(q.clauses) > 1 { // which of equal subgraphs stands for all depends on ids, and goes on into the next clause
			q.clauses[i].mode = g.pick(modes[:6]...)
		}
	}
	switch {
	case len(q.labels) > 2 && g.chance(0.3):
		g.completeQuestion(q)
	default:
		g.sparseQuestion(q)
	}
	for g.chance(0.25) && len(q.conds) < 4 {
		q.conds = append(q.conds, g.withoutIDs(q))
	}
	a, b := g.node0(q), g.node0(q)
	if g.chance(0.2) {
		q.byID = g.pick("id("+a+") < id("+b+")", "id("+a+") <> id("+b+")", "id("+a+") > 3")
	}
	q.rows = g.pick("*", "id("+a+") AS u, "+b+".x AS v", "DISTINCT id("+a+") AS u", "id("+a+") % 2 AS k, count(*) AS n, sum("+b+".x) AS s",
		"labels("+a+") AS u, id("+b+") AS v ORDER BY v, u")
	if q.rows == "*" && g.chance(0.4) {
		q.limit = 1 + g.IntN(6)
	}
	return q
}

func (g *queryGen) node0(q *question) string { return fmt.Sprint("n", g.IntN(len(q.labels))) }

// completeQuestion joins every two nodes, by arrows or by IS_CLIQUE.
func (g *queryGen) completeQuestion(q *question) {
	q.clauses = q.clauses[:1]
	typ := g.types()
	if g.chance(0.4) {
		var names []string
		for u := range q.labels {
			q.clauses[0].lone = append(q.clauses[0].lone, u)
			names = append(names, fmt.Sprint("n", u))
		}
		q.conds = append(q.conds, "IS_CLIQUE(["+strings.Join(names, ", ")+"]"+g.pick("", "", ", 'R'", ", ['R', 'S']")+")")
		return
	}
	for u := range q.labels {
		for w := range u {
			q.clauses[0].arrows = append(q.clauses[0].arrows, arrow{u: w, w: u, body: typ})
		}
	}
}

// sparseQuestion makes a tree and adds some arrows.
func (g *queryGen) sparseQuestion(q *question) {
	add := func(u, w int) {
		if g.chance(0.5) {
			u, w = w, u
		}
		a := arrow{u: u, w: w, dir: g.IntN(2), body: g.types()}
		n := 0
		for i := range q.clauses {
			n += len(q.clauses[i].arrows)
		}
		if g.chance(0.3) {
			a.body = fmt.Sprint("r", n) + a.body
		}
		if g.chance(0.1) {
			a.body += fmt.Sprintf(" {x: %d}", g.IntN(5))
		}
		c := &q.clauses[g.IntN(len(q.clauses))]
		c.arrows = append(c.arrows, a)
	}
	for u := 1; u < len(q.labels); u++ {
		add(g.IntN(u), u)
	}
	for range g.IntN(3) {
		add(g.IntN(len(q.labels)), g.IntN(len(q.labels)))
	}
	q.clauses = slices.DeleteFunc(q.clauses, func(c clause) bool { return len(c.arrows) == 0 })
}

// withoutIDs is a condition that no ids matter to.
func (g *queryGen) withoutIDs(q *question) string {
	a, b := g.node0(q), g.node0(q)
	return g.pick(a+".x "+g.pick("=", "<", ">=", "<>")+fmt.Sprintf(" %d", g.IntN(5)), a+".x <= "+b+".x", a+" <> "+b, a+".name IS NULL",
		a+".name IN ['a', 'c'] OR "+b+".x > 1", "ALL_DIFFERENT("+a+", "+b+")", "NOT "+a+".name = "+b+".name", "IS_CLIQUE(["+a+", "+b+"])")
}

// text writes the query down with the given return. With an rng it is written in another way that means the same.
func (q *question) text(byID bool, returning string, rng *rand.Rand) string {
	names := func(s string) string { return s }
	var b strings.Builder
	for i, c := range q.clauses {
		b.WriteString("MATCH " + c.mode + q.paths(&c, rng))
		conds := slices.Clone(q.conds)
		if byID && q.byID != "" {
			conds = append(conds, q.byID)
		}
		if i < len(q.clauses)-1 || len(conds) == 0 {
			b.WriteString("\n")
			continue
		}
		if rng != nil {
			rng.Shuffle(len(conds), func(i, j int) { conds[i], conds[j] = conds[j], conds[i] })
		}
		b.WriteString(" WHERE (" + strings.Join(conds, ") AND (") + ")\n")
	}
	if rng != nil {
		to := rng.Perm(len(q.labels))
		names = func(s string) string {
			for u := range to {
				s = strings.ReplaceAll(s, fmt.Sprint("n", u), fmt.Sprint("m", to[u]))
			}
			return s
		}
	}
	return names(b.String()) + "RETURN " + returning
}

// paths writes the arrows of a clause, one that begins where the last one ended as a part of the same path.
func (q *question) paths(c *clause, rng *rand.Rand) string {
	var b strings.Builder
	node := func(u int) string { return fmt.Sprint("(n", u, q.labels[u], ")") }
	end, lone, arrows := -1, slices.Clone(c.lone), slices.Clone(c.arrows)
	if rng != nil {
		rng.Shuffle(len(arrows), func(i, j int) { arrows[i], arrows[j] = arrows[j], arrows[i] })
		rng.Shuffle(len(lone), func(i, j int) { lone[i], lone[j] = lone[j], lone[i] })
	}
	for _, a := range arrows {
		left, right := "-", "-"
		if a.dir == 1 {
			right = "->"
		}
		if rng != nil && rng.IntN(2) == 0 {
			a.u, a.w = a.w, a.u
			if a.dir == 1 {
				left, right = "<-", "-"
			}
		}
		if a.u != end {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString(node(a.u))
		}
		b.WriteString(left + "[" + a.body + "]" + right + node(a.w))
		end = a.w
	}
	for _, u := range lone {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(node(u))
	}
	return b.String()
}

// setting is a setting of all knobs, by name.
type setting map[string]string

func (s setting) options(t *testing.T) (opts []motif.QueryOption) {
	for name, value := range s {
		o, err := motif.ParseOption(name, value)
		if err != nil {
			t.Fatal(err)
		}
		opts = append(opts, o)
	}
	return opts
}

// String writes it as flags.
func (s setting) String() string {
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		flags = append(flags, "--"+name+" "+s[name])
	}
	return strings.Join(flags, " ")
}

// randomSetting sets every knob by chance, and turns the given techniques off.
func randomSetting(rng *rand.Rand, without ...string) setting {
	s := setting{}
	for _, k := range motif.Knobs() {
		switch {
		case k.Several:
			if len(without) > 0 {
				s[k.Name] = strings.Join(without, ",")
			}
		case k.Values == nil:
			s[k.Name] = fmt.Sprint(1 + rng.IntN(4))
		default:
			s[k.Name] = k.Values[rng.IntN(len(k.Values))]
		}
	}
	return s
}

// randomCase draws a graph, a question, and settings: the usual one, one technique off after the other as seeds go on,
// and all off.
func randomCase(seed uint64) *testCase {
	rng := rand.New(rand.NewPCG(seed, 1))
	options := testgraph.Options{Vertices: 3 + rng.IntN(7), Edges: 3 + rng.IntN(20), Simple: rng.IntN(3) == 0}
	if rng.IntN(10) == 0 {
		options = testgraph.Options{}
	}
	if rng.IntN(4) == 0 { // room for cliques
		options = testgraph.Options{Vertices: 4 + rng.IntN(4), Edges: 15 + rng.IntN(15), Types: 1, Simple: options.Simple}
	}
	s := testgraph.Random(rng.Uint64(), options)
	c := &testCase{seed: seed, graph: plainOf(s), other: plainOf(testgraph.Random(rng.Uint64(), testgraph.Options{}))}
	c.question = (&queryGen{Rand: rng, snap: s}).question()
	names := pattern.TechniqueNames()
	c.settings = []setting{{"workers": fmt.Sprint(1 + rng.IntN(4))}, randomSetting(rng), randomSetting(rng, names[seed%uint64(len(names))]), randomSetting(rng, names...)}
	return c
}
