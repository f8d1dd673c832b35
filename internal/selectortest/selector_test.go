// Package selectortest compares paths with selectors, such as ANY SHORTEST, with a second definition of them. Conditions inside of a path
// choose before its selector does. The definition here enumerates walks over a plain list of relationships, and shares no code with the
// engine, nor with its brute force.
package selectortest

import (
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// TestConditionsInsideSelectors asks random MATCH clauses whose paths select, with conditions inside and outside of them. MOTIF_SELECTORS
// is how many; MOTIF_SEED repeats one case.
func TestConditionsInsideSelectors(t *testing.T) {
	seed, n := uint64(time.Now().UnixNano()), 300
	if s := os.Getenv("MOTIF_SELECTORS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("MOTIF_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
		n = 1
	}
	rows, inside, decided := 0, 0, 0
	for i := range n {
		c := randomCase(seed + uint64(i))
		rows += c.compare(t)
		if c.conditions() {
			inside++
		}
		if c.matters() {
			decided++
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("MOTIF_SEED=%d and on: %d clauses, %d with conditions inside, which decided %d selections; %d rows", seed, n, inside, decided, rows)
	if n >= 100 && (rows < n || inside < n/2 || decided < n/100) {
		t.Error("this tests little")
	}
}

// TestSharesNothing holds the definition to what a program that embeds Motif can import.
func TestSharesNothing(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "motifql/motif/") {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}

// trial is a clause and a graph.
type trial struct {
	seed uint64
	r    *rand.Rand
	g    *graph
	*clause
	names []string // of the variables
}

// conditions reports whether the selecting path has conditions.
func (c *trial) conditions() bool {
	p := c.path
	return len(p.conds) > 0 || slices.ContainsFunc(p.nodes, func(n nodePattern) bool { return n.cond != nil }) ||
		slices.ContainsFunc(p.hops, func(h hop) bool { return h.cond != nil })
}

// matters reports whether another path would be the shortest, were the conditions tested after the selection.
func (c *trial) matters() bool {
	bare := *c.clause
	p := *c.path
	p.conds, p.nodes = nil, slices.Clone(p.nodes)
	for i := range p.nodes {
		p.nodes[i].cond = nil
	}
	bare.path = &p
	without := bare.partitions(c.g)
	for key, part := range c.partitions(c.g) {
		if all := without[key]; c.path.selector != "" && all != nil && len(all.paths[0].rels) < len(part.paths[0].rels) {
			return true
		}
	}
	return false
}

// create is the statement that makes the graph.
func (g *graph) create() string {
	var parts []string
	for i, n := range g.nodes {
		label, prop := "", ""
		for _, l := range n.labels {
			label += ":" + string(l)
		}
		if n.n >= 0 {
			prop = fmt.Sprint(", n: ", n.n)
		}
		parts = append(parts, fmt.Sprintf("(v%d%s {id: %d%s})", i, label, i, prop))
	}
	for i, r := range g.rels {
		prop := ""
		if r.n >= 0 {
			prop = fmt.Sprint(", n: ", r.n)
		}
		parts = append(parts, fmt.Sprintf("(v%d)-[:%s {id: %d%s}]->(v%d)", r.from, r.typ, i, prop, r.to))
	}
	return "CREATE " + strings.Join(parts, ", ")
}

// text is the query. It returns what match.show shows.
func (c *trial) text() string {
	b := "MATCH "
	if c.mode != "" {
		b += c.mode + " "
	}
	if c.plain != nil {
		b += c.plain.text() + ", "
	}
	selector := c.path.selector
	switch selector {
	case "ANY k":
		selector = fmt.Sprint("ANY ", c.path.k)
	case "SHORTEST k":
		selector = fmt.Sprint("SHORTEST ", c.path.k)
	case "SHORTEST k GROUPS":
		selector = fmt.Sprint("SHORTEST ", c.path.k)
	}
	b += "p = " + strings.TrimSpace(selector+" "+c.path.mode)
	if c.path.selector == "SHORTEST k GROUPS" {
		b += " GROUPS"
	}
	b = strings.TrimSuffix(b, " ") + " " + c.path.text() + whereText(c.where)
	cols := []string{"[z IN nodes(p) | z.id]", "[z IN relationships(p) | z.id]"}
	for _, name := range c.names {
		if c.isList(name) {
			cols = append(cols, "[z IN "+name+" | z.id]")
		} else {
			cols = append(cols, name+".id")
		}
	}
	return b + " RETURN " + strings.Join(cols, ", ")
}

func (c *trial) isList(name string) bool {
	return slices.ContainsFunc(c.path.hops, func(h hop) bool { return h.loop && (h.name == name || h.x == name || h.y == name) })
}

// compare asks the engine and checks its rows. It returns their number.
func (c *trial) compare(t *testing.T) int {
	t.Helper()
	db, err := motif.Open(":memory:", motif.WithWorkers(1+c.r.IntN(2)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c.ask(t, db, c.g.create())
	text := c.text()
	rows := c.ask(t, db, text)
	c.judge(t, text, rows)
	if len(c.g.rels) <= 4 && c.r.IntN(4) == 0 && c.longest(c.g) < 7 {
		c.judge(t, text+" // by brute force", c.ask(t, db, text, motif.WithBruteForce()))
	}
	return len(rows)
}

func (c *trial) ask(t *testing.T, db *motif.DB, text string, opts ...motif.QueryOption) (lines []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil, append(opts, motif.WithTimeout(time.Minute))...)
	if err != nil {
		t.Fatalf("MOTIF_SEED=%d\n%s;\n%s\n%v", c.seed, c.g.create(), text, err)
	}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatalf("MOTIF_SEED=%d\n%s;\n%s\n%v", c.seed, c.g.create(), text, err)
		}
		values := row.Values()
		line := fmt.Sprint(values[:2]...)
		for _, v := range values[2:] {
			line += fmt.Sprint(" ", v)
		}
		lines = append(lines, line)
	}
	return lines
}

// judge checks rows. Of several paths that a selector may choose from, it accepts any.
func (c *trial) judge(t *testing.T, text string, rows []string) {
	t.Helper()
	left := map[string]int{}
	for _, line := range rows {
		left[line]++
	}
	wrong := func(format string, args ...any) {
		t.Helper()
		t.Errorf("MOTIF_SEED=%d\n%s;\n%s\ngave\n%s\n%s", c.seed, c.g.create(), text, strings.Join(rows, "\n"), fmt.Sprintf(format, args...))
	}
	for _, part := range c.partitions(c.g) {
		var lengths []int // of the paths that must be selected; -1: any
		some := false
		switch c.path.selector {
		case "ANY", "ANY k":
			some = true
			lengths = slices.Repeat([]int{-1}, min(c.path.k, len(part.paths)))
		case "ANY SHORTEST", "SHORTEST k":
			some = true
			for _, m := range part.paths[:min(c.path.k, len(part.paths))] {
				lengths = append(lengths, len(m.rels))
			}
		}
		allowed := groups(part.paths, c.path.k)
		for _, m := range part.paths {
			line, n := m.show(c.names), len(m.rels)
			switch {
			case some && !c.passes(c.g, part, m):
				lengths = nil // the condition is on the ends: no path of the part passes
			case some:
				at := slices.IndexFunc(lengths, func(l int) bool { return l < 0 || l == n })
				if at >= 0 && left[line] > 0 {
					left[line]--
					lengths = slices.Delete(lengths, at, at+1)
				}
			case c.path.selector != "" && !slices.Contains(allowed, n) || !c.passes(c.g, part, m):
			case left[line] == 0:
				wrong("%s is missing", line)
				return
			default:
				left[line]--
			}
		}
		if len(lengths) > 0 {
			wrong("paths of the lengths %v are missing from %d to %d", lengths, part.paths[0].nodes[0], part.paths[0].nodes[len(part.paths[0].nodes)-1])
			return
		}
	}
	for line, n := range left {
		if n > 0 {
			wrong("%s is there %d times too often", line, n)
			return
		}
	}
}
