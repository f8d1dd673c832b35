package repl

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
	"github.com/motifql/motif/lang"
)

var rewriteDocs = flag.Bool("rewrite", false, "write the output of the examples into docs/procedures.md, to be reviewed as a diff")

var example = regexp.MustCompile("(?s)```cypher\n(.*?)```\n\n```text\n(.*?)```")

// The examples of docs/procedures.md give on the sample graph what the page shows, and every procedure is there with its
// signature, its options and its columns.
func TestProcedurePage(t *testing.T) {
	const page = "../../docs/procedures.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text, n := string(data), 0
	got := example.ReplaceAllStringFunc(text, func(block string) string {
		n++
		m := example.FindStringSubmatch(block)
		out := run(t, db, m[1])
		if out != m[2] && !*rewriteDocs {
			t.Errorf("%sgives\n%s", m[1], out)
		}
		return "```cypher\n" + m[1] + "```\n\n```text\n" + out + "```"
	})
	if *rewriteDocs {
		if err := os.WriteFile(page, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if blocks := strings.Count(text, "```cypher"); n != blocks || n < len(lang.Procedures) {
		t.Errorf("%d examples, %d with output, for %d procedures", blocks, n, len(lang.Procedures))
	}
	for i := range lang.Procedures {
		describes(t, text, &lang.Procedures[i])
	}
	for i := range lang.GdsProcedures {
		describesProjections(t, text, &lang.GdsProcedures[i])
	}
}

// describesProjections looks for the name of p, its options and its stream's columns in the section on projections.
func describesProjections(t *testing.T, text string, p *lang.Procedure) {
	t.Helper()
	_, text, _ = strings.Cut(text, "\n## Projections\n")
	text, _, _ = strings.Cut(text, "\n## ")
	name, mode := p.Name, ""
	if i := strings.LastIndexByte(name, '.'); slices.Contains([]string{".stream", ".stats", ".write", ".mutate"}, name[i:]) {
		name, mode = name[:i], name[i:]
	}
	if !strings.Contains(text, "`"+name) || !strings.Contains(text, mode) {
		t.Errorf("%s is not described", p.Name)
	}
	for _, o := range p.Options {
		if !o.Idle && !strings.Contains(text, o.Name) && o.Name != "includeIntermediateCommunities" {
			t.Errorf("%s: the option %s is not described", p.Name, o.Name)
		}
	}
	for _, c := range p.Columns {
		if mode == ".stream" && !strings.Contains(text, "`"+c.Name+"`") {
			t.Errorf("%s: the column %s is not described", p.Name, c.Name)
		}
	}
}

// run prints what a script of queries gives. One that changes the graph gets an empty graph of its own.
func run(t *testing.T, db *motif.DB, script string) string {
	t.Helper()
	changes := strings.Contains(script, "CREATE ")
	if changes {
		own, err := motif.Open(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		db = own
	}
	var out, notes strings.Builder
	s := Session{DB: db, Out: &out, Err: &notes, Format: "table"}
	if err := s.Run(t.Context(), "", script); err != nil {
		t.Errorf("%s%v", script, err)
	}
	if notes.Len() > 0 && !changes { // changes are noted
		t.Errorf("%s%s", script, notes.String())
	}
	return out.String()
}

// describes looks for a section that begins with the signature of p and names its options and columns.
func describes(t *testing.T, text string, p *lang.Procedure) {
	t.Helper()
	before, section, ok := strings.Cut(text, "### "+p.Name+"\n\n    "+p.Signature()+"\n")
	if !ok {
		t.Errorf("there is no section on %s that begins with its signature\n    %s", p.Name, p.Signature())
		return
	}
	chapter := before[strings.LastIndex(before, "\n## "):] + section
	section, _, _ = strings.Cut(section, "\n### ")
	chapter, _, _ = strings.Cut(chapter, "\n### ")
	for _, c := range p.Columns {
		if !strings.Contains(section, "`"+c.Name+"`") {
			t.Errorf("%s: the column %s is not described", p.Name, c.Name)
		}
	}
	_, common, _ := strings.Cut(text, "\n## Common options\n")
	common, _, _ = strings.Cut(common, "\n## ")
	for _, o := range p.Options {
		if !strings.Contains(section+chapter+common, "`"+o.Name+"`") {
			t.Errorf("%s: the option %s is not described", p.Name, o.Name)
		}
	}
	if len(p.Options) > 0 && !strings.Contains(section, "\nCost: ") {
		t.Errorf("%s: what it costs is not said", p.Name)
	}
	if !strings.Contains(section, "```cypher") {
		t.Errorf("%s: there is no example", p.Name)
	}
}
