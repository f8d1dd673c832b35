package draw

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

// hostile are texts that would break out of a format that does not escape them.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `]]></style></title><script>`, `' onload='alert(1)`, "</script><script>alert(1)//", `\"; n0 -> evil; "`, `\`, `a\`, `"`,
	"&amp;&#0;&evil;", "\x00\x01\x1b[31m\x7f", "\xff\xfe broken", "\u202eright to left\u2066", "line\nline\r\ttab", "\ufffe\uffff\ufdd0", "<!--", "-->", "<![CDATA[", "url(https://example.com/x)",
	"{{.}}", "%s%d%!", strings.Repeat("W", 5000), strings.Repeat("\u0301", 300), "\\N\\G\\L", "😀👩‍👩‍👧‍👦", "مرحبا بالعالم", "नमस्ते", "日本語のとても長い名前がここにあります",
}

// hostilePicture draws a graph in which everything that has a name has this one.
func hostilePicture(name string) *Picture {
	c := newCollector(Options{MaxNodes: 10, cells: true})
	a := motif.Node{ID: 1, Labels: []string{name, "A"}, Props: map[string]any{"name": name, name: name, "list": []any{name, map[string]any{name: 1.5}}}}
	b := motif.Node{ID: 2, Labels: []string{name}, Props: map[string]any{name: int64(3)}}
	r := motif.Relationship{ID: 1, Type: name, Start: 1, End: 2, Props: map[string]any{name: true}}
	loop := motif.Relationship{ID: 2, Type: name, Start: 1, End: 1, Props: map[string]any{}}
	c.names = []string{name, "b", "r", "l"}
	c.row([]any{a, b, r, loop})
	p := &Picture{Rows: 1}
	if err := p.drawGraph(context.Background(), &c.graph); err != nil {
		panic(err)
	}
	return p
}

func TestHostileText(t *testing.T) {
	for _, name := range hostile {
		for _, p := range hostilePictures(name) {
			checkFormats(t, p)
		}
	}
}

// hostilePictures draws an answer, a plan and a schema in which everything that has a name has this one.
func hostilePictures(name string) []*Picture {
	plan := &motif.Plan{Operator: name, Detail: name, Notes: []string{name, name}, ActualRows: 1e6, EstimatedRows: 2, Time: 5,
		Children: []*motif.Plan{{Operator: name, Detail: name, ActualRows: -1}, {Operator: "Match", ActualRows: 3, EstimatedRows: math.Inf(1)}, nil}}
	schema := &motif.Schema{Labels: []motif.NameCount{{Name: name, Count: 3}, {Name: "A", Count: 1}},
		Connections: []motif.Connection{{From: name, Type: name, To: name, Count: 5}, {From: "A", Type: name, To: "", Count: 1}}}
	return []*Picture{hostilePicture(name), Plan(plan, Options{}), Schema(schema, Options{})}
}

func FuzzText(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) < 10_000 {
			for _, p := range hostilePictures(name) {
				checkFormats(t, p)
			}
		}
	})
}

// writtenAs returns the picture in a format.
func writtenAs(t *testing.T, p *Picture, format string) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out, format); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// checkFormats checks that each format reads as what it should be: text of strangers adds no element, attribute or statement.
func checkFormats(t *testing.T, p *Picture) {
	t.Helper()
	elements(t, writtenAs(t, p, "svg"), "svg title style rect g circle path text")
	elements(t, writtenAs(t, p, "gexf"), "gexf graph attributes attribute nodes node attvalues attvalue color position edges edge")
	page := writtenAs(t, p, "html")
	if n := strings.Count(page, "<script"); n != 2 {
		t.Errorf("the page has %d scripts", n)
	}
	from, to := strings.Index(page, "<svg"), strings.Index(page, "</svg>")
	elements(t, page[from:to+6], "svg title style rect g circle path text")
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(page)
	if data == nil || !json.Valid([]byte(data[1])) {
		t.Error("the data of the page is no JSON")
	}
	checkDOT(t, writtenAs(t, p, "dot"), len(p.graph.nodes), len(p.graph.edges))
}

// elements reads XML and checks that it has these elements only, and no attribute that runs something.
func elements(t *testing.T, text, names string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%.2000s", err, text)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.Contains(" "+names+" ", " "+e.Name.Local+" ") {
			t.Errorf("an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || a.Name.Local == "src" {
				t.Errorf("an attribute %s", a.Name.Local)
			}
		}
	}
}

// dotString matches a string of DOT.
var dotString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// checkDOT checks that nothing but strings differs between graphs of the same shape.
func checkDOT(t *testing.T, text string, nodes, edges int) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) != nodes+edges+4 {
		t.Fatalf("%d lines for %d nodes and %d edges:\n%s", len(lines), nodes, edges, text)
	}
	node := regexp.MustCompile(`^  n\d+ \[label="", tooltip="", fillcolor=""\];$`)
	edge := regexp.MustCompile(`^  n\d+ -> n\d+ \[label="", tooltip=""(, style=dotted)?\];$`)
	for _, l := range lines[3 : len(lines)-1] {
		if bare := dotString.ReplaceAllString(l, `""`); !node.MatchString(bare) && !edge.MatchString(bare) {
			t.Errorf("this is neither a node nor an edge: %q", l)
		}
	}
}

// TestPNG decodes what PNG writes, also of text that no font of the program has.
func TestPNG(t *testing.T) {
	for _, name := range []string{"Ann", "日本", "مرحبا", "\x00"} {
		p := hostilePicture(name)
		if text := writtenAs(t, p, "png"); !strings.HasPrefix(text, "\x89PNG") {
			t.Errorf("%q gives no PNG", name)
		}
	}
	if notes := strings.Join(hostilePicture("مرحبا").Notes("png"), " "); !strings.Contains(notes, "left to right") {
		t.Errorf("nothing is said of Arabic: %s", notes)
	}
}

// TestPlan draws plans without end, without operators, and with an estimate that is far off.
func TestPlan(t *testing.T) {
	circle := &motif.Plan{Operator: "Match", ActualRows: -1}
	circle.Children = []*motif.Plan{circle, circle}
	for _, test := range []struct {
		plan *motif.Plan
		want string
	}{
		{nil, "There is no plan."},
		{circle, "The others are not drawn."},
		{&motif.Plan{Operator: "Match", EstimatedRows: 9, ActualRows: 9999}, "estimate off by 1,000×"},
		{&motif.Plan{Operator: "Match", EstimatedRows: 1234567, ActualRows: -1}, "expected 1,234,567 rows"},
	} {
		if text := writtenAs(t, Plan(test.plan, Options{}), "svg"); !strings.Contains(text, test.want) {
			t.Errorf("the picture does not say %q", test.want)
		}
	}
}

// TestLimits draws rows beyond the limits. The picture says what it lacks.
func TestLimits(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, test := range []struct{ query, note string }{
		{"MATCH (a:Person) RETURN a", "The first 20 rows are drawn: 20 nodes. The answer has more"},
		{"MATCH (a:Person) RETURN collect(a)", "The first row alone has more than 20 nodes"},
		{"MATCH (a:Person) WHERE false RETURN a", "The answer has no rows."},
		{"MATCH (a:Person) WITH a LIMIT 1 UNWIND range(1, 1000000000) AS x RETURN a, x", "The first 10000 rows are drawn: 1 node. The answer has more"},
		{"UNWIND range(1, 1000000000) AS x RETURN x", "The first 10000 rows have no nodes"},
		{"RETURN 1 AS x", "The answer has no nodes, relationships or paths."},
		{"MATCH (a:Person)-[k:KNOWS]->(b) RETURN a, k LIMIT 1", "1 node is drawn as an empty circle"},
		{"MATCH (a:Person)-[k:KNOWS]->(b) RETURN a, b LIMIT 3", "Pale lines are all relationships between its nodes"},
	} {
		rows, err := db.Query(t.Context(), test.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Rows(t.Context(), rows, Options{MaxNodes: 20, Between: Between(t.Context(), db)})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(p.Notes("svg"), " "); !strings.Contains(notes, test.note) {
			t.Errorf("%s: %q", test.query, notes)
		}
		checkFormats(t, p)
		words := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(writtenAs(t, p, "svg"), " ")), " ")
		for _, note := range p.Notes("svg") {
			if !strings.Contains(words, escapeXML(note)) {
				t.Errorf("%s: the picture does not say %q", test.query, note)
			}
		}
	}
	if _, err := Rows(t.Context(), nil, Options{MaxNodes: MostNodes + 1}); err == nil {
		t.Error("a picture takes any number of nodes")
	}
}
