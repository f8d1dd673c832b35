package explorer

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/shared"
	"github.com/motifql/motif/lang"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/patterns.txt from the compatibility kit")

// redraw puts the drawing of a match back into its text.
func redraw(text string, cursor int) (again string, p *pattern, reason string, err error) {
	script, err := lang.Parse(text)
	if err != nil {
		return "", nil, "", err
	}
	p, reason = draw(text, script, cursor)
	if p == nil || !p.Whole {
		return "", p, reason, nil
	}
	c, err := write(text, script, cursor, p)
	if err != nil {
		return "", p, "", fmt.Errorf("the drawing of a text has no text: %w", err)
	}
	return text[:c.From] + c.Insert + text[c.To:], p, "", nil
}

// checkLaw reports where text(draw(t)) is another pattern than t. It returns the new text, and the reason why there is none.
func checkLaw(t *testing.T, text string, cursor int) (again, reason string) {
	t.Helper()
	again, p, reason, err := redraw(text, cursor)
	if err != nil {
		t.Errorf("%s\n%v", text, err)
	}
	if again == "" {
		if reason == "" && err == nil {
			t.Errorf("%s\nis not drawn, without a reason", text)
		}
		return "", reason
	}
	script, err := lang.Parse(again)
	if err != nil {
		t.Errorf("%s\nbecomes\n%s\n%v", text, again, err)
		return again, ""
	}
	q, reason := draw(again, script, cursor)
	if reason != "" {
		t.Errorf("%s\nbecomes\n%s\nwhich is not drawn: %s", text, again, reason)
		return again, ""
	}
	a, b := canonical(p), canonical(q)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s\nbecomes\n%s\ndrawn as %+v, was %+v", text, again, b, a)
	}
	return again, ""
}

// canonical lists the edges of a drawing in their order, each with what is known of its ends, and the nodes that no edge has.
func canonical(p *pattern) []string {
	var list []string
	joined := make([]bool, len(p.Nodes))
	seen := map[int]int{} // nodes by their first edge
	end := func(i int) string {
		joined[i] = true
		if _, ok := seen[i]; !ok {
			seen[i] = len(seen)
		}
		n := p.Nodes[i]
		n.Path = ""
		if strings.Count(fmt.Sprint(p.Edges), "") >= 0 && n.Name == "" {
			return fmt.Sprintf("#%d %+v", seen[i], n)
		}
		return fmt.Sprintf("%+v", n)
	}
	for _, e := range p.Edges {
		from, to := e.ends()
		a := end(from)
		list = append(list, fmt.Sprintf("%s [%s :%s %t %s %t %s %s %s] %s", a, e.Name, e.Types, e.Directed, e.Length, e.Quantifier, e.Props, e.Where, e.Path, end(to)))
	}
	var alone []string
	for i, n := range p.Nodes {
		if !joined[i] || n.Path != "" {
			alone = append(alone, fmt.Sprintf("%+v", n))
		}
	}
	slices.Sort(alone)
	return append(append(list, alone...), p.Mode)
}

// kitPatterns lists the MATCH clauses of the compatibility kit, each once, as a query of nothing else.
func kitPatterns(t *testing.T) []string {
	root := shared.File(t, "tck", "features")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".feature") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, text := range kitQueries(string(data)) {
			script, err := lang.Parse(text)
			if err != nil {
				continue
			}
			for _, m := range matchesIn(script) {
				seen[strings.ReplaceAll(m.String(), "\n", " ")+" RETURN 1"] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]string, 0, len(seen))
	for text := range seen {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// kitQueries lists the queries of a feature, once for every row of examples.
func kitQueries(feature string) (list []string) {
	var open []string // the queries of the scenario
	var header []string
	examples := false
	blocks := strings.Split(feature, `"""`)
	for i, block := range blocks {
		if i%2 == 1 {
			open = append(open, strings.TrimSpace(block))
			continue
		}
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "Scenario"):
				list = append(list, open...)
				open, header, examples = nil, nil, false
			case strings.HasPrefix(line, "Examples:"):
				examples = true
			case examples && strings.HasPrefix(line, "|"):
				cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "|"), "|")
				for k := range cells {
					cells[k] = strings.ReplaceAll(strings.TrimSpace(cells[k]), "\x00", "|")
				}
				if header == nil {
					header = cells
					continue
				}
				for _, text := range open {
					for k := range min(len(header), len(cells)) {
						text = strings.ReplaceAll(text, "<"+header[k]+">", cells[k])
					}
					list = append(list, text)
				}
			}
		}
	}
	return append(list, open...)
}

// fixed reports whether all paths of the first match have a fixed length.
func fixed(text string) bool {
	script, err := lang.Parse(text)
	if err != nil {
		return false
	}
	for _, p := range matchesIn(script)[0].Paths {
		if p.Function != lang.NoPathFunction || p.Selector.Kind != lang.AllPaths {
			return false
		}
		for _, r := range p.Rels {
			if r.Length != nil || r.Group != nil {
				return false
			}
		}
	}
	return true
}

// text(draw(t)) is the same pattern as t, for the patterns of the compatibility kit; at least 90 % of those of fixed length are drawn, and
// the others say why not.
func TestKitPatterns(t *testing.T) {
	list := kitPatterns(t)
	if *rewrite {
		var sample []string
		for i, text := range list {
			if i%4 == 0 {
				sample = append(sample, text)
			}
		}
		if err := os.WriteFile("testdata/patterns.txt", []byte(strings.Join(sample, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkPatterns(t, list)
}

// TestPatterns is TestKitPatterns on a sample of the kit's patterns.
func TestPatterns(t *testing.T) {
	f, err := os.Open("testdata/patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		list = append(list, lines.Text())
	}
	checkPatterns(t, list)
}

func checkPatterns(t *testing.T, list []string) {
	db := kitGraph(t)
	all, drawn := 0, 0
	reasons := map[string]int{}
	for _, text := range list {
		again, reason := checkLaw(t, text, 0)
		if fixed(text) {
			all++
			if again != "" {
				drawn++
			}
		}
		if reason != "" {
			reasons[reason]++
		}
		if again != "" {
			checkMeaning(t, db, text, again)
		}
	}
	t.Logf("%d of %d patterns of fixed length are drawn; not drawn: %v", drawn, all, reasons)
	if all < 50 || drawn*10 < all*9 {
		t.Errorf("%d of %d patterns of fixed length are drawn", drawn, all)
	}
}

// kitGraph is a small graph with the names that the kit uses most.
func kitGraph(t testing.TB) *motif.DB {
	db, err := motif.Open(":memory:", motif.WithCreate())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	const text = `UNWIND range(0, 11) AS i CREATE (n:A {name: 'a', i: i, num: i % 3}) WITH collect(n) AS l
UNWIND range(0, 11) AS i WITH l, l[i] AS n, i
FOREACH (x IN CASE WHEN i % 2 = 0 THEN [n] ELSE [] END | SET x:B)
FOREACH (x IN CASE WHEN i % 3 = 0 THEN [n] ELSE [] END | SET x:C:Label REMOVE x:A)
FOREACH (x IN CASE WHEN i % 4 = 1 THEN [n] ELSE [] END | SET x:Start:Single:Begin SET x.name = 'b')
CREATE (n)-[:T {name: 'r'}]->(m:X) CREATE (n)-[:KNOWS]->(n)
WITH l, n, i, l[(i * 5 + 1) % 12] AS m CREATE (n)-[:REL {name: 'r', num: i}]->(m), (m)-[:KNOWS]->(n), (n)-[:LIKES]->(m), (n)-[:T]->(m)`
	if _, err := db.Exec(context.Background(), text, nil); err != nil {
		t.Fatal(err)
	}
	return db
}

// checkMeaning counts the matches of two texts of one pattern.
func checkMeaning(t *testing.T, db *motif.DB, was, is string) {
	t.Helper()
	if script, err := lang.Parse(was); err != nil || len(matchesIn(script)[0].Paths) > 4 || strings.Contains(was, "*") || strings.Count(was, "-")+strings.Count(was, "(") > 24 {
		return // counting may take long
	}
	var got [2]int64
	for i, text := range []string{was, is} {
		text = strings.TrimSuffix(text, "RETURN 1") + "RETURN count(*)"
		rows, err := db.Query(context.Background(), text, nil, motif.WithTimeout(30*time.Second), motif.WithWorkers(1))
		if err != nil && i == 0 {
			return // it needs what a clause before it gives
		}
		if err == nil {
			got[i], err = motif.One[int64](rows)
		}
		if err != nil && i == 0 {
			return
		}
		if err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	if got[0] != got[1] {
		t.Errorf("%s\nhas %d matches, and\n%s\nhas %d", was, got[0], is, got[1])
	}
}

// A drawing is written as few paths, and only the text of the paths changes.
func TestWritePattern(t *testing.T) {
	n := func(name string) node { return node{Name: name} }
	for _, c := range []struct {
		text string
		p    pattern
		want string
	}{
		{"", pattern{Nodes: []node{n("a")}}, "MATCH (a)\nRETURN *"},
		{"RETURN 1", pattern{Mode: "SUBGRAPHS", Nodes: []node{n("")}}, "RETURN 1;\nMATCH SUBGRAPHS ()\nRETURN *"},
		{"MATCH (x) /* keep */ RETURN a", pattern{Nodes: []node{{Name: "a", Labels: "A&B", Props: "{x: 1}", Where: "a.y > 2"}}}, "MATCH (a:A&B {x: 1} WHERE a.y > 2) /* keep */ RETURN a"},
		{"MATCH (x)--(y) RETURN *", pattern{Nodes: []node{n("a"), n(""), n("")}, Edges: []edge{{From: 0, To: 1, Types: "R", Directed: true}, {From: 2, To: 1, Directed: true}}},
			"MATCH (a)-[:R]->(b), ()-->(b) RETURN *"},
		{"MATCH (x)--(y) RETURN *", pattern{Nodes: []node{n("a"), n("b")}, Edges: []edge{{From: 1, To: 0, Directed: true, Back: true}, {From: 1, To: 1, Length: "*2"}, {From: 1, To: 0, Length: "{2,}", Quantifier: true}}},
			"MATCH (a)<--(b)-[*2]-(b)--{2,}(a) RETURN *"},
		{"optional match(x) RETURN *", pattern{Mode: "DISTINCT SUBGRAPHS", Nodes: []node{n("select me")}}, "optional match DISTINCT SUBGRAPHS (`select me`) RETURN *"},
		{"MATCH DIFFERENT NODES (x) RETURN *", pattern{Nodes: []node{n("x")}}, "MATCH (x) RETURN *"},
		{"MATCH (x) MATCH REPEATABLE ELEMENTS (y)-->(z) RETURN *", pattern{Mode: "REPEATABLE ELEMENTS", Nodes: []node{n("y")}}, "MATCH (x) MATCH REPEATABLE ELEMENTS (y) RETURN *"},
	} {
		script, err := lang.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := write(c.text, script, len(c.text), &c.p)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		text := c.text[:got.From] + got.Insert + c.text[got.To:]
		if text != c.want {
			t.Errorf("%s becomes\n%s\nwant\n%s", c.text, text, c.want)
		}
	}
}

// Text that would leave its bracket is refused, and so is a drawing that is none.
func TestWriteRefuses(t *testing.T) {
	script, err := lang.Parse("MATCH (x) RETURN x")
	if err != nil {
		t.Fatal(err)
	}
	with := func(labels, props string) pattern {
		return pattern{Nodes: []node{{Name: "a", Labels: labels, Props: props}}}
	}
	for _, p := range []pattern{
		{}, {Mode: "SOME NODES", Nodes: []node{{}}}, {Nodes: []node{{}}, Edges: []edge{{From: 0, To: 1}}}, {Nodes: []node{{}}, Edges: []edge{{From: -1}}},
		with(") DELETE (a", ""), with("A]", ""), with("A /*", ""), with("A // x", ""), with("`A", ""), with("A;", ""), with("", "{x: 'a"), with("", "{x: \"a\\\""), with("", "{x: [1}"), with("", "{x: 1"),
		{Nodes: []node{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Edges: []edge{{From: 0, To: 1, Path: "p"}, {From: 2, To: 0, Path: "p"}}},
	} {
		if c, err := write("MATCH (x) RETURN x", script, 0, &p); err == nil {
			t.Errorf("%+v becomes %q", p, c.Insert)
		}
	}
	p := with("A&`b)`", "{x: ')\\'(', y: $p}")
	if _, err := write("MATCH (x) RETURN x", script, 0, &p); err != nil {
		t.Error(err)
	}
}

// What cannot be drawn says why.
func TestDrawRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"RETURN 1": "no MATCH", "MATCH shortestPath((a)-[*]-(b)) RETURN a": "shortest", "MATCH ANY (a)-->+(b) RETURN a": "selector",
		"MATCH TRAIL (a)-->+(b) RETURN a": "mode", "MATCH (a) ((b)-->(c)){2} (d) RETURN a": "brackets", "MATCH (a) /* x */, (b) RETURN a": "comment",
		"MATCH (a {x: 1})-->(b), (a {y: 2}) RETURN a": "two places", "MATCH p = (a), q = (a) RETURN a": "same node",
	} {
		script, err := lang.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, reason := draw(text, script, 0); !strings.Contains(reason, want) {
			t.Errorf("%s: %q", text, reason)
		}
	}
}

// FuzzLaw looks for a text whose drawing is another pattern.
func FuzzLaw(f *testing.F) {
	for _, s := range []string{"MATCH (a:A|B)-[r:R*1..2 {x: 1}]->(b)<--(), p = (c)--(a:C) RETURN *", "MATCH INDUCED SUBGRAPHS (a)-->+(`b c` WHERE b.x) RETURN 1; MATCH (d) RETURN d", "UNWIND [1] AS x CALL (x) { MATCH (a) RETURN a } RETURN a"} {
		f.Add(s, 0)
		f.Add(s, len(s))
	}
	f.Add("MATCH(a),A00=(a)", 0)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		if _, err := lang.Parse(text); err == nil && len(text) < 1<<12 {
			checkLaw(t, text, cursor)
		}
	})
}
