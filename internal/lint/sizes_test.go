package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits for code that is neither a test nor generated.
const (
	maxFile     = 500 // lines
	maxFunction = 60  // lines; most stay below 40
	maxMethods  = 40  // of one type
)

// excuse lets a type have more methods, or a function more lines, than the limit. Its size is today's: the table may only shrink.
type excuse struct {
	size int
	why  string
}

// excuses are named by folder and name: "storage.Store" for a type, "exec.pathStage.fill" for a method, "join.count" for a function.
type excuses map[string]excuse

// sizes collects how large the files, functions and types of a tree are.
type sizes struct {
	files     map[string]int             // lines by file
	functions map[string]place           // by name, with the folder
	methods   map[string]map[string]bool // method names by type; twins for other builds count once
}

type place struct {
	at    string
	lines int
}

func newSizes() *sizes {
	return &sizes{make(map[string]int), make(map[string]place), make(map[string]map[string]bool)}
}

func (s *sizes) add(set *token.FileSet, file *ast.File, rel string, lines int) {
	s.files[rel] = lines
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := path.Dir(rel) + "." + fn.Name.Name
		if fn.Recv != nil {
			owner := path.Dir(rel) + "." + receiver(fn.Recv.List[0].Type)
			if s.methods[owner] == nil {
				s.methods[owner] = make(map[string]bool)
			}
			s.methods[owner][fn.Name.Name] = true
			name = owner + "." + fn.Name.Name
		}
		first := set.Position(fn.Pos())
		if n := set.Position(fn.End()).Line - first.Line + 1; n > s.functions[name].lines {
			s.functions[name] = place{fmt.Sprintf("%s:%d", rel, first.Line), n}
		}
	}
}

// faults lists what is too large, and the excuses that are too generous or stale.
func (s *sizes) faults(allowed excuses) (faults []string) {
	for file, n := range s.files {
		if n > maxFile {
			faults = append(faults, fmt.Sprintf("%s: %d lines, at most %d", file, n, maxFile))
		}
	}
	used := make(map[string]bool)
	over := func(name string, n, limit int, fault string) {
		e, excused := allowed[name]
		used[name] = used[name] || n > limit
		switch {
		case n <= limit:
		case !excused:
			faults = append(faults, fmt.Sprintf("%s, at most %d", fault, limit))
		case n > e.size:
			faults = append(faults, fmt.Sprintf("%s, at most the %d of its row: the table may only shrink", fault, e.size))
		case n < e.size:
			faults = append(faults, fmt.Sprintf("%s: lower its row from %d", fault, e.size))
		}
	}
	for name, f := range s.functions {
		over(name, f.lines, maxFunction, fmt.Sprintf("%s: function %s has %d lines", f.at, name, f.lines))
	}
	for name, m := range s.methods {
		over(name, len(m), maxMethods, fmt.Sprintf("type %s has %d methods", name, len(m)))
	}
	for name, e := range allowed {
		if !used[name] {
			faults = append(faults, fmt.Sprintf("%s keeps the limit or is not there: drop its row", name))
		}
		if e.why == "" {
			faults = append(faults, fmt.Sprintf("%s: its row gives no reason", name))
		}
	}
	slices.Sort(faults)
	return faults
}

// TestSizesFindFaults breaks every limit once, with and without an excuse.
func TestSizesFindFaults(t *testing.T) {
	methods := func(n int) string {
		text := strings.Builder{}
		for i := range n {
			text.WriteString([]string{"func (t *T[X]) ", "func (T[X]) "}[i%2] + fmt.Sprintf("m%d() {}\n", i))
		}
		return "package lang\ntype T[X any] struct{}\n" + text.String()
	}
	function := func(lines int) string {
		return "package lang\nfunc f() {\n" + strings.Repeat("\n", lines-2) + "}\n"
	}
	for name, c := range map[string]struct {
		text    string
		allowed excuses
		want    string
	}{
		"forty methods":            {methods(40), nil, ""},
		"too many methods":         {methods(41), nil, "type lang.T has 41 methods, at most 40"},
		"excused methods":          {methods(41), excuses{"lang.T": {41, "why"}}, ""},
		"a row without a reason":   {methods(41), excuses{"lang.T": {41, ""}}, "gives no reason"},
		"more than excused":        {methods(43), excuses{"lang.T": {42, "why"}}, "at most the 42 of its row"},
		"fewer than excused":       {methods(41), excuses{"lang.T": {42, "why"}}, "lower its row from 42"},
		"methods within the limit": {methods(40), excuses{"lang.T": {41, "why"}}, "drop its row"},
		"a row for nothing":        {methods(1), excuses{"lang.U": {41, "why"}}, "drop its row"},
		"a short function":         {function(60), nil, ""},
		"a long function":          {function(61), nil, "function lang.f has 61 lines, at most 60"},
		"an excused function":      {function(61), excuses{"lang.f": {61, "why"}}, ""},
		"a longer function":        {function(62), excuses{"lang.f": {61, "why"}}, "the table may only shrink"},
	} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "lang"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "lang", "a.go"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		faults, _, err := lint(root, c.allowed)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(faults, "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: faults %q, want %q", name, got, c.want)
		}
	}
}

// TestRoot counts what a newcomer sees first: the entries of the module root.
func TestRoot(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Skipf("this is no git checkout: %v", err)
	}
	visible, code := make(map[string]bool), make(map[string]bool)
	for file := range strings.Lines(string(out)) {
		name, _, below := strings.Cut(strings.TrimSpace(file), "/")
		if strings.HasPrefix(name, ".") {
			continue
		}
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			continue // deleted, and not committed yet
		}
		visible[name] = true
		if !below && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			code[name] = true
		}
	}
	if len(visible) > 30 {
		t.Errorf("the module root has %d entries, at most 30: %v", len(visible), slices.Sorted(maps.Keys(visible)))
	}
	if len(code) > 14 {
		t.Errorf("the module root has %d files of code, at most 14: %v", len(code), slices.Sorted(maps.Keys(code)))
	}
}
