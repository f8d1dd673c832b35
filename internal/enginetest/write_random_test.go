package enginetest

import (
	"context"
	"errors"
	"fmt"
	"github.com/motifql/motif"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A plain model of a graph: every node has a property u that no other has, by which the model knows it.
type modelNode struct {
	labels map[string]bool
	props  map[string]any
}

type modelRel struct {
	typ      string
	from, to int64
	props    map[string]any
}

type model struct {
	nodes   map[int64]*modelNode
	rels    []*modelRel
	next    int64 // the next u
	changes motif.Changes
}

func (m *model) clone() *model {
	c := &model{nodes: map[int64]*modelNode{}, next: m.next}
	for u, n := range m.nodes {
		c.nodes[u] = &modelNode{maps.Clone(n.labels), maps.Clone(n.props)}
	}
	for _, r := range m.rels {
		c.rels = append(c.rels, &modelRel{r.typ, r.from, r.to, maps.Clone(r.props)})
	}
	return c
}

func (m *model) create(u int64, props map[string]any, labels ...string) {
	n := &modelNode{map[string]bool{}, map[string]any{"u": u}}
	for _, l := range labels {
		n.labels[l] = true
	}
	for k, v := range props {
		if v != nil {
			n.props[k] = v
		}
	}
	m.nodes[u] = n
	m.changes.NodesCreated++
}

func (m *model) relate(from int64, typ string, to int64, props map[string]any) {
	m.rels = append(m.rels, &modelRel{typ, from, to, maps.Clone(props)})
	m.changes.RelationshipsCreated++
}

// find lists the nodes with a label and a value of k; "" and nil admit any.
func (m *model) find(label string, k any) (list []int64) {
	for u, n := range m.nodes {
		if (label == "" || n.labels[label]) && (k == nil || n.props["k"] == k) {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	return list
}

func (m *model) degree(u int64) (d int) {
	for _, r := range m.rels {
		if r.from == u || r.to == u {
			d++
		}
	}
	return d
}

func (m *model) deleteRels(gone func(*modelRel) bool) {
	before := len(m.rels)
	m.rels = slices.DeleteFunc(m.rels, gone)
	m.changes.RelationshipsDeleted += uint64(before - len(m.rels))
}

func (m *model) deleteNode(u int64) {
	delete(m.nodes, u)
	m.changes.NodesDeleted++
}

// dump writes the graph as sorted lines.
func (m *model) dump() []string {
	var lines []string
	for _, n := range m.nodes {
		lines = append(lines, fmt.Sprint("node ", slices.Sorted(maps.Keys(n.labels)), n.props))
	}
	for _, r := range m.rels {
		lines = append(lines, fmt.Sprint("rel ", r.from, r.typ, r.to, r.props))
	}
	slices.Sort(lines)
	return lines
}

type querier interface {
	Query(context.Context, string, motif.Params, ...motif.QueryOption) (*motif.Rows, error)
}

// dumpGraph is dump of what queries show.
func dumpGraph(t *testing.T, q querier) (lines []string) {
	t.Helper()
	each := func(text string, line func(r motif.Row) string) {
		rows, err := q.Query(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line(r))
		}
	}
	each("MATCH (n) RETURN n", func(r motif.Row) string {
		n := r.At(0).(motif.Node)
		slices.Sort(n.Labels)
		return fmt.Sprint("node ", n.Labels, n.Props)
	})
	each("MATCH (a)-[r]->(b) RETURN a.u, type(r), b.u, properties(r)", func(r motif.Row) string {
		return fmt.Sprint("rel ", r.At(0), r.At(1), r.At(2), r.At(3))
	})
	slices.Sort(lines)
	return lines
}

// writeCase is a statement, and what it does to a model; false: it fails and does nothing.
type writeCase struct {
	text string
	do   func(m *model) bool
}

// randomWrite makes a statement. What it says of rows must not depend on their order.
func randomWrite(r *rand.Rand, m *model) writeCase {
	label := func() string { return string(rune('A' + r.IntN(3))) }
	typ := func() string { return string(rune('R' + r.IntN(2))) }
	k := func() int64 { return r.Int64N(4) }
	l, l2, t, c, d := label(), label(), typ(), k(), k()
	u := m.next
	m.next += 1000
	f := fmt.Sprintf
	switch r.IntN(21) {
	case 0, 1:
		return writeCase{f("CREATE (a:%s {u: %d, k: %d})-[:%s {w: %d}]->(b:%s:%s {k: %d, u: %d})", l, u, c, t, d, l2, l, d, u+1), func(m *model) bool {
			m.create(u, map[string]any{"k": c}, l)
			m.create(u+1, map[string]any{"k": d}, l, l2)
			m.relate(u, t, u+1, map[string]any{"w": d})
			return true
		}}
	case 2:
		return writeCase{f("MATCH (n:%s) WHERE n.k >= %d SET n.k = n.k - 1, n.z = n.k", l, c), func(m *model) bool {
			for _, u := range m.find(l, nil) {
				p := m.nodes[u].props
				if v, ok := p["k"].(int64); ok && v >= c {
					p["k"], p["z"] = v-1, v-1
				}
			}
			return true
		}}
	case 3:
		return writeCase{f("MATCH (n:%s {k: %d}) SET n += {k: %d, z: null, y: 'q'}", l, c, d), func(m *model) bool {
			for _, u := range m.find(l, c) {
				p := m.nodes[u].props
				p["k"], p["y"] = d, "q"
				delete(p, "z")
			}
			return true
		}}
	case 4:
		return writeCase{f("MATCH (n:%s {k: %d}) SET n = {u: n.u, z: %d}", l, c, d), func(m *model) bool {
			for _, u := range m.find(l, c) {
				m.nodes[u].props = map[string]any{"u": u, "z": d}
			}
			return true
		}}
	case 5:
		return writeCase{f("MATCH (n:%s {k: %d}) SET n:%s:D REMOVE n:%s", l, c, l2, l), func(m *model) bool {
			for _, u := range m.find(l, c) {
				n := m.nodes[u].labels
				n[l2], n["D"] = true, true
				delete(n, l)
			}
			return true
		}}
	case 6:
		return writeCase{f("MATCH (n:%s) WHERE n.k = %d OR n:D REMOVE n.k, n.no, n:D", l, c), func(m *model) bool {
			for _, u := range m.find(l, nil) {
				if n := m.nodes[u]; n.props["k"] == c || n.labels["D"] {
					delete(n.props, "k")
					delete(n.labels, "D")
				}
			}
			return true
		}}
	case 7:
		return writeCase{f("MATCH (a:%s)-[r:%s]->(b) WHERE r.w = %d DELETE r", l, t, c), func(m *model) bool {
			m.deleteRels(func(r *modelRel) bool { return r.typ == t && r.props["w"] == c && m.nodes[r.from].labels[l] })
			return true
		}}
	case 8:
		return writeCase{f("MATCH (n:%s {k: %d}) DETACH DELETE n", l, c), func(m *model) bool {
			for _, u := range m.find(l, c) {
				m.deleteRels(func(r *modelRel) bool { return r.from == u || r.to == u })
				m.deleteNode(u)
			}
			return true
		}}
	case 9:
		return writeCase{f("MATCH (n:%s {k: %d}) DELETE n", l, c), func(m *model) bool {
			for _, u := range m.find(l, c) {
				if m.degree(u) > 0 {
					return false
				}
				m.deleteNode(u)
			}
			return true
		}}
	case 10:
		return writeCase{f("MERGE (n:%s {k: %d}) ON CREATE SET n.u = %d ON MATCH SET n.z = coalesce(n.z, 0) + 1", l, c, u), func(m *model) bool {
			return m.merge(l, c, u)
		}}
	case 11:
		return writeCase{f("UNWIND range(0, 7) AS i MERGE (n:%s {k: i %% %d + %d}) ON CREATE SET n.u = %d + i ON MATCH SET n.z = coalesce(n.z, 0) + 1", l, c+1, d, u), func(m *model) bool {
			for i := range int64(8) {
				m.merge(l, i%(c+1)+d, u+i)
			}
			return true
		}}
	case 12:
		return writeCase{f("MATCH (a:%s {k: %d}), (b:%s {k: %d}) MERGE (a)-[r:%s]->(b) ON MATCH SET r.w = coalesce(r.w, 0) + 1", l, c, l2, d, t), func(m *model) bool {
			for _, a := range m.find(l, c) {
				for _, b := range m.find(l2, d) {
					m.mergeRel(a, b, t, nil, false, true)
				}
			}
			return true
		}}
	case 13:
		return writeCase{f("MATCH (a:%s {k: %d}), (b:%s {k: %d}) WHERE a.u < b.u MERGE (a)-[r:%s {w: %d}]-(b)", l, c, l2, d, t, c), func(m *model) bool {
			for _, a := range m.find(l, c) {
				for _, b := range m.find(l2, d) {
					if a < b {
						m.mergeRel(a, b, t, map[string]any{"w": c}, true, false)
					}
				}
			}
			return true
		}}
	case 14:
		return writeCase{f("MATCH (a:%s), (b:%s) WHERE a.k = b.k AND a.k = %d CREATE (a)-[:%s {w: a.k}]->(b)", l, l2, c, t), func(m *model) bool {
			as, bs := m.find(l, c), m.find(l2, c)
			for _, a := range as {
				for _, b := range bs {
					m.relate(a, t, b, map[string]any{"w": c})
				}
			}
			return true
		}}
	case 15:
		return writeCase{f("FOREACH (i IN range(1, %d) | CREATE (a:%s {u: %d + i, k: i}) MERGE (b:%s {k: i}) ON CREATE SET b.u = %d + i)", c, l, u, l2, u+100), func(m *model) bool {
			for i := int64(1); i <= c; i++ {
				m.create(u+i, map[string]any{"k": i}, l)
				if len(m.find(l2, i)) == 0 {
					m.create(u+100+i, map[string]any{"k": i}, l2)
				}
			}
			return true
		}}
	case 16: // a later clause sees all of an earlier one, for all rows
		return writeCase{f("MATCH (n:%s {k: %d}) CREATE (m:%s {u: n.u + %d, k: %d}) WITH count(*) AS rows MATCH (x:%s {k: %d}) SET x.z = rows", l, c, l2, u*1000, d, l2, d), func(m *model) bool {
			from := m.find(l, c)
			for _, n := range from {
				m.create(n+u*1000, map[string]any{"k": d}, l2)
			}
			for _, x := range m.find(l2, d) {
				m.nodes[x].props["z"] = int64(len(from))
			}
			return true
		}}
	case 17: // each row's subquery sees those before it
		return writeCase{f("UNWIND range(1, 3) AS i CALL { WITH i OPTIONAL MATCH (x:%s) WITH i, count(x) AS n CREATE (:%s {u: %d + i, k: n}) RETURN n } RETURN sum(n)", l, l, u), func(m *model) bool {
			for i := int64(1); i <= 3; i++ {
				n := int64(len(m.find(l, nil)))
				m.create(u+i, map[string]any{"k": n}, l)
			}
			return true
		}}
	case 18:
		return writeCase{f("MATCH (a:%s)-[r:%s]->(b:%s) SET r.w = a.u %% 4 SET r.v = r.w WITH a, count(*) AS n SET a.n = n", l, t, l2), func(m *model) bool {
			n := map[int64]int64{}
			for _, r := range m.rels {
				if r.typ == t && m.nodes[r.from].labels[l] && m.nodes[r.to].labels[l2] {
					r.props["w"] = r.from % 4
					r.props["v"] = r.from % 4
					n[r.from]++
				}
			}
			for u, c := range n {
				m.nodes[u].props["n"] = c
			}
			return true
		}}
	case 19: // fails at its end
		return writeCase{f("CREATE (a:%s {u: %d}) WITH a MATCH (n:%s) SET n.k = 9 WITH count(*) AS x RETURN 1 / 0", l, u, l), func(*model) bool { return false }}
	}
	return writeCase{f("MATCH (n:%s {k: %d}) CREATE (n)-[:%s {w: 7}]->(m:D {u: n.u + %d}) DELETE m", l, c, t, u*1000), func(m *model) bool { return len(m.find(l, c)) == 0 }}
}

func (m *model) merge(l string, k, u int64) bool {
	found := m.find(l, k)
	if len(found) == 0 {
		m.create(u, map[string]any{"k": k}, l)
	}
	for _, n := range found {
		p := m.nodes[n].props
		z, _ := p["z"].(int64)
		p["z"] = z + 1
	}
	return true
}

func (m *model) mergeRel(a, b int64, t string, props map[string]any, either, count bool) {
	found := false
	for _, r := range m.rels {
		if r.typ != t || !(r.from == a && r.to == b || either && r.from == b && r.to == a) || props != nil && r.props["w"] != props["w"] {
			continue
		}
		found = true
		if count {
			w, _ := r.props["w"].(int64)
			r.props["w"] = w + 1
		}
	}
	if !found {
		if props == nil {
			props = map[string]any{}
		}
		m.relate(a, t, b, props)
	}
}

// TestRandomWrites runs random statements on a store and on a model of maps, alone and in transactions of several, some of
// which are rolled back, and compares all of the graph and what was counted.
func TestRandomWrites(t *testing.T) {
	seed := rand.Uint64()
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	rounds := 12
	if s := os.Getenv("MOTIF_CASES"); s != "" {
		n, _ := strconv.Atoi(s)
		rounds = max(4, n/25)
	}
	for i := range uint64(rounds) {
		writeHistory(t, seed+i)
		if t.Failed() {
			return
		}
	}
}

func writeHistory(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 11))
	db, err := motif.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m := &model{nodes: map[int64]*modelNode{}, next: 1}
	var history []string
	if r.IntN(2) == 0 {
		for _, l := range []string{"A", "B", "C"} {
			history = append(history, fmt.Sprintf("CREATE INDEX FOR (n:%s) ON (n.k)", l))
			rows, err := db.Query(t.Context(), history[len(history)-1], nil)
			if err == nil {
				err = rows.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func(q querier, m *model) *model {
		after := m.clone()
		c := randomWrite(r, after)
		history = append(history, c.text)
		works := c.do(after)
		rows, err := q.Query(t.Context(), c.text, nil)
		if err == nil {
			err = rows.Close()
		}
		if works != (err == nil) {
			t.Fatalf("MOTIF_SEED=%d: error %v, expected to work: %v\n%s", seed, err, works, strings.Join(history, ";\n"))
		}
		if !works {
			m.next = after.next
			after = m
		} else if got := rows.Summary().Changes; got.NodesCreated != after.changes.NodesCreated || got.NodesDeleted != after.changes.NodesDeleted ||
			got.RelationshipsCreated != after.changes.RelationshipsCreated || got.RelationshipsDeleted != after.changes.RelationshipsDeleted {
			t.Fatalf("MOTIF_SEED=%d: counted %v, expected %v\n%s", seed, got, after.changes, strings.Join(history, ";\n"))
		}
		got, want := dumpGraph(t, q), after.dump()
		if !slices.Equal(got, want) {
			t.Fatalf("MOTIF_SEED=%d:\n%s\ngot\n%s\nexpected\n%s", seed, strings.Join(history, ";\n"), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		return after
	}
	for i, l := range []string{"A", "B", "C"} { // some of which no statement breaks, but each has to be looked at
		for j, rule := range []string{"CREATE INDEX IF NOT EXISTS FOR (n:%s) ON (n.k)", "CREATE CONSTRAINT IF NOT EXISTS FOR (n:%s) REQUIRE n.u IS UNIQUE", "CREATE CONSTRAINT IF NOT EXISTS FOR (n:%s) REQUIRE n.u IS NOT NULL"} {
			if seed>>(3*i+j)&1 == 0 {
				continue
			}
			history = append(history, fmt.Sprintf(rule, l))
			rows, err := db.Query(t.Context(), history[len(history)-1], nil)
			if err != nil {
				t.Fatal(err)
			}
			rows.Close()
		}
	}
	undo := errors.New("undo")
	for range 25 {
		if r.IntN(3) > 0 {
			m = run(db, m)
			continue
		}
		after, back := m, r.IntN(2) == 0
		history = append(history, "BEGIN")
		err := db.Update(t.Context(), func(tx *motif.Tx) error {
			for range 1 + r.IntN(4) {
				after = run(tx, after)
			}
			if back {
				return undo
			}
			return nil
		})
		if back != errors.Is(err, undo) {
			t.Fatalf("MOTIF_SEED=%d: %v", seed, err)
		}
		history = append(history, map[bool]string{true: "ROLLBACK", false: "COMMIT"}[back])
		if back {
			m.next = after.next
		} else {
			m = after
		}
	}
	if got, want := dumpGraph(t, db), m.dump(); !slices.Equal(got, want) {
		t.Fatalf("MOTIF_SEED=%d: at the end\n%s\ngot\n%s\nexpected\n%s", seed, strings.Join(history, ";\n"), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
