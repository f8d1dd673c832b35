package lang

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/shared"
)

// kitQuery is a query of openCypher's compatibility kit with the error that it must raise at compile time, if any.
type kitQuery struct {
	where, text string
	code        string // "SyntaxError.UndefinedVariable"; "" for none
	anyTime     bool   // the error may be raised when the query runs, too
	signatures  []string
}

// kit reads the queries of the compatibility kit's features, once for every row of examples.
func kit(t *testing.T) (queries []kitQuery) {
	root := shared.File(t, "tck", "features")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".feature") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		for _, s := range scenarios(string(data)) {
			queries = append(queries, s.queries(strings.TrimSuffix(name, ".feature"))...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return queries
}

// scenario is the lines of one, and the rows of its examples by column.
type scenario struct {
	name     string
	lines    []string
	examples []map[string]string
}

func scenarios(text string) (list []*scenario) {
	var s *scenario
	var header []string
	examples, quoted := false, false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == `"""` {
			quoted = !quoted
		}
		switch {
		case !quoted && strings.HasPrefix(trimmed, "#"):
		case !quoted && strings.HasPrefix(trimmed, "Scenario"):
			_, name, _ := strings.Cut(trimmed, ": ")
			s = &scenario{name: name}
			list, examples = append(list, s), false
		case !quoted && strings.HasPrefix(trimmed, "Examples:"):
			examples, header = true, nil
		case s == nil:
		case examples && strings.HasPrefix(trimmed, "|"):
			cells := cells(trimmed)
			if header == nil {
				header = cells
				continue
			}
			row := map[string]string{}
			for i, name := range header {
				row[name] = cells[i]
			}
			s.examples = append(s.examples, row)
		default:
			s.lines = append(s.lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return list
}

// cells cuts a row of a table at its bars, but for those behind a backslash.
func cells(row string) (list []string) {
	row = strings.ReplaceAll(strings.Trim(row, "|"), `\|`, "\x00")
	for _, c := range strings.Split(row, "|") {
		list = append(list, strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|"))
	}
	return list
}

var raised = regexp.MustCompile(`an? (\w+) should be raised at (compile time|runtime|any time): (\S+)`)

// queries fills in the examples. The error of a scenario is that of its query behind "executing query:".
func (s *scenario) queries(file string) (out []kitQuery) {
	rows := s.examples
	if rows == nil {
		rows = []map[string]string{{}}
	}
	for _, row := range rows {
		text := strings.Join(s.lines, "\n")
		for name, value := range row {
			text = strings.ReplaceAll(text, "<"+name+">", value)
		}
		var signatures []string
		code, anyTime := "", false
		if m := raised.FindStringSubmatch(text); m != nil && m[2] != "runtime" {
			code, anyTime = m[1]+"."+m[3], m[2] == "any time"
		}
		for line := range strings.Lines(text) {
			if _, signature, ok := strings.Cut(line, "there exists a procedure "); ok {
				signatures = append(signatures, strings.TrimRight(signature, ": \n"))
			}
		}
		parts := strings.Split(text, `"""`)
		for i := 1; i < len(parts); i += 2 {
			q := kitQuery{where: file + " " + s.name, text: strings.TrimSpace(parts[i]), signatures: signatures}
			if strings.HasSuffix(strings.TrimSpace(parts[i-1]), "executing query:") {
				q.code, q.anyTime = code, anyTime
			}
			if !strings.Contains(parts[i-1], "CSV") {
				out = append(out, q)
			}
		}
	}
	return out
}

// kitCatalog has the procedures of a scenario.
type kitCatalog struct {
	testCatalog
	procs []*Procedure
}

func (c kitCatalog) Declared() []*Procedure { return c.procs }

func (q *kitQuery) check(t *testing.T) error {
	cat := kitCatalog{}
	for _, s := range q.signatures {
		p, err := ParseSignature(s)
		if err != nil {
			t.Fatal(err)
		}
		p.Impl = true
		cat.procs = append(cat.procs, p)
	}
	script, err := Parse(q.text)
	if err != nil {
		return err
	}
	_, err = Check(script.Statements[0], cat)
	return err
}

// Every query of the compatibility kit is read and checked, or raises the error that it is there to raise.
func TestKit(t *testing.T) {
	wrong := 0
	queries := kit(t)
	for _, q := range queries {
		err := q.check(t)
		var e *Error
		errors.As(err, &e)
		switch {
		case e == nil && (q.code == "" || q.anyTime || q.code == "ParameterMissing.MissingParameter"), // the last is known to who has the parameters
			e != nil && e.Code == q.code, e != nil && q.code != "" && strings.HasSuffix(q.code, "*"):
			continue
		}
		wrong++
		got := "no error"
		if e != nil {
			got = e.Pretty()
		}
		t.Errorf("%s\n%s\nwant %s, got %s\n", q.where, q.text, q.code, got)
	}
	t.Logf("%d queries, %d wrong", len(queries), wrong)
}
