package enginetest

import (
	"fmt"
	"github.com/motifql/motif"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/testgraph"
)

// TestRandomPaths asks random MATCH clauses with paths of variable length, of all modes and selectors, and compares the rows with
// those of an enumerator that follows the definitions and shares nothing with the engine. MOTIF_SEED repeats one case.
func TestRandomPaths(t *testing.T) {
	seed, n := uint64(time.Now().UnixNano()), 1500
	if testing.Short() {
		n = 200
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		n = 1
	}
	rows := 0
	for i := range n {
		rows += randomPathCase(t, seed+uint64(i))
	}
	t.Logf("MOTIF_SEED=%d and on: %d clauses, %d rows", seed, n, rows)
	if n > 1 && rows < n {
		t.Errorf("%d clauses gave only %d rows: they test little", n, rows)
	}
}

func randomPathCase(t *testing.T, seed uint64) int {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	snap := testgraph.Random(r.Uint64(), testgraph.Options{Vertices: 1 + r.IntN(5), Edges: 1 + r.IntN(6)})
	db, snap := pathDB(t, snap, r)
	defer db.Close()
	c := randomPathClause(r, snap)
	text := c.text()
	want := c.rows(snap)
	got, err := answer(t, db, text)
	if c.anyShortest() {
		got, want = c.lengthsOnly(got), c.lengthsOnly(want)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("MOTIF_SEED=%d:\n%s\non %v\ngave %d rows, %v\n%s\nby definition there are %d\n%s\n%s", seed, text, describe(snap), len(got), err,
			strings.Join(got, "\n"), len(want), strings.Join(want, "\n"), profile(t, db, text))
	}
	count := strings.Replace(text, "RETURN "+c.columns(), "RETURN count(*) AS n", 1)
	if got, err := answer(t, db, count); err != nil || len(got) != 1 || got[0] != fmt.Sprint(len(want)) {
		t.Fatalf("MOTIF_SEED=%d:\n%s\non %v\ngave %v, %v, not %d\n%s", seed, count, describe(snap), got, err, len(want), profile(t, db, count))
	}
	c.ends(t, db, snap, seed, text)
	if r.IntN(8) == 0 && snap.M() < 5 {
		if got, err := answer(t, db, count, motif.WithBruteForce()); err != nil || len(got) != 1 || got[0] != fmt.Sprint(len(want)) {
			t.Fatalf("MOTIF_SEED=%d:\n%s\non %v\nby brute force gave %v, %v, not %d", seed, count, describe(snap), got, err, len(want))
		}
	}
	return len(want)
}

// pathCase is a MATCH clause.
type pathCase struct {
	mode  string
	rels  int
	paths []*casePath
	where []string // of these: "a.x < b.x", by two names
}

type casePath struct {
	selector string // "", ANY SHORTEST, SHORTEST 2, ALL SHORTEST, SHORTEST 2 GROUPS, shortestPath, allShortestPaths
	mode     string
	nodes    []caseNode
	rels     []caseRel
}

type caseNode struct {
	name, label string
	least       int // of x; -1: none
}

type caseRel struct {
	id       int
	dir      int // 0 right, 1 left, 2 either
	types    []string
	loop     string // "", "*", "q" or "group"
	min, max int    // max -1: none
	least    int    // of x of every relationship
	rising   bool   // of a group: x.x < y.x
	label    string // of a group's y
}

func randomPathClause(r *rand.Rand, s *csr.Snapshot) *pathCase {
	c := &pathCase{mode: []string{"", "", "", "", "REPEATABLE ELEMENTS ", "DIFFERENT NODES "}[r.IntN(6)]}
	names := []string{"a", "b", "c", "d"}
	for range 1 + r.IntN(5)/3 {
		p := &casePath{}
		rels := 1 + r.IntN(5)/3
		if r.IntN(3) == 0 && !slices.ContainsFunc(c.paths, func(p *casePath) bool { return p.selector != "" }) {
			p.selector = []string{"ANY SHORTEST", "SHORTEST 2", "ALL SHORTEST", "SHORTEST 2 GROUPS", "shortestPath", "allShortestPaths"}[r.IntN(6)]
		}
		if r.IntN(4) == 0 && !strings.HasSuffix(p.selector, "s") && !strings.HasSuffix(p.selector, "h") {
			p.mode = []string{"WALK", "TRAIL", "SIMPLE", "ACYCLIC"}[r.IntN(4)]
		}
		function := strings.Contains(p.selector, "Path")
		if function || p.selector != "" && c.mode == "DIFFERENT NODES " {
			rels = 1
		}
		for i := range rels + 1 {
			n := caseNode{name: names[r.IntN(len(names))], least: -1}
			if r.IntN(6) == 0 {
				n.name = ""
			}
			if r.IntN(5) == 0 && s.Labels.Len() > 0 {
				n.label = s.Labels.Name(uint32(r.IntN(s.Labels.Len())))
			}
			if r.IntN(6) == 0 {
				n.least = r.IntN(3)
			}
			p.nodes = append(p.nodes, n)
			if i > 0 {
				p.rels = append(p.rels, randomCaseRel(r, s, c, p, function))
			}
		}
		c.paths = append(c.paths, p)
	}
	if r.IntN(4) == 0 {
		p := c.paths[0]
		if a, b := p.nodes[0].name, p.nodes[len(p.nodes)-1].name; a != "" && b != "" {
			c.where = []string{a, b}
		}
	}
	return c
}

func randomCaseRel(r *rand.Rand, s *csr.Snapshot, c *pathCase, p *casePath, function bool) caseRel {
	c.rels++
	e := caseRel{id: c.rels, dir: r.IntN(3), least: -1, min: 1, max: 1}
	for range r.IntN(3) {
		e.types = append(e.types, s.Types.Name(uint32(r.IntN(s.Types.Len()))))
	}
	if r.IntN(5) == 0 {
		e.least = r.IntN(3)
	}
	if function || r.IntN(4) > 0 {
		e.loop = []string{"*", "q", "group"}[r.IntN(3)]
		e.min, e.max = r.IntN(3), -1
		if function {
			e.loop, e.min = "*", r.IntN(2)
		}
		walks := c.mode == "REPEATABLE ELEMENTS " && (p.mode == "" || p.mode == "WALK")
		if walks || r.IntN(2) == 0 {
			e.max = e.min + r.IntN(3)
		}
		if walks {
			e.max = min(e.max, 2)
			e.min = min(e.min, e.max)
		}
		if e.loop == "group" {
			e.rising = r.IntN(2) == 0
			if r.IntN(3) == 0 && s.Labels.Len() > 0 {
				e.label = s.Labels.Name(uint32(r.IntN(s.Labels.Len())))
			}
		}
		if e.max == 0 {
			e.max = 1
		}
	}
	return e
}

func (c *pathCase) columns() string {
	var cols []string
	for i := range c.paths {
		cols = append(cols, fmt.Sprint("p", i))
	}
	return strings.Join(cols, ", ")
}

// text is the query.
func (c *pathCase) text() string {
	var paths []string
	for i, p := range c.paths {
		t := p.text()
		if strings.Contains(p.selector, "Path") {
			t = p.selector + "(" + t + ")"
		} else {
			sel, groups := strings.CutSuffix(p.selector, " GROUPS")
			if sel += " " + p.mode; groups {
				sel += " GROUPS"
			}
			t = strings.TrimSpace(sel) + " " + t
		}
		paths = append(paths, fmt.Sprintf("p%d = %s", i, t))
	}
	where := ""
	if c.where != nil {
		where = fmt.Sprintf(" WHERE %s.x <= %s.x", c.where[0], c.where[1])
	}
	return "MATCH " + c.mode + strings.Join(paths, ", ") + where + " RETURN " + c.columns()
}

func (p *casePath) text() string {
	b := p.nodes[0].text()
	for i, e := range p.rels {
		b += e.text() + p.nodes[i+1].text()
	}
	return b
}

func (n caseNode) text() string {
	b := "(" + n.name
	if n.label != "" {
		b += ":" + n.label
	}
	if n.least >= 0 {
		name := n.name
		if name == "" {
			return b + ")"
		}
		b += fmt.Sprintf(" WHERE %s.x >= %d", name, n.least)
	}
	return b + ")"
}

func (e caseRel) text() string {
	in := ""
	if len(e.types) > 0 {
		in = ":" + strings.Join(e.types, "|")
	}
	name := fmt.Sprint("e", e.id)
	if e.least >= 0 {
		in = name + in
	}
	if e.loop == "*" {
		in += "*" + strconv.Itoa(e.min) + ".."
		if e.max >= 0 {
			in += strconv.Itoa(e.max)
		}
	}
	if e.least >= 0 {
		in += fmt.Sprintf(" WHERE %s.x >= %d", name, e.least)
	}
	arrow := [...][2]string{{"-[", "]->"}, {"<-[", "]-"}, {"-[", "]-"}}[e.dir]
	rel := arrow[0] + in + arrow[1]
	quant := fmt.Sprintf("{%d,}", e.min)
	if e.max >= 0 {
		quant = fmt.Sprintf("{%d,%d}", e.min, e.max)
	}
	switch e.loop {
	case "q":
		return rel + quant
	case "group":
		label, where := "", ""
		if e.label != "" {
			label = ":" + e.label
		}
		if e.rising {
			where = fmt.Sprintf(" WHERE x%d.x < y%d.x", e.id, e.id)
		}
		return fmt.Sprintf("((x%d)%s(y%d%s)%s)%s", e.id, rel, e.id, label, where, quant)
	}
	return rel
}
